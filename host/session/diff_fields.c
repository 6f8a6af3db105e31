/* SPDX-License-Identifier: MIT
 * diff_fields.c - what two messages have in common: fields matched by name, numbers apart by how much, integers to the
 * last digit, and the bytes that no field covers. */
#include "diff.h"
#include "number/number.h"

#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <stdio.h>

/* The fields that a side's messages have. */
static void fields_of(struct hps_diff_side *s)
{
	const struct hps_reader *r = s->cursor.reader;
	const struct hps_rchannel *c = &r->channels[s->cursor.channel];
	s->json = c->role == HPS_ROLE_SAMPLE_JSON;
	if (s->json) {
		s->flags = hps_sample_flags(r, s->cursor.channel);
		s->nlist = hps_sample_layout(s->flags, s->own);
		s->size = hps_layout_offsets(s->own, s->nlist, s->own_offsets);
		s->list = s->own;
		s->offsets = s->own_offsets;
	} else if (c->pub.nfields) {
		s->list = c->fields;
		s->offsets = c->offsets;
		s->nlist = c->pub.nfields;
		s->size = c->pub.message_size;
	}
}

static enum hps_diff_how how(enum hps_type t)
{
	switch (t) {
	case HPS_F64:
	case HPS_F32:
		return HPS_DIFF_REAL;
	case HPS_I64:
	case HPS_I32:
	case HPS_I16:
	case HPS_I8:
		return HPS_DIFF_SIGNED;
	default:
		return HPS_DIFF_UNSIGNED;
	}
}

/* An integer whose sign is apart, so that int64 and uint64 meet. */
struct whole {
	uint64_t size;
	bool negative;
};

static struct whole whole_at(enum hps_type t, const uint8_t *p)
{
	int64_t v;
	switch (t) {
	case HPS_I64:
		v = (int64_t)hps_u64_at(p);
		break;
	case HPS_I32:
		v = (int32_t)hps_u32_at(p);
		break;
	case HPS_I16:
		v = (int16_t)hps_u16_at(p);
		break;
	case HPS_I8:
		v = (int8_t)*p;
		break;
	case HPS_U64:
		return (struct whole){ hps_u64_at(p), false };
	case HPS_U32:
		return (struct whole){ hps_u32_at(p), false };
	case HPS_U16:
		return (struct whole){ hps_u16_at(p), false };
	default:
		return (struct whole){ *p, false };
	}
	return v < 0 ? (struct whole){ -(uint64_t)v, true } : (struct whole){ (uint64_t)v, false };
}

/* Saturates: from -2^63 to 2^64 - 1 is more than 64 bits hold. */
static uint64_t apart(struct whole a, struct whole b)
{
	if (a.negative == b.negative)
		return a.size > b.size ? a.size - b.size : b.size - a.size;
	return a.size > UINT64_MAX - b.size ? UINT64_MAX : a.size + b.size;
}

static double tolerance_of(const struct hps_diff_options *o, const char *name)
{
	for (size_t i = o->nfields; i-- > 0;) /* who says it twice means the second */
		if (!strcmp(o->fields[i], name))
			return o->tolerances[i];
	return o->tolerance;
}

static const struct hps_field *find(const struct hps_diff_side *s, const char *name, size_t near, size_t *at)
{
	if (near < s->nlist && !strcmp(s->list[near].name, name)) {
		*at = near;
		return &s->list[near];
	}
	for (size_t i = 0; i < s->nlist; i++) {
		if (!strcmp(s->list[i].name, name)) {
			*at = i;
			return &s->list[i];
		}
	}
	return NULL;
}

static bool holds_samples(const struct hps_diff_side *s)
{
	return hps_holds_samples(s->cursor.reader, s->cursor.channel);
}

static void plan(struct hps_diff_plan *p, const struct hps_diff_options *o, const struct hps_field *f)
{
	*p = (struct hps_diff_plan){ .name = f->name, .unit = f->unit, .type = { f->type, f->type } };
	p->tolerance = tolerance_of(o, f->name);
	/* 2^64 and more: no difference is beyond it */
	p->whole_tolerance = p->tolerance < 18446744073709551616.0 ? (uint64_t)p->tolerance : UINT64_MAX;
	p->how = (uint8_t)how(f->type);
}

int hps_diff_prepare(struct hps_diff *d, const struct hps_diff_options *o)
{
	struct hps_diff_side *a = &d->side[0], *b = &d->side[1];
	size_t at = 0;
	fields_of(a);
	fields_of(b);
	d->plans = calloc(a->nlist + b->nlist + 1, sizeof *d->plans);
	d->now = malloc((a->nlist + b->nlist + 1) * sizeof *d->now);
	if (!d->plans || !d->now)
		return -ENOMEM;
	if (!a->nlist || !b->nlist)
		return 0; /* bytes against bytes */
	bool samples = holds_samples(a) && holds_samples(b), common = false;
	d->alike = a->json == b->json && a->nlist == b->nlist;
	for (size_t i = 0; i < a->nlist; i++) {
		struct hps_diff_plan *p = &d->plans[d->nplans++];
		const struct hps_field *f = find(b, a->list[i].name, i, &at);
		plan(p, o, &a->list[i]);
		if (!f) {
			p->only = 1;
			p->leave = true;
			d->alike = false;
			continue;
		}
		common = true;
		p->at[0] = a->offsets[i];
		p->at[1] = b->offsets[at];
		p->type[1] = f->type;
		if (how(f->type) == HPS_DIFF_REAL)
			p->how = HPS_DIFF_REAL;
		p->leave = samples && !o->all && !strcmp(p->name, "arrival_ns");
		d->alike = d->alike && f->type == p->type[0] && p->at[0] == p->at[1];
		size_t size = hps_type_size(f->type);
		p->width = f->type == p->type[0] && size >= 4 ? (uint8_t)size : 0;
	}
	for (size_t i = 0; i < b->nlist; i++) {
		if (find(a, b->list[i].name, i, &at))
			continue;
		struct hps_diff_plan *p = &d->plans[d->nplans++];
		plan(p, o, &b->list[i]);
		p->only = 2;
		p->leave = true;
	}
	if (!common)
		d->nplans = 0; /* other messages altogether */
	return 0;
}

void hps_diff_body(struct hps_diff_side *s)
{
	struct hp_sample sample = HP_SAMPLE_INIT;
	if (s->json && hps_get_sample(s->cursor.reader, &s->m, &sample) == 0) {
		s->bytes = (uint32_t)hps_sample_pack(&sample, s->flags, s->packed);
		s->body = s->packed;
	} else {
		s->body = s->m.layout ? s->m.data : NULL;
		s->bytes = s->m.size;
	}
}

/* Numbers as doubles. Returns whether they differ beyond the tolerance. */
static inline bool differ_real(struct hps_diff_plan *p, double x, double y, int64_t time)
{
	double by = fabs(x - y);
	if (!(by <= DBL_MAX)) {
		if (x == y || (x != x && y != y))
			return false;
		by = INFINITY;
	}
	if (by > p->worst) {
		p->worst = by;
		p->worst_at = time;
	}
	bool beyond = by > p->tolerance;
	p->differing += beyond;
	p->within += !beyond && by > 0;
	return beyond;
}

/* Integers, to the last digit. */
static inline bool differ_whole(struct hps_diff_plan *p, uint64_t n, int64_t time)
{
	if (!n)
		return false;
	if (n > p->exact) {
		p->exact = n;
		p->worst = (double)n;
		p->worst_at = time;
	}
	bool beyond = n > p->whole_tolerance;
	p->differing += beyond;
	p->within += !beyond;
	return beyond;
}

static bool differ(struct hps_diff_plan *p, const uint8_t *a, const uint8_t *b, int64_t time)
{
	if (p->how == HPS_DIFF_REAL)
		return differ_real(p, hps_number_at(p->type[0], a), hps_number_at(p->type[1], b), time);
	return differ_whole(p, apart(whole_at(p->type[0], a), whole_at(p->type[1], b)), time);
}

/* The common case, where both are float64, float32 or 8 bytes of integer: a few instructions instead of two calls. */
static bool differ_fast(struct hps_diff_plan *p, const uint8_t *a, const uint8_t *b, int64_t time)
{
	uint64_t x8, y8;
	uint32_t x4, y4;
	if (p->width == 4) {
		float x, y;
		memcpy(&x4, a, 4);
		memcpy(&y4, b, 4);
		if (x4 == y4)
			return false;
		if (p->type[0] != HPS_F32)
			return differ(p, a, b, time);
		memcpy(&x, a, 4);
		memcpy(&y, b, 4);
		return differ_real(p, (double)x, (double)y, time);
	}
	memcpy(&x8, a, 8);
	memcpy(&y8, b, 8);
	if (x8 == y8)
		return false;
	if (p->type[0] != HPS_F64)
		return differ(p, a, b, time);
	double x, y;
	memcpy(&x, a, 8);
	memcpy(&y, b, 8);
	return differ_real(p, x, y, time);
}

bool hps_diff_same(struct hps_diff *d, bool *bytes)
{
	const struct hps_diff_side *a = &d->side[0], *b = &d->side[1];
	const uint8_t *x = a->body, *y = b->body;
	d->nnow = 0;
	if (!x || !y || !d->nplans) {
		*bytes = a->m.size != b->m.size || memcmp(a->m.data, b->m.data, a->m.size) != 0;
		return !*bytes;
	}
	if (d->alike && a->bytes == b->bytes && !memcmp(x, y, a->bytes))
		return true;
	for (size_t i = 0; i < d->nplans; i++) {
		struct hps_diff_plan *p = &d->plans[i];
		if (p->leave)
			continue;
		const uint8_t *u = x + p->at[0], *v = y + p->at[1];
		if (p->width ? differ_fast(p, u, v, a->m.time) : differ(p, u, v, a->m.time))
			d->now[d->nnow++] = (uint32_t)i;
	}
	size_t more = a->bytes - a->size;
	*bytes = more != b->bytes - b->size || memcmp(x + a->size, y + b->size, more) != 0;
	return !*bytes && !d->nnow;
}

/* Exact, as text that reads back as the same value. */
static void text(enum hps_type t, const uint8_t *p, char out[32])
{
	if (how(t) != HPS_DIFF_REAL) {
		struct whole w = whole_at(t, p);
		snprintf(out, 32, "%s%" PRIu64, w.negative ? "-" : "", w.size);
		return;
	}
	double v = hps_number_at(t, p);
	if (v - v != 0)
		snprintf(out, 32, "%s", v != v ? "nan" : v < 0 ? "-inf" : "inf");
	else
		out[hp_text_exact(v, out)] = 0;
}

bool hps_diff_fill_field(const struct hps_diff *d, size_t index, struct hps_diff_field *out)
{
	if (index >= d->nplans)
		return false;
	const struct hps_diff_plan *p = &d->plans[index];
	const struct hps_diff_run *u = d->shown;
	struct hps_diff_field f = { .type = p->how == HPS_DIFF_REAL ? HPS_F64 : p->type[0],
		                    .name = p->name,
		                    .unit = p->unit,
		                    .only = p->only,
		                    .in_range = u->range.kind && u->marks[index],
		                    .differing = p->differing,
		                    .within = p->within,
		                    .worst = p->worst,
		                    .exact = p->exact,
		                    .worst_at = p->worst_at };
	if (u->range.kind && u->fields && !p->only) {
		text(p->type[0], u->first[0] + p->at[0], f.first);
		text(p->type[1], u->first[1] + p->at[1], f.second);
	}
	hps_give(out, &f, sizeof f);
	return true;
}
