/* SPDX-License-Identifier: MIT
 * test_hid_plan.c - the decode plan against the plain per-bit reading, on random devices and random reports. */
#include "../plain/plain_hid.h"
#include "../plain/random.h"
#include "inputs/decode/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool same(const double *a, const double *b)
{
	return memcmp(a, b, 3 * sizeof *a) == 0;
}

static void compare(const struct hp_hid_descriptor *d, const struct hp_hid_plan *plan, const uint8_t *report,
                    size_t size, const char *what)
{
	uint8_t *exact = malloc(size ? size : 1); /* so that a sanitizer sees a byte too far */
	struct hp_hid_values have;
	memcpy(exact, report, size);
	memset(&have, 0xa5, sizeof have);
	int got = hp_hid_plan_decode(plan, exact, size, &have);
	struct plain_pose want = plain_report(d, exact, size);
	free(exact);
	if (got != want.has_rotation)
		fail_msg("%s: rotation %d, plain %d", what, got, want.has_rotation);
	if (!got)
		return;
	if (!same(have.v, want.rotation) || !same(have.v + 3, want.gyro) || !same(have.v + 6, want.accel))
		fail_msg("%s: %a %a %a, %a %a %a, %a %a %a; plain %a %a %a, %a %a %a, %a %a %a", what, have.v[0],
		         have.v[1], have.v[2], have.v[3], have.v[4], have.v[5], have.v[6], have.v[7], have.v[8],
		         want.rotation[0], want.rotation[1], want.rotation[2], want.gyro[0], want.gyro[1], want.gyro[2],
		         want.accel[0], want.accel[1], want.accel[2]);
	assert_int_equal(!!(have.has & HID_GYRO), want.has_gyro);
	assert_int_equal(!!(have.has & HID_ACCEL), want.has_accel);
	assert_int_equal(have.reset, want.reset);
}

static uint64_t seed = 1;
static uint32_t below(uint32_t n)
{
	return (uint32_t)random_below(&seed, n);
}

static size_t put(uint8_t *at, uint8_t prefix, uint32_t value, unsigned size)
{
	at[0] = (uint8_t)(prefix | (size == 4 ? 3 : size));
	for (unsigned i = 0; i < size; i++)
		at[1 + i] = (uint8_t)(value >> 8 * i);
	return 1 + size;
}

/* Some head tracker: aligned words mostly, any bits often enough, fields in any order, more than once, elsewhere. */
static size_t device(uint8_t *out)
{
	static const uint16_t usages[] = { 0x544, 0x544, 0x545, 0x456, 0x457, 0x458, 0x459,
		                           0x452, 0x453, 0x454, 0x455, 0x546, 0x546, 0x30 };
	static const uint8_t sizes[] = { 16, 16, 16, 8, 32 };
	size_t n = put(out, 0x04, 0x20, 1);
	bool ids = below(2), words = below(2);
	uint32_t fields = 1 + below(7), id = 1;
	if (ids)
		n += put(out + n, 0x84, id, 1);
	for (uint32_t i = 0; i < fields; i++) {
		uint32_t bits = words ? 16 : below(4) ? sizes[below(sizeof sizes)] : below(66);
		uint32_t count = below(3) ? 3 : below(6);
		bool is_signed = below(2);
		if (ids && below(4) == 0)
			n += put(out + n, 0x84, 1 + below(12), 1);
		if (!words && below(4) == 0) { /* padding */
			n += put(out + n, 0x74, 1 + below(9), 1);
			n += put(out + n, 0x94, 1, 1);
			n += put(out + n, 0x80, 3, 1);
		}
		n += put(out + n, 0x14, is_signed ? (uint32_t) - (int32_t)below(40000) - 1 : below(3), 4);
		n += put(out + n, 0x24, below(5) ? below(70000) : (uint32_t)random_next(&seed), 4);
		n += put(out + n, 0x34, below(3) ? (uint32_t) - (int32_t)below(400000000) : 0, 4);
		n += put(out + n, 0x44, below(3) ? below(400000000) : 0, 4);
		n += put(out + n, 0x54, below(16), 1);
		n += put(out + n, 0x74, bits, 1);
		n += put(out + n, 0x94, count, 1);
		for (uint32_t k = 1 + (below(3) ? 0 : below(4)); k; k--)
			n += put(out + n, 0x08, usages[i ? below(14) : 0], 2);
		if (below(12) == 0) {
			n += put(out + n, 0x18, 0x453, 2);
			n += put(out + n, 0x28, 0x45a, 2);
		}
		n += put(out + n, 0x80, below(10) ? 2 : below(4), 1);
	}
	return n;
}

static void test_random(void **state)
{
	int devices = 0, reports = 0, words = 0, direct = 0;
	(void)state;
	for (int n = 0; n < 6000; n++) {
		uint8_t bytes[1024], report[256];
		struct hp_hid_descriptor d;
		struct hp_hid_plan plan;
		char why[200], what[100];
		size_t size = device(bytes);
		if (hp_hid_descriptor_parse(&d, bytes, size, why, sizeof why))
			fail_msg("device %d: %s", n, why);
		if (hp_hid_plan_compile(&plan, &d, why, sizeof why) == 0) {
			size_t full = hp_hid_descriptor_longest(&d, HID_INPUT);
			devices++;
			words += plan.report[0].words != 0;
			direct += plan.report[0].direct_bytes != UINT32_MAX;
			if (full > sizeof report - 20)
				full = sizeof report - 20;
			for (int k = 0; k < 20; k++, reports++) {
				for (size_t i = 0; i < sizeof report; i++)
					report[i] = (uint8_t)(k == 0 ? 0 : k == 1 ? 0xff : random_next(&seed));
				if (d.uses_ids)
					report[0] = (uint8_t)below(14);
				size_t cut = k < 10 ? full : below((uint32_t)full + 20);
				snprintf(what, sizeof what, "device %d report %d of %zu bytes", n, k, cut);
				compare(&d, &plan, report, cut, what);
			}
		}
		hp_hid_descriptor_free(&d);
	}
	printf("%d devices (%d words, %d direct), %d reports the same as plain\n", devices, words, direct, reports);
	assert_true(devices > 1000 && words > 200 && direct - words > 200 && devices - direct > 200);
}

static void compile(struct hp_hid_plan *plan, struct hp_hid_descriptor *d, const char *hex, const char *sentence)
{
	uint8_t bytes[512];
	char why[200] = "";
	size_t n = 0;
	for (; *hex; hex += 2 + (hex[2] == ' '))
		bytes[n++] = (uint8_t)strtoul((char[]){ hex[0], hex[1], 0 }, NULL, 16);
	assert_int_equal(hp_hid_descriptor_parse(d, bytes, n, why, sizeof why), 0);
	assert_int_equal(hp_hid_plan_compile(plan, d, why, sizeof why), sentence ? -1 : 0);
	assert_string_equal(why, sentence ? sentence : "");
}

static void test_rules(void **state)
{
	static const char none[] = "no rotation vector (usage 0020:0544, three values) in any input report";
	struct hp_hid_descriptor d;
	struct hp_hid_plan plan;
	struct hp_hid_values v;
	(void)state;
	/* two values are no vector; a feature, a constant, an array, values without bits or too wide are none */
	compile(&plan, &d, "05 20 75 08 95 02 0a 44 05 81 02", none);
	hp_hid_descriptor_free(&d);
	compile(&plan, &d, "05 20 75 08 95 03 0a 44 05 b1 02 0a 44 05 91 02 0a 44 05 81 03 0a 44 05 81 00", none);
	hp_hid_descriptor_free(&d);
	compile(&plan, &d, "05 20 95 03 74 0a 44 05 81 02 75 40 0a 44 05 81 02", none);
	hp_hid_descriptor_free(&d);
	compile(&plan, &d, "05 21 75 08 95 03 0a 44 05 81 02", none);
	hp_hid_descriptor_free(&d);
	/* sign by the logical minimum; no ranges: the raw numbers, the exponent ignored; more than three values: the
	 * first */
	compile(&plan, &d, "05 20 15 ff 55 0c 75 08 95 05 0a 44 05 81 02 14 75 10 95 01 0a 46 05 81 02", NULL);
	assert_int_equal(hp_hid_plan_decode(&plan, (const uint8_t *)"\x01\xff\x80\x07\x07\x34\x12", 7, &v), 1);
	assert_true(v.v[0] == 1 && v.v[1] == -1 && v.v[2] == -128 && v.v[3] == 0 && v.reset == 0x34);
	assert_int_equal(v.has, HID_ROTATION | HID_RESET);
	/* short: what is missing is zero */
	assert_int_equal(hp_hid_plan_decode(&plan, (const uint8_t *)"\x01\xff", 2, &v), 1);
	assert_true(v.v[0] == 1 && v.v[1] == -1 && v.v[2] == 0 && v.reset == 0);
	assert_int_equal(hp_hid_plan_decode(&plan, NULL, 0, &v), 1);
	assert_true(v.v[0] == 0 && v.reset == 0);
	hp_hid_descriptor_free(&d);
	/* a later field wins, a scalar one component of it; what is not there is +0 */
	compile(&plan, &d,
	        "05 20 15 81 25 7f 75 08 95 03 0a 44 05 81 02 0a 45 05 81 02 95 01 0a 58 04 81 02 0a 53 04 81 02 95 03 "
	        "0a 44 05 "
	        "81 02",
	        NULL);
	assert_int_equal(hp_hid_plan_decode(&plan, (const uint8_t *)"\1\2\3\4\5\6\7\x88\xff\xfe\xfd", 11, &v), 1);
	assert_true(v.v[0] == -1 && v.v[1] == -2 && v.v[2] == -3);
	assert_true(v.v[3] == 4 && v.v[4] == 7 && v.v[5] == 6);
	static const double accel[3] = { -120, 0, 0 };
	assert_true(same(v.v + 6, accel));
	hp_hid_descriptor_free(&d);
	/* IDs: an empty report has none; other IDs give nothing */
	compile(&plan, &d, "85 07 05 20 75 10 95 03 0a 44 05 81 02", NULL);
	assert_int_equal(hp_hid_plan_decode(&plan, NULL, 0, &v), 0);
	assert_int_equal(hp_hid_plan_decode(&plan, (const uint8_t *)"\6\1\0\2\0\3\0", 7, &v), 0);
	assert_int_equal(hp_hid_plan_decode(&plan, (const uint8_t *)"\7\1\0\2\0\3\0", 7, &v), 1);
	assert_true(v.v[0] == 1 && v.v[1] == 2 && v.v[2] == 3);
	hp_hid_descriptor_free(&d);
}

static void test_many_ids(void **state)
{
	uint8_t bytes[512];
	struct hp_hid_descriptor d;
	struct hp_hid_plan plan;
	char why[200] = "";
	(void)state;
	for (uint32_t ids = HID_PLAN_REPORTS; ids <= HID_PLAN_REPORTS + 1; ids++) {
		size_t n = put(bytes, 0x04, 0x20, 1);
		n += put(bytes + n, 0x74, 16, 1);
		n += put(bytes + n, 0x94, 3, 1);
		for (uint32_t i = 0; i < ids; i++) {
			n += put(bytes + n, 0x84, 200 + i, 1);
			n += put(bytes + n, 0x08, 0x544, 2);
			n += put(bytes + n, 0x80, 2, 1);
		}
		assert_int_equal(hp_hid_descriptor_parse(&d, bytes, n, why, sizeof why), 0);
		assert_int_equal(hp_hid_plan_compile(&plan, &d, why, sizeof why), ids > HID_PLAN_REPORTS ? -1 : 0);
		hp_hid_descriptor_free(&d);
	}
	assert_string_equal(why, "more than 8 report IDs carry a rotation vector");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_rules),
		cmocka_unit_test(test_many_ids),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
