/* SPDX-License-Identifier: MIT
 * trim.c - the estimates of trim.h. Per axis: two faults, a 2x2 system. */
#include "trim.h"
#include <string.h>

static const double memory = 30;                          /* s of misfits                                     */
static const double doubt = 25, refine = 1;               /* squared deviations: of the first step, of others */
static const double likely[TRIM_FAULTS] = { 0.15, 0.02 }; /* deviation that is expected of a faulty one       */
static const double least[TRIM_FAULTS] = { -0.35, -0.05 }, most[TRIM_FAULTS] = { 0.55, 0.05 };

void trim_start(struct trim *t)
{
	memset(t, 0, sizeof *t);
}

void trim_skip(struct trim *t)
{
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < TRIM_FAULTS; k++)
			t->axis[i].angle[k] = t->axis[i].bias[k] = 0;
}

struct vec trim_scaled(const struct trim *t, struct vec v)
{
	return vec_add(v, (struct vec){ v.x * t->axis[0].fault[TRIM_SCALE], v.y * t->axis[1].fault[TRIM_SCALE],
	                                v.z * t->axis[2].fault[TRIM_SCALE] });
}

double trim_delay(const struct trim *t)
{
	double far = 0;
	for (int i = 0; i < 3; i++)
		if (fabs(t->axis[i].fault[TRIM_DELAY]) > fabs(far))
			far = t->axis[i].fault[TRIM_DELAY];
	return far;
}

static double turn(struct trim_axis *a, double mean, double change, double dt)
{
	a->angle[TRIM_SCALE] += mean * dt - dt * a->bias[TRIM_SCALE];
	a->angle[TRIM_DELAY] += change - dt * a->bias[TRIM_DELAY];
	return mean * dt * (1 + a->fault[TRIM_SCALE]) + change * a->fault[TRIM_DELAY];
}

struct vec trim_turn(struct trim *t, struct vec mean, struct vec change, double dt)
{
	return (struct vec){ turn(&t->axis[0], mean.x, change.x, dt), turn(&t->axis[1], mean.y, change.y, dt),
		             turn(&t->axis[2], mean.z, change.z, dt) };
}

/* What changes in the filter's own state on one axis when a fault is believed. */
struct shift {
	double angle, bias;
};

/* Moves a fault; what it explains is left no more, neither in the misfits so far nor in the state. */
static struct shift move(struct trim_axis *a, int k, double by)
{
	double now = quat_clamp(a->fault[k] + by, least[k], most[k]);
	by = now - a->fault[k];
	a->fault[k] = now;
	a->left[TRIM_SCALE] -= by * (k == TRIM_SCALE ? a->aa : a->ab);
	a->left[TRIM_DELAY] -= by * (k == TRIM_SCALE ? a->ab : a->bb);
	return (struct shift){ by * a->angle[k], by * a->bias[k] };
}

/* One fault after the other, each as if the other one were known: in the end that is the solution of both. */
static struct shift solve(struct trim_axis *a)
{
	const double weight[TRIM_FAULTS] = { a->aa, a->bb };
	struct shift all = { 0, 0 };
	int worst = a->left[0] * a->left[0] * weight[1] > a->left[1] * a->left[1] * weight[0] ? 0 : 1;
	for (int n = 0, k = worst; n < TRIM_FAULTS; n++, k = !k) {
		double prior = 1 / (likely[k] * likely[k]), gradient = a->left[k] - prior * a->fault[k];
		if (!(a->left[k] * a->left[k] > (a->open[k] ? refine : doubt) * weight[k]))
			continue;
		a->open[k] = true;
		struct shift now = move(a, k, gradient / (weight[k] + prior));
		all.angle += now.angle;
		all.bias += now.bias;
	}
	return all;
}

static struct shift learn(struct trim_axis *a, double e, double w, double ka, double kb, double keep)
{
	double s = a->angle[TRIM_SCALE], d = a->angle[TRIM_DELAY];
	a->aa = a->aa * keep + w * s * s;
	a->ab = a->ab * keep + w * s * d;
	a->bb = a->bb * keep + w * d * d;
	a->left[TRIM_SCALE] = a->left[TRIM_SCALE] * keep + w * s * e;
	a->left[TRIM_DELAY] = a->left[TRIM_DELAY] * keep + w * d * e;
	for (int k = 0; k < TRIM_FAULTS; k++) {
		a->bias[k] -= kb * a->angle[k];
		a->angle[k] -= ka * a->angle[k];
	}
	return solve(a);
}

void trim_learn(struct trim *t, struct vec misfit, double variance, double ka, double kb, double dt, struct vec *angle,
                struct vec *bias)
{
	double keep = memory / (memory + dt), w = 1 / variance;
	struct shift x = learn(&t->axis[0], misfit.x, w, ka, kb, keep),
	             y = learn(&t->axis[1], misfit.y, w, ka, kb, keep),
	             z = learn(&t->axis[2], misfit.z, w, ka, kb, keep);
	*angle = (struct vec){ x.angle, y.angle, z.angle };
	*bias = (struct vec){ x.bias, y.bias, z.bias };
}
