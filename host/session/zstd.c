/* SPDX-License-Identifier: MIT
 * zstd.c - packing and unpacking chunks, when libzstd is there. */
#include <errno.h>

#include "have.h"
#include "reader.h"
#include "writer.h"

#if HP_HAVE_ZSTD
#include <zstd.h>

bool hps_zstd_there(void)
{
	return true;
}

int hps_zstd_pack(struct hps_writer *w, const uint8_t *src, size_t n, size_t front)
{
	if (!w->zstd)
		w->zstd = ZSTD_createCCtx();
	w->packed.size = 0;
	if (!w->zstd || !hps_out_room(&w->packed, front + ZSTD_compressBound(n)))
		return -ENOMEM;
	ZSTD_CCtx *z = w->zstd;
	size_t r = ZSTD_compressCCtx(z, w->packed.data + front, w->packed.room - front, src, n,
	                             w->opts.level ? w->opts.level : 1);
	if (ZSTD_isError(r))
		return -EIO;
	w->packed.size = front + r;
	return 0;
}

void hps_zstd_pack_free(struct hps_writer *w)
{
	ZSTD_freeCCtx(w->zstd);
}

int hps_zstd_unpack(void **ctx, const uint8_t *src, size_t n, uint64_t size, uint8_t *out)
{
	if (!*ctx)
		*ctx = ZSTD_createDCtx();
	if (!*ctx)
		return -ENOMEM;
	size_t r = ZSTD_decompressDCtx(*ctx, out, (size_t)size, src, n);
	return ZSTD_isError(r) || r != size ? -EBADMSG : 0;
}

void hps_zstd_unpack_free(void *ctx)
{
	ZSTD_freeDCtx(ctx);
}
#else
bool hps_zstd_there(void)
{
	return false;
}

int hps_zstd_pack(struct hps_writer *w, const uint8_t *src, size_t n, size_t front)
{
	(void)w, (void)src, (void)n, (void)front;
	return -ENOTSUP;
}

void hps_zstd_pack_free(struct hps_writer *w)
{
	(void)w;
}

int hps_zstd_unpack(void **ctx, const uint8_t *src, size_t n, uint64_t size, uint8_t *out)
{
	(void)ctx, (void)src, (void)n, (void)size, (void)out;
	return -ENOTSUP;
}

void hps_zstd_unpack_free(void *ctx)
{
	(void)ctx;
}
#endif
