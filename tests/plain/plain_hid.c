/* SPDX-License-Identifier: MIT
 * plain_hid.c - reports read one bit at a time, value by value, with pow() for the exponent. */
#include "plain_hid.h"

#include <math.h>
#include <string.h>

int64_t plain_bits(const uint8_t *data, size_t bytes, uint64_t first, unsigned size, bool is_signed)
{
	uint64_t raw = 0;
	for (unsigned i = 0; i < size; i++) {
		uint64_t bit = first + i;
		if (bit / 8 < bytes && data[bit / 8] >> bit % 8 & 1)
			raw |= UINT64_C(1) << i;
	}
	if (is_signed && raw >> (size - 1) & 1)
		return (int64_t)(raw - (UINT64_C(1) << size));
	return (int64_t)raw;
}

double plain_scale(int64_t raw, int64_t lmin, int64_t lmax, int64_t pmin, int64_t pmax, int exponent)
{
	if (lmin == lmax || (pmin == 0 && pmax == 0))
		return (double)raw;
	double fraction = ((double)raw - (double)lmin) / ((double)lmax - (double)lmin);
	return ((double)pmin + fraction * ((double)pmax - (double)pmin)) * pow(10.0, exponent);
}

static double value(const struct hp_hid_field *f, const uint8_t *data, size_t bytes, uint32_t i)
{
	int64_t raw =
	    plain_bits(data, bytes, f->bit_offset + (uint64_t)i * f->bit_size, f->bit_size, f->logical_min < 0);
	return plain_scale(raw, f->logical_min, f->logical_max, f->physical_min, f->physical_max, f->unit_exponent);
}

/* Three values of the same usage in a row, the first of them new: a vector. */
static bool vector(const struct hp_hid_field *f, uint32_t i, uint32_t usage)
{
	return (i == 0 || hp_hid_field_usage(f, i - 1) != usage) && i + 2 < f->count &&
	       hp_hid_field_usage(f, i + 1) == usage && hp_hid_field_usage(f, i + 2) == usage;
}

static void take(struct plain_pose *p, const struct hp_hid_field *f, const uint8_t *data, size_t bytes)
{
	for (uint32_t i = 0; i < f->count; i++) {
		uint32_t usage = hp_hid_field_usage(f, i);
		bool first = i == 0 || hp_hid_field_usage(f, i - 1) != usage;
		double *to = NULL;
		bool *has = NULL;
		switch (usage) {
		case 0x200544:
			to = p->rotation;
			has = &p->has_rotation;
			break;
		case 0x200545:
		case 0x200456:
			to = p->gyro;
			has = &p->has_gyro;
			break;
		case 0x200452:
			to = p->accel;
			has = &p->has_accel;
			break;
		case 0x200457:
		case 0x200458:
		case 0x200459:
			if (first) {
				p->gyro[usage - 0x200457] = value(f, data, bytes, i);
				p->has_gyro = true;
			}
			break;
		case 0x200453:
		case 0x200454:
		case 0x200455:
			if (first) {
				p->accel[usage - 0x200453] = value(f, data, bytes, i);
				p->has_accel = true;
			}
			break;
		case 0x200546:
			if (first)
				p->reset = (uint32_t)(plain_bits(data, bytes, f->bit_offset + (uint64_t)i * f->bit_size,
				                                 f->bit_size, false) &
				                      0xff);
			break;
		}
		if (to && vector(f, i, usage)) {
			*has = true;
			for (uint32_t k = 0; k < 3; k++)
				to[k] = value(f, data, bytes, i + k);
		}
	}
}

struct plain_pose plain_report(const struct hp_hid_descriptor *d, const uint8_t *report, size_t size)
{
	struct plain_pose p;
	memset(&p, 0, sizeof p);
	if (d->uses_ids && !size)
		return p;
	for (size_t k = 0; k < d->nfields; k++) {
		const struct hp_hid_field *f = &d->fields[k];
		if (f->kind != HID_INPUT || !(f->flags & HID_VARIABLE) || f->flags & HID_CONSTANT || f->bit_size < 1 ||
		    f->bit_size > 63)
			continue;
		if (f->report_id != (d->uses_ids ? report[0] : 0))
			continue;
		take(&p, f, report + d->uses_ids, size - d->uses_ids);
	}
	return p;
}
