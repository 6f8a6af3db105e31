/* SPDX-License-Identifier: MIT
 * lz4.c - unpacking chunks of other programs' files that are LZ4 frames, when liblz4 is there. */
#include <errno.h>

#include "have.h"
#include "reader.h"

#if HP_HAVE_LZ4
#include <lz4frame.h>

int hps_lz4_unpack(void **ctx, const uint8_t *src, size_t n, uint64_t size, uint8_t *out)
{
	size_t have = 0, used = 0, hint = 1;
	if (!*ctx) {
		LZ4F_dctx *d;
		if (LZ4F_isError(LZ4F_createDecompressionContext(&d, LZ4F_VERSION)))
			return -ENOMEM;
		*ctx = d;
	}
	LZ4F_resetDecompressionContext(*ctx);
	while (hint) {
		size_t room = (size_t)size - have, left = n - used;
		hint = LZ4F_decompress(*ctx, out + have, &room, src + used, &left, NULL);
		if (LZ4F_isError(hint) || (hint && !room && !left))
			return -EBADMSG;
		have += room;
		used += left;
	}
	return have == size && used == n ? 0 : -EBADMSG;
}

void hps_lz4_unpack_free(void *ctx)
{
	LZ4F_freeDecompressionContext(ctx);
}
#else
int hps_lz4_unpack(void **ctx, const uint8_t *src, size_t n, uint64_t size, uint8_t *out)
{
	(void)ctx, (void)src, (void)n, (void)size, (void)out;
	return -ENOTSUP;
}

void hps_lz4_unpack_free(void *ctx)
{
	(void)ctx;
}
#endif
