/* SPDX-License-Identifier: MIT
 * accela.c - the filter `accela`: opentrack's, with its knobs and curves. The output moves towards the newest pose with
 * a speed that grows steeply with the distance, and stands still within a dead zone. Unlike the original it never goes
 * past the newest pose, however long a step is, and measures rotations as one angle. */
#include "headpipe.h"
#include "pose/pose.h"
#include "pose/rotation.h"
#include <errno.h>

static const double longest_step = 0.5; /* s; a longer silence is a new beginning */

/* Speed per second over the distance divided by `smoothing`: degrees, cm. */
struct point {
	double at, speed;
};
static const struct point turn_speed[] = { { 0, 0 },    { 0.5, 0.4 }, { 1, 1.5 }, { 1.5, 8 },
	                                   { 2.5, 35 }, { 5, 100 },   { 8, 200 }, { 9, 300 } };
static const struct point shift_speed[] = { { 0, 0 },      { 0.33, 0.375 }, { 0.66, 0.75 }, { 1.33, 2.25 },
	                                    { 1.66, 4.5 }, { 2, 7.5 },      { 3, 24 },      { 5, 60 },
	                                    { 7, 110 },    { 8, 150 },      { 9, 200 } };

struct accela {
	/* options */
	double smoothing, deadzone, pos_smoothing, pos_deadzone;
	/* state */
	bool started;
	int64_t last_ns;
	struct quat q;
	struct vec pos;
};
static const struct hp_option options[] = {
	HP_OPT_REAL(struct accela, smoothing, "0.35", 0.01, 10,
	            "of rotation: more is stiller and slower; opentrack comes with 1.5, made for webcams", HP_LIVE,
	            NULL, 0.05, 2.5),
	HP_OPT_REAL(struct accela, deadzone, "0.03", 0, 5, "turns that move nothing", HP_LIVE, "deg", 0, 0.2),
	HP_OPT_REAL(struct accela, pos_smoothing, "1", 0.01, 10, "of position", HP_LIVE, NULL, 0.05, 1.5),
	HP_OPT_REAL(struct accela, pos_deadzone, "0.1", 0, 5, "shifts that move nothing", HP_LIVE, "cm", 0, 1),
	HP_OPT_END,
};

static double speed_at(const struct point *p, size_t n, double at)
{
	for (size_t i = 1; i < n; i++)
		if (at < p[i].at)
			return p[i - 1].speed +
			       (p[i].speed - p[i - 1].speed) * (at - p[i - 1].at) / (p[i].at - p[i - 1].at);
	return p[n - 1].speed;
}

/* Share of the way that is gone. */
static double step(const struct point *p, size_t n, double distance, double smoothing, double deadzone, double dt)
{
	if (distance <= deadzone)
		return 0;
	double way = speed_at(p, n, (distance - deadzone) / smoothing) * dt;
	return way < distance - deadzone ? way / distance : (distance - deadzone) / distance;
}
#define COUNT(a) (sizeof(a) / sizeof *(a))

static int filter(void *self, struct hp_sample *s)
{
	struct accela *f = self;
	if (!hp_sample_finite(s))
		return -EDOM;
	struct quat q = rotation_of(s);
	struct vec pos = rotation_pos(s, f->pos);
	double dt = (double)(int64_t)((uint64_t)s->time_ns - (uint64_t)f->last_ns) / 1e9;
	f->last_ns = s->time_ns;
	if (!f->started || (s->flags & HP_JUMP) || !(dt >= 0) || dt > longest_step) {
		f->q = q;
		f->pos = pos;
		f->started = true;
	} else {
		struct vec e = rotation_between(f->q, q), e_pos = vec_sub(pos, f->pos);
		double a =
		    step(turn_speed, COUNT(turn_speed), vec_length(e) * QUAT_DEGREES, f->smoothing, f->deadzone, dt);
		f->q = rotation_turn(f->q, vec_scale(e, a));
		a = step(shift_speed, COUNT(shift_speed), vec_length(e_pos), f->pos_smoothing, f->pos_deadzone, dt);
		f->pos = vec_mad(f->pos, a, e_pos);
	}
	rotation_set(s, f->q);
	if (s->flags & HP_POS)
		rotation_set_vec(s->pos, f->pos);
	return HP_KEEP;
}

static int reset(void *self)
{
	struct accela *f = self;
	f->started = false;
	return 0;
}

static void event(void *self, const struct hp_event *e)
{
	if (e->type == HP_CONNECTED || e->type == HP_RECENTER)
		reset(self);
}

HP_MODULE(accela) = {
	HP_MODULE_HEAD,     .kind = HP_FILTER,
	.name = "accela",   .summary = "opentrack's Accela: faster the further behind, never past the pose",
	.options = options, .state_size = sizeof(struct accela),
	.filter = filter,   .reset = reset,
	.event = event,
};
