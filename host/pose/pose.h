/* SPDX-License-Identifier: MIT
 * pose.h - quaternions, rotation vectors and angles with the reference's formulas, to the last bit.
 * Quaternions are w x y z, rotation vectors rad, angles degrees. Order of operations and of sums is part of the
 * contract (docs/wire-formats.md); compile with -ffp-contract=off. */
#ifndef HP_POSE_H
#define HP_POSE_H
#include "headpipe.h"
#include "sample/sample.h"
#include <string.h>

void hp_quat_normalize(double q[4]);
void hp_quat_multiply(const double a[4], const double b[4], double out[4]); /* Hamilton, then normalized */
void hp_quat_from_rotvec(const double v[3], double out[4]);
void hp_quat_to_rotvec(const double q[4], double out[3]);
void hp_quat_to_ypr(const double q[4], double out[3]);
void hp_quat_slerp(const double a[4], const double b[4], double t, double out[4]);
/* Fills what the flags say is stale (HP_ROTVEC, HP_YPR) from quat and sets the flags. */
void hp_sample_derive(struct hp_sample *);
/* True when every number that the flags declare, and quat, rate and latency, are finite. */
bool hp_sample_finite(const struct hp_sample *);
/* All that is in force; what the flags leave out at the end is not worth the copying. */
static inline void hp_sample_copy(struct hp_sample *to, const struct hp_sample *from)
{
	memcpy(to, from, offsetof(struct hp_sample, angvel));
	if (to->flags & HP_SAMPLE_APPENDED_FLAGS)
		memcpy(to->angvel, from->angvel, sizeof *to - offsetof(struct hp_sample, angvel));
}
#endif
