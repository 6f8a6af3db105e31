/* SPDX-License-Identifier: MIT
 * probe_send.c - an output that carries the bytes of an encoder. */
#include "probe.h"

static const struct hp_option options[] = { PROBE_OPTIONS, HP_OPT_END };

static int send_bytes(void *self, const void *data, size_t size)
{
	struct probe *p = self;
	return p->on_send ? p->on_send(p, data, size) : 0;
}
HP_MODULE(probe_send) = {
	HP_MODULE_HEAD,     .kind = HP_OUTPUT,  .name = "probe_send",     .summary = "shows a test what is sent",
	.options = options, .send = send_bytes, .encoding = "probe_code", PROBE_CALLS,
};
