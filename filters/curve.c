/* SPDX-License-Identifier: MIT
 * curve.c - how far the view turns for how far the head turns: a curve per axis, through points as opentrack's profiles
 * have them.
 *
 * The angles are followed through 180 and over the top (pose/angles.h) before a curve sees them. Each axis: dead zone,
 * curve (beyond its last point it stays level), limit. The negative side mirrors the positive one unless it has points
 * of its own. An axis without points, dead zone and limit passes; when no angle has any, so does the pose, bit for
 * bit. */
#include "pose/curve.h"
#include "headpipe.h"
#include "pose/angles.h"
#include "pose/basis.h"
#include "pose/pose.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { AXES = 6, BEHIND = 225 };
static const char *const names[AXES] = { "yaw", "pitch", "roll", "x", "y", "z" };
static const double most_in[AXES] = { 180, 180, 180, 1000, 1000, 1000 };
static const double most_out[AXES] = { 180, 90, 180, 1000, 1000, 1000 };

struct axis {
	struct hp_curve side[2]; /* for positive and negative angles */
	double dead, limit;
	bool used;
};
struct curve {
	const char *points[AXES], *negative[AXES];
	double dead[AXES], limit[AXES];

	const struct hp_host *host;
	struct axis axis[AXES];
	double turn[3];
	bool angles, position;
	struct hp_angles followed;
};

#define DEAD_DOC     "so far from the middle nothing moves; the curve begins there"
#define LIMIT_DOC    "the view goes no further"
#define NEGATIVE_DOC "points of the negative side, without signs; `same`: those of the positive side"
#define ANGLE(i, name, side, most)                                                                                     \
	HP_OPT_STR_AS(struct curve, points[i], name, "none",                                                           \
	              "points in:out, degrees, such as 20:10 60:90; 0:0 is one, behind the last it stays level; none", \
	              HP_LIVE),                                                                                        \
	    HP_OPT_STR_AS(struct curve, negative[i], name "_negative", "same", NEGATIVE_DOC " (" side ")", HP_LIVE),   \
	    HP_OPT_REAL_AS(struct curve, dead[i], name "_dead", "0", 0, 80, DEAD_DOC, HP_LIVE, "deg", 0, 20),          \
	    HP_OPT_REAL_AS(struct curve, limit[i], name "_limit", most, 0, 180, LIMIT_DOC, HP_LIVE, "deg")
#define SHIFT(i, name, side)                                                                                         \
	HP_OPT_STR_AS(struct curve, points[i], name, "none", "points in:out, cm", HP_LIVE),                          \
	    HP_OPT_STR_AS(struct curve, negative[i], name "_negative", "same", NEGATIVE_DOC " (" side ")", HP_LIVE), \
	    HP_OPT_REAL_AS(struct curve, dead[i], name "_dead", "0", 0, 900, DEAD_DOC, HP_LIVE, "cm", 0, 30),        \
	    HP_OPT_REAL_AS(struct curve, limit[i], name "_limit", "1000", 0, 1000, LIMIT_DOC, HP_LIVE, "cm")
static const struct hp_option options[] = {
	ANGLE(0, "yaw", "right", "180"),
	ANGLE(1, "pitch", "up", "90"),
	ANGLE(2, "roll", "left", "180"),
	SHIFT(3, "x", "back"),
	SHIFT(4, "y", "right"),
	SHIFT(5, "z", "down"),
	HP_OPT_END,
};

/* ---- reading --------------------------------------------------------------------------------------------------- */

static int read_axis(const struct curve *c, int i, struct axis *a, const char **key, char *why, size_t size)
{
	static const char *const negative_keys[AXES] = { "yaw_negative", "pitch_negative", "roll_negative",
		                                         "x_negative",   "y_negative",     "z_negative" };
	*key = names[i];
	if (hp_curve_read(&a->side[0], c->points[i], most_in[i], most_out[i], why, size) < 0)
		return -EINVAL;
	*key = negative_keys[i];
	if (!strcmp(c->negative[i], "same"))
		a->side[1] = a->side[0];
	else if (hp_curve_read(&a->side[1], c->negative[i], most_in[i], most_out[i], why, size) < 0)
		return -EINVAL;
	a->dead = c->dead[i];
	a->limit = c->limit[i];
	a->used = a->side[0].n || a->side[1].n || a->dead > 0 || a->limit < most_out[i];
	for (int k = 0; k < 2; k++)
		if (a->side[k].n && a->dead >= a->side[k].x[a->side[k].n - 1]) {
			*key = names[i];
			snprintf(why, size, "ends before its dead zone of %g does", a->dead);
			return -EINVAL;
		}
	return 0;
}

/* The angle on one side from which the view looks straight behind; 0 when it never does. */
static double reaches_behind(const struct axis *a, int side)
{
	const struct hp_curve *c = &a->side[side];
	if (a->limit < 180)
		return 0;
	if (!c->n)
		return 180;
	for (int i = 1; i < c->n; i++)
		if (c->y[i] >= 180)
			return c->x[i];
	return 0;
}
static void find_turn(struct curve *c, int i)
{
	double behind[2] = { reaches_behind(&c->axis[i], 0), reaches_behind(&c->axis[i], 1) };
	c->turn[i] = behind[0] > 0 && behind[1] > 0 ? hp_angles_turn(fmax(behind[0], behind[1])) : BEHIND;
}
static void add(char *text, size_t size, const char *axis, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static void add(char *text, size_t size, const char *axis, const char *fmt, ...)
{
	va_list list;
	size_t n = strlen(text);
	snprintf(text + n, size - n, "%s%s: ", n ? "; " : "", axis);
	n = strlen(text);
	va_start(list, fmt);
	vsnprintf(text + n, size - n, fmt, list);
	va_end(list);
}
static double bend(const struct axis *a, double v, double end);
static void bend_all(const struct curve *c, double v[3])
{
	for (int i = 0; i < 3; i++)
		if (c->axis[i].used)
			v[i] = bend(&c->axis[i], v[i], i == 1 ? 90 : 180);
}
/* Degrees by which the view jumps where a head that goes over the top is taken for one upside down, down or up. */
static double jump_at_the_top(const struct curve *c)
{
	double most = 0;
	for (int side = -1; side <= 1; side += 2) {
		double over[3] = { 0, side * HP_ANGLES_OVER, 0 },
		       plain[3] = { 180, side * (180 - HP_ANGLES_OVER), 180 }, q[4], p[4], dot = 0;
		bend_all(c, over);
		bend_all(c, plain);
		hp_frame_quat_from_ypr(over, q);
		hp_frame_quat_from_ypr(plain, p);
		for (int i = 0; i < 4; i++)
			dot += q[i] * p[i];
		most = fmax(most, 2 * acos(fmin(fabs(dot), 1)) * (180 / 3.14159265358979323846));
	}
	return most;
}
/* Where a curve folds: two ways to hold the head and one view, or one way and two views. */
static void find_folds(const struct curve *c, char *text, size_t size)
{
	for (int i = 0; i < AXES; i++) {
		const struct axis *a = &c->axis[i];
		double from, to;
		for (int k = 0; k < 2; k++)
			if (a->side[k].n && hp_curve_falls(&a->side[k], &from, &to) &&
			    (k == 0 || strcmp(c->negative[i], "same"))) {
				add(text, size, names[i],
				    "the curve folds: from %g to %g on the %s side the view goes back while the head "
				    "goes on",
				    from, to, k ? "negative" : "positive");
			}
		if (i == 1 || i > 2 || !a->used || c->turn[i] != BEHIND)
			continue;
		add(text, size, names[i],
		    "the view does not reach straight behind, so it jumps to the other side when the head turns "
		    "beyond %d degrees",
		    BEHIND);
	}
	if (c->axis[1].used && jump_at_the_top(c) > 1)
		add(text, size, names[1],
		    "the view jumps by %.1f degrees when the head goes over the top as far as %d degrees",
		    jump_at_the_top(c), HP_ANGLES_OVER);
}
static int check(const void *self, const char **key, char *why, size_t size)
{
	struct curve c = *(const struct curve *)self;
	for (int i = 0; i < AXES; i++)
		if (read_axis(&c, i, &c.axis[i], key, why, size) < 0)
			return -EINVAL;
	find_turn(&c, 0);
	find_turn(&c, 2);
	find_folds(&c, why, size); /* allowed, and said */
	return 0;
}
static int prepare(struct curve *c)
{
	struct axis axis[AXES];
	for (int i = 0; i < AXES; i++) {
		const char *key;
		char why[200];
		if (read_axis(c, i, &axis[i], &key, why, sizeof why) < 0)
			return -EINVAL; /* only a host that did not ask check() gets here */
	}
	memcpy(c->axis, axis, sizeof axis);
	c->angles = axis[0].used || axis[1].used || axis[2].used;
	c->position = axis[3].used || axis[4].used || axis[5].used;
	find_turn(c, 0);
	find_turn(c, 2);
	c->followed.started = false;
	return 0;
}

/* ---- per sample ------------------------------------------------------------------------------------------------ */

static double bend(const struct axis *a, double v, double end)
{
	const struct hp_curve *c = &a->side[v < 0];
	double in = fabs(v), last = c->n ? c->x[c->n - 1] : end;
	if (in <= a->dead)
		return 0;
	if (a->dead > 0 && in < last) /* the last point stays where it is */
		in = (in - a->dead) * (last / (last - a->dead));
	double out = c->n ? hp_curve_at(c, in) : in;
	return copysign(fmin(out, a->limit), v);
}
static int filter(void *self, struct hp_sample *s)
{
	struct curve *c = self;
	if (c->position && s->flags & HP_POS)
		for (int i = 0; i < 3; i++)
			if (c->axis[3 + i].used)
				s->pos[i] = bend(&c->axis[3 + i], s->pos[i], 1000);
	if (!c->angles)
		return HP_KEEP;
	double v[3];
	if (s->flags & HP_JUMP)
		c->followed.started = false;
	if (!(s->flags & HP_YPR))
		hp_quat_to_ypr(s->quat, s->ypr);
	hp_angles_follow(&c->followed, s->quat, s->ypr, c->turn, v);
	bend_all(c, v);
	for (int i = 0; i < 3; i++)
		s->ypr[i] = hp_frame_wrap(v[i]);
	hp_frame_quat_from_ypr(s->ypr, s->quat);
	s->flags &= ~(uint32_t)(HP_ROTVEC | HP_YPR | HP_ANGVEL);
	if (fabs(s->ypr[1]) <= 90)
		s->flags |= HP_YPR;
	return HP_KEEP;
}

/* ---- the rest -------------------------------------------------------------------------------------------------- */

static int reset(void *self)
{
	struct curve *c = self;
	c->followed.started = false;
	return 0;
}
/* The pose jumps on purpose: turns that were counted before count no more. */
static int command(void *self, const char *verb)
{
	return strcmp(verb, "recenter") ? -ENOTSUP : reset(self);
}
static int open(void *self, const struct hp_host *host)
{
	struct curve *c = self;
	c->host = host;
	return prepare(c);
}
static int changed(void *self)
{
	struct curve *c = self;
	char text[800] = "";
	int r = prepare(c);
	if (r < 0)
		return r;
	find_folds(c, text, sizeof text);
	if (*text)
		c->host->log(c->host, HP_LOG_INFO, text);
	return 0;
}

HP_MODULE(curve) = {
	HP_MODULE_HEAD,     .kind = HP_FILTER,
	.name = "curve",    .summary = "how far the view turns for how far the head turns: a curve for each axis",
	.options = options, .state_size = sizeof(struct curve),
	.open = open,       .filter = filter,
	.changed = changed, .check = check,
	.reset = reset,     .command = command,
};
