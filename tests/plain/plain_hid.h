/* SPDX-License-Identifier: MIT
 * plain_hid.h - a second, deliberately plain reading of HID reports, to judge the fast one by. */
#ifndef PLAIN_HID_H
#define PLAIN_HID_H
#include "inputs/decode/descriptor.h"

/* The number in bits first to first + size - 1 of the data, lowest first, bit by bit; bits past the end are 0.
 * size: 1 to 63. */
int64_t plain_bits(const uint8_t *data, size_t bytes, uint64_t first, unsigned size, bool is_signed);
/* Physical value of a raw number. */
double plain_scale(int64_t raw, int64_t lmin, int64_t lmax, int64_t pmin, int64_t pmax, int exponent);

struct plain_pose {
	bool has_rotation, has_gyro, has_accel;
	double rotation[3], gyro[3], accel[3];
	uint32_t reset;
};
/* What a report says, found by walking the whole descriptor value by value. */
struct plain_pose plain_report(const struct hp_hid_descriptor *d, const uint8_t *report, size_t size);
#endif
