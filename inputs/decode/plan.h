/* SPDX-License-Identifier: MIT
 * plan.h - what to read from a head tracker's input reports: compiled once from the descriptor, then a report
 * costs a handful of loads. Fixed size, no pointers, no heap; may be copied.
 *
 * Values are the reference's, to the last bit: bits past the end of the report are zero, nothing is clamped,
 * value = (pmin + (raw - lmin) / (lmax - lmin) * (pmax - pmin)) * 10^exponent in doubles, or the raw number when
 * there is no logical or no physical range. docs/decode.md has the whole rule. */
#ifndef HID_PLAN_H
#define HID_PLAN_H
#include "descriptor.h"
#include "usages.h"

enum {
	HID_PLAN_REPORTS = 8,                           /* report IDs that may carry a rotation vector      */
	HID_PLAN_VALUES = HID_NUMBERS + HID_NUMBERS % 2 /* of usages.def, in pairs         */
};

/* Where the bits of one number are. size 0: the number is 0. */
struct hp_hid_bits {
	uint16_t byte; /* of the lowest bit, the ID byte counted */
	uint8_t shift; /* of that bit in its byte, 0 to 7        */
	uint8_t size;  /* 0 to 63                                */
	uint8_t is_signed;
	uint8_t direct; /* bytes when the number is byte-aligned and 1, 2 or 4 bytes wide; 0 = the general path */
};
struct hp_hid_plan_report {
	uint32_t has;                  /* HID_ROTATION ...                                                         */
	uint32_t pairs;                /* of values that are used                                                   */
	uint32_t direct_bytes;         /* a report this long is read by direct loads; UINT32_MAX = none is          */
	uint32_t words;                /* the direct path may take every value as a signed 16-bit one               */
	uint32_t reach;                /* bytes that nine-byte loads of the general path touch                      */
	uint16_t reset_at, reset_mask; /* the low byte of the reset counter, for the direct path     */
	uint16_t at[HID_PLAN_VALUES];  /* byte of each value, for words                              */
	struct hp_hid_bits bits[HID_PLAN_VALUES]; /* in the order of usages.def                                 */
	struct hp_hid_bits reset;
	_Alignas(16) double lmin[HID_PLAN_VALUES]; /* logical minimum; */
	double range[HID_PLAN_VALUES];             /* maximum - minimum */
	double pmin[HID_PLAN_VALUES];              /* physical minimum */
	double span[HID_PLAN_VALUES];              /* maximum - minimum */
	double scale[HID_PLAN_VALUES];             /* power of ten */
};
struct hp_hid_plan {
	uint8_t uses_ids;
	uint8_t nreports;
	uint8_t of_id[256]; /* 1 + index into report; 0 = no rotation vector in reports of this ID */
	struct hp_hid_plan_report report[HID_PLAN_REPORTS];
};
struct hp_hid_values {
	_Alignas(16) double v[HID_PLAN_VALUES]; /* HID_AT_ROTATION (rad), HID_AT_GYRO (rad/s) ...; 0 when absent */
	uint32_t has;   /* HID_ROTATION ...                                                          */
	uint32_t reset; /* 0 to 255                                                                  */
};

/* Compiles. Returns 0, or -1 with one sentence in why: no rotation vector, or more than the plan holds. */
int hp_hid_plan_compile(struct hp_hid_plan *plan, const struct hp_hid_descriptor *d, char *why, size_t why_size);
/* One input report, with its ID byte where there are IDs; may be short or long. Returns 1 with *out filled, or 0
 * when it carries no rotation vector. No allocation. [any] */
int hp_hid_plan_decode(const struct hp_hid_plan *plan, const uint8_t *data, size_t size, struct hp_hid_values *out);
#endif
