/* SPDX-License-Identifier: MIT
 * encode.h - writes the payload encoding of HomeKit Data Stream into one buffer of the caller.
 *
 * Values are put in the order of the bytes; an array or a dict says first how many elements follow, and closes
 * by itself behind the last one. Nothing is allocated. The first misuse sticks: later calls do nothing and
 * hp_hds_finish() reports it, so that only the end needs a check. When the buffer is too small, the calls go on
 * counting, and hp_hds_finish() tells the size that would have been enough.
 *
 *     struct hp_hds_writer w;
 *     hp_hds_begin(&w, buf, sizeof buf, 0);
 *     hp_hds_event(&w, "motion", "still");
 *     hp_hds_dict(&w, 1);
 *     hp_hds_key(&w, "seconds");
 *     hp_hds_f64(&w, 1.5);
 *     int n = hp_hds_finish(&w);
 *
 * Format: docs/hds.md. No thread rules: a writer belongs to whoever calls. */
#ifndef HP_HDS_ENCODE_H
#define HP_HDS_ENCODE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	HP_HDS_DEPTH = 32,       /* deepest value; the root has depth 0 */
	HP_HDS_HEADER_MAX = 255, /* bytes of an encoded message header  */
};
enum { HP_HDS_ANY_KEYS = 1u << 0 }; /* dict keys may be any scalar, not only strings */

/* All fields are the writer's own, except that need and error may be read. */
struct hp_hds_writer {
	uint8_t *buf;
	size_t cap;
	size_t need; /* bytes so far, whether they fitted or not */
	int error;   /* the first misuse, a negative errno value; 0 = none */
	unsigned flags;
	int depth; /* open containers */
	enum { HP_HDS_WANT_ANY, HP_HDS_WANT_DICT, HP_HDS_WANT_NOTHING } root;
	struct hp_hds_open {
		uint64_t left; /* values still to come; a pair is two */
		bool dict, terminated;
	} open[HP_HDS_DEPTH + 1];
};

/* Start a unit: one value, or one message when hp_hds_event/request/response comes first. buf may be NULL when
 * cap is 0 (only to learn the size). */
void hp_hds_begin(struct hp_hds_writer *, void *buf, size_t cap, unsigned flags);
/* The size of the finished unit in bytes, or
 * -ENOSPC  it does not fit: need says how many bytes it takes
 * -EINVAL  no value, an unfinished container, too many values, a key that is no string, a body that is no dict
 * -EILSEQ  a string that is not UTF-8
 * -ERANGE  an integer beyond int64
 * -ELOOP   deeper than HP_HDS_DEPTH
 * -EMSGSIZE a message header over HP_HDS_HEADER_MAX bytes, or a unit over INT_MAX
 * After an error the buffer holds nothing of use. */
int hp_hds_finish(struct hp_hds_writer *);

/* Message headers; the body, a dict, has to follow. Strings are UTF-8 and NUL-terminated. */
void hp_hds_event(struct hp_hds_writer *, const char *protocol, const char *topic);
void hp_hds_request(struct hp_hds_writer *, const char *protocol, const char *topic, int64_t id);
void hp_hds_response(struct hp_hds_writer *, const char *protocol, const char *topic, int64_t id, int64_t status);
/* A header that one of these has made before: the n bytes from the length byte up to the body. */
void hp_hds_header(struct hp_hds_writer *, const void *, size_t n);

void hp_hds_null(struct hp_hds_writer *);
void hp_hds_bool(struct hp_hds_writer *, bool);
void hp_hds_int(struct hp_hds_writer *, int64_t); /* the shortest form */
/* A number of the size `magnitude`, negative or not; beyond int64 it is -ERANGE. */
void hp_hds_wide(struct hp_hds_writer *, uint64_t magnitude, bool negative);
void hp_hds_int8(struct hp_hds_writer *, int8_t); /* exactly this width */
void hp_hds_int16(struct hp_hds_writer *, int16_t);
void hp_hds_int32(struct hp_hds_writer *, int32_t);
void hp_hds_int64(struct hp_hds_writer *, int64_t);
void hp_hds_f32(struct hp_hds_writer *, float); /* NaN, infinities and -0 are kept bit for bit */
void hp_hds_f64(struct hp_hds_writer *, double);
void hp_hds_date(struct hp_hds_writer *, double seconds);          /* since 2001-01-01T00:00:00Z */
void hp_hds_uuid(struct hp_hds_writer *, const uint8_t bytes[16]); /* in the order they are written */
void hp_hds_str(struct hp_hds_writer *, const char *, size_t);
void hp_hds_data(struct hp_hds_writer *, const void *, size_t);
void hp_hds_array(struct hp_hds_writer *, size_t values);
void hp_hds_dict(struct hp_hds_writer *, size_t pairs);
/* An array of doubles at once: the same bytes as hp_hds_array() and n times hp_hds_f64(). */
void hp_hds_f64s(struct hp_hds_writer *, const double *, size_t n);

static inline void hp_hds_key(struct hp_hds_writer *w, const char *text)
{
	hp_hds_str(w, text, strlen(text));
}
#endif
