/* SPDX-License-Identifier: MIT
 * aided.h - orientation from a gyroscope that is corrected by measured orientations: an error-state Kalman filter with
 * the orientation and the gyroscope's constant error ("bias") as state. Noise is taken as the same on each axis, so one
 * 2x2 covariance serves all three. What else may be wrong with a gyroscope, the scale of each axis and a delay, is
 * estimated beside it from what the filter leaves over (trim.h). */
#ifndef FILTERS_AIDED_H
#define FILTERS_AIDED_H
#include "pose/rotation.h"
#include "trim.h"
#include <stdbool.h>

struct aided {
	struct quat q;      /* the estimate, unit length                        */
	struct vec bias;    /* of the gyroscope, rad/s                          */
	struct vec reading; /* its last reading, rad/s                          */
	double aa, ab, bb;  /* covariance of angle and bias: rad^2, rad^2/s ... */
	/* measured minus predicted: low-passed, its square low-passed, and that over what was expected (3 = as
	 * expected) */
	struct vec misfit;
	double square, surprise;
	struct trim trim; /* scale and delay of the gyroscope; stays as the bias does */
};
struct aided_noise {
	double pose; /* standard deviation of a measured orientation per axis, rad, > 0 */
	double gyro; /* of one reading of the gyroscope per axis, rad/s, > 0            */
	double walk; /* of the bias, rad/s per square root of a second                  */
};

/* Begins anew at a measured orientation; the bias and how sure it is stay. */
void aided_start(struct aided *, struct quat measured, struct vec reading, const struct aided_noise *);
/* What is known of the bias: rad/s, and its standard deviation. */
void aided_set_bias(struct aided *, struct vec bias, double deviation);
/* The gyroscope's reading with what is known of its faults taken out: rad/s, without the delay. */
struct vec aided_rate(const struct aided *, struct vec reading);
/* dt >= 0 s later; both in head axes. False when the pose is not where the gyroscope turned it, by more than noise: the
 * measured pose then counts for more. */
bool aided_step(struct aided *, struct quat measured, struct vec reading, double dt, const struct aided_noise *);
#endif
