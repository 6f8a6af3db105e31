/* SPDX-License-Identifier: MIT
 * mount.c - from how a sensor sits on the head to the head's own pose: order and signs of its axes, then its tilt.
 * `headpipe calibrate` finds the values.
 *
 * The rotation vector is taken apart and put together again in the head's axes (the same words as in `orientation`,
 * but nothing is smoothed and nothing is centred: gravity stays where the device says). A sensor that is tilted by m
 * reads q = head * m, so the head is q * m^-1: what turns it about the vertical stays a turn about the vertical.
 * gyro and accel are turned into the head's axes as well. */
#include "headpipe.h"
#include "pose/axis_map.h"
#include "pose/basis.h"
#include "pose/pose.h"
#include "pose/quat.h"
#include <errno.h>
#include <string.h>

struct mount {
	struct hp_list axis_map, invert;
	const char *gyro_map, *gyro_invert;
	double yaw, pitch, roll;

	struct hp_axis_map pose, vector, gyro; /* of rotation vectors; of directions; of the angular velocity */
	bool mapped, tilted;
	struct quat tilt; /* the sensor's axes in the head's: turns a vector of the sensor into one of the head */
};
#define TILT(f, about)                                                                                            \
	HP_OPT_REAL(struct mount, f, "0", -180, 180,                                                              \
	            "degrees of " about " that the sensor shows when the head is level and looks ahead", HP_LIVE, \
	            "deg", -45, 45)
static const struct hp_option options[] = {
	HP_OPT_LIST(struct mount, axis_map, "XYZ", "X|Y|Z", "which of the device's axes becomes x, y and z",
	            HP_LIVE | HP_PERMUTATION),
	HP_OPT_LIST(struct mount, invert, "none", "X|Y|Z", "axes to turn round after that", HP_LIVE | HP_SET),
	HP_OPT_STR(
	    struct mount, gyro_map, "same",
	    "the same for the angular velocity, for devices whose gyroscope differs; `same`: the device's axes as "
	    "axis_map and invert name them",
	    HP_LIVE),
	HP_OPT_STR(struct mount, gyro_invert, "same",
	           "axes of the angular velocity to turn round after that, or none; `same`: see gyro_map", HP_LIVE),
	TILT(yaw, "yaw"),
	TILT(pitch, "pitch"),
	TILT(roll, "roll"),
	HP_OPT_END,
};

/* A map that mirrors (the usual one, YXZ with XZ inverted, does) is a change of axes and the rotation the other way
 * round: Android's trackers say how the room turns, seen from the head. An acceleration, or an angular velocity in the
 * device's axes, knows only the change of axes. */
static struct hp_axis_map of_vectors(struct hp_axis_map m)
{
	int sign = hp_axis_map_sign(&m);
	for (int i = 0; i < 3; i++)
		m.sign[i] *= sign;
	return m;
}
static int read_maps(const struct mount *m, struct hp_axis_map *pose, struct hp_axis_map *gyro, const char **key,
                     char *why, size_t size)
{
	const char *map = strcmp(m->gyro_map, "same") ? m->gyro_map : NULL,
	           *invert = strcmp(m->gyro_invert, "same") ? m->gyro_invert : NULL;
	int wrong;
	hp_axis_map_of(pose, m->axis_map.at, m->invert.at, m->invert.n);
	*gyro = map || invert ? *pose : of_vectors(*pose);
	if (hp_axis_map_read(gyro, map, invert, &wrong, why, size) == 0)
		return 0;
	*key = wrong ? "gyro_invert" : "gyro_map";
	return -EINVAL;
}
static int check(const void *self, const char **key, char *why, size_t size)
{
	struct hp_axis_map pose, gyro;
	return read_maps(self, &pose, &gyro, key, why, size);
}
static bool is_plain(const struct hp_axis_map *m)
{
	for (int i = 0; i < 3; i++)
		if (m->from[i] != i || m->sign[i] < 0)
			return false;
	return true;
}
static int changed(void *self)
{
	struct mount *m = self;
	struct hp_axis_map pose, gyro;
	const char *key;
	char why[128];
	if (read_maps(m, &pose, &gyro, &key, why, sizeof why) < 0)
		return -EINVAL; /* only a host that did not ask check() gets here */
	double tilt[4], ypr[3] = { m->yaw, m->pitch, m->roll };
	hp_frame_quat_from_ypr(ypr, tilt);
	m->pose = pose;
	m->gyro = gyro;
	m->vector = of_vectors(pose);
	m->mapped = !is_plain(&pose);
	m->tilted = m->yaw != 0 || m->pitch != 0 || m->roll != 0;
	m->tilt = (struct quat){ tilt[0], tilt[1], tilt[2], tilt[3] };
	return 0;
}
static int open(void *self, const struct hp_host *host)
{
	(void)host;
	return changed(self);
}

static int filter(void *self, struct hp_sample *s)
{
	struct mount *m = self;
	if (m->mapped) {
		if (!(s->flags & HP_ROTVEC))
			hp_quat_to_rotvec(s->quat, s->rotvec);
		hp_axis_map_apply(&m->pose, s->rotvec, s->rotvec);
		hp_quat_from_rotvec(s->rotvec, s->quat);
		s->flags = (s->flags | HP_ROTVEC) & ~(uint32_t)(HP_YPR | HP_ANGVEL);
	}
	if (s->flags & HP_GYRO)
		hp_axis_map_apply(&m->gyro, s->gyro, s->gyro);
	if (s->flags & HP_ACCEL)
		hp_axis_map_apply(&m->vector, s->accel, s->accel);
	if (!m->tilted)
		return HP_KEEP;
	quat_store(quat_multiply(quat_load(s->quat), quat_conj(m->tilt)), s->quat);
	s->flags &= ~(uint32_t)(HP_ROTVEC | HP_YPR);
	if (s->flags & HP_GYRO)
		quat_rotate_in_place(m->tilt, s->gyro);
	if (s->flags & HP_ACCEL)
		quat_rotate_in_place(m->tilt, s->accel);
	if (s->flags & HP_ANGVEL)
		quat_rotate_in_place(m->tilt, s->angvel);
	return HP_KEEP;
}

HP_MODULE(mount) = {
	HP_MODULE_HEAD,
	.kind = HP_FILTER,
	.name = "mount",
	.summary = "order and signs of a sensor's axes, and the tilt with which it sits on the head",
	.options = options,
	.state_size = sizeof(struct mount),
	.open = open,
	.filter = filter,
	.changed = changed,
	.check = check,
};
