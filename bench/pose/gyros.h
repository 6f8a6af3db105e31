/* SPDX-License-Identifier: MIT
 * gyros.h - gyroscopes that are not as they should be: 40 s of turning about all three axes from the first sample on,
 * so that what a filter does until it knows counts as well. */
#ifndef BENCH_POSE_GYROS_H
#define BENCH_POSE_GYROS_H
#include "judge/chain.h"
#include <stdbool.h>

/* What the gyroscope reports of the head's angular velocity w: gain[i] * w[from[i]], late by some seconds. */
struct gyro_fault {
	const char *name;
	int from[3];
	double gain[3], late;
	bool faulty; /* kalman has to say so */
};
enum { GYRO_FAULTS = 20 };
extern const struct gyro_fault gyro_faults[GYRO_FAULTS]; /* the first one is right */
enum gyro_motion {
	GYRO_SWAY,  /* sines of yaw 30, pitch 15 and roll 10 degrees     */
	GYRO_TURNS, /* one turn after the other, minimum jerk, and rests */
	GYRO_MOTIONS
};
/* RMS distance to the truth over 40 s at 100 Hz with white noise of .1 degree, degrees; mean square over the seeds. */
double gyro_rms(struct judge_chain *, enum gyro_motion, const struct gyro_fault *, int seeds);
#endif
