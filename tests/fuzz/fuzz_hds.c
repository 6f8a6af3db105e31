/* SPDX-License-Identifier: MIT
 * fuzz_hds.c - any bytes through the HDS reader; what it takes must survive the writer. First byte: bit 0 message or
 * value, bits 1 and 2 the reader's flags. */
#include "hds/decode.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool ok, const char *what)
{
	if (!ok) {
		fprintf(stderr, "fuzz_hds: %s\n", what);
		abort();
	}
}

/* How many values each container has, in the order they open: a first pass for the writer. */
static size_t count_children(struct hp_hds_reader r)
{
	struct hp_hds_item item;
	size_t n = 0;
	int base = r.depth;
	while (hp_hds_next(&r, &item) > 0) {
		if (item.type == HP_HDS_END && item.depth == base - 1)
			break;
		n += item.type != HP_HDS_END && item.depth == base;
	}
	return n;
}

static void put(struct hp_hds_writer *w, const struct hp_hds_reader *r, const struct hp_hds_item *item)
{
	switch (item->type) {
	case HP_HDS_NULL:
		hp_hds_null(w);
		break;
	case HP_HDS_BOOL:
		hp_hds_bool(w, item->b);
		break;
	case HP_HDS_INT:
		hp_hds_int(w, item->i);
		break;
	case HP_HDS_F32:
		hp_hds_f32(w, item->f32);
		break;
	case HP_HDS_F64:
		hp_hds_f64(w, item->f64);
		break;
	case HP_HDS_DATE:
		hp_hds_date(w, item->f64);
		break;
	case HP_HDS_STR:
		hp_hds_str(w, (const char *)item->at, item->n);
		break;
	case HP_HDS_DATA:
		hp_hds_data(w, item->at, item->n);
		break;
	case HP_HDS_UUID:
		hp_hds_uuid(w, item->at);
		break;
	case HP_HDS_ARRAY:
		hp_hds_array(w, count_children(*r));
		break;
	case HP_HDS_DICT:
		hp_hds_dict(w, count_children(*r) / 2);
		break;
	case HP_HDS_END:
		break;
	}
}

/* Copies the value that r stands before into buf; returns its canonical size. */
static int copy(struct hp_hds_reader r, uint8_t *buf, size_t cap)
{
	struct hp_hds_writer w;
	struct hp_hds_item item;
	hp_hds_begin(&w, buf, cap, HP_HDS_ANY_KEYS);
	while (hp_hds_next(&r, &item) > 0)
		put(&w, &r, &item);
	require(r.error == 0, "the second reading failed");
	return hp_hds_finish(&w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_hds_reader r, before;
	struct hp_hds_message m;
	struct hp_hds_item item;
	uint8_t first[4096], second[4096];
	if (!size)
		return 0;
	unsigned flags = data[0] & 6u;
	int rc = 0;
	if (data[0] & 1)
		rc = hp_hds_open(&r, &m, data + 1, size - 1, flags);
	else
		hp_hds_read(&r, data + 1, size - 1, flags);
	if (rc < 0)
		return 0;
	before = r;
	while ((rc = hp_hds_next(&r, &item)) > 0)
		require(item.offset + item.size <= size - 1 && item.depth <= HP_HDS_DEPTH, "an item outside the input");
	require(rc == 0 || (r.why && r.bad_at <= size - 1), "an error without a reason");
	/* quadratic counting: short inputs are enough */
	if (rc < 0 || size > 512)
		return 0;
	int n = copy(before, first, sizeof first);
	if (n == -ENOSPC) /* references grow */
		return 0;
	require(n > 0, "what was read cannot be written");
	hp_hds_read(&r, first, (size_t)n, HP_HDS_NO_REFS);
	require(copy(r, second, sizeof second) == n && memcmp(first, second, (size_t)n) == 0,
	        "the round trip changed it");
	return 0;
}
