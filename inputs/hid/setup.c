/* SPDX-License-Identifier: MIT
 * setup.c - what wakes a head tracker up: report interval, transport, power, reporting state. A fresh sensor is
 * silent until it was told. */
#include "hid.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { UNIT_SECOND = 0x1001 }; /* HID 1.11, 6.2.2.7 */

static struct hp_hid_feature *feature_of(const struct hp_hid_features *f, uint8_t id)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->at[i].id == id)
			return &f->at[i];
	return NULL;
}

static uint64_t get_bits(const struct hp_hid_feature *r, uint64_t bit, uint32_t size)
{
	uint64_t v = 0;
	for (uint32_t i = 0; i < size && i < 64; i++, bit++)
		if (bit / 8 < r->size)
			v |= (uint64_t)(r->data[bit / 8] >> bit % 8 & 1) << i;
	return v;
}

static void put_bits(struct hp_hid_feature *r, uint64_t bit, uint32_t size, uint64_t v)
{
	for (uint32_t i = 0; i < size && i < 64; i++, bit++) {
		if (bit / 8 >= r->size)
			return;
		uint8_t mask = (uint8_t)(1u << bit % 8);
		if (v >> i & 1)
			r->data[bit / 8] |= mask;
		else
			r->data[bit / 8] &= (uint8_t)~mask;
	}
}

/* Position of a usage among those of a field; -1 = not there. */
static int64_t usage_index(const struct hp_hid_field *x, uint32_t usage)
{
	uint64_t at = 0;
	for (size_t i = 0; i < x->nusages; i++) {
		const struct hp_hid_usages *u = &x->usages[i];
		if (usage >= u->first && usage <= u->last)
			return (int64_t)(at + (usage - u->first));
		at += u->first == u->last ? u->repeat : (uint64_t)u->last - u->first + 1;
	}
	return -1;
}

/* Chooses one selector of a named array (HID 1.11, 6.2.2.5): the value is the logical minimum plus its place in the
 * list. Some firmware declares one bit per selector instead. */
static bool choose(struct hp_hid_setup *s, struct hp_hid_features *f, const struct hp_hid_descriptor *d, uint32_t usage)
{
	for (size_t i = 0; i < d->nfields; i++) {
		const struct hp_hid_field *x = &d->fields[i];
		int64_t at = x->kind == HID_FEATURE ? usage_index(x, usage) : -1;
		struct hp_hid_feature *r = at >= 0 ? feature_of(f, x->report_id) : NULL;
		if (!r || !x->count || x->flags & HID_CONSTANT)
			continue;
		bool several = x->nusages > 1 || (x->nusages == 1 && x->usages[0].first != x->usages[0].last);
		if (x->flags & HID_VARIABLE && several) {
			if (at >= x->count)
				continue;
			for (uint32_t k = 0; k < x->count; k++)
				put_bits(r, x->bit_offset + (uint64_t)k * x->bit_size, x->bit_size, k == (uint64_t)at);
		} else {
			put_bits(r, x->bit_offset, x->bit_size, (uint64_t)(x->logical_min + at));
		}
		s->changed[x->report_id] = true;
		return true;
	}
	return false;
}

static const struct hp_hid_field *interval_field(const struct hp_hid_features *f, const struct hp_hid_descriptor *d)
{
	for (size_t i = 0; i < d->nfields; i++) {
		const struct hp_hid_field *x = &d->fields[i];
		if (x->kind == HID_FEATURE && x->count && !(x->flags & HID_CONSTANT) &&
		    usage_index(x, HP_USAGE_REPORT_INTERVAL) >= 0 && feature_of(f, x->report_id))
			return x;
	}
	return NULL;
}

/* Milliseconds of the field's physical unit: seconds when it says so, else milliseconds (HID Usage Tables, 4.3.1). */
static double unit_ms(const struct hp_hid_field *x)
{
	return pow(10, x->unit_exponent) * (x->unit == UNIT_SECOND ? 1000 : 1);
}

static double raw_to_ms(const struct hp_hid_field *x, double raw)
{
	double lmin = (double)x->logical_min, lmax = (double)x->logical_max;
	double pmin = (double)x->physical_min, pmax = (double)x->physical_max;
	if (lmax == lmin || (x->physical_min == 0 && x->physical_max == 0))
		return raw * unit_ms(x);
	return (pmin + (raw - lmin) / (lmax - lmin) * (pmax - pmin)) * unit_ms(x);
}

static void set_interval(struct hp_hid_setup *s, struct hp_hid_features *f, const struct hp_hid_descriptor *d,
                         double ms)
{
	const struct hp_hid_field *x = interval_field(f, d);
	if (!x || x->logical_max < x->logical_min)
		return;
	double lmin = (double)x->logical_min, lmax = (double)x->logical_max;
	double at_min = raw_to_ms(x, lmin), at_max = raw_to_ms(x, lmax), raw = lmin;
	if (at_max != at_min) {
		raw = lmin + (ms - at_min) / (at_max - at_min) * (lmax - lmin);
		/* half way between two steps the faster one wins */
		raw = at_max > at_min ? ceil(raw - 0.5) : floor(raw + 0.5);
		raw = raw < lmin ? lmin : raw > lmax ? lmax : raw;
	}
	put_bits(feature_of(f, x->report_id), x->bit_offset, x->bit_size, (uint64_t)(int64_t)raw);
	s->changed[x->report_id] = s->interval = true;
	s->interval_ms = raw_to_ms(x, raw);
	s->interval_min_ms = at_min < at_max ? at_min : at_max;
	s->interval_max_ms = at_min < at_max ? at_max : at_min;
}

void hp_hid_setup_edit(struct hp_hid_setup *s, struct hp_hid_features *f, const struct hp_hid_descriptor *d,
                       double interval_ms)
{
	memset(s, 0, sizeof *s);
	set_interval(s, f, d, interval_ms);
#define HP_SELECTOR(name, usage, member, ...) s->member = choose(s, f, d, usage);
#include "inputs/decode/usages.def"
}

/* Compares what the device says now with what was written, field by field, writable fields only. */
static void compare(const struct hp_hid_feature *want, const uint8_t *got, size_t n, const struct hp_hid_descriptor *d,
                    void (*say)(void *, enum hp_level, const char *), void *arg)
{
	uint8_t copy[HID_REPORT_MAX] = { 0 };
	size_t skip = want->id || n != want->size ? 1 : 0;
	if (n <= skip)
		return;
	memcpy(copy, got + skip, n - skip < want->size ? n - skip : want->size);
	struct hp_hid_feature have = { .id = want->id, .size = want->size, .data = copy };
	static const struct {
		uint32_t usage;
		const char *text;
	} names[] = {
#define HP_SELECTOR(name, usage, member, field, what, value, refused) { usage, refused },
#include "inputs/decode/usages.def"
		{ HP_USAGE_REPORT_INTERVAL, "did not accept the report interval" }
	};
	for (size_t i = 0; i < d->nfields; i++) {
		const struct hp_hid_field *x = &d->fields[i];
		if (x->kind != HID_FEATURE || x->report_id != want->id || x->flags & HID_CONSTANT)
			continue;
		bool same = true;
		for (uint32_t k = 0; k < x->count && same; k++) {
			uint64_t bit = x->bit_offset + (uint64_t)k * x->bit_size;
			same = get_bits(want, bit, x->bit_size) == get_bits(&have, bit, x->bit_size);
		}
		for (size_t k = 0; !same && k < sizeof names / sizeof *names; k++)
			if (usage_index(x, names[k].usage) >= 0)
				say(arg, HP_LOG_WARN, names[k].text);
	}
}

static bool write_one(const struct hp_hid_feature *r, hid_device *dev, const struct hp_hid_descriptor *d,
                      void (*say)(void *, enum hp_level, const char *), void *arg)
{
	/* the ID, or a zero where the device has none */
	uint8_t buf[HID_REPORT_MAX + 1] = { r->id };
	char text[320], why[200];
	memcpy(buf + 1, r->data, r->size);
	if (hid_send_feature_report(dev, buf, (size_t)r->size + 1) < 0) {
		hp_hid_error_text(dev, why, sizeof why);
		snprintf(text, sizeof text, "refused the start-up settings (feature report %u: %s)", r->id, why);
		say(arg, HP_LOG_WARN, text);
		return false;
	}
	memset(buf, 0, (size_t)r->size + 1);
	buf[0] = r->id;
	int n = hid_get_feature_report(dev, buf, (size_t)r->size + 1);
	if (n < 0)
		say(arg, HP_LOG_DEBUG, "does not let its settings be read back");
	else
		compare(r, buf, (size_t)n, d, say, arg);
	return true;
}

int hp_hid_setup_write(const struct hp_hid_setup *s, const struct hp_hid_features *f, hid_device *dev,
                       const struct hp_hid_descriptor *d, void (*say)(void *, enum hp_level, const char *), void *arg)
{
	int taken = 0;
	/* "all events" starts the stream, so the report that holds it comes last */
	int last = -1;
	for (size_t i = 0; i < d->nfields; i++)
		if (d->fields[i].kind == HID_FEATURE && s->changed[d->fields[i].report_id] &&
		    usage_index(&d->fields[i], HP_USAGE_ALL_EVENTS) >= 0)
			last = d->fields[i].report_id;
	for (size_t i = 0; i < f->n; i++)
		if (s->changed[f->at[i].id] && f->at[i].id != last)
			taken += write_one(&f->at[i], dev, d, say, arg);
	const struct hp_hid_feature *r = last >= 0 ? feature_of(f, (uint8_t)last) : NULL;
	if (r)
		taken += write_one(r, dev, d, say, arg);
	return taken;
}
