/* SPDX-License-Identifier: MIT
 * tracker.h - one head tracker's reports to samples: a decode plan compiled once per descriptor, and the
 * report rate. Used by the inputs `hid` and `replay`; the same bytes give the same samples. */
#ifndef TRACKER_H
#define TRACKER_H
#include "api/builtin.h"
#include "descriptor.h"
#include "headpipe.h"
#include "plan.h"

struct tracker {
	struct hp_hid_plan plan; /* fixed size, no pointers */
	int64_t rate_start_ns;
	uint64_t rate_count;
	double rate_hz;
	bool seen_reset; /* a sample with a reset counter was given */
	uint32_t last_reset;
};

/* Compiles the plan. Returns 0, or -1 with one sentence in why ("no rotation vector ..."). */
int tracker_open(struct tracker *t, const struct hp_hid_descriptor *d, char *why, size_t why_size);
/* A new connection: the rate window opens at rate_start_ns. */
void tracker_connect(struct tracker *t, int64_t rate_start_ns);
/* One input report, with its ID byte where there are IDs; may be short or long. Counts it for the rate. Returns 1
 * with *out filled, 0 when it gives no sample. The sample holds what this report carries, nothing of earlier ones:
 * HP_ROTVEC, with the quaternion left to the host (HP_QUAT_DUE), HP_GYRO/HP_ACCEL where present, reset_count 0 where
 * there is no counter.
 * seq, source and arrival_ns are left for the host. *reset is set when the device's reset counter differs from the
 * last sample's, else cleared. No allocation. [any] */
int tracker_report(struct tracker *t, int64_t time_ns, const uint8_t *data, size_t size, struct hp_sample *out,
                   bool *reset);
#endif
