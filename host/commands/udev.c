/* SPDX-License-Identifier: MIT
 * udev.c - `headpipe udev`: what the udev rule needs. `match` judges one hidraw device from sysfs alone, quickly;
 * `rule` prints the rule for this installation. */
#include "commands.h"
#include "device/survey.h"
#include <string.h>

static int match(const char *path)
{
	uint8_t data[HID_DESCRIPTOR_MAX];
	char file[1100], why[200];
	/* udev gives /sys/devices/.../hidraw/hidraw3 */
	if (snprintf(file, sizeof file, "%s/device/report_descriptor", path) >= (int)sizeof file)
		return 1;
	int n = hp_hid_sysfs_descriptor(file, data, sizeof data);
	if (n < 0) {
		fprintf(stderr, "headpipe udev match: %s: %s\n", file, strerror(-n));
		return 1;
	}
	return hp_hid_recognize_bytes(data, (size_t)n, why, sizeof why) == HID_TRACKER ? 0 : 1;
}

int cmd_udev(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "match"))
		return match(argv[2]);
	if (argc == 2 && !strcmp(argv[1], "rule")) {
		hp_rule_print(stdout);
		return 0;
	}
	return hp_usage_error("udev", "needs `match` with a folder of sysfs, or `rule`");
}
