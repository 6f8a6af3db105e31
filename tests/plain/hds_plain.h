/* SPDX-License-Identifier: MIT
 * hds_plain.h - the deliberately plain second implementation of the HDS payload encoding, on trees. */
#ifndef HDS_PLAIN_H
#define HDS_PLAIN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plain_type {
	PLAIN_NULL,
	PLAIN_BOOL,
	PLAIN_INT,  /* the shortest form when encoded */
	PLAIN_INT8, /* exactly this width             */
	PLAIN_INT16,
	PLAIN_INT32,
	PLAIN_INT64,
	PLAIN_WIDE, /* an integer that int64 cannot hold: bits = magnitude, negative */
	PLAIN_F32,
	PLAIN_F64,
	PLAIN_DATE,
	PLAIN_STR,
	PLAIN_DATA,
	PLAIN_UUID,
	PLAIN_ARRAY,
	PLAIN_DICT /* items: key, value, key, value ... */
};
struct plain_value {
	enum plain_type type;
	bool negative;
	uint64_t bits; /* bool, integers, IEEE patterns */
	uint8_t *at;   /* strings, data, uuid           */
	size_t n;
	struct plain_value **items;
	size_t nitems;
	size_t offset; /* decoded: of the tag */
};
struct plain_bytes {
	uint8_t *at;
	size_t n, room;
};

struct plain_value *plain_new(enum plain_type);
void plain_add(struct plain_value *, struct plain_value *item);
void plain_set(struct plain_value *, const void *, size_t);
void plain_free(struct plain_value *);
/* Equal types, values and bits; loose: all integer widths are the same type. */
bool plain_same(const struct plain_value *, const struct plain_value *, bool loose);

void plain_byte(struct plain_bytes *, unsigned);
void plain_encode(struct plain_bytes *, const struct plain_value *);
/* NULL when the bytes are not exactly one value. refs: rule W, else back-references are errors. */
struct plain_value *plain_decode(const uint8_t *, size_t, bool refs);

/* The same, through headpipe's writer and reader. */
struct hp_hds_writer;
void plain_put(struct hp_hds_writer *, const struct plain_value *);
struct hp_hds_reader;
struct plain_value *plain_take(struct hp_hds_reader *);

uint32_t plain_random(uint64_t *state);
/* A random value, at most `depth` levels below it. */
struct plain_value *plain_random_value(uint64_t *state, int depth);
#endif
