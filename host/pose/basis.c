/* SPDX-License-Identifier: MIT
 * basis.c - the changes of basis, each written out once; see frames.h for what they mean. */
#include "basis.h"
#include "pose.h"
#include <math.h>

#define HALF_RADIANS (3.14159265358979323846 / 360.0)

/* Minus without a negative zero: text outputs would show "-0". */
static double minus(double v)
{
	return 0.0 - v;
}

void hp_frame_quat_from_ypr(const double ypr[3], double quat[4])
{
	double cy = cos(ypr[0] * HALF_RADIANS), sy = sin(ypr[0] * HALF_RADIANS);
	double cp = cos(ypr[1] * HALF_RADIANS), sp = sin(ypr[1] * HALF_RADIANS);
	double cr = cos(ypr[2] * HALF_RADIANS), sr = sin(ypr[2] * HALF_RADIANS);
	quat[0] = cy * cp * cr + sy * sp * sr;
	quat[1] = cy * cp * sr - sy * sp * cr;
	quat[2] = cy * sp * cr + sy * cp * sr;
	quat[3] = sy * cp * cr - cy * sp * sr;
	hp_quat_normalize(quat);
}
double hp_frame_wrap(double degrees)
{
	if (degrees > -180 && degrees <= 180)
		return degrees;
	double r = fmod(degrees, 360);
	return r > 180 ? r - 360 : r <= -180 ? r + 360 : r;
}

void hp_frame_sim_angles(const struct hp_sample *s, double out[3])
{
	out[0] = minus(s->ypr[0]);
	out[1] = minus(s->ypr[1]);
	out[2] = s->ypr[2];
}
void hp_frame_sim_position(const struct hp_sample *s, double out[3])
{
	bool there = s->flags & HP_POS;
	out[0] = there ? minus(s->pos[1]) : 0;
	out[1] = there ? s->pos[2] : 0;
	out[2] = there ? minus(s->pos[0]) : 0;
}

void hp_frame_opentrack_angles(const struct hp_sample *s, double out[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = minus(s->ypr[i]);
}
void hp_frame_opentrack_position(const struct hp_sample *s, double out[3])
{
	bool there = s->flags & HP_POS;
	out[0] = there ? s->pos[1] : 0;
	out[1] = there ? s->pos[2] : 0;
	out[2] = there ? minus(s->pos[0]) : 0;
}

void hp_frame_flightgear_angles(const struct hp_sample *s, double out[3])
{
	out[0] = s->ypr[0];
	out[1] = minus(s->ypr[1]);
	out[2] = s->ypr[2];
}

void hp_frame_scene_quat(const struct hp_sample *s, double out[4])
{
	out[0] = s->quat[0];
	out[1] = minus(s->quat[1]);
	out[2] = minus(s->quat[2]);
	out[3] = minus(s->quat[3]);
}
void hp_frame_scene_angles(const struct hp_sample *s, double out[3])
{
	double inverse[4];
	hp_frame_scene_quat(s, inverse);
	hp_quat_to_ypr(inverse, out);
}

/* Unity applies z, x, y where we apply x (roll), y (pitch), z (yaw): the same order of the same motions, so each
 * angle only needs its sign. */
void hp_frame_unity_euler(const struct hp_sample *s, double out[3])
{
	out[0] = s->ypr[1];
	out[1] = minus(s->ypr[0]);
	out[2] = minus(s->ypr[2]);
}
/* An axis (front, left, up) is (-left, up, front) there, and the sense of rotation is mirrored. */
void hp_frame_unity_quat(const struct hp_sample *s, double out[4])
{
	out[0] = s->quat[2];
	out[1] = minus(s->quat[3]);
	out[2] = minus(s->quat[1]);
	out[3] = s->quat[0];
}
void hp_frame_unity_position(const struct hp_sample *s, double out[3])
{
	bool there = s->flags & HP_POS;
	out[0] = there ? minus(s->pos[1]) / 100 : 0;
	out[1] = there ? s->pos[2] / 100 : 0;
	out[2] = there ? s->pos[0] / 100 : 0;
}
