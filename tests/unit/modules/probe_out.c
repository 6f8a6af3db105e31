/* SPDX-License-Identifier: MIT
 * probe_out.c - an output that takes samples and raw reports. */
#include "probe.h"

static const struct hp_option options[] = { PROBE_OPTIONS, HP_OPT_END };

static int write(void *self, const struct hp_sample *s)
{
	struct probe *p = self;
	return p->on_write ? p->on_write(p, s) : 0;
}
HP_MODULE(probe_out) = {
	HP_MODULE_HEAD,     .kind = HP_OUTPUT, .name = "probe_out", .summary = "shows a test what arrives",
	.options = options, .write = write,    .raw = probe_raw,    .start = probe_start,
	PROBE_CALLS,
};
