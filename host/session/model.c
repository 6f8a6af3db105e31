/* SPDX-License-Identifier: MIT
 * model.c - predicts numbers of a sample from others of it.
 *
 * A prediction must come out the same on every machine, or an archive could not be read elsewhere. So there is no libm
 * in here: only + - * / and sqrt, which IEEE 754 rounds exactly (and no fused operations, -ffp-contract=off). It need
 * not be exact; what it misses by is kept. */
#include "model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "record.h"

/* Places in the message; the layout is part of the format. */
enum { TIME = 12, ARRIVAL = 20, QUAT = 36, ROTVEC = 68, YPR = 92 };
static const double pi = 3.14159265358979323846;

/* Taylor series; good to a last bit or two up to a half turn, and only then wanted. */
static void sine_cosine(double x, double *s, double *c)
{
	double xx = x * x, a = 0, b = 0;
	for (int k = 27; k >= 3; k -= 2) {
		a = -(1 + a) * xx / (k * (k - 1)); /* -x^2/3! + x^4/5! ... */
		b = -(1 + b) * xx / ((k - 1) * (k - 2));
	}
	*s = x + x * a;
	*c = 1 + b;
}

/* atan of z >= 0 */
static double arc(double z)
{
	const double sqrt3 = 1.7320508075688772;
	bool turned = z > 1, tilted;
	if (turned)
		z = 1 / z;
	tilted = z > 0.2679491924311227; /* tan 15 degrees */
	if (tilted)
		z = (z * sqrt3 - 1) / (sqrt3 + z);
	double zz = z * z, sum = 0;
	for (int k = 29; k >= 3; k -= 2)
		sum = -zz * (1.0 / k + sum);
	double r = z + z * sum;
	if (tilted)
		r += pi / 6;
	return turned ? pi / 2 - r : r;
}

static double arc2(double y, double x)
{
	double ay = y < 0 ? -y : y, ax = x < 0 ? -x : x;
	if (ax == 0 && ay == 0)
		return 0;
	double r = arc(ay / ax);
	if (x < 0)
		r = pi - r;
	return y < 0 ? -r : r;
}

static void normalize(double q[4])
{
	double n = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
	for (int i = 0; i < 4 && n > 0 && n != 1; i++)
		q[i] /= n;
}

static void quat_of_rotvec(const double v[3], double q[4])
{
	double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), s, c;
	q[0] = 1;
	q[1] = q[2] = q[3] = 0;
	if (!(angle >= 1e-12 && angle < 10))
		return;
	sine_cosine(angle / 2, &s, &c);
	s /= angle;
	q[0] = c;
	for (int i = 0; i < 3; i++)
		q[i + 1] = v[i] * s;
	normalize(q);
}

static void rotvec_of_quat(const double given[4], double v[3])
{
	double q[4], s, c;
	memcpy(q, given, sizeof q);
	normalize(q);
	for (int i = 0; q[0] < 0 && i < 4; i++)
		q[i] = i ? -q[i] : q[i];
	double w = q[0] < 0 ? -q[0] : q[0], half = arc2(sqrt((1 - w) * (1 + w)), w);
	sine_cosine(half, &s, &c);
	double f = s > 1e-12 ? 2 * half / s : 0;
	for (int i = 0; i < 3; i++)
		v[i] = q[i + 1] * f;
}

static void ypr_of_quat(const double given[4], double a[3])
{
	double q[4];
	memcpy(q, given, sizeof q);
	normalize(q);
	double p = 2 * (q[0] * q[2] - q[3] * q[1]);
	const double degrees = 180.0 / pi;
	a[0] = arc2(2 * (q[0] * q[3] + q[1] * q[2]), 1 - 2 * (q[2] * q[2] + q[3] * q[3])) * degrees;
	a[1] = arc2(p, sqrt((1 - p) * (1 + p))) * degrees;
	a[2] = arc2(2 * (q[0] * q[1] + q[2] * q[3]), 1 - 2 * (q[1] * q[1] + q[2] * q[2])) * degrees;
}

/* Bits of a prediction; what is not a number has many forms, so it counts as 0. */
static uint64_t bits(double d)
{
	uint64_t u;
	if (!(d == d))
		return 0;
	memcpy(&u, &d, sizeof u);
	return u;
}

static void get(const uint8_t *m, size_t at, double *v, int n)
{
	for (int i = 0; i < n; i++) {
		uint64_t u = hps_u64_at(m + at + 8 * (size_t)i);
		memcpy(&v[i], &u, sizeof u);
	}
}

/* sign: -1 takes the prediction off, 1 puts it back. */
static void shift(uint8_t *m, size_t at, const double *prediction, int n, int sign)
{
	for (int i = 0; i < n; i++) {
		uint8_t *p = m + at + 8 * (size_t)i;
		uint64_t by = bits(prediction[i]);
		hps_put_u64(p, sign < 0 ? hps_u64_at(p) - by : hps_u64_at(p) + by);
	}
}

void pack_model_apply(enum pack_model model, int64_t time, uint8_t *m)
{
	double q[4], v[3], predicted[4];
	if (model == PACK_NO_MODEL)
		return;
	get(m, QUAT, q, 4);
	get(m, ROTVEC, v, 3);
	ypr_of_quat(q, predicted);
	shift(m, YPR, predicted, 3, -1);
	if (model == PACK_FROM_ROTVEC) {
		quat_of_rotvec(v, predicted);
		shift(m, QUAT, predicted, 4, -1);
	} else {
		rotvec_of_quat(q, predicted);
		shift(m, ROTVEC, predicted, 3, -1);
	}
	hps_put_u64(m + ARRIVAL, hps_u64_at(m + ARRIVAL) - hps_u64_at(m + TIME));
	hps_put_u64(m + TIME, hps_u64_at(m + TIME) - (uint64_t)time);
}

void pack_model_undo(enum pack_model model, int64_t time, uint8_t *m)
{
	double q[4], v[3], predicted[4];
	if (model == PACK_NO_MODEL)
		return;
	hps_put_u64(m + TIME, hps_u64_at(m + TIME) + (uint64_t)time);
	hps_put_u64(m + ARRIVAL, hps_u64_at(m + ARRIVAL) + hps_u64_at(m + TIME));
	if (model == PACK_FROM_ROTVEC) {
		get(m, ROTVEC, v, 3);
		quat_of_rotvec(v, predicted);
		shift(m, QUAT, predicted, 4, 1);
		get(m, QUAT, q, 4);
	} else {
		get(m, QUAT, q, 4);
		rotvec_of_quat(q, predicted);
		shift(m, ROTVEC, predicted, 3, 1);
	}
	ypr_of_quat(q, predicted);
	shift(m, YPR, predicted, 3, 1);
}
