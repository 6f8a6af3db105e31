/* SPDX-License-Identifier: MIT
 * test_uinput.c - the events a joystick gets, on a pseudo terminal in place of the kernel's node, and the words for
 * every way in which the node is not what it should be; read back through the kernel where it has uinput. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "fake_host.h"
#include "have.h"
#if !HP_HAVE_LIBEVDEV
int main(void)
{
	puts("skip: built without libevdev");
	return 77;
}
#else
#include "pose/basis.h"
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <libevdev/libevdev-uinput.h>
#include <libevdev/libevdev.h>
#include <linux/uinput.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct hp_module hp_output_uinput;
static const struct hp_module *const uinput = &hp_output_uinput;
#define SET(key, value) fake_set(uinput, state, key, value)

static char no_node[64]; /* a file, which is no device */

/* The module's two ways into the kernel; while `pretend` is set they say yes to anything. */
static bool pretend;
static struct libevdev *seen;
int ioctl(int fd, unsigned long request, ...)
{
	static int (*real)(int, unsigned long, ...);
	va_list ap;
	va_start(ap, request);
	void *arg = va_arg(ap, void *);
	va_end(ap);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "ioctl");
	return pretend && request == UI_GET_VERSION ? 0 : real(fd, request, arg);
}
int libevdev_uinput_create_from_device(const struct libevdev *dev, int fd, struct libevdev_uinput **out)
{
	static int (*real)(const struct libevdev *, int, struct libevdev_uinput **);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "libevdev_uinput_create_from_device");
	if (!pretend)
		return real(dev, fd, out);
	seen = (struct libevdev *)(uintptr_t)dev;
	*out = (struct libevdev_uinput *)(void *)&seen; /* only a mark that it exists */
	return 0;
}
const char *libevdev_uinput_get_devnode(struct libevdev_uinput *dev)
{
	static const char *(*real)(struct libevdev_uinput *);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "libevdev_uinput_get_devnode");
	return pretend ? "/dev/input/event99" : real(dev);
}
void libevdev_uinput_destroy(struct libevdev_uinput *dev)
{
	static void (*real)(struct libevdev_uinput *);
	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "libevdev_uinput_destroy");
	if (!pretend)
		real(dev);
}

static struct hp_sample pose(double yaw, double pitch, double roll)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	const double ypr[3] = { yaw, pitch, roll };
	hp_frame_quat_from_ypr(ypr, s.quat);
	memcpy(s.ypr, ypr, sizeof ypr);
	s.flags = HP_YPR;
	return s;
}
static void expect(int master, int n, const int (*want)[3])
{
	struct input_event e;
	for (int i = 0; i < n; i++) {
		assert_int_equal(read(master, &e, sizeof e), sizeof e);
		assert_int_equal(e.type, want[i][0]);
		assert_int_equal(e.code, want[i][1]);
		assert_int_equal(e.value, want[i][2]);
	}
	int left = -1;
	ioctl(master, FIONREAD, &left);
	assert_int_equal(left, 0);
}
#define EXPECT(...)                                                  \
	do {                                                         \
		const int want_[][3] = { __VA_ARGS__ };              \
		expect(master, sizeof want_ / sizeof *want_, want_); \
	} while (0)
#define SYN                           \
	{                             \
		EV_SYN, SYN_REPORT, 0 \
	}
static void test_events(void **unused)
{
	struct fake_host f;
	struct termios t;
	(void)unused;
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) || unlockpt(master)) {
		print_message("skip: no pseudo terminal here\n");
		skip();
	}
	int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	tcgetattr(slave, &t);
	cfmakeraw(&t);
	tcsetattr(slave, TCSANOW, &t);
	pretend = true;
	fake_init(&f, "stick");
	void *state = fake_state(uinput);
	SET("device", ptsname(master));
	SET("yaw_range", "90");
	SET("roll", "WHEEL");
	SET("z", "none");
	assert_int_equal(uinput->open(state, &f.host), 0);
	assert_string_equal(fake_text(&f.log), "info: joystick \"headpipe\" is /dev/input/event99\n");
	assert_true(libevdev_has_event_code(seen, EV_ABS, ABS_RX) && libevdev_has_event_code(seen, EV_ABS, ABS_WHEEL));
	assert_false(libevdev_has_event_code(seen, EV_ABS, ABS_Z) || libevdev_has_event_code(seen, EV_ABS, ABS_RZ));
	assert_true(libevdev_has_event_code(seen, EV_KEY, BTN_TRIGGER));
	assert_false(libevdev_has_property(seen, INPUT_PROP_BUTTONPAD));
	assert_int_equal(libevdev_get_abs_minimum(seen, ABS_RX), -32767);
	assert_int_equal(libevdev_get_abs_maximum(seen, ABS_RX), 32767);
	struct hp_sample s = pose(-45, -9, 18);
	assert_int_equal(uinput->write(state, &s), 0);
	EXPECT({ EV_ABS, ABS_RX, 16384 }, { EV_ABS, ABS_RY, 3277 }, { EV_ABS, ABS_WHEEL, 3277 }, SYN);
	assert_int_equal(uinput->write(state, &s), 0); /* nothing new: nothing sent */
	s = pose(170, -9, 18);                         /* beyond the range: the end of the axis */
	s.flags |= HP_POS;
	s.pos[1] = 50;
	s.pos[0] = 50;
	assert_int_equal(uinput->write(state, &s), 0);
	EXPECT({ EV_ABS, ABS_RX, -32767 }, { EV_ABS, ABS_X, -16384 }, SYN);
	uinput->stop(state);
	EXPECT({ EV_ABS, ABS_RX, 0 }, { EV_ABS, ABS_RY, 0 }, { EV_ABS, ABS_WHEEL, 0 }, { EV_ABS, ABS_X, 0 }, SYN);
	uinput->close(state);
	pretend = false;
	free(state);
	fake_free(&f);
	close(slave);
	close(master);
}
static void refused(const char *const *set, int result, const char *said)
{
	struct fake_host f;
	fake_init(&f, "stick");
	void *state = fake_state(uinput);
	for (; *set; set += 2)
		fake_set(uinput, state, set[0], set[1]);
	assert_int_equal(uinput->open(state, &f.host), result);
	if (!strstr(fake_text(&f.log), said))
		fail_msg("said: %s", fake_text(&f.log));
	free(state);
	fake_free(&f);
}
#define REFUSED(result, said, ...) refused((const char *const[]){ __VA_ARGS__, NULL }, result, said)
static void test_refused(void **unused)
{
	(void)unused;
	REFUSED(-ENOENT, "/nowhere/uinput: is not there: the kernel module is not loaded (`sudo modprobe uinput`)",
	        "device", "/nowhere/uinput");
	REFUSED(-ENOTTY, "/dev/null: is not the kernel's uinput; usually that is /dev/uinput", "device", "/dev/null");
	REFUSED(-ENOTTY, "is not the kernel's uinput", "device", no_node);
	if (geteuid() == 0) {
		print_message("skip: permission cannot be refused to root\n");
		return;
	}
	chmod(no_node, 0);
	REFUSED(-EACCES, "no permission: install conf/71-headpipe-uinput.rules", "device", no_node);
}
static void test_checked(void **unused)
{
	const char *key = "";
	char why[200] = "";
	(void)unused;
	void *state = fake_state(uinput);
	assert_int_equal(uinput->check(state, &key, why, sizeof why), 0);
	SET("z", "RX");
	assert_int_equal(uinput->check(state, &key, why, sizeof why), -EINVAL);
	assert_string_equal(key, "z");
	assert_string_equal(why, "yaw and z would be the same axis of the joystick");
	static const char *const all[] = { "yaw", "pitch", "roll", "x", "y", "z" };
	for (int i = 0; i < 6; i++)
		SET(all[i], "none");
	assert_int_equal(uinput->check(state, &key, why, sizeof why), -EINVAL);
	assert_string_equal(why, "every axis is `none`, there is nothing to send");
	free(state);
}
/* The joystick that the kernel made from it, by its name. */
static int open_joystick(const char *title)
{
	DIR *dir = opendir("/dev/input");
	for (struct dirent *e; dir && (e = readdir(dir));) {
		char path[300], name[64] = "";
		snprintf(path, sizeof path, "/dev/input/%s", e->d_name);
		int fd = strncmp(e->d_name, "event", 5) ? -1 : open(path, O_RDONLY | O_NONBLOCK);
		if (fd >= 0 && ioctl(fd, EVIOCGNAME(sizeof name), name) >= 0 && !strcmp(name, title)) {
			closedir(dir);
			return fd;
		}
		if (fd >= 0)
			close(fd);
	}
	if (dir)
		closedir(dir);
	return -1;
}
static void test_kernel(void **unused)
{
	struct fake_host f;
	char title[32];
	(void)unused;
	if (access("/dev/uinput", W_OK)) {
		print_message("skip: no writable /dev/uinput here, nothing is read back through the kernel\n");
		return;
	}
	snprintf(title, sizeof title, "headpipe test %d", (int)getpid());
	fake_init(&f, "stick");
	void *state = fake_state(uinput);
	SET("title", title);
	assert_int_equal(uinput->open(state, &f.host), 0);
	int fd = -1;
	for (int i = 0; i < 100 && fd < 0; i++, usleep(20000)) /* udev makes the node a little later */
		fd = open_joystick(title);
	if (fd < 0) {
		print_message("skip: the kernel's joystick got no node in /dev/input\n");
	} else {
		struct libevdev *dev = NULL;
		struct hp_sample s = pose(-90, -45, 90);
		assert_int_equal(libevdev_new_from_fd(fd, &dev), 0);
		assert_int_equal(uinput->write(state, &s), 0);
		struct input_event e;
		while (libevdev_next_event(dev, LIBEVDEV_READ_FLAG_NORMAL, &e) >= 0)
			;
		assert_int_equal(libevdev_get_event_value(dev, EV_ABS, ABS_RX), 16384);
		assert_int_equal(libevdev_get_event_value(dev, EV_ABS, ABS_RY), 16384);
		assert_int_equal(libevdev_get_event_value(dev, EV_ABS, ABS_RZ), 16384);
		libevdev_free(dev);
		close(fd);
	}
	uinput->stop(state);
	uinput->close(state);
	free(state);
	fake_free(&f);
}
int main(void)
{
	snprintf(no_node, sizeof no_node, "/tmp/headpipe-no-uinput-%d", (int)getpid());
	FILE *file = fopen(no_node, "w");
	if (file)
		fclose(file);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_checked),
		cmocka_unit_test(test_kernel),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(no_node);
	return failed;
}
#endif
