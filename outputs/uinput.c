/* SPDX-License-Identifier: MIT
 * uinput.c - a virtual joystick whose axes follow the head, through libevdev and the kernel's uinput.
 *
 * Every axis of the pose can be an axis of the joystick: -32767 to 32767, 0 in the middle. Signs are those of
 * simulators: yaw right, pitch up, roll right, x right, y up, z back are positive. */
#include "api/builtin.h"
#include "headpipe.h"
#include "pose/basis.h"
#include <errno.h>
#include <fcntl.h>
#include <libevdev/libevdev-uinput.h>
#include <libevdev/libevdev.h>
#include <linux/uinput.h>
#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { AXES = 6, FULL = 32767 };
#define CODES "none|X|Y|Z|RX|RY|RZ|THROTTLE|RUDDER|WHEEL|GAS|BRAKE|HAT0X|HAT0Y|HAT1X|HAT1Y|MISC"
/* In the order of the words above; `none` first. */
static const uint16_t codes[] = { 0,         ABS_X,        ABS_Y,      ABS_Z,     ABS_RX,  ABS_RY,
	                          ABS_RZ,    ABS_THROTTLE, ABS_RUDDER, ABS_WHEEL, ABS_GAS, ABS_BRAKE,
	                          ABS_HAT0X, ABS_HAT0Y,    ABS_HAT1X,  ABS_HAT1Y, ABS_MISC };
static const char *const names[AXES] = { "yaw", "pitch", "roll", "x", "y", "z" };

struct uinput {
	const char *device, *title;
	int yaw, pitch, roll, x, y, z;
	double yaw_range, pitch_range, roll_range, x_range, y_range, z_range;

	const struct hp_host *host;
	int fd;
	bool open;
	struct libevdev *description;
	struct libevdev_uinput *joystick;
	int code[AXES]; /* -1 = not sent */
	double range[AXES];
	int32_t last[AXES];
};
#define AXIS(f, def)       HP_OPT_ENUM(struct uinput, f, def, CODES, "axis of the joystick for " #f)
#define RANGE(f, def, doc) HP_OPT_REAL(struct uinput, f, def, 0.1, 1000, doc)
static const struct hp_option options[] = {
	HP_OPT_STR(struct uinput, device, "/dev/uinput", "the kernel's node", HP_LOCAL),
	HP_OPT_STR(struct uinput, title, "headpipe", "name under which games see the joystick"),
	AXIS(yaw, "RX"),
	AXIS(pitch, "RY"),
	AXIS(roll, "RZ"),
	AXIS(x, "X"),
	AXIS(y, "Y"),
	AXIS(z, "Z"),
	RANGE(yaw_range, "180", "degrees at the end of the axis"),
	RANGE(pitch_range, "90", "degrees at the end of the axis"),
	RANGE(roll_range, "180", "degrees at the end of the axis"),
	RANGE(x_range, "100", "cm at the end of the axis"),
	RANGE(y_range, "100", "cm at the end of the axis"),
	RANGE(z_range, "100", "cm at the end of the axis"),
	HP_OPT_END
};

static int refuse(const struct uinput *u, int error, const char *what)
{
	char text[512];
	snprintf(text, sizeof text, "%.200s: %s", u->device, what);
	u->host->log(u->host, HP_LOG_ERROR, text);
	return -error;
}
/* The three ways in which this usually goes wrong need three different cures. */
static int open_node(struct uinput *u)
{
	struct stat st;
	unsigned version;
	u->fd = open(u->device, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (u->fd < 0 && errno == ENOENT)
		return refuse(
		    u, ENOENT,
		    "is not there: the kernel module is not loaded (`sudo modprobe uinput`), or this kernel has none");
	if (u->fd < 0 && (errno == ENODEV || errno == ENXIO))
		return refuse(u, ENODEV, "is there, but no kernel module is behind it (`sudo modprobe uinput`)");
	if (u->fd < 0 && (errno == EACCES || errno == EPERM))
		return refuse(u, EACCES,
		              "no permission: install conf/71-headpipe-uinput.rules and plug in again or log in again");
	if (u->fd < 0)
		return refuse(u, errno, strerror(errno));
	u->open = true;
	if (fstat(u->fd, &st) < 0 || !S_ISCHR(st.st_mode) || ioctl(u->fd, UI_GET_VERSION, &version) < 0)
		return refuse(u, ENOTTY, "is not the kernel's uinput; usually that is /dev/uinput");
	return 0;
}
static int check(const void *self, const char **key, char *why, size_t size)
{
	const struct uinput *u = self;
	const int chosen[AXES] = { u->yaw, u->pitch, u->roll, u->x, u->y, u->z };
	int used = 0;
	for (int i = 0; i < AXES; i++) {
		*key = names[i];
		used += chosen[i] != 0;
		for (int k = 0; k < i; k++)
			if (chosen[i] && chosen[i] == chosen[k]) {
				snprintf(why, size, "%s and %s would be the same axis of the joystick", names[k],
				         names[i]);
				return -EINVAL;
			}
	}
	if (used)
		return 0;
	snprintf(why, size, "every axis is `none`, there is nothing to send");
	return -EINVAL;
}
static void choose_axes(struct uinput *u)
{
	const int chosen[AXES] = { u->yaw, u->pitch, u->roll, u->x, u->y, u->z };
	const double range[AXES] = { u->yaw_range, u->pitch_range, u->roll_range, u->x_range, u->y_range, u->z_range };
	for (int i = 0; i < AXES; i++) {
		u->code[i] = chosen[i] ? codes[chosen[i]] : -1;
		u->range[i] = range[i];
	}
}
static int create(struct uinput *u)
{
	struct input_absinfo range = { .minimum = -FULL, .maximum = FULL };
	u->description = libevdev_new();
	if (!u->description)
		return -ENOMEM;
	libevdev_set_name(u->description, u->title);
	libevdev_set_id_bustype(u->description, BUS_VIRTUAL);
	libevdev_set_id_vendor(u->description, 0x4850); /* "HP", made up: games tell joysticks apart by it */
	libevdev_set_id_product(u->description, 0x0001);
	libevdev_set_id_version(u->description, 1);
	/* with these buttons udev takes it for a joystick, without them for a mouse or nothing */
	int r = libevdev_enable_event_code(u->description, EV_KEY, BTN_TRIGGER, NULL);
	if (!r)
		r = libevdev_enable_event_code(u->description, EV_KEY, BTN_THUMB, NULL);
	for (int i = 0; i < AXES && !r; i++)
		if (u->code[i] >= 0)
			r = libevdev_enable_event_code(u->description, EV_ABS, (unsigned)u->code[i], &range);
	if (!r)
		r = libevdev_uinput_create_from_device(u->description, u->fd, &u->joystick);
	return r < 0 ? refuse(u, -r, strerror(-r)) : 0;
}
static void uinput_close(void *self)
{
	struct uinput *u = self;
	if (u->joystick)
		libevdev_uinput_destroy(u->joystick);
	if (u->description)
		libevdev_free(u->description);
	if (u->open)
		close(u->fd);
	u->joystick = NULL;
	u->description = NULL;
	u->open = false;
}
static int uinput_open(void *self, const struct hp_host *host)
{
	struct uinput *u = self;
	char text[128];
	u->host = host;
	choose_axes(u);
	int r = open_node(u);
	if (!r)
		r = create(u);
	if (r < 0) {
		uinput_close(u);
		return r;
	}
	const char *node = libevdev_uinput_get_devnode(u->joystick);
	snprintf(text, sizeof text, "joystick \"%.60s\" is %.40s", u->title, node ? node : "there");
	host->log(host, HP_LOG_INFO, text);
	return 0;
}
/* What changed, and the mark behind it, in one write: the kernel takes any number of events at once. */
static int put(struct uinput *u, const double values[AXES])
{
	struct input_event events[AXES + 1];
	size_t n = 0;
	memset(events, 0, sizeof events); /* the kernel stamps the time */
	for (int i = 0; i < AXES; i++) {
		if (u->code[i] < 0)
			continue;
		double v = values[i] / u->range[i];
		int32_t at = (int32_t)lround(fmax(-1, fmin(1, v)) * FULL);
		if (at == u->last[i])
			continue;
		u->last[i] = at;
		events[n].type = EV_ABS;
		events[n].code = (uint16_t)u->code[i];
		events[n++].value = at;
	}
	if (!n)
		return 0;
	events[n++].type = EV_SYN;
	if (write(u->fd, events, n * sizeof *events) >= 0)
		return 0;
	for (int i = 0; i < AXES; i++)
		u->last[i] = INT32_MIN; /* it arrived nowhere: send it all again next time */
	return -errno;
}
static int uinput_write(void *self, const struct hp_sample *s)
{
	double values[AXES];
	hp_frame_sim_angles(s, values);
	hp_frame_sim_position(s, values + 3);
	return put(self, values);
}
/* A joystick that ends while pushed aside would leave games looking there. */
static void uinput_stop(void *self)
{
	static const double centre[AXES];
	struct uinput *u = self;
	if (u->joystick)
		put(u, centre);
}
HP_MODULE(uinput) = {
	HP_MODULE_HEAD,
	.kind = HP_OUTPUT,
	.traits = HP_OPENS_AGAIN,
	.name = "uinput",
	.summary = "a virtual joystick whose axes follow the head",
	.options = options,
	.state_size = sizeof(struct uinput),
	.check = check,
	.open = uinput_open,
	.write = uinput_write,
	.stop = uinput_stop,
	.close = uinput_close,
};
