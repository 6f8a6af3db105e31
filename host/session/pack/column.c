/* SPDX-License-Identifier: MIT
 * column.c - one column of numbers, as small as one of a few methods makes it.
 *
 * A column is u8 method, u32 bytes, and the bytes. Values are transformed, their bytes sorted by place (all lowest
 * bytes, then all second ones, ...), and deflated. CONSTANT stores one value as it is. */
#include "pack.h"
#include <errno.h>
#include <zlib.h>

enum method { CONSTANT, PLAIN, DELTA, XOR, DELTA2, TABLE, METHODS };
enum { TABLE_MAX = 4096 };

static uint64_t load(const uint8_t *p, unsigned width)
{
	uint64_t v = 0;
	for (unsigned i = 0; i < width; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static void store(uint8_t *p, uint64_t v, unsigned width)
{
	for (unsigned i = 0; i < width; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}

/* Differences are folded, so that small negative ones are small too. */
static uint64_t fold(uint64_t v, unsigned width)
{
	unsigned bits = 8 * width;
	uint64_t sign = v >> (bits - 1) & 1;
	v = (v << 1) ^ (sign ? ~(uint64_t)0 : 0);
	return bits == 64 ? v : v & (((uint64_t)1 << bits) - 1);
}

static uint64_t unfold(uint64_t v)
{
	return v >> 1 ^ (0 - (v & 1));
}

static void transform(enum method m, const uint8_t *in, uint8_t *out, size_t n, unsigned width)
{
	uint64_t before = 0, step = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t v = load(in + i * width, width), w = v;
		if (m == DELTA)
			w = fold(v - before, width);
		else if (m == DELTA2)
			w = fold(v - before - step, width);
		else if (m == XOR)
			w = v ^ before;
		step = v - before;
		before = v;
		for (unsigned k = 0; k < width; k++)
			out[k * n + i] = (uint8_t)(w >> 8 * k);
	}
}

static void restore(enum method m, const uint8_t *in, uint8_t *out, size_t n, unsigned width)
{
	uint64_t before = 0, step = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t w = 0, v;
		for (unsigned k = 0; k < width; k++)
			w |= (uint64_t)in[k * n + i] << 8 * k;
		if (m == DELTA)
			v = before + unfold(w);
		else if (m == DELTA2)
			v = before + step + unfold(w);
		else
			v = m == XOR ? w ^ before : w;
		store(out + i * width, v, width);
		v = load(out + i * width, width); /* only the bytes that there are count */
		step = v - before;
		before = v;
	}
}

static int by_value(const void *a, const void *b)
{
	uint64_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return x < y ? -1 : x > y;
}

/* Sorted distinct values, then each value's place among them; 0 when there are too many. Returns the bytes at out,
 * which has room for n * 10 + 2. */
static size_t table(const uint8_t *in, uint8_t *out, size_t n, unsigned width)
{
	uint64_t *all = malloc(n * sizeof *all);
	size_t d = 0;
	if (!all || width < 2) {
		free(all);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		all[i] = load(in + i * width, width);
	qsort(all, n, sizeof *all, by_value);
	for (size_t i = 0; i < n; i++)
		if (!i || all[i] != all[d - 1])
			all[d++] = all[i];
	if (d > TABLE_MAX || d * width > n * width / 2) {
		free(all);
		return 0;
	}
	uint8_t *sorted = malloc(d * width + n * 2);
	if (sorted) {
		uint8_t *places = sorted + d * width;
		for (size_t i = 0; i < d; i++)
			store(sorted + i * width, all[i], width);
		for (size_t i = 0; i < n; i++) {
			uint64_t v = load(in + i * width, width);
			size_t low = 0, high = d;
			while (low < high) {
				size_t mid = (low + high) / 2;
				if (all[mid] < v)
					low = mid + 1;
				else
					high = mid;
			}
			store(places + 2 * i, low, 2);
		}
		store(out, d, 2);
		transform(DELTA, sorted, out + 2, d, width);
		transform(DELTA, places, out + 2 + d * width, n, 2);
	}
	free(all);
	free(sorted);
	return sorted ? 2 + d * width + 2 * n : 0;
}

static void put(struct hps_out *out, enum method m, const void *bytes, size_t n)
{
	hps_out_u8(out, (uint8_t)m);
	hps_out_u32(out, (uint32_t)n);
	hps_out_bytes(out, bytes, n);
}

int pack_put_column(struct hps_out *out, const uint8_t *values, size_t n, unsigned width)
{
	size_t i = 1;
	while (i < n && !memcmp(values, values + i * width, width))
		i++;
	if (i >= n) {
		put(out, CONSTANT, values, n ? width : 0);
		return out->failed ? -ENOMEM : 0;
	}
	uLong bound = compressBound((uLong)(n * 10 + 2));
	uint8_t *work = malloc(n * 10 + 2), *packed = malloc(bound), *best = malloc(bound);
	size_t least = SIZE_MAX;
	enum method with = PLAIN;
	for (int m = PLAIN; work && packed && best && m < METHODS; m++) {
		size_t raw = n * width;
		uLongf size = bound;
		if (m == TABLE)
			raw = table(values, work, n, width);
		else
			transform((enum method)m, values, work, n, width);
		if (!raw || compress2(packed, &size, work, (uLong)raw, 6) != Z_OK || size >= least)
			continue;
		uint8_t *swap = best;
		best = packed;
		packed = swap;
		least = size;
		with = (enum method)m;
	}
	if (least != SIZE_MAX)
		put(out, with, best, least);
	free(work);
	free(packed);
	free(best);
	return least == SIZE_MAX || out->failed ? -ENOMEM : 0;
}

/* Exactly `want` bytes must come out. Deflate makes at most 1032 of one, so a claim cannot ask for much memory. */
static uint8_t *inflate_all(const uint8_t *p, size_t n, size_t want, int *code)
{
	*code = -EBADMSG;
	if (want / 1032 > n)
		return NULL;
	uint8_t *out = malloc(want + 1);
	uLongf size = (uLongf)want;
	if (!out) {
		*code = -ENOMEM;
		return NULL;
	}
	if (uncompress(out, &size, p, (uLong)n) != Z_OK || size != want) {
		free(out);
		return NULL;
	}
	*code = 0;
	return out;
}

static int get_table(const uint8_t *p, size_t n_packed, uint8_t *values, size_t n, unsigned width)
{
	/* the size depends on what it says first: two passes over a short beginning would be needed, so try the length
	 */
	uint8_t first[2];
	z_stream z = { 0 };
	int code = -EBADMSG;
	if (inflateInit(&z) != Z_OK)
		return -ENOMEM;
	z.next_in = (Bytef *)(uintptr_t)p;
	z.avail_in = (uInt)n_packed;
	z.next_out = first;
	z.avail_out = sizeof first;
	int state = inflate(&z, Z_SYNC_FLUSH);
	bool began = (state == Z_OK || state == Z_STREAM_END || state == Z_BUF_ERROR) && z.avail_out == 0;
	inflateEnd(&z);
	size_t d = began ? (size_t)load(first, 2) : 0;
	if (!d || d > TABLE_MAX)
		return -EBADMSG;
	uint8_t *raw = inflate_all(p, n_packed, 2 + d * width + 2 * n, &code);
	uint8_t *sorted = raw ? malloc(d * width + 2 * n) : NULL;
	if (sorted) {
		uint8_t *places = sorted + d * width;
		restore(DELTA, raw + 2, sorted, d, width);
		restore(DELTA, raw + 2 + d * width, places, n, 2);
		for (size_t i = 0; i < n && !code; i++) {
			size_t at = (size_t)load(places + 2 * i, 2);
			if (at >= d)
				code = -EBADMSG;
			else
				memcpy(values + i * width, sorted + at * width, width);
		}
	} else if (!code) {
		code = -ENOMEM;
	}
	free(raw);
	free(sorted);
	return code;
}

int pack_get_column(struct hps_in *in, uint8_t *values, size_t n, unsigned width)
{
	uint8_t method = hps_in_u8(in);
	struct hps_in part = hps_in_part(in);
	size_t bytes = (size_t)(part.end - part.p);
	int code = 0;
	if (part.bad || method >= METHODS)
		return -EBADMSG;
	if (method == CONSTANT) {
		if (bytes != (n ? width : 0))
			return -EBADMSG;
		for (size_t i = 0; i < n; i++)
			memcpy(values + i * width, part.p, width);
		return 0;
	}
	if (method == TABLE)
		return get_table(part.p, bytes, values, n, width);
	uint8_t *raw = inflate_all(part.p, bytes, n * width, &code);
	if (raw)
		restore((enum method)method, raw, values, n, width);
	free(raw);
	return code;
}
