/* SPDX-License-Identifier: MIT
 * probe_in.c - an input that emits what a test tells it to. */
#include "probe.h"

static const struct hp_option options[] = { PROBE_OPTIONS, HP_OPT_END };

HP_MODULE(probe_in) = {
	HP_MODULE_HEAD,     .kind = HP_INPUT,     .name = "probe_in", .summary = "emits what a test wants",
	.options = options, .start = probe_start, PROBE_CALLS,
};
