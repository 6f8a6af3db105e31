/* SPDX-License-Identifier: MIT
 * probe_clash.c - an encoder with an option that probe_send has as well, which cannot work. */
#include "probe.h"

static const struct hp_option options[] = { HP_OPT_REAL(struct probe, gain, "1", 0, 10, "the same key"), HP_OPT_END };

static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t size)
{
	(void)self, (void)s, (void)from, (void)buf, (void)size;
	return 0;
}
HP_MODULE(probe_clash) = {
	HP_MODULE_HEAD,     .kind = HP_ENCODER, .name = "probe_clash", .summary = "clashes with its transport",
	.options = options, .encode = encode,   PROBE_CALLS,
};
