/* SPDX-License-Identifier: MIT
 * tracker.c - one head tracker's reports to samples. */
#include "tracker.h"

#include <string.h>

int tracker_open(struct tracker *t, const struct hp_hid_descriptor *d, char *why, size_t why_size)
{
	memset(t, 0, sizeof *t);
	return hp_hid_plan_compile(&t->plan, d, why, why_size);
}

void tracker_connect(struct tracker *t, int64_t rate_start_ns)
{
	t->rate_start_ns = rate_start_ns;
	t->rate_count = 0;
	t->rate_hz = 0;
	t->seen_reset = false;
}

/* Every report of the device counts, whatever its ID and whether or not it gives a sample. */
static void count(struct tracker *t, int64_t time_ns)
{
	/* unsigned, because a recording may hold any two times */
	int64_t elapsed_ns = (int64_t)((uint64_t)time_ns - (uint64_t)t->rate_start_ns);
	double elapsed = (double)elapsed_ns / 1e9;
	t->rate_count++;
	if (elapsed >= 1.0) {
		t->rate_hz = (double)t->rate_count / elapsed;
		t->rate_count = 0;
		t->rate_start_ns = time_ns;
	}
}

/* HP_SAMPLE_INIT without the fields that every report fills: half the work of copying 256 bytes first. */
static inline void begin(struct hp_sample *s)
{
	static const struct hp_sample empty = HP_SAMPLE_INIT;
	s->source = 0;
	s->seq = 0;
	s->arrival_ns = s->device_ns = 0;
	s->quat[0] = 1;
	memset(s->quat + 1, 0, 3 * sizeof s->quat[0]);
	memset(s->ypr, 0, sizeof s->ypr);
	memset(s->pos, 0, sizeof s->pos);
	s->latency_ms = -1;
	s->reset_count = s->pad0 = 0;
	memcpy(s->angvel, empty.angvel, sizeof *s - offsetof(struct hp_sample, angvel));
}

int tracker_report(struct tracker *t, int64_t time_ns, const uint8_t *data, size_t size, struct hp_sample *out,
                   bool *reset)
{
	struct hp_hid_values now;
	uint32_t flags = 0;
	*reset = false;
	count(t, time_ns);
	if (!hp_hid_plan_decode(&t->plan, data, size, &now))
		return 0;
	begin(out);
	out->time_ns = time_ns;
/* what has a plan has a rotation */
#define HP_QUANTITY(name, numbers, member, flag, ...)                                       \
	flags |= HID_##name == HID_ROTATION || now.has & HID_##name ? (uint32_t)(flag) : 0; \
	memcpy(&out->member, now.v + HID_AT_##name, sizeof out->member);
#include "usages.def"
	out->flags = flags;
	out->rate_hz = t->rate_hz;
	if (now.has & HID_RESET) {
		out->reset_count = now.reset;
		*reset = t->seen_reset && t->last_reset != now.reset;
		t->seen_reset = true;
		t->last_reset = now.reset;
	}
	return 1;
}
