/* SPDX-License-Identifier: MIT
 * decode.h - strict pull decoder for the payload encoding of HomeKit Data Stream.
 *
 * hp_hds_next() hands out one item after the other, in the order of the bytes; strings and data are views into
 * the input. Nothing is allocated and the input is never trusted: lengths, depth, UTF-8, unassigned tags and
 * bytes behind the value are checked.
 *
 *     struct hp_hds_reader r;
 *     struct hp_hds_item item;
 *     hp_hds_read(&r, data, size, 0);
 *     while ((rc = hp_hds_next(&r, &item)) > 0)
 *             ...
 *     if (rc < 0)
 *             printf("offset %zu: %s\n", r.bad_at, r.why);
 *
 * Format: docs/hds.md. No thread rules: a reader belongs to whoever calls. */
#ifndef HP_HDS_DECODE_H
#define HP_HDS_DECODE_H
#include "encode.h"

enum hp_hds_type {
	HP_HDS_NULL = 1,
	HP_HDS_BOOL,  /* b                                              */
	HP_HDS_INT,   /* i; the tag tells the width                     */
	HP_HDS_F32,   /* f32                                            */
	HP_HDS_F64,   /* f64                                            */
	HP_HDS_DATE,  /* f64, seconds since 2001-01-01T00:00:00Z        */
	HP_HDS_STR,   /* at, n: valid UTF-8, not NUL-terminated         */
	HP_HDS_DATA,  /* at, n                                          */
	HP_HDS_UUID,  /* at, n = 16                                     */
	HP_HDS_ARRAY, /* its values follow, then HP_HDS_END             */
	HP_HDS_DICT,  /* key, value, key, value ... then HP_HDS_END     */
	HP_HDS_END    /* of the innermost open array or dict            */
};

struct hp_hds_item {
	enum hp_hds_type type;
	uint8_t tag;         /* as it stands at offset; of a reference: of what it refers to. HP_HDS_END: 0x03 or 0 */
	int depth;           /* of the value; HP_HDS_END: of its container. The root has 0                          */
	bool key;            /* a dict key                                                                          */
	bool ref;            /* was written as a back-reference                                                     */
	size_t offset, size; /* where it stands in the input; a container: its tag alone; an end without a byte: 0 */
	bool b;
	int64_t i;
	float f32;
	double f64;
	const uint8_t *at; /* HP_HDS_STR, DATA, UUID */
	size_t n;
};

/* Flags of hp_hds_read() and hp_hds_open(): how to take the tags A0 to CF. Without: A0 + i is index i, as HAP-NodeJS
 * writes it.
 * HP_HDS_NO_REFS     any of them is an error
 * HP_HDS_OPACK_REFS  C1 and C2: the index is in the next one or two bytes; C3 to CF are an error */
enum { HP_HDS_NO_REFS = 1u << 1, HP_HDS_OPACK_REFS = 1u << 2 };
enum { HP_HDS_REFS = 48 }; /* values that a back-reference can name */

struct hp_hds_reader {
	const uint8_t *data;
	size_t size, pos;
	size_t shift; /* added to every offset that is handed out */
	unsigned flags;
	int depth; /* open containers */
	bool finished;
	int error; /* sticks */
	struct hp_hds_level {
		uint64_t left;                /* values still to come, without a terminator */
		bool dict, terminated, value; /* value: a key stands, its value is next */
	} level[HP_HDS_DEPTH + 1];
	int nrefs;
	size_t refs[HP_HDS_REFS]; /* where those values stand */
	/* after an error */
	const char *why; /* one clause, static text */
	size_t bad_at;   /* offset, shift included */
};

/* One value, the whole input. data stays the caller's and must live as long as the reader. */
void hp_hds_read(struct hp_hds_reader *, const void *data, size_t size, unsigned flags);
/* 1: an item; 0: the value is complete and the input is used up; -EBADMSG: malformed, -ELOOP: deeper than
 * HP_HDS_DEPTH, with why and bad_at set. Errors stick. */
int hp_hds_next(struct hp_hds_reader *, struct hp_hds_item *);
/* Reads to the end: 0 or the error. */
int hp_hds_check(struct hp_hds_reader *);

enum hp_hds_kind { HP_HDS_EVENT = 1, HP_HDS_REQUEST, HP_HDS_RESPONSE };

/* A message: length of the header in one byte, header, body. Views into the input. */
struct hp_hds_message {
	enum hp_hds_kind kind;
	const uint8_t *protocol, *topic; /* valid UTF-8, not NUL-terminated */
	size_t protocol_size, topic_size;
	int64_t id, status; /* request: id; response: both */
	const uint8_t *header, *body;
	size_t header_size, body_size; /* body: the rest of the input */
};

/* Checks the header and that the body begins as a dict; r is left before the body, so that hp_hds_next() walks it
 * (offsets count from the start of the message). 0, or an error like hp_hds_next(). */
int hp_hds_open(struct hp_hds_reader *r, struct hp_hds_message *, const void *data, size_t size, unsigned flags);
#endif
