/* SPDX-License-Identifier: MIT
 * score.c - the figures of score.h. A turn is looked at along its own axis, in degrees: what is there of the other axes
 * is the noise, which `still` tells. */
#include "score.h"
#include "base/alloc.h"
#include "pose/pose.h"
#include "pose/quat.h"
#include <errno.h>
#include <math.h>

struct sum {
	double s, ss;
	int n;
};

static void sum_add(struct sum *s, double v)
{
	s->s += v;
	s->ss += v * v;
	s->n++;
}

static struct judge_figure figure(const struct sum *s)
{
	struct judge_figure f = { 0, 0 };
	if (s->n)
		f.mean = s->s / s->n;
	if (s->n > 1)
		f.spread = sqrt(fmax(0, s->ss / s->n - f.mean * f.mean) / (s->n - 1));
	return f;
}

/* What came out, as an angle: time since the start of the motion in s, angle along its axis and across, degrees. */
struct turn {
	double *time, *angle, *other[2];
	size_t n, room;
};

static void turn_free(struct turn *t)
{
	free(t->time);
	free(t->angle);
	free(t->other[0]);
	free(t->other[1]);
}

static void turn_add(struct turn *t, double time, double angle, double a, double b)
{
	if (t->n == t->room) {
		t->room = t->room ? 2 * t->room : 1024;
		t->time = hp_need(realloc(t->time, t->room * sizeof *t->time));
		t->angle = hp_need(realloc(t->angle, t->room * sizeof *t->angle));
		t->other[0] = hp_need(realloc(t->other[0], t->room * sizeof *t->angle));
		t->other[1] = hp_need(realloc(t->other[1], t->room * sizeof *t->angle));
	}
	t->time[t->n] = time;
	t->angle[t->n] = angle;
	t->other[0][t->n] = a;
	t->other[1][t->n++] = b;
}

static void add_pose(struct turn *t, enum judge_motion m, double time, const double quat[4])
{
	double from[4], d[4], v[3];
	judge_motion_pose(m, JUDGE_START, from);
	for (int i = 1; i < 4; i++)
		from[i] = -from[i];
	hp_quat_multiply(from, quat, d);
	hp_quat_to_rotvec(d, v);
	const double *axis = judge_motion_axis;
	double along = m == JUDGE_NOD ? v[1] : v[0] * axis[0] + v[1] * axis[1] + v[2] * axis[2];
	double b = m == JUDGE_NOD ? v[2] : v[1] * axis[2] - v[2] * axis[1];
	turn_add(t, time - JUDGE_START, along * QUAT_DEGREES, v[0] * QUAT_DEGREES, b * QUAT_DEGREES);
}

bool judge_play(struct judge_chain *c, enum judge_motion m, const struct judge_tracker *tracker)
{
	struct judge_noise noise = { .started = false };
	struct hp_event connected = { .struct_size = sizeof connected, .type = HP_CONNECTED };
	struct hp_sample s;
	uint64_t n = (uint64_t)((JUDGE_START + judge_motion_length(m) + 0.5) * tracker->rate);
	if (judge_chain_begin(c) < 0)
		return false;
	judge_chain_event(c, &connected);
	for (uint64_t i = 0; i < n; i++) {
		judge_motion_sample(m, tracker, &noise, i, &s);
		judge_chain_sample(c, &s);
	}
	return true;
}

/* What is seen between two times after the start of the motion. */
static bool look(struct judge_chain *c, enum judge_motion m, const struct judge_task *task, double from, double to,
                 struct turn *out)
{
	out->n = 0;
	if (!judge_play(c, m, &task->tracker))
		return false;
	const struct judge_poses *p = judge_chain_poses(c);
	if (task->grid <= 0) {
		for (size_t i = 0; i < p->n; i++) {
			double t = (double)p->at[i].time_ns / 1e9 - JUDGE_START;
			if (t >= from && t <= to)
				add_pose(out, m, t + JUDGE_START, p->at[i].quat);
		}
		return true;
	}
	size_t at = 0;
	for (double t = from; t <= to; t += 1 / task->grid) {
		int64_t ns = (int64_t)((t + JUDGE_START) * 1e9);
		while (at + 1 < p->n && p->at[at + 1].time_ns <= ns)
			at++;
		if (p->n)
			add_pose(out, m, t + JUDGE_START, p->at[at].quat);
	}
	return true;
}

static double rms_about_mean(const double *v, size_t n)
{
	double s = 0, ss = 0;
	for (size_t i = 0; i < n; i++)
		s += v[i];
	for (size_t i = 0; i < n; i++)
		ss += (v[i] - s / (double)n) * (v[i] - s / (double)n);
	return n ? sqrt(ss / (double)n) : 0;
}

static double rms_error(const struct turn *t, enum judge_motion m, double shift)
{
	double ss = 0;
	for (size_t i = 0; i < t->n; i++) {
		double e = t->angle[i] - judge_motion_angle(m, t->time[i] + JUDGE_START - shift);
		ss += e * e;
	}
	return t->n ? sqrt(ss / (double)t->n) : 0;
}

/* The shift in s that fits best, between -.15 and +.35. */
static double best_shift(const struct turn *t, enum judge_motion m)
{
	double best = 0, least = 1e9, step = 0.01;
	for (double s = -0.15; s <= 0.35; s += step)
		if (rms_error(t, m, s) < least) {
			least = rms_error(t, m, s);
			best = s;
		}
	for (step = 0.005; step > 1e-5; step /= 2)
		for (int side = -1; side <= 1; side += 2)
			if (rms_error(t, m, best + side * step) < least) {
				best += side * step;
				least = rms_error(t, m, best);
			}
	return best;
}

static double mean_error(const struct turn *t, enum judge_motion m)
{
	double s = 0;
	for (size_t i = 0; i < t->n; i++)
		s += judge_motion_angle(m, t->time[i] + JUDGE_START) - t->angle[i];
	return t->n ? s / (double)t->n : 0;
}

static double speed_ripple(const struct turn *t, double speed)
{
	double ss = 0;
	size_t n = 0;
	for (size_t i = 1; i < t->n; i++) {
		double dt = t->time[i] - t->time[i - 1];
		if (dt <= 0)
			continue;
		double e = (t->angle[i] - t->angle[i - 1]) / dt - speed;
		ss += e * e;
		n++;
	}
	return n ? sqrt(ss / (double)n) : 0;
}

static double still_of(const struct turn *t)
{
	double a = rms_about_mean(t->angle, t->n), b = rms_about_mean(t->other[0], t->n),
	       c = rms_about_mean(t->other[1], t->n);
	return sqrt((a * a + b * b + c * c) / 3);
}

int judge_stillness(struct judge_chain *c, const struct judge_task *given, struct judge_figure *out)
{
	struct judge_task task = *given;
	struct turn t = { 0 };
	struct sum still = { 0 };
	int r = 0;
	for (int i = 0; i < task.repeats && !r; i++) {
		task.tracker.seed = given->tracker.seed + (uint64_t)i;
		if (!look(c, JUDGE_STILL, &task, 0, judge_motion_length(JUDGE_STILL), &t))
			r = -EINVAL;
		sum_add(&still, still_of(&t));
	}
	turn_free(&t);
	*out = figure(&still);
	return r;
}

enum { BINS = 250 };
/* Errors by time over all repeats, so that noise averages out. */
static double worst_of_mean(const double *sum, const int *n)
{
	double worst = 0;
	for (int i = 0; i < BINS; i++)
		if (n[i] && fabs(sum[i] / n[i]) > worst)
			worst = fabs(sum[i] / n[i]);
	return worst;
}

int judge_score(struct judge_chain *c, const struct judge_task *given, struct judge_score *out)
{
	struct judge_task task = *given;
	struct turn t = { 0 };
	struct sum walk = { 0 }, fast = { 0 }, lag = { 0 }, rest = { 0 }, error = { 0 }, over = { 0 }, glance = { 0 },
	           nod = { 0 }, ripple = { 0 }, slow = { 0 };
	double slow_sum[BINS] = { 0 };
	int slow_n[BINS] = { 0 };
	if (judge_stillness(c, given, &out->still) < 0)
		return -EINVAL;
	for (int i = 0; i < task.repeats; i++) {
		task.tracker.seed = given->tracker.seed + 1000 + (uint64_t)i;
		look(c, JUDGE_WALK, &task, 1, judge_motion_length(JUDGE_WALK), &t);
		sum_add(&walk, mean_error(&t, JUDGE_WALK) / 10 * 1e3);
		look(c, JUDGE_TURN, &task, 1, judge_motion_length(JUDGE_TURN), &t);
		sum_add(&fast, mean_error(&t, JUDGE_TURN) / 60 * 1e3);
		sum_add(&ripple, speed_ripple(&t, 60));
		look(c, JUDGE_SLOW, &task, 0, judge_motion_length(JUDGE_SLOW), &t);
		for (size_t k = 0; k < t.n; k++) {
			int bin = (int)(t.time[k] * BINS / judge_motion_length(JUDGE_SLOW));
			if (bin < 0 || bin >= BINS)
				continue;
			slow_sum[bin] += t.angle[k] - judge_motion_angle(JUDGE_SLOW, t.time[k] + JUDGE_START);
			slow_n[bin]++;
		}
		look(c, JUDGE_PAN, &task, -0.1, 1.2, &t);
		double shift = best_shift(&t, JUDGE_PAN), top = 0;
		for (size_t k = 0; k < t.n; k++)
			top = fmax(top, t.angle[k] - 60);
		sum_add(&lag, shift * 1e3);
		sum_add(&rest, rms_error(&t, JUDGE_PAN, shift));
		sum_add(&error, rms_error(&t, JUDGE_PAN, 0));
		sum_add(&over, top);
		look(c, JUDGE_GLANCE, &task, -0.1, 0.8, &t);
		sum_add(&glance, rms_error(&t, JUDGE_GLANCE, 0));
		look(c, JUDGE_NOD, &task, 0, judge_motion_length(JUDGE_NOD), &t);
		sum_add(&nod, rms_error(&t, JUDGE_NOD, 0));
	}
	turn_free(&t);
	sum_add(&slow, worst_of_mean(slow_sum, slow_n));
	out->lag_walk = figure(&walk);
	out->lag_turn = figure(&fast);
	out->slow = figure(&slow);
	out->pan_lag = figure(&lag);
	out->pan_rest = figure(&rest);
	out->pan_error = figure(&error);
	out->overshoot = figure(&over);
	out->glance = figure(&glance);
	out->nod = figure(&nod);
	out->ripple = figure(&ripple);
	return 0;
}
