/* SPDX-License-Identifier: MIT
 * heads.c - recorded head motion through filters; see heads.h. */
#include "heads.h"
#include "base/alloc.h"
#include "pose/pose.h"
#include "pose/quat.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const double grid = 250, settle = 1;  /* looks per second; s before the first look                      */
static const double late = 0.0005;           /* s: a look comes behind the pose that was made for its time     */
static const int64_t offset_ns = 1000000000; /* of the reports' clock                                          */

static bool read_row(const char *line, struct head_row *row, bool *has_gyro)
{
	double v[8];
	int n = 0;
	char *end;
	for (const char *p = line; n < 8; p = end) {
		v[n] = strtod(p, &end);
		if (end == p)
			break;
		n++;
	}
	if (n < 5)
		return false;
	row->time = v[0];
	memcpy(row->quat, v + 1, sizeof row->quat);
	hp_quat_normalize(row->quat);
	*has_gyro = n == 8;
	if (n == 8)
		memcpy(row->gyro, v + 5, sizeof row->gyro);
	return true;
}

int head_trace_read(struct head_trace *t, const char *path, char *why, size_t size)
{
	char line[1024];
	unsigned number = 1;
	memset(t, 0, sizeof *t);
	gzFile in = gzopen(path, "rb");
	if (!in || !gzgets(in, line, sizeof line)) {
		snprintf(why, size, "%s: cannot be read", path);
		if (in)
			gzclose(in);
		return -1;
	}
	while (gzgets(in, line, sizeof line)) {
		number++;
		hp_grow(&t->row, t->n, sizeof *t->row);
		if (!read_row(line, &t->row[t->n], &t->has_gyro) ||
		    (t->n && t->row[t->n].time <= t->row[t->n - 1].time)) {
			snprintf(why, size, "%s:%u: not a later time and a quaternion", path, number);
			gzclose(in);
			return -1;
		}
		t->n++;
	}
	gzclose(in);
	if (t->n < 2) {
		snprintf(why, size, "%s: fewer than two rows", path);
		return -1;
	}
	return 0;
}

void head_trace_free(struct head_trace *t)
{
	free(t->row);
	memset(t, 0, sizeof *t);
}

/* The last row not later than the time. */
static size_t row_at(const struct head_trace *t, double time)
{
	size_t lo = 0, hi = t->n - 1;
	while (lo < hi) {
		size_t mid = (lo + hi + 1) / 2;
		if (t->row[mid].time <= time)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}

void head_trace_pose(const struct head_trace *t, double time, double quat[4])
{
	size_t i = row_at(t, time);
	if (i + 1 == t->n) {
		memcpy(quat, t->row[i].quat, sizeof t->row[i].quat);
		return;
	}
	const struct head_row *a = &t->row[i], *b = a + 1;
	hp_quat_slerp(a->quat, b->quat, (time - a->time) / (b->time - a->time), quat);
}

static double degrees_apart(const double a[4], const double b[4])
{
	const double back[4] = { a[0], -a[1], -a[2], -a[3] };
	double d[4], v[3];
	hp_quat_multiply(back, b, d);
	hp_quat_to_rotvec(d, v);
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * QUAT_DEGREES;
}

/* Report number i: the rows as they are, or the pose and reading at even times between them. */
static bool report(const struct head_trace *t, const struct judge_tracker *tracker, size_t i, struct head_row *out)
{
	if (tracker->rate <= 0) {
		if (i < t->n)
			*out = t->row[i];
		return i < t->n;
	}
	out->time = (double)i / tracker->rate;
	if (out->time > t->row[t->n - 1].time)
		return false;
	size_t at = row_at(t, out->time);
	const struct head_row *a = &t->row[at], *b = at + 1 < t->n ? a + 1 : a;
	double u = b > a ? (out->time - a->time) / (b->time - a->time) : 0;
	head_trace_pose(t, out->time, out->quat);
	for (int k = 0; k < 3; k++)
		out->gyro[k] = a->gyro[k] + u * (b->gyro[k] - a->gyro[k]);
	return true;
}

static void play(struct judge_chain *c, const struct head_trace *t, const struct judge_tracker *tracker)
{
	struct judge_noise noise = { .started = false };
	struct hp_event connected = { .struct_size = sizeof connected, .type = HP_CONNECTED };
	struct head_row row;
	double last = 0;
	judge_chain_event(c, &connected);
	for (size_t i = 0; report(t, tracker, i, &row); i++) {
		struct hp_sample s = HP_SAMPLE_INIT;
		s.time_ns = s.arrival_ns = (int64_t)rint((row.time + tracker->latency) * 1e9) + offset_ns;
		memcpy(s.quat, row.quat, sizeof s.quat);
		if (t->has_gyro && tracker->gyro != JUDGE_GYRO_NONE) {
			memcpy(s.gyro, row.gyro, sizeof s.gyro);
			s.flags |= HP_GYRO;
		}
		judge_noise_pose(&noise, tracker, row.time - last, &s);
		last = row.time;
		judge_chain_sample(c, &s);
	}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

int head_score(struct judge_chain *c, const struct head_trace *t, const struct judge_tracker *tracker,
               struct head_score *out)
{
	if (judge_chain_begin(c) < 0)
		return -1;
	play(c, t, tracker);
	const struct judge_poses *p = judge_chain_poses(c);
	double end = t->row[t->n - 1].time, ss = 0;
	size_t n = 0, at = 0, room = (size_t)(end * grid) + 1;
	double *errors = hp_need(malloc(room * sizeof *errors));
	for (double time = settle; time < end - 0.1 && n < room && p->n; time += 1 / grid) {
		int64_t ns = (int64_t)((time + late) * 1e9) + offset_ns;
		double truth[4];
		while (at + 1 < p->n && p->at[at + 1].time_ns <= ns)
			at++;
		head_trace_pose(t, time + late, truth);
		errors[n] = degrees_apart(truth, p->at[at].quat);
		ss += errors[n] * errors[n];
		n++;
	}
	qsort(errors, n, sizeof *errors, ascending);
	out->rms = n ? sqrt(ss / (double)n) : 0;
	out->p99 = n ? errors[(size_t)((double)(n - 1) * 0.99)] : 0;
	free(errors);
	return n ? 0 : -1;
}

double head_worst(struct judge_chain *c, const struct head_trace *t)
{
	struct judge_tracker tracker = { .gyro = JUDGE_GYRO_GOOD };
	double worst = 0;
	if (judge_chain_begin(c) < 0)
		return 360;
	play(c, t, &tracker);
	const struct judge_poses *p = judge_chain_poses(c);
	for (size_t i = 0; i < p->n && i < t->n; i++)
		worst = fmax(worst, degrees_apart(t->row[i].quat, p->at[i].quat));
	return p->n == t->n ? worst : 360;
}
