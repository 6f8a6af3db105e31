/* SPDX-License-Identifier: MIT
 * device.c - from "is there a device at all" to "do its values move", link by link; stops at the first broken
 * link of each device, because everything behind it follows from that. */
#include "base/clock.h"
#include "doctor.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* /sys/class/bluetooth has "hci0" for an adapter and "hci0:12" for each device that is connected through it. */
static void count_bluetooth(int *adapters, int *connections)
{
	char path[1024];
	*adapters = *connections = 0;
	snprintf(path, sizeof path, "%s/class/bluetooth", hp_hid_sys_dir);
	DIR *d = opendir(path);
	for (struct dirent *e; d && (e = readdir(d));)
		if (!strncmp(e->d_name, "hci", 3))
			++*(strchr(e->d_name, ':') ? connections : adapters);
	if (d)
		closedir(d);
}

static void no_device(struct hp_findings *f, size_t total, bool narrowed)
{
	int adapters, connections;
	char uhid[1024], bluetooth[80];
	count_bluetooth(&adapters, &connections);
	snprintf(uhid, sizeof uhid, "%s/uhid", hp_hid_dev_dir);
	snprintf(bluetooth, sizeof bluetooth, "%s",
	         !adapters         ? "; this computer has no Bluetooth adapter that Linux knows"
	         : !connections    ? "; no Bluetooth device is connected"
	         : connections < 2 ? "; a Bluetooth device is connected, but offers none"
	                           : "; Bluetooth devices are connected, but offer none");
	f->status = f->status ? f->status : 3;
	if (narrowed)
		hp_cure(f, "check vendor, product, serial and name in the ini against `headpipe probe`");
	else if (!adapters)
		hp_cure(f, "plug a Bluetooth adapter in, or use a USB device");
	else if (!connections)
		hp_cure(f, "connect the headset to this computer, not only to the phone: bluetoothctl connect ADDRESS");
	else if (access(uhid, F_OK) < 0)
		hp_cure(f, "the kernel's uhid driver is missing, without it BlueZ cannot offer the headset's sensor: "
		           "sudo modprobe uhid, then reconnect");
	else
		hp_cure(f,
		        "switch head tracking on in the maker's app; `bluetoothctl info` must list a HID service (if "
		        "not: remove the headset there and pair it again)");
	hp_find(f, HP_WRONG, "device", "no head tracker%s among %zu HID device%s%s",
	        narrowed ? " that fits the ini" : "", total, total == 1 ? "" : "s", narrowed ? "" : bluetooth);
}

/* What sysfs tells about the descriptor, with or without access to the node. False = broken. */
static bool descriptor(struct hp_findings *f, const struct hp_surveyed *s)
{
	char fields[120];
	if (s->verdict == HID_MAYBE) {
		hp_find(f, HP_WRONG, "descriptor", "%s", s->why);
		return false;
	}
	hp_fields_text(s->has, fields, sizeof fields);
	hp_find(f, HP_OK, "descriptor", "%u bytes; %s", s->facts.descriptor_size, fields);
	return true;
}

static bool driver(struct hp_findings *f, const struct hp_surveyed *s)
{
	char cure[4500];
	if (hp_survey_held_by_hub(s)) {
		hp_cure_hub(s, cure, sizeof cure);
		hp_cure(f, "%s", cure);
		hp_find(f, HP_WRONG, "driver",
		        "hid-sensor-hub holds %s and leaves no device node for other programs; until the next restart "
		        "this frees it (to keep it so: blacklist hid-sensor-hub in /etc/modprobe.d)",
		        s->facts.id);
		return false;
	}
	if (!s->facts.path[0]) {
		hp_cure(f, s->facts.driver[0] ? "reconnect the device" : "sudo modprobe hid-generic");
		hp_find(f, HP_WRONG, "driver", "%s has no hidraw node (driver: %s)", s->facts.id,
		        s->facts.driver[0] ? s->facts.driver : "none");
		return false;
	}
	hp_find(f, HP_OK, "driver", "%s", s->facts.driver[0] ? s->facts.driver : "none, but there is a node");
	return true;
}

static bool node(struct hp_findings *f, const struct hp_surveyed *s)
{
	char cure[4500];
	if (s->access == -EACCES || s->access == -EPERM) {
		const char *rule = hp_rule_installed();
		f->status = f->status ? f->status : 4;
		hp_cure_access(s, cure, sizeof cure);
		hp_cure(f, "%s", cure);
		if (rule)
			hp_find(f, HP_WRONG, "node",
			        "%s: permission denied although %s is there: it was not applied to this device yet, or "
			        "you are not the user at the machine (loginctl)",
			        s->facts.path, rule);
		else
			hp_find(f, HP_WRONG, "node",
			        "%s: permission denied; the udev rule 70-headpipe.rules is missing", s->facts.path);
		return false;
	}
	if (s->access < 0 || (s->verdict == HID_TRACKER && !s->opened)) {
		hp_find(f, HP_WRONG, "node", "%s: %s", s->facts.path, s->access < 0 ? strerror(-s->access) : s->why);
		return false;
	}
	hp_find(f, HP_OK, "node", "%s can be read and written", s->facts.path);
	return true;
}

/* The links up to the node; the descriptor is told in any case, because sysfs has it. False = broken. */
static bool from_outside(struct hp_findings *f, const struct hp_surveyed *s, const char *name)
{
	hp_find(f, HP_OK, "device", "%s, %04x:%04x on %s", name, s->facts.vendor, s->facts.product,
	        hp_hid_bus_name(s->facts.bus));
	bool open = driver(f, s) && node(f, s);
	bool sound = descriptor(f, s);
	if (!open)
		hp_find(f, HP_SKIPPED, "the rest", "marker, start-up, reports and values need the node");
	return open && sound;
}

struct said {
	struct hp_findings *f;
	int warnings;
	char first[300];
};
static void on_setup(void *arg, enum hp_level level, const char *text)
{
	struct said *s = arg;
	if (level >= HP_LOG_WARN && !s->warnings++)
		snprintf(s->first, sizeof s->first, "%s", text);
}

static void listen_to(struct hp_findings *f, struct hp_hid_link *l, const char *name, double interval_ms,
                      double seconds)
{
	struct tracker t;
	struct hp_hid_setup setup;
	struct hp_heard heard = { 0 };
	struct said said = { .f = f };
	uint8_t data[HID_REPORT_MAX + 1];
	char why[200];
	if (tracker_open(&t, &l->descriptor, why, sizeof why) < 0) {
		hp_find(f, HP_WRONG, "descriptor", "%s", why);
		return;
	}
	hp_hid_setup_edit(&setup, &l->features, &l->descriptor, interval_ms);
	int taken = hp_hid_setup_write(&setup, &l->features, l->device, &l->descriptor, on_setup, &said);
	if (said.warnings)
		hp_find(f, HP_NOTE, "start-up", "%s %s; some devices stream all the same", name, said.first);
	else if (!taken)
		hp_find(f, HP_NOTE, "start-up", "the device offers nothing to set");
	else if (setup.interval)
		hp_find(f, HP_OK, "start-up", "accepted, a report every %.3g ms", setup.interval_ms);
	else
		hp_find(f, HP_OK, "start-up", "accepted");
	int64_t begin = hp_now(), end = begin + (int64_t)(seconds * 1e9), now;
	tracker_connect(&t, begin);
	while ((now = hp_now()) < end) {
		int n = hp_hid_read_calmly(l->device, data, HID_REPORT_MAX, (int)((end - now) / 1000000) + 1);
		struct hp_sample s;
		bool reset;
		now = hp_now();
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			hp_hid_error_text(l->device, why, sizeof why);
			hp_find(f, HP_WRONG, "reports", "%s went away while listening (%s)", name, why);
			return;
		}
		if (n == 0)
			continue;
		hp_heard_report(&heard, now);
		if (tracker_report(&t, now, data, (size_t)n, &s, &reset))
			hp_heard_sample(&heard, &s);
	}
	hp_heard_judge(f, &heard, name, seconds);
}

static void one_device(struct hp_findings *f, const struct hp_surveyed *s, const struct hp_hid_wish *wish,
                       double interval_ms, double seconds)
{
	const char *name = s->facts.name[0] ? s->facts.name : "the device";
	char why[200];
	if (!from_outside(f, s, name))
		return;
	if (s->marker[0]) {
		hp_find(f, HP_OK, "marker", "%s", s->marker);
	} else if (!s->answered) {
		hp_find(f, HP_NOTE, "marker",
		        "%s lets none of its %zu feature reports be read; taken for a head tracker", name, s->features);
	} else {
		hp_cure(
		    f,
		    "if you are sure that it is a head tracker, name it in the ini: vendor = 0x%04x, product = 0x%04x",
		    s->facts.vendor, s->facts.product);
		bool refused = hp_hid_wish_open(wish);
		if (refused && !f->status)
			f->status = 3;
		hp_find(f, refused ? HP_WRONG : HP_NOTE, "marker",
		        "no #AndroidHeadTracker# in any of %zu feature reports: it may be some other sensor",
		        s->answered);
		if (refused)
			return;
	}
	struct hp_hid_link *l = malloc(sizeof *l);
	int rc = l ? hp_hid_link_open(l, &s->facts, why, sizeof why) : -ENOMEM;
	if (rc < 0) {
		hp_find(f, HP_WRONG, "node", "%s: %s", s->facts.path, l ? why : strerror(ENOMEM));
	} else {
		listen_to(f, l, name, interval_ms, seconds);
		hp_hid_link_close(l);
	}
	free(l);
}

/* `run` would take it. */
static bool would_do(const struct hp_surveyed *s, const struct hp_hid_wish *wish)
{
	return hp_survey_usable(s) || (s->verdict == HID_TRACKER && s->opened && !hp_hid_wish_open(wish));
}

/* Laptops have custom sensors of their own, and one of two headsets may be closed to us: what an input passes over is
 * worth a note and breaks nothing. */
static void passed_over(struct hp_findings *f, const struct hp_surveyed *s)
{
	char text[300];
	hp_find(f, HP_NOTE, "device", "%s, %04x:%04x on %s, is left alone: %s",
	        s->facts.name[0] ? s->facts.name : "a device without a name", s->facts.vendor, s->facts.product,
	        hp_hid_bus_name(s->facts.bus), hp_survey_state(s, text, sizeof text));
}

void hp_doctor_devices(struct hp_findings *f, const struct hp_hid_wish *wish, double interval_ms, double seconds)
{
	struct hp_surveyed *list;
	size_t total, n = hp_survey(&list, &total), examined = 0;
	bool works = false;
	for (size_t i = 0; i < n; i++)
		works |= hp_hid_wish_fits(wish, &list[i].facts) && would_do(&list[i], wish);
	for (size_t i = 0; i < n; i++) {
		if (!hp_hid_wish_fits(wish, &list[i].facts))
			continue;
		if ((works && !would_do(&list[i], wish)) || (list[i].verdict == HID_MAYBE && hp_hid_wish_open(wish))) {
			passed_over(f, &list[i]);
			continue;
		}
		examined++;
		one_device(f, &list[i], wish, interval_ms, seconds);
	}
	if (!examined)
		no_device(f, total, n > 0 && !hp_hid_wish_open(wish));
	free(list);
}
