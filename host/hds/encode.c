/* SPDX-License-Identifier: MIT
 * encode.c - the canonical HDS payload bytes: shortest integers, doubles stay doubles, no back-references.
 * The tags are those of docs/hds.md. */
#include "encode.h"
#include "base/utf8.h"
#include <endian.h>
#include <errno.h>
#include <limits.h>

void hp_hds_begin(struct hp_hds_writer *w, void *buf, size_t cap, unsigned flags)
{
	w->buf = buf;
	w->cap = cap;
	w->need = 0;
	w->error = 0;
	w->flags = flags;
	w->depth = 0;
	w->root = HP_HDS_WANT_ANY;
}

static void broken(struct hp_hds_writer *w, int error)
{
	if (!w->error)
		w->error = error;
}

/* n bytes to fill, or NULL when they are only counted. */
static inline uint8_t *room(struct hp_hds_writer *w, size_t n)
{
	size_t at = w->need;
	if (n > SIZE_MAX - at) {
		broken(w, -EMSGSIZE);
		return NULL;
	}
	w->need = at + n;
	return w->need <= w->cap ? w->buf + at : NULL;
}

enum kind { SCALAR, STRING, ARRAY, DICT };

/* May a value of this kind stand here? */
static inline bool may(struct hp_hds_writer *w, enum kind kind)
{
	if (w->error)
		return false;
	if (w->depth) {
		const struct hp_hds_open *o = &w->open[w->depth - 1];
		bool key = o->dict && !(o->left & 1);
		if (key && kind != STRING && (kind != SCALAR || !(w->flags & HP_HDS_ANY_KEYS)))
			broken(w, -EINVAL);
	} else if (w->root == HP_HDS_WANT_NOTHING || (w->root == HP_HDS_WANT_DICT && kind != DICT)) {
		broken(w, -EINVAL);
	}
	return !w->error;
}

/* A value is complete: so may be the containers around it. */
static inline void done(struct hp_hds_writer *w)
{
	while (w->depth) {
		struct hp_hds_open *o = &w->open[w->depth - 1];
		if (--o->left)
			return;
		if (o->terminated) {
			uint8_t *p = room(w, 1);
			if (p)
				*p = 0x03;
		}
		w->depth--;
	}
	w->root = HP_HDS_WANT_NOTHING;
}

static inline void store(uint8_t *p, uint64_t v, size_t n)
{
	v = htole64(v);
	memcpy(p, &v, n);
}

/* A tag and n bytes of a number, little-endian. */
static inline void number(struct hp_hds_writer *w, uint8_t tag, uint64_t v, size_t n)
{
	if (!may(w, SCALAR))
		return;
	uint8_t *p = room(w, 1 + n);
	if (p) {
		p[0] = tag;
		store(p + 1, v, n);
	}
	done(w);
}

void hp_hds_null(struct hp_hds_writer *w)
{
	number(w, 0x04, 0, 0);
}

void hp_hds_bool(struct hp_hds_writer *w, bool v)
{
	number(w, v ? 0x01 : 0x02, 0, 0);
}

void hp_hds_int(struct hp_hds_writer *w, int64_t v)
{
	uint64_t bits = (uint64_t)v;
	if (v >= -1 && v <= 38)
		number(w, (uint8_t)(0x08 + v), 0, 0);
	else if (v >= INT8_MIN && v <= INT8_MAX)
		number(w, 0x30, bits, 1);
	else if (v >= INT16_MIN && v <= INT16_MAX)
		number(w, 0x31, bits, 2);
	else if (v >= INT32_MIN && v <= INT32_MAX)
		number(w, 0x32, bits, 4);
	else
		number(w, 0x33, bits, 8);
}

void hp_hds_wide(struct hp_hds_writer *w, uint64_t magnitude, bool negative)
{
	if (magnitude > (uint64_t)INT64_MAX + negative)
		broken(w, -ERANGE);
	else if (!negative)
		hp_hds_int(w, (int64_t)magnitude);
	else /* magnitude 2^63 has no positive int64: one less, then minus one */
		hp_hds_int(w, magnitude ? -(int64_t)(magnitude - 1) - 1 : 0);
}

void hp_hds_int8(struct hp_hds_writer *w, int8_t v)
{
	number(w, 0x30, (uint64_t)v, 1);
}

void hp_hds_int16(struct hp_hds_writer *w, int16_t v)
{
	number(w, 0x31, (uint64_t)v, 2);
}

void hp_hds_int32(struct hp_hds_writer *w, int32_t v)
{
	number(w, 0x32, (uint64_t)v, 4);
}

void hp_hds_int64(struct hp_hds_writer *w, int64_t v)
{
	number(w, 0x33, (uint64_t)v, 8);
}

void hp_hds_f32(struct hp_hds_writer *w, float v)
{
	uint32_t bits;
	memcpy(&bits, &v, sizeof bits);
	number(w, 0x35, bits, 4);
}

void hp_hds_f64(struct hp_hds_writer *w, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	number(w, 0x36, bits, 8);
}

void hp_hds_date(struct hp_hds_writer *w, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	number(w, 0x06, bits, 8);
}

void hp_hds_uuid(struct hp_hds_writer *w, const uint8_t bytes[16])
{
	if (!may(w, SCALAR))
		return;
	uint8_t *p = room(w, 17);
	if (p) {
		p[0] = 0x05;
		memcpy(p + 1, bytes, 16);
	}
	done(w);
}

/* At most 32 bytes, without a call: overlapping loads and stores. */
static inline void copy_short(uint8_t *to, const uint8_t *from, size_t n)
{
	if (n >= 16) {
		memcpy(to, from, 16);
		memcpy(to + n - 16, from + n - 16, 16);
	} else if (n >= 4) {
		uint32_t quarter = n >= 8 ? 4 : 0;
		memcpy(to, from, 4);
		memcpy(to + quarter, from + quarter, 4);
		memcpy(to + n - 4 - quarter, from + n - 4 - quarter, 4);
		memcpy(to + n - 4, from + n - 4, 4);
	} else if (n) {
		to[0] = from[0];
		to[n / 2] = from[n / 2];
		to[n - 1] = from[n - 1];
	}
}

/* The length, inline in the tag or behind it, then the bytes. base: the tag of length 0. */
static inline void bytes(struct hp_hds_writer *w, uint8_t base, const void *at, size_t n)
{
	if (n <= 32) {
		uint8_t *p = room(w, 1 + n);
		if (p) {
			*p = (uint8_t)(base + n);
			copy_short(p + 1, at, n);
		}
		done(w);
		return;
	}
	size_t width = n <= UINT8_MAX ? 1 : n <= UINT16_MAX ? 2 : n <= UINT32_MAX ? 4 : 8;
	uint8_t *p = room(w, 1 + width);
	if (p) {
		*p = (uint8_t)(base + 0x21 + (width > 1) + (width > 2) + (width > 4));
		store(p + 1, n, width);
	}
	p = room(w, n);
	if (p)
		memcpy(p, at, n);
	done(w);
}

void hp_hds_str(struct hp_hds_writer *w, const char *text, size_t n)
{
	if (!may(w, STRING))
		return;
	if (hp_utf8_valid(text, n) != n) {
		broken(w, -EILSEQ);
		return;
	}
	bytes(w, 0x40, text, n);
}

void hp_hds_data(struct hp_hds_writer *w, const void *at, size_t n)
{
	if (may(w, SCALAR))
		bytes(w, 0x70, at, n);
}

static void container(struct hp_hds_writer *w, uint8_t base, size_t n)
{
	bool dict = base == 0xe0;
	if (!may(w, dict ? DICT : ARRAY))
		return;
	if (dict && n > SIZE_MAX / 2) {
		broken(w, -EINVAL);
		return;
	}
	if (n && w->depth == HP_HDS_DEPTH) { /* its values would be too deep */
		broken(w, -ELOOP);
		return;
	}
	uint8_t *p = room(w, 1);
	if (p)
		*p = (uint8_t)(base + (n <= 14 ? n : 15));
	if (!n) {
		done(w);
		return;
	}
	w->open[w->depth++] = (struct hp_hds_open){ .left = dict ? 2 * n : n, .dict = dict, .terminated = n > 14 };
}

void hp_hds_array(struct hp_hds_writer *w, size_t values)
{
	container(w, 0xd0, values);
}

void hp_hds_dict(struct hp_hds_writer *w, size_t pairs)
{
	container(w, 0xe0, pairs);
}

void hp_hds_f64s(struct hp_hds_writer *w, const double *v, size_t n)
{
	uint64_t bits;
	uint8_t *p;
	if (n > 14 || w->depth == HP_HDS_DEPTH) { /* the general way */
		hp_hds_array(w, n);
		for (size_t i = 0; i < n; i++)
			hp_hds_f64(w, v[i]);
		return;
	}
	if (!may(w, ARRAY))
		return;
	p = room(w, 1 + 9 * n);
	if (p) {
		*p++ = (uint8_t)(0xd0 + n);
		for (size_t i = 0; i < n; i++, p += 9) {
			memcpy(&bits, v + i, sizeof bits);
			*p = 0x36;
			store(p + 1, bits, 8);
		}
	}
	done(w);
}

/* A header is a unit of its own: its length in one byte, then a dict in a fixed order. */
static bool header_begin(struct hp_hds_writer *w, const char *kind, const char *protocol, const char *topic,
                         size_t pairs)
{
	if (w->error)
		return false;
	if (w->need || w->root != HP_HDS_WANT_ANY) {
		broken(w, -EINVAL);
		return false;
	}
	room(w, 1);
	hp_hds_dict(w, pairs);
	hp_hds_key(w, "protocol");
	hp_hds_key(w, protocol);
	hp_hds_key(w, kind);
	hp_hds_key(w, topic);
	return true;
}

static void header_end(struct hp_hds_writer *w)
{
	size_t size = w->need - 1;
	if (w->error)
		return;
	if (size > HP_HDS_HEADER_MAX)
		broken(w, -EMSGSIZE);
	else if (w->cap)
		w->buf[0] = (uint8_t)size;
	w->root = HP_HDS_WANT_DICT;
}

void hp_hds_event(struct hp_hds_writer *w, const char *protocol, const char *topic)
{
	if (header_begin(w, "event", protocol, topic, 2))
		header_end(w);
}

void hp_hds_request(struct hp_hds_writer *w, const char *protocol, const char *topic, int64_t id)
{
	if (!header_begin(w, "request", protocol, topic, 3))
		return;
	hp_hds_key(w, "id");
	hp_hds_int64(w, id);
	header_end(w);
}

void hp_hds_response(struct hp_hds_writer *w, const char *protocol, const char *topic, int64_t id, int64_t status)
{
	if (!header_begin(w, "response", protocol, topic, 4))
		return;
	hp_hds_key(w, "id");
	hp_hds_int64(w, id);
	hp_hds_key(w, "status");
	hp_hds_int64(w, status);
	header_end(w);
}

void hp_hds_header(struct hp_hds_writer *w, const void *at, size_t n)
{
	if (w->error)
		return;
	if (w->need || w->root != HP_HDS_WANT_ANY) {
		broken(w, -EINVAL);
		return;
	}
	uint8_t *p = room(w, n);
	if (p)
		memcpy(p, at, n);
	w->root = HP_HDS_WANT_DICT;
}

int hp_hds_finish(struct hp_hds_writer *w)
{
	if (!w->error && (w->depth || w->root != HP_HDS_WANT_NOTHING))
		broken(w, -EINVAL);
	if (!w->error && w->need > INT_MAX)
		broken(w, -EMSGSIZE);
	if (w->error)
		return w->error;
	return w->need <= w->cap ? (int)w->need : -ENOSPC;
}
