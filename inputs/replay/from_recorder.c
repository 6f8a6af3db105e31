/* SPDX-License-Identifier: MIT
 * from_recorder.c - one device's reports out of a file of hid-recorder text. */
#include "inputs/decode/plan.h"
#include "recorder.h"
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct recorder_source {
	struct report_source base;
	struct hp_hid_recorder *in;
	char *path;
	int chosen;
	bool seen; /* an event; its time is in last_ns */
	int64_t last_ns;
	bool have_name;
	char name[HID_RECORDER_NAME + 1];
	uint8_t *descriptor;
};

static int next(struct report_source *base, struct report *out)
{
	struct recorder_source *s = (struct recorder_source *)base;
	struct hp_hid_record r;
	int rc;
	while ((rc = hp_hid_recorder_next(s->in, &r)) == 1) {
		if (r.kind == HID_RECORD_DESCRIPTOR && r.device == s->chosen &&
		    (r.size != base->descriptor_size || memcmp(r.data, base->descriptor, r.size))) {
			snprintf(base->why, sizeof base->why, "%.300s:%u: device %d changes its report descriptor",
			         s->path, r.line, r.device);
			return -EINVAL;
		}
		if (r.kind != HID_RECORD_EVENT)
			continue;
		if (r.size > REPORT_MAX) {
			snprintf(base->why, sizeof base->why, "%.300s:%u: a report of %zu bytes; the limit is %d",
			         s->path, r.line, r.size, REPORT_MAX);
			return -EINVAL;
		}
		if (s->seen && r.time_ns < s->last_ns) {
			snprintf(base->why, sizeof base->why,
			         "%.300s:%u: time goes backwards, from %lld.%09lld s to %lld.%09lld s", s->path, r.line,
			         (long long)(s->last_ns / 1000000000), (long long)(s->last_ns % 1000000000),
			         (long long)(r.time_ns / 1000000000), (long long)(r.time_ns % 1000000000));
			return -EINVAL;
		}
		s->seen = true;
		s->last_ns = r.time_ns;
		*out = (struct report){ r.time_ns, r.data, r.size, NULL, NULL };
		return 1;
	}
	if (rc < 0)
		snprintf(base->why, sizeof base->why, "%s", hp_hid_recorder_why(s->in));
	return rc;
}

static int back(struct report_source *base)
{
	struct recorder_source *s = (struct recorder_source *)base;
	int rc = hp_hid_recorder_rewind(s->in);
	s->seen = false;
	hp_hid_recorder_select(s->in, s->chosen);
	if (rc < 0)
		snprintf(base->why, sizeof base->why, "%s", hp_hid_recorder_why(s->in));
	return rc;
}

static void close_source(struct report_source *base)
{
	struct recorder_source *s = (struct recorder_source *)base;
	hp_hid_recorder_close(s->in);
	free(s->descriptor);
	free(s->path);
	free(s);
}

/* ---- choosing the device --------------------------------------------------------------------------------- */

struct seen {
	int devices;         /* R: lines */
	unsigned line;       /* of the last R: that could have been meant */
	char why[300];       /* what is wrong with that one */
	int name_of, ids_of; /* device the last N: and I: belong to */
	uint16_t vendor, product;
};

/* Whether this R: line is the one; why not is kept. */
static bool suits(struct seen *seen, const struct hp_hid_record *r, int wanted)
{
	struct hp_hid_descriptor d;
	struct hp_hid_plan plan;
	if (wanted >= 0 && r->device != wanted)
		return false;
	seen->line = r->line;
	if (hp_hid_descriptor_parse(&d, r->data, r->size, seen->why, sizeof seen->why))
		return false;
	int rc = hp_hid_plan_compile(&plan, &d, seen->why, sizeof seen->why);
	hp_hid_descriptor_free(&d);
	return rc == 0;
}

/* Reads headers until the device is found and its header is over. 1 found, 0 not there, -errno. */
static int find(struct recorder_source *s, struct seen *seen, int wanted)
{
	struct hp_hid_record r;
	int rc;
	hp_hid_recorder_select(s->in, HID_RECORDER_HEADERS);
	while ((rc = hp_hid_recorder_next(s->in, &r)) == 1) {
		bool found = s->descriptor != NULL;
		switch (r.kind) {
		case HID_RECORD_DESCRIPTOR:
			seen->devices++;
			if (found || !suits(seen, &r, wanted))
				break;
			s->descriptor = malloc(r.size);
			if (!s->descriptor)
				return -ENOMEM;
			memcpy(s->descriptor, r.data, r.size);
			s->base.descriptor = s->descriptor;
			s->base.descriptor_size = (uint32_t)r.size;
			s->chosen = r.device;
			break;
		case HID_RECORD_NAME:
			if (found && r.device != s->chosen)
				break;
			memcpy(s->name, r.name, sizeof s->name);
			seen->name_of = r.device;
			break;
		case HID_RECORD_IDS:
			if (found && r.device != s->chosen)
				break;
			seen->ids_of = r.device;
			seen->vendor = r.vendor;
			seen->product = r.product;
			break;
		case HID_RECORD_EVENT:
			if (found)
				return 1;
			break;
		}
	}
	return rc < 0 ? rc : s->descriptor != NULL;
}

static void why_not(const struct seen *seen, const char *path, int wanted, char *why, size_t size)
{
	if (!seen->devices)
		snprintf(why, size, "%.300s: no R: line, so nothing is known about the device's reports", path);
	else if (wanted >= 0 && !seen->line)
		snprintf(why, size, "%.300s: no device %d in this recording, which has %d", path, wanted,
		         seen->devices);
	else if (wanted >= 0 || seen->devices == 1)
		snprintf(why, size, "%.300s:%u: the report descriptor does not serve: %s", path, seen->line, seen->why);
	else
		snprintf(why, size, "%.300s: none of its %d devices has a rotation vector (usage " HP_USAGE_FMT ")",
		         path, seen->devices, HP_USAGE_ARGS(HP_USAGE_ROTATION_VECTOR));
}

int recorder_source_open(struct report_source **out, const struct report_source_ask *ask, char *why, size_t why_size)
{
	struct recorder_source *s = calloc(1, sizeof *s);
	struct seen seen = { .name_of = -1, .ids_of = -1 };
	int rc = -ENOMEM;
	*out = NULL;
	snprintf(why, why_size, "%.300s: out of memory", ask->path);
	if (s)
		s->path = strdup(ask->path);
	if (!s || !s->path) {
		free(s);
		return rc;
	}
	rc = hp_hid_recorder_open(&s->in, ask->path, ask->warn, ask->arg, why, why_size);
	if (rc == 0) {
		rc = find(s, &seen, ask->device);
		if (rc < 0 && rc != -ENOMEM)
			snprintf(why, why_size, "%s", hp_hid_recorder_why(s->in));
		if (rc == 0)
			why_not(&seen, ask->path, ask->device, why, why_size);
		rc = rc == 0 ? -EINVAL : rc < 0 ? rc : back(&s->base);
	}
	if (rc < 0) {
		close_source(&s->base);
		return rc;
	}
	s->base.next = next;
	s->base.rewind = back;
	s->base.close = close_source;
	s->base.name = seen.name_of == s->chosen ? s->name : NULL;
	s->base.vendor = seen.ids_of == s->chosen ? seen.vendor : 0;
	s->base.product = seen.ids_of == s->chosen ? seen.product : 0;
	s->base.connected_ns = s->base.rate_start_ns;
	*out = &s->base;
	return 0;
}
