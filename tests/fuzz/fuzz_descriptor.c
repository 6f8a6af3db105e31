/* SPDX-License-Identifier: MIT
 * fuzz_descriptor.c - any bytes as a HID report descriptor: an answer, and a result that hangs together. */
#include "inputs/decode/descriptor.h"
#include "inputs/decode/plan.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool truth)
{
	if (!truth)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_hid_descriptor d;
	struct hp_hid_plan plan;
	char why[200] = "";
	if (hp_hid_descriptor_parse(&d, data, size, why, sizeof why)) {
		need(!strncmp(why, "byte ", 5) && !d.fields && !d.nfields);
		return 0;
	}
	need(!*why && d.nfields <= size && d.ncollections <= size && d.nreports <= 3 * 256);
	for (size_t i = 0; i < d.nfields; i++) {
		const struct hp_hid_field *f = &d.fields[i];
		bool there = false;
		need(f->bit_size <= HID_MAX_BITS && f->count <= HID_MAX_COUNT && f->nusages <= size);
		need(f->collection >= -1 && f->collection < (int32_t)d.ncollections);
		need(f->unit_exponent >= -8 && f->unit_exponent <= 7);
		for (size_t k = 0; k < d.nreports && !there; k++)
			there = d.reports[k].kind == f->kind && d.reports[k].id == f->report_id &&
			        f->bit_offset + f->bit_size * f->count <= d.reports[k].bits;
		need(there);
		for (size_t k = 0; k < f->nusages; k++)
			need(f->usages[k].first <= f->usages[k].last && f->usages[k].repeat > 0);
		hp_hid_field_usage(f, 0);
		hp_hid_field_usage(f, UINT32_MAX);
	}
	for (size_t i = 0; i < d.ncollections; i++)
		need(d.collections[i].parent >= -1 && d.collections[i].parent < (int32_t)i);
	need(hp_hid_descriptor_longest(&d, HID_INPUT) <= HID_MAX_REPORT + 1);
	if (hp_hid_plan_compile(&plan, &d, why, sizeof why) == 0)
		need(plan.nreports >= 1 && plan.nreports <= HID_PLAN_REPORTS);
	hp_hid_descriptor_free(&d);
	return 0;
}
