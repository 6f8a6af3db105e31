/* SPDX-License-Identifier: MIT
 * trim.h - scale and delay of each axis of a gyroscope, from what a filter with that gyroscope leaves over: the filter
 * stays as it is, and how a fault would show in its misfits is carried along (the separate estimation of constant
 * errors: Friedland, IEEE Transactions on Automatic Control 14(4), 1969). A gyroscope counts as right until its misfits
 * say otherwise beyond doubt, so that a good one is not made worse by an estimate. */
#ifndef FILTERS_TRIM_H
#define FILTERS_TRIM_H
#include "pose/rotation.h"
#include <stdbool.h>

enum { TRIM_SCALE, TRIM_DELAY, TRIM_FAULTS };
struct trim_axis {
	double fault[TRIM_FAULTS];            /* what is taken out: scale minus 1, -0.2 to 0.25; s, +-0.05        */
	double angle[TRIM_FAULTS];            /* by what a fault of 1 shows in the angle, and ...                 */
	double bias[TRIM_FAULTS];             /* ... in the bias                                                  */
	double aa, ab, bb, left[TRIM_FAULTS]; /* normal equations of the misfits, over the variance of a misfit   */
	bool open[TRIM_FAULTS];               /* found to be wrong: goes on being refined                         */
};
struct trim {
	struct trim_axis axis[3];
};

/* Nothing is known: the gyroscope is right. */
void trim_start(struct trim *);
/* The filter began anew: its misfits have nothing to do with the past; what was learned stays. */
void trim_skip(struct trim *);
struct vec trim_scaled(const struct trim *, struct vec reading);
/* How much later than the pose it turns, s: of the axis that is latest or earliest by far. */
double trim_delay(const struct trim *);
/* The turn (rad) over dt s from the mean of the two readings and their difference, rad/s. */
struct vec trim_turn(struct trim *, struct vec mean, struct vec change, double dt);
/* After it: the misfit (rad), its variance per axis, and with what gains it went into angle and bias. Out: what has to
 * be added to angle (rad) and bias (rad/s) for what was believed of the faults until now. */
void trim_learn(struct trim *t, struct vec misfit, double variance, double angle_gain, double bias_gain, double dt,
                struct vec *angle, struct vec *bias);
#endif
