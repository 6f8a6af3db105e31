/* SPDX-License-Identifier: MIT
 * plan.c - compiles the decode plan of a head tracker and runs it. */
#include "plan.h"

#include <stdio.h>
#include <string.h>

/* Exact values of pow(10, -8 to 7). */
static const double power_of_ten[16] = { 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1,
	                                 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7 };

/* ---- compile ------------------------------------------------------------------------------------------- */

static struct hp_hid_bits bits_at(const struct hp_hid_descriptor *d, const struct hp_hid_field *f, uint32_t value)
{
	struct hp_hid_bits b;
	uint32_t bit = f->bit_offset + value * f->bit_size + 8u * d->uses_ids;
	b.byte = (uint16_t)(bit / 8); /* a report has at most HID_MAX_REPORT bytes */
	b.shift = bit % 8;
	b.size = (uint8_t)f->bit_size;
	b.is_signed = f->logical_min < 0;
	b.direct = 0;
	if (!b.shift && (b.size == 8 || b.size == 16 || b.size == 32))
		b.direct = b.size / 8;
	return b;
}

static void place(struct hp_hid_plan_report *r, const struct hp_hid_descriptor *d, const struct hp_hid_field *f,
                  uint32_t value, int at)
{
	r->bits[at] = bits_at(d, f, value);
	/* without ranges the number is the raw one: (raw - 0) / 1, 0 + that * 1, times 1, all exact */
	bool plain = f->logical_min == f->logical_max || (!f->physical_min && !f->physical_max);
	r->lmin[at] = plain ? 0 : (double)f->logical_min;
	r->range[at] = plain ? 1 : (double)f->logical_max - (double)f->logical_min;
	r->pmin[at] = plain ? 0 : (double)f->physical_min;
	r->span[at] = plain ? 1 : (double)f->physical_max - (double)f->physical_min;
	r->scale[at] = plain ? 1 : power_of_ten[f->unit_exponent + 8];
}

/* Values that are not there read as +0: bit 0 of nothing, (0 - 0) / 1, 0 + 0 * 0. */
static void place_nothing(struct hp_hid_plan_report *r, int at)
{
	r->bits[at] = (struct hp_hid_bits){ 0, 0, 0, 0, 0 };
	r->lmin[at] = r->pmin[at] = r->span[at] = 0;
	r->range[at] = r->scale[at] = 1;
}

/* A run of n equal usages that begins at a value of a field. A later field wins, component by component. */
static void take(struct hp_hid_plan_report *r, const struct hp_hid_descriptor *d, const struct hp_hid_field *f,
                 uint32_t value, uint32_t n, uint32_t usage)
{
	int at = 0;
	uint32_t what = 0, numbers = 0;
	switch (usage) {
#define HP_INPUT_USAGE(name, usage, quantity, begin, many, ...) \
	case usage:                                             \
		at = HID_AT_##quantity + (begin);               \
		numbers = many;                                 \
		what = HID_##quantity;                          \
		break;
#define HP_COUNTER_USAGE(name, usage, counter, ...) \
	case usage:                                 \
		what = HID_##counter;               \
		break;
#include "usages.def"
	default:
		return;
	}
	if (what == HID_RESET) {
		r->reset = bits_at(d, f, value);
		r->reset.is_signed = 0; /* raw bits, whatever its range */
	} else if (n < numbers) {
		return;
	}
	for (uint32_t i = 0; i < numbers; i++)
		place(r, d, f, value + i, at + (int)i);
	r->has |= what;
}

/* Walks a field's values in runs of equal usages; the last usage stands for all values that are left. */
static void take_field(struct hp_hid_plan_report *r, const struct hp_hid_descriptor *d, const struct hp_hid_field *f)
{
	uint32_t run = 0, start = 0, value = 0;
	for (size_t k = 0; k < f->nusages && value < f->count; k++) {
		const struct hp_hid_usages *u = &f->usages[k];
		for (uint32_t usage = u->first; usage <= u->last && value < f->count; usage++) {
			if (usage != run && value > start)
				take(r, d, f, start, value - start, run);
			if (usage != run)
				start = value;
			run = usage;
			value += u->first == u->last ? u->repeat : 1;
			if (usage == UINT32_MAX)
				break;
		}
	}
	take(r, d, f, start, f->count - start, run);
}

static bool readable(const struct hp_hid_field *f)
{
	return f->kind == HID_INPUT && f->flags & HID_VARIABLE && !(f->flags & HID_CONSTANT) && f->nusages &&
	       f->bit_size >= 1 && f->bit_size <= 63;
}

/* Chooses the path: direct loads when every number allows them. */
static void finish(struct hp_hid_plan_report *r)
{
	uint32_t end = 0, last = 0, direct = 1;
	r->words = 1;
	for (uint32_t i = 0; i <= HID_PLAN_VALUES; i++) {
		const struct hp_hid_bits *b = i < HID_PLAN_VALUES ? &r->bits[i] : &r->reset;
		if (!b->size)
			continue;
		direct &= b->direct != 0;
		if (b->byte + b->direct > (int)end)
			end = (uint32_t)b->byte + b->direct;
		if (b->byte + 9u > r->reach)
			r->reach = b->byte + 9u;
		if (b == &r->reset)
			continue;
		last = i;
		r->words &= b->direct == 2 && b->is_signed;
		r->at[i] = b->byte;
	}
	r->pairs = last / 2 + 1;
	r->direct_bytes = direct ? end : UINT32_MAX;
	r->reset_at = r->reset.byte;
	r->reset_mask = r->has & HID_RESET ? 0xff : 0;
}

int hp_hid_plan_compile(struct hp_hid_plan *plan, const struct hp_hid_descriptor *d, char *why, size_t why_size)
{
	struct hp_hid_plan_report r;
	memset(plan, 0, sizeof *plan);
	plan->uses_ids = d->uses_ids;
	for (unsigned id = 0; id < 256; id++) {
		memset(&r, 0, sizeof r);
		for (int i = 0; i < HID_PLAN_VALUES; i++)
			place_nothing(&r, i);
		for (size_t k = 0; k < d->nfields; k++)
			if (d->fields[k].report_id == id && readable(&d->fields[k]))
				take_field(&r, d, &d->fields[k]);
		if (!(r.has & HID_ROTATION))
			continue;
		if (plan->nreports == HID_PLAN_REPORTS) {
			snprintf(why, why_size, "more than %d report IDs carry a rotation vector", HID_PLAN_REPORTS);
			return -1;
		}
		finish(&r);
		plan->report[plan->nreports++] = r;
		plan->of_id[id] = plan->nreports;
	}
	if (plan->nreports)
		return 0;
	snprintf(why, why_size, "no rotation vector (usage " HP_USAGE_FMT ", three values) in any input report",
	         HP_USAGE_ARGS(HP_USAGE_ROTATION_VECTOR));
	return -1;
}

/* ---- decode -------------------------------------------------------------------------------------------- */

/* Two divisions cost what one costs. The arrays of plan and values are aligned for it. */
typedef double pair __attribute__((vector_size(16), may_alias));

static inline pair load(const double *p)
{
	return *(const pair *)(const void *)p;
}

static inline void scale(const struct hp_hid_plan_report *r, uint32_t i, pair raw, double *out)
{
	pair f = (raw - load(r->lmin + i)) / load(r->range + i);
	*(pair *)(void *)(out + i) = (load(r->pmin + i) + f * load(r->span + i)) * load(r->scale + i);
}

static inline uint32_t load16(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t load32(const uint8_t *p)
{
	return load16(p) | load16(p + 2) << 16;
}

/* A value that is not there has a span of 0: any bits do. */
static inline double word(const uint8_t *p)
{
	return (int16_t)load16(p);
}

static double direct(const uint8_t *data, const struct hp_hid_bits *b)
{
	const uint8_t *p = data + b->byte;
	switch (b->direct) {
	case 1:
		return b->is_signed ? (int8_t)*p : *p;
	case 2:
		return b->is_signed ? (int16_t)load16(p) : (int32_t)load16(p);
	case 4:
		return b->is_signed ? (double)(int32_t)load32(p) : (double)load32(p);
	default:
		return 0;
	}
}

/* Any bits out of nine bytes at p; size 1 to 63. */
static inline int64_t nine_bytes(const uint8_t *p, const struct hp_hid_bits *b)
{
	uint64_t raw = ((uint64_t)load32(p) | (uint64_t)load32(p + 4) << 32) >> b->shift;
	uint64_t sign = (uint64_t)b->is_signed << (b->size - 1);
	if (b->shift + b->size > 64)
		raw |= (uint64_t)p[8] << (64 - b->shift);
	raw &= (UINT64_C(1) << b->size) - 1;
	return (int64_t)((raw ^ sign) - sign);
}

/* The same where the report may end before the nine bytes do; what is past its end is zero. */
static int64_t some_bytes(const uint8_t *data, size_t size, const struct hp_hid_bits *b)
{
	uint8_t window[9] = { 0 };
	if (b->byte < size)
		memcpy(window, data + b->byte, size - b->byte < 9 ? size - b->byte : 9);
	return nine_bytes(window, b);
}

/* Out of line, so that the usual path below saves no registers for it. */
#define SELDOM __attribute__((noinline))

/* Byte-aligned values of 8, 16 and 32 bits, mixed. */
SELDOM static void mixed(const struct hp_hid_plan_report *r, const uint8_t *data, struct hp_hid_values *out)
{
	for (uint32_t i = 0; i < 2 * r->pairs; i += 2)
		scale(r, i, (pair){ direct(data, &r->bits[i]), direct(data, &r->bits[i + 1]) }, out->v);
}

/* The general path. A short report is read from a copy with zeros behind it, unless it is absurdly long. */
SELDOM static void general(const struct hp_hid_plan_report *r, const uint8_t *data, size_t size,
                           struct hp_hid_values *out)
{
	uint8_t copy[128];
	uint32_t end = 2 * r->pairs;
	if (size < r->reach && r->reach <= sizeof copy) {
		memset(copy, 0, sizeof copy);
		if (size)
			memcpy(copy, data, size);
		data = copy;
		size = sizeof copy;
	}
	bool whole = size >= r->reach;
	for (uint32_t i = 0; i < end; i++) {
		const struct hp_hid_bits *b = &r->bits[i];
		out->v[i] = 0;
		if (b->size)
			out->v[i] = (double)(whole ? nine_bytes(data + b->byte, b) : some_bytes(data, size, b));
	}
	out->reset = r->reset.size ? (uint32_t)some_bytes(data, size, &r->reset) & 0xff : 0;
	for (uint32_t i = 0; i < end; i += 2)
		scale(r, i, load(out->v + i), out->v);
}

int hp_hid_plan_decode(const struct hp_hid_plan *plan, const uint8_t *data, size_t size, struct hp_hid_values *out)
{
	static const pair zero = { 0, 0 };
	if (plan->uses_ids && !size)
		return 0;
	uint32_t which = plan->of_id[plan->uses_ids ? data[0] : 0];
	if (!which)
		return 0;
	const struct hp_hid_plan_report *r = &plan->report[which - 1];
	uint32_t end = 2 * r->pairs, i = 0;
	out->has = r->has;
	if (size < r->direct_bytes) {
		general(r, data, size, out);
	} else {
		out->reset = data[r->reset_at] & r->reset_mask;
		if (r->words)
			do
				scale(r, i, (pair){ word(data + r->at[i]), word(data + r->at[i + 1]) }, out->v);
			while ((i += 2) < end);
		else
			mixed(r, data, out);
	}
	/* written out, because a loop becomes a call of memset; a rotation vector takes two pairs */
	_Static_assert(HID_PLAN_VALUES == 10, "one line for each pair behind the second");
	if (end < 6)
		*(pair *)(void *)(out->v + 4) = zero;
	if (end < 8)
		*(pair *)(void *)(out->v + 6) = zero;
	if (end < 10)
		*(pair *)(void *)(out->v + 8) = zero;
	return 1;
}
