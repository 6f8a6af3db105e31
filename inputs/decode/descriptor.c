/* SPDX-License-Identifier: MIT
 * descriptor.c - reads a HID report descriptor item by item (HID 1.11, 6.2.2).
 *
 * The Linux kernel is the judge: fields, offsets, usages and ranges are what it finds, and what it accepts is
 * accepted. Where this parser accepts more (long items, reserved tags, an upside-down range) is listed in
 * docs/decode.md. */
#include "descriptor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAIN, GLOBAL, LOCAL };
enum { NONE = -1 };

struct item {
	size_t at; /* of its first byte, for sentences */
	unsigned type, tag, size;
	uint32_t u; /* data; s: the same, sign extended from its own size */
	int32_t s;
};

/* Global items: stay until changed, saved by push. */
struct global {
	uint32_t page, unit, bit_size, count;
	int64_t logical_min, logical_max, physical_min, physical_max;
	int32_t exponent;
	uint8_t id;
};

/* A run of usages in front of the next main item. own_page: written with four bytes, page included. */
struct local_run {
	struct hp_hid_usages run;
	bool own_page;
};

struct list { /* grows by doubling */
	void *at;
	size_t n, room, each;
};

struct parser {
	struct hp_hid_descriptor *d;
	struct global now, saved[HID_MAX_PUSHES];
	int pushes;
	struct list fields, collections, reports, usages, locals;
	uint32_t nlocal; /* usages in locals, run lengths added up */
	uint32_t usage_min;
	bool usage_min_wide;
	int delimiter, alternatives; /* open delimiters; sets of alternatives seen before this main item */
	int32_t collection;          /* innermost open one */
	int32_t report_at[3][256];   /* index + 1 into reports */
	size_t at;
	char *why;
	size_t why_size;
};

__attribute__((format(printf, 2, 3))) static int bad(struct parser *p, const char *fmt, ...)
{
	va_list args;
	int n = snprintf(p->why, p->why_size, "byte %zu: ", p->at);
	va_start(args, fmt);
	if (n >= 0 && (size_t)n < p->why_size)
		vsnprintf(p->why + n, p->why_size - (size_t)n, fmt, args);
	va_end(args);
	return -1;
}

static void *add(struct list *l)
{
	if (l->n == l->room) {
		size_t room = l->room ? 2 * l->room : 16;
		void *at = realloc(l->at, room * l->each);
		if (!at)
			return NULL;
		l->at = at;
		l->room = room;
	}
	return memset((char *)l->at + l->n++ * l->each, 0, l->each);
}

/* Kernel rule: one- and two-byte usages get the page that is in force at the main item. Going back from the
 * last one it stops at the first that has that page already, so pages may still be mixed on purpose. */
static void settle_pages(struct parser *p)
{
	struct local_run *l = p->locals.at;
	for (size_t i = p->locals.n; i-- > 0;) {
		if (l[i].own_page)
			continue;
		if (l[i].run.last >> 16 == p->now.page)
			break;
		l[i].run.first = p->now.page << 16 | (l[i].run.first & 0xffff);
		l[i].run.last = p->now.page << 16 | (l[i].run.last & 0xffff);
	}
}

static int add_usages(struct parser *p, uint32_t first, uint32_t last, bool own_page)
{
	struct local_run *l;
	if (p->nlocal >= HID_MAX_COUNT)
		return bad(p, "more than %d usages for one field", HID_MAX_COUNT);
	if (last - first >= HID_MAX_COUNT - p->nlocal)
		last = first + (HID_MAX_COUNT - p->nlocal) - 1;
	p->nlocal += last - first + 1;
	if (p->locals.n && first == last) {
		l = (struct local_run *)p->locals.at + p->locals.n - 1;
		if (l->run.first == first && l->run.last == first && l->own_page == own_page) {
			l->run.repeat++;
			return 0;
		}
	}
	l = add(&p->locals);
	if (!l)
		return bad(p, "out of memory");
	l->run = (struct hp_hid_usages){ first, last, 1 };
	l->own_page = own_page;
	return 0;
}

static int local_item(struct parser *p, const struct item *it)
{
	uint32_t page = p->now.page << 16;
	bool wide = it->size == 4;
	if (it->tag == 10) { /* delimiter: brackets usages that mean the same; the first set counts */
		if (it->u) {
			if (p->delimiter)
				return bad(p, "a delimiter inside a delimiter");
			p->delimiter = 1;
			p->alternatives++;
		} else {
			if (!p->delimiter)
				return bad(p, "a delimiter is closed that was not opened");
			p->delimiter = 0;
		}
		return 0;
	}
	if (it->tag > 2 || p->alternatives > 1) /* designators, strings, reserved: nothing here needs them */
		return 0;
	if (it->tag == 0)
		return add_usages(p, wide ? it->u : page | it->u, wide ? it->u : page | it->u, wide);
	if (it->tag == 1) {
		p->usage_min = it->u;
		p->usage_min_wide = wide;
		return 0;
	}
	/* usage maximum; a page in one half of the range is the page of both */
	uint32_t first = p->usage_min & 0xffff, last = it->u & 0xffff;
	if (wide)
		page = it->u & 0xffff0000;
	else if (p->usage_min_wide)
		page = p->usage_min & 0xffff0000;
	if (last < first) /* upside down: names nothing */
		return 0;
	return add_usages(p, page | first, page | last, wide || p->usage_min_wide);
}

static int global_item(struct parser *p, const struct item *it)
{
	struct global *g = &p->now;
	switch (it->tag) {
	case 0:
		g->page = it->u & 0xffff;
		break;
	case 1:
		g->logical_min = it->s;
		break;
	case 2: /* unsigned when the minimum is not negative */
		g->logical_max = g->logical_min < 0 ? (int64_t)it->s : (int64_t)it->u;
		break;
	case 3:
		g->physical_min = it->s;
		break;
	case 4:
		g->physical_max = g->physical_min < 0 ? (int64_t)it->s : (int64_t)it->u;
		break;
	case 5: /* a signed nibble; some devices send a signed byte, which ends in the same nibble */
		g->exponent = (int32_t)((it->u & 15) ^ 8) - 8;
		break;
	case 6:
		g->unit = it->u;
		break;
	case 7:
		if (it->u > HID_MAX_BITS)
			return bad(p, "report size of %u bits; the limit is %d", it->u, HID_MAX_BITS);
		g->bit_size = it->u;
		break;
	case 8:
		if (it->u < 1 || it->u > 255)
			return bad(p, "report ID %u; it must be 1 to 255", it->u);
		g->id = (uint8_t)it->u;
		p->d->uses_ids = true;
		break;
	case 9:
		if (it->u > HID_MAX_COUNT)
			return bad(p, "report count of %u; the limit is %d", it->u, HID_MAX_COUNT);
		g->count = it->u;
		break;
	case 10:
		if (p->pushes == HID_MAX_PUSHES)
			return bad(p, "more than %d pushes without a pop", HID_MAX_PUSHES);
		p->saved[p->pushes++] = *g;
		break;
	case 11:
		if (!p->pushes)
			return bad(p, "a pop without a push");
		*g = p->saved[--p->pushes];
		break;
	default: /* reserved */
		break;
	}
	return 0;
}

static uint32_t enclosing(const struct parser *p, uint32_t type)
{
	const struct hp_hid_collection *c = p->collections.at;
	for (int32_t i = p->collection; i >= 0; i = c[i].parent)
		if (c[i].type == type)
			return c[i].usage;
	return 0;
}

static struct hp_hid_report *report_of(struct parser *p, enum hp_hid_kind kind)
{
	int32_t *at = &p->report_at[kind][p->now.id];
	if (!*at) {
		struct hp_hid_report *r = add(&p->reports);
		if (!r)
			return NULL;
		r->kind = kind;
		r->id = p->now.id;
		*at = (int32_t)p->reports.n;
	}
	return (struct hp_hid_report *)p->reports.at + *at - 1;
}

static int data_item(struct parser *p, enum hp_hid_kind kind, uint32_t flags)
{
	const struct global *g = &p->now;
	struct hp_hid_report *r = report_of(p, kind);
	struct hp_hid_field *f = add(&p->fields);
	if (!r || !f)
		return bad(p, "out of memory");
	uint32_t bits = g->bit_size * g->count; /* at most 256 * 12288 */
	f->kind = kind;
	f->report_id = g->id;
	f->flags = flags;
	f->bit_offset = r->bits;
	f->bit_size = g->bit_size;
	f->count = g->count;
	f->logical_min = g->logical_min;
	f->logical_max = g->logical_max;
	f->physical_min = g->physical_min;
	f->physical_max = g->physical_max;
	f->unit_exponent = g->exponent;
	f->unit = g->unit;
	f->physical_usage = enclosing(p, 0);
	f->app_usage = enclosing(p, 1);
	f->logical_usage = enclosing(p, 2);
	f->collection = p->collection;
	r->bits += bits;
	if (r->bits > HID_MAX_REPORT * 8)
		return bad(p, "the report grows to %u bits; the limit is %d bytes", r->bits, HID_MAX_REPORT);
	const struct local_run *l = p->locals.at;
	for (size_t i = 0; i < p->locals.n; i++) {
		struct hp_hid_usages *u = add(&p->usages);
		if (!u)
			return bad(p, "out of memory");
		*u = l[i].run;
	}
	f->nusages = p->locals.n;
	return 0;
}

static int main_item(struct parser *p, const struct item *it)
{
	int rc = 0;
	settle_pages(p);
	switch (it->tag) {
	case 8:
		rc = data_item(p, HID_INPUT, it->u);
		break;
	case 9:
		rc = data_item(p, HID_OUTPUT, it->u);
		break;
	case 11:
		rc = data_item(p, HID_FEATURE, it->u);
		break;
	case 10: {
		const struct hp_hid_collection *up = p->collections.at;
		uint32_t level = p->collection < 0 ? 0 : up[p->collection].level + 1;
		struct hp_hid_collection *c = add(&p->collections);
		if (!c)
			return bad(p, "out of memory");
		c->parent = p->collection;
		c->type = it->u & 0xff;
		c->level = level;
		c->usage = p->locals.n ? ((struct local_run *)p->locals.at)->run.first : 0;
		p->collection = (int32_t)p->collections.n - 1;
		break;
	}
	case 12:
		if (p->collection < 0)
			return bad(p, "an end of collection without a collection");
		p->collection = ((struct hp_hid_collection *)p->collections.at)[p->collection].parent;
		break;
	default: /* reserved; zero bytes at the end of a descriptor come here */
		break;
	}
	p->locals.n = 0;
	p->nlocal = 0;
	p->usage_min = 0;
	p->usage_min_wide = false;
	p->delimiter = p->alternatives = 0;
	return rc;
}

static int items(struct parser *p, const uint8_t *data, size_t size)
{
	for (size_t i = 0; i < size;) {
		struct item it = { i, data[i] >> 2 & 3, data[i] >> 4, data[i] & 3, 0, 0 };
		int rc = 0;
		p->at = i;
		if (data[i] == 0xfe) { /* long item: size, tag, data; none is defined, so it is skipped */
			if (size - i < 3 || size - i - 3 < data[i + 1])
				return bad(p, "the descriptor ends inside a long item");
			i += 3u + data[i + 1];
			continue;
		}
		it.size = it.size == 3 ? 4 : it.size;
		if (size - i - 1 < it.size)
			return bad(p, "the descriptor ends inside an item");
		for (unsigned k = 0; k < it.size; k++)
			it.u |= (uint32_t)data[i + 1 + k] << 8 * k;
		uint32_t sign = it.size ? 1u << (8 * it.size - 1) : 0;
		it.s = (int32_t)((it.u ^ sign) - sign);
		if (it.type == MAIN)
			rc = main_item(p, &it);
		else if (it.type == GLOBAL)
			rc = global_item(p, &it);
		else if (it.type == LOCAL)
			rc = local_item(p, &it);
		if (rc)
			return rc;
		i += 1 + it.size;
	}
	p->at = size;
	if (p->collection >= 0)
		return bad(p, "the descriptor ends inside a collection");
	if (p->delimiter)
		return bad(p, "the descriptor ends inside a delimiter");
	return 0;
}

int hp_hid_descriptor_parse(struct hp_hid_descriptor *d, const uint8_t *data, size_t size, char *why, size_t why_size)
{
	struct parser p;
	int rc;
	memset(&p, 0, sizeof p);
	memset(d, 0, sizeof *d);
	p.d = d;
	p.why = why;
	p.why_size = why_size;
	p.collection = NONE;
	p.fields.each = sizeof(struct hp_hid_field);
	p.collections.each = sizeof(struct hp_hid_collection);
	p.reports.each = sizeof(struct hp_hid_report);
	p.usages.each = sizeof(struct hp_hid_usages);
	p.locals.each = sizeof(struct local_run);
	if (!size)
		rc = bad(&p, "the descriptor is empty");
	else if (size > HID_MAX_DESCRIPTOR)
		rc = bad(&p, "a descriptor of %zu bytes; the limit is %d", size, HID_MAX_DESCRIPTOR);
	else
		rc = items(&p, data, size);
	free(p.locals.at);
	d->fields = p.fields.at;
	d->nfields = p.fields.n;
	d->collections = p.collections.at;
	d->ncollections = p.collections.n;
	d->reports = p.reports.at;
	d->nreports = p.reports.n;
	d->memory = p.usages.at;
	if (rc) {
		hp_hid_descriptor_free(d);
		return rc;
	}
	/* only now, because the list moved while it grew */
	const struct hp_hid_usages *next = p.usages.at;
	for (size_t i = 0; i < d->nfields; i++) {
		d->fields[i].usages = next;
		if (d->fields[i].nusages)
			next += d->fields[i].nusages;
	}
	return 0;
}
