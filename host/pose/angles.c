/* SPDX-License-Identifier: MIT
 * angles.c - angles that go on where the last ones were; see angles.h. */
#include "angles.h"
#include <math.h>

#define POLE 89.9999

static double nearest(double angle, double last)
{
	return angle + 360 * rint((last - angle) / 360);
}
static double within(double angle, double turn)
{
	return angle > turn    ? angle - 360 * ceil((angle - turn) / 360)
	       : angle < -turn ? angle + 360 * ceil((-turn - angle) / 360)
	                       : angle;
}

/* Nose straight up or down: only yaw - roll (down) or yaw + roll (up) is there, the two angles themselves are noise.
 * They stay as they were as far as that allows. */
static void at_the_pole(const double last[3], const double quat[4], double ypr[3])
{
	double sign = ypr[1] > 0 ? -1 : 1, both = 2 * atan2(quat[3], quat[0]) * (180 / 3.14159265358979323846);
	double change = nearest(both, last[0] + sign * last[2]) - (last[0] + sign * last[2]);
	ypr[0] = last[0] + change / 2;
	ypr[2] = last[2] + sign * change / 2;
}

void hp_angles_follow(struct hp_angles *a, const double quat[4], const double given[3], const double turn[3],
                      double out[3])
{
	double ypr[3] = { given[0], given[1], given[2] };
	if (a->started && fabs(ypr[1]) > POLE)
		at_the_pole(a->last, quat, ypr);
	if (!a->started) {
		for (int i = 0; i < 3; i++)
			out[i] = a->last[i] = ypr[i];
		a->started = true;
		return;
	}
	const double *last = a->last;
	double plain[3] = { nearest(ypr[0], last[0]), ypr[1], nearest(ypr[2], last[2]) };
	double over[3] = { nearest(ypr[0] + 180, last[0]), (ypr[1] < 0 ? -180 : 180) - ypr[1],
		           nearest(ypr[2] + 180, last[2]) };
	double way = fabs(plain[0] - last[0]) + fabs(plain[1] - last[1]) + fabs(plain[2] - last[2]);
	double way_over = fabs(over[0] - last[0]) + fabs(over[1] - last[1]) + fabs(over[2] - last[2]);
	const double *next = fabs(over[1]) <= HP_ANGLES_OVER && way_over < way ? over : plain;
	out[0] = within(next[0], turn[0]);
	out[1] = next[1];
	out[2] = within(next[2], turn[2]);
	for (int i = 0; i < 3; i++)
		a->last[i] = out[i];
}
double hp_angles_turn(double full)
{
	return 360 - full;
}
