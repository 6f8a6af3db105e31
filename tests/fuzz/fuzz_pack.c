/* SPDX-License-Identifier: MIT
 * fuzz_pack.c - any bytes as a block of an archive; a block that can be read packs and reads back to the same. */
#include "session/pack/pack.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pack_block a, b;
	struct hps_in in = { data, data + size, false };
	struct hps_out out = { 0 };
	if (!pack_get(&in, &a, PACK_BYTES) && a.total < 1 << 20) {
		static const uint32_t offsets[] = { 4, 12, 20 };
		static const uint8_t sizes[] = { 8, 8, 4 };
		if (pack_put(&out, &a, offsets, sizes, 3, true))
			abort();
		in = (struct hps_in){ out.data, out.data + out.size, false };
		if (pack_get(&in, &b, PACK_BYTES) || a.n != b.n || a.total != b.total ||
		    memcmp(a.data, b.data, a.total) != 0)
			abort();
		for (uint32_t i = 0; i < a.n; i++)
			if (a.time[i] != b.time[i] || a.publish[i] != b.publish[i] || a.sequence[i] != b.sequence[i] ||
			    a.size[i] != b.size[i])
				abort();
		pack_free(&b);
	}
	pack_free(&a);
	free(out.data);
	return 0;
}
