/* SPDX-License-Identifier: MIT
 * ros.c - samples as geometry_msgs/PoseStamped, foxglove_msgs/FrameTransform and sensor_msgs/Imu, CDR with the schemas
 * as ROS 2 has them. Axes are ROS's own (x front, y left, z up), so nothing is turned; positions are m instead of cm.
 */
#include "ros.h"

#define LINE   "================================================================================\n"
#define TIME   LINE "MSG: builtin_interfaces/Time\nint32 sec\nuint32 nanosec\n"
#define HEADER LINE "MSG: std_msgs/Header\nbuiltin_interfaces/Time stamp\nstring frame_id\n"
#define VECTOR LINE "MSG: geometry_msgs/Vector3\nfloat64 x\nfloat64 y\nfloat64 z\n"
#define QUAT   LINE "MSG: geometry_msgs/Quaternion\nfloat64 x\nfloat64 y\nfloat64 z\nfloat64 w\n"

static const char pose_schema[] =
    "std_msgs/Header header\ngeometry_msgs/Pose pose\n" HEADER TIME LINE
    "MSG: geometry_msgs/Pose\ngeometry_msgs/Point position\ngeometry_msgs/Quaternion orientation\n" LINE
    "MSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\nfloat64 z\n" QUAT;
static const char transform_schema[] =
    "builtin_interfaces/Time timestamp\nstring parent_frame_id\nstring child_frame_id\n"
    "geometry_msgs/Vector3 translation\ngeometry_msgs/Quaternion rotation\n" TIME VECTOR QUAT;
static const char imu_schema[] =
    "std_msgs/Header header\ngeometry_msgs/Quaternion orientation\nfloat64[9] orientation_covariance\n"
    "geometry_msgs/Vector3 angular_velocity\nfloat64[9] angular_velocity_covariance\n"
    "geometry_msgs/Vector3 linear_acceleration\nfloat64[9] linear_acceleration_covariance\n" HEADER TIME QUAT VECTOR;

static const char world[] = "world", head[] = "head";

int ros_add(struct hps_writer *w, struct ros_channels *c)
{
	const struct {
		int *channel;
		const char *topic, *type, *schema;
	} all[] = { { &c->pose, "/head/pose", "geometry_msgs/msg/PoseStamped", pose_schema },
		    { &c->transform, "/head/transform", "foxglove_msgs/msg/FrameTransform", transform_schema },
		    { &c->imu, "/head/imu", "sensor_msgs/msg/Imu", imu_schema } };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		*all[i].channel = hps_add_raw_channel(w, all[i].topic, "cdr", all[i].type, "ros2msg", all[i].schema,
		                                      strlen(all[i].schema), NULL);
		if (*all[i].channel < 0)
			return *all[i].channel;
	}
	return 0;
}

/* ---- CDR, little-endian: what is aligned counts from behind the 4-byte head --------------------------- */

struct cdr {
	uint8_t data[400];
	size_t size;
};

static struct cdr begin(void)
{
	struct cdr c = { { 0, 1, 0, 0 }, 4 };
	return c;
}

static void put(struct cdr *c, const void *value, size_t size, size_t align)
{
	while ((c->size - 4) % align)
		c->data[c->size++] = 0;
	memcpy(c->data + c->size, value, size);
	c->size += size;
}

static void put_text(struct cdr *c, const char *text)
{
	uint32_t n = (uint32_t)strlen(text) + 1;
	put(c, &n, 4, 4);
	put(c, text, n, 1);
}

/* int32 seconds end in 2038; a time in front of 1970 has its second below it. */
static void put_stamp(struct cdr *c, int64_t ns)
{
	int64_t sec = ns / 1000000000 - (ns % 1000000000 < 0);
	uint32_t nanosec = (uint32_t)(ns - sec * 1000000000);
	int32_t s = sec > INT32_MAX ? INT32_MAX : sec < INT32_MIN ? INT32_MIN : (int32_t)sec;
	put(c, &s, 4, 4);
	put(c, &nanosec, 4, 4);
}

static void put_header(struct cdr *c, int64_t stamp, const char *frame)
{
	put_stamp(c, stamp);
	put_text(c, frame);
}

static void put_reals(struct cdr *c, const double *v, size_t n)
{
	put(c, v, n * sizeof *v, sizeof *v);
}

static void put_quat(struct cdr *c, const double q[4])
{
	const double xyzw[4] = { q[1], q[2], q[3], q[0] };
	put_reals(c, xyzw, 4);
}

/* All 0: not known. -1 in front: the whole thing was not measured. */
static void put_covariance(struct cdr *c, bool measured)
{
	const double unknown[9] = { measured ? 0.0 : -1.0 };
	put_reals(c, unknown, 9);
}

int ros_write(struct hps_writer *w, const struct ros_channels *to, const struct hp_sample *s, int64_t time,
              int64_t stamp)
{
	static const double none[3];
	const double metres[3] = { s->pos[0] / 100, s->pos[1] / 100, s->pos[2] / 100 };
	const double *place = s->flags & HP_POS ? metres : none;
	struct cdr c = begin();
	put_header(&c, stamp, world);
	put_reals(&c, place, 3);
	put_quat(&c, s->quat);
	int r = hps_write(w, to->pose, time, c.data, c.size);
	if (r < 0)
		return r;
	c = begin();
	put_stamp(&c, stamp);
	put_text(&c, world);
	put_text(&c, head);
	put_reals(&c, place, 3);
	put_quat(&c, s->quat);
	r = hps_write(w, to->transform, time, c.data, c.size);
	bool gyro = s->flags & HP_GYRO, accel = s->flags & HP_ACCEL;
	if (r < 0 || (!gyro && !accel))
		return r;
	c = begin();
	put_header(&c, stamp, head);
	put_quat(&c, s->quat);
	put_covariance(&c, true);
	put_reals(&c, gyro ? s->gyro : none, 3);
	put_covariance(&c, gyro);
	put_reals(&c, accel ? s->accel : none, 3);
	put_covariance(&c, accel);
	return hps_write(w, to->imu, time, c.data, c.size);
}
