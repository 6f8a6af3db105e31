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

int hps_zstd_pack(struct hps_writer *w, const uint8_t *src, size_t n)
{
	if (!w->zstd)
		w->zstd = ZSTD_createCCtx();
	w->packed.size = 0;
	if (!w->zstd || !hps_out_room(&w->packed, ZSTD_compressBound(n)))
		return -ENOMEM;
	ZSTD_CCtx *z = w->zstd;
	size_t r = ZSTD_compressCCtx(z, w->packed.data, w->packed.room, src, n, w->opts.level ? w->opts.level : 1);
	if (ZSTD_isError(r))
		return -EIO;
	w->packed.size = r;
	return 0;
}

void hps_zstd_pack_free(struct hps_writer *w)
{
	ZSTD_freeCCtx(w->zstd);
}

/* What the head claims is believed only while it is in proportion to the packed bytes; beyond that the memory grows
 * with what really comes out. */
int hps_zstd_unpack(void **ctx, const uint8_t *src, size_t n, uint64_t size, uint8_t **out)
{
	if (!*ctx)
		*ctx = ZSTD_createDCtx();
	if (!*ctx)
		return -ENOMEM;
	unsigned long long claim = ZSTD_getFrameContentSize(src, n);
	if (claim == ZSTD_CONTENTSIZE_ERROR || (claim != ZSTD_CONTENTSIZE_UNKNOWN && claim != size))
		return -EBADMSG;
	size_t room = size <= 64 * (uint64_t)n + 1024 ? (size_t)size : 64 * n + 1024, have = 0;
	uint8_t *data = malloc(room + 1);
	if (!data)
		return -ENOMEM;
	if (room == size) {
		size_t r = ZSTD_decompressDCtx(*ctx, data, room, src, n);
		if (ZSTD_isError(r) || r != size) {
			free(data);
			return -EBADMSG;
		}
		*out = data;
		return 0;
	}
	ZSTD_DCtx_reset(*ctx, ZSTD_reset_session_only);
	ZSTD_inBuffer in = { src, n, 0 };
	size_t left = 1;
	while (have < size) {
		if (have == room) {
			room = room < size / 2 ? room * 2 : (size_t)size;
			uint8_t *more = realloc(data, room + 1);
			if (!more)
				break;
			data = more;
		}
		ZSTD_outBuffer to = { data, room, have };
		size_t before = in.pos;
		left = ZSTD_decompressStream(*ctx, &to, &in);
		if (ZSTD_isError(left) || (to.pos == have && in.pos == before))
			break;
		have = to.pos;
		if (!left)
			break;
	}
	if (have != size || left || in.pos != n) {
		free(data);
		return -EBADMSG;
	}
	*out = data;
	return 0;
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

int hps_zstd_pack(struct hps_writer *w, const uint8_t *src, size_t n)
{
	(void)w, (void)src, (void)n;
	return -ENOTSUP;
}

void hps_zstd_pack_free(struct hps_writer *w)
{
	(void)w;
}

int hps_zstd_unpack(void **ctx, const uint8_t *src, size_t n, uint64_t size, uint8_t **out)
{
	(void)ctx, (void)src, (void)n, (void)size, (void)out;
	return -ENOTSUP;
}

void hps_zstd_unpack_free(void *ctx)
{
	(void)ctx;
}
#endif
