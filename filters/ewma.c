/* SPDX-License-Identifier: MIT
 * ewma.c - the filter `ewma`: what opentrack calls EWMA. A low-pass whose time constant shrinks the further the newest
 * pose is from the smoothed one, measured in deviations of the noise, which the filter learns by itself. Rotations are
 * taken as one angle about one axis, so nothing wraps and no angle is special. */
#include "headpipe.h"
#include "pose/pose.h"
#include "pose/rotation.h"
#include <errno.h>
#include <stdio.h>

static const double slow_noise = 60;    /* s over which the noise is learned, once that long has passed */
static const double quick = 1.0 / 60;   /* s; the distance itself is smoothed by this                   */
static const double deviations = 3;     /* so many of the noise's are all motion                        */
static const double longest_step = 0.5; /* s; a longer silence is a new beginning                       */

struct ewma {
	/* options: seconds, seconds, exponent */
	int64_t least, most;
	double curve;
	/* state */
	bool started;
	int64_t last_ns;
	double age; /* s since the start: noise is learned faster while little is known */
	struct quat q;
	struct vec pos;
	struct vec off, off_pos; /* smoothed distances: rad, cm */
	double noise, noise_pos; /* their mean squares          */
};
static const struct hp_option options[] = {
	HP_OPT_NS_AS(struct ewma, least, "min", "20ms", 0.001, 10, "time constant in fast motion", HP_LIVE),
	HP_OPT_NS_AS(struct ewma, most, "max", "700ms", 0.001, 60,
	             "time constant at rest: longer is stiller and slower", HP_LIVE),
	HP_OPT_REAL(struct ewma, curve, "0.8", 0.05, 5, "how early motion counts: larger gives way later", HP_LIVE,
	            NULL, 0.1, 5),
	HP_OPT_END,
};

static int check(const void *self, const char **key, char *why, size_t size)
{
	const struct ewma *f = self;
	if (f->most >= f->least)
		return 0;
	*key = "max";
	snprintf(why, size, "must not be shorter than min");
	return -EINVAL;
}

static double share(double time_constant, double dt)
{
	return dt / (dt + time_constant);
}

/* How much of the way to go, by the smoothed distance. */
static double step(const struct ewma *f, struct vec *off, double *noise, struct vec e, double dt)
{
	*off = vec_mad(*off, share(quick, dt), vec_sub(e, *off));
	double square = vec_dot(*off, *off), learn = f->age < slow_noise ? f->age : slow_noise;
	*noise += (square - *noise) * share(learn, dt);
	double moved = *noise > 0 ? square / (deviations * deviations * *noise) : 0;
	double still = moved < 1 ? 1 - pow(moved, f->curve) : 0;
	double least = (double)f->least / 1e9, most = (double)f->most / 1e9;
	return share(least + still * (most - least), dt);
}

static void begin(struct ewma *f, struct quat q, struct vec pos)
{
	f->q = q;
	f->pos = pos;
	f->off = f->off_pos = (struct vec){ 0, 0, 0 };
	if (!f->started)
		f->noise = f->noise_pos = f->age = 0;
	f->started = true;
}

static int filter(void *self, struct hp_sample *s)
{
	struct ewma *f = self;
	if (!hp_sample_finite(s))
		return -EDOM;
	struct quat q = rotation_of(s);
	struct vec pos = rotation_pos(s, f->pos);
	double dt = (double)(int64_t)((uint64_t)s->time_ns - (uint64_t)f->last_ns) / 1e9;
	f->last_ns = s->time_ns;
	if (!f->started || (s->flags & HP_JUMP) || !(dt >= 0) || dt > longest_step) {
		begin(f, q, pos);
	} else if (dt > 0) {
		f->age += dt;
		struct vec e = rotation_between(f->q, q), e_pos = vec_sub(pos, f->pos);
		f->q = rotation_turn(f->q, vec_scale(e, step(f, &f->off, &f->noise, e, dt)));
		f->pos = vec_mad(f->pos, step(f, &f->off_pos, &f->noise_pos, e_pos, dt), e_pos);
	}
	rotation_set(s, f->q);
	if (s->flags & HP_POS)
		rotation_set_vec(s->pos, f->pos);
	return HP_KEEP;
}

static int reset(void *self)
{
	struct ewma *f = self;
	f->started = false;
	return 0;
}

static void event(void *self, const struct hp_event *e)
{
	if (e->type == HP_CONNECTED || e->type == HP_RECENTER)
		reset(self);
}

HP_MODULE(ewma) = {
	HP_MODULE_HEAD,     .kind = HP_FILTER,
	.name = "ewma",     .summary = "opentrack's EWMA: smooth at rest, quick in motion, learns the noise",
	.options = options, .state_size = sizeof(struct ewma),
	.filter = filter,   .check = check,
	.reset = reset,     .event = event,
};
