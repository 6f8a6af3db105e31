/* SPDX-License-Identifier: MIT
 * pose.h (plain) - the same formulas as host/pose/pose.h written down once more, step by step, without any saving. */
#ifndef PLAIN_POSE_H
#define PLAIN_POSE_H
#include "headpipe.h"

void plain_normalize(const double q[4], double out[4]);
void plain_multiply(const double a[4], const double b[4], double out[4]);
void plain_rotvec_to_quat(const double v[3], double out[4]);
void plain_quat_to_rotvec(const double q[4], double out[3]);
void plain_quat_to_ypr(const double q[4], double out[3]);
void plain_slerp(const double a[4], const double b[4], double t, double out[4]);

/* The filter `orientation`. Set the first five after plain_orientation_init(). */
struct plain_orientation {
	double smoothing, fast_movement, drift_correction;
	int source[3];
	double sign[3];
	bool first, recenter;
	int64_t last_ns;
	double filtered[4], centre[4], drift[4], bias[3], integral[3];
};
void plain_orientation_init(struct plain_orientation *);
/* rotvec, gyro (with HP_GYRO), accel (with HP_ACCEL) and time_ns in; quat, rotvec, ypr, gyro, accel out. */
void plain_orientation(struct plain_orientation *, struct hp_sample *);
#endif
