/* SPDX-License-Identifier: MIT
 * ros.h - samples once more in message types that other tools draw: a pose, the transform from world to head, an IMU.
 */
#ifndef SESSION_ROS_H
#define SESSION_ROS_H
#include "headpipe-session.h"

struct ros_channels {
	int pose, transform, imu;
};

/* The channels, in a new file. 0 or a negative errno value. */
int ros_add(struct hps_writer *, struct ros_channels *);
/* One sample. time: the message's log time; stamp: when it was taken, ns since 1970. */
int ros_write(struct hps_writer *, const struct ros_channels *, const struct hp_sample *, int64_t time, int64_t stamp);
#endif
