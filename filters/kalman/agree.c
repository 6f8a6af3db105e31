/* SPDX-License-Identifier: MIT
 * agree.c - the comparison of agree.h. */
#include "agree.h"
#include <string.h>

static const double span_least = 0.05, span_most = 0.25; /* s                                          */
static const double fast = 10 * RADIANS;                 /* rad/s; slower spans say little             */
static const double memory = 1, memory_all = 60;         /* s of motion                                */
static const double fades = 1.5;                         /* s, also without motion: what was is past   */
static const double memory_bias = 20;                    /* s                                          */
static const double enough = 0.2;                        /* s of motion before there is a verdict      */
static const double cosine_least = 0.9, ratio_least = 0.8, ratio_most = 1.25;
/* once trusted it is given up only when it is clearly off */
static const double cosine_lost = 0.8, ratio_lost_least = 0.7, ratio_lost_most = 1.43;
/* an axis on its own: (rad/s)^2 s by which it has to mislead, and deviations of what noise may do to that */
static const double misled = 10 * RADIANS * RADIANS, misled_noise = 1.5;
/* what is left of its motion, as a share of that and of what is left on the best axis, when the gyroscope says nothing
 */
static const double silent_share = 0.6, silent_noise = 3;
/* a fit has to leave so much less than any other: share of what that leaves, and share of everything */
static const double clearly_less = 0.5, clearly_apart = 0.003;

void agree_start(struct agree *a)
{
	memset(a, 0, sizeof *a);
}

void agree_skip(struct agree *a)
{
	a->started = false;
}

void agree_again(struct agree *a)
{
	memset(&a->recent, 0, sizeof a->recent);
	a->moved = a->bias_time = 0;
	a->verdict = AGREE_UNKNOWN;
	a->started = false;
}

void agree_settled(struct agree *a)
{
	memset(&a->all, 0, sizeof a->all);
	memset(a->inverse, 0, sizeof a->inverse);
	a->settled = true;
}

static void begin(struct agree *a, struct quat measured)
{
	a->started = true;
	a->from = measured;
	a->turned = (struct vec){ 0, 0, 0 };
	a->span = 0;
}

static double sum(const double v[3])
{
	return v[0] + v[1] + v[2];
}

static double cosine(const struct agree_sums *s)
{
	double size = sqrt(sum(s->pp) * sum(s->gg));
	return size > 0 ? (s->pg[0][0] + s->pg[1][1] + s->pg[2][2]) / size : 0;
}

/* Whether the gyroscope is wrong about an axis, however right it may be about the others: it makes more of the motion
 * than there was, or says nothing of it. Noise: what is left about the best axis. */
static bool any_misleads(const struct agree_sums *s, bool silent_too)
{
	double left[3], noise = INFINITY;
	for (int i = 0; i < 3; i++) {
		left[i] = fmax(0, s->pp[i] - 2 * s->pg[i][i] + s->gg[i]);
		noise = fmin(noise, left[i]);
	}
	for (int i = 0; i < 3; i++) {
		bool silent =
		    s->pp[i] > 2 * misled && left[i] > silent_share * s->pp[i] && left[i] > silent_noise * noise;
		if (left[i] > s->pp[i] + misled + misled_noise * sqrt(noise * s->gg[i]) || (silent && silent_too))
			return true;
	}
	return false;
}

static void judge(struct agree *a)
{
	if (a->moved < enough)
		return;
	const struct agree_sums *s = &a->recent;
	bool had = a->verdict == AGREE_YES;
	double least = had ? ratio_lost_least : ratio_least, most = had ? ratio_lost_most : ratio_most;
	double pp = sum(s->pp), gg = sum(s->gg);
	bool now = cosine(s) > (had ? cosine_lost : cosine_least) && pp > least * least * gg && pp < most * most * gg &&
	           !any_misleads(s, true);
	/* turns about one axis fit a gyroscope that has the other two wrong: all that was seen counts as well; but not
	 * that the pose turned and the gyroscope did not while a device's fusion was finding its way */
	bool always = (!a->settled || cosine(&a->all) > cosine_lost) && !any_misleads(&a->all, a->settled);
	a->verdict = now && always ? AGREE_YES : AGREE_NO;
	if (a->verdict == AGREE_NO)
		a->bias_time = 0;
}

static void learn_bias(struct agree *a, struct vec pose)
{
	a->bias_time = a->bias_time < memory_bias ? a->bias_time + a->span : memory_bias;
	struct vec now = vec_scale(vec_sub(a->turned, pose), 1 / a->span);
	a->bias = vec_mad(a->bias, a->span / a->bias_time, vec_sub(now, a->bias));
}

static void sums_keep(struct agree_sums *s, double keep)
{
	for (int i = 0; i < 3; i++) {
		s->pp[i] *= keep;
		s->gg[i] *= keep;
		for (int k = 0; k < 3; k++)
			s->pg[i][k] *= keep;
	}
}

static void products(double out[3][3], const double a[3], const double b[3], double span)
{
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			out[i][k] += a[i] * b[k] / span;
}

static void sums_add(struct agree_sums *s, const double p[3], const double g[3], double span)
{
	for (int i = 0; i < 3; i++) {
		s->pp[i] += p[i] * p[i] / span;
		s->gg[i] += g[i] * g[i] / span;
	}
	products(s->pg, p, g, span);
}

/* Each span counts as the square of its mean speed, for as long as it lasts. */
static void add(struct agree *a, struct vec pose, struct vec inverse, struct vec gyro)
{
	const double p[3] = { pose.x, pose.y, pose.z }, g[3] = { gyro.x, gyro.y, gyro.z },
	             v[3] = { inverse.x, inverse.y, inverse.z };
	/* a device's fusion that is still finding its way is soon forgotten */
	double memory_now = a->settled ? memory_all : memory, keep = memory_now / (memory_now + a->span);
	sums_keep(&a->all, keep);
	for (int i = 0; i < 9; i++)
		a->inverse[i / 3][i % 3] *= keep;
	sums_add(&a->recent, p, g, a->span);
	sums_add(&a->all, p, g, a->span);
	products(a->inverse, v, g, a->span);
	a->moved += a->span;
}

bool agree_step(struct agree *a, struct quat measured, struct vec reading, double dt)
{
	if (!a->started || dt > span_most) {
		begin(a, measured);
		return false;
	}
	a->turned = vec_mad(a->turned, dt, reading);
	a->span += dt;
	if (a->span < span_least)
		return false;
	struct vec pose = rotation_between(a->from, measured), gyro = a->turned;
	learn_bias(a, pose);
	double p = vec_dot(pose, pose), g = vec_dot(gyro, gyro), least = fast * a->span;
	bool moved = p > least * least || g > least * least;
	double keep = fades / (fades + a->span);
	if (moved)
		keep *= memory / (memory + a->span);
	sums_keep(&a->recent, keep);
	a->moved *= keep;
	if (moved) {
		add(a, pose, rotation_between(quat_conj(a->from), quat_conj(measured)), gyro);
		judge(a);
	}
	a->length = a->span;
	begin(a, measured);
	return moved;
}

double agree_ratio(const struct agree *a)
{
	return sum(a->recent.gg) > 0 ? sqrt(sum(a->recent.pp) / sum(a->recent.gg)) : 0;
}

struct fit {
	double best, second; /* sums of products */
	int axes[3];
};

static struct fit fit(const double pg[3][3])
{
	static const int orders[6][3] = {
		{ 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 }
	};
	struct fit f = { 0, 0, { 0, 0, 0 } };
	for (int o = 0; o < 6; o++)
		for (int signs = 0; signs < 8; signs++) {
			double now = 0;
			for (int i = 0; i < 3; i++)
				now += (signs >> i & 1 ? -1 : 1) * pg[i][orders[o][i]];
			if (now > f.best) {
				f.second = f.best;
				f.best = now;
				for (int i = 0; i < 3; i++)
					f.axes[i] = (signs >> i & 1 ? -1 : 1) * (orders[o][i] + 1);
			} else if (now > f.second) {
				f.second = now;
			}
		}
	return f;
}

enum agree_fit agree_axes(const struct agree *a, int axes[3])
{
	struct fit plain = fit(a->all.pg), inverse = fit(a->inverse);
	bool inverted = inverse.best > plain.best;
	const struct fit *f = inverted ? &inverse : &plain, *other = inverted ? &plain : &inverse;
	double length = sqrt(sum(a->all.pp) * sum(a->all.gg));
	if (!(length > 0) || f->best < cosine_least * length)
		return AGREE_FITS_NOT;
	/* the runner-up differs by the weakest axis: without motion about that one it is as good; and near the middle a
	 * pose and its inverse turn alike */
	double left = 1 - f->best / length, left_other = 1 - other->best / length;
	if (f->best - f->second < 0.05 * f->best || left > clearly_less * left_other ||
	    left_other - left < clearly_apart)
		return AGREE_FITS_NOT;
	memcpy(axes, f->axes, sizeof f->axes);
	return inverted ? AGREE_FITS_INVERSE : AGREE_FITS;
}
