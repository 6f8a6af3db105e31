/* SPDX-License-Identifier: MIT
 * agree.h - does the gyroscope turn the way the pose does? Rotations between poses at least 50 ms apart are compared
 * with the gyroscope's sum over the same time; shorter ones say little where time stamps are uneven. */
#ifndef FILTERS_AGREE_H
#define FILTERS_AGREE_H
#include "pose/rotation.h"
#include <stdbool.h>

enum agree_verdict { AGREE_UNKNOWN, AGREE_YES, AGREE_NO };
/* Products of angular velocities, each times how long it lasted: rad^2/s. */
struct agree_sums {
	double pp[3], gg[3]; /* of pose and gyroscope with themselves, per axis */
	double pg[3][3];     /* pose axis by gyroscope axis                     */
};
struct agree {
	bool started, settled;
	struct quat from;              /* the pose at the start of the span                        */
	struct vec turned;             /* by the gyroscope since then, rad                         */
	double span, length;           /* s since then; of the last whole span                     */
	struct agree_sums recent, all; /* over recent motion; over a longer time, to tell the axes */
	double inverse[3][3];          /* as all.pg, with the inverse of the pose                  */
	double moved;                  /* s of motion that the recent sums stand for               */
	struct vec bias;               /* mean of gyro minus pose, rad/s                           */
	double bias_time;              /* s that it is the mean of                                 */
	enum agree_verdict verdict;
};

/* Forgets everything. */
void agree_start(struct agree *);
/* What was seen until now was the device's start-up: it does not count any more. */
void agree_settled(struct agree *);
/* The pose was taken anew (a jump, a gap): only the span under way is given up. */
void agree_skip(struct agree *);
/* The gyroscope's lead was given up: it has to prove itself again. What was seen over the longer time stays. */
void agree_again(struct agree *);
/* One more pose and reading (head axes, rad/s; mean of this and the last one), dt > 0 s after the one before. True when
 * a span was completed, so that the verdict may be another one. */
bool agree_step(struct agree *, struct quat measured, struct vec reading, double dt);

enum agree_fit {
	AGREE_FITS_NOT,    /* no axes fit, or the motion so far leaves open which           */
	AGREE_FITS,        /* with other axes of the gyroscope                              */
	AGREE_FITS_INVERSE /* as that, and the pose is the inverse of how the device turned */
};
/* Which axes of the gyroscope, with sign (1 = x, -2 = minus y ...), would fit the x, y, z of the pose or its inverse.
 */
enum agree_fit agree_axes(const struct agree *, int axes[3]);
/* Length of the pose's rotations over those of the gyroscope; 0 = not known. */
double agree_ratio(const struct agree *);
#endif
