/* SPDX-License-Identifier: MIT
 * angles.h - yaw, pitch and roll that go on where the last ones were, for filters that scale or bend single angles.
 *
 * A pose has many triples of angles: any of them may be 360 degrees more, and (yaw + 180, 180 - pitch, roll + 180) is
 * the same pose as (yaw, pitch, roll). Scaled, they are different poses. So a motion is followed: each angle is taken
 * nearest to its last value, and a nod over the top goes on to pitch 95 instead of turning yaw and roll round. */
#ifndef HP_ANGLES_H
#define HP_ANGLES_H
#include <stdbool.h>

enum { HP_ANGLES_OVER = 135 }; /* degrees of pitch up to which the upside-down triple is kept */

/* Zeroed: nothing followed yet. */
struct hp_angles {
	bool started;
	double last[3]; /* yaw, pitch, roll, degrees; any number of turns */
};

/* quat: a unit pose, ypr: its angles as hp_quat_to_ypr() gives them, degrees. out: the same pose. turn: beyond
 * +-turn[i] (at least 180; INFINITY = never) yaw and roll lose or gain a whole turn. Pitch stays within +-135: further
 * over the top is the other triple again, so that an upright head never keeps a triple from a somersault. */
void hp_angles_follow(struct hp_angles *, const double quat[4], const double ypr[3], const double turn[3],
                      double out[3]);
/* Degrees at which an axis that is made stronger should lose a turn. full: the angle (above 0, at most 180) on the
 * other side that gives 180. There both readings give the same view, so nothing jumps; and as late as possible, so
 * that a receiver of angles does not see 180 and -180 in turns. */
double hp_angles_turn(double full);
#endif
