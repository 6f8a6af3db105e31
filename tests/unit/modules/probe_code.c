/* SPDX-License-Identifier: MIT
 * probe_code.c - an encoder: the yaw as a double, unless a test wants something else. Its options have names of their
 * own, since an output and its encoder share a section. */
#include "probe.h"
#include <errno.h>
#include <string.h>

static const struct hp_option options[] = {
	HP_OPT_STR_AS(struct probe, label, "code_label", "none", "a live text", HP_LIVE),
	HP_OPT_REAL_AS(struct probe, gain, "code_gain", "1", 0, 10, "a live number", HP_LIVE), HP_OPT_END
};

static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t size)
{
	struct probe *p = self;
	if (p->on_encode)
		return p->on_encode(p, s, from, buf, size);
	if (size < sizeof s->ypr[0])
		return -ENOSPC;
	memcpy(buf, &s->ypr[0], sizeof s->ypr[0]);
	return sizeof s->ypr[0];
}
HP_MODULE(probe_code) = {
	HP_MODULE_HEAD,     .kind = HP_ENCODER, .name = "probe_code", .summary = "yaw as a double",
	.options = options, .encode = encode,   PROBE_CALLS,
};
