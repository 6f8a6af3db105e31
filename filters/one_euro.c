/* SPDX-License-Identifier: MIT
 * one_euro.c - the filter `one_euro`: a low-pass that opens with speed (Casiez, Roussel, Vogel: 1 Euro Filter, CHI
 * 2012, doi 10.1145/2207676.2208639). Rotations are filtered as the turn from the last output to the newest pose, so
 * angles neither wrap nor lock. The speed is taken from the last output, as in the authors' code since 2023. */
#include "headpipe.h"
#include "pose/pose.h"
#include "pose/rotation.h"
#include <errno.h>

static const double longest_step = 0.5; /* s; a longer silence is a new beginning */

struct one_euro {
	/* options: Hz, 1, Hz */
	double mincutoff, beta, dcutoff, pos_mincutoff, pos_beta;
	/* state */
	bool started;
	int64_t last_ns;
	struct quat q;
	struct vec pos;
	struct vec rate, pos_rate; /* smoothed: deg/s, cm/s */
};
static const struct hp_option options[] = {
	HP_OPT_REAL(struct one_euro, mincutoff, "0.5", 0.001, 1000, "cutoff at rest: less is stiller and slower",
	            HP_LIVE, "Hz", 0.01, 10),
	HP_OPT_REAL(struct one_euro, beta, "0.3", 0, 1000, "Hz by which that rises per degree per second", HP_LIVE,
	            NULL, 0, 1),
	HP_OPT_REAL(struct one_euro, dcutoff, "1", 0.001, 1000, "cutoff of the speed itself", HP_LIVE, "Hz", 0.1, 10),
	HP_OPT_REAL(struct one_euro, pos_mincutoff, "1", 0.001, 1000, "as mincutoff, for the position", HP_LIVE, "Hz",
	            0.01, 10),
	HP_OPT_REAL(struct one_euro, pos_beta, "0.3", 0, 1000, "as beta, for the position: Hz per cm per second",
	            HP_LIVE, NULL, 0, 1),
	HP_OPT_END,
};

/* Share of the newest value in a low-pass with this cutoff in Hz. */
static double share(double cutoff, double dt)
{
	double time_constant = 1 / (2 * QUAT_PI * cutoff);
	return 1 / (1 + time_constant / dt);
}

/* Share of the way e (in units) that is gone; rate is the smoothed speed so far. */
static double step(struct vec *rate, struct vec e, double mincutoff, double beta, double dcutoff, double dt)
{
	*rate = vec_mad(*rate, share(dcutoff, dt), vec_sub(vec_scale(e, 1 / dt), *rate));
	return share(mincutoff + beta * vec_length(*rate), dt);
}

static int filter(void *self, struct hp_sample *s)
{
	struct one_euro *f = self;
	if (!hp_sample_finite(s))
		return -EDOM;
	struct quat q = rotation_of(s);
	struct vec pos = rotation_pos(s, f->pos);
	double dt = (double)(int64_t)((uint64_t)s->time_ns - (uint64_t)f->last_ns) / 1e9;
	f->last_ns = s->time_ns;
	if (!f->started || (s->flags & HP_JUMP) || !(dt >= 0) || dt > longest_step) {
		f->q = q;
		f->pos = pos;
		f->rate = f->pos_rate = (struct vec){ 0, 0, 0 };
		f->started = true;
	} else if (dt > 0) {
		struct vec e = rotation_between(f->q, q), e_pos = vec_sub(pos, f->pos);
		double a = step(&f->rate, vec_scale(e, QUAT_DEGREES), f->mincutoff, f->beta, f->dcutoff, dt);
		f->q = rotation_turn(f->q, vec_scale(e, a));
		a = step(&f->pos_rate, e_pos, f->pos_mincutoff, f->pos_beta, f->dcutoff, dt);
		f->pos = vec_mad(f->pos, a, e_pos);
	}
	rotation_set(s, f->q);
	if (s->flags & HP_POS)
		rotation_set_vec(s->pos, f->pos);
	return HP_KEEP;
}

static int reset(void *self)
{
	struct one_euro *f = self;
	f->started = false;
	return 0;
}

static void event(void *self, const struct hp_event *e)
{
	if (e->type == HP_CONNECTED || e->type == HP_RECENTER)
		reset(self);
}

HP_MODULE(one_euro) = {
	HP_MODULE_HEAD,     .kind = HP_FILTER,
	.name = "one_euro", .summary = "the 1 Euro filter: a low-pass that opens with speed",
	.options = options, .state_size = sizeof(struct one_euro),
	.filter = filter,   .reset = reset,
	.event = event,
};
