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

void agree_start(struct agree *a)
{
	memset(a, 0, sizeof *a);
}

void agree_skip(struct agree *a)
{
	a->started = false;
}

static void begin(struct agree *a, struct quat measured)
{
	a->started = true;
	a->from = measured;
	a->turned = (struct vec){ 0, 0, 0 };
	a->span = 0;
}

static double cosine(const double pg[3][3], double pp, double gg)
{
	double size = sqrt(pp * gg);
	return size > 0 ? (pg[0][0] + pg[1][1] + pg[2][2]) / size : 0;
}

static void judge(struct agree *a)
{
	if (a->moved < enough)
		return;
	bool had = a->verdict == AGREE_YES;
	double least = had ? ratio_lost_least : ratio_least, most = had ? ratio_lost_most : ratio_most;
	bool now = cosine(a->pg, a->pp, a->gg) > (had ? cosine_lost : cosine_least) && a->pp > least * least * a->gg &&
	           a->pp < most * most * a->gg;
	/* turns about one axis fit a gyroscope that has the other two wrong: all that was seen counts as well */
	bool always = !a->settled || cosine(a->all, a->all_pp, a->all_gg) > cosine_lost;
	a->verdict = now && always ? AGREE_YES : AGREE_NO;
	if (a->verdict == AGREE_NO)
		a->bias_time = 0;
}

void agree_settled(struct agree *a)
{
	memset(a->all, 0, sizeof a->all);
	a->all_pp = a->all_gg = 0;
	a->settled = true;
}

static void learn_bias(struct agree *a, struct vec pose)
{
	a->bias_time = a->bias_time < memory_bias ? a->bias_time + a->span : memory_bias;
	struct vec now = vec_scale(vec_sub(a->turned, pose), 1 / a->span);
	a->bias = vec_mad(a->bias, a->span / a->bias_time, vec_sub(now, a->bias));
}

/* Each span counts as the square of its mean speed, for as long as it lasts. */
static void add(struct agree *a, struct vec pose, struct vec gyro)
{
	const double p[3] = { pose.x, pose.y, pose.z }, g[3] = { gyro.x, gyro.y, gyro.z };
	/* a device's fusion that is still finding its way is soon forgotten */
	double memory_now = a->settled ? memory_all : memory, keep = memory_now / (memory_now + a->span);
	double pp = vec_dot(pose, pose) / a->span, gg = vec_dot(gyro, gyro) / a->span;
	a->pp += pp;
	a->gg += gg;
	a->all_pp = a->all_pp * keep + pp;
	a->all_gg = a->all_gg * keep + gg;
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++) {
			a->pg[i][k] += p[i] * g[k] / a->span;
			a->all[i][k] = a->all[i][k] * keep + p[i] * g[k] / a->span;
		}
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
	a->pp *= keep;
	a->gg *= keep;
	a->moved *= keep;
	for (int i = 0; i < 9; i++)
		a->pg[i / 3][i % 3] *= keep;
	if (moved) {
		add(a, pose, gyro);
		judge(a);
	}
	a->length = a->span;
	begin(a, measured);
	return moved;
}

double agree_ratio(const struct agree *a)
{
	return a->gg > 0 ? sqrt(a->pp / a->gg) : 0;
}

bool agree_axes(const struct agree *a, int axes[3])
{
	static const int orders[6][3] = {
		{ 0, 1, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 0, 2, 1 }, { 2, 1, 0 }, { 1, 0, 2 }
	};
	double best = 0, second = 0, length = sqrt(a->all_pp * a->all_gg);
	for (int o = 0; o < 6; o++)
		for (int signs = 0; signs < 8; signs++) {
			double sum = 0;
			for (int i = 0; i < 3; i++)
				sum += (signs >> i & 1 ? -1 : 1) * a->all[i][orders[o][i]];
			if (sum > best) {
				second = best;
				best = sum;
				for (int i = 0; i < 3; i++)
					axes[i] = (signs >> i & 1 ? -1 : 1) * (orders[o][i] + 1);
			} else if (sum > second) {
				second = sum;
			}
		}
	/* the runner-up differs by the weakest axis: without motion about that one it is as good */
	return length > 0 && best > cosine_least * length && best - second > 0.05 * best;
}
