/* SPDX-License-Identifier: MIT
 * solve.c - from the axes of three motions to order, signs and tilt; see calibrate.h. */
#include "calibrate.h"
#include "pose/axis_map.h"
#include <stdio.h>
#include <string.h>

#define ERROR_MOST 30.0 /* degrees between the axes and right angles that are still an answer */
#define LEVEL_MOST 30.0 /* degrees from a vertical axis of the device                          */

typedef double matrix[3][3];

static void multiply(const matrix a, const matrix b, matrix out)
{
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			out[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
}
static void transpose(const matrix a, matrix out)
{
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			out[i][k] = a[k][i];
}
static double det(const matrix a)
{
	return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) - a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
	       a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}
/* The rotation next to a matrix, by Newton's iteration for the polar decomposition: X <- (X + X^-T) / 2. */
static bool nearest_rotation(const matrix a, matrix out)
{
	memcpy(out, a, sizeof(matrix));
	for (int n = 0; n < 50; n++) {
		matrix x, cofactor;
		double d = det(out), moved = 0;
		if (fabs(d) < 1e-6)
			return false;
		for (int i = 0; i < 3; i++)
			for (int k = 0; k < 3; k++) {
				int i1 = (i + 1) % 3, i2 = (i + 2) % 3, k1 = (k + 1) % 3, k2 = (k + 2) % 3;
				cofactor[i][k] = out[i1][k1] * out[i2][k2] - out[i1][k2] * out[i2][k1];
			}
		for (int i = 0; i < 3; i++)
			for (int k = 0; k < 3; k++) {
				x[i][k] = (out[i][k] + cofactor[i][k] / d) / 2;
				moved = fmax(moved, fabs(x[i][k] - out[i][k]));
			}
		memcpy(out, x, sizeof x);
		if (moved < 1e-14)
			break;
	}
	return true;
}
static void to_ypr(const matrix r, double ypr[3])
{
	ypr[0] = atan2(r[1][0], r[0][0]) * QUAT_DEGREES;
	ypr[1] = asin(quat_clamp(-r[2][0], -1, 1)) * QUAT_DEGREES;
	ypr[2] = atan2(r[2][1], r[2][2]) * QUAT_DEGREES;
}

/* Number n of the 48 orders and signs. */
static void axis_map(int n, struct hp_axis_map *m)
{
	static const int order[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 }, { 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };
	for (int i = 0; i < 3; i++) {
		m->from[i] = order[n / 8][i];
		m->sign[i] = n >> i & 1 ? -1 : 1;
	}
}
static void to_matrix(const struct hp_axis_map *m, double factor, matrix out)
{
	memset(out, 0, sizeof(matrix));
	for (int i = 0; i < 3; i++)
		out[i][m->from[i]] = m->sign[i] * factor;
}
static void words(const struct hp_axis_map *m, double factor, char map[4], char invert[5])
{
	int n = 0;
	for (int i = 0; i < 3; i++) {
		map[i] = (char)('X' + m->from[i]);
		if (m->sign[i] * factor < 0)
			invert[n++] = (char)('X' + i);
	}
	map[3] = invert[n] = 0;
	if (!n)
		strcpy(invert, "none");
}

/* Of the 24 right-handed orders: those that put `up` on z first, then the one that is next to r. */
static int choose(const matrix r, struct vec up, double *level)
{
	int best = -1;
	double best_score = -1e9, highest = fmax(fabs(up.x), fmax(fabs(up.y), fabs(up.z)));
	*level = acos(fmin(highest, 1)) * QUAT_DEGREES;
	for (int n = 0; n < 48; n++) {
		struct hp_axis_map m;
		matrix p;
		axis_map(n, &m);
		if (hp_axis_map_sign(&m) < 0)
			continue;
		to_matrix(&m, 1, p);
		double score = 0, z = p[2][0] * up.x + p[2][1] * up.y + p[2][2] * up.z;
		for (int i = 0; i < 3; i++)
			for (int k = 0; k < 3; k++)
				score += p[i][k] * r[i][k];
		if (z > highest - 1e-9)
			score += 100;
		if (score > best_score) {
			best_score = score;
			best = n;
		}
	}
	return best;
}
/* Which order and signs make of the gyroscope what the pose did: the largest sum of products. */
static void solve_gyro(const struct hp_cal *c, const struct hp_axis_map *pose, struct hp_cal_answer *a)
{
	strcpy(a->gyro_map, "same");
	strcpy(a->gyro_invert, "same");
	if (!c->has_gyro || c->gyro_energy <= 0 || c->pose_energy <= 0)
		return;
	matrix p, sums;
	to_matrix(pose, 1, p);
	multiply(p, a->mirrored ? c->gyro_back : c->gyro, sums); /* the pose's turns in the head's axes */
	int best = 0;
	double most = -1e300, same = 0;
	for (int n = 0; n < 48; n++) {
		struct hp_axis_map m;
		axis_map(n, &m);
		double sum = 0;
		for (int i = 0; i < 3; i++)
			sum += m.sign[i] * sums[i][m.from[i]];
		if (!memcmp(m.from, pose->from, sizeof m.from) && !memcmp(m.sign, pose->sign, sizeof m.sign))
			same = sum;
		if (sum > most) {
			most = sum;
			best = n;
		}
	}
	a->gyro_cosine = most / sqrt(c->gyro_energy * c->pose_energy);
	a->gyro_gain = most / c->gyro_energy;
	if (same > 0.98 * most || a->gyro_cosine < 0.8)
		return;
	struct hp_axis_map m;
	axis_map(best, &m);
	words(&m, 1, a->gyro_map, a->gyro_invert);
}

void hp_cal_solve(const struct hp_cal *c, struct hp_cal_answer *a)
{
	static const enum hp_cal_step axes[3] = { HP_CAL_TILT, HP_CAL_NOD, HP_CAL_TURN }; /* about x, y, z */
	matrix seen, head, r, p, back, tilt;
	memset(a, 0, sizeof *a);
	if (c->step != HP_CAL_DONE) {
		a->problem = "not all four were seen";
		return;
	}
	for (int i = 0; i < 3; i++) {
		const struct vec *v = &c->motion[axes[i]].head;
		seen[0][i] = v->x;
		seen[1][i] = v->y;
		seen[2][i] = v->z;
	}
	/* Left-handed: the device says how the world turns, seen from the head. Then d0 d^-1 is the head's turn, and
	 * d^-1 d0 the world's. */
	a->mirrored = det(seen) < 0;
	struct vec up = c->motion[HP_CAL_TURN].world;
	if (a->mirrored) {
		for (int i = 0; i < 3; i++) {
			const struct vec *v = &c->motion[axes[i]].world;
			seen[0][i] = -v->x;
			seen[1][i] = -v->y;
			seen[2][i] = -v->z;
		}
		up = c->motion[HP_CAL_TURN].head;
		up = (struct vec){ -up.x, -up.y, -up.z };
	}
	if (det(seen) < 0.2 || !nearest_rotation(seen, head)) {
		a->problem = "two of the motions were about the same axis";
		return;
	}
	for (int i = 0; i < 3; i++) {
		double cosine = seen[0][i] * head[0][i] + seen[1][i] * head[1][i] + seen[2][i] * head[2][i];
		a->error = fmax(a->error, acos(fmin(cosine, 1)) * QUAT_DEGREES);
	}
	transpose(head, r); /* turns what the device says into the head's axes */
	struct hp_axis_map pose;
	axis_map(choose(r, up, &a->level), &pose);
	to_matrix(&pose, 1, p);
	transpose(p, back);
	multiply(r, back, tilt);
	to_ypr(tilt, a->tilt);
	words(&pose, a->mirrored ? -1 : 1, a->axis_map, a->invert);
	solve_gyro(c, &pose, a);
	if (a->error > ERROR_MOST)
		a->problem = "the three motions were not at right angles to each other";
	else if (a->level > LEVEL_MOST)
		a->problem =
		    "the device's idea of up is none of its axes; a centre with `mode = full`, `tilt = head` may do";
}
