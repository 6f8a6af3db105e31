/* SPDX-License-Identifier: MIT
 * motion.c - made-up head motion with known truth, and a tracker's imperfect view of it. */
#include "motion.h"
#include "pose/pose.h"
#include "pose/quat.h"
#include <string.h>

#define RAD (QUAT_PI / 180)
const char *const judge_motion_name[JUDGE_MOTIONS] = { "still", "1 deg/s", "10 deg/s", "60 deg/s",
	                                               "pan",   "glance",  "nod" };
const double judge_motion_axis[3] = { 0, 0.19611613513818404, 0.98058067569092022 }; /* mostly yaw, some pitch */

/* From 0 to 1 within 0 <= u <= 1, with speed and acceleration 0 at both ends. */
static double minimum_jerk(double u)
{
	u = quat_clamp(u, 0, 1);
	return u * u * u * (10 + u * (-15 + 6 * u));
}

double judge_motion_length(enum judge_motion m)
{
	static const double length[JUDGE_MOTIONS] = { 15, 5, 4, 2.5, 1.6, 1.3, 5 };
	return length[m];
}

double judge_motion_angle(enum judge_motion m, double time)
{
	double t = time - JUDGE_START;
	if (t <= 0)
		return 0;
	switch (m) {
	case JUDGE_SLOW:
		return t;
	case JUDGE_WALK:
		return 10 * t;
	case JUDGE_TURN:
		return 60 * t;
	case JUDGE_PAN:
		return 60 * minimum_jerk(t / 0.6);
	case JUDGE_GLANCE:
		return 20 * minimum_jerk(t / 0.3);
	case JUDGE_NOD:
		return 15 * sin(2 * QUAT_PI * t) * minimum_jerk(t / 0.5);
	default:
		return 0;
	}
}

void judge_motion_pose(enum judge_motion m, double time, double quat[4])
{
	double in = minimum_jerk(time / 1.0) * (1 - minimum_jerk((time - 5) / 1.0)), w = 2 * QUAT_PI * time;
	struct quat rest = quat_from_rotvec((struct vec){ 0.03, 0.17, 0.4 });
	struct quat warm = quat_from_rotvec(
	    (struct vec){ 12 * RAD * in * sin(0.9 * w), 15 * RAD * in * sin(0.7 * w), 25 * RAD * in * sin(0.5 * w) });
	double a = judge_motion_angle(m, time) * RAD;
	const double *axis = judge_motion_axis;
	struct quat turn = m == JUDGE_NOD ? quat_from_rotvec((struct vec){ 0, a, 0 })
	                                  : quat_from_rotvec((struct vec){ a * axis[0], a * axis[1], a * axis[2] });
	struct quat q = quat_multiply(quat_multiply(rest, warm), turn);
	memcpy(quat, (const double[4]){ q.w, q.x, q.y, q.z }, 4 * sizeof *quat);
}

/* ---- the tracker's view ---------------------------------------------------------------------------------------- */

static uint64_t random_u64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

double judge_random_normal(uint64_t *state)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += (double)(random_u64(state) >> 11) * 0x1p-53;
	return sum;
}

static void turn(double quat[4], const double by[3])
{
	double d[4], out[4];
	hp_quat_from_rotvec(by, d);
	hp_quat_multiply(quat, d, out);
	memcpy(quat, out, sizeof out);
}

static void quantise(double quat[4], double step)
{
	double v[3];
	hp_quat_to_rotvec(quat, v);
	for (int i = 0; i < 3; i++)
		v[i] = rint(v[i] / step) * step;
	hp_quat_from_rotvec(v, quat);
}

static void spoil_gyro(double g[3], enum judge_gyro kind, uint64_t *random)
{
	static const double bias[3] = { 0.9 * RAD, 1.4 * RAD, -0.5 * RAD };
	const double was[3] = { g[0], g[1], g[2] };
	if (kind == JUDGE_GYRO_SWAPPED) {
		g[0] = was[1];
		g[1] = was[2];
		g[2] = was[0];
	}
	for (int i = 0; i < 3; i++) {
		if (kind == JUDGE_GYRO_SIGNS && i != 1)
			g[i] = -g[i];
		if (kind == JUDGE_GYRO_BIASED)
			g[i] += bias[i];
		g[i] += 0.1 * RAD * judge_random_normal(random);
	}
}

void judge_noise_pose(struct judge_noise *n, const struct judge_tracker *t, double dt, struct hp_sample *s)
{
	double keep = t->colour > 0 && n->started ? exp(-dt / t->colour) : 0, by[3];
	if (!n->started)
		n->random = t->seed;
	n->started = true;
	for (int i = 0; i < 3; i++) {
		n->memory[i] = keep * n->memory[i] + sqrt(1 - keep * keep) * judge_random_normal(&n->random);
		by[i] = t->noise * RAD * n->memory[i];
	}
	if (t->noise > 0)
		turn(s->quat, by);
	if (t->quantum > 0)
		quantise(s->quat, t->quantum * RAD);
}

void judge_noise_add(struct judge_noise *n, const struct judge_tracker *t, double dt, struct hp_sample *s)
{
	judge_noise_pose(n, t, dt, s);
	if (s->flags & HP_GYRO)
		spoil_gyro(s->gyro, t->gyro, &n->random);
}

void judge_motion_sample(enum judge_motion m, const struct judge_tracker *t, struct judge_noise *n, uint64_t i,
                         struct hp_sample *s)
{
	static const double h = 1e-4;
	uint64_t seed = t->seed; /* where in a motion the reports fall is another matter for each seed */
	double phase = (double)(random_u64(&seed) >> 11) * 0x1p-53;
	double time = ((double)i + phase) / t->rate, before[4], after[4], d[4];
	*s = (struct hp_sample)HP_SAMPLE_INIT;
	s->seq = i;
	s->time_ns = (int64_t)rint((time + t->latency) * 1e9);
	s->arrival_ns = s->time_ns;
	judge_motion_pose(m, time, s->quat);
	if (t->gyro != JUDGE_GYRO_NONE) {
		judge_motion_pose(m, time - h, before);
		judge_motion_pose(m, time + h, after);
		for (int k = 1; k < 4; k++)
			before[k] = -before[k];
		hp_quat_multiply(before, after, d);
		hp_quat_to_rotvec(d, s->gyro);
		for (int k = 0; k < 3; k++)
			s->gyro[k] /= 2 * h;
		s->flags |= HP_GYRO;
	}
	judge_noise_add(n, t, 1 / t->rate, s);
}
