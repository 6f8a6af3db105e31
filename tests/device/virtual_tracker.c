/* SPDX-License-Identifier: MIT
 * virtual_tracker.c - a head tracker that exists only in the kernel's uhid driver, for tests in a virtual machine.
 * It streams at the interval that its feature report asks for, and only once it was told to report at full power.
 *
 *   --layout v1|v2|noids|nomarker|mouse  what it is (default v1)
 *   --bus bt|usb  --name S  --uniq S  --vendor H  --product H  --uid 32-hex-digits
 *   --count N         unplug itself after N input reports
 *   --setups N        stay silent until it was set up N times
 *   --refuse          answer every write of a feature report with an error
 *   --mute            answer every read of a feature report with an error
 *   --always          stream without being set up      --still   always the same pose     --nogyro  gyro all zero
 *   --log FILE        one line per report: "S ns hex" sent, "W id hex" written to it, "G id" asked of it
 * It ends, and with it the device, on SIGTERM; SIGUSR1 makes it forget its settings, as a power cut would; SIGUSR2
 * stops its motion or starts it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/input.h>
#include <linux/uhid.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

/* Pieces of report descriptors. Item codes: HID 1.11, 6.2.2; usages: HID Usage Tables, page 0x20. */
#define BYTES8(n, usage_lo, usage_hi, flags) \
	0x0A, usage_lo, usage_hi, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08, 0x95, n, 0xB1, flags
#define CHOICE(lo, hi, lo0, hi0, lo1, hi1)                                                                        \
	0x0A, lo, hi, 0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x01, 0xA1, 0x02, 0x0A, lo0, hi0, 0x0A, lo1, hi1, \
	    0xB1, 0x00, 0xC0
#define STATE     CHOICE(0x16, 0x03, 0x40, 0x08, 0x41, 0x08)
#define POWER     CHOICE(0x19, 0x03, 0x55, 0x08, 0x51, 0x08)
#define TRANSPORT CHOICE(0x10, 0xF4, 0x00, 0xF8, 0x01, 0xF8)
/* 0 to 63 means 10 to 100 ms */
#define INTERVAL                                                                                                    \
	0x0A, 0x0E, 0x03, 0x15, 0x00, 0x25, 0x3F, 0x35, 0x0A, 0x45, 0x64, 0x66, 0x01, 0x10, 0x55, 0x0D, 0x75, 0x06, \
	    0x95, 0x01, 0xB1, 0x02
#define INPUTS                                                                                                    \
	0x65, 0x00, /* rotation vector, pi rad; angular velocity, 32 rad/s; reset counter */                      \
	    0x0A, 0x44, 0x05, 0x16, 0x01, 0x80, 0x26, 0xFF, 0x7F, 0x37, 0x60, 0x4F, 0x46, 0xED, 0x47, 0xA1, 0xB0, \
	    0xB9, 0x12, 0x55, 0x08, 0x75, 0x10, 0x95, 0x03, 0x81, 0x02, 0x0A, 0x45, 0x05, 0x16, 0x01, 0x80, 0x26, \
	    0xFF, 0x7F, 0x35, 0xE0, 0x45, 0x20, 0x55, 0x00, 0x75, 0x10, 0x95, 0x03, 0x81, 0x02, 0x0A, 0x46, 0x05, \
	    0x15, 0x00, 0x26, 0xFF, 0x00, 0x35, 0x00, 0x46, 0xFF, 0x00, 0x75, 0x08, 0x95, 0x01, 0x81, 0x02
#define SENSOR 0x05, 0x20, 0x09, 0xE1, 0xA1, 0x00

static const uint8_t v1[] = {
	SENSOR,   0x85,   0x02, BYTES8(23, 0x08, 0x03, 0x03), BYTES8(16, 0x02, 0x03, 0x03), 0x85, 0x01, STATE, POWER,
	INTERVAL, INPUTS, 0xC0
};
/* version 2: longer marker, transport as a ninth bit, 7 bits of padding */
static const uint8_t v2[] = { SENSOR,
	                      0x85,
	                      0x02,
	                      BYTES8(25, 0x08, 0x03, 0x03),
	                      BYTES8(16, 0x02, 0x03, 0x03),
	                      0x85,
	                      0x01,
	                      STATE,
	                      POWER,
	                      INTERVAL,
	                      TRANSPORT,
	                      0x75,
	                      0x07,
	                      0x95,
	                      0x01,
	                      0xB1,
	                      0x03,
	                      INPUTS,
	                      0xC0 };
/* no report IDs: one feature report with everything, marker last */
static const uint8_t noids[] = {
	SENSOR, STATE, POWER, INTERVAL, BYTES8(23, 0x08, 0x03, 0x03), BYTES8(16, 0x02, 0x03, 0x03), INPUTS, 0xC0
};
static const uint8_t mouse[] = { 0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0x05, 0x09, 0x19, 0x01, 0x29, 0x03,
	                         0x15, 0x00, 0x25, 0x01, 0x75, 0x01, 0x95, 0x03, 0x81, 0x02, 0x75, 0x05,
	                         0x95, 0x01, 0x81, 0x03, 0x05, 0x01, 0x09, 0x30, 0x09, 0x31, 0x15, 0x81,
	                         0x25, 0x7F, 0x75, 0x08, 0x95, 0x02, 0x81, 0x06, 0xC0 };

enum layout { V1, V2, NOIDS, NOMARKER, MOUSE };
static const char *const layouts[] = { "v1", "v2", "noids", "nomarker", "mouse", NULL };

static enum layout layout = V1;
static int fd = -1, timer = -1;
static bool refuse, mute, always, still, nogyro;
static unsigned setups_wanted = 1, setups, sent, count;
static uint8_t settings[2]; /* bit 0 report, bit 1 power, bits 2-7 interval; then bit 0 transport */
static uint8_t uid[16] = { 0, 0, 0, 0, 0, 0, 0, 0, 'B', 'T', 2, 0, 0, 0, 0, 1 };
static FILE *logfile;
static volatile sig_atomic_t quit, forget, turn;

static void on_signal(int s)
{
	if (s == SIGUSR1)
		forget = 1;
	else if (s == SIGUSR2)
		turn = 1;
	else
		quit = 1;
}

static void note(const char *what, long long n, const uint8_t *data, size_t size)
{
	if (!logfile)
		return;
	fprintf(logfile, "%s %lld", what, n);
	for (size_t i = 0; i < size; i++)
		fprintf(logfile, "%s%02x", i ? "" : " ", data[i]);
	fputc('\n', logfile);
	fflush(logfile);
}

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void tell(const struct uhid_event *ev)
{
	if (write(fd, ev, sizeof *ev) != (ssize_t)sizeof *ev)
		die("virtual_tracker: uhid");
}

static int64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void put16(uint8_t *p, double v, double full)
{
	long q = lround(v / full * 32767);
	q = q > 32767 ? 32767 : q < -32767 ? -32767 : q;
	p[0] = (uint8_t)(q & 0xff);
	p[1] = (uint8_t)(q >> 8 & 0xff);
}

static void send_input(void)
{
	struct uhid_event ev = { .type = UHID_INPUT2 };
	uint8_t *d = ev.u.input2.data, *p = d;
	double t = still ? 0.3 : sent * 0.01;
	if (layout != NOIDS)
		*p++ = 1;
	put16(p, 0.2 * sin(1.3 * t), M_PI);
	put16(p + 2, 0.1 * sin(2.1 * t + 1), M_PI);
	put16(p + 4, 0.8 * sin(0.9 * t), M_PI);
	put16(p + 6, nogyro ? 0 : 0.26 * cos(1.3 * t), 32);
	put16(p + 8, nogyro ? 0 : 0.21 * cos(2.1 * t + 1), 32);
	put16(p + 10, nogyro ? 0 : 0.72 * cos(0.9 * t), 32);
	p[12] = 0;
	ev.u.input2.size = (uint16_t)(p + 13 - d);
	note("S", now_ns(), d, ev.u.input2.size);
	tell(&ev);
	sent++;
}

static size_t description(uint8_t *d)
{
	const char *marker = layout == V2         ? "#AndroidHeadTracker#2.0#3"
	                     : layout == NOMARKER ? "#SomebodysOwnSensor#1.0"
	                                          : "#AndroidHeadTracker#1.0";
	size_t n = strlen(marker);
	memcpy(d, marker, n);
	memcpy(d + n, uid, sizeof uid);
	return n + sizeof uid;
}

static void on_get(const struct uhid_event *in)
{
	struct uhid_event ev = { .type = UHID_GET_REPORT_REPLY };
	uint8_t *d = ev.u.get_report_reply.data;
	unsigned id = in->u.get_report.rnum;
	size_t size = 0;
	ev.u.get_report_reply.id = in->u.get_report.id;
	note("G", id, NULL, 0);
	if (layout == NOIDS && id == 0) {
		/* a Bluetooth stack that answers without a leading zero */
		d[0] = settings[0];
		size = 1 + description(d + 1);
	} else if (id == 1) {
		d[0] = 1;
		memcpy(d + 1, settings, sizeof settings);
		size = layout == V2 ? 3 : 2;
	} else if (id == 2) {
		d[0] = 2;
		size = 1 + description(d + 1);
	}
	if (mute || layout == MOUSE || !size || in->u.get_report.rtype != UHID_FEATURE_REPORT)
		ev.u.get_report_reply.err = EIO;
	else
		ev.u.get_report_reply.size = (uint16_t)size;
	tell(&ev);
}

static bool streaming(void)
{
	return layout != MOUSE && (always || ((settings[0] & 3) == 3 && setups >= setups_wanted));
}

static void arm(void)
{
	long ms = lround(10 + (settings[0] >> 2) * 90.0 / 63);
	struct itimerspec every = { 0 };
	if (streaming())
		every.it_interval.tv_nsec = every.it_value.tv_nsec = ms * 1000000;
	timerfd_settime(timer, 0, &every, NULL);
}

static void on_set(const struct uhid_event *in)
{
	struct uhid_event ev = { .type = UHID_SET_REPORT_REPLY };
	const uint8_t *d = in->u.set_report.data;
	size_t size = in->u.set_report.size;
	ev.u.set_report_reply.id = in->u.set_report.id;
	note("W", in->u.set_report.rnum, d, size);
	unsigned want = layout == NOIDS ? 0 : 1;
	if (refuse || layout == MOUSE || in->u.set_report.rtype != UHID_FEATURE_REPORT ||
	    in->u.set_report.rnum != want || size < 2) {
		ev.u.set_report_reply.err = EIO;
	} else {
		settings[0] = d[1]; /* byte 0 is the ID, or a zero */
		if (size > 2 && layout == V2)
			settings[1] = d[2];
		if ((settings[0] & 3) == 3)
			setups++;
		arm();
	}
	tell(&ev);
}

static void create(const char *name, const char *uniq, unsigned bus, unsigned vendor, unsigned product)
{
	static const struct {
		const uint8_t *at;
		size_t size;
	} descriptors[] = { { v1, sizeof v1 },
		            { v2, sizeof v2 },
		            { noids, sizeof noids },
		            { v1, sizeof v1 },
		            { mouse, sizeof mouse } };
	struct uhid_event ev = { .type = UHID_CREATE2 };
	snprintf((char *)ev.u.create2.name, sizeof ev.u.create2.name, "%s", name);
	snprintf((char *)ev.u.create2.uniq, sizeof ev.u.create2.uniq, "%s", uniq);
	ev.u.create2.bus = (uint16_t)bus;
	ev.u.create2.vendor = vendor;
	ev.u.create2.product = product;
	ev.u.create2.version = 0x0100;
	ev.u.create2.rd_size = (uint16_t)descriptors[layout].size;
	memcpy(ev.u.create2.rd_data, descriptors[layout].at, descriptors[layout].size);
	tell(&ev);
}

static void serve(void)
{
	struct pollfd p[2] = { { fd, POLLIN, 0 }, { timer, POLLIN, 0 } };
	while (!quit) {
		int n = poll(p, 2, -1);
		if (forget) {
			forget = 0;
			settings[0] = settings[1] = 0;
			arm();
		}
		if (turn) {
			turn = 0;
			still = !still;
		}
		if (n < 0)
			continue;
		struct uhid_event ev;
		if (p[0].revents & POLLIN) {
			if (read(fd, &ev, sizeof ev) <= 0)
				break;
			if (ev.type == UHID_GET_REPORT)
				on_get(&ev);
			else if (ev.type == UHID_SET_REPORT)
				on_set(&ev);
		}
		uint64_t ticks = 0;
		if (p[1].revents & POLLIN && read(timer, &ticks, sizeof ticks) == sizeof ticks) {
			send_input();
			if (sent == count)
				break;
		}
	}
}

int main(int argc, char **argv)
{
	const char *name = "Virtual Head Tracker", *uniq = "02:00:00:00:00:01";
	unsigned bus = BUS_BLUETOOTH, vendor = 0x1209, product = 1; /* pid.codes: for tests */
	for (int i = 1; i < argc; i++) {
		const char *key = argv[i], *v = i + 1 < argc ? argv[i + 1] : "";
		bool flag = true;
		if (!strcmp(key, "--refuse"))
			refuse = true;
		else if (!strcmp(key, "--mute"))
			mute = true;
		else if (!strcmp(key, "--always"))
			always = true;
		else if (!strcmp(key, "--still"))
			still = true;
		else if (!strcmp(key, "--nogyro"))
			nogyro = true;
		else
			flag = false;
		if (flag)
			continue;
		i++;
		if (!strcmp(key, "--layout")) {
			int n = 0;
			while (layouts[n] && strcmp(layouts[n], v))
				n++;
			if (!layouts[n])
				return fprintf(stderr, "virtual_tracker: no layout %s\n", v), 2;
			layout = (enum layout)n;
		} else if (!strcmp(key, "--bus")) {
			bus = strcmp(v, "usb") ? BUS_BLUETOOTH : BUS_USB;
		} else if (!strcmp(key, "--name")) {
			name = v;
		} else if (!strcmp(key, "--uniq")) {
			uniq = v;
		} else if (!strcmp(key, "--vendor")) {
			vendor = (unsigned)strtoul(v, NULL, 16);
		} else if (!strcmp(key, "--product")) {
			product = (unsigned)strtoul(v, NULL, 16);
		} else if (!strcmp(key, "--uid")) {
			for (size_t b = 0; b < sizeof uid; b++)
				if (sscanf(v + 2 * b, "%2hhx", &uid[b]) != 1)
					return fprintf(stderr, "virtual_tracker: bad --uid\n"), 2;
		} else if (!strcmp(key, "--count")) {
			count = (unsigned)atoi(v);
		} else if (!strcmp(key, "--setups")) {
			setups_wanted = (unsigned)atoi(v);
		} else if (!strcmp(key, "--log")) {
			if (!(logfile = fopen(v, "w")))
				die(v);
		} else {
			return fprintf(stderr, "virtual_tracker: unknown option %s\n", key), 2;
		}
	}
	struct sigaction sa = { .sa_handler = on_signal };
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGUSR2, &sa, NULL);
	if ((fd = open("/dev/uhid", O_RDWR | O_CLOEXEC)) < 0)
		die("/dev/uhid");
	if ((timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) < 0)
		die("timerfd");
	create(name, uniq, bus, vendor, product);
	arm();
	serve();
	struct uhid_event bye = { .type = UHID_DESTROY };
	tell(&bye);
	return 0;
}
