/* SPDX-License-Identifier: MIT
 * lean.h - a chunk's records as columns, and back to the same bytes. What a column holds is foretold from its
 * neighbours where that is possible; the misses are small numbers, whose bytes zstd packs well. docs/session-format.md
 * has the format. */
#ifndef HP_SESSION_LEAN_H
#define HP_SESSION_LEAN_H
#include "headpipe-session.h"
#include "record.h"

enum {
	HPS_LEAN_VERSION = 1,
	HPS_LEAN_SLOTS = 32, /* kinds of messages in a chunk: same channel, same size; others are kept as they are */
	HPS_LEAN_COLUMNS = 1024, /* of a message's data, at most */
	HPS_LEAN_HEADS = 3       /* columns of a message's head: sequence, time, publish time */
};

enum hps_lean_method {
	HPS_LEAN_LINE,   /* first value and step */
	HPS_LEAN_PLAIN,  /* the values */
	HPS_LEAN_DELTA,  /* by how much each differs from the one in front of it */
	HPS_LEAN_DELTA2, /* by how much that differs from the one in front of it */
	HPS_LEAN_XOR,    /* bits that differ from the one in front of it */
	HPS_LEAN_TABLE,  /* up to 256 values, and which each is */
	HPS_LEAN_SCALED  /* doubles that are whole multiples of one: the multiples as a column */
};

/* What the packer knows of a channel's messages. */
struct hps_lean_layout {
	const uint32_t *offsets; /* of the numbers in a message, in order */
	const uint8_t *sizes;
	size_t n;
	bool samples; /* headpipe's own fields are in front */
};

struct hps_lean; /* memory that is used again, and what was found out about columns */
struct hps_lean *hps_lean_new(void);
void hps_lean_free(struct hps_lean *);

/* A chunk's records, n bytes, as columns. layout_of says what is known of a channel's messages. 0, -ENOMEM, or -E2BIG:
 * these records are not to be had smaller in this way. */
int hps_lean_pack(struct hps_lean *, const uint8_t *records, size_t n,
                  struct hps_lean_layout (*layout_of)(const void *ctx, uint16_t channel), const void *ctx,
                  struct hps_out *out);
/* The reverse, exactly n bytes. 0, -EBADMSG or -ENOMEM. */
int hps_lean_unpack(const uint8_t *columns, size_t size, uint8_t *records, size_t n);
/* No more than this many bytes of columns may come of n bytes of records. */
static inline uint64_t hps_lean_bound(uint64_t n)
{
	return n + n / 4 + 4096;
}

/* One column: n values of `width` bytes (1, 2, 4, 8). scale: what is known of it from before, 0 = nothing; work: room
 * for 2 n values. */
struct hps_lean_memory {
	double scale;
	uint32_t tries; /* chunks until a scale is looked for again */
};
void hps_lean_put(struct hps_out *, const uint64_t *values, size_t n, unsigned width, struct hps_lean_memory *,
                  uint64_t *work);
/* False: the bytes are no such column. */
bool hps_lean_get(struct hps_in *, uint64_t *values, size_t n, unsigned width, uint64_t *work);
#endif
