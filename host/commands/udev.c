/* SPDX-License-Identifier: MIT
 * udev.c - `headpipe udev`: what the udev rule needs. `match` judges one hidraw device from sysfs alone, quickly;
 * `rule` prints the rule for this installation. */
#include "commands/shared/command.h"
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

struct arguments {
	int action;
	const char *folder;
};
enum { MATCH, RULE };

static const struct hp_arg arguments[] = {
	HP_ARG(
	    "ACTION",
	    HP_OPT_ENUM(struct arguments, action, NULL, "match|rule",
	                "match: exit status 0 when the hidraw device in this folder of /sys is a head tracker; rule: "
	                "the text of 70-headpipe.rules for this installation")),
	HP_ARG("FOLDER", HP_OPT_STR(struct arguments, folder, "", "for match")),
	HP_ARG_END,
};

extern const struct hp_command hp_command_udev;

static int udev(void *state)
{
	const struct arguments *a = state;
	if (a->action == MATCH && !a->folder)
		return hp_usage_error(&hp_command_udev, "match needs a FOLDER of /sys");
	if (a->action == RULE && a->folder)
		return hp_usage_error(&hp_command_udev, "one argument too many: %s", a->folder);
	if (a->action == MATCH)
		return match(a->folder);
	hp_rule_print(stdout);
	return 0;
}

const struct hp_command hp_command_udev = {
	.name = "udev",
	.summary = "for udev: judge a hidraw device, print the rule",
	.arguments = arguments,
	.exits = "0 done, or it is a head tracker; 1 it is none; 2 wrong usage",
	.state_size = sizeof(struct arguments),
	.run = udev,
};
