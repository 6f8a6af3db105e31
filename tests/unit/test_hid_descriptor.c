/* SPDX-License-Identifier: MIT
 * test_hid_descriptor.c - items of a report descriptor one by one, and descriptors that go wrong. */
#include "../plain/random.h"
#include "inputs/decode/descriptor.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct hp_hid_descriptor d;
static char why[200];

static int parse_bytes(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1); /* so that a sanitizer sees a byte too far */
	hp_hid_descriptor_free(&d);
	*why = 0;
	memcpy(exact, data, size);
	int rc = hp_hid_descriptor_parse(&d, exact, size, why, sizeof why);
	free(exact);
	return rc;
}

/* From hex with blanks. */
static int parse(const char *hex)
{
	uint8_t bytes[1024];
	size_t n = 0;
	for (; *hex; hex += 2 + (hex[2] == ' '))
		bytes[n++] = (uint8_t)strtoul((char[]){ hex[0], hex[1], 0 }, NULL, 16);
	return parse_bytes(bytes, n);
}

static void good(const char *hex)
{
	if (parse(hex))
		fail_msg("%s: %s", hex, why);
}

static void wrong(const char *hex, const char *sentence)
{
	assert_int_equal(parse(hex), -1);
	assert_string_equal(why, sentence);
	assert_null(d.fields);
	assert_int_equal(d.nfields, 0);
}

static void test_mouse(void **state)
{
	(void)state;
	good("05 01 09 02 a1 01 09 01 a1 00 05 09 19 01 29 03 15 00 25 01 95 03 75 01 81 02 95 01 75 05 81 03 "
	     "05 01 09 30 09 31 15 81 25 7f 75 08 95 02 81 06 c0 c0");
	assert_int_equal(d.nfields, 3);
	assert_int_equal(d.ncollections, 2);
	assert_int_equal(d.nreports, 1);
	assert_false(d.uses_ids);
	assert_int_equal(d.reports[0].bits, 24);
	assert_int_equal(hp_hid_descriptor_longest(&d, HID_INPUT), 3);
	assert_int_equal(hp_hid_descriptor_longest(&d, HID_FEATURE), 0);
	const struct hp_hid_field *f = d.fields;
	assert_int_equal(f[0].count, 3);
	assert_int_equal(f[0].app_usage, 0x10002);
	assert_int_equal(f[0].physical_usage, 0x10001);
	assert_int_equal(f[0].collection, 1);
	assert_int_equal(hp_hid_field_usage(&f[0], 0), 0x90001);
	assert_int_equal(hp_hid_field_usage(&f[0], 2), 0x90003);
	assert_int_equal(hp_hid_field_usage(&f[0], 9), 0x90003);
	assert_int_equal(f[1].nusages, 0); /* padding */
	assert_int_equal(f[1].bit_offset, 3);
	assert_int_equal(f[2].bit_offset, 8);
	assert_true(f[2].logical_min == -127 && f[2].logical_max == 127);
	assert_int_equal(f[2].flags, HID_VARIABLE | HID_RELATIVE);
	assert_int_equal(hp_hid_field_usage(&f[2], 1), 0x10031);
	assert_int_equal(d.collections[1].parent, 0);
	assert_int_equal(d.collections[1].level, 1);
}

static void test_ranges(void **state)
{
	(void)state;
	/* a maximum is unsigned when its minimum is not negative, each pair for itself */
	good("15 00 25 ff 35 ff 45 ff 75 08 95 01 09 01 81 02");
	assert_true(d.fields[0].logical_max == 255 && d.fields[0].physical_min == -1 && d.fields[0].physical_max == -1);
	good("17 00 00 00 80 27 ff ff ff 7f 75 20 95 01 09 01 81 02");
	assert_true(d.fields[0].logical_min == INT32_MIN && d.fields[0].logical_max == INT32_MAX);
	good("15 00 27 ff ff ff ff 75 20 95 01 09 01 81 02");
	assert_true(d.fields[0].logical_max == UINT32_MAX);
	/* the unit exponent is a nibble; a signed byte ends in the same one */
	good("55 0e 09 01 81 02 55 fd 09 01 81 02 55 07 09 01 81 02 55 08 09 01 81 02");
	assert_int_equal(d.fields[0].unit_exponent, -2);
	assert_int_equal(d.fields[1].unit_exponent, -3);
	assert_int_equal(d.fields[2].unit_exponent, 7);
	assert_int_equal(d.fields[3].unit_exponent, -8);
	/* an item without data is zero */
	good("15 ff 14 25 7f 24 74 94 09 01 80");
	assert_true(d.fields[0].logical_min == 0 && d.fields[0].logical_max == 0);
	assert_int_equal(d.fields[0].flags, 0);
	/* push saves all global items, pop restores them, the report ID too */
	good("85 01 05 20 75 10 95 03 55 0c 66 01 10 a4 85 02 05 0d 75 08 95 01 55 00 65 00 b4 09 01 81 02");
	assert_int_equal(d.fields[0].report_id, 1);
	assert_int_equal(d.fields[0].bit_size, 16);
	assert_int_equal(d.fields[0].count, 3);
	assert_int_equal(d.fields[0].unit_exponent, -4);
	assert_int_equal(d.fields[0].unit, 0x1001);
	assert_int_equal(hp_hid_field_usage(&d.fields[0], 0), 0x200001);
}

static void test_usages(void **state)
{
	(void)state;
	/* the page at the main item counts, unless the usage brings its own */
	good("05 20 09 01 0b 02 00 0d 00 0a 44 05 05 30 75 08 95 03 81 02");
	assert_int_equal(hp_hid_field_usage(&d.fields[0], 0), 0x300001);
	assert_int_equal(hp_hid_field_usage(&d.fields[0], 1), 0x0d0002);
	assert_int_equal(hp_hid_field_usage(&d.fields[0], 2), 0x300544);
	/* but pages mixed on purpose stay */
	good("05 20 09 01 05 30 09 02 75 08 95 02 81 02");
	assert_int_equal(hp_hid_field_usage(&d.fields[0], 0), 0x200001);
	assert_int_equal(hp_hid_field_usage(&d.fields[0], 1), 0x300002);
	/* usages and ranges in their order; a page in one half of a range is the page of both */
	good("05 09 09 07 19 01 29 03 09 07 09 07 1b 02 00 01 00 29 03 75 01 95 08 81 02");
	static const uint32_t want[] = {
		0x90007, 0x90001, 0x90002, 0x90003, 0x90007, 0x90007, 0x10002, 0x10003, 0x10003
	};
	for (uint32_t i = 0; i < 9; i++)
		assert_int_equal(hp_hid_field_usage(&d.fields[0], i), want[i]);
	/* an array has selectors and nothing behind them */
	good("05 07 19 e0 29 e7 15 00 25 07 75 08 95 02 81 00");
	assert_int_equal(hp_hid_field_usage(&d.fields[0], 7), 0x700e7);
	assert_int_equal(hp_hid_field_usage(&d.fields[0], 8), 0);
	/* upside down: names nothing */
	good("05 07 19 e7 29 e0 75 08 95 02 81 02");
	assert_int_equal(d.fields[0].nusages, 0);
	/* a range beyond the limit is cut */
	good("05 07 19 01 2a ff ff 75 08 95 02 81 00");
	assert_int_equal(hp_hid_field_usage(&d.fields[0], HID_MAX_COUNT - 1), 0x70000 + HID_MAX_COUNT);
	assert_int_equal(hp_hid_field_usage(&d.fields[0], HID_MAX_COUNT), 0);
	/* local items end with their main item; alternatives in delimiters: the first set counts */
	good("05 20 a9 01 09 01 a9 00 a9 01 09 02 a9 00 75 08 95 01 81 02 81 02");
	assert_int_equal(d.fields[0].nusages, 1);
	assert_int_equal(hp_hid_field_usage(&d.fields[0], 0), 0x200001);
	assert_int_equal(d.fields[1].nusages, 0);
}

static void test_ids(void **state)
{
	(void)state;
	/* offsets go on when a report comes back; kinds are apart; field order is the descriptor's */
	good("75 08 85 01 95 02 09 01 81 02 85 02 95 01 09 02 81 02 09 03 91 02 85 01 95 03 09 04 81 02 85 ff 09 05 b1 "
	     "02");
	assert_true(d.uses_ids);
	assert_int_equal(d.nfields, 5);
	assert_int_equal(d.fields[3].bit_offset, 16);
	assert_int_equal(d.fields[4].report_id, 255);
	assert_int_equal(d.nreports, 4);
	assert_int_equal(d.reports[0].bits, 40);
	assert_int_equal(hp_hid_descriptor_longest(&d, HID_INPUT), 6);
	assert_int_equal(hp_hid_descriptor_longest(&d, HID_OUTPUT), 2);
	assert_int_equal(hp_hid_descriptor_longest(&d, HID_FEATURE), 4);
}

static void test_skipped(void **state)
{
	(void)state;
	/* long items; one whose body looks like items; reserved types and tags; zero bytes at the end */
	good("fe 03 f0 aa bb cc 75 08 95 01 09 01 81 02");
	assert_int_equal(d.nfields, 1);
	good("fe 06 f0 75 10 95 02 81 02 75 08 95 01 09 01 81 02");
	assert_int_equal(d.nfields, 1);
	assert_int_equal(d.fields[0].bit_size, 8);
	good("fe 00 f0 0d 11 ed 22 b9 2a d5 01 f5 01 75 08 95 01 09 01 81 02 00 00 00");
	assert_int_equal(d.nfields, 1);
	/* designators and strings */
	good("39 01 49 01 59 02 79 01 89 01 99 02 75 08 95 01 09 01 81 02");
	assert_int_equal(d.nfields, 1);
	/* a range upside down, a value of no bits, no values */
	good("15 0a 25 05 75 00 95 05 09 01 81 02 75 08 95 00 09 01 81 02");
	assert_int_equal(d.reports[0].bits, 0);
	/* collections of any type, with and without a usage */
	good("a1 01 a1 80 a0 c0 c1 00 c0");
	assert_int_equal(d.ncollections, 3);
	assert_int_equal(d.collections[1].type, 0x80);
	assert_int_equal(d.collections[2].level, 2);
}

static void test_wrong(void **state)
{
	(void)state;
	wrong("", "byte 0: the descriptor is empty");
	wrong("05 01 09", "byte 2: the descriptor ends inside an item");
	wrong("05 01 27 00 00 00", "byte 2: the descriptor ends inside an item");
	wrong("fe", "byte 0: the descriptor ends inside a long item");
	wrong("fe 03 f0 aa bb", "byte 0: the descriptor ends inside a long item");
	wrong("a1 01", "byte 2: the descriptor ends inside a collection");
	wrong("c0", "byte 0: an end of collection without a collection");
	wrong("b4", "byte 0: a pop without a push");
	wrong("85 00", "byte 0: report ID 0; it must be 1 to 255");
	wrong("86 00 01", "byte 0: report ID 256; it must be 1 to 255");
	wrong("76 01 01", "byte 0: report size of 257 bits; the limit is 256");
	wrong("96 01 30", "byte 0: report count of 12289; the limit is 12288");
	wrong("97 ff ff ff 7f", "byte 0: report count of 2147483647; the limit is 12288");
	wrong("97 ff ff 00 00", "byte 0: report count of 65535; the limit is 12288");
	wrong("a9 01 a9 01", "byte 2: a delimiter inside a delimiter");
	wrong("a9 00", "byte 0: a delimiter is closed that was not opened");
	wrong("09 01 a9 01", "byte 4: the descriptor ends inside a delimiter");
	wrong("75 80 96 ff 03 81 02 81 02", "byte 7: the report grows to 261888 bits; the limit is 16383 bytes");
	wrong("19 00 2a ff ff 09 01", "byte 5: more than 12288 usages for one field");
}

/* Absurd on purpose: bounded memory, an answer at once. */
static void test_absurd(void **state)
{
	static uint8_t big[70000];
	(void)state;
	memset(big, 0xa4, 1000); /* pushes */
	assert_int_equal(parse_bytes(big, 1000), -1);
	assert_string_equal(why, "byte 64: more than 64 pushes without a pop");
	memset(big, 0xa0, sizeof big); /* collections in collections */
	assert_int_equal(parse_bytes(big, 65535), -1);
	assert_string_equal(why, "byte 65535: the descriptor ends inside a collection");
	memset(big + 30000, 0xc0, 30000);
	assert_int_equal(parse_bytes(big, 60000), 0);
	assert_int_equal(d.ncollections, 30000);
	assert_int_equal(d.collections[29999].level, 29999);
	memset(big, 0x80, sizeof big); /* empty input items */
	assert_int_equal(parse_bytes(big, 65535), 0);
	assert_int_equal(d.nfields, 65535);
	memset(big, 0x08, sizeof big); /* usages: equal ones are one run, and there is a limit */
	assert_int_equal(parse_bytes(big, 12288), 0);
	assert_int_equal(parse_bytes(big, 12289), -1);
	assert_int_equal(parse_bytes(big, 65536), -1);
	assert_string_equal(why, "byte 0: a descriptor of 65536 bytes; the limit is 65535");
	/* a short sentence buffer is respected */
	char little[8] = "1234567";
	assert_int_equal(hp_hid_descriptor_parse(&d, big, 65536, little, 4), -1);
	assert_string_equal(little, "byt");
	assert_string_equal(little + 4, "567");
}

/* Random items: no crash, and what comes out hangs together. */
static void test_random(void **state)
{
	static const uint8_t items[] = { 0x05, 0x09, 0x19, 0x29, 0x15, 0x25, 0x75, 0x95, 0x85, 0x81, 0x91, 0xb1,
		                         0xa1, 0xc0, 0xa4, 0xb4, 0xa9, 0x0a, 0x26, 0x16, 0x0b, 0x2b, 0xfe, 0x00 };
	uint64_t seed = 7;
	int accepted = 0;
	(void)state;
	for (int n = 0; n < 20000; n++) {
		uint8_t bytes[64];
		size_t size = 1 + random_below(&seed, sizeof bytes);
		for (size_t i = 0; i < size; i++)
			bytes[i] = random_below(&seed, 2) ? items[random_below(&seed, sizeof items)]
			                                  : (uint8_t)random_below(&seed, 20);
		if (parse_bytes(bytes, size)) {
			assert_int_equal(strncmp(why, "byte ", 5), 0);
			continue;
		}
		accepted++;
		for (size_t i = 0; i < d.nfields; i++) {
			const struct hp_hid_field *f = &d.fields[i];
			assert_true(f->bit_size <= HID_MAX_BITS && f->count <= HID_MAX_COUNT);
			assert_true(f->collection >= -1 && f->collection < (int32_t)d.ncollections);
			assert_true(f->unit_exponent >= -8 && f->unit_exponent <= 7);
			uint32_t bits = 0;
			for (size_t k = 0; k < d.nreports; k++)
				if (d.reports[k].kind == f->kind && d.reports[k].id == f->report_id)
					bits = d.reports[k].bits;
			assert_true(f->bit_offset + f->bit_size * f->count <= bits);
			hp_hid_field_usage(f, UINT32_MAX);
		}
	}
	assert_true(accepted > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mouse),  cmocka_unit_test(test_ranges),  cmocka_unit_test(test_usages),
		cmocka_unit_test(test_ids),    cmocka_unit_test(test_skipped), cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_absurd), cmocka_unit_test(test_random),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	hp_hid_descriptor_free(&d);
	return rc;
}
