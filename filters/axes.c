/* SPDX-License-Identifier: MIT
 * axes.c - per-axis swap, invert, scale and offset of the angles and of the position, for devices and targets whose
 * axes differ from ours.
 *
 * It works on the three angles yaw, pitch, roll (degrees, about z, y, x) and on x, y, z (cm), in this order: swap,
 * invert, scale, offset. The quaternion is then built anew from the angles. gyro and accel stay what was measured. With
 * nothing to do, samples pass untouched, bit for bit.
 *
 * Angles that are only swapped, inverted or shifted wrap at 180, they never stick. As soon as one is scaled, the angles
 * are followed through 180 and over the top first (angles.h), and what a scale makes of one ends at straight behind
 * (yaw and roll) or straight up and down (pitch): no angle spills over into the others. */
#include "headpipe.h"
#include "pose/angles.h"
#include "pose/basis.h"
#include "pose/pose.h"
#include <errno.h>
#include <math.h>
#include <string.h>

enum { AXES = 6 };
static const char *const names[AXES] = { "yaw", "pitch", "roll", "x", "y", "z" };

/* What the lists say, ready for use: out[i] = in[from[i]] * factor[i] + offset[i] */
struct plan {
	int from[AXES];
	double factor[AXES], offset[AXES];
	double turn[3];        /* of the angles that come in, see hp_angles_follow() */
	bool angles, position; /* whether anything is changed there */
	bool scaled;           /* whether an angle is made stronger or weaker */
};
struct axes {
	struct hp_list invert;
	const char *swap;
	double scale_yaw, scale_pitch, scale_roll, scale_x, scale_y, scale_z;
	double offset_yaw, offset_pitch, offset_roll, offset_x, offset_y, offset_z;

	struct plan plan;
	struct hp_angles followed;
};
#define SCALE(f) HP_OPT_REAL(struct axes, f, "1", -100, 100, "multiplies this axis", HP_LIVE, NULL, -3, 3)
#define TURN(f)  HP_OPT_REAL(struct axes, f, "0", -180, 180, "added to this angle at the end", HP_LIVE, "deg", -90, 90)
#define SHIFT(f) \
	HP_OPT_REAL(struct axes, f, "0", -1000, 1000, "added to this coordinate at the end", HP_LIVE, "cm", -50, 50)
static const struct hp_option options[] = {
	HP_OPT_LIST(struct axes, invert, "none", "yaw|pitch|roll|x|y|z", "axes whose sign changes", HP_LIVE | HP_SET),
	HP_OPT_STR(struct axes, swap, "none",
	           "pairs that change places: `yaw:roll`, `x:z, pitch:roll`; angles with angles, coordinates with "
	           "coordinates; or `none`",
	           HP_LIVE),
	SCALE(scale_yaw),
	SCALE(scale_pitch),
	SCALE(scale_roll),
	SCALE(scale_x),
	SCALE(scale_y),
	SCALE(scale_z),
	TURN(offset_yaw),
	TURN(offset_pitch),
	TURN(offset_roll),
	SHIFT(offset_x),
	SHIFT(offset_y),
	SHIFT(offset_z),
	HP_OPT_END
};

static int axis(const char *word, size_t n)
{
	for (int i = 0; i < AXES; i++)
		if (strlen(names[i]) == n && !memcmp(word, names[i], n))
			return i;
	return -1;
}
/* The next word of a list; NULL at its end. */
static const char *next(const char **list, size_t *n)
{
	const char *word = *list + strspn(*list, " \t,");
	*n = strcspn(word, " \t,");
	*list = word + *n;
	return *n ? word : NULL;
}
static int bad(char *why, size_t size, const char *word, size_t n, const char *what)
{
	snprintf(why, size, "`%.*s` %s", n < 60 ? (int)n : 60, word, what);
	return -EINVAL;
}
static int read_swap(const struct axes *a, struct plan *p, char *why, size_t size)
{
	const char *list = a->swap, *word;
	size_t n;
	while ((word = next(&list, &n))) {
		const char *colon = memchr(word, ':', n);
		if (!colon && n == 4 && !memcmp(word, "none", 4))
			continue;
		size_t left = colon ? (size_t)(colon - word) : 0;
		int i = axis(word, left), k = colon ? axis(colon + 1, n - left - 1) : -1;
		if (i < 0 || k < 0)
			return bad(why, size, word, n,
			           "is no pair; allowed: two axes such as yaw:roll or x:z, or none");
		if (i / 3 != k / 3)
			return bad(why, size, word, n, "mixes an angle and a coordinate");
		if (i == k || p->from[i] != i || p->from[k] != k)
			return bad(why, size, word, n, "names an axis twice");
		p->from[i] = k;
		p->from[k] = i;
	}
	return 0;
}
/* The plan of invert and swap, without scales and offsets; -EINVAL with the key at fault and why. */
static int read_words(const struct axes *a, struct plan *p, const char **key, char *why, size_t size)
{
	memset(p, 0, sizeof *p);
	for (int i = 0; i < AXES; i++) {
		p->from[i] = i;
		p->factor[i] = 1;
	}
	for (uint32_t i = 0; i < a->invert.n; i++)
		p->factor[a->invert.at[i]] = -1;
	*key = "swap";
	return read_swap(a, p, why, size);
}
static int axes_check(const void *self, const char **key, char *why, size_t size)
{
	struct plan p;
	return read_words(self, &p, key, why, size);
}
static int prepare(void *self)
{
	struct axes *a = self;
	const double scale[AXES] = { a->scale_yaw, a->scale_pitch, a->scale_roll, a->scale_x, a->scale_y, a->scale_z };
	const double offset[AXES] = { a->offset_yaw, a->offset_pitch, a->offset_roll,
		                      a->offset_x,   a->offset_y,     a->offset_z };
	struct plan p;
	const char *key;
	char why[160];
	if (read_words(a, &p, &key, why, sizeof why) < 0)
		return -EINVAL; /* only a host that did not ask check() gets here */
	for (int i = 0; i < AXES; i++) {
		p.factor[i] *= scale[i];
		p.offset[i] = offset[i];
		double gain = fabs(p.factor[i]);
		if (i < 3) {
			p.scaled |= gain != 1;
			/* what becomes pitch never meets itself behind the head: late is best */
			p.turn[p.from[i]] = i == 1 ? 270 : gain >= 1 ? hp_angles_turn(180 / gain) : INFINITY;
		}
		bool changes = p.from[i] != i || p.factor[i] != 1 || offset[i] != 0;
		if (i < 3)
			p.angles |= changes;
		else
			p.position |= changes;
	}
	a->plan = p;
	a->followed.started = false;
	return 0;
}
static void apply(const struct plan *p, int first, double v[3])
{
	const double in[3] = { v[0], v[1], v[2] };
	for (int i = 0; i < 3; i++)
		v[i] = in[p->from[first + i] - first] * p->factor[first + i] + p->offset[first + i];
}
/* Straight behind, or straight up or down, is as far as a scaled angle goes; an angle that was further already stays.
 */
static void apply_scaled(struct axes *a, const double quat[4], double ypr[3])
{
	const struct plan *p = &a->plan;
	double in[3], out[3];
	hp_angles_follow(&a->followed, quat, ypr, p->turn, in);
	for (int i = 0; i < 3; i++) {
		double v = in[p->from[i]], gain = p->factor[i];
		out[i] = v * gain;
		if (i == 1) {
			double most = fmax(90, fmin(fabs(v), fabs(out[i])));
			out[i] = fmax(-most, fmin(most, out[i] + p->offset[i]));
		} else {
			if (fabs(gain) > 1)
				out[i] = fmax(-180, fmin(180, out[i]));
			out[i] += p->offset[i];
		}
	}
	for (int i = 0; i < 3; i++)
		ypr[i] = out[i];
}
static int axes_reset(void *self)
{
	struct axes *a = self;
	a->followed.started = false;
	return 0;
}
/* The pose jumps on purpose: turns that were counted before count no more. */
static int axes_command(void *self, const char *verb)
{
	return strcmp(verb, "recenter") ? -ENOTSUP : axes_reset(self);
}
static int axes_open(void *self, const struct hp_host *host)
{
	(void)host;
	return prepare(self);
}
static int axes_filter(void *self, struct hp_sample *s)
{
	struct axes *a = self;
	if (a->plan.position && s->flags & HP_POS)
		apply(&a->plan, 3, s->pos);
	if (!a->plan.angles)
		return HP_KEEP;
	if (!(s->flags & HP_YPR))
		hp_quat_to_ypr(s->quat, s->ypr);
	if (s->flags & HP_JUMP)
		a->followed.started = false;
	if (a->plan.scaled)
		apply_scaled(a, s->quat, s->ypr);
	else
		apply(&a->plan, 0, s->ypr);
	for (int i = 0; i < 3; i++)
		s->ypr[i] = hp_frame_wrap(s->ypr[i]);
	hp_frame_quat_from_ypr(s->ypr, s->quat);
	s->flags &= ~(uint32_t)(HP_ROTVEC | HP_ANGVEL); /* the view turns at another speed than the head */
	/* beyond straight up or down the same pose has other angles: the host derives them */
	if (fabs(s->ypr[1]) <= 90)
		s->flags |= HP_YPR;
	else
		s->flags &= ~(uint32_t)HP_YPR;
	return HP_KEEP;
}
HP_MODULE(axes) = {
	HP_MODULE_HEAD,      .kind = HP_FILTER,
	.name = "axes",      .summary = "swaps, inverts, scales and shifts single axes",
	.options = options,  .state_size = sizeof(struct axes),
	.open = axes_open,   .filter = axes_filter,
	.changed = prepare,  .check = axes_check,
	.reset = axes_reset, .command = axes_command,
};
