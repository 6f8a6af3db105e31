/* SPDX-License-Identifier: MIT
 * trial.c - the angles as one line of text. */
#include "headpipe.h"
#include <errno.h>

struct trial {
	int digits;
};
static const struct hp_option options[] = { HP_OPT_INT(struct trial, digits, "2", 0, 9, "behind the point", HP_LIVE),
	                                    HP_OPT_END };

static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	const struct trial *t = self;
	(void)from;
	int n = snprintf(buf, cap, "%.*f %.*f %.*f", t->digits, s->ypr[0], t->digits, s->ypr[1], t->digits, s->ypr[2]);
	return n < 0 || (size_t)n >= cap ? -ENOSPC : n;
}

HP_MODULE(trial) = {
	HP_MODULE_HEAD,     .kind = HP_ENCODER,
	.name = "trial",    .summary = "yaw, pitch and roll in degrees as one line of text",
	.options = options, .state_size = sizeof(struct trial),
	.encode = encode,
};
