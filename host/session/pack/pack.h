/* SPDX-License-Identifier: MIT
 * pack.h - messages of one channel as columns, each packed by the method that makes it smallest; docs/session-format.md
 * has the bytes. Nothing is lost. */
#ifndef HP_PACK_H
#define HP_PACK_H
#include "session/record.h"

/* An archive's channels: "/packed/head/sample" has the blocks of "/head/sample", with its encoding as metadata, and
 * the order channel says in which order the messages of all of them stood. */
#define PACK_PREFIX   "/packed"
#define PACK_ORDER    PACK_PREFIX "/order"
#define PACK_ENCODING "packed.encoding"

enum { PACK_MESSAGES = 8192, PACK_BYTES = 64 << 20 }; /* at most, in one block */

struct pack_block { /* message i: its data lies behind those in front of it */
	uint32_t n;
	int64_t *time, *publish;
	uint32_t *sequence, *size;
	uint8_t *data;
	size_t total; /* bytes of data */
};

/* Appends the block. offsets and sizes of the numbers in a message, n of them, in order; may be none. sample: they are
 * /head/sample messages in cdr. 0 or -ENOMEM. */
int pack_put(struct hps_out *, const struct pack_block *, const uint32_t *offsets, const uint8_t *sizes, size_t n,
             bool sample);
/* The reverse; the block's lists are allocated, pack_free() them also after a failure. most: bytes of data. 0, -EBADMSG
 * or -ENOMEM. */
int pack_get(struct hps_in *, struct pack_block *, size_t most);
void pack_free(struct pack_block *);
/* One column of n values of `width` bytes (1, 2, 4, 8), little endian. */
int pack_put_column(struct hps_out *, const uint8_t *values, size_t n, unsigned width);
int pack_get_column(struct hps_in *, uint8_t *values, size_t n, unsigned width);
#endif
