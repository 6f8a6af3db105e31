/* SPDX-License-Identifier: MIT
 * orientation.c (plain) - the filter `orientation` once more, step by step, always doing every step. */
#include "pose.h"
#include <math.h>
#include <string.h>

static double clamp(double v, double lo, double hi)
{
	if (v < lo)
		return lo;
	if (hi < v)
		return hi;
	return v;
}

static void identity(double q[4])
{
	q[0] = 1;
	q[1] = q[2] = q[3] = 0;
}

static void conjugate(const double q[4], double out[4])
{
	out[0] = q[0];
	for (int i = 1; i < 4; i++)
		out[i] = -q[i];
}

static void remap(const struct plain_orientation *o, double v[3])
{
	double in[3] = { v[0], v[1], v[2] };
	for (int i = 0; i < 3; i++)
		v[i] = in[o->source[i]] * o->sign[i];
}

void plain_orientation_init(struct plain_orientation *o)
{
	memset(o, 0, sizeof *o);
	o->smoothing = 0.18;
	o->fast_movement = 2.5;
	o->drift_correction = 0.002;
	o->source[0] = 1;
	o->source[2] = 2;
	o->sign[0] = o->sign[2] = -1;
	o->sign[1] = 1;
	o->first = true;
	identity(o->filtered);
	identity(o->centre);
	identity(o->drift);
}

void plain_orientation(struct plain_orientation *o, struct hp_sample *s)
{
	double raw[4], w[3] = { 0, 0, 0 }, back[4], turned[4], out[4];
	remap(o, s->rotvec);
	if (s->flags & HP_GYRO) {
		remap(o, s->gyro);
		memcpy(w, s->gyro, sizeof w);
	}
	if (s->flags & HP_ACCEL)
		remap(o, s->accel);
	plain_rotvec_to_quat(s->rotvec, raw);
	if (o->first) {
		memcpy(o->filtered, raw, sizeof raw);
		memcpy(o->centre, raw, sizeof raw);
		o->last_ns = s->time_ns;
		o->first = false;
	}
	if (o->recenter) {
		memcpy(o->centre, raw, sizeof raw);
		identity(o->drift);
		memset(o->bias, 0, sizeof o->bias);
		memset(o->integral, 0, sizeof o->integral);
		o->recenter = false;
	}
	double dt = clamp((double)(s->time_ns - o->last_ns) / 1e9, 0, 0.1);
	o->last_ns = s->time_ns;
	double speed = sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
	double threshold = 0.01 < o->fast_movement ? o->fast_movement : 0.01;
	double fast = clamp(speed / threshold, 0, 1);
	double alpha = clamp(o->smoothing + (1 - o->smoothing) * fast, 0.001, 1);
	plain_slerp(o->filtered, raw, alpha, o->filtered);
	if (speed < 0.08 && o->drift_correction > 0) {
		double k = clamp(o->drift_correction * dt, 0, 0.01);
		for (int i = 0; i < 3; i++) {
			o->bias[i] += (w[i] - o->bias[i]) * k;
			o->integral[i] += o->bias[i] * dt;
		}
		plain_rotvec_to_quat(o->integral, o->drift);
	}
	conjugate(o->centre, back);
	plain_multiply(back, o->filtered, turned);
	conjugate(o->drift, back);
	plain_multiply(back, turned, out);
	memcpy(s->quat, out, sizeof out);
	plain_quat_to_rotvec(out, s->rotvec);
	plain_quat_to_ypr(out, s->ypr);
	s->flags |= HP_ROTVEC | HP_YPR;
}
