/* SPDX-License-Identifier: MIT
 * agree.h - does the gyroscope turn the way the pose does? Rotations between poses at least 50 ms apart are compared
 * with the gyroscope's sum over the same time; shorter ones say little where time stamps are uneven. */
#ifndef FILTERS_AGREE_H
#define FILTERS_AGREE_H
#include "pose/rotation.h"
#include <stdbool.h>

enum agree_verdict { AGREE_UNKNOWN, AGREE_YES, AGREE_NO };
struct agree {
	bool started, settled;
	struct quat from;                 /* the pose at the start of the span                        */
	struct vec turned;                /* by the gyroscope since then, rad                         */
	double span, length;              /* s since then; of the last whole span                     */
	double pp, gg, pg[3][3];          /* sums over recent motion: |pose|^2, |gyro|^2, pose x gyro */
	double all_pp, all_gg, all[3][3]; /* the same over a longer time, to tell the axes */
	double moved;                     /* s of motion that pp, gg and pg stand for                 */
	struct vec bias;                  /* mean of gyro minus pose, rad/s                           */
	double bias_time;                 /* s that it is the mean of                                 */
	enum agree_verdict verdict;
};

/* Forgets everything. */
void agree_start(struct agree *);
/* What was seen until now was the device's start-up: it does not count any more. */
void agree_settled(struct agree *);
/* The pose was taken anew (a jump, a gap): only the span under way is given up. */
void agree_skip(struct agree *);
/* One more pose and reading (head axes, rad/s; mean of this and the last one), dt > 0 s after the one before. True when
 * a span was completed, so that the verdict may be another one. */
bool agree_step(struct agree *, struct quat measured, struct vec reading, double dt);
/* Which axes of the gyroscope, with sign (1 = x, -2 = minus y ...), would fit the pose's x, y, z. False when none fits
 * or the motion so far leaves it open. */
bool agree_axes(const struct agree *, int axes[3]);
/* Length of the pose's rotations over those of the gyroscope; 0 = not known. */
double agree_ratio(const struct agree *);
#endif
