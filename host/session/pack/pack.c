/* SPDX-License-Identifier: MIT
 * pack.c - a block of messages: the columns of their times, numbers and sizes, then those of their data. */
#include "pack.h"
#include "session/model.h"
#include <errno.h>
#include <zlib.h>

enum { VERSION = 1, COLUMNS_MAX = 4096, LOOSE = 0xffff };

/* The data's columns: the numbers of a message, and single bytes between them. */
static size_t widths_of(uint32_t size, const uint32_t *offsets, const uint8_t *sizes, size_t n, uint8_t *widths)
{
	uint32_t at = 0;
	size_t count = 0, next = 0;
	while (at < size) {
		if (count == COLUMNS_MAX)
			return 0;
		while (next < n && offsets[next] < at)
			next++;
		bool number = next < n && offsets[next] == at && sizes[next] <= size - at;
		widths[count++] = number ? sizes[next] : 1;
		at += number ? sizes[next] : 1u;
	}
	return count;
}

static int put_columns(struct hps_out *out, const struct pack_block *b, const uint8_t *data, const uint8_t *widths,
                       size_t count, enum pack_model model)
{
	uint8_t *column = malloc((size_t)b->n * 8 + 1);
	uint32_t at = 0, size = b->size[0];
	int code = column ? 0 : -ENOMEM;
	hps_out_u16(out, (uint16_t)count);
	hps_out_u8(out, (uint8_t)model);
	hps_out_bytes(out, widths, count);
	for (size_t k = 0; k < count && !code; k++) {
		for (uint32_t i = 0; i < b->n; i++)
			memcpy(column + (size_t)i * widths[k], data + (size_t)i * size + at, widths[k]);
		code = pack_put_column(out, column, b->n, widths[k]);
		at += widths[k];
	}
	free(column);
	return code;
}

/* With the model that makes it smallest. */
static int put_fixed(struct hps_out *out, const struct pack_block *b, const uint8_t *widths, size_t count, bool sample)
{
	struct hps_out best = { 0 };
	uint8_t *data = malloc(b->total + 1);
	int code = data ? 0 : -ENOMEM, models = sample && b->size[0] >= HPS_SAMPLE_SIZE ? PACK_MODELS : 1;
	for (int m = 0; m < models && !code; m++) {
		struct hps_out one = { 0 };
		memcpy(data, b->data, b->total);
		for (uint32_t i = 0; i < b->n && m; i++)
			pack_model_apply((enum pack_model)m, b->time[i], data + (size_t)i * b->size[0]);
		code = put_columns(&one, b, data, widths, count, (enum pack_model)m);
		if (!code && (!best.data || one.size < best.size)) {
			struct hps_out swap = best;
			best = one;
			one = swap;
		}
		free(one.data);
	}
	if (!code)
		hps_out_bytes(out, best.data, best.size);
	free(best.data);
	free(data);
	return code;
}

int pack_put(struct hps_out *out, const struct pack_block *b, const uint32_t *offsets, const uint8_t *sizes, size_t n,
             bool sample)
{
	uint8_t *widths = malloc(COLUMNS_MAX), *column = malloc((size_t)b->n * 8 + 1);
	int code = widths && column ? 0 : -ENOMEM;
	hps_out_u8(out, VERSION);
	hps_out_u32(out, b->n);
	bool fixed = b->n > 0;
	for (uint32_t i = 0; i < b->n && !code; i++) {
		hps_put_u64(column + 8 * (size_t)i, (uint64_t)b->time[i]);
		fixed &= b->size[i] == b->size[0];
	}
	if (!code)
		code = pack_put_column(out, column, b->n, 8);
	for (uint32_t i = 0; i < b->n && !code; i++)
		hps_put_u64(column + 8 * (size_t)i, (uint64_t)b->publish[i] - (uint64_t)b->time[i]);
	if (!code)
		code = pack_put_column(out, column, b->n, 8);
	for (int list = 0; list < 2 && !code; list++) {
		for (uint32_t i = 0; i < b->n; i++)
			hps_put_u32(column + 4 * (size_t)i, list ? b->size[i] : b->sequence[i]);
		code = pack_put_column(out, column, b->n, 4);
	}
	size_t count = !code && fixed ? widths_of(b->size[0], offsets, sizes, n, widths) : 0;
	if (!code && count) {
		code = put_fixed(out, b, widths, count, sample);
	} else if (!code) {
		uLongf size = compressBound((uLong)b->total);
		uint8_t *packed = malloc(size);
		if (!packed || compress2(packed, &size, b->data ? b->data : widths, (uLong)b->total, 6) != Z_OK) {
			code = -ENOMEM;
		} else {
			hps_out_u16(out, LOOSE);
			hps_out_u32(out, (uint32_t)size);
			hps_out_bytes(out, packed, size);
		}
		free(packed);
	}
	free(widths);
	free(column);
	return code ? code : out->failed ? -ENOMEM : 0;
}

static int get_fixed(struct hps_in *in, struct pack_block *b, size_t count)
{
	uint8_t model = hps_in_u8(in);
	const uint8_t *widths = hps_in_bytes(in, count);
	uint32_t at = 0, size = b->n ? b->size[0] : 0;
	uint64_t sum = 0;
	for (size_t k = 0; widths && k < count; k++) {
		sum += widths[k];
		if (widths[k] != 1 && widths[k] != 2 && widths[k] != 4 && widths[k] != 8)
			return -EBADMSG;
	}
	if (!widths || sum != size || model >= PACK_MODELS || (model && size < HPS_SAMPLE_SIZE))
		return -EBADMSG;
	for (uint32_t i = 0; i < b->n; i++)
		if (b->size[i] != size)
			return -EBADMSG;
	uint8_t *column = malloc((size_t)b->n * 8 + 1);
	int code = column ? 0 : -ENOMEM;
	for (size_t k = 0; k < count && !code; k++) {
		code = pack_get_column(in, column, b->n, widths[k]);
		for (uint32_t i = 0; i < b->n && !code; i++)
			memcpy(b->data + (size_t)i * size + at, column + (size_t)i * widths[k], widths[k]);
		at += widths[k];
	}
	for (uint32_t i = 0; i < b->n && !code && model; i++)
		pack_model_undo((enum pack_model)model, b->time[i], b->data + (size_t)i * size);
	free(column);
	return code;
}

int pack_get(struct hps_in *in, struct pack_block *b, size_t most)
{
	memset(b, 0, sizeof *b);
	uint8_t version = hps_in_u8(in);
	uint32_t n = hps_in_u32(in);
	if (in->bad || version != VERSION || n > PACK_MESSAGES)
		return -EBADMSG;
	b->time = calloc((size_t)n + 1, sizeof *b->time);
	b->publish = calloc((size_t)n + 1, sizeof *b->publish);
	b->sequence = calloc((size_t)n + 1, sizeof *b->sequence);
	b->size = calloc((size_t)n + 1, sizeof *b->size);
	uint8_t *column = malloc((size_t)n * 8 + 1);
	int code = b->time && b->publish && b->sequence && b->size && column ? 0 : -ENOMEM;
	b->n = n;
	for (int list = 0; list < 4 && !code; list++) {
		unsigned width = list < 2 ? 8 : 4;
		code = pack_get_column(in, column, n, width);
		for (uint32_t i = 0; i < n && !code; i++) {
			const uint8_t *p = column + (size_t)i * width;
			if (list == 0)
				b->time[i] = (int64_t)hps_u64_at(p);
			else if (list == 1)
				b->publish[i] = (int64_t)(hps_u64_at(p) + (uint64_t)b->time[i]);
			else
				(list == 2 ? b->sequence : b->size)[i] = hps_u32_at(p);
		}
	}
	free(column);
	uint64_t total = 0;
	for (uint32_t i = 0; i < n && !code; i++)
		total += b->size[i];
	/* every byte of data takes some room in the block, except in columns that do not change */
	if (code || total > PACK_BYTES || total > most)
		return code ? code : -EBADMSG;
	b->total = (size_t)total;
	uint16_t count = hps_in_u16(in);
	b->data = malloc(b->total + 1);
	if (!b->data)
		return -ENOMEM;
	if (in->bad)
		return -EBADMSG;
	if (count != LOOSE)
		return count ? get_fixed(in, b, count) : n ? -EBADMSG : 0;
	struct hps_in part = hps_in_part(in);
	uLongf size = (uLongf)b->total;
	if (part.bad || uncompress(b->data, &size, part.p, (uLong)(part.end - part.p)) != Z_OK || size != b->total)
		return -EBADMSG;
	return 0;
}

void pack_free(struct pack_block *b)
{
	free(b->time);
	free(b->publish);
	free(b->sequence);
	free(b->size);
	free(b->data);
	memset(b, 0, sizeof *b);
}
