/* SPDX-License-Identifier: MIT
 * probe_filter.c - a filter that does what a test tells it to. */
#include "probe.h"

static const struct hp_option options[] = { PROBE_OPTIONS, HP_OPT_END };

static int filter(void *self, struct hp_sample *s)
{
	struct probe *p = self;
	return p->on_filter ? p->on_filter(p, s) : HP_KEEP;
}
HP_MODULE(probe_filter) = {
	HP_MODULE_HEAD,     .kind = HP_FILTER, .name = "probe_filter", .summary = "does what a test wants",
	.options = options, .filter = filter,  .start = probe_start,   PROBE_CALLS,
};
