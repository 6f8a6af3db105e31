/* SPDX-License-Identifier: MIT
 * gyros.c - gyroscopes with faults, and what a filter makes of them; see gyros.h. */
#include "gyros.h"
#include "judge/motion.h"
#include "pose/basis.h"
#include "pose/pose.h"
#include "pose/rotation.h"
#include <string.h>

static const double rate = 100, length = 40; /* reports per second; s */

#define STRAIGHT        \
	{               \
		0, 1, 2 \
	}
const struct gyro_fault gyro_faults[GYRO_FAULTS] = {
	{ "right", STRAIGHT, { 1, 1, 1 }, 0, false },
	{ "x negated", STRAIGHT, { -1, 1, 1 }, 0, true },
	{ "y negated", STRAIGHT, { 1, -1, 1 }, 0, true },
	{ "z negated", STRAIGHT, { 1, 1, -1 }, 0, true },
	{ "all negated", STRAIGHT, { -1, -1, -1 }, 0, true },
	{ "order YXZ", { 1, 0, 2 }, { 1, 1, 1 }, 0, true },
	{ "order ZYX", { 2, 1, 0 }, { 1, 1, 1 }, 0, true },
	{ "order XZY", { 0, 2, 1 }, { 1, 1, 1 }, 0, true },
	{ "order YZX", { 1, 2, 0 }, { 1, 1, 1 }, 0, true },
	{ "order ZXY", { 2, 0, 1 }, { 1, 1, 1 }, 0, true },
	{ "x silent", STRAIGHT, { 0, 1, 1 }, 0, true },
	{ "scale .8", STRAIGHT, { 0.8, 0.8, 0.8 }, 0, true },
	{ "scale .97", STRAIGHT, { 0.97, 0.97, 0.97 }, 0, true },
	{ "scale 1.05", STRAIGHT, { 1.05, 1.05, 1.05 }, 0, true },
	{ "scale 1.2", STRAIGHT, { 1.2, 1.2, 1.2 }, 0, true },
	{ "scale of z 1.1", STRAIGHT, { 1, 1, 1.1 }, 0, true },
	{ "scale of x .7", STRAIGHT, { 0.7, 1, 1 }, 0, true },
	{ "10 ms late", STRAIGHT, { 1, 1, 1 }, 0.01, true },
	{ "20 ms late", STRAIGHT, { 1, 1, 1 }, 0.02, true },
	{ "40 ms late", STRAIGHT, { 1, 1, 1 }, 0.04, true },
};

enum { TURNS = 60 };
struct motion {
	enum gyro_motion kind;
	double start[TURNS + 1], takes[TURNS], to[TURNS + 1][3]; /* s, s, degrees */
};

static double random_of(uint64_t *state, double low, double high)
{
	double u = 0.5 * (1 + erf(judge_random_normal(state) / sqrt(2)));
	return low + u * (high - low);
}

static void make_motion(struct motion *m, enum gyro_motion kind, uint64_t seed)
{
	static const double reach[3] = { 60, 25, 15 };
	uint64_t random = seed;
	memset(m, 0, sizeof *m);
	m->kind = kind;
	for (int i = 0; i < TURNS; i++) {
		m->takes[i] = random_of(&random, 0.3, 1.2);
		m->start[i + 1] = m->start[i] + m->takes[i] + random_of(&random, 0, 0.4);
		for (int k = 0; k < 3; k++)
			m->to[i + 1][k] = random_of(&random, -reach[k], reach[k]);
	}
}

static struct quat pose_at(const struct motion *m, double t)
{
	double ypr[3] = { 30 * sin(1.3 * t), 15 * sin(1.7 * t), 10 * sin(0.9 * t) }, q[4];
	if (m->kind == GYRO_TURNS) {
		int i = 0;
		while (i + 1 < TURNS && m->start[i + 1] <= t)
			i++;
		double u = quat_clamp((t - m->start[i]) / m->takes[i], 0, 1);
		u = u * u * u * (10 + u * (-15 + 6 * u));
		for (int k = 0; k < 3; k++)
			ypr[k] = m->to[i][k] + u * (m->to[i + 1][k] - m->to[i][k]);
	}
	hp_frame_quat_from_ypr(ypr, q);
	return (struct quat){ q[0], q[1], q[2], q[3] };
}

static void read_gyro(const struct motion *m, const struct gyro_fault *fault, double t, uint64_t *random, double out[3])
{
	static const double h = 1e-4;
	t -= fault->late;
	struct vec w =
	    vec_scale(rotation_between(pose_at(m, t < h ? 0 : t - h), pose_at(m, t < h ? 2 * h : t + h)), 0.5 / h);
	const double all[3] = { w.x, w.y, w.z };
	for (int i = 0; i < 3; i++)
		out[i] = fault->gain[i] * all[fault->from[i]] + 0.1 * RADIANS * judge_random_normal(random);
}

static void play(struct judge_chain *c, const struct motion *m, const struct gyro_fault *fault, uint64_t seed)
{
	struct judge_tracker tracker = { .rate = rate, .noise = 0.1, .seed = seed };
	struct judge_noise noise = { .started = false };
	struct hp_event connected = { .struct_size = sizeof connected, .type = HP_CONNECTED };
	judge_chain_event(c, &connected);
	for (int i = 0; i < (int)(length * rate); i++) {
		struct hp_sample s = HP_SAMPLE_INIT;
		struct quat q = pose_at(m, i / rate);
		s.time_ns = s.arrival_ns = (int64_t)rint(i / rate * 1e9);
		quat_store(q, s.quat);
		judge_noise_pose(&noise, &tracker, 1 / rate, &s);
		if (fault) {
			read_gyro(m, fault, i / rate, &noise.random, s.gyro);
			s.flags |= HP_GYRO;
		}
		judge_chain_sample(c, &s);
	}
}

double gyro_rms(struct judge_chain *c, enum gyro_motion kind, const struct gyro_fault *fault, int seeds)
{
	struct motion m;
	double ss = 0;
	size_t n = 0;
	for (int k = 1; k <= seeds; k++) {
		if (judge_chain_begin(c) < 0)
			return NAN;
		make_motion(&m, kind, (uint64_t)k * 1000);
		play(c, &m, fault, (uint64_t)k);
		const struct judge_poses *p = judge_chain_poses(c);
		for (size_t i = 0; i < p->n; i++, n++) {
			struct vec e =
			    rotation_between(pose_at(&m, (double)p->at[i].time_ns / 1e9), quat_load(p->at[i].quat));
			ss += vec_dot(e, e);
		}
	}
	return sqrt(ss / (double)n) * QUAT_DEGREES;
}
