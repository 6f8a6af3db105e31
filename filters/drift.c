/* SPDX-License-Identifier: MIT
 * drift.c - takes away the slow turn of a tracker's heading. Creep is what the heading does while the gyroscope says
 * that the head is still; nothing else is taken for it, no held pose and no slow look around, and it never pulls to a
 * centre.
 *
 * Still: over half a second the angular velocity scatters little and is small, and over some seconds it turns nothing
 * about the vertical; as it is, or without its offset, which is the mean of what it says more than the pose turns (a
 * raw gyroscope has one). What the gyroscope does read is a slow look around, except for the little that may be a bias
 * from which the pose was integrated as well. While still, a Kalman filter with the state (heading, creep) and small
 * steps of the head itself as process noise learns; each new rest begins with the heading as it is and the creep as it
 * was before the motion showed. The sum of the creep is turned back about the vertical, always. */
#include "headpipe.h"
#include "pose/quat.h"
#include <math.h>
#include <string.h>

#define LONGEST      0.25   /* s; a longer step begins a new rest                                         */
#define REST_FIRST   1.0    /* s of rest before anything is learned                                       */
#define GYRO_TIME    0.5    /* s over which the angular velocity is judged                                */
#define TURN_TIME    2.0    /* s over which it is judged whether the gyroscope says a turn                */
#define TURN         0.08   /* deg/s about the vertical that may be its bias; more is a head that turns   */
#define TURN_FAST    0.4    /* deg/s; faster ones count as this, so that they are soon forgotten          */
#define KEEP         2.5    /* s; twice as long at most it takes until a motion shows                     */
#define OFFSET_TIME  10.0   /* s over which the gyroscope's offset is learned                             */
#define OFFSET_TRUST 2.0    /* s that the first guess, no offset, counts for                              */
#define SCATTER      1.0    /* deg/s RMS of all axes that a gyroscope at rest may scatter                 */
#define MARGIN       0.3    /* deg/s beside the largest creep: a worn head is never quite still          */
#define NOISE        0.01   /* deg^2, of a heading                                                        */
#define WANDER       0.01   /* deg^2/s, how far a head that is still wanders                              */
#define WANDER_TIME  2.0    /* s; times its speed squared: it keeps a direction for so long                 */
#define CREEP_FIRST  0.004  /* (deg/s)^2, what is known of the creep at first                             */
#define CREEP_WALK   2.5e-7 /* (deg/s)^2/s, how fast it changes                                          */
#define FASTEST      1e5    /* deg/s; faster is no motion, and must not become infinite in a square     */
#define FAR          1.0    /* deg; a heading so far off is no creep                                      */

struct drift {
	int mode;
	double limit;

	const struct hp_host *host;
	bool started, told;
	int64_t last_ns;
	uint32_t reset_count;
	struct quat last;
	struct vec fast, offset; /* deg/s, head's axes */
	double scatter, offset_s, rest_s;
	double speed;            /* deg/s by the gyroscope, over half a second                       */
	double turns, turns_off; /* deg/s about the vertical, as it is and without its offset */
	/* the Kalman filter; heading counts from the beginning of the rest */
	bool tracking;
	double measured, heading, creep, p00, p01, p11;
	/* creep as it was, up to KEEP ago and up to twice as long: a motion that begins was learned from before it
	 * shows */
	double kept_s, creep1, creep2, p11_1, p11_2;
	double turned; /* degrees of creep so far */
};
enum { AUTO, OFF };
static const struct hp_option options[] = {
	HP_OPT_ENUM(struct drift, mode, "auto", "auto|off",
	            "auto: learn the creep at rest and take it away; off: take no more away than so far", HP_LIVE),
	HP_OPT_REAL(struct drift, limit, "0.2", 0.01, 2, "largest creep that is believed, degrees per second", HP_LIVE,
	            "deg/s", 0.05, 1),
	HP_OPT_END,
};

static void remember(struct drift *d)
{
	d->creep2 = d->creep1;
	d->p11_2 = d->p11_1;
	d->creep1 = d->creep;
	d->p11_1 = d->p11;
	d->kept_s = 0;
}
static void begin_rest(struct drift *d)
{
	if (d->tracking) {
		d->creep = d->creep2;
		d->p11 = d->p11_2;
	}
	d->rest_s = 0;
	d->tracking = false;
}
static void track(struct drift *d, double dt)
{
	if (!d->tracking) {
		d->tracking = true;
		remember(d);
		remember(d);
		d->measured = d->heading = 0;
		d->p00 = NOISE;
		d->p01 = 0;
		return;
	}
	if ((d->kept_s += dt) >= KEEP)
		remember(d);
	double more = fmax(0, d->speed - d->limit); /* what cannot be creep is the head */
	d->heading += d->creep * dt;
	d->p00 += 2 * dt * d->p01 + dt * dt * d->p11 + (WANDER + WANDER_TIME * more * more) * dt;
	d->p01 += dt * d->p11;
	double e = d->measured - d->heading;
	if (fabs(e) > FAR) {
		begin_rest(d);
		return;
	}
	double s = d->p00 + NOISE, k0 = d->p00 / s, k1 = d->p01 / s;
	d->heading += k0 * e;
	d->creep = quat_clamp(d->creep + k1 * e, -d->limit, d->limit);
	d->p11 -= k1 * d->p01;
	d->p01 -= k0 * d->p01;
	d->p00 -= k0 * d->p00;
}
static double length(struct vec v)
{
	return sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
}
static void toward(struct vec *v, struct vec to, double k)
{
	v->x += k * (to.x - v->x);
	v->y += k * (to.y - v->y);
	v->z += k * (to.z - v->z);
}
/* Follows what the gyroscope says about the vertical. */
static double turning(double turns, struct quat q, struct vec v, double dt)
{
	double z = quat_clamp(quat_rotate(q, v).z, -TURN_FAST, TURN_FAST);
	return turns + (z - turns) * dt / (TURN_TIME + dt);
}
/* w: the gyroscope, pose: what the pose did, both deg/s in the head's axes. */
static bool is_still(struct drift *d, struct quat q, struct vec w, struct vec pose, double dt)
{
	double k = dt / (GYRO_TIME + dt);
	struct vec off = { w.x - d->fast.x, w.y - d->fast.y, w.z - d->fast.z };
	toward(&d->fast, w, k);
	d->scatter += k * (off.x * off.x + off.y * off.y + off.z * off.z - d->scatter);
	bool calm = d->scatter <= SCATTER * SCATTER;
	if (calm) {
		d->offset_s += dt;
		struct vec more = { w.x - pose.x, w.y - pose.y, w.z - pose.z };
		toward(&d->offset, more, dt / fmin(d->offset_s + OFFSET_TRUST, OFFSET_TIME));
	}
	struct vec left = { d->fast.x - d->offset.x, d->fast.y - d->offset.y, d->fast.z - d->offset.z };
	d->turns = turning(d->turns, q, d->fast, dt);
	d->turns_off = turning(d->turns_off, q, left, dt);
	d->speed = fmin(length(d->fast), length(left));
	/* An offset that is more than a creep of the pose against a gyroscope without one is the gyroscope's own. */
	bool own = fabs(quat_rotate(q, d->offset).z) > d->limit + TURN;
	bool rests = fabs(d->turns_off) < TURN || (!own && fabs(d->turns) < TURN);
	return calm && rests && d->speed < d->limit + MARGIN;
}
static void learn(struct drift *d, const struct hp_sample *s, struct quat q, double dt)
{
	struct vec turn = quat_unit_to_rotvec(quat_multiply(quat_conj(d->last), q));
	double f = QUAT_DEGREES / dt;
	struct vec pose = { turn.x * f, turn.y * f, turn.z * f };
	double g[3];
	for (int i = 0; i < 3; i++)
		g[i] = quat_clamp(s->gyro[i] * QUAT_DEGREES, -FASTEST, FASTEST);
	struct vec w = { g[0], g[1], g[2] };
	d->measured += quat_turn_about_z(quat_multiply(q, quat_conj(d->last))) * QUAT_DEGREES;
	d->p11 = fmin(d->p11 + CREEP_WALK * dt, CREEP_FIRST);
	if (!is_still(d, q, w, pose, dt)) {
		begin_rest(d);
		return;
	}
	d->rest_s += dt;
	if (d->rest_s >= REST_FIRST)
		track(d, dt);
}

static int filter(void *self, struct hp_sample *s)
{
	struct drift *d = self;
	struct quat q = quat_normalize(quat_load(s->quat));
	/* unsigned: whatever times a recording claims, nothing overflows */
	double dt = (double)(int64_t)((uint64_t)s->time_ns - (uint64_t)d->last_ns) / 1e9;
	if (d->mode == AUTO && !(s->flags & HP_GYRO) && !d->told) {
		d->told = true;
		d->host->log(d->host, HP_LOG_INFO,
		             "there is no angular velocity in the samples, so drift is left alone");
	}
	if (d->mode == AUTO && d->started && dt > 0) {
		d->turned = remainder(d->turned + d->creep * fmin(dt, 10), 360);
		bool jump = s->flags & HP_JUMP || s->reset_count != d->reset_count || dt > LONGEST;
		if (s->flags & HP_GYRO && !jump)
			learn(d, s, q, dt);
		else
			begin_rest(d);
	}
	d->started = true;
	d->last = q;
	d->last_ns = s->time_ns;
	d->reset_count = s->reset_count;
	if (d->turned == 0)
		return HP_KEEP;
	quat_store(quat_multiply(quat_about_z(-d->turned / QUAT_DEGREES), q), s->quat);
	s->flags &= ~(uint32_t)(HP_ROTVEC | HP_YPR);
	return HP_KEEP;
}
static int reset(void *self)
{
	struct drift *d = self;
	d->started = false;
	d->tracking = false;
	begin_rest(d);
	d->fast = d->offset = (struct vec){ 0, 0, 0 };
	d->scatter = SCATTER * SCATTER * 4; /* moving until shown otherwise */
	d->turns = d->turns_off = d->offset_s = d->creep = d->creep1 = d->creep2 = d->turned = 0;
	d->p11 = d->p11_1 = d->p11_2 = CREEP_FIRST;
	return 0;
}
static int open(void *self, const struct hp_host *host)
{
	struct drift *d = self;
	d->host = host;
	return reset(self);
}
static int changed(void *self)
{
	struct drift *d = self;
	begin_rest(d);
	d->creep = quat_clamp(d->creep, -d->limit, d->limit);
	return 0;
}

HP_MODULE(drift) = {
	HP_MODULE_HEAD,
	.kind = HP_FILTER,
	.name = "drift",
	.summary = "takes away the slow creep of a tracker's heading, learned while the gyroscope says still",
	.options = options,
	.state_size = sizeof(struct drift),
	.open = open,
	.filter = filter,
	.changed = changed,
	.reset = reset,
};
