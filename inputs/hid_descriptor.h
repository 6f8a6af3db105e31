/* SPDX-License-Identifier: MIT
 * hid_descriptor.h - HID report descriptor (HID 1.11, 6.2.2) to a flat list of fields. */
#ifndef HID_DESCRIPTOR_H
#define HID_DESCRIPTOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hid_kind { HID_INPUT, HID_OUTPUT, HID_FEATURE };

/* A run of usages: page << 16 | id, first to last, each `repeat` times (repeat > 1 only when first == last). */
struct hid_usages {
	uint32_t first, last, repeat;
};
/* One main item that carries data. */
struct hid_field {
	enum hid_kind kind;
	uint8_t report_id;    /* 0 = the device uses none                                         */
	uint32_t flags;       /* data of the main item, bits as in HID 1.11 6.2.2.5                */
	uint32_t bit_offset;  /* from the start of the report's data; the ID byte is not counted   */
	uint32_t bit_size;    /* of one value                                                      */
	uint32_t count;       /* values                                                            */
	int64_t logical_min, logical_max, physical_min, physical_max;
	int32_t unit_exponent; /* -8 to 7 */
	uint32_t unit;
	uint32_t app_usage, logical_usage, physical_usage; /* of the enclosing collections; 0 = none */
	int32_t collection;   /* index into collections; -1 = none                                 */
	const struct hid_usages *usages;
	size_t nusages;
};
struct hid_collection {
	int32_t parent; /* -1 = none */
	uint32_t type, usage, level;
};
struct hid_report {
	enum hid_kind kind;
	uint8_t id;
	uint32_t bits; /* whole report without the ID byte */
};
/* Zero it before use. */
struct hid_descriptor {
	struct hid_field *fields; /* in the order of the descriptor */
	size_t nfields;
	struct hid_collection *collections;
	size_t ncollections;
	struct hid_report *reports;
	size_t nreports;
	bool uses_ids;
	void *memory; /* private */
};

/* Parses. Returns 0, or -1 with one sentence in why that names the byte offset. Memory is bounded by the size
 * of the input; what is missing at the end of a descriptor is an error. */
int hid_descriptor_parse(struct hid_descriptor *, const uint8_t *data, size_t size, char *why, size_t why_size);
void hid_descriptor_free(struct hid_descriptor *);
/* Usage of value i of a variable field (the last one repeats), or selector i of an array; 0 = none. */
uint32_t hid_field_usage(const struct hid_field *, uint32_t i);
/* Bytes of the longest report of a kind, with its ID byte where there are IDs. */
size_t hid_descriptor_longest(const struct hid_descriptor *, enum hid_kind);
#endif
