/* SPDX-License-Identifier: MIT
 * center.c - where "straight ahead" is. The pose that goes out is out = A * q * B; A and B are made when a centre is
 * taken, from the pose q0 of that moment. A turns in the world (the vertical stays the vertical), B in the head (the
 * sensor's tilt):
 *
 *   full, tilt = head    A = q0^-1         B = 1            q0^-1 * q: seen from the head as it was at the centre
 *   full, tilt = mount   A = Y^-1          B = q0^-1 * Y    q * q0^-1, looking along Y: the sensor sits crooked
 *   yaw                  A = nose^-1       B = 1            only the heading; pitch and roll stay the device's
 *   level                A = Rz(a)^-1      B = Ry(c)^-1     q0 = Rz(a) Rx(b) Ry(c): roll stays against the horizon
 *
 * Y is the turn of q0 about the vertical. q0^-1 * q in a world that is tilted against the head makes pitch and roll out
 * of a pure turn (20 degrees of tilt, 60 of turn: yaw 55.5, pitch 9.3, roll -17.5); q * q0^-1 does not, but its axes
 * are the world's, so it is seen along Y. */
#include "headpipe.h"
#include "pose/quat.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define FOLLOW_REST 1.0 /* degrees around the centre that the centre does not follow */
#define DT_LONGEST  0.1 /* s; a longer silence counts as this */

enum { FULL, YAW, LEVEL };
enum { MOUNT, HEAD };
enum { KEEP, RECENTER, IGNORE };

struct center {
	int mode, tilt, on_reset;
	bool at_start;
	int64_t settle;
	double follow;

	const struct hp_host *host;
	struct quat a, b, ref; /* ref: the pose at the centre */
	struct quat last;      /* the pose that came in last */
	double pos0[3], last_pos[3];
	int64_t first_ns, last_ns;
	uint32_t reset_count;
	bool started, has_pos; /* a sample, a position was seen */
	bool centred;          /* a centre was taken */
	bool settling, waited; /* the centre still goes along; since first_ns */
	bool recenter;         /* asked for */
	bool restarted;        /* and no pose yet that is not all zero */
};
static const struct hp_option options[] = {
	HP_OPT_ENUM(
	    struct center, mode, "full", "full|yaw|level",
	    "what a centre takes away: full: the whole pose; yaw: the heading; level: heading and pitch, so that "
	    "roll stays against the horizon",
	    HP_LIVE),
	HP_OPT_ENUM(
	    struct center, tilt, "mount", "mount|head",
	    "what a tilt at the centre is (mode = full): mount: the sensor sits crooked, a turn stays a turn about "
	    "the vertical; head: the head was tilted, the pose is seen from there",
	    HP_LIVE),
	HP_OPT_BOOL(struct center, at_start, "yes", "take the first centre by itself"),
	HP_OPT_NS(
	    struct center, settle, "500ms", 0, 60,
	    "how long after the first pose that is not all zero the first centre is taken; until then the view rests",
	    0, NULL, 0, 5),
	HP_OPT_ENUM(
	    struct center, on_reset, "keep", "keep|recenter|ignore",
	    "when the device started anew: keep: go on at the old view; recenter: take a new centre; ignore: jump",
	    HP_LIVE),
	HP_OPT_REAL(struct center, follow, "0", 0, 10,
	            "degrees per second with which the centre follows a head that looks elsewhere; 0 = off", HP_LIVE,
	            "deg/s", 0, 5),
	HP_OPT_END,
};

/* ---- taking a centre ------------------------------------------------------------------------------------------- */

/* Heading of the nose, and for a nose that points straight up or down, where the tilt came from. */
static double nose(struct quat q)
{
	double y = 2 * (q.w * q.z + q.x * q.y), x = 1 - 2 * (q.y * q.y + q.z * q.z);
	return x * x + y * y > 0.0025 ? atan2(y, x) : quat_turn_about_z(q);
}
static void take(struct center *c, struct quat q)
{
	struct quat y;
	c->ref = q;
	c->b = (struct quat){ 1, 0, 0, 0 };
	switch (c->mode) {
	case YAW:
		c->a = quat_about_z(-nose(q));
		break;
	case LEVEL: { /* Rz(a) Rx(b) Ry(c): the left ear is (-sin a cos b, cos a cos b, sin b) */
		double ear_x = 2 * (q.x * q.y - q.w * q.z), ear_y = 1 - 2 * (q.x * q.x + q.z * q.z);
		if (ear_x * ear_x + ear_y * ear_y < 0.0025) {
			c->a = quat_about_z(-nose(q)); /* lying on the side: there is no pitch to take away */
			break;
		}
		double pitch = atan2(2 * (q.w * q.y - q.x * q.z), 1 - 2 * (q.x * q.x + q.y * q.y));
		c->a = quat_about_z(-atan2(-ear_x, ear_y));
		c->b = (struct quat){ cos(pitch / 2), 0, -sin(pitch / 2), 0 };
		break;
	}
	default:
		if (c->tilt == HEAD) {
			c->a = quat_conj(q);
			break;
		}
		y = quat_about_z(quat_turn_about_z(q));
		c->a = quat_conj(y);
		c->b = quat_multiply(quat_conj(q), y);
	}
}
static void take_all(struct center *c, struct quat q, const struct hp_sample *s)
{
	take(c, q);
	c->centred = true;
	c->has_pos = s->flags & HP_POS;
	if (c->has_pos)
		memcpy(c->pos0, s->pos, sizeof c->pos0);
}
static void start_settling(struct center *c)
{
	c->settling = true;
	c->waited = false;
}

/* ---- a device that started anew -------------------------------------------------------------------------------- */

static void say_reset(struct center *c, const struct hp_sample *s, double degrees)
{
	static const char *const does[] = { "the view goes on where it was (on_reset = keep)",
		                            "a new centre is taken (on_reset = recenter)",
		                            "the view jumps with it (on_reset = ignore)" };
	char text[240];
	snprintf(text, sizeof text,
	         "the device started anew (its reset counter went from %lu to %lu) and its heading changed by %.0f "
	         "degrees: %s",
	         (unsigned long)c->reset_count, (unsigned long)s->reset_count, degrees, does[c->on_reset]);
	c->host->log(c->host, HP_LOG_INFO, text);
}
/* The world of the device turned: D * new pose = old pose. Where gravity holds its vertical, D is about the vertical
 * and a tilt that changed meanwhile was the head's. */
static void keep(struct center *c, struct quat q, const struct hp_sample *s)
{
	struct quat d = quat_multiply(c->last, quat_conj(q));
	if (c->mode != FULL || c->tilt != HEAD)
		d = quat_about_z(quat_turn_about_z(d));
	c->a = quat_multiply(c->a, d);
	c->ref = quat_multiply(quat_conj(d), c->ref);
	if (!c->has_pos || !(s->flags & HP_POS))
		return;
	double from[3]; /* a * (position - pos0) goes on as well */
	for (int i = 0; i < 3; i++)
		from[i] = c->last_pos[i] - c->pos0[i];
	quat_rotate_in_place(quat_conj(d), from);
	for (int i = 0; i < 3; i++)
		c->pos0[i] = s->pos[i] - from[i];
}
static void restart(struct center *c, struct quat q, struct hp_sample *s, bool nothing)
{
	if (s->reset_count != c->reset_count) {
		say_reset(c, s, quat_turn_about_z(quat_multiply(q, quat_conj(c->last))) * QUAT_DEGREES);
		c->restarted = true;
		if (c->on_reset == RECENTER)
			start_settling(c);
		if (c->on_reset != KEEP)
			s->flags |= HP_JUMP;
	}
	if (!c->restarted)
		return;
	if (c->on_reset == KEEP && !c->settling)
		keep(c, q, s);
	c->restarted = nothing; /* what comes after all-zero poses is not where the head went */
}

/* ---- per sample ------------------------------------------------------------------------------------------------ */

/* The centre goes a little towards where the head looks. */
static void follow(struct center *c, struct quat out, double dt)
{
	double most = c->follow * dt / QUAT_DEGREES, rest = FOLLOW_REST / QUAT_DEGREES;
	if (c->mode == FULL && c->tilt == HEAD) {
		struct vec v = quat_unit_to_rotvec(out);
		double angle = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
		if (angle <= rest)
			return;
		double k = -fmin(most, angle - rest) / angle;
		c->a = quat_multiply(quat_from_rotvec((struct vec){ v.x * k, v.y * k, v.z * k }), c->a);
		return;
	}
	double turn = c->mode == YAW ? nose(out) : quat_turn_about_z(out);
	if (fabs(turn) > rest)
		c->a = quat_multiply(quat_about_z(-copysign(fmin(most, fabs(turn) - rest), turn)), c->a);
}
static void settle(struct center *c, struct quat q, const struct hp_sample *s, bool nothing)
{
	if (!nothing && (!c->waited || s->time_ns < c->first_ns)) {
		c->first_ns = s->time_ns;
		c->waited = true;
	}
	take_all(c, q, s);
	/* unsigned: whatever times a recording claims, nothing overflows */
	if (c->waited && (uint64_t)s->time_ns - (uint64_t)c->first_ns >= (uint64_t)c->settle)
		c->settling = false;
}
static int filter(void *self, struct hp_sample *s)
{
	struct center *c = self;
	struct quat q = quat_normalize(quat_load(s->quat));
	bool nothing = q.x == 0 && q.y == 0 && q.z == 0; /* what devices send before they know */
	int64_t elapsed = (int64_t)((uint64_t)s->time_ns - (uint64_t)c->last_ns);
	double dt = c->started ? quat_clamp((double)elapsed / 1e9, 0, DT_LONGEST) : 0;

	if (c->started)
		restart(c, q, s, nothing);
	c->reset_count = s->reset_count;
	if (c->recenter) {
		c->recenter = c->settling = false;
		take_all(c, q, s);
		s->flags |= HP_JUMP;
	} else if (c->settling) {
		settle(c, q, s, nothing);
	}
	c->last = q;
	c->last_ns = s->time_ns;
	c->started = true;

	struct quat out = quat_multiply(quat_multiply(c->a, q), c->b);
	quat_store(out, s->quat);
	s->flags &= ~(uint32_t)(HP_ROTVEC | HP_YPR);
	if (c->b.w != 1) {
		struct quat back = quat_conj(c->b);
		if (s->flags & HP_GYRO)
			quat_rotate_in_place(back, s->gyro);
		if (s->flags & HP_ACCEL)
			quat_rotate_in_place(back, s->accel);
		if (s->flags & HP_ANGVEL)
			quat_rotate_in_place(back, s->angvel);
	}
	if (s->flags & HP_POS) {
		if (!c->has_pos && c->centred)
			memcpy(c->pos0, s->pos, sizeof c->pos0);
		c->has_pos = true;
		memcpy(c->last_pos, s->pos, sizeof c->last_pos);
		for (int i = 0; i < 3; i++)
			s->pos[i] -= c->pos0[i];
		quat_rotate_in_place(c->a, s->pos);
	}
	if (c->follow > 0 && !c->settling && c->centred)
		follow(c, out, dt);
	return HP_KEEP;
}

/* ---- the rest -------------------------------------------------------------------------------------------------- */

static int reset(void *self)
{
	struct center *c = self;
	c->started = c->has_pos = c->recenter = c->restarted = false;
	c->a = c->b = c->last = (struct quat){ 1, 0, 0, 0 };
	memset(c->pos0, 0, sizeof c->pos0);
	c->centred = c->settling = c->waited = false;
	if (c->at_start)
		start_settling(c);
	return 0;
}
static int open(void *self, const struct hp_host *host)
{
	struct center *c = self;
	c->host = host;
	return reset(self);
}
static int changed(void *self)
{
	struct center *c = self;
	if (c->centred && !c->settling)
		take(c, c->ref);
	return 0;
}
static int command(void *self, const char *verb)
{
	struct center *c = self;
	if (strcmp(verb, "recenter") != 0)
		return -ENOTSUP;
	c->recenter = true;
	return 0;
}

HP_MODULE(center) = {
	HP_MODULE_HEAD,
	.kind = HP_FILTER,
	.name = "center",
	.summary = "where straight ahead is: centre at the start, on a recenter and through a device's restart",
	.options = options,
	.state_size = sizeof(struct center),
	.open = open,
	.filter = filter,
	.changed = changed,
	.reset = reset,
	.command = command,
};
