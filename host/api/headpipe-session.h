/* SPDX-License-Identifier: MIT
 *
 * headpipe-session.h - reads and writes session files: MCAP (mcap.dev) with head tracker reports, samples and
 * events. Also a general MCAP reader for fixed-layout `cdr` messages. C11; links -lheadpipe-session.
 * More than 400 lines: a contract is one header, and half of it is what its words mean.
 *
 * Threads. A writer or a reader belongs to one thread at a time; different ones are independent.
 * Results. 0 or a positive count is good, a negative errno value is bad; hps_reader_error() and the `why` buffers
 * hold one finished sentence. Nothing is printed. Times are nanoseconds, signed.
 *
 * Stability, under one soname (libheadpipe-session.so.1): program and library may be of different age. Every struct
 * begins with struct_size, its size where the program was compiled. The library neither reads nor writes beyond that,
 * and sets to 0 what the program knows and this library does not. Structs grow behind their present end only (padding
 * there is not used), and nothing in them moves. Functions that fill a struct are inline and set struct_size; what the
 * caller fills (options, a sink) has it set by the caller. The hps_fill_*() behind them are for other languages: there
 * the caller sets struct_size. No layout in memory is promised for ever: see hps_next(). */
#ifndef HEADPIPE_SESSION_H
#define HEADPIPE_SESSION_H
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "headpipe.h"

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#define HPS_API __attribute__((visibility("default")))
#else
#define HPS_API
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "headpipe-session.h needs a little-endian machine"
#endif

#define HPS_TOPIC_REPORTS "/hid/reports" /* untouched input reports, one message each, report ID included */
#define HPS_TOPIC_SAMPLE  "/head/sample" /* struct hp_sample                                              */
#define HPS_TOPIC_EVENTS  "/events"      /* struct hp_event                                               */

/* ---- fields of a message --------------------------------------------------------------------------- */

enum hps_type { HPS_F64 = 1, HPS_F32, HPS_I64, HPS_U64, HPS_I32, HPS_U32, HPS_I16, HPS_U16, HPS_I8, HPS_U8, HPS_BOOL };
HPS_API const char *hps_type_name(enum hps_type); /* the ros2msg name: "float64", ... */

/* One number of a fixed-layout message. In a file every field has a name of its own; an array member `float64[3] v`
 * reads as v[0], v[1], v[2]; a nested message `Point p` as p.x, ... */
struct hps_field { /* no struct_size, for short tables: the functions that take or give one know its size */
	const char *name, *unit; /* unit: "rad/s", "" = none */
	enum hps_type type;
};

/* ---- writer ------------------------------------------------------------------------------------------ */

/* HPS_LEAN: columns, foretold from each other, then zstd. A third of the size; only this library reads such chunks. */
enum hps_compression { HPS_NONE = 0, HPS_ZSTD = 1, HPS_LEAN = 2 };
enum { HPS_KEEP = 0, HPS_DROP = 1 };

/* Where the bytes go. All of n or a negative errno value. Missing functions are skipped, but there must be `write`. */
struct hps_sink {
	uint32_t struct_size; /* sizeof(struct hps_sink) */
	void *ctx;
	int (*write)(void *ctx, const void *data, size_t n); /* appends                          */
	int (*sync)(void *ctx);                              /* to the disk                      */
	int (*truncate)(void *ctx, uint64_t size);           /* after a failed write: cut back   */
	int (*close)(void *ctx);
};

/* Looks at, changes or drops a message just before it is put into its chunk. data may be edited in place.
 * HPS_KEEP, HPS_DROP or a negative errno value, which the writing call returns. */
typedef int (*hps_hook)(void *ctx, uint16_t channel, int64_t time, void *data, size_t n);

struct hps_writer_options {
	uint32_t struct_size; /* sizeof(struct hps_writer_options) */
	enum hps_compression compression;
	int level;               /* zstd, lean: 1 to 19; 0 = 1                                        */
	uint32_t chunk_messages; /* a chunk is closed after so many messages; 0 = 1000          */
	uint32_t chunk_bytes;    /* or so many bytes; 0 = 64 KiB                                */
	int64_t chunk_ns;        /* or when its messages span so much time; 0 = 1 s             */
	bool fsync;              /* every closed chunk goes to the disk                         */
	bool exclusive;          /* hps_create: -EEXIST when the file is there                  */
	const char *library;     /* who writes; NULL = "headpipe"                               */
	hps_hook hook;
	void *hook_ctx;
};
#define HPS_WRITER_OPTIONS                                                                              \
	{                                                                                               \
		sizeof(struct hps_writer_options), HPS_NONE, 0, 0, 0, 0, false, false, NULL, NULL, NULL \
	}

struct hps_writer;

/* Creates path (or replaces it) and writes the head of the file. opts NULL = defaults. -ENOTSUP: no zstd here. */
HPS_API int hps_create(struct hps_writer **, const char *path, const struct hps_writer_options *opts);
/* The same into a sink of the caller's; the sink is copied and closed by hps_finish(), also when this fails. */
HPS_API int hps_create_sink(struct hps_writer **, const struct hps_sink *, const struct hps_writer_options *opts);
/* A schema of numbers and a channel with it: `cdr` + `ros2msg`, fields laid out in the given order, each aligned to
 * its size. Put 8-byte fields first and nothing is padded. schema: "package/Name". metadata: pairs of key and value,
 * NULL-terminated, or NULL. Returns the channel number (from 1) or a negative errno value. */
HPS_API int hps_add_fields(struct hps_writer *, const char *topic, const char *schema, const struct hps_field *,
                           size_t field_size, size_t n, const char *const *metadata);
static inline int hps_add_channel(struct hps_writer *w, const char *topic, const char *schema,
                                  const struct hps_field *fields, size_t n, const char *const *metadata)
{
	return hps_add_fields(w, topic, schema, fields, sizeof *fields, n, metadata);
}
/* A channel of any other encoding; schema NULL = none. Returns the channel number or a negative errno value. */
HPS_API int hps_add_raw_channel(struct hps_writer *, const char *topic, const char *message_encoding,
                                const char *schema, const char *schema_encoding, const void *schema_data,
                                size_t schema_size, const char *const *metadata);
/* Bytes of a message of a channel made by hps_add_channel, its 4-byte head included. */
HPS_API size_t hps_message_size(const struct hps_writer *, int channel);
/* One message, its data copied. -EINVAL no such channel, -EMSGSIZE larger than 64 MiB, or the first error of the file
 * for ever after (-ENOSPC, ...): then the file ends with the last chunk that was written whole. */
HPS_API int hps_write(struct hps_writer *, int channel, int64_t time, const void *data, size_t n);
/* Closes the current chunk, so that a crash loses nothing written so far. */
HPS_API int hps_flush(struct hps_writer *);
/* A file inside the file. Closes the current chunk first. */
HPS_API int hps_attach(struct hps_writer *, int64_t time, const char *name, const char *media_type, const void *,
                       size_t n);
/* Named text pairs, NULL-terminated. A pair "crc32" is added that guards the others. */
HPS_API int hps_metadata(struct hps_writer *, const char *name, const char *const *pairs);
/* Bytes written so far plus the chunk in the making. */
HPS_API uint64_t hps_written(const struct hps_writer *);
/* Writes the summary and closes. The writer is gone whatever the result. The first error of the file, if any. */
HPS_API int hps_finish(struct hps_writer *);

/* ---- headpipe's own channels ----------------------------------------------------------------------- */

enum { HPS_SAMPLE_SIZE = 216 }; /* bytes of a cdr sample message without appended fields */
/* pairs of metadata, or NULL. json: `json` + `jsonschema` instead of `cdr` + `ros2msg`. Return the channel. */
HPS_API int hps_add_samples(struct hps_writer *, bool json, const char *const *metadata);
/* The same with fields that hp_sample got later, behind the others: flags says which, HP_ANGVEL | HP_CONFIDENCE. A file
 * with them opens in readers that do not know them. */
HPS_API int hps_add_samples_with(struct hps_writer *, bool json, uint32_t flags, const char *const *metadata);
HPS_API int hps_add_reports(struct hps_writer *, const struct hp_stream *); /* NULL = source unknown */
HPS_API int hps_add_events(struct hps_writer *);
HPS_API int hps_write_sized_sample(struct hps_writer *, int channel, const struct hp_sample *, size_t sample_size);
static inline int hps_write_sample(struct hps_writer *w, int channel, const struct hp_sample *s)
{
	return hps_write_sized_sample(w, channel, s, sizeof *s);
}
/* rate_start_ns: with HP_CONNECTED, when the window that measures the rate opened; else 0. */
HPS_API int hps_write_event(struct hps_writer *, int channel, const struct hp_event *, int64_t rate_start_ns);

/* ---- reader ------------------------------------------------------------------------------------------ */

struct hps_reader;
struct hps_reader_options {
	uint32_t struct_size; /* sizeof(struct hps_reader_options) */
	bool recover;         /* ignore the summary: walk the whole file and take every good chunk         */
	size_t cache_bytes;   /* unpacked chunks kept beside the current one, least recently used go first */
	/* The most memory that the file's chunks may take; 0 = half of what the machine has left, at most 1 GiB. A
	 * larger chunk is refused with -EFBIG, and a file whose chunks unpack to more than that and to a thousand times
	 * their size is not opened. */
	uint64_t memory_bytes;
};
#define HPS_READER_OPTIONS                                                    \
	{                                                                     \
		sizeof(struct hps_reader_options), false, (size_t)64 << 20, 0 \
	}

/* One message. data points into the chunk: valid until the next call with this reader that is not hps_get_*(). */
struct hps_message {
	uint32_t struct_size, size; /* size: bytes at data */
	const uint8_t *data;
	int64_t time, publish_time;
	uint32_t sequence;
	uint16_t channel; /* index for hps_channel_at(), not the number in the file */
	uint16_t layout;  /* private: says which keys fit; 0 = none                */
};

/* Belongs to the reader, which may move it when it learns of more channels (hps_poll). */
struct hps_channel {
	uint32_t struct_size; /* as much as this library knows */
	uint32_t id;          /* number in the file            */
	const char *topic, *encoding, *schema, *schema_encoding;
	const uint8_t *schema_data;
	size_t schema_size;
	size_t nmetadata; /* pairs */
	const char *const *metadata;
	size_t nfields;      /* of fixed-layout messages, for hps_channel_field(); else 0 */
	size_t message_size; /* bytes such a message has at least                        */
	uint64_t messages;
};

struct hps_info {
	uint32_t struct_size;
	uint64_t messages, chunks, file_size;
	uint64_t chunks_read;    /* by this reader so far: from the file and, where packed, unpacked */
	uint64_t damaged_chunks; /* known to be unreadable so far                                    */
	int64_t start, end;      /* log times of the first and the last message; 0 when there is none */
	bool finished;           /* there is a good summary                                          */
	bool ordered;            /* no chunk begins before the one in front of it                    */
	const char *library, *profile;
	const char *note; /* "" or one sentence: what is odd about the file */
	size_t nchannels, nattachments, nmetadata;
	uint64_t
	    refused_chunks; /* good, but packed with what this build lacks, or beyond memory_bytes (known so far)  */
	uint64_t skipped_bytes; /* in front of good records: they make no sense                                       */
	bool damaged; /* something is, as far as is known; `note` alone may be about what a file need not have */
};

struct hps_attachment {
	uint32_t struct_size;
	const char *name, *media_type;
	int64_t time;
	uint64_t size;
};

/* O(chunks) for a finished file; without a good summary the file is walked and info.note says so. An unfinished or
 * growing file is fine. why gets one sentence when it fails. */
HPS_API int hps_open(struct hps_reader **, const char *path, const struct hps_reader_options *, char *why,
                     size_t why_size);
/* The same from memory, which stays the caller's and must outlive the reader. */
HPS_API int hps_open_memory(struct hps_reader **, const void *data, size_t size, const struct hps_reader_options *,
                            char *why, size_t why_size);
HPS_API void hps_close(struct hps_reader *);
HPS_API void hps_fill_info(const struct hps_reader *, struct hps_info *);
static inline void hps_get_info(const struct hps_reader *r, struct hps_info *info)
{
	info->struct_size = sizeof *info;
	hps_fill_info(r, info);
}
HPS_API const char *hps_reader_error(const struct hps_reader *); /* of the last call that failed */
HPS_API const struct hps_channel *hps_channel_at(const struct hps_reader *, size_t index);
/* Index of the first channel with this topic, or -1. */
HPS_API int hps_channel_find(const struct hps_reader *, const char *topic);
/* A number of the channel's fixed layout; NULL = there are not so many. Its members are those this library knows. */
HPS_API const struct hps_field *hps_channel_field(const struct hps_reader *, int channel, size_t index);
/* Can hps_get_sample() read this channel? The topic alone does not say it: the fields may be other ones. */
HPS_API bool hps_holds_samples(const struct hps_reader *, int channel);
HPS_API const char *hps_channel_metadata(const struct hps_channel *, const char *key); /* NULL = not there */
/* Growing file: takes in what was appended since. 1 = there is more now, 0 = nothing new, negative = error. */
HPS_API int hps_poll(struct hps_reader *);
HPS_API bool hps_fill_attachment(const struct hps_reader *, size_t index, struct hps_attachment *);
static inline bool hps_attachment_at(const struct hps_reader *r, size_t index, struct hps_attachment *a)
{
	a->struct_size = sizeof *a;
	return hps_fill_attachment(r, index, a);
}
/* size bytes go to buf; -EBADMSG when the CRC is wrong. */
HPS_API int hps_attachment_read(struct hps_reader *, size_t index, void *buf, size_t size);
/* The pairs of metadata record `index` (NULL-terminated; NULL when it is damaged). false: there are not so many. */
HPS_API bool hps_metadata_at(struct hps_reader *, size_t index, const char **name, const char *const **pairs);
/* Value of a pair in the first metadata record with this name; NULL = not there or damaged. Valid until hps_close. */
HPS_API const char *hps_metadata_get(struct hps_reader *, const char *name, const char *key);

/* Where one reads. Several may read the same reader; they share its cache and its current chunk. May be copied. */
struct hps_cursor {
	uint32_t struct_size;
	int channel; /* index, or -1 for all in file order */
	struct hps_reader *reader;
	uint32_t chunk, at;
	/* private: the chunk's messages while they stay in memory */
	uint32_t n, epoch, least;
	uint16_t layout, index;
	const uint32_t *now, *places;
	const uint8_t *records;
	uint32_t inside, pad0; /* of hps_seek_between() */
};
/* At the first message. channel: index, or -1 for all. */
static inline struct hps_cursor hps_begin(struct hps_reader *r, int channel)
{
	struct hps_cursor c;
	memset(&c, 0, sizeof c);
	c.struct_size = sizeof c;
	c.channel = channel;
	c.reader = r;
	return c;
}
/* hps_next() where it has to look for the chunk. */
HPS_API int hps_next_chunk(struct hps_cursor *, struct hps_message *);
/* The next message: 1, or 0 at the end, or a negative errno value once per bad chunk; the call after it goes on behind
 * that chunk. Messages come in file order.
 * What is compiled into programs here is a short cut which the library offers, message by message, while a chunk lies
 * in memory as MCAP's records with a table of their places: then the cursor's n is not 0. A library that keeps chunks
 * otherwise leaves n at 0, and the same programs go through hps_next_chunk() every time. */
static inline int hps_next(struct hps_cursor *c, struct hps_message *m)
{
	const uint8_t *p;
	uint64_t size;
	m->struct_size = sizeof *m;
	if (c->at >= c->n || *c->now != c->epoch)
		return hps_next_chunk(c, m);
	p = c->records + c->places[c->at++];
#if defined(__GNUC__)
	__builtin_prefetch(p + 1024);
#endif
	memcpy(&size, p + 1, 8);
	memcpy(&m->sequence, p + 11, 4);
	memcpy(&m->time, p + 15, 8);
	memcpy(&m->publish_time, p + 23, 8);
	m->data = p + 31;
	m->size = (uint32_t)size - 22;
	m->channel = c->index;
	/* only a little-endian message that is long enough may be read by key */
	m->layout = m->size >= c->least && p[31] == 0 && p[32] == 1 ? c->layout : 0;
	return 1;
}
/* To the first message, in file order, whose time is t or later. 1 = there is one, 0 = end. Reads one chunk; in an
 * unordered file those that may hold one, one by one. */
HPS_API int hps_seek_time(struct hps_cursor *, int64_t t);
/* To message number n, from 0, of the cursor's channel (or of all). 1, 0 when there are not so many. */
HPS_API int hps_seek_number(struct hps_cursor *, uint64_t n);

/* A part of a recording by time. What lies between `from` and `to` (both included) is every message whose time does,
 * in whatever order the file has them. A message of /events has its place behind the one that it came after, and lies
 * where that does: its own time may be of another clock. That holds for cursors of all channels; one of a single
 * channel goes by time alone. Events of a file with nothing else lie between any two. Chunks in which nothing can lie
 * are stepped over unread; hps_info.chunks_read counts the others.
 *
 * From the cursor's place on, to the next message between: 1, and hps_next() gives it. 0 = there is none, or a negative
 * errno value once per bad chunk, as hps_next(). */
HPS_API int hps_seek_between(struct hps_cursor *, int64_t from, int64_t to);
/* The next message between. */
static inline int hps_next_between(struct hps_cursor *c, int64_t from, int64_t to, struct hps_message *m)
{
	int code = hps_seek_between(c, from, to);
	return code == 1 ? hps_next(c, m) : code;
}
/* When a recording begins and ends: the earliest and the latest time there is, in whatever order the file has them;
 * events do not count. last may be NULL. Reads the first and the last chunk; more only when the file is not in order.
 * 1, or 0: there is no message. */
HPS_API int hps_recorded(struct hps_reader *, int64_t *first, int64_t *last);
/* Back to the last event of this type in front of the cursor, which reads all channels: 1, and hps_next() gives it. 0:
 * there is none, and the cursor stays. Reads the chunks with events from there back. */
HPS_API int hps_seek_event_before(struct hps_cursor *, uint32_t type);

/* Chunks, for tools. */
struct hps_chunk {
	uint32_t struct_size;
	uint64_t offset, length; /* of the record in the file, its 9-byte head included */
	uint64_t messages;
	uint64_t first;       /* number of its first message                       */
	uint64_t fingerprint; /* equal chunks have equal ones; 0 = not known       */
	uint64_t raw_size, packed_size;
	int64_t start, end;
	uint64_t content; /* the same for all who compare recordings: channels, times and data of the messages, without
	                   * arrival_ns of samples, which is another one in every run. 0 = not known, or no samples */
};
HPS_API bool hps_fill_chunk(const struct hps_reader *, size_t index, struct hps_chunk *);
static inline bool hps_chunk_at(const struct hps_reader *r, size_t index, struct hps_chunk *chunk)
{
	chunk->struct_size = sizeof *chunk;
	return hps_fill_chunk(r, index, chunk);
}
/* Reads and checks one chunk. 0 or a negative errno value. */
HPS_API int hps_chunk_check(struct hps_reader *, size_t index);

/* Whether both files have the same channels under the same numbers, so that equal chunks mean equal messages. */
HPS_API bool hps_same_channels(const struct hps_reader *, const struct hps_reader *);
/* While both cursors (of files with the same channels, on the same channel) stand at the beginning of chunks with equal
 * fingerprints, times and sizes, they step over them unread. Returns how many messages of the channel that were. */
HPS_API uint64_t hps_skip_same(struct hps_cursor *, struct hps_cursor *);

/* ---- differences ------------------------------------------------------------------------------------- */

/* Two channels side by side, of two readers, aligned by time: messages with equal times are compared, the others are
 * only in one. By field where the layout is known, and then samples in `json` against samples in `cdr` too; what lies
 * behind the fields, and everything without fields, by its bytes. Whole chunks of the same content are stepped over
 * unread when the files have the same channels. */
struct hps_diff;
struct hps_diff_options {
	uint32_t struct_size; /* sizeof(struct hps_diff_options)                                                   */
	bool all;             /* arrival_ns of samples too, which is another one in every run                      */
	double tolerance;     /* numbers that are no further apart than this are the same; >= 0                    */
	size_t nfields;       /* fields with a tolerance of their own: their names and values, copied              */
	const char *const *fields;
	const double *tolerances;
};
#define HPS_DIFF_OPTIONS                                                 \
	{                                                                \
		sizeof(struct hps_diff_options), false, 0, 0, NULL, NULL \
	}
enum hps_diff_kind { HPS_DIFF_CHANGED = 1, HPS_DIFF_ONLY_FIRST, HPS_DIFF_ONLY_SECOND };
/* Messages behind each other that differ in the same way. */
struct hps_diff_range {
	uint32_t struct_size;
	enum hps_diff_kind kind;
	uint64_t messages;      /* in the range                                                                  */
	uint64_t first, second; /* number, from 0, of its first message in either channel, or of the one behind it */
	int64_t start, end;     /* times of its first and last message                                           */
	bool bytes;             /* CHANGED: also, or only, in bytes that no field covers                         */
};
struct hps_diff_totals {
	uint32_t struct_size;
	int bad;           /* chunks that could not be read; their messages are in no other number */
	uint64_t compared; /* pairs that were looked at                                            */
	uint64_t skipped;  /* messages in chunks with the same content                             */
	uint64_t changed;  /* of the compared pairs                                                */
	uint64_t bytes;    /* of these: in bytes that no field covers                              */
	uint64_t only_first, only_second;
};
/* One field, so far. */
struct hps_diff_field {
	uint32_t struct_size;
	enum hps_type type; /* in the first file; HPS_F64 where the two compare as such */
	const char *name, *unit;
	int only;           /* 0 = both channels have it, 1 = only the first, 2 = only the second: not compared */
	bool in_range;      /* it differs in a message of the range that hps_diff_next() gave last              */
	uint64_t differing; /* pairs beyond the tolerance                                                       */
	uint64_t within;    /* pairs that differ, and not beyond it                                             */
	double worst;       /* the largest difference; INFINITY: one was no number or infinite                  */
	uint64_t exact;     /* the same for integers, to the last digit; saturates                              */
	int64_t worst_at;   /* time of that message                                                             */
	char first[32], second[32]; /* the range's first message: both values, exact, as text; "" without one   */
};
/* -EINVAL: the same reader twice, no such channel, or a tolerance that is none. opts NULL = defaults. Both readers must
 * outlive it and are read by nobody else in between. */
HPS_API int hps_diff_open(struct hps_diff **, struct hps_reader *, int channel, struct hps_reader *second,
                          int second_channel, const struct hps_diff_options *opts);
HPS_API int hps_diff_fill_next(struct hps_diff *, struct hps_diff_range *);
/* The next range: 1, 0 at the end, or a negative errno value once per bad chunk (hps_diff_error()); the call after it
 * goes on. To know only whether and by how much the channels differ, call it to the end. */
static inline int hps_diff_next(struct hps_diff *d, struct hps_diff_range *range)
{
	range->struct_size = sizeof *range;
	return hps_diff_fill_next(d, range);
}
HPS_API void hps_diff_fill_totals(const struct hps_diff *, struct hps_diff_totals *);
static inline void hps_diff_get_totals(const struct hps_diff *d, struct hps_diff_totals *totals)
{
	totals->struct_size = sizeof *totals;
	hps_diff_fill_totals(d, totals);
}
HPS_API bool hps_diff_fill_field(const struct hps_diff *, size_t index, struct hps_diff_field *);
/* false: there are not so many. Fields of the first channel come first, in its order. */
static inline bool hps_diff_field_at(const struct hps_diff *d, size_t index, struct hps_diff_field *field)
{
	field->struct_size = sizeof *field;
	return hps_diff_fill_field(d, index, field);
}
/* Of the last call that failed; in_second (or NULL): whether the second file is meant. */
HPS_API const char *hps_diff_error(const struct hps_diff *, bool *in_second);
HPS_API void hps_diff_close(struct hps_diff *);

/* Checks everything there is a CRC or a second statement for: every chunk and its index, attachments, metadata, the
 * data as a whole. told gets one sentence per fault; may be NULL. progress may be NULL. Returns how many faults there
 * are, or a negative errno value. */
HPS_API int hps_verify(struct hps_reader *, void (*told)(void *ctx, const char *text),
                       void (*progress)(uint64_t done, uint64_t total), void *ctx);

/* ---- typed properties --------------------------------------------------------------------------------- */

/* Resolved once, then a read is a load. */
struct hps_key {
	uint32_t struct_size;
	uint32_t offset; /* in the message */
	enum hps_type type;
	uint16_t layout, channel;
};
/* unit NULL = any, else it must be the same text. type 0 = any. -ENOENT with a sentence that names what exists,
 * -EINVAL when the type or unit differs. [hps_reader_error()] */
HPS_API int hps_fill_key(struct hps_reader *, int channel, const char *name, enum hps_type type, const char *unit,
                         struct hps_key *);
static inline int hps_key_resolve(struct hps_reader *r, int channel, const char *name, enum hps_type type,
                                  const char *unit, struct hps_key *key)
{
	key->struct_size = sizeof *key;
	return hps_fill_key(r, channel, name, type, unit, key);
}

/* Loads of the exact type; NAN or 0 when the key is of another channel or type, or the message is too short. */
static inline double hps_get_f64(struct hps_key k, const struct hps_message *m)
{
	double v = NAN;
	if (k.layout == m->layout && k.type == HPS_F64)
		memcpy(&v, m->data + k.offset, sizeof v);
	return v;
}
static inline float hps_get_f32(struct hps_key k, const struct hps_message *m)
{
	float v = NAN;
	if (k.layout == m->layout && k.type == HPS_F32)
		memcpy(&v, m->data + k.offset, sizeof v);
	return v;
}
static inline int64_t hps_get_i64(struct hps_key k, const struct hps_message *m)
{
	int64_t v = 0;
	if (k.layout == m->layout && (k.type == HPS_I64 || k.type == HPS_U64))
		memcpy(&v, m->data + k.offset, sizeof v);
	return v;
}
static inline uint32_t hps_get_u32(struct hps_key k, const struct hps_message *m)
{
	uint32_t v = 0;
	if (k.layout == m->layout && (k.type == HPS_U32 || k.type == HPS_I32))
		memcpy(&v, m->data + k.offset, sizeof v);
	return v;
}
/* The number at p, which need not be aligned, as a double. */
HPS_API double hps_number_at(enum hps_type, const uint8_t *p);
/* Any type as a double; 64-bit integers beyond 2^53 are rounded. NAN when the key is of another channel. */
static inline double hps_get_number(struct hps_key k, const struct hps_message *m)
{
	return k.layout && k.layout == m->layout ? hps_number_at(k.type, m->data + k.offset) : NAN;
}

/* A message of /head/sample (cdr or json) as a sample. 0, -EBADMSG or -EINVAL when it is another channel's. */
HPS_API int hps_fill_sample(const struct hps_reader *, const struct hps_message *, struct hp_sample *,
                            size_t sample_size);
static inline int hps_get_sample(const struct hps_reader *r, const struct hps_message *m, struct hp_sample *s)
{
	return hps_fill_sample(r, m, s, sizeof *s);
}
/* A message of /events; text points into the message. rate_start_ns may be NULL. */
HPS_API int hps_fill_event(const struct hps_reader *, const struct hps_message *, struct hp_event *,
                           int64_t *rate_start_ns);
static inline int hps_get_event(const struct hps_reader *r, const struct hps_message *m, struct hp_event *e,
                                int64_t *rate_start_ns)
{
	e->struct_size = sizeof *e;
	return hps_fill_event(r, m, e, rate_start_ns);
}
/* What /hid/reports says about its source. Strings and bytes belong to the reader. 0 or -ENOENT. */
HPS_API int hps_fill_stream(struct hps_reader *, int channel, struct hp_stream *);
static inline int hps_get_stream(struct hps_reader *r, int channel, struct hp_stream *s)
{
	s->struct_size = sizeof *s;
	return hps_fill_stream(r, channel, s);
}

#ifdef __cplusplus
}
#endif
#endif
