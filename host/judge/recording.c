/* SPDX-License-Identifier: MIT
 * recording.c - truth out of a recording, and the marks of recording.h. */
#include "recording.h"
#include "base/alloc.h"
#include "pose/pose.h"
#include "pose/rotation.h"

static const double step = 1.0 / JUDGE_LOOKS;
static const double smooth_least = 0.012;         /* s; deviation of the truth's bell of weights, at least ... */
static const double smooth_intervals = 1.2;       /* ... so many intervals of the input                        */
static const double warm_up = 1;                  /* s at the start that do not count: a centre is taken, ... */
static const double quiet = 2, quiet_span = 0.5;  /* deg/s, s: rest is slower than that for so long            */
static const double turn_speed = 20, ended = 0.2; /* deg/s of a turn; share of its top speed at its end        */
static const double after_turn = 0.25;            /* s in which an overshoot is looked for                     */

void judge_recording_add(struct judge_recording *r, const struct judge_item *item)
{
	if (r->n == r->room) {
		r->room = r->room ? 2 * r->room : 1024;
		r->at = hp_need(realloc(r->at, r->room * sizeof *r->at));
	}
	r->at[r->n++] = *item;
}

void judge_recording_free(struct judge_recording *r)
{
	free(r->at);
	memset(r, 0, sizeof *r);
}

void judge_run_free(struct judge_run *r)
{
	judge_poses_free(&r->out);
	judge_poses_free(&r->truth);
	free(r->log);
	memset(r, 0, sizeof *r);
}

const struct judge_pose *judge_pose_at(const struct judge_poses *p, int64_t time_ns, size_t *at)
{
	while (*at + 1 < p->n && p->at[*at + 1].time_ns <= time_ns)
		++*at;
	return p->n && p->at[*at].time_ns <= time_ns ? &p->at[*at] : NULL;
}

static struct quat load(const struct judge_pose *p)
{
	return (struct quat){ p->quat[0], p->quat[1], p->quat[2], p->quat[3] };
}

static double seconds(int64_t to, int64_t from)
{
	return (double)(int64_t)((uint64_t)to - (uint64_t)from) / 1e9;
}

/* ---- the truth ------------------------------------------------------------------------------------------------------
 */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double usual_interval(const struct judge_poses *p)
{
	double *all = hp_need(malloc(p->n * sizeof *all));
	for (size_t i = 1; i < p->n; i++)
		all[i - 1] = seconds(p->at[i].time_ns, p->at[i - 1].time_ns);
	qsort(all, p->n - 1, sizeof *all, ascending);
	double usual = all[(p->n - 1) / 2];
	free(all);
	return usual;
}

/* A parabola through the turns about the time, weighted by a bell: its value there. Solved by Cramer's rule. */
static bool smooth(const struct judge_poses *p, size_t first, size_t end, int64_t time_ns, double width, double quat[4])
{
	double m[5] = { 0 };
	struct vec v[3] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
	size_t near = first, n = 0;
	for (size_t i = first; i < end; i++)
		if (fabs(seconds(p->at[i].time_ns, time_ns)) < fabs(seconds(p->at[near].time_ns, time_ns)))
			near = i;
	struct quat base = load(&p->at[near]);
	bool before = false, after = false;
	for (size_t i = first; i < end; i++, n++) {
		double t = seconds(p->at[i].time_ns, time_ns) / width, w = exp(-t * t / 2), power = w;
		struct vec turn = rotation_between(base, load(&p->at[i]));
		before |= t <= 0;
		after |= t >= 0;
		for (int k = 0; k < 5; k++, power *= t) {
			m[k] += power;
			if (k < 3)
				v[k] = vec_mad(v[k], power, turn);
		}
	}
	double d = m[0] * (m[2] * m[4] - m[3] * m[3]) - m[1] * (m[1] * m[4] - m[3] * m[2]) +
	           m[2] * (m[1] * m[3] - m[2] * m[2]);
	if (n < 4 || !before || !after || !(fabs(d) > 1e-9))
		return false;
	struct vec at = vec_scale(v[0], (m[2] * m[4] - m[3] * m[3]) / d);
	at = vec_mad(at, -(m[1] * m[4] - m[2] * m[3]) / d, v[1]);
	at = vec_mad(at, (m[1] * m[3] - m[2] * m[2]) / d, v[2]);
	struct quat q = rotation_turn(base, at);
	memcpy(quat, (const double[4]){ q.w, q.x, q.y, q.z }, 4 * sizeof *quat);
	return true;
}

static void make_truth(const struct judge_poses *measured, struct judge_poses *truth)
{
	double usual = usual_interval(measured), width = fmax(smooth_least, smooth_intervals * usual);
	int64_t reach = (int64_t)(3 * width * 1e9), last = measured->at[measured->n - 1].time_ns;
	size_t first = 0, end = 0;
	int64_t start = measured->at[0].time_ns;
	if (seconds(last, start) > 4 * warm_up)
		start += (int64_t)(warm_up * 1e9);
	for (int64_t t = start; t <= last; t += (int64_t)(step * 1e9)) {
		double quat[4];
		while (first < measured->n && measured->at[first].time_ns < t - reach)
			first++;
		while (end < measured->n && measured->at[end].time_ns <= t + reach)
			end++;
		if (end > first && smooth(measured, first, end, t, width, quat))
			judge_poses_add(truth, t, quat);
	}
}

/* ---- the marks
 * -------------------------------------------------------------------------------------------------------- */

/* Looks side by side: everything is asked for by the index of a look. */
struct looks {
	size_t n;
	struct vec *error; /* seen minus truth, degrees, in the truth's axes; valid where seen */
	struct vec *speed; /* of the truth, deg/s                                              */
	struct vec *ripple;
	bool *seen, *next; /* next: the look before is one step earlier                        */
};

static struct vec apart(struct quat a, struct quat b)
{
	return vec_scale(rotation_between(a, b), QUAT_DEGREES);
}

static double rms_shifted(const struct judge_run *r, double shift)
{
	double ss = 0;
	size_t n = 0, at = 0;
	for (size_t i = 0; i < r->truth.n; i++) {
		const struct judge_pose *p =
		    judge_pose_at(&r->out, r->truth.at[i].time_ns + (int64_t)(shift * 1e9), &at);
		if (!p)
			continue;
		struct vec e = apart(load(&r->truth.at[i]), load(p));
		ss += vec_dot(e, e);
		n++;
	}
	return n ? sqrt(ss / (double)n) : NAN;
}

static double best_shift(const struct judge_run *r)
{
	double best = 0, least = rms_shifted(r, 0);
	for (double s = -0.1; s <= 1; s += s < 0.15 ? 0.01 : 0.05)
		if (rms_shifted(r, s) < least) {
			least = rms_shifted(r, s);
			best = s;
		}
	for (double by = 0.008; by > 0.0002; by /= 2)
		for (int side = -1; side <= 1; side += 2)
			if (rms_shifted(r, best + side * by) < least) {
				best += side * by;
				least = rms_shifted(r, best);
			}
	return best;
}

static void look(const struct judge_run *r, struct looks *l)
{
	size_t n = l->n = r->truth.n, at = 0;
	struct quat before = { 1, 0, 0, 0 };
	l->error = hp_need(calloc(n, sizeof *l->error));
	l->speed = hp_need(calloc(n, sizeof *l->speed));
	l->ripple = hp_need(calloc(n, sizeof *l->ripple));
	l->seen = hp_need(calloc(n, sizeof *l->seen));
	l->next = hp_need(calloc(n, sizeof *l->next));
	for (size_t i = 0; i < n; i++) {
		const struct judge_pose *p = judge_pose_at(&r->out, r->truth.at[i].time_ns, &at);
		struct quat truth = load(&r->truth.at[i]);
		l->next[i] = i && seconds(r->truth.at[i].time_ns, r->truth.at[i - 1].time_ns) < 1.5 * step;
		if (l->next[i])
			l->speed[i] = vec_scale(apart(load(&r->truth.at[i - 1]), truth), 1 / step);
		if (!p)
			continue;
		l->seen[i] = true;
		l->error[i] = apart(truth, load(p));
		if (l->next[i] && l->seen[i - 1])
			l->ripple[i] = vec_sub(vec_scale(apart(before, load(p)), 1 / step), l->speed[i]);
		before = load(p);
	}
}

static void looks_free(struct looks *l)
{
	free(l->error);
	free(l->speed);
	free(l->ripple);
	free(l->seen);
	free(l->next);
}

/* The top speed of a span, deg/s; INFINITY where something is missing. */
static double top_speed(const struct looks *l, size_t from, size_t span)
{
	double top = 0;
	for (size_t k = from; k < from + span; k++) {
		if (!l->seen[k] || (k > from && !l->next[k]))
			return INFINITY;
		top = fmax(top, vec_length(l->speed[k]));
	}
	return top;
}

/* Mean square per axis of what is seen in a span against a straight line. From the first truth of the span on, of which
 * all is nearly one at rest; otherwise from the truth of each look. */
static double tremble(const struct judge_run *r, const struct looks *l, size_t from, size_t span, bool rests)
{
	struct vec s = { 0, 0, 0 }, st = { 0, 0, 0 };
	double tt = 0, ss = 0;
	struct quat base = load(&r->truth.at[from]);
	for (int turn = 0; turn < 2; turn++) {
		size_t at = 0;
		for (size_t k = from; k < from + span; k++) {
			double t = (double)(k - from) - (double)(span - 1) / 2;
			struct vec v = l->error[k];
			if (rests)
				v = apart(base, load(judge_pose_at(&r->out, r->truth.at[k].time_ns, &at)));
			if (turn) {
				v = vec_sub(vec_mad(v, -t / tt, st), vec_scale(s, 1 / (double)span));
				ss += vec_dot(v, v) / 3;
			} else {
				s = vec_add(s, v);
				st = vec_mad(st, t, v);
				tt += t * t;
			}
		}
	}
	return ss / (double)span;
}

/* In spans of rest; in a recording without any, in the quietest span. */
static void mark_still(const struct judge_run *r, const struct looks *l, struct judge_marks *m)
{
	size_t span = (size_t)(quiet_span / step), spans = 0, quietest = 0;
	double sum = 0, least = INFINITY;
	for (size_t i = 0; i + span <= l->n; i += span) {
		double top = top_speed(l, i, span);
		if (top < quiet) {
			sum += tremble(r, l, i, span, true);
			spans++;
		}
		if (top < least) {
			least = top;
			quietest = i;
		}
	}
	m->still_s = (double)spans * quiet_span;
	m->quietest = spans ? NAN : least;
	if (!spans && isfinite(least)) {
		sum = tremble(r, l, quietest, span, false);
		spans = 1;
	}
	m->still = spans ? sqrt(sum / (double)spans) : NAN;
}

static void mark_turns(const struct looks *l, struct judge_marks *m)
{
	double sum = 0, top = 0;
	struct vec way = { 0, 0, 0 };
	for (size_t i = 0; i < l->n; i++) {
		double speed = vec_length(l->speed[i]);
		if (!l->next[i])
			top = 0;
		if (speed > turn_speed && speed > top) {
			top = speed;
			way = vec_scale(l->speed[i], 1 / speed);
		}
		if (top == 0 || speed > ended * top)
			continue;
		double beyond = 0;
		for (size_t k = i; k < l->n && k < i + (size_t)(after_turn / step) && (k == i || l->next[k]); k++)
			if (l->seen[k])
				beyond = fmax(beyond, vec_dot(l->error[k], way));
		sum += beyond;
		m->turns++;
		top = 0;
	}
	m->overshoot = m->turns ? sum / m->turns : NAN;
}

static void mark(struct judge_run *r)
{
	struct looks l;
	struct judge_marks *m = &r->marks;
	double ss = 0;
	size_t n = 0;
	look(r, &l);
	for (size_t i = 0; i < l.n; i++)
		if (l.next[i] && l.seen[i] && l.seen[i - 1]) {
			ss += vec_dot(l.ripple[i], l.ripple[i]);
			n++;
		}
	m->ripple = n ? sqrt(ss / (double)n) : NAN;
	m->error = rms_shifted(r, 0);
	double shift = best_shift(r);
	m->lag = shift * 1e3;
	m->rest = rms_shifted(r, shift);
	mark_still(r, &l, m);
	mark_turns(&l, m);
	looks_free(&l);
}

static int play(struct judge_chain *c, const struct judge_recording *rec)
{
	if (judge_chain_begin(c) < 0)
		return -1;
	for (size_t i = 0; i < rec->n; i++)
		if (rec->at[i].event.type)
			judge_chain_event(c, &rec->at[i].event);
		else
			judge_chain_sample(c, &rec->at[i].sample);
	return 0;
}

static void keep(const struct judge_chain *c, struct judge_poses *out)
{
	const struct judge_poses *p = judge_chain_poses(c);
	for (size_t i = 0; i < p->n; i++)
		judge_poses_add(out, p->at[i].time_ns, p->at[i].quat);
}

int judge_recording_run(const struct judge_recording *rec, const char *ini, size_t size, const char *name,
                        struct judge_run *run, struct hp_errors *errors, char *why, size_t why_size)
{
	memset(run, 0, sizeof *run);
	snprintf(run->name, sizeof run->name, "%s", name);
	struct judge_chain *c = judge_chain_new(ini, size, name, errors),
	                   *plain = c ? judge_chain_new(ini, size, name, errors) : NULL;
	struct judge_poses measured = { 0 };
	int rc = -1;
	*why = 0;
	if (plain) {
		judge_chain_plain(plain);
		rc = play(c, rec) < 0 || play(plain, rec) < 0 ? -1 : 0;
		if (rc < 0)
			snprintf(why, why_size, "a filter cannot be opened: %.200s", judge_chain_log(c));
	}
	if (rc == 0) {
		run->log = hp_text(judge_chain_log(c), strlen(judge_chain_log(c)));
		keep(c, &run->out);
		keep(plain, &measured);
		if (measured.n > 10)
			make_truth(&measured, &run->truth);
		if (run->truth.n < JUDGE_LOOKS || !run->out.n) {
			snprintf(why, why_size, "less than a second of poses comes out");
			rc = -1;
		} else {
			mark(run);
		}
	}
	judge_poses_free(&measured);
	judge_chain_free(c);
	judge_chain_free(plain);
	return rc;
}
