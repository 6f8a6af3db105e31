/* SPDX-License-Identifier: MIT
 * null.c - an output that takes every sample and does nothing with it: to measure what stands above it. */
#include "headpipe.h"

static int null_write(void *self, const struct hp_sample *s)
{
	(void)self;
	(void)s;
	return 0;
}
HP_MODULE(null) = {
	HP_MODULE_HEAD,      .kind = HP_OUTPUT, .name = "null", .summary = "takes samples and does nothing with them",
	.write = null_write,
};
