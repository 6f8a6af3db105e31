/* SPDX-License-Identifier: MIT
 * probe.c - `headpipe probe`: every HID device that is or might be a head tracker, and whether it can be used.
 * Exit status: 0 one can be used, 3 there is none, 4 there is one but it may not be opened. */
#include "commands/shared/command.h"
#include "commands/shared/json.h"
#include "device/survey.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void print_text(const struct hp_surveyed *s)
{
	char fields[120], text[300];
	printf("%s\n", s->facts.name[0] ? s->facts.name : "(no name)");
	printf("  node       %s\n", s->facts.path[0] ? s->facts.path : "none");
	printf("  device     %04x:%04x on %s, driver %s\n", s->facts.vendor, s->facts.product,
	       hp_hid_bus_name(s->facts.bus), s->facts.driver[0] ? s->facts.driver : "none");
	if (s->facts.serial[0])
		printf("  serial     %s\n", s->facts.serial);
	hp_fields_text(s->has, fields, sizeof fields);
	printf("  fields     %s\n", fields);
	if (s->interval_max_ms > 0)
		printf("  interval   %g to %g ms\n", s->interval_min_ms, s->interval_max_ms);
	if (s->opened) {
		printf("  marker     %s\n", s->marker[0] ? s->marker : s->answered ? "none" : "cannot be read");
		if (s->marker[0])
			printf("  protocol   %d.%d%s\n", s->major, s->minor,
			       s->transports == 1   ? ", ACL"
			       : s->transports == 2 ? ", ISO"
			       : s->transports == 3 ? ", ACL and ISO"
			                            : "");
		if (s->unique[0])
			printf("  unique ID  %s\n", s->unique);
	}
	printf("  state      %s\n", hp_survey_state(s, text, sizeof text));
}

static json_t *to_json(const struct hp_surveyed *s)
{
	char text[300], cure[4500] = "";
	json_t *o = json_object(), *fields = json_array();
	json_object_set_new(o, "name", hp_json_text_or_null(s->facts.name));
	json_object_set_new(o, "node", hp_json_text_or_null(s->facts.path));
	json_object_set_new(o, "id", hp_json_text_or_null(s->facts.id));
	json_object_set_new(o, "bus", json_string(hp_hid_bus_name(s->facts.bus)));
	json_object_set_new(o, "driver", hp_json_text_or_null(s->facts.driver));
	json_object_set_new(o, "vendor", json_integer(s->facts.vendor));
	json_object_set_new(o, "product", json_integer(s->facts.product));
	json_object_set_new(o, "serial", hp_json_text_or_null(s->facts.serial));
	json_object_set_new(o, "unique_id", hp_json_text_or_null(s->unique));
	json_object_set_new(o, "marker", hp_json_text_or_null(s->marker));
	snprintf(text, sizeof text, "%d.%d", s->major, s->minor);
	json_object_set_new(o, "protocol", hp_json_text_or_null(s->marker[0] ? text : ""));
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
#define HP_QUANTITY(name, numbers, member, flag, word, key, ...) { HID_##name, key },
#define HP_COUNTER(name, word, key)                              { HID_##name, key },
#include "inputs/decode/usages.def"
	};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (s->has & names[i].bit)
			json_array_append_new(fields, json_string(names[i].name));
	json_object_set_new(o, "fields", fields);
	bool ranged = s->interval_max_ms > 0;
	json_object_set_new(o, "interval_min_ms", ranged ? json_real(s->interval_min_ms) : json_null());
	json_object_set_new(o, "interval_max_ms", ranged ? json_real(s->interval_max_ms) : json_null());
	json_object_set_new(o, "access", json_boolean(s->access == 0));
	json_object_set_new(o, "usable", json_boolean(hp_survey_usable(s)));
	json_object_set_new(o, "state", hp_json_text(hp_survey_state(s, text, sizeof text)));
	bool tracker = s->verdict == HID_TRACKER; /* a cure for any other would change nothing */
	if (tracker && (s->access == -EACCES || s->access == -EPERM))
		hp_cure_access(s, cure, sizeof cure);
	else if (tracker && hp_survey_held_by_hub(s))
		hp_cure_hub(s, cure, sizeof cure);
	json_object_set_new(o, "cure", hp_json_text_or_null(cure));
	return o;
}

struct arguments {
	bool json;
};

static const struct hp_arg arguments[] = {
	HP_ARG("--json", HP_OPT_BOOL(struct arguments, json, "no", "an array with one object per device")),
	HP_ARG_END,
};

static int probe(void *state)
{
	struct hp_surveyed *list;
	size_t total;
	int status = 3;
	bool json = ((const struct arguments *)state)->json;
	size_t n = hp_survey(&list, &total);
	json_t *all = json ? json_array() : NULL;
	const struct hp_surveyed *denied = NULL, *held = NULL;
	for (size_t i = 0; i < n; i++) {
		if (json)
			json_array_append_new(all, to_json(&list[i]));
		else
			print_text(&list[i]);
		if (list[i].verdict != HID_TRACKER)
			continue;
		if (hp_survey_usable(&list[i]))
			status = 0;
		else if (list[i].access == -EACCES || list[i].access == -EPERM)
			denied = &list[i];
		else if (hp_survey_held_by_hub(&list[i]))
			held = &list[i];
	}
	if (status && denied)
		status = 4;
	if (json) {
		hp_json_print(all, 2);
	} else {
		char cure[4500];
		if (!n)
			printf("no head tracker among %zu HID device%s\n", total, total == 1 ? "" : "s");
		if (status == 4) {
			hp_cure_access(denied, cure, sizeof cure);
			printf("\nTo give yourself access, run:\n  %s\n", cure);
		} else if (status && held) {
			hp_cure_hub(held, cure, sizeof cure);
			printf("\nTo free it from hid-sensor-hub until the next restart, run:\n  %s\n", cure);
		}
	}
	free(list);
	return status;
}

const struct hp_command hp_command_probe = {
	.name = "probe",
	.summary = "list devices that are or might be head trackers",
	.arguments = arguments,
	.exits = "0 one can be used, 2 wrong usage, 3 there is none, 4 there is one but it may not be opened",
	.state_size = sizeof(struct arguments),
	.run = probe,
};
