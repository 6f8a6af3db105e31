/* SPDX-License-Identifier: MIT
 * follow.c - which of the four things a head does at the moment, from its samples alone: a motion goes away from rest
 * and comes back to rest. */
#include "calibrate.h"
#include <string.h>

#define QUIET     1.5  /* degrees within which a pose counts as staying                     */
#define REST      1.0  /* s that it stays before the first motion                           */
#define REST_BACK 0.4  /* s that it stays after one                                         */
#define AWAY      10.0 /* degrees that begin a motion                                       */
#define LEAST     15.0 /* degrees that a motion must reach                                  */
#define BACK      0.35 /* of its size that it may be away when it counts as back            */
#define STEADY    0.85 /* of its way that must be about one axis                            */
#define LATELY    0.2  /* s between looks at where the rest is                              */
#define PIECE     0.1  /* s of motion over which gyro and pose are compared                 */

static double angle(struct quat a, struct quat b)
{
	struct quat d = quat_multiply(quat_conj(a), b);
	return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w)) * QUAT_DEGREES;
}
static struct vec turn(struct quat a)
{
	return quat_unit_to_rotvec(quat_normalize(a));
}
static double dot(struct vec a, struct vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}
static void add(struct vec *sum, struct vec v, double k)
{
	sum->x += v.x * k;
	sum->y += v.y * k;
	sum->z += v.z * k;
}

/* The axes of what is in the buffer. Weights: the squared angle, since an axis is as exact as its angle is large. */
static void measure(const struct hp_cal *c, struct hp_cal_motion *m)
{
	struct vec far = { 0, 0, 0 };
	memset(m, 0, sizeof *m);
	for (size_t i = 0; i < c->n; i++) {
		struct vec v = turn(quat_multiply(quat_conj(c->rest), c->buffer[i].d));
		if (dot(v, v) > dot(far, far))
			far = v;
	}
	m->degrees = sqrt(dot(far, far)) * QUAT_DEGREES;
	double weight = 0;
	for (size_t i = 0; i < c->n; i++) {
		struct vec v = turn(quat_multiply(quat_conj(c->rest), c->buffer[i].d));
		struct vec w = turn(quat_multiply(c->buffer[i].d, quat_conj(c->rest)));
		if (dot(v, far) <= 0)
			continue; /* swung beyond the rest on its way back */
		double length = sqrt(dot(v, v));
		add(&m->head, v, length);
		add(&m->world, w, length);
		weight += length * length;
	}
	double head = sqrt(dot(m->head, m->head)), world = sqrt(dot(m->world, m->world));
	m->steady = weight > 0 ? head / weight : 0;
	if (head > 0 && world > 0) {
		m->head = (struct vec){ m->head.x / head, m->head.y / head, m->head.z / head };
		m->world = (struct vec){ m->world.x / world, m->world.y / world, m->world.z / world };
	}
}
/* Pieces of the motion: how the pose turned, in both senses, against what the gyroscope says. */
static void compare_gyro(struct hp_cal *c)
{
	size_t from = 0;
	double sum[3] = { 0, 0, 0 };
	for (size_t i = 1; i < c->n; i++) {
		const struct hp_cal_sample *a = &c->buffer[i - 1], *b = &c->buffer[i];
		double dt = b->t - a->t;
		if (!a->has_gyro || !b->has_gyro || dt <= 0 || dt > PIECE) {
			from = i;
			memset(sum, 0, sizeof sum);
			continue;
		}
		sum[0] += (a->gyro.x + b->gyro.x) / 2 * dt;
		sum[1] += (a->gyro.y + b->gyro.y) / 2 * dt;
		sum[2] += (a->gyro.z + b->gyro.z) / 2 * dt;
		if (b->t - c->buffer[from].t < PIECE)
			continue;
		struct vec head = turn(quat_multiply(quat_conj(c->buffer[from].d), b->d));
		struct vec back = turn(quat_multiply(c->buffer[from].d, quat_conj(b->d)));
		const double h[3] = { head.x, head.y, head.z }, k[3] = { back.x, back.y, back.z };
		for (int r = 0; r < 3; r++)
			for (int s = 0; s < 3; s++) {
				c->gyro[r][s] += h[r] * sum[s];
				c->gyro_back[r][s] += k[r] * sum[s];
			}
		c->pose_energy += dot(head, head);
		c->gyro_energy += sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2];
		c->has_gyro = true;
		from = i;
		memset(sum, 0, sizeof sum);
	}
}
/* Slow heads and fast devices: when the buffer is full, every second sample goes. */
static void keep(struct hp_cal *c, const struct hp_cal_sample *s)
{
	if (c->skipped++ % (c->skip ? c->skip : 1))
		return;
	if (c->n == HP_CAL_SAMPLES) {
		for (size_t i = 0; i < HP_CAL_SAMPLES / 2; i++)
			c->buffer[i] = c->buffer[2 * i];
		c->n = HP_CAL_SAMPLES / 2;
		c->skip = c->skip ? c->skip * 2 : 2;
	}
	c->buffer[c->n++] = *s;
}
static void begin(struct hp_cal *c, const struct hp_cal_sample *s)
{
	c->rest = c->lately = s->d;
	c->lately_t = s->t;
	c->moving = false;
	c->began = s->t;
	c->n = c->skip = c->skipped = 0;
}
static bool finish(struct hp_cal *c, const struct hp_cal_sample *s)
{
	struct hp_cal_motion m;
	measure(c, &m);
	c->trouble = m.degrees < LEAST   ? "that was less than 15 degrees"
	             : m.steady < STEADY ? "that was not about one axis"
	                                 : NULL;
	if (!c->trouble) {
		compare_gyro(c);
		c->motion[c->step] = m;
		c->step++;
	}
	begin(c, s);
	return true;
}

bool hp_cal_feed(struct hp_cal *c, int64_t time_ns, const double rotvec[3], const double *gyro)
{
	if (!c->started)
		c->first_ns = time_ns;
	struct hp_cal_sample s = { .d = quat_from_rotvec((struct vec){ rotvec[0], rotvec[1], rotvec[2] }),
		                   .t = (double)(int64_t)((uint64_t)time_ns - (uint64_t)c->first_ns) / 1e9,
		                   .has_gyro = gyro };
	if (gyro)
		s.gyro = (struct vec){ gyro[0], gyro[1], gyro[2] };
	if (!c->started || angle(c->still, s.d) > QUIET || s.t < c->last_far) {
		c->still = s.d;
		c->last_far = s.t;
	}
	if (!c->started) {
		c->started = true;
		begin(c, &s);
	}
	double stays = s.t - c->last_far;
	switch (c->step) {
	case HP_CAL_AHEAD:
		if (stays < REST)
			return false;
		begin(c, &s);
		c->step = HP_CAL_NOD;
		return true;
	case HP_CAL_DONE:
		return false;
	default:
		break;
	}
	double away = angle(c->rest, s.d);
	/* A head settles a little differently each time; and what was rest just now may be a motion that begins. */
	if (!c->moving && stays >= REST_BACK && away < AWAY && s.t - c->lately_t > LATELY) {
		c->rest = c->lately;
		c->lately = s.d;
		c->lately_t = s.t;
		c->n = c->skip = c->skipped = 0;
	}
	keep(c, &s);
	if (away > AWAY)
		c->moving = true;
	if (!c->moving || stays < REST_BACK)
		return false;
	double far = 0;
	for (size_t i = 0; i < c->n; i++)
		far = fmax(far, angle(c->rest, c->buffer[i].d));
	if (away > fmax(BACK * far, QUIET * 2))
		return false; /* stays, but out there */
	return finish(c, &s);
}
