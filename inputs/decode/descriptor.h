/* SPDX-License-Identifier: MIT
 * descriptor.h - HID report descriptor (HID 1.11, 6.2.2) to a flat list of fields. */
#ifndef HID_DESCRIPTOR_H
#define HID_DESCRIPTOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hp_hid_kind { HID_INPUT, HID_OUTPUT, HID_FEATURE };

/* hp_hid_field.flags, HID 1.11 6.2.2.5 */
enum { HID_CONSTANT = 1u << 0, HID_VARIABLE = 1u << 1, HID_RELATIVE = 1u << 2 };

/* What a descriptor may ask for: the limits of the Linux kernel (HID_MAX_USAGES, HID_MAX_BUFFER_SIZE ...). */
enum {
	HID_MAX_BITS = 256,        /* of one value                                       */
	HID_MAX_COUNT = 12288,     /* values of one field, and usages in front of it     */
	HID_MAX_REPORT = 16383,    /* bytes of one report without its ID                 */
	HID_MAX_PUSHES = 64,       /* open at the same time                              */
	HID_MAX_DESCRIPTOR = 65535 /* bytes; the size is 16 bits wide wherever it is sent */
};

/* A run of usages: page << 16 | id, first to last, each `repeat` times (repeat > 1 only when first == last). */
struct hp_hid_usages {
	uint32_t first, last, repeat;
};
/* One main item that carries data; without usages it is padding. */
struct hp_hid_field {
	enum hp_hid_kind kind;
	uint8_t report_id;   /* 0 = the device uses none                                         */
	uint32_t flags;      /* data of the main item, bits as in HID 1.11 6.2.2.5                */
	uint32_t bit_offset; /* from the start of the report's data; the ID byte is not counted   */
	uint32_t bit_size;   /* of one value, 0 to HID_MAX_BITS                                   */
	uint32_t count;      /* values, 0 to HID_MAX_COUNT                                        */
	int64_t logical_min, logical_max, physical_min, physical_max;
	int32_t unit_exponent; /* -8 to 7 */
	uint32_t unit;
	uint32_t app_usage, logical_usage,
	    physical_usage; /* of the innermost enclosing collection of that type; 0 = none */
	int32_t collection; /* index into collections; -1 = none */
	const struct hp_hid_usages *usages;
	size_t nusages; /* runs; 0 = padding */
};
struct hp_hid_collection {
	int32_t parent; /* -1 = none */
	uint32_t type, usage, level;
};
struct hp_hid_report {
	enum hp_hid_kind kind;
	uint8_t id;
	uint32_t bits; /* whole report without the ID byte */
};
/* Zero it before use. */
struct hp_hid_descriptor {
	struct hp_hid_field *fields; /* in the order of the descriptor */
	size_t nfields;
	struct hp_hid_collection *collections; /* in the order of the descriptor */
	size_t ncollections;
	struct hp_hid_report *reports; /* in the order of their first field */
	size_t nreports;
	bool uses_ids; /* the descriptor has a report ID item: every report begins with its ID */
	void *memory;  /* private */
};

/* Parses. Returns 0, or -1 with one sentence in why that names the byte offset, and an empty *d. Memory is
 * bounded by the size of the input; what is missing at the end of a descriptor is an error. [any] */
int hp_hid_descriptor_parse(struct hp_hid_descriptor *d, const uint8_t *data, size_t size, char *why, size_t why_size);
/* Frees what parse made; may be called twice. */
void hp_hid_descriptor_free(struct hp_hid_descriptor *d);
/* Usage of value i of a variable field (the last one repeats), or selector i of an array; 0 = none. */
uint32_t hp_hid_field_usage(const struct hp_hid_field *f, uint32_t i);
/* Bytes of the longest report of a kind, with its ID byte where there are IDs. */
size_t hp_hid_descriptor_longest(const struct hp_hid_descriptor *d, enum hp_hid_kind kind);
#endif
