/* SPDX-License-Identifier: MIT
 * fuzz_lean.c - any bytes as a chunk's columns; records that can be read pack and read back to the same. */
#include "session/lean.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const uint32_t offsets[] = { 4, 12, 20 };
static const uint8_t sizes[] = { 8, 8, 4 };
static struct hps_lean_layout layout_of(const void *ctx, uint16_t channel)
{
	(void)ctx;
	struct hps_lean_layout f = { offsets, sizes, channel % 2 ? 3 : 0, channel == 2 };
	return f;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* the records' size is told by the chunk's head */
	if (size < 2)
		return 0;
	size_t n = hps_u16_at(data);
	uint8_t *records = malloc(n + 1), *back = malloc(n + 1);
	struct hps_lean *lean = hps_lean_new();
	struct hps_out out = { 0 };
	if (records && back && lean && !hps_lean_unpack(data + 2, size - 2, records, n)) {
		int code = hps_lean_pack(lean, records, n, layout_of, NULL, &out);
		if (code && code != -7 /* E2BIG */)
			abort();
		if (!code && (hps_lean_unpack(out.data, out.size, back, n) || memcmp(records, back, n) != 0))
			abort();
	}
	hps_lean_free(lean);
	free(records);
	free(back);
	free(out.data);
	return 0;
}
