/* SPDX-License-Identifier: MIT
 * tracker.h - one head tracker's reports to samples: a decode plan compiled once per descriptor, and the
 * report rate. Used by the inputs `hid` and `replay`; the same bytes give the same samples. */
#ifndef TRACKER_H
#define TRACKER_H
#include "headpipe.h"
#include "hid_descriptor.h"
#include "hid_plan.h"

struct tracker {
	struct hid_plan plan; /* fixed size, no pointers */
	int64_t rate_start_ns;
	uint64_t rate_count;
	double rate_hz;
	struct hp_sample sample; /* fields of other report IDs keep their last value */
	bool seen_reset;
	uint32_t last_reset;
};

/* Compiles the plan. Returns 0, or -1 with one sentence in why ("no rotation vector (usage 0020:0544) ..."). */
int tracker_open(struct tracker *, const struct hid_descriptor *, char *why, size_t why_size);
/* A new connection: the rate window opens at rate_start_ns. */
void tracker_connect(struct tracker *, int64_t rate_start_ns);
/* One input report, with its ID byte where there are IDs; may be short or long. Counts it for the rate. Returns 1
 * with *out filled (HP_ROTVEC, quat from it; HP_GYRO/HP_ACCEL where present), 0 when it gives no sample.
 * *reset is set when the device's reset counter differs from the last sample's. No allocation. [any] */
int tracker_report(struct tracker *, int64_t time_ns, const uint8_t *data, size_t size, struct hp_sample *out, bool *reset);
#endif
