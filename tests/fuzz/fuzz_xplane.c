/* SPDX-License-Identifier: MIT
 * fuzz_xplane.c - any datagram as X-Plane's answer: no coordinate that is not finite or absurd is ever taken. */
#include "../../outputs/xplane.c" /* the reader of answers is a function of its own in there */
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t now(const struct hp_host *h)
{
	(void)h;
	return 1;
}
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct hp_host host = { .now = now };
	struct xplane x = { .host = &host };
	answer(&x, data, size);
	for (int i = 0; i < 3; i++)
		if (!(fabsf(x.eye[i]) < 10000) || (x.eye[i] != 0 && !(x.known & 1u << i)))
			abort();
	return 0;
}
