/* SPDX-License-Identifier: MIT
 * fuzz_report.c - any device and any report: the plan reads what the plain per-bit reading does.
 * Input: one byte n, n bytes of descriptor, the report. */
#include "../plain/plain_hid.c"
#include "inputs/decode/plan.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(const double *a, const double *b)
{
	return memcmp(a, b, 3 * sizeof *a) == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hp_hid_descriptor d;
	struct hp_hid_plan plan;
	struct hp_hid_values have;
	char why[200];
	if (size < 1 || size - 1 < data[0])
		return 0;
	const uint8_t *report = data + 1 + data[0];
	size_t length = size - 1 - data[0];
	if (hp_hid_descriptor_parse(&d, data + 1, data[0], why, sizeof why))
		return 0;
	uint64_t values = 0;
	for (size_t i = 0; i < d.nfields; i++)
		values += d.fields[i].count;
	/* the plain reading takes its time */
	if (values < 2000 && hp_hid_plan_compile(&plan, &d, why, sizeof why) == 0) {
		struct plain_pose want = plain_report(&d, report, length);
		memset(&have, 0xa5, sizeof have);
		int got = hp_hid_plan_decode(&plan, report, length, &have);
		if (got != want.has_rotation)
			abort();
		if (got && (!same(have.v, want.rotation) || !same(have.v + 3, want.gyro) ||
		            !same(have.v + 6, want.accel) || have.reset != want.reset ||
		            !(have.has & HID_GYRO) != !want.has_gyro || !(have.has & HID_ACCEL) != !want.has_accel))
			abort();
	}
	hp_hid_descriptor_free(&d);
	return 0;
}
