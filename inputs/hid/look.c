/* SPDX-License-Identifier: MIT
 * look.c - chooses the device of an input: what the ini narrows, not taken by another input, the one from before
 * first, confirmed by its marker. Says once what it waits for. */
#include "reader.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { CLAIMS = 32 };
static pthread_mutex_t claims_lock = PTHREAD_MUTEX_INITIALIZER;
static char claims[CLAIMS][64]; /* nodes that inputs of this process have open */

static bool claim(struct hp_hid_reader *r, const char *path)
{
	char *free_one = NULL;
	pthread_mutex_lock(&claims_lock);
	for (int i = 0; i < CLAIMS; i++) {
		if (!strcmp(claims[i], path)) {
			free_one = NULL;
			break;
		}
		if (!claims[i][0] && !free_one)
			free_one = claims[i];
	}
	if (free_one) {
		snprintf(free_one, sizeof claims[0], "%s", path);
		snprintf(r->claimed, sizeof r->claimed, "%s", path);
	}
	pthread_mutex_unlock(&claims_lock);
	return free_one != NULL;
}

void hp_hid_unclaim(struct hp_hid_reader *r)
{
	pthread_mutex_lock(&claims_lock);
	for (int i = 0; i < CLAIMS; i++)
		if (r->claimed[0] && !strcmp(claims[i], r->claimed))
			claims[i][0] = 0;
	r->claimed[0] = 0;
	pthread_mutex_unlock(&claims_lock);
}

struct found {
	int taken, foreign, failed, denied; /* how many trackers could not be used, and why */
	const struct hp_hid_facts *unmarked, *closed;
	char why[200];
};

/* 1 = open and claimed */
static int try_one(struct hp_hid_reader *r, const struct hp_hid_facts *f, bool narrowed, bool foreign_ok,
                   struct found *seen)
{
	struct hp_hid_identity id;
	if (!claim(r, f->path)) {
		seen->taken++;
		return 0;
	}
	int rc = hp_hid_link_open(&r->link, f, seen->why, sizeof seen->why);
	if (rc < 0) {
		hp_hid_unclaim(r);
		if (rc == -EACCES || rc == -EPERM)
			seen->denied++;
		else
			seen->failed++;
		seen->closed = f;
		return 0;
	}
	/* Other custom sensors use the same usages. A device that lets nothing be read gets the benefit of the doubt.
	 */
	if (!r->link.features.marker[0] && r->link.features.answered && !narrowed) {
		seen->unmarked = f;
	} else {
		hp_hid_identity_of(&id, &r->link);
		if (!r->last.known || foreign_ok || hp_hid_identity_same(&r->last, &id))
			return 1;
		seen->foreign++;
	}
	hp_hid_link_close(&r->link);
	hp_hid_unclaim(r);
	return 0;
}

static void announce(struct hp_hid_reader *r)
{
	const struct hp_hid_link *l = &r->link;
	struct hp_hid_identity id;
	if (!l->facts.name[0])
		snprintf(r->link.facts.name, sizeof r->link.facts.name, "HID device %04x:%04x", l->facts.vendor,
		         l->facts.product);
	hp_hid_identity_of(&id, l);
	if (r->last.known && !hp_hid_identity_same(&r->last, &id))
		hp_hid_reader_say(r, HP_LOG_INFO, "%s did not come back; going on with %s", r->last.name,
		                  l->facts.name);
	if (!l->features.marker[0] && !r->quiet)
		hp_hid_reader_say(r, HP_LOG_WARN, "%s %s; using it all the same", l->facts.name,
		                  l->features.answered ? "has no #AndroidHeadTracker# marker"
		                                       : "does not let its feature reports be read");
	hp_hid_reader_say(r, HP_LOG_DEBUG, "%s is %s on %s, marker %s", l->facts.path, l->facts.name,
	                  hp_hid_bus_name(l->facts.bus), l->features.marker[0] ? l->features.marker : "none");
}

/* A head tracker that the kernel knows but made no node for; fills text with one sentence about it. */
static bool without_node(const struct hp_hid_reader *r, char *text, size_t size)
{
	struct hp_hid_facts *list;
	char why[200];
	size_t n = hp_hid_sysfs_list(&list);
	bool found = false;
	for (size_t i = 0; i < n && !found; i++) {
		const struct hp_hid_facts *f = &list[i];
		if (f->path[0] || !hp_hid_wish_fits(&r->wish, f) ||
		    hp_hid_recognize_bytes(f->descriptor, f->descriptor_size, why, sizeof why) != HID_TRACKER)
			continue;
		found = true;
		snprintf(text, size,
		         "%s is connected, but the kernel made no device node (driver: %s); `headpipe doctor` prints "
		         "the command that frees it",
		         f->name, f->driver[0] ? f->driver : "none");
	}
	free(list);
	return found;
}

static void explain(struct hp_hid_reader *r, const struct found *seen, size_t maybe, const char *maybe_why)
{
	char text[500];
	if (seen->denied)
		hp_hid_reader_say_once(
		    r, HP_LOG_WARN,
		    "%s (%s): permission denied; `headpipe doctor` prints the command that grants access",
		    seen->closed->path, seen->closed->name);
	else if (seen->failed)
		hp_hid_reader_say_once(r, HP_LOG_WARN, "%s (%s) cannot be opened: %s; trying again", seen->closed->path,
		                       seen->closed->name, seen->why);
	else if (seen->unmarked)
		hp_hid_reader_say_once(
		    r, HP_LOG_WARN,
		    "%s (%s) has the descriptor of a head tracker but no #AndroidHeadTracker# marker; to use it "
		    "all the "
		    "same, name it: vendor = 0x%04x, product = 0x%04x",
		    seen->unmarked->path, seen->unmarked->name, seen->unmarked->vendor, seen->unmarked->product);
	else if (seen->foreign)
		hp_hid_reader_say_once(r, HP_LOG_INFO, "waiting for %s; another head tracker is there", r->last.name);
	else if (seen->taken)
		hp_hid_reader_say_once(r, HP_LOG_INFO,
		                       "every head tracker is already used by another input; waiting for one more");
	else if (without_node(r, text, sizeof text))
		hp_hid_reader_say_once(r, HP_LOG_WARN, "%s", text);
	else if (maybe)
		hp_hid_reader_say_once(
		    r, HP_LOG_INFO, "no head tracker found; waiting for one (one device comes close: %s)", maybe_why);
	else if (!r->last.known)
		hp_hid_reader_say_once(r, HP_LOG_INFO, "no head tracker found%s; waiting for one",
		                       hp_hid_wish_open(&r->wish) ? "" : " that fits vendor, product, serial and name");
}

int64_t hp_hid_reader_look(struct hp_hid_reader *r)
{
	struct hp_hid_facts *list;
	struct found seen = { 0 };
	char why[200], maybe_why[200] = "";
	size_t maybe = 0, n = hp_hid_list(&list);
	int opened = 0;
	int64_t absent_ms = (r->host->now(r->host) - r->lost_ns) / 1000000;
	bool foreign_ok = absent_ms >= HID_OTHER_AFTER_MS, narrowed = !hp_hid_wish_open(&r->wish);
	/* The device from before comes first: its serial number can be seen without opening it, its unique ID
	 * cannot. Another one is taken only when no node is the one from before. */
	int passes = r->last.known && foreign_ok ? 3 : 2;
	for (int pass = 0; pass < passes && !opened; pass++)
		for (size_t i = 0; i < n && !opened; i++) {
			bool known = r->last.known && r->last.serial[0] && !strcasecmp(r->last.serial, list[i].serial);
			if ((pass < 2 && known != (pass == 0)) || !hp_hid_wish_fits(&r->wish, &list[i]))
				continue;
			enum hp_hid_verdict v =
			    hp_hid_recognize_bytes(list[i].descriptor, list[i].descriptor_size, why, sizeof why);
			if (v == HID_TRACKER)
				opened = try_one(r, &list[i], narrowed, pass == 2, &seen);
			else if (v == HID_MAYBE && !maybe++)
				snprintf(maybe_why, sizeof maybe_why, "%.60s: %.130s", list[i].name, why);
		}
	if (opened)
		announce(r);
	else
		explain(r, &seen, maybe, maybe_why);
	free(list);
	if (opened) {
		if (tracker_open(&r->life.tracker, &r->link.descriptor, why, sizeof why) == 0)
			return HID_LOOK_OPEN;
		hp_hid_link_close(&r->link);
		hp_hid_unclaim(r);
		return HID_LOOK_FAILED;
	}
	if (seen.failed)
		return HID_LOOK_FAILED;
	/* inputs of this process give a device free without any event */
	if (seen.taken || r->changes.fd < 0)
		return HID_LOOK_AGAIN_MS;
	return seen.foreign ? HID_OTHER_AFTER_MS - absent_ms : -1;
}
