/* SPDX-License-Identifier: MIT
 * reader.h - inside of a session reader, shared by its source files. */
#ifndef HP_SESSION_READER_H
#define HP_SESSION_READER_H
#include "head.h"
#include "record.h"

enum hps_packing {
	HPS_PACK_NONE,
	HPS_PACK_ZSTD,
	HPS_PACK_LZ4,
	HPS_PACK_LEAN,
	HPS_PACK_PLAIN,
	HPS_PACK_OTHER
}; /* PLAIN: messages outside chunks */
enum hps_role { HPS_ROLE_OTHER, HPS_ROLE_SAMPLE, HPS_ROLE_SAMPLE_JSON, HPS_ROLE_EVENT, HPS_ROLE_REPORT };

struct hps_slot;
struct hps_rchunk {
	uint64_t offset, length; /* of the record with its head; of all messages when PLAIN */
	uint64_t packed, raw;
	uint64_t told_start, told_end; /* by the file */
	int64_t start, end;            /* what to look by: of one without messages the end of the one in front of it */
	uint64_t events;               /* of them messages of /events */
	uint64_t first;                /* number of its first message */
	uint64_t messages;
	uint64_t fingerprint, content;
	uint8_t packing;
	bool bad;
	char other[8]; /* HPS_PACK_OTHER: its name */
};

/* A chunk in memory. */
struct hps_part { /* messages of one channel */
	uint16_t channel;
	uint32_t first, n; /* in by_channel */
};
struct hps_slot {
	bool sorted; /* times do not go back */
	uint8_t *block;
	const uint8_t *records;
	size_t bytes; /* of memory in all */
	uint32_t n, nparts;
	uint32_t *in_order, *by_channel; /* where messages begin in records; one list when there is one channel */
	struct hps_part *parts;
};

/* One per chunk, kept apart and small, since every jump touches some: the chunk in memory, and the list of those that
 * are, by their last use. Numbers of chunks + 1; 0 = none. */
struct hps_link {
	struct hps_slot *slot;
	uint32_t newer, older;
};

/* A channel's messages in a chunk. */
struct hps_span {
	uint64_t first;
	uint32_t chunk;
};
struct hps_rschema {
	uint16_t id;
	char *name, *encoding;
	uint8_t *data;
	size_t size;
};
struct hps_rchannel {
	struct hps_channel pub; /* strings of the schema are the schema's */
	char *topic, *encoding;
	const char **metadata;
	struct hps_field *fields;
	uint32_t *offsets;
	uint8_t *descriptor; /* decoded on demand */
	uint32_t ndescriptor;
	enum hps_role role;
	bool aside; /* /events: a message of it has its place by the one in front of it, not by its time */
	struct hps_carried carried; /* HPS_ROLE_SAMPLE */
	struct hps_span *spans;
	size_t nspans, room;
	uint64_t counted; /* messages of the chunk being looked at */
};
struct hps_place { /* an attachment or a metadata record */
	uint64_t offset, length;
	char *name, *media_type;
	int64_t time;
	uint64_t size; /* of an attachment's data */
	const char **map;
	bool looked; /* metadata: read already */
};

struct hps_reader {
	int fd; /* -1 = memory */
	const uint8_t *memory;
	uint64_t size;
	struct hps_reader_options opts;
	char error[400], note[800], refusal[400], library[256], profile[64];
	bool finished, ordered, chunked;
	bool ours; /* the file may be headpipe's own, which never leaves a CRC out and no message outside chunks */
	bool damaged_note; /* the note tells of damage, not of what a writer need not write */
	bool unknown;      /* the walk met messages of a channel it did not know (yet) */
	bool begun;        /* begin is known: the time of the first message that is no event */
	int64_t begin;
	uint64_t scan_at;                    /* unfinished: where the walk stopped */
	uint64_t look_from;                  /* where chunks may be that a wrong length led past */
	uint64_t skipped;                    /* bytes the walk could make nothing of */
	uint64_t damaged, messages, fetched; /* fetched: chunks                                                      */
	uint64_t refused;                    /* chunks that this build cannot unpack, or that are beyond the limit   */
	uint64_t packed_sum, raw_sum;        /* of the chunks taken in so far                                        */
	uint64_t wasted;                     /* bytes looked at in vain: what has the head of a chunk but is none    */
	struct hps_rchunk *chunks;
	size_t nchunks, chunks_room;
	struct hps_rschema *schemas;
	size_t nschemas, schemas_room;
	uint16_t *schema_by_id; /* index + 1 */
	size_t schema_by_id_size;
	struct hps_rchannel *channels;
	size_t nchannels, channels_room;
	uint16_t *met; /* channels whose `counted` is not 0 */
	size_t nmet, met_room;
	uint16_t *by_id; /* index + 1 */
	size_t by_id_size;
	struct hps_place *attachments, *metadata;
	size_t nattachments, attachments_room, nmetadata, metadata_room;
	/* loaded chunks, most recently read first */
	struct hps_link *links;
	size_t links_room;
	uint32_t newest, oldest; /* chunk + 1 */
	uint32_t epoch;          /* grows when a chunk leaves memory or lists change */
	size_t cached;
	uint8_t *scratch; /* packed bytes */
	size_t scratch_room;
	void *zstd, *lz4;
};

/* A struct for the program, which begins with struct_size: as much of it as the program has room for, and 0 in what is
 * behind it there. `from` is changed: struct_size stays what the program said. */
void hps_give_part(void *to, const void *from, size_t size, uint32_t room);
static inline void hps_give(void *to, void *from, size_t size)
{
	uint32_t room;
	memcpy(&room, to, sizeof room);
	memcpy(from, &room, sizeof room);
	if (room == size)
		memcpy(to, from, size);
	else
		hps_give_part(to, from, size, room);
}
int hps_error(struct hps_reader *, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* What is odd about the file but good; and what is damage. */
void hps_note(struct hps_reader *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void hps_harm(struct hps_reader *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Exactly n bytes, or -EBADMSG / -errno. */
int hps_read_at(struct hps_reader *, uint64_t offset, void *buf, size_t n);
/* Does a stored CRC agree? 0 means that there is none, which headpipe's own files never say. */
bool hps_crc_agrees(const struct hps_reader *, uint32_t stored, uint32_t have);
/* Room for one more element in a growing array; 0 or -ENOMEM. */
int hps_grow(void *array, size_t n, size_t *room, size_t size);

/* Profile and library of the header record, which begins behind the magic bytes and is `length` long. */
void hps_take_header(struct hps_reader *, uint64_t length);
/* May a chunk of these sizes be in memory beside what is there? -EFBIG with a sentence: no. */
int hps_allow_chunk(struct hps_reader *, const struct hps_rchunk *);
/* The same for all chunks of the file together, of which these are the next ones: an archive that is a thousand times
 * as large outside as inside is no recording. */
int hps_allow_all(struct hps_reader *, uint64_t packed, uint64_t raw);
/* The summary: 1 = taken in, 0 = none or not usable (a note says why), or a negative errno value. */
int hps_open_summary(struct hps_reader *);
/* Schemas and channels of a good summary; for a walk, whose first chunk may be bad. */
void hps_take_names(struct hps_reader *);
/* After a walk over a file that has an end: library and profile are forgotten when the summary says that the head of
 * the file has changed. */
void hps_check_head(struct hps_reader *);
/* Walks on from scan_at. 1 = found something. */
int hps_scan(struct hps_reader *);

/* One record's content. 0, 1 when there was nothing new, -EBADMSG when it is broken. */
int hps_take_schema(struct hps_reader *, struct hps_in);
int hps_take_channel(struct hps_reader *, struct hps_in);
int hps_take_place(struct hps_reader *, bool attachment, uint64_t offset, uint64_t length, char *name, char *media_type,
                   int64_t time, uint64_t size);
/* What an attachment record says, and where its data lies. 0, -EBADMSG or -ENOMEM; hps_parts_free() after 0. */
struct hps_parts {
	uint64_t log_time, create_time, body, size;
	char *name, *media_type;
};
int hps_attachment_parts(struct hps_reader *, uint64_t offset, uint64_t length, struct hps_parts *);
void hps_parts_free(struct hps_parts *);
bool hps_attachment_crc(struct hps_reader *, uint64_t offset, const struct hps_parts *);
/* The CRC-32 of the file's bytes, going on from *crc. 0 or a negative errno value. */
int hps_crc_of(struct hps_reader *, uint64_t from, uint64_t to, uint32_t *crc);
/* Index + 1, or 0. */
static inline size_t hps_by_id(const struct hps_reader *r, uint16_t id)
{
	return id < r->by_id_size ? r->by_id[id] : 0;
}
/* So many messages more of channel `index` in the chunk that is being looked at. */
void hps_meet(struct hps_reader *, size_t index, uint64_t messages);
void hps_forget_met(struct hps_reader *);
/* Adds the chunk whose messages have been counted in channels[].counted. */
int hps_take_chunk(struct hps_reader *, const struct hps_rchunk *);

/* Reads the fields of a chunk record's head that lies at c->offset and is c->length long; the rest of c is set.
 * -EBADMSG: they do not fit together. */
int hps_chunk_head(struct hps_reader *, struct hps_rchunk *, uint32_t *crc);
/* The chunk in memory, checked; NULL: *code says why and error has the sentence. */
struct hps_slot *hps_load(struct hps_reader *, size_t index, int *code);
/* Reads a chunk that is not in the list yet, takes its schemas and channels in and counts its messages. */
int hps_load_new(struct hps_reader *, struct hps_rchunk *);
/* hps_hash_content() of a chunk's records. */
uint64_t hps_content_of(const struct hps_reader *, const uint8_t *records, size_t n);
/* Where a channel's messages (-1: all) begin in a loaded chunk, and how many there are. */
const uint32_t *hps_places(const struct hps_slot *, int channel, uint32_t *n);
/* The channel's first span in this chunk or behind it; nspans = none. */
size_t hps_span_at(const struct hps_rchannel *, size_t chunk);
/* Messages of the channel (-1: all) in a chunk, known without reading it. */
uint64_t hps_count_in(const struct hps_reader *, int channel, size_t chunk);
/* The message whose record begins at p, in a loaded chunk. */
void hps_view(const struct hps_reader *, const uint8_t *p, struct hps_message *);
/* The first chunk from `low` on that does not end before t; `low` itself when the order of chunks does not tell. */
size_t hps_chunk_from(const struct hps_reader *, size_t low, int64_t t);
/* hps_skip_same(), or with content also over chunks that differ in no more than what hps_hash_content() leaves out. */
uint64_t hps_skip_equal(struct hps_cursor *, struct hps_cursor *, bool content);
/* Is the cursor's channel one that there is not? */
bool hps_no_channel(const struct hps_cursor *);
void hps_cache_free(struct hps_reader *);
/* The packing of this name; `other` gets one that is not known, printable. False: no such name. */
bool hps_packing_by_name(struct hps_in name, uint8_t *packing, char other[8]);
const char *hps_packing_name(const struct hps_rchunk *); /* in its head */
/* The packed bytes at `from` into a fresh block of c->raw bytes, which is the caller's also after a failure. 0 or an
 * error with a sentence. */
int hps_unpack(struct hps_reader *, const struct hps_rchunk *, uint64_t from, uint8_t **block);
/* Exactly `size` bytes to out. 0, -EBADMSG, -ENOMEM, or -ENOTSUP: the library is not there. ctx is kept for the next
 * one. */
int hps_zstd_unpack(void **ctx, const uint8_t *src, size_t n, uint64_t size, uint8_t *out);
int hps_lz4_unpack(void **ctx, const uint8_t *src, size_t n, uint64_t size, uint8_t *out);
void hps_lz4_unpack_free(void *ctx);
void hps_zstd_unpack_free(void *ctx);

#endif
