/* SPDX-License-Identifier: MIT
 * record.h - bytes of MCAP records: a bounded reader, a growing buffer, the numbers of the format. */
#ifndef HP_SESSION_RECORD_H
#define HP_SESSION_RECORD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "headpipe-session.h"

enum hps_op {
	HPS_OP_HEADER = 1,
	HPS_OP_FOOTER,
	HPS_OP_SCHEMA,
	HPS_OP_CHANNEL,
	HPS_OP_MESSAGE,
	HPS_OP_CHUNK,
	HPS_OP_MESSAGE_INDEX,
	HPS_OP_CHUNK_INDEX,
	HPS_OP_ATTACHMENT,
	HPS_OP_ATTACHMENT_INDEX,
	HPS_OP_STATISTICS,
	HPS_OP_METADATA,
	HPS_OP_METADATA_INDEX,
	HPS_OP_SUMMARY_OFFSET,
	HPS_OP_DATA_END,
	HPS_OP_GUARD = 0x80,  /* private, in the summary: what else must not have changed */
	HPS_OP_PACKED = 0x81, /* private: columns of an archive                           */
	HPS_OP_COUNTS = 0x82  /* private, in the summary: messages of chunks without message indexes */
};
enum {
	HPS_HEAD = 9,          /* opcode and length of a record          */
	HPS_MESSAGE_HEAD = 22, /* of a message, behind the record's head */
	HPS_MAGIC_SIZE = 8,
	HPS_FOOTER_SIZE = 20,
	HPS_MORE_MAX = 1024, /* bytes that a record may have behind what is known of it */
	HPS_MAX_MESSAGE = 64 << 20,
	HPS_COPY_MAX = 1 << 30 /* of one that another program wrote, when it is copied */
};
extern const uint8_t hps_magic[HPS_MAGIC_SIZE];

/* Reads little-endian values; beyond the end everything is 0 and bad is set. */
struct hps_in {
	const uint8_t *p, *end;
	bool bad;
};
/* n bytes, or NULL. */
const uint8_t *hps_in_bytes(struct hps_in *, uint64_t n);
uint8_t hps_in_u8(struct hps_in *);
uint16_t hps_in_u16(struct hps_in *);
uint32_t hps_in_u32(struct hps_in *);
uint64_t hps_in_u64(struct hps_in *);
/* A part with its own 32-bit length: string, map, array. */
struct hps_in hps_in_part(struct hps_in *);
/* A string as a fresh NUL-terminated copy; NULL: no memory or bad. */
char *hps_in_string(struct hps_in *);
/* A map as a fresh NULL-terminated list of 2 n strings in one block (free() it); NULL: no memory or bad. */
const char **hps_in_map(struct hps_in *, size_t *n);

/* Appends little-endian values; when memory runs out, failed is set and nothing is appended any more. */
struct hps_out {
	uint8_t *data;
	size_t size, room;
	bool failed;
};
bool hps_out_room(struct hps_out *, size_t more);
void hps_out_bytes(struct hps_out *, const void *, size_t n);
void hps_out_u8(struct hps_out *, uint8_t);
void hps_out_u16(struct hps_out *, uint16_t);
void hps_out_u32(struct hps_out *, uint32_t);
void hps_out_u64(struct hps_out *, uint64_t);
void hps_out_string(struct hps_out *, const char *);
/* NULL-terminated pairs; NULL = empty. */
void hps_out_map(struct hps_out *, const char *const *pairs);
/* Begins a record or a part; the result goes to the matching end, which fills in the length. */
size_t hps_out_begin(struct hps_out *, enum hps_op);
void hps_out_end(struct hps_out *, size_t begin);
size_t hps_out_begin_part(struct hps_out *);
void hps_out_end_part(struct hps_out *, size_t begin);

static inline void hps_put_u16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}
static inline void hps_put_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}
static inline void hps_put_u64(uint8_t *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}
static inline uint16_t hps_u16_at(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}
static inline uint32_t hps_u32_at(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static inline uint64_t hps_u64_at(const uint8_t *p)
{
	return hps_u32_at(p) | (uint64_t)hps_u32_at(p + 4) << 32;
}

/* zlib's CRC-32, going on from crc (0 = begin). */
uint32_t hps_crc32(uint32_t crc, const void *, size_t n);
/* The CRC of two blocks behind each other from theirs. */
uint32_t hps_crc32_join(uint32_t first, uint32_t second, uint64_t second_size);
/* 64-bit hash for fingerprints; not for safety against intent. */
uint64_t hps_hash(const void *, size_t n);
/* The same over what a chunk's messages say to who compares two recordings: channel, time and data of each, in file
 * order. Schemas, sequence numbers and, of channels for which is_sample says so, arrival_ns do not count. The records
 * must have been checked. 0: there are no such samples. */
uint64_t hps_hash_content(const uint8_t *records, size_t n, bool (*is_sample)(const void *ctx, uint16_t channel),
                          const void *ctx);
/* The value of a key in NULL-terminated pairs (NULL: none); NULL = not there. */
const char *hps_map_get(const char *const *pairs, const char *key);
/* CRC-32 of sorted-as-given pairs, for the metadata's own "crc32" pair. */
uint32_t hps_map_crc(const char *const *pairs);

/* Fixed layouts: the text of a ros2msg schema, and back. */
size_t hps_type_size(enum hps_type);
/* Appends one line per field. */
void hps_layout_schema(struct hps_out *, const struct hps_field *, size_t n);
/* Offsets of fields in a cdr message: out[i] = offset of field i. Returns the size of a message. */
size_t hps_layout_offsets(const struct hps_field *, size_t n, uint32_t *out);
/* Numbers of a ros2msg schema up to the first member whose size is not fixed. *fields is one block with the names in
 * it; free() it. `whole` is set when the schema ended there. 0 or -ENOMEM. */
int hps_layout_parse(const uint8_t *text, size_t size, struct hps_field **fields, size_t *n, bool *whole);
#endif
