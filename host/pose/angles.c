/* SPDX-License-Identifier: MIT
 * angles.c - angles that go on where the last ones were; see angles.h. */
#include "angles.h"
#include <math.h>

#define OVER_THE_TOP 135 /* degrees of pitch up to which the upside-down triple is kept */

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

void hp_angles_follow(struct hp_angles *a, const double ypr[3], const double turn[3], double out[3])
{
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
	const double *next = fabs(over[1]) <= OVER_THE_TOP && way_over < way ? over : plain;
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
