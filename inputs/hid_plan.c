/* SPDX-License-Identifier: MIT
 * hid_plan.c - compiles the decode plan of a head tracker and runs it. */
#include "hid_plan.h"

#include <stdio.h>
#include <string.h>

enum { SENSORS = 0x20 << 16 };
enum { ROTATION = 0, GYRO = 3, ACCEL = 6 }; /* places in hid_values.v */

/* Exact values of pow(10, -8 to 7). */
static const double power_of_ten[16] = { 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1,
	                                 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7 };

/* ---- compile ------------------------------------------------------------------------------------------- */

static struct hid_bits bits_at(const struct hid_descriptor *d, const struct hid_field *f, uint32_t value)
{
	struct hid_bits b;
	uint32_t bit = f->bit_offset + value * f->bit_size + 8u * d->uses_ids;
	b.byte = bit / 8;
	b.shift = bit % 8;
	b.size = (uint8_t)f->bit_size;
	b.is_signed = f->logical_min < 0;
	b.direct = 0;
	if (!b.shift && (b.size == 8 || b.size == 16 || b.size == 32))
		b.direct = b.size / 8;
	return b;
}

static void place(struct hid_plan_report *r, const struct hid_descriptor *d, const struct hid_field *f, uint32_t value,
                  int at)
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
static void place_nothing(struct hid_plan_report *r, int at)
{
	r->bits[at] = (struct hid_bits){ 0, 0, 0, 0, 0 };
	r->lmin[at] = r->pmin[at] = r->span[at] = 0;
	r->range[at] = r->scale[at] = 1;
}

/* A run of n equal usages that begins at a value of a field. A later field wins, component by component. */
static void take(struct hid_plan_report *r, const struct hid_descriptor *d, const struct hid_field *f, uint32_t value,
                 uint32_t n, uint32_t usage)
{
	int at = -1;
	uint32_t what = 0;
	if (usage == (SENSORS | 0x0546)) {
		r->reset = bits_at(d, f, value);
		r->reset.is_signed = 0; /* raw bits, whatever its range */
		r->has |= HID_RESET;
		return;
	}
	if (usage == (SENSORS | 0x0544)) {
		at = ROTATION;
		what = HID_ROTATION;
	} else if (usage == (SENSORS | 0x0545) || usage == (SENSORS | 0x0456)) {
		at = GYRO;
		what = HID_GYRO;
	} else if (usage == (SENSORS | 0x0452)) {
		at = ACCEL;
		what = HID_ACCEL;
	}
	if (at >= 0) {
		for (uint32_t i = 0; n >= 3 && i < 3; i++)
			place(r, d, f, value + i, at + (int)i);
		r->has |= n >= 3 ? what : 0;
	} else if (usage >= (SENSORS | 0x0457) && usage <= (SENSORS | 0x0459)) {
		place(r, d, f, value, GYRO + (int)(usage - (SENSORS | 0x0457)));
		r->has |= HID_GYRO;
	} else if (usage >= (SENSORS | 0x0453) && usage <= (SENSORS | 0x0455)) {
		place(r, d, f, value, ACCEL + (int)(usage - (SENSORS | 0x0453)));
		r->has |= HID_ACCEL;
	}
}

/* Walks a field's values in runs of equal usages; the last usage stands for all values that are left. */
static void take_field(struct hid_plan_report *r, const struct hid_descriptor *d, const struct hid_field *f)
{
	uint32_t run = 0, start = 0, value = 0;
	for (size_t k = 0; k < f->nusages && value < f->count; k++) {
		const struct hid_usages *u = &f->usages[k];
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

static bool readable(const struct hid_field *f)
{
	return f->kind == HID_INPUT && f->flags & HID_VARIABLE && !(f->flags & HID_CONSTANT) && f->nusages &&
	       f->bit_size >= 1 && f->bit_size <= 63;
}

/* Chooses the path: direct loads when every number allows them. */
static void finish(struct hid_plan_report *r)
{
	uint32_t end = 0, last = 0, direct = 1;
	r->words = 1;
	for (uint32_t i = 0; i < HID_PLAN_VALUES; i++) {
		const struct hid_bits *b = &r->bits[i];
		if (!b->size)
			continue;
		last = i;
		direct &= b->direct != 0;
		r->words &= b->direct == 2;
		if (b->byte + b->direct > end)
			end = b->byte + b->direct;
	}
	if (r->has & HID_RESET) {
		direct &= r->reset.direct != 0;
		if (r->reset.byte + r->reset.direct > end)
			end = r->reset.byte + r->reset.direct;
	}
	r->pairs = last / 2 + 1;
	r->direct_bytes = direct ? end : 0;
}

int hid_plan_compile(struct hid_plan *plan, const struct hid_descriptor *d, char *why, size_t why_size)
{
	struct hid_plan_report r;
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
	snprintf(why, why_size, "no rotation vector (usage 0020:0544, three values) in any input report");
	return -1;
}

/* ---- decode -------------------------------------------------------------------------------------------- */

typedef double pair __attribute__((vector_size(16))); /* two divisions cost what one costs */

static inline uint32_t load16(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t load32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline int64_t with_sign(uint64_t raw, const struct hid_bits *b)
{
	uint64_t sign = (uint64_t)b->is_signed << (b->size - 1);
	return (int64_t)((raw ^ sign) - sign);
}

/* Any bits: eight bytes and a ninth; what is past the end is zero. size 0 gives 0. */
static int64_t general(const uint8_t *data, size_t size, const struct hid_bits *b)
{
	uint64_t low = 0, high = 0;
	if (!b->size)
		return 0;
	for (uint32_t i = 0; i < 8 && b->byte + i < size; i++)
		low |= (uint64_t)data[b->byte + i] << 8 * i;
	if (b->byte + 8 < size)
		high = data[b->byte + 8];
	low = low >> b->shift | (b->shift ? high << (64 - b->shift) : 0);
	return with_sign(low & ((UINT64_C(1) << b->size) - 1), b);
}

static int64_t direct(const uint8_t *data, const struct hid_bits *b)
{
	switch (b->direct) {
	case 1:
		return b->is_signed ? (int8_t)data[b->byte] : data[b->byte];
	case 2:
		return b->is_signed ? (int16_t)load16(data + b->byte) : (int32_t)load16(data + b->byte);
	case 4:
		return b->is_signed ? (int64_t)(int32_t)load32(data + b->byte) : (int64_t)load32(data + b->byte);
	default:
		return 0;
	}
}

static inline pair load(const double *p)
{
	pair v;
	memcpy(&v, p, sizeof v);
	return v;
}

static inline void scale(const struct hid_plan_report *r, uint32_t i, pair raw, double *out)
{
	pair f = (raw - load(r->lmin + i)) / load(r->range + i);
	pair v = (load(r->pmin + i) + f * load(r->span + i)) * load(r->scale + i);
	memcpy(out + i, &v, sizeof v);
}

/* Every number is 16 bits wide or not there at all; one that is not there has a span of 0 and any bits do. */
static inline double word(const uint8_t *data, const struct hid_bits *b)
{
	uint32_t sign = (uint32_t)b->is_signed << 15;
	return (double)(int32_t)((load16(data + b->byte) ^ sign) - sign);
}

int hid_plan_decode(const struct hid_plan *plan, const uint8_t *data, size_t size, struct hid_values *out)
{
	if (plan->uses_ids && !size)
		return 0;
	uint32_t which = plan->of_id[plan->uses_ids ? data[0] : 0];
	if (!which)
		return 0;
	const struct hid_plan_report *r = &plan->report[which - 1];
	uint32_t end = 2 * r->pairs;
	out->has = r->has;
	if (r->direct_bytes && size >= r->direct_bytes) {
		out->reset = (uint32_t)direct(data, &r->reset) & 0xff;
		if (r->words)
			for (uint32_t i = 0; i < end; i += 2)
				scale(r, i, (pair){ word(data, &r->bits[i]), word(data, &r->bits[i + 1]) }, out->v);
		else
			for (uint32_t i = 0; i < end; i += 2)
				scale(
				    r, i,
				    (pair){ (double)direct(data, &r->bits[i]), (double)direct(data, &r->bits[i + 1]) },
				    out->v);
	} else {
		out->reset = (uint32_t)general(data, size, &r->reset) & 0xff;
		for (uint32_t i = 0; i < end; i += 2)
			scale(r, i,
			      (pair){ (double)general(data, size, &r->bits[i]),
			              (double)general(data, size, &r->bits[i + 1]) },
			      out->v);
	}
	for (uint32_t i = end; i < HID_PLAN_VALUES; i++)
		out->v[i] = 0;
	return 1;
}
