/* SPDX-License-Identifier: MIT
 * test_hid_commands.c - probe, dump, doctor and udev against made-up devices: exit status, text, JSON. */
#include "commands/doctor/doctor.h"
#include "commands/shared/command.h"
#include "fake_hidapi.h"
#include "hid_descriptors.h"
#include "inputs/replay/recorder.h"
#include <jansson.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h> /* wants the ones above */

extern const struct hp_command hp_command_probe, hp_command_dump, hp_command_doctor, hp_command_udev;

static char output[1 << 16], errors[1 << 14];

static void slurp(const char *path, char *to, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n = fread(to, 1, size - 1, f);
	to[n] = 0;
	fclose(f);
}
/* Runs a command with its stdout and stderr kept; returns the exit status. */
static int run(const struct hp_command *command, ...)
{
	char path[2][64], *argv[12] = { (char *)"command" };
	int argc = 1, old[2], status;
	va_list ap;
	va_start(ap, command);
	while ((argv[argc] = va_arg(ap, char *)))
		argc++;
	va_end(ap);
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		snprintf(path[i], sizeof path[i], "%s/std%d", fake_root, i + 1);
		int fd = open(path[i], O_CREAT | O_TRUNC | O_WRONLY, 0600);
		old[i] = dup(i + 1);
		dup2(fd, i + 1);
		close(fd);
	}
	status = hp_run_command(command, argc, argv);
	fflush(NULL);
	for (int i = 0; i < 2; i++) {
		dup2(old[i], i + 1);
		close(old[i]);
	}
	slurp(path[0], output, sizeof output);
	slurp(path[1], errors, sizeof errors);
	return status;
}
static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no \"%s\" in:\n%s", part, text);
}
static void has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" in:\n%s", part, text);
}

static struct fake_device *device(int i, const char *name)
{
	struct fake_device *d = &fake_devices[i];
	d->name = name;
	d->serial = "02:00:00:00:00:01";
	d->vendor = 0x054c;
	d->product = (uint16_t)(0x0df0 + i);
	d->descriptor = tracker_v1;
	d->descriptor_size = sizeof tracker_v1;
	memcpy(d->feature[1], "\1\0", 2);
	d->feature_size[1] = 2;
	memcpy(d->feature[2], "\2#AndroidHeadTracker#1.0\0\0\0\0\0\0\0\0BT\2\0\0\0\0", 39);
	d->feature[2][39] = (uint8_t)(i + 1);
	d->feature_size[2] = 40;
	return d;
}

/* A device that sends: every 2 ms, until told to stop; moving or always the same. */
struct feed {
	struct fake_device *device;
	pthread_t thread;
	atomic_bool stop;
	bool moves, gyro;
};
static void *feed_run(void *arg)
{
	struct feed *f = arg;
	uint8_t report[14] = { 1 };
	for (uint8_t n = 0; !atomic_load(&f->stop); n++) {
		struct timespec ms2 = { 0, 2000000 };
		report[2] = f->moves ? n : 5;
		report[8] = f->gyro ? n : 0;
		fake_report(f->device, report, 14);
		nanosleep(&ms2, NULL);
	}
	return NULL;
}
static void feed_start(struct feed *f)
{
	atomic_store(&f->stop, false);
	assert_int_equal(pthread_create(&f->thread, NULL, feed_run, f), 0);
}
static void feed_stop(struct feed *f)
{
	atomic_store(&f->stop, true);
	pthread_join(f->thread, NULL);
}

static int setup(void **state)
{
	(void)state;
	fake_setup();
	return 0;
}
static int teardown(void **state)
{
	(void)state;
	assert_int_equal(fake_handles, 0);
	fake_teardown();
	return 0;
}

/* ---- probe -------------------------------------------------------------------------------------- */

static void test_probe(void **state)
{
	struct fake_device *d = device(0, "Headset"), *mouse = device(1, "Mouse");
	(void)state;
	assert_int_equal(run(&hp_command_probe, NULL), 3);
	assert_string_equal(output, "no head tracker among 0 HID devices\n");
	mouse->descriptor = other_mouse;
	mouse->descriptor_size = sizeof other_mouse;
	fake_plug(mouse, 0);
	assert_int_equal(run(&hp_command_probe, NULL), 3);
	assert_string_equal(output, "no head tracker among 1 HID device\n");
	fake_plug(d, 1);
	assert_int_equal(run(&hp_command_probe, NULL), 0);
	has(output, "Headset\n  node       ");
	has(output, "054c:0df0 on Bluetooth, driver hid-generic");
	has(output, "fields     rotation, angular velocity, reset counter");
	has(output, "interval   10 to 100 ms");
	has(output, "marker     #AndroidHeadTracker#1.0\n  protocol   1.0\n");
	has(output, "unique ID  BT 02:00:00:00:00:01");
	has(output, "state      can be used");
	has_not(output, "Mouse");
	assert_int_equal(d->sets, 0); /* looking changes nothing */
	assert_int_equal(mouse->opens, 0);
	assert_int_equal(run(&hp_command_probe, "--nonsense", NULL), 2);
}

static json_t *parsed(void)
{
	json_error_t e;
	json_t *j = json_loads(output, 0, &e);
	if (!j)
		fail_msg("%s in %s", e.text, output);
	return j;
}
static const char *text_of(json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));
	return s ? s : "(null)";
}

static void test_probe_json(void **state)
{
	struct fake_device *d = device(0, "Head\"set\\ \xc3\xa4");
	(void)state;
	d->node_error = -EACCES;
	fake_plug(d, 7);
	assert_int_equal(run(&hp_command_probe, "--json", NULL), 4);
	json_t *all = parsed(), *o = json_array_get(all, 0);
	assert_int_equal(json_array_size(all), 1);
	assert_int_equal(json_integer_value(json_object_get(o, "vendor")), 0x054c);
	assert_true(json_is_false(json_object_get(o, "access")));
	assert_true(json_is_false(json_object_get(o, "usable")));
	assert_true(json_is_null(json_object_get(o, "marker")));
	assert_int_equal(json_array_size(json_object_get(o, "fields")), 3);
	assert_true(json_real_value(json_object_get(o, "interval_min_ms")) == 10);
	has(text_of(o, "cure"), "udevadm trigger");
	json_decref(all);
	d->node_error = 0;
	assert_int_equal(run(&hp_command_probe, "--json", NULL), 0);
	all = parsed();
	o = json_array_get(all, 0);
	assert_true(json_is_true(json_object_get(o, "usable")));
	assert_string_equal(text_of(o, "protocol"), "1.0");
	assert_string_equal(text_of(o, "unique_id"), "BT 02:00:00:00:00:01");
	assert_true(json_is_null(json_object_get(o, "cure")));
	json_decref(all);
	fake_unplug(d);
	assert_int_equal(run(&hp_command_probe, "--json", NULL), 3);
	all = parsed();
	assert_int_equal(json_array_size(all), 0);
	json_decref(all);
}

static void test_probe_trouble(void **state)
{
	struct fake_device *denied = device(0, "Denied"), *held = device(1, "Held"), *odd = device(2, "Unmarked");
	(void)state;
	held->no_node = true;
	held->driver = "hid-sensor-hub";
	fake_plug(held, 0);
	assert_int_equal(run(&hp_command_probe, NULL), 3);
	has(output, "held by hid-sensor-hub, which leaves no device node");
	has(output, "> /sys/bus/hid/drivers/hid-sensor-hub/unbind");
	denied->node_error = -EACCES;
	fake_plug(denied, 1);
	assert_int_equal(run(&hp_command_probe, NULL), 4);
	has(output, "Permission denied");
	has(output, "To give yourself access, run:\n");
	memcpy(odd->feature[2] + 1, "#Something", 10);
	fake_plug(odd, 2);
	assert_int_equal(run(&hp_command_probe, NULL), 4);
	has(output, "no #AndroidHeadTracker# marker: used only when the ini names it");
	/* reads nothing at all: the benefit of the doubt, as `run` gives it */
	odd->refuse_get = true;
	assert_int_equal(run(&hp_command_probe, NULL), 0);
	has(output, "marker     cannot be read");
	odd->refuse_get = false;
	odd->open_errors = 1;
	assert_int_equal(run(&hp_command_probe, NULL), 4);
	has(output, "cannot be opened: Failed to open the node");
}

/* ---- dump --------------------------------------------------------------------------------------- */

static void test_dump(void **state)
{
	struct fake_device *d = device(0, "Headset");
	struct feed f = { .device = d, .moves = true, .gyro = true };
	char path[64], why[HID_RECORDER_WHY];
	(void)state;
	assert_int_equal(run(&hp_command_dump, NULL), 3);
	has(errors, "no head tracker (`headpipe doctor` looks for the reason)");
	fake_plug(d, 0);
	feed_start(&f);
	assert_int_equal(run(&hp_command_dump, "--for", "0.2", "--hid-recorder", NULL), 0);
	/* what `replay` reads with is the judge */
	struct hp_hid_recorder *in;
	struct hp_hid_record r;
	int events = 0, descriptors = 0, rc;
	snprintf(path, sizeof path, "%s/std1", fake_root);
	assert_int_equal(hp_hid_recorder_open(&in, path, NULL, NULL, why, sizeof why), 0);
	while ((rc = hp_hid_recorder_next(in, &r)) == 1) {
		if (r.kind == HID_RECORD_DESCRIPTOR) {
			descriptors++;
			assert_int_equal(r.size, sizeof tracker_v1);
			assert_memory_equal(r.data, tracker_v1, sizeof tracker_v1);
		} else if (r.kind == HID_RECORD_NAME) {
			assert_string_equal(r.name, "Headset");
		} else if (r.kind == HID_RECORD_IDS) {
			assert_int_equal(r.bus, 5);
			assert_int_equal(r.vendor, 0x054c);
		} else if (r.kind == HID_RECORD_EVENT) {
			events++;
			assert_int_equal(r.size, 14);
			assert_int_equal(r.data[0], 1);
		}
	}
	assert_int_equal(rc, 0);
	hp_hid_recorder_close(in);
	assert_int_equal(descriptors, 1);
	assert_true(events > 0);
	assert_int_equal(run(&hp_command_dump, "--for", "0.1", "--raw", NULL), 0);
	has(output, "   0.000000  01 00 ");
	assert_int_equal(run(&hp_command_dump, "--for", "0.1", "--name", "heads", NULL), 0);
	has(output, " rotation ");
	has(output, " gyro ");
	has(output, " reset 0\n");
	feed_stop(&f);
	assert_int_equal(run(&hp_command_dump, "--for", "0.1", NULL), 1);
	has(errors, "Headset sent nothing");
	assert_int_equal(run(&hp_command_dump, "--for", "0", NULL), 2);
	assert_int_equal(run(&hp_command_dump, "--for", NULL), 2);
	assert_int_equal(run(&hp_command_dump, "--name", NULL), 2);
	assert_int_equal(run(&hp_command_dump, "--name", "other", NULL), 3);
	d->node_error = -EACCES;
	assert_int_equal(run(&hp_command_dump, NULL), 4);
	has(errors, "permission denied. To give yourself access, run:");
	/* another one may be open */
	struct fake_device *second = device(1, "Second");
	fake_plug(second, 1);
	assert_int_equal(run(&hp_command_dump, "--for", "0.1", NULL), 1);
	has(errors, "Second sent nothing");
	has_not(errors, "permission denied");
	fake_unplug(second);
	d->node_error = 0;
	d->feature[2][1] = '!';
	assert_int_equal(run(&hp_command_dump, NULL), 3);
	has(errors, "has no #AndroidHeadTracker# marker");
}

/* Ready to read, but nothing there: looked at now and then, not as fast as the processor can. */
static void test_nothing_to_read(void **state)
{
	struct fake_device *d = device(0, "Headset");
	(void)state;
	d->empty_reads = true;
	fake_plug(d, 0);
	assert_int_equal(run(&hp_command_dump, "--for", "0.3", NULL), 1);
	assert_int_equal(run(&hp_command_doctor, "--for", "0.3", NULL), 1);
	assert_in_range(d->reads, 2, 62);
}

static void *unplug_soon(void *device)
{
	struct timespec ms50 = { 0, 50000000 };
	nanosleep(&ms50, NULL);
	fake_unplug(device);
	return NULL;
}
static void test_dump_unplugged(void **state)
{
	struct fake_device *d = device(0, "Headset");
	pthread_t t;
	(void)state;
	fake_plug(d, 0);
	pthread_create(&t, NULL, unplug_soon, d);
	assert_int_equal(run(&hp_command_dump, NULL), 1);
	has(errors, "Headset went away (Input/output error)");
	pthread_join(t, NULL);
}

/* ---- doctor ------------------------------------------------------------------------------------- */

static void test_doctor_healthy(void **state)
{
	struct fake_device *d = device(0, "Headset");
	struct feed f = { .device = d, .moves = true, .gyro = true };
	(void)state;
	fake_plug(d, 0);
	feed_start(&f);
	assert_int_equal(run(&hp_command_doctor, "--for", "0.3", NULL), 0);
	has(output, "ok     device      Headset, 054c:0df0 on Bluetooth\n");
	has(output, "ok     driver      hid-generic\n");
	has(output, "ok     node ");
	has(output, "ok     descriptor ");
	has(output, "ok     marker      #AndroidHeadTracker#1.0\n");
	has(output, "ok     start-up    accepted, a report every 10 ms\n");
	has(output, "reports/s");
	has(output, "ok     values      the rotation moves\n");
	has(output, "ok     gyro        angular velocity is there\n");
	has_not(output, "\nwrong");
	feed_stop(&f);
	f.moves = f.gyro = false;
	feed_start(&f);
	assert_int_equal(run(&hp_command_doctor, "--json", "--for", "0.3", NULL), 0);
	feed_stop(&f);
	json_t *all = parsed(), *o;
	size_t i;
	int seen = 0;
	json_array_foreach(all, i, o)
	{
		if (!strcmp(text_of(o, "link"), "values")) {
			assert_string_equal(text_of(o, "state"), "note");
			has(text_of(o, "text"), "constant");
			has(text_of(o, "cure"), "move your head");
			seen++;
		} else if (!strcmp(text_of(o, "link"), "gyro")) {
			has(text_of(o, "text"), "always zero");
			seen++;
		}
	}
	assert_int_equal(seen, 2);
	json_decref(all);
}

/* A laptop has custom sensors of its own. They are no broken link, and nobody is told to take their driver away. */
static void test_doctor_passes_over(void **state)
{
	static const uint8_t custom[] = { 0x05, 0x20, 0x09, 0xE1, 0xA1, 0x01, 0x0A, 0x43, 0x05, 0x15,
		                          0x00, 0x25, 0x7F, 0x75, 0x08, 0x95, 0x03, 0x81, 0x02, 0xC0 };
	struct fake_device *laptop = device(0, "Laptop"), *d = device(1, "Headset"), *closed = device(2, "Closed");
	struct feed f = { .device = d, .moves = true, .gyro = true };
	(void)state;
	laptop->descriptor = custom;
	laptop->descriptor_size = sizeof custom;
	laptop->no_node = true;
	laptop->driver = "hid-sensor-hub";
	fake_plug(laptop, 0);
	assert_int_equal(run(&hp_command_doctor, NULL), 3);
	has(output, "note   device      Laptop, 054c:0df0 on Bluetooth, is left alone: not a head tracker");
	has(output, "wrong  device      no head tracker among 1 HID device;");
	has_not(output, "unbind");
	assert_int_equal(run(&hp_command_probe, "--json", NULL), 3);
	has_not(output, "unbind");
	fake_plug(d, 1);
	closed->node_error = -EACCES;
	fake_plug(closed, 2);
	feed_start(&f);
	assert_int_equal(run(&hp_command_doctor, "--for", "0.3", NULL), 0);
	feed_stop(&f);
	has(output, "ok     values      the rotation moves\n");
	has(output, "note   device      Closed, 054c:0df2 on Bluetooth, is left alone: ");
	has(output, "hidraw2: Permission denied\n");
	has(output, "Nothing is wrong.\n");
	has_not(output, "\nwrong");
}

static void test_doctor_broken_links(void **state)
{
	struct fake_device *d = device(0, "Headset");
	(void)state;
	assert_int_equal(run(&hp_command_doctor, NULL), 3);
	has(output, "wrong  device      no head tracker among 0 HID devices");
	fake_plug(d, 3);
	d->node_error = -EACCES;
	assert_int_equal(run(&hp_command_doctor, NULL), 4);
	has(output, "hidraw3: permission denied");
	has(output, "-> ");
	has(output, "ok     descriptor "); /* sysfs has it, access or not */
	has(output, "skip   the rest ");
	d->node_error = -ENOENT;
	assert_int_equal(run(&hp_command_doctor, NULL), 1);
	has(output, "hidraw3: No such file or directory");
	d->node_error = 0;
	d->open_errors = 1;
	assert_int_equal(run(&hp_command_doctor, NULL), 1);
	has(output, "hidraw3: Failed to open the node");
	assert_int_equal(run(&hp_command_doctor, "--for", "0.1", NULL), 1);
	has(output, "wrong  reports     Headset is open and set up, but sent nothing in 0.1 s");
	d->refuse_set = true;
	assert_int_equal(run(&hp_command_doctor, "--for", "0.1", NULL), 1);
	has(output, "note   start-up    Headset refused the start-up settings (feature report 1: Broken pipe)");
	d->refuse_get = true;
	assert_int_equal(run(&hp_command_doctor, "--for", "0.1", NULL), 1);
	has(output, "note   marker      Headset lets none of its 2 feature reports be read");
	d->refuse_get = false;
	d->feature[2][1] = '!';
	assert_int_equal(run(&hp_command_doctor, "--for", "0.1", NULL), 3);
	has(output, "wrong  marker      no #AndroidHeadTracker# in any of 2 feature reports");
	has(output, "vendor = 0x054c, product = 0x0df0");
}

/* From no adapter to a connected headset without the sensor: each has its own advice. */
static void test_doctor_bluetooth(void **state)
{
	(void)state;
	assert_int_equal(run(&hp_command_doctor, NULL), 3);
	has(output, "among 0 HID devices; this computer has no Bluetooth adapter that Linux knows\n");
	fake_shell("mkdir -p %s/class/bluetooth/hci0", fake_sys);
	assert_int_equal(run(&hp_command_doctor, NULL), 3);
	has(output, "; no Bluetooth device is connected\n");
	has(output, "bluetoothctl connect");
	fake_shell("mkdir -p %s/class/bluetooth/hci0:11", fake_sys);
	assert_int_equal(run(&hp_command_doctor, NULL), 3);
	has(output, "; a Bluetooth device is connected, but offers none\n");
	has(output, "sudo modprobe uhid");
	fake_shell("touch %s/uhid", fake_dev);
	fake_shell("mkdir -p %s/class/bluetooth/hci0:12", fake_sys);
	assert_int_equal(run(&hp_command_doctor, NULL), 3);
	has(output, "; Bluetooth devices are connected, but offer none\n");
	has(output, "switch head tracking on");
}

static void test_doctor_no_node(void **state)
{
	struct fake_device *d = device(0, "Headset");
	(void)state;
	d->no_node = true;
	d->driver = "hid-sensor-hub";
	fake_plug(d, 0);
	assert_int_equal(run(&hp_command_doctor, NULL), 1);
	has(output, "wrong  driver      hid-sensor-hub holds 0005:054C:0DF0.0001");
	has(output, "echo 0005:054C:0DF0.0001 > /sys/bus/hid/drivers/hid-generic/bind");
}

static void write_ini(char *path, size_t size, const char *text)
{
	snprintf(path, size, "%s/test.ini", fake_root);
	fake_file(path, text, strlen(text));
}

static void test_doctor_ini(void **state)
{
	struct fake_device *d = device(0, "Headset");
	char path[64];
	(void)state;
	write_ini(path, sizeof path, "[input hid]\nintervall = 3\n[output opentrack_udp]\nto = 127.0.0.1:99999\n");
	assert_int_equal(run(&hp_command_doctor, path, NULL), 2);
	has(output, "test.ini:2: error: [input hid] intervall");
	has(output, "test.ini:4: error: [output opentrack_udp] to");
	has(output, "wrong  device"); /* looked at all the same */
	fake_plug(d, 0);
	write_ini(path, sizeof path, "[input hid]\nvendor = 1\n[output opentrack_udp]\n");
	assert_int_equal(run(&hp_command_doctor, path, NULL), 3);
	has(output, "no head tracker that fits the ini among 1 HID device\n");
	has(output, "headpipe probe");
	write_ini(path, sizeof path, "[input synth]\n[output opentrack_udp]\nto = 192.0.2.1:5000\n");
	assert_int_equal(run(&hp_command_doctor, path, NULL), 0);
	has(output, "no [input hid] in this file");
	has(output, "192.0.2.1 port 5000 is not on this machine");
	assert_int_equal(run(&hp_command_doctor, "a.ini", "b.ini", NULL), 2);
	assert_int_equal(run(&hp_command_doctor, "--for", "never", NULL), 2);
	assert_int_equal(run(&hp_command_doctor, "/nonexistent.ini", "--for", "0.1", NULL), 2);
}

static void test_doctor_listener(void **state)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof a;
	char path[64], ini[128];
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &size), 0);
	snprintf(ini, sizeof ini, "[input synth]\n[output opentrack_udp]\nto = 127.0.0.1:%u\n", ntohs(a.sin_port));
	write_ini(path, sizeof path, ini);
	assert_int_equal(run(&hp_command_doctor, path, NULL), 0);
	has(output, "opentrack_udp: a program listens on 127.0.0.1 port");
	close(fd);
	assert_int_equal(run(&hp_command_doctor, path, NULL), 0);
	has(output, "note   output      opentrack_udp: nobody listens on 127.0.0.1 port");
}

static bool in_table(const char *line, const uint8_t *address, size_t bytes, uint16_t port)
{
	char text[512];
	snprintf(text, sizeof text, "  sl  local_address rem_address   st\n%s 00000000:0000 07 00000000:00000000\n",
	         line);
	FILE *f = fmemopen(text, strlen(text), "r");
	bool found = hp_listener_in(f, address, bytes, port);
	fclose(f);
	return found;
}

static void test_listener_table(void **state)
{
	static const uint8_t loop4[4] = { 127, 0, 0, 1 }, other4[4] = { 10, 0, 0, 2 }, loop6[16] = { [15] = 1 };
	(void)state;
	assert_true(in_table("  9: 0100007F:1092", loop4, 4, 4242));
	assert_false(in_table("  9: 0100007F:1092", loop4, 4, 4243));
	assert_false(in_table("  9: 0100007F:1092", other4, 4, 4242));
	assert_true(in_table("1234: 00000000:1092", other4, 4, 4242));
	assert_true(in_table("  9: 00000000000000000000000001000000:1092", loop6, 16, 4242));
	assert_false(in_table("  9: 00000000000000000000000001000000:1092", loop4, 4, 4242));
	assert_true(in_table("  9: 00000000000000000000000000000000:1092", loop4, 4, 4242)); /* both families */
	assert_true(in_table("  9: 0000000000000000FFFF00000100007F:1092", loop4, 4, 4242)); /* mapped */
	assert_false(in_table("  9: zz", loop4, 4, 4242));
	assert_false(in_table("  9: 0100007F", loop4, 4, 0));
	assert_false(in_table("  9: 01:1092", loop4, 4, 4242));
}

static void test_heard(void **state)
{
	struct hp_heard h = { 0 };
	struct hp_findings f = { 0 };
	struct hp_sample s = HP_SAMPLE_INIT;
	(void)state;
	for (int i = 0; i < 50; i++) {
		hp_heard_report(&h, i * INT64_C(20000000) + (i > 25 ? 600000000 : 0));
		hp_heard_sample(&h, &s);
	}
	hp_heard_judge(&f, &h, "X", 3);
	assert_string_equal(f.at[0].link, "reports");
	assert_int_equal(f.at[0].state, HP_NOTE);
	assert_string_equal(f.at[0].text, "31 reports/s, but the longest gap was 620 ms");
	assert_int_equal(f.at[1].state, HP_NOTE); /* constant */
	assert_string_equal(f.at[2].link, "gyro");
	assert_int_equal(f.at[2].state, HP_OK); /* not there, not needed */
	assert_int_equal(f.status, 0);
	hp_findings_free(&f);
}

/* ---- udev --------------------------------------------------------------------------------------- */

static void test_udev(void **state)
{
	struct fake_device *d = device(0, "Headset"), *mouse = device(1, "Mouse");
	char path[128];
	(void)state;
	mouse->descriptor = other_mouse;
	mouse->descriptor_size = sizeof other_mouse;
	fake_plug(d, 0);
	fake_plug(mouse, 1);
	snprintf(path, sizeof path, "%s/class/hidraw/hidraw0", fake_sys);
	assert_int_equal(run(&hp_command_udev, "match", path, NULL), 0);
	assert_string_equal(output, "");
	snprintf(path, sizeof path, "%s/class/hidraw/hidraw1", fake_sys);
	assert_int_equal(run(&hp_command_udev, "match", path, NULL), 1);
	snprintf(path, sizeof path, "%s/class/hidraw/hidraw9", fake_sys);
	assert_int_equal(run(&hp_command_udev, "match", path, NULL), 1);
	has(errors, "No such file or directory");
	assert_int_equal(d->opens + mouse->opens, 0);
	assert_int_equal(run(&hp_command_udev, "rule", NULL), 0);
	has(output, "SUBSYSTEM==\"hidraw\", ");
	has(output, "TAG+=\"uaccess\"");
	assert_int_equal(run(&hp_command_udev, NULL), 2);
	assert_int_equal(run(&hp_command_udev, "match", NULL), 2);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_probe),
		T(test_probe_json),
		T(test_probe_trouble),
		T(test_dump),
		T(test_dump_unplugged),
		T(test_nothing_to_read),
		T(test_doctor_passes_over),
		T(test_doctor_healthy),
		T(test_doctor_ini),
		T(test_doctor_broken_links),
		T(test_doctor_no_node),
		T(test_doctor_bluetooth),
		T(test_doctor_listener),
		T(test_listener_table),
		T(test_heard),
		T(test_udev),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
