/* SPDX-License-Identifier: MIT
 * pose.c (plain) - quaternion formulas, each written out as the text of the reference's formulas says. */
#include "pose.h"
#include <math.h>

static double clamp(double v, double lo, double hi)
{
	if (v < lo)
		return lo;
	if (hi < v)
		return hi;
	return v;
}

void plain_normalize(const double q[4], double out[4])
{
	double sum = 0;
	for (int i = 0; i < 4; i++)
		sum = i == 0 ? q[0] * q[0] : sum + q[i] * q[i];
	double n = sqrt(sum);
	for (int i = 0; i < 4; i++)
		out[i] = n < 1e-12 ? (i == 0 ? 1.0 : 0.0) : q[i] / n;
}

void plain_multiply(const double a[4], const double b[4], double out[4])
{
	double p[4];
	p[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
	p[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
	p[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
	p[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
	plain_normalize(p, out);
}

void plain_rotvec_to_quat(const double v[3], double out[4])
{
	double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	double q[4] = { 1, 0, 0, 0 };
	if (angle >= 1e-12) {
		double s = sin(angle / 2) / angle;
		q[0] = cos(angle / 2);
		for (int i = 0; i < 3; i++)
			q[i + 1] = v[i] * s;
		plain_normalize(q, q);
	}
	for (int i = 0; i < 4; i++)
		out[i] = q[i];
}

void plain_quat_to_rotvec(const double in[4], double out[3])
{
	double q[4];
	plain_normalize(in, q);
	if (q[0] < 0)
		for (int i = 0; i < 4; i++)
			q[i] = -q[i];
	double half = acos(clamp(q[0], -1, 1));
	double s = sin(half);
	double f = 2 * half / s;
	for (int i = 0; i < 3; i++)
		out[i] = fabs(s) < 1e-12 ? 0.0 : q[i + 1] * f;
}

void plain_quat_to_ypr(const double in[4], double out[3])
{
	double q[4];
	plain_normalize(in, q);
	double w = q[0], x = q[1], y = q[2], z = q[3];
	const double degrees = 180.0 / 3.14159265358979323846;
	out[0] = atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)) * degrees;
	out[1] = asin(clamp(2 * (w * y - z * x), -1, 1)) * degrees;
	out[2] = atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y)) * degrees;
}

void plain_slerp(const double a_in[4], const double b_in[4], double t, double out[4])
{
	double a[4], b[4], r[4];
	plain_normalize(a_in, a);
	plain_normalize(b_in, b);
	t = clamp(t, 0, 1);
	double dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
	if (dot < 0) {
		for (int i = 0; i < 4; i++)
			b[i] = -b[i];
		dot = -dot;
	}
	if (dot > 0.9995) {
		for (int i = 0; i < 4; i++)
			r[i] = a[i] + t * (b[i] - a[i]);
	} else {
		double theta = acos(clamp(dot, -1, 1));
		double s = sin(theta);
		double ka = sin((1 - t) * theta) / s;
		double kb = sin(t * theta) / s;
		for (int i = 0; i < 4; i++)
			r[i] = ka * a[i] + kb * b[i];
	}
	plain_normalize(r, out);
}
