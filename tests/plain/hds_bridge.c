/* SPDX-License-Identifier: MIT
 * hds_bridge.c - trees through headpipe's HDS writer and reader, and random trees. */
#include "hds/decode.h"
#include "hds_plain.h"
#include <stdlib.h>
#include <string.h>

void plain_put(struct hp_hds_writer *w, const struct plain_value *v)
{
	float f;
	double d;
	uint32_t bits = (uint32_t)v->bits;
	memcpy(&f, &bits, sizeof f);
	memcpy(&d, &v->bits, sizeof d);
	switch (v->type) {
	case PLAIN_NULL:
		hp_hds_null(w);
		break;
	case PLAIN_BOOL:
		hp_hds_bool(w, v->bits != 0);
		break;
	case PLAIN_INT:
		hp_hds_int(w, (int64_t)v->bits);
		break;
	case PLAIN_INT8:
		hp_hds_int8(w, (int8_t)v->bits);
		break;
	case PLAIN_INT16:
		hp_hds_int16(w, (int16_t)v->bits);
		break;
	case PLAIN_INT32:
		hp_hds_int32(w, (int32_t)v->bits);
		break;
	case PLAIN_INT64:
		hp_hds_int64(w, (int64_t)v->bits);
		break;
	case PLAIN_WIDE:
		hp_hds_wide(w, v->bits, v->negative);
		break;
	case PLAIN_F32:
		hp_hds_f32(w, f);
		break;
	case PLAIN_F64:
		hp_hds_f64(w, d);
		break;
	case PLAIN_DATE:
		hp_hds_date(w, d);
		break;
	case PLAIN_STR:
		hp_hds_str(w, (const char *)v->at, v->n);
		break;
	case PLAIN_DATA:
		hp_hds_data(w, v->at, v->n);
		break;
	case PLAIN_UUID:
		hp_hds_uuid(w, v->at);
		break;
	case PLAIN_ARRAY:
		hp_hds_array(w, v->nitems);
		break;
	case PLAIN_DICT:
		hp_hds_dict(w, v->nitems / 2);
		break;
	}
	for (size_t i = 0; i < v->nitems; i++)
		plain_put(w, v->items[i]);
}

static struct plain_value *from_item(const struct hp_hds_item *item)
{
	struct plain_value *v = plain_new(PLAIN_NULL);
	uint32_t bits;
	v->offset = item->offset;
	switch (item->type) {
	case HP_HDS_NULL:
		break;
	case HP_HDS_BOOL:
		v->type = PLAIN_BOOL;
		v->bits = item->b;
		break;
	case HP_HDS_INT:
		v->type = item->tag < 0x30 ? PLAIN_INT : PLAIN_INT8 + (unsigned)(item->tag - 0x30);
		v->bits = (uint64_t)item->i;
		break;
	case HP_HDS_F32:
		v->type = PLAIN_F32;
		memcpy(&bits, &item->f32, sizeof bits);
		v->bits = bits;
		break;
	case HP_HDS_F64:
	case HP_HDS_DATE:
		v->type = item->type == HP_HDS_F64 ? PLAIN_F64 : PLAIN_DATE;
		memcpy(&v->bits, &item->f64, sizeof v->bits);
		break;
	case HP_HDS_STR:
	case HP_HDS_DATA:
	case HP_HDS_UUID:
		v->type = item->type == HP_HDS_STR ? PLAIN_STR : item->type == HP_HDS_DATA ? PLAIN_DATA : PLAIN_UUID;
		plain_set(v, item->at, item->n);
		break;
	case HP_HDS_ARRAY:
		v->type = PLAIN_ARRAY;
		break;
	case HP_HDS_DICT:
		v->type = PLAIN_DICT;
		break;
	case HP_HDS_END:
		abort();
	}
	return v;
}

struct plain_value *plain_take(struct hp_hds_reader *r)
{
	struct plain_value *open[HP_HDS_DEPTH + 1], *root = NULL;
	struct hp_hds_item item;
	int rc;
	while ((rc = hp_hds_next(r, &item)) > 0) {
		if (item.type == HP_HDS_END)
			continue;
		struct plain_value *v = from_item(&item);
		/* the reader's depth must agree with the nesting, or this goes wrong */
		if (item.depth)
			plain_add(open[item.depth - 1], v);
		else
			root = v;
		open[item.depth] = v;
	}
	if (rc == 0)
		return root;
	plain_free(root);
	return NULL;
}

uint32_t plain_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (uint32_t)(*state >> 32);
}

static void random_text(uint64_t *state, struct plain_value *v, bool text)
{
	static const char *const chars[] = {
		"a", "Z", "0", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "_", "\x01"
	};
	static const size_t sizes[] = { 0, 1, 2, 7, 8, 31, 32, 33, 60, 255, 256, 300, 65535, 65536 };
	/* the long ones are rare: a test has many values */
	size_t want = sizes[plain_random(state) % (plain_random(state) % 200 ? 9 : 14)];
	plain_set(v, "", 0);
	uint8_t *at = malloc(want + 8);
	size_t n = 0;
	while (n < want) {
		if (!text) {
			at[n++] = (uint8_t)plain_random(state);
			continue;
		}
		const char *c = chars[plain_random(state) % 8];
		if (n + strlen(c) > want)
			c = "x";
		memcpy(at + n, c, strlen(c));
		n += strlen(c);
	}
	plain_set(v, at, n);
	free(at);
}

struct plain_value *plain_random_value(uint64_t *state, int depth)
{
	static const uint64_t edges[] = { 0,          1,         38,         39,          40,          127,
		                          128,        129,       255,        256,         32767,       32768,
		                          32769,      65535,     2147483647, 2147483648u, 2147483649u, 4294967295u,
		                          1ull << 53, INT64_MAX, 1ull << 63 };
	static const enum plain_type types[] = { PLAIN_NULL,  PLAIN_BOOL,  PLAIN_INT,   PLAIN_INT,  PLAIN_INT8,
		                                 PLAIN_INT16, PLAIN_INT32, PLAIN_INT64, PLAIN_F32,  PLAIN_F64,
		                                 PLAIN_F64,   PLAIN_DATE,  PLAIN_STR,   PLAIN_STR,  PLAIN_DATA,
		                                 PLAIN_UUID,  PLAIN_ARRAY, PLAIN_DICT,  PLAIN_DICT, PLAIN_ARRAY };
	unsigned pick = plain_random(state) % (depth > 0 ? 20 : 16);
	if (depth > 2 && pick < 10)
		pick += 10; /* mostly containers at the top */
	struct plain_value *v = plain_new(types[pick]);
	uint64_t wide = (uint64_t)plain_random(state) << 32 | plain_random(state);
	size_t n = plain_random(state) % (plain_random(state) % 8 ? 4 : 18);
	uint8_t uuid[16];
	switch (v->type) {
	case PLAIN_BOOL:
		v->bits = wide & 1;
		break;
	case PLAIN_INT:
		v->bits = edges[wide % (sizeof edges / sizeof edges[0])];
		if (plain_random(state) & 1)
			v->bits = -v->bits;
		if (!(plain_random(state) % 3))
			v->bits = (uint64_t)((int64_t)wide >> plain_random(state) % 64);
		break;
	case PLAIN_INT8:
		v->bits = (uint64_t)(int64_t)(int8_t)wide;
		break;
	case PLAIN_INT16:
		v->bits = (uint64_t)(int64_t)(int16_t)wide;
		break;
	case PLAIN_INT32:
		v->bits = (uint64_t)(int64_t)(int32_t)wide;
		break;
	case PLAIN_F32:
		v->bits = (uint32_t)wide;
		break;
	case PLAIN_INT64:
	case PLAIN_F64:
	case PLAIN_DATE:
		v->bits = wide;
		break;
	case PLAIN_STR:
	case PLAIN_DATA:
		random_text(state, v, v->type == PLAIN_STR);
		break;
	case PLAIN_UUID:
		for (int i = 0; i < 16; i++)
			uuid[i] = (uint8_t)plain_random(state);
		plain_set(v, uuid, 16);
		break;
	case PLAIN_ARRAY:
	case PLAIN_DICT:
		for (size_t i = 0; i < n; i++) {
			if (v->type == PLAIN_DICT) {
				struct plain_value *key = plain_new(PLAIN_STR);
				random_text(state, key, true);
				plain_add(v, key);
			}
			plain_add(v, plain_random_value(state, depth - 1));
		}
		break;
	default:
		break;
	}
	return v;
}
