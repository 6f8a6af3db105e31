/* SPDX-License-Identifier: MIT
 * decode.c - HDS payload bytes to items, one at a time, refusing everything that is not exactly right.
 *
 * Back-references follow the writer of HAP-NodeJS: A0 + i names the i-th different scalar that took more than
 * one byte (an empty string or empty data counts too). That writer compares data by identity and NaN with
 * nothing, so each of those counts again wherever it is written out. */
#include "decode.h"
#include "base/utf8.h"
#include <errno.h>

static int fail(struct hp_hds_reader *r, size_t at, const char *why)
{
	r->error = -EBADMSG;
	r->why = why;
	r->bad_at = at + r->shift;
	return r->error;
}

void hp_hds_read(struct hp_hds_reader *r, const void *data, size_t size, unsigned flags)
{
	r->data = data;
	r->size = size;
	r->pos = 0;
	r->shift = 0;
	r->flags = flags;
	r->depth = 0;
	r->finished = false;
	r->error = 0;
	r->nrefs = 0;
	r->why = NULL;
	r->bad_at = 0;
}

static uint64_t load(const uint8_t *p, size_t n)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * i;
	return v;
}

static int64_t load_signed(const uint8_t *p, size_t n)
{
	uint64_t sign = (uint64_t)1 << (8 * n - 1);
	uint64_t v = load(p, n);
	return (int64_t)((v ^ sign) - sign);
}

/* n bytes behind the tag at `at`? */
static bool have(const struct hp_hds_reader *r, size_t at, size_t n)
{
	return r->size - at - 1 >= n;
}

static const char cut_short[] = "the input ends inside a value";

/* String or data: tags base to base+20 hold the length, +21 to +24 say how long the length is, +2f runs to `stop`. */
static int bytes(struct hp_hds_reader *r, struct hp_hds_item *item, uint8_t base, uint8_t stop)
{
	size_t at = item->offset;
	unsigned form = (unsigned)(item->tag - base);
	const uint8_t *p = r->data + at + 1;
	size_t left = r->size - at - 1;
	if (form == 0x2f) {
		const uint8_t *end = left ? memchr(p, stop, left) : NULL;
		if (!end)
			return fail(r, at,
			            stop ? "data without its 03 at the end" : "a string without its 00 at the end");
		item->at = p;
		item->n = (size_t)(end - p);
		item->size = 2 + item->n;
		return 1;
	}
	size_t width = form <= 0x20 ? 0 : (size_t)1 << (form - 0x21);
	if (left < width)
		return fail(r, at, cut_short);
	uint64_t n = width ? load(p, width) : form;
	if (n > left - width)
		return fail(r, at, "a length beyond the end of the input");
	item->at = p + width;
	item->n = (size_t)n;
	item->size = 1 + width + item->n;
	return 1;
}

/* A scalar whose tag stands at `at`, where there is one byte at least. 1, 0 = no scalar, or an error. */
static int scalar(struct hp_hds_reader *r, size_t at, struct hp_hds_item *item)
{
	const uint8_t *p = r->data + at + 1;
	uint8_t tag = r->data[at];
	size_t width = 0;
	int rc = 1;
	item->tag = tag;
	item->offset = at;
	item->size = 1;
	if (tag >= 0x30 && tag <= 0x33)
		width = (size_t)1 << (tag - 0x30);
	else if (tag == 0x35)
		width = 4;
	else if (tag == 0x36 || tag == 0x06)
		width = 8;
	else if (tag == 0x05)
		width = 16;
	if (width) {
		if (!have(r, at, width))
			return fail(r, at, cut_short);
		item->size = 1 + width;
	}
	if (tag >= 0x07 && tag <= 0x2f) {
		item->type = HP_HDS_INT;
		item->i = (int64_t)tag - 0x08;
	} else if (tag >= 0x30 && tag <= 0x33) {
		item->type = HP_HDS_INT;
		item->i = load_signed(p, width);
	} else if (tag >= 0x40 && (tag <= 0x64 || tag == 0x6f)) {
		item->type = HP_HDS_STR;
		rc = bytes(r, item, 0x40, 0x00);
		if (rc > 0 && hp_utf8_valid(item->at, item->n) != item->n)
			rc = fail(r, at, "a string that is not UTF-8");
	} else if (tag >= 0x70 && (tag <= 0x94 || tag == 0x9f)) {
		item->type = HP_HDS_DATA;
		rc = bytes(r, item, 0x70, 0x03);
	} else if (tag == 0x01 || tag == 0x02) {
		item->type = HP_HDS_BOOL;
		item->b = tag == 0x01;
	} else if (tag == 0x04) {
		item->type = HP_HDS_NULL;
	} else if (tag == 0x05) {
		item->type = HP_HDS_UUID;
		item->at = p;
		item->n = 16;
	} else if (tag == 0x35) {
		uint32_t bits = (uint32_t)load(p, 4);
		item->type = HP_HDS_F32;
		memcpy(&item->f32, &bits, sizeof bits);
	} else if (tag == 0x36 || tag == 0x06) {
		uint64_t bits = load(p, 8);
		item->type = tag == 0x06 ? HP_HDS_DATE : HP_HDS_F64;
		memcpy(&item->f64, &bits, sizeof bits);
	} else {
		rc = 0;
	}
	return rc;
}

static bool same(const struct hp_hds_item *a, const struct hp_hds_item *b)
{
	if (a->type != b->type)
		return false;
	switch (a->type) {
	case HP_HDS_INT: /* an int16 5 and an int32 5 are two values */
		return a->i == b->i && a->tag == b->tag;
	case HP_HDS_F32:
		return a->f32 == b->f32;
	case HP_HDS_F64:
	case HP_HDS_DATE:
		return a->f64 == b->f64;
	case HP_HDS_STR:
	case HP_HDS_UUID:
		return a->n == b->n && memcmp(a->at, b->at, a->n) == 0;
	default:
		return false;
	}
}

/* Remembers a scalar that a back-reference may name later. */
static void remember(struct hp_hds_reader *r, const struct hp_hds_item *item)
{
	bool empty = (item->type == HP_HDS_STR || item->type == HP_HDS_DATA) && !item->n;
	if (r->nrefs == HP_HDS_REFS || (item->size == 1 && !empty))
		return;
	for (int i = 0; i < r->nrefs; i++) {
		struct hp_hds_item old = { .type = HP_HDS_NULL };
		scalar(r, r->refs[i], &old);
		if (same(item, &old))
			return;
	}
	r->refs[r->nrefs++] = item->offset;
}

static int reference(struct hp_hds_reader *r, size_t at, struct hp_hds_item *item)
{
	uint8_t tag = r->data[at];
	uint64_t index = tag - 0xa0u;
	size_t width = 0;
	if (r->flags & HP_HDS_NO_REFS)
		return fail(r, at, "a back-reference, which was not allowed");
	if ((r->flags & HP_HDS_OPACK_REFS) && tag > 0xc0) {
		width = tag - 0xc0u;
		if (width > 2)
			return fail(r, at, "a back-reference of a form that OPACK does not agree on");
		if (!have(r, at, width))
			return fail(r, at, cut_short);
		index = load(r->data + at + 1, width);
	}
	if (index >= (unsigned)r->nrefs)
		return fail(r, at, "a back-reference to a value that is not there");
	scalar(r, r->refs[index], item); /* was read before: cannot fail */
	item->offset = at;
	item->size = 1 + width;
	item->ref = true;
	return 1;
}

/* The innermost container is complete: its end is an item of its own. */
static int end(struct hp_hds_reader *r, struct hp_hds_item *item, size_t size)
{
	r->depth--;
	item->type = HP_HDS_END;
	item->tag = size ? 0x03 : 0;
	item->depth = r->depth;
	item->offset = r->pos;
	item->size = size;
	r->pos += size;
	return 1;
}

/* Makes room for a value at r->pos; key: it is a dict key. */
static void count(struct hp_hds_reader *r, bool *key)
{
	if (!r->depth) {
		r->finished = true;
		return;
	}
	struct hp_hds_level *l = &r->level[r->depth - 1];
	if (!l->terminated)
		l->left--;
	if (l->dict) {
		*key = !l->value;
		l->value = !l->value;
	}
}

static int container(struct hp_hds_reader *r, size_t at, struct hp_hds_item *item)
{
	uint8_t tag = r->data[at];
	bool dict = tag >= 0xe0;
	unsigned n = tag & 0x0f;
	item->type = dict ? HP_HDS_DICT : HP_HDS_ARRAY;
	item->tag = tag;
	item->offset = at;
	item->size = 1;
	if (item->key)
		return fail(r, at, "an array or a dict as a dict key");
	r->level[r->depth++] = (struct hp_hds_level){ .left = dict ? 2 * n : n, .dict = dict, .terminated = n == 15 };
	return 1;
}

int hp_hds_next(struct hp_hds_reader *r, struct hp_hds_item *item)
{
	if (r->error)
		return r->error;
	*item = (struct hp_hds_item){ 0 };
	size_t at = r->pos;
	if (r->depth) {
		struct hp_hds_level *l = &r->level[r->depth - 1];
		bool closes = l->terminated && at < r->size && r->data[at] == 0x03;
		if (closes && l->value)
			return fail(r, at, "a dict key without a value");
		if (closes || (!l->terminated && !l->left)) {
			int rc = end(r, item, closes);
			item->offset += r->shift;
			return rc;
		}
	} else if (r->finished) {
		return at == r->size ? 0 : fail(r, at, "bytes behind the end of the value");
	}
	if (at >= r->size)
		return fail(r, at, r->depth ? "the input ends inside an array or a dict" : "there is no value");
	if (r->depth > HP_HDS_DEPTH) {
		fail(r, at, "deeper than 32 levels");
		return r->error = -ELOOP;
	}
	item->depth = r->depth;
	count(r, &item->key);
	uint8_t tag = r->data[at];
	int rc = scalar(r, at, item);
	if (rc > 0)
		remember(r, item);
	else if (!rc && tag >= 0xa0 && tag <= 0xcf)
		rc = reference(r, at, item);
	else if (!rc && tag >= 0xd0 && tag <= 0xef)
		rc = container(r, at, item);
	else if (!rc)
		rc = fail(r, at, tag == 0x03 ? "an end mark 03 where none belongs" : "a tag that means nothing");
	if (rc > 0)
		r->pos = at + item->size;
	item->offset += r->shift;
	return rc;
}

int hp_hds_check(struct hp_hds_reader *r)
{
	struct hp_hds_item item;
	int rc;
	while ((rc = hp_hds_next(r, &item)) > 0)
		;
	return rc;
}

static bool is(const struct hp_hds_item *item, const char *text)
{
	return item->type == HP_HDS_STR && item->n == strlen(text) && memcmp(item->at, text, item->n) == 0;
}

/* One pair of the header. seen: one bit per field. */
static int header_pair(struct hp_hds_reader *r, struct hp_hds_message *m, const struct hp_hds_item *key,
                       const struct hp_hds_item *value, unsigned *seen)
{
	static const char *const names[] = { "protocol", "event", "request", "response", "id", "status" };
	for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
		if (!is(key, names[i]))
			continue;
		if (*seen & 1u << i)
			return fail(r, key->offset - r->shift, "a header field that is there twice");
		*seen |= 1u << i;
		if (i <= 3 && value->type != HP_HDS_STR)
			return fail(r, value->offset - r->shift, "a header field that is not a string");
		if (i >= 4 && value->type != HP_HDS_INT)
			return fail(r, value->offset - r->shift, "a header field that is not an integer");
		if (i == 0) {
			m->protocol = value->at;
			m->protocol_size = value->n;
		} else if (i <= 3) {
			if (m->kind)
				return fail(r, key->offset - r->shift, "a header that is of two kinds at once");
			m->kind = (enum hp_hds_kind)i;
			m->topic = value->at;
			m->topic_size = value->n;
		} else {
			*(i == 4 ? &m->id : &m->status) = value->i;
		}
	}
	return 1; /* fields that nobody knows yet are passed over */
}

/* The whole header: 0 or an error. */
static int header(struct hp_hds_reader *r, struct hp_hds_message *m)
{
	struct hp_hds_item item, key = { 0 };
	unsigned seen = 0;
	int rc = hp_hds_next(r, &item);
	if (rc > 0 && item.type != HP_HDS_DICT)
		return fail(r, 0, "a header that is not a dict");
	while (rc > 0) {
		rc = hp_hds_next(r, &item);
		if (rc > 0 && item.depth == 1 && item.key)
			key = item;
		else if (rc > 0 && item.depth == 1 && item.type != HP_HDS_END)
			rc = header_pair(r, m, &key, &item, &seen);
	}
	if (rc < 0)
		return rc;
	if (!(seen & 1))
		return fail(r, 0, "a header without a protocol");
	if (!m->kind)
		return fail(r, 0, "a header without event, request or response");
	if (m->kind != HP_HDS_EVENT && !(seen & 1u << 4))
		return fail(r, 0, "a request or response without an id");
	if (m->kind == HP_HDS_RESPONSE && !(seen & 1u << 5))
		return fail(r, 0, "a response without a status");
	return 0;
}

int hp_hds_open(struct hp_hds_reader *r, struct hp_hds_message *m, const void *data, size_t size, unsigned flags)
{
	const uint8_t *p = data;
	*m = (struct hp_hds_message){ 0 };
	hp_hds_read(r, data, size, flags);
	if (!size)
		return fail(r, 0, "there is no message");
	size_t n = p[0];
	if (!n)
		return fail(r, 0, "a header of no length");
	if (n > size - 1)
		return fail(r, 0, "a header longer than the input");
	m->header = p + 1;
	m->header_size = n;
	m->body = p + 1 + n;
	m->body_size = size - 1 - n;
	hp_hds_read(r, m->header, n, flags);
	r->shift = 1;
	int rc = header(r, m);
	if (rc < 0)
		return rc;
	/* header and body are two units: references never cross */
	hp_hds_read(r, m->body, m->body_size, flags);
	r->shift = 1 + n;
	if (!m->body_size)
		return fail(r, 0, "there is no body");
	if (m->body[0] < 0xe0 || m->body[0] > 0xef)
		return fail(r, 0, "a body that is not a dict");
	return 0;
}
