/* SPDX-License-Identifier: MIT
 * report.c - from a report of a live device to what the host is told: connected, gap, reset, report, sample. On the
 * loop or in the device's thread, whoever reads it. */
#include "reader.h"
#include <stdlib.h>

/* An event of the device. */
static void tell(struct hp_hid_reader *r, uint32_t type, int64_t time_ns, int64_t value, const char *text)
{
	struct hp_event event = { sizeof event, type, time_ns, value, text };
	struct hp_item item = { .struct_size = sizeof item, .event = &event };
	r->life.give(r->host, &item);
}

void hp_hid_describe(struct hp_hid_reader *r)
{
	struct hp_hid_link *l = &r->link;
	char unique[48] = "";
	size_t size = hp_hid_features_text(&l->features, NULL, 0) + 1;
	char *features = malloc(size);
	if (features)
		hp_hid_features_text(&l->features, features, size);
	if (l->has_unique)
		hp_hid_unique_text(l->features.unique, unique, sizeof unique);
	struct hp_stream s = {
		.struct_size = sizeof s,
		.device = l->facts.name,
		.serial = l->facts.serial[0] ? l->facts.serial : NULL,
		.unique_id = unique[0] ? unique : NULL,
		.descriptor = l->facts.descriptor,
		.descriptor_size = l->facts.descriptor_size,
		.vendor = l->facts.vendor,
		.product = l->facts.product,
		.rate_start_ns = r->life.opened_ns,
		.report_size = (uint32_t)hp_hid_descriptor_longest(&l->descriptor, HID_INPUT),
		.features = features && features[0] ? features : NULL,
	};
	r->host->describe(r->host, &s);
	free(features);
}

static void on_first_report(struct hp_hid_reader *r, int64_t now)
{
	struct hp_hid_life *l = &r->life;
	tell(r, HP_CONNECTED, now, 0, r->link.facts.name);
	l->jump = true;
	l->first_report_ns = now;
	l->reports = 0;
	l->told_rate = false;
	l->gap = l->last_report_ns != 0;
	atomic_store(&r->connected, true);
}

/* "connected" is said when the rate is known, one second later; or at the end of a shorter life. */
static void tell_connected(struct hp_hid_reader *r)
{
	struct hp_hid_life *l = &r->life;
	int64_t span = l->last_report_ns - l->first_report_ns;
	if (l->told_rate)
		return;
	l->told_rate = true;
	if (l->reports > 1 && span > 0)
		hp_hid_reader_say(r, HP_LOG_INFO, "%s connected, %.0f reports/s", r->link.facts.name,
		                  (double)(l->reports - 1) * 1e9 / (double)span);
	else
		hp_hid_reader_say(r, HP_LOG_INFO, "%s connected", r->link.facts.name);
}

bool hp_hid_report(struct hp_hid_reader *r, const uint8_t *data, size_t size, int64_t now)
{
	struct hp_hid_life *l = &r->life;
	struct hp_raw raw = { sizeof raw, (uint32_t)size, data, now };
	struct hp_sample sample;
	struct hp_event event = { sizeof event, HP_REFERENCE_RESET, now, 0, NULL };
	struct hp_item item = { .struct_size = sizeof item, .raw = &raw };
	bool reset;
	if (!atomic_load_explicit(&r->connected, memory_order_relaxed))
		on_first_report(r, now);
	if (l->gap) {
		/* the clock of the times stands still while the machine sleeps */
		tell(r, HP_GAP, now, now - l->last_report_ns + atomic_exchange(&r->slept_ns, 0), NULL);
		l->gap = false;
		l->jump = true;
	}
	if (tracker_report(&l->tracker, now, data, size, &sample, &reset)) {
		if (reset) {
			event.value = sample.reset_count;
			item.event = &event;
		}
		if (reset || l->jump)
			sample.flags |= HP_JUMP;
		l->jump = false;
		sample.arrival_ns = now;
		item.samples = &sample;
		item.nsamples = 1;
		l->sample_ns = now;
		if (!atomic_load_explicit(&r->gave, memory_order_relaxed))
			atomic_store(&r->gave, true);
	}
	l->give(r->host, &item);
	l->reports++;
	l->last_report_ns = now;
	if (!l->told_rate && now - l->first_report_ns >= 1000000000)
		tell_connected(r);
	return item.nsamples > 0;
}

void hp_hid_life_end(struct hp_hid_reader *r, const char *why)
{
	if (!atomic_load(&r->connected))
		return;
	tell_connected(r);
	tell(r, HP_DISCONNECTED, r->host->now(r->host), 0, why[0] ? why : "reopened");
}
