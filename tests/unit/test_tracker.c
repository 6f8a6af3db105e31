/* SPDX-License-Identifier: MIT
 * test_tracker.c - reports to samples: what a sample holds, the rate, the reset counter. */
#include "api/builtin.h"
#include "inputs/decode/tracker.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ID 1: rotation 3 x 8 bits, acceleration 3 x 8, reset counter; ID 2: angular velocity; ID 3: rotation alone. */
static const uint8_t descriptor[] = { 0x05, 0x20, 0x15, 0x81, 0x25, 0x7f, 0x75, 0x08, 0x95, 0x03, 0x85, 0x01,
	                              0x0a, 0x44, 0x05, 0x81, 0x02, 0x0a, 0x52, 0x04, 0x81, 0x02, 0x95, 0x01,
	                              0x0a, 0x46, 0x05, 0x81, 0x02, 0x85, 0x02, 0x95, 0x03, 0x0a, 0x45, 0x05,
	                              0x81, 0x02, 0x85, 0x03, 0x0a, 0x44, 0x05, 0x81, 0x02 };
static struct tracker t;

static void open_tracker(void)
{
	struct hp_hid_descriptor d;
	char why[200];
	memset(&t, 0x55, sizeof t);
	assert_int_equal(hp_hid_descriptor_parse(&d, descriptor, sizeof descriptor, why, sizeof why), 0);
	assert_int_equal(tracker_open(&t, &d, why, sizeof why), 0);
	hp_hid_descriptor_free(&d); /* the plan needs it no more */
}

#define REPORT(at, bytes) tracker_report(&t, at, (const uint8_t *)bytes, sizeof bytes - 1, &s, &reset)

static void test_sample(void **state)
{
	struct hp_sample s;
	bool reset = true;
	(void)state;
	open_tracker();
	tracker_connect(&t, 0);
	memset(&s, 0x55, sizeof s);
	assert_int_equal(REPORT(5, "\1\1\xff\2\3\4\5\7"), 1);
	assert_false(reset);
	assert_int_equal(s.flags, HP_ROTVEC | HP_QUAT_DUE | HP_ACCEL);
	assert_true(s.time_ns == 5 && s.arrival_ns == 0 && s.seq == 0 && s.source == 0);
	assert_true(s.rotvec[0] == 1 && s.rotvec[1] == -1 && s.rotvec[2] == 2);
	assert_true(s.accel[0] == 3 && s.accel[1] == 4 && s.accel[2] == 5);
	assert_true(s.gyro[0] == 0 && s.ypr[0] == 0 && s.pos[0] == 0);
	assert_true(s.latency_ms == -1 && s.rate_hz == 0);
	assert_int_equal(s.reset_count, 7);
	/* no rotation: no sample, and out stays as it was */
	assert_int_equal(REPORT(6, "\2\1\1\1"), 0);
	assert_true(s.time_ns == 5);
	/* nothing crosses from report to report */
	assert_int_equal(REPORT(7, "\3\1\1\1"), 1);
	assert_int_equal(s.flags, HP_ROTVEC | HP_QUAT_DUE);
	assert_true(s.accel[0] == 0 && s.reset_count == 0);
	assert_false(reset); /* that report has no counter */
	assert_int_equal(REPORT(8, "\1\0\0\0\0\0\0\7"), 1);
	assert_false(reset);
	assert_true(s.quat[0] == 1 && s.quat[1] == 0);
	assert_int_equal(REPORT(9, "\1\0\0\0\0\0\0\6"), 1);
	assert_true(reset);
	assert_int_equal(REPORT(9, "\1\0\0\0\0\0\0\6"), 1);
	assert_false(reset);
	/* a new connection has no counter before */
	tracker_connect(&t, 100);
	assert_int_equal(REPORT(109, "\1\0\0\0\0\0\0\1"), 1);
	assert_false(reset);
}

static void test_rate(void **state)
{
	struct hp_sample s;
	bool reset;
	(void)state;
	open_tracker();
	tracker_connect(&t, 1000);
	for (int i = 1; i <= 9; i++) { /* other IDs and unknown ones count too */
		REPORT(1000 + i * INT64_C(100000000), "\2");
		assert_true(t.rate_hz == 0);
	}
	assert_int_equal(REPORT(INT64_C(1000001000) - 1, "\3\1\1\1"), 1);
	assert_true(s.rate_hz == 0);
	assert_int_equal(REPORT(INT64_C(1000001000), "\3\1\1\1"), 1);
	assert_true(s.rate_hz == 11.0); /* this report included */
	REPORT(INT64_C(3000001000), "");
	assert_int_equal(REPORT(INT64_C(3000001000), "\3\1\1\1"), 1);
	assert_true(s.rate_hz == 1 / 2.0);
	/* time that goes back neither closes a window nor does harm */
	assert_int_equal(REPORT(INT64_MIN, "\3\1\1\1"), 1);
	assert_int_equal(REPORT(INT64_MAX, "\3\1\1\1"), 1);
	/* a new connection starts anew */
	tracker_connect(&t, 0);
	assert_int_equal(REPORT(500000000, "\3\1\1\1"), 1);
	assert_true(s.rate_hz == 0);
	assert_int_equal(REPORT(1600000000, "\3\1\1\1"), 1);
	assert_true(s.rate_hz == 2 / 1.6);
}

static void test_refused(void **state)
{
	static const uint8_t mouse[] = { 0x05, 0x01, 0x75, 0x08, 0x95, 0x02, 0x09, 0x30, 0x09, 0x31, 0x81, 0x06 };
	struct hp_hid_descriptor d;
	char why[200];
	(void)state;
	assert_int_equal(hp_hid_descriptor_parse(&d, mouse, sizeof mouse, why, sizeof why), 0);
	assert_int_equal(tracker_open(&t, &d, why, sizeof why), -1);
	assert_string_equal(why, "no rotation vector (usage 0020:0544, three values) in any input report");
	hp_hid_descriptor_free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
