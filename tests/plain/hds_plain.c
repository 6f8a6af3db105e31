/* SPDX-License-Identifier: MIT
 * hds_plain.c - HDS payload bytes written and read in the plainest way: a tree, recursion, one byte at a time. */
#include "hds_plain.h"
#include <stdlib.h>
#include <string.h>

struct plain_value *plain_new(enum plain_type type)
{
	struct plain_value *v = calloc(1, sizeof *v);
	if (!v)
		abort();
	v->type = type;
	return v;
}

void plain_add(struct plain_value *v, struct plain_value *item)
{
	v->items = realloc(v->items, (v->nitems + 1) * sizeof *v->items);
	if (!v->items)
		abort();
	v->items[v->nitems++] = item;
}

void plain_set(struct plain_value *v, const void *at, size_t n)
{
	free(v->at);
	v->at = malloc(n + 1);
	if (!v->at)
		abort();
	if (n)
		memcpy(v->at, at, n);
	v->n = n;
}

void plain_free(struct plain_value *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->nitems; i++)
		plain_free(v->items[i]);
	free(v->items);
	free(v->at);
	free(v);
}

static bool integer(enum plain_type t)
{
	return t >= PLAIN_INT && t <= PLAIN_INT64;
}

bool plain_same(const struct plain_value *a, const struct plain_value *b, bool loose)
{
	if (a->type != b->type && !(loose && integer(a->type) && integer(b->type)))
		return false;
	if (a->bits != b->bits || a->n != b->n || a->nitems != b->nitems || (a->n && memcmp(a->at, b->at, a->n)))
		return false;
	for (size_t i = 0; i < a->nitems; i++)
		if (!plain_same(a->items[i], b->items[i], loose))
			return false;
	return true;
}

void plain_byte(struct plain_bytes *out, unsigned byte)
{
	if (out->n == out->room) {
		out->room = out->room * 2 + 64;
		out->at = realloc(out->at, out->room);
		if (!out->at)
			abort();
	}
	out->at[out->n++] = (uint8_t)byte;
}

static void little(struct plain_bytes *out, uint64_t v, int n)
{
	for (int i = 0; i < n; i++, v >>= 8)
		plain_byte(out, v & 255);
}

static void counted(struct plain_bytes *out, unsigned tag, const struct plain_value *v)
{
	if (v->n <= 32) {
		plain_byte(out, tag + (unsigned)v->n);
	} else if (v->n < 0x100) {
		plain_byte(out, tag + 33);
		little(out, v->n, 1);
	} else if (v->n < 0x10000) {
		plain_byte(out, tag + 34);
		little(out, v->n, 2);
	} else {
		plain_byte(out, tag + 35);
		little(out, v->n, 4);
	}
	for (size_t i = 0; i < v->n; i++)
		plain_byte(out, v->at[i]);
}

static void several(struct plain_bytes *out, unsigned tag, const struct plain_value *v, size_t n)
{
	plain_byte(out, n <= 14 ? tag + (unsigned)n : tag + 15);
	for (size_t i = 0; i < v->nitems; i++)
		plain_encode(out, v->items[i]);
	if (n > 14)
		plain_byte(out, 3);
}

void plain_encode(struct plain_bytes *out, const struct plain_value *v)
{
	int64_t i = (int64_t)v->bits;
	switch (v->type) {
	case PLAIN_NULL:
		plain_byte(out, 4);
		break;
	case PLAIN_BOOL:
		plain_byte(out, v->bits ? 1 : 2);
		break;
	case PLAIN_INT:
		if (i == -1) {
			plain_byte(out, 7);
		} else if (i >= 0 && i < 39) {
			plain_byte(out, 8 + (unsigned)i);
		} else {
			unsigned log = i >= -128 && i < 128                 ? 0
			               : i >= -32768 && i < 32768           ? 1
			               : i >= -2147483648 && i < 2147483648 ? 2
			                                                    : 3;
			plain_byte(out, 0x30 + log);
			little(out, v->bits, 1 << log);
		}
		break;
	case PLAIN_INT8:
	case PLAIN_INT16:
	case PLAIN_INT32:
	case PLAIN_INT64:
		plain_byte(out, 0x30 + (unsigned)(v->type - PLAIN_INT8));
		little(out, v->bits, 1 << (v->type - PLAIN_INT8));
		break;
	case PLAIN_F32:
		plain_byte(out, 0x35);
		little(out, v->bits, 4);
		break;
	case PLAIN_F64:
	case PLAIN_DATE:
		plain_byte(out, v->type == PLAIN_F64 ? 0x36 : 6);
		little(out, v->bits, 8);
		break;
	case PLAIN_UUID:
		plain_byte(out, 5);
		for (size_t k = 0; k < 16; k++)
			plain_byte(out, v->at[k]);
		break;
	case PLAIN_STR:
		counted(out, 0x40, v);
		break;
	case PLAIN_DATA:
		counted(out, 0x70, v);
		break;
	case PLAIN_ARRAY:
		several(out, 0xd0, v, v->nitems);
		break;
	case PLAIN_DICT:
		several(out, 0xe0, v, v->nitems / 2);
		break;
	case PLAIN_WIDE:
		abort();
	}
}

struct input {
	const uint8_t *at;
	size_t n, pos;
	bool refs, bad;
	const struct plain_value *known[48];
	int nknown;
};

static unsigned take(struct input *in)
{
	if (in->pos == in->n) {
		in->bad = true;
		return 0;
	}
	return in->at[in->pos++];
}

static uint64_t take_little(struct input *in, int n)
{
	uint64_t v = 0;
	for (int i = 0; i < n; i++)
		v += (uint64_t)take(in) << (8 * i);
	return v;
}

static bool utf8(const uint8_t *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		uint32_t c = s[i];
		int more = c < 0x80 ? 0 : (c & 0xe0) == 0xc0 ? 1 : (c & 0xf0) == 0xe0 ? 2 : (c & 0xf8) == 0xf0 ? 3 : -1;
		if (more < 0 || i + (size_t)more >= n)
			return false;
		c &= 0x7fu >> (more ? more + 1 : 0);
		for (int k = 1; k <= more; k++) {
			if ((s[i + (size_t)k] & 0xc0) != 0x80)
				return false;
			c = c << 6 | (s[i + (size_t)k] & 0x3f);
		}
		if ((more == 1 && c < 0x80) || (more == 2 && c < 0x800) || (more == 3 && c < 0x10000) || c > 0x10ffff ||
		    (c >= 0xd800 && c <= 0xdfff))
			return false;
		i += (size_t)more + 1;
	}
	return true;
}

static void take_bytes(struct input *in, struct plain_value *v, uint64_t n)
{
	if (n > in->n - in->pos) {
		in->bad = true;
		return;
	}
	plain_set(v, in->at + in->pos, (size_t)n);
	in->pos += (size_t)n;
}

static void take_text(struct input *in, struct plain_value *v, unsigned form, unsigned stop)
{
	if (form <= 32) {
		take_bytes(in, v, form);
	} else if (form <= 36) {
		uint64_t n = take_little(in, 1 << (form - 33));
		take_bytes(in, v, n);
	} else {
		size_t n = 0;
		while (in->pos + n < in->n && in->at[in->pos + n] != stop)
			n++;
		take_bytes(in, v, n);
		take(in);
	}
	if (!in->bad && v->type == PLAIN_STR && !utf8(v->at, v->n))
		in->bad = true;
}

static struct plain_value *copy(const struct plain_value *v)
{
	struct plain_value *c = plain_new(v->type);
	c->bits = v->bits;
	if (v->at)
		plain_set(c, v->at, v->n);
	return c;
}

static bool equal_number(const struct plain_value *a, const struct plain_value *b)
{
	double x, y;
	float f, g;
	uint32_t p = (uint32_t)a->bits, q = (uint32_t)b->bits;
	if (a->type == PLAIN_F32) {
		memcpy(&f, &p, 4);
		memcpy(&g, &q, 4);
		return f == g;
	}
	memcpy(&x, &a->bits, 8);
	memcpy(&y, &b->bits, 8);
	return x == y;
}

static bool known(const struct plain_value *a, const struct plain_value *b)
{
	if (a->type != b->type || a->type == PLAIN_DATA)
		return false;
	if (a->type == PLAIN_F32 || a->type == PLAIN_F64 || a->type == PLAIN_DATE)
		return equal_number(a, b);
	return plain_same(a, b, false);
}

static struct plain_value *take_value(struct input *in, int depth, bool key);

static struct plain_value *take_several(struct input *in, unsigned tag, int depth)
{
	bool dict = tag >= 0xe0;
	struct plain_value *v = plain_new(dict ? PLAIN_DICT : PLAIN_ARRAY);
	size_t want = (tag & 15) * (dict ? 2 : 1);
	while (!in->bad && ((tag & 15) == 15 || v->nitems < want)) {
		if ((tag & 15) == 15 && in->pos < in->n && in->at[in->pos] == 3) {
			in->pos++;
			in->bad = dict && v->nitems % 2;
			break;
		}
		struct plain_value *item = take_value(in, depth + 1, dict && v->nitems % 2 == 0);
		if (item)
			plain_add(v, item);
	}
	return v;
}

static struct plain_value *take_value(struct input *in, int depth, bool key)
{
	size_t start = in->pos;
	if (depth > 32) {
		in->bad = true;
		return NULL;
	}
	unsigned tag = take(in);
	if (in->bad)
		return NULL;
	struct plain_value *v = plain_new(PLAIN_NULL);
	if (tag == 1 || tag == 2) {
		v->type = PLAIN_BOOL;
		v->bits = tag == 1;
	} else if (tag == 5) {
		v->type = PLAIN_UUID;
		take_bytes(in, v, 16);
	} else if (tag == 6 || tag == 0x36) {
		v->type = tag == 6 ? PLAIN_DATE : PLAIN_F64;
		v->bits = take_little(in, 8);
	} else if (tag >= 7 && tag <= 0x2f) {
		v->type = PLAIN_INT;
		v->bits = (uint64_t)tag - 8;
	} else if (tag >= 0x30 && tag <= 0x33) {
		int n = 1 << (tag - 0x30);
		v->type = PLAIN_INT8 + (tag - 0x30);
		v->bits = take_little(in, n);
		if (n < 8 && v->bits >> (8 * n - 1))
			v->bits -= (uint64_t)1 << 8 * n;
	} else if (tag == 0x35) {
		v->type = PLAIN_F32;
		v->bits = take_little(in, 4);
	} else if ((tag >= 0x40 && tag <= 0x64) || tag == 0x6f) {
		v->type = PLAIN_STR;
		take_text(in, v, tag - 0x40, 0);
	} else if ((tag >= 0x70 && tag <= 0x94) || tag == 0x9f) {
		v->type = PLAIN_DATA;
		take_text(in, v, tag - 0x70, 3);
	} else if (tag >= 0xa0 && tag <= 0xcf) {
		plain_free(v);
		if (!in->refs || (int)(tag - 0xa0) >= in->nknown) {
			in->bad = true;
			return NULL;
		}
		v = copy(in->known[tag - 0xa0]);
		v->offset = start;
		return v;
	} else if (tag >= 0xd0 && tag <= 0xef) {
		plain_free(v);
		if (key) {
			in->bad = true;
			return NULL;
		}
		v = take_several(in, tag, depth);
		v->offset = start;
		return v;
	} else if (tag != 4) {
		in->bad = true;
	}
	v->offset = start;
	bool long_enough = in->pos - start > 1 || ((v->type == PLAIN_STR || v->type == PLAIN_DATA) && !v->n);
	if (!in->bad && long_enough && in->nknown < 48) {
		int i = 0;
		while (i < in->nknown && !known(v, in->known[i]))
			i++;
		if (i == in->nknown)
			in->known[in->nknown++] = v;
	}
	return v;
}

struct plain_value *plain_decode(const uint8_t *at, size_t n, bool refs)
{
	struct input in = { .at = at, .n = n, .refs = refs };
	struct plain_value *v = take_value(&in, 0, false);
	if (in.bad || in.pos != n) {
		plain_free(v);
		return NULL;
	}
	return v;
}
