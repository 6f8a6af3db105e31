/* SPDX-License-Identifier: MIT
 * test_json_sample.c - JSON objects to samples: every key, both names, what is refused and why; lines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/lines.h"
#include "inputs/json_sample.h"
#include "pose/pose.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct hp_json_sample good(const char *text)
{
	struct hp_json_sample s;
	char why[200] = "";
	if (hp_json_to_sample(text, strlen(text), &s, why, sizeof why) < 0)
		fail_msg("%s: %s", text, why);
	return s;
}

static void near(const double *have, const double *want, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(fabs(have[i] - want[i]) < 1e-12))
			fail_msg("%zu: %.17g, not %.17g", i, have[i], want[i]);
}

static void keys(void **state)
{
	(void)state;
	struct hp_json_sample s =
	    good("{\"quat\":[0.5,-0.5,0.5,-0.5],\"gyro\":[1,2,3],\"accel\":[4,5,6],\"pos\":[7,8,9],"
	         "\"time_ns\":123456789012345,\"device_ns\":5,\"rate_hz\":99.5,\"latency_ms\":2,"
	         "\"reset_count\":4294967295,\"device\":\"caf\\u00e9\"}");
	near(s.sample.quat, (const double[]){ 0.5, -0.5, 0.5, -0.5 }, 4);
	near(s.sample.gyro, (const double[]){ 1, 2, 3 }, 3);
	near(s.sample.accel, (const double[]){ 4, 5, 6 }, 3);
	near(s.sample.pos, (const double[]){ 7, 8, 9 }, 3);
	assert_int_equal(s.sample.flags, HP_GYRO | HP_ACCEL | HP_POS | HP_DEVCLK);
	assert_true(s.has_time && s.sample.time_ns == 123456789012345 && s.sample.device_ns == 5);
	assert_true(s.sample.rate_hz == 99.5 && s.sample.latency_ms == 2 && s.sample.reset_count == 4294967295u);
	assert_string_equal(s.device, "caf\xc3\xa9");

	/* what the encoder json writes */
	s = good("{\"version\":2,\"device\":null,\"rotationVector\":[0,0,0.5],\"quaternion\":[1,0,0,0],\"yprDegrees\":["
	         "9,9,9],"
	         "\"gyroscope\":null,\"accelerometer\":[1,1,1],\"resetCounter\":3,\"packetsPerSecond\":25.000,"
	         "\"receiveLatencyMs\":-1.000}");
	near(s.sample.quat, (const double[]){ 1, 0, 0, 0 }, 4);
	near(s.sample.rotvec, (const double[]){ 0, 0, 0.5 }, 3);
	assert_int_equal(s.sample.flags, HP_ROTVEC | HP_ACCEL);
	assert_true(!s.has_time && s.has_reset_count && s.sample.reset_count == 3 && s.sample.latency_ms == -1);
	assert_string_equal(s.device, "");

	/* the poses in their order of precedence; what is rounded is made a rotation again */
	double want[4];
	hp_quat_from_rotvec((const double[]){ 0.1, -0.2, 0.3 }, want);
	s = good("{\"rotvec\":[0.1,-0.2,0.3],\"ypr\":[50,50,50]}");
	near(s.sample.quat, want, 4);
	s = good("{\"quat\":[0.999,0,0,0]}");
	near(s.sample.quat, (const double[]){ 1, 0, 0, 0 }, 4);
	double ypr[3];
	s = good("{\"ypr\":[30,-20,10]}");
	hp_quat_to_ypr(s.sample.quat, ypr);
	for (int i = 0; i < 3; i++)
		assert_true(fabs(ypr[i] - (double)(30 - 50 * (i == 1) - 20 * (i == 2))) < 1e-9);
	struct hp_json_sample one = good("{\"pitch\":-20,\"yaw\":30,\"roll\":10}");
	assert_memory_equal(one.sample.quat, s.sample.quat, sizeof s.sample.quat);
	good("{\"roll\":1}");
}

static void refusals(void **state)
{
	static const char *const rows[][2] = {
		{ "", "not JSON" },
		{ "{", "not JSON" },
		{ "[1,2,3]", "not a JSON object" },
		{ "{\"yaw\":1} x", "not JSON" },
		{ "{\"yaw\":1,\"yaw\":2}", "not JSON" },
		{ "{\"yaw\":1e999}", "not JSON" },
		{ "{}", "no pose in it" },
		{ "{\"quat\":null}", "no pose in it" },
		{ "{\"yaw\":\"1\"}", "`yaw` must be a number" },
		{ "{\"ypr\":[1,2]}", "`ypr` must be a list of 3 numbers" },
		{ "{\"yprDegrees\":[1,2,\"3\"]}", "`yprDegrees` must be a list of 3 numbers" },
		{ "{\"quat\":[1,0,0]}", "`quat` must be a list of 4 numbers" },
		{ "{\"quat\":[0,0,0,0]}", "`quat` must be a rotation" },
		{ "{\"quaternion\":[9,0,0,0]}", "`quat` must be a rotation" },
		{ "{\"rotvec\":[1e300,0,0]}", "`rotvec` must be a rotation" },
		{ "{\"ypr\":[1e300,0,0]}", "`ypr` must be angles" },
		{ "{\"yaw\":1,\"gyro\":5}", "`gyro` must be a list of 3 numbers" },
		{ "{\"yaw\":1,\"time_ns\":1.5}", "`time_ns` must be a whole number" },
		{ "{\"yaw\":1,\"reset_count\":-1}", "`reset_count` must be a whole number from 0" },
		{ "{\"yaw\":1,\"reset_count\":4294967296}", "`reset_count` must be" },
		{ "{\"yaw\":1,\"device\":7}", "`device` must be a text" },
		{ "{\"yaw\":1,\"device\":\"a\\u0000b\"}", "" },
		{ "{\"yaw\":1,\"device\":\"\xff\"}", "not JSON" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct hp_json_sample s;
		char why[200] = "";
		if (hp_json_to_sample(rows[i][0], strlen(rows[i][0]), &s, why, sizeof why) == 0)
			fail_msg("%s was taken", rows[i][0]);
		if (!strstr(why, rows[i][1]) || !*why)
			fail_msg("%s: %s", rows[i][0], why);
	}
}

static char seen[4096];
static void line(void *arg, const char *text, size_t n, bool cut)
{
	size_t used = strlen(seen);
	(void)arg;
	snprintf(seen + used, sizeof seen - used, "%.*s%s|", (int)n, text, cut ? "..." : "");
}

/* The same lines, whatever the pieces in which the stream comes. */
static void pieces(void **state)
{
	static const char text[] = "one\ntwo\r\n\nfive that is much too long for this\n12345678\n123456789\nend";
	static const char want[] = "one|two||five tha...|12345678|12345678...|end|";
	(void)state;
	for (size_t step = 1; step < sizeof text; step++) {
		struct hp_lines l;
		assert_int_equal(hp_lines_init(&l, 8), 0);
		seen[0] = 0;
		for (size_t i = 0; i < sizeof text - 1; i += step) {
			size_t n = sizeof text - 1 - i < step ? sizeof text - 1 - i : step;
			char *exact = malloc(n);
			memcpy(exact, text + i, n);
			hp_lines_feed(&l, exact, n, line, NULL);
			free(exact);
		}
		hp_lines_end(&l, line, NULL);
		hp_lines_end(&l, line, NULL);
		assert_string_equal(seen, want);
		hp_lines_free(&l);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(keys), cmocka_unit_test(refusals),
		                            cmocka_unit_test(pieces) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
