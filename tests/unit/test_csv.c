/* SPDX-License-Identifier: MIT
 * test_csv.c - columns, header, exact numbers, absent values, a full and a slow disk, appending. */
#include "fake_host.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct hp_module hp_output_csv;
static const struct hp_module *const csv = &hp_output_csv;
#define SET(key, value) fake_set(csv, state, key, value)
#define TEXT(f)         fake_text(&(f).files[0].bytes)

static struct hp_sample full(void)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	s.flags = HP_ROTVEC | HP_YPR | HP_GYRO | HP_ACCEL | HP_POS | HP_DEVCLK;
	s.seq = 7;
	s.time_ns = -5;
	s.arrival_ns = 1000000000;
	s.device_ns = INT64_MIN;
	for (int i = 0; i < 3; i++) {
		s.rotvec[i] = 0.1 + i;
		s.ypr[i] = 1.0 / 3 - i;
		s.pos[i] = 1e300 * i;
		s.gyro[i] = -0.0 + i;
		s.accel[i] = 9.80665 * i;
	}
	s.rate_hz = 50;
	s.latency_ms = 1.5;
	return s;
}
static char *line(const char *text, int n, char *out, size_t size)
{
	while (n-- && text)
		text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
	assert_non_null(text);
	snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
	return out;
}
static void test_all(void **unused)
{
	struct fake_host f;
	char text[4096];
	(void)unused;
	fake_init(&f, "tape");
	void *state = fake_state(csv);
	SET("path", "x.csv");
	assert_int_equal(csv->open(state, &f.host), 0);
	struct hp_sample s = full();
	assert_int_equal(csv->write(state, &s), 0);
	assert_string_equal(f.files[0].mode, "w");
	assert_int_equal(f.files[0].records, 2); /* a row is one record: whole or not at all */
	assert_string_equal(line(TEXT(f), 0, text, sizeof text),
	                    "time_ns,arrival_ns,wall_utc,device_clock_ns,source,seq,flags,jump,"
	                    "pose_yaw_deg,pose_pitch_deg,pose_roll_deg,pose_qw,pose_qx,pose_qy,pose_qz,"
	                    "pose_rx_rad,pose_ry_rad,pose_rz_rad,pose_x_cm,pose_y_cm,pose_z_cm,"
	                    "pose_gx_rad_s,pose_gy_rad_s,pose_gz_rad_s,pose_ax_m_s2,pose_ay_m_s2,pose_az_m_s2,"
	                    "rate_hz,latency_ms,reset_count");
	line(TEXT(f), 1, text, sizeof text);
	assert_memory_equal(text, "-5,1000000000,20", 16);
	assert_non_null(strstr(text, "Z,-9223372036854775808,0,7,0x0000003f,0,0.3333333333333333"));
	free(state);
	fake_free(&f);
}
static void test_absent(void **unused)
{
	struct fake_host f;
	(void)unused;
	fake_init(&f, "tape");
	void *state = fake_state(csv);
	SET("path", "x.csv");
	SET("columns", "latency, angles qw ,x,device_clock,yaw jump");
	SET("stage", "raw");
	assert_int_equal(csv->open(state, &f.host), 0);
	struct hp_sample s = HP_SAMPLE_INIT;
	s.flags = HP_JUMP;
	assert_int_equal(csv->write(state, &s), 0);
	s.flags = HP_YPR;
	s.latency_ms = 0;
	s.ypr[1] = -2.5;
	assert_int_equal(csv->write(state, &s), 0);
	assert_string_equal(TEXT(f),
	                    "latency_ms,raw_yaw_deg,raw_pitch_deg,raw_roll_deg,raw_qw,raw_x_cm,device_clock_ns,jump\n"
	                    ",,,,1,,,1\n"
	                    "0,0,-2.5,0,1,,,0\n");
	free(state);
	fake_free(&f);
}
/* What filters estimate is there when it is asked for. */
static void test_estimates(void **unused)
{
	struct fake_host f;
	(void)unused;
	fake_init(&f, "tape");
	void *state = fake_state(csv);
	SET("path", "x.csv");
	SET("columns", "seq, estimate");
	assert_int_equal(csv->open(state, &f.host), 0);
	struct hp_sample s = HP_SAMPLE_INIT;
	assert_int_equal(csv->write(state, &s), 0);
	s.flags = HP_ANGVEL | HP_CONFIDENCE;
	s.angvel[1] = -0.5;
	s.confidence = 0.75;
	assert_int_equal(csv->write(state, &s), 0);
	assert_memory_equal(TEXT(f), "seq,pose_avx_rad_s,pose_avy_rad_s,pose_avz_rad_s,pose_confidence", 64);
	assert_non_null(strstr(TEXT(f), "\n0,,,,"));
	assert_non_null(strstr(TEXT(f), "\n0,0,-0.5,0,0.75"));
	free(state);
	fake_free(&f);
}
/* Random bit patterns come back as the same double. */
static void test_exact(void **unused)
{
	struct fake_host f;
	uint64_t x = 88172645463325252u;
	char text[256];
	(void)unused;
	fake_init(&f, "tape");
	void *state = fake_state(csv);
	SET("path", "x.csv");
	SET("columns", "angles");
	assert_int_equal(csv->open(state, &f.host), 0);
	for (int k = 0; k < 2000; k++) {
		struct hp_sample s = HP_SAMPLE_INIT;
		double back[3];
		s.flags = HP_YPR;
		for (int i = 0; i < 3; i++) {
			do {
				x ^= x << 13;
				x ^= x >> 7;
				x ^= x << 17;
				memcpy(&s.ypr[i], &x, sizeof x);
				if (k % 2) /* an ordinary angle */
					s.ypr[i] = (double)(int64_t)x / 5e16;
			} while (!isfinite(s.ypr[i]));
		}
		f.files[0].bytes.size = 0;
		assert_int_equal(csv->write(state, &s), 0);
		snprintf(text, sizeof text, "%s", TEXT(f));
		assert_int_equal(sscanf(text, "%lf,%lf,%lf\n", &back[0], &back[1], &back[2]), 3);
		assert_memory_equal(back, s.ypr, sizeof back);
	}
	free(state);
	fake_free(&f);
}
static void test_wall(void **unused)
{
	struct fake_host f;
	char want[64], text[256];
	(void)unused;
	fake_init(&f, "tape");
	void *state = fake_state(csv);
	SET("path", "x.csv");
	SET("columns", "wall");
	time_t before = time(NULL);
	assert_int_equal(csv->open(state, &f.host), 0);
	time_t after = time(NULL);
	/* from 1901 to 2101, compared with the C library's calendar */
	for (int64_t day = -25000; day < 48000; day += 13) {
		struct hp_sample s = HP_SAMPLE_INIT;
		bool equal = false;
		s.arrival_ns = f.time + (day * 86400 - (int64_t)before) * 1000000000;
		f.files[0].bytes.size = 0;
		assert_int_equal(csv->write(state, &s), 0);
		snprintf(text, sizeof text, "%s", TEXT(f));
		for (time_t slack = 0; slack <= after - before + 1; slack++) {
			time_t t = (time_t)(day * 86400) + slack;
			struct tm tm;
			strftime(want, sizeof want, "%Y-%m-%dT%H:%M:%S.", gmtime_r(&t, &tm));
			equal |= !strncmp(text, want, strlen(want));
		}
		if (!equal)
			fail_msg("day %lld is %s", (long long)day, text);
		assert_string_equal(text + 29, "Z\n");
	}
	free(state);
	fake_free(&f);
}
static void test_trouble(void **unused)
{
	struct fake_host f;
	(void)unused;
	fake_init(&f, "tape");
	void *state = fake_state(csv);
	SET("path", "/d/x.csv");
	SET("columns", "seq");
	assert_int_equal(csv->open(state, &f.host), 0);
	struct hp_sample s = full();
	csv->write(state, &s);
	f.file_error = -ENOBUFS;
	for (int i = 0; i < 100; i++)
		assert_int_equal(csv->write(state, &s), HP_DROP);
	f.file_error = 0;
	assert_int_equal(csv->write(state, &s), 0);
	assert_string_equal(fake_text(&f.log),
	                    "warn: /d/x.csv: the queue to the disk is full: samples come faster than they are written, "
	                    "and rows are lost; the end of the run tells how many\n");
	f.file_error = -ENOSPC;
	for (int i = 0; i < 100; i++)
		assert_int_equal(csv->write(state, &s), HP_DROP);
	assert_int_equal(f.failed, 1);
	assert_int_equal(f.fail_error, ENOSPC);
	assert_string_equal(f.fail_text, "/d/x.csv: No space left on device; no more rows are written");
	assert_string_equal(TEXT(f), "seq\n7\n7\n");
	free(state);
	fake_free(&f);
}
static void test_refused(void **unused)
{
	static const char *const bad[][3] = {
		{ "columns", "time, yawn", "columns: `yawn` is no column and no group of columns" },
		{ "columns", " , ", "columns: names no column" },
		{ "stage", "a b", "stage: must be" },
		{ "stage", "a,b", "stage: must be" },
	};
	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct fake_host f;
		fake_init(&f, "tape");
		void *state = fake_state(csv);
		SET("path", "x.csv");
		SET(bad[i][0], bad[i][1]);
		assert_int_equal(csv->open(state, &f.host), -EINVAL);
		assert_int_equal(f.nfiles, 0);
		const char *key = NULL;
		char why[300], said[400];
		assert_int_equal(csv->check(state, &key, why, sizeof why), -EINVAL);
		snprintf(said, sizeof said, "%s: %s", key, why);
		if (!strstr(said, bad[i][2]))
			fail_msg("said: %s", said);
		free(state);
		fake_free(&f);
	}
	struct fake_host f;
	fake_init(&f, "tape");
	void *state = fake_state(csv);
	SET("path", "x.csv");
	f.open_error = -EACCES;
	assert_int_equal(csv->open(state, &f.host), -EACCES);
	free(state);
	fake_free(&f);
}
static void test_append(void **unused)
{
	static const struct {
		const char *before;
		int result, records;
	} cases[] = { { "", 0, 1 },
		      { "seq,pose_yaw_deg\n1,2\n", 0, 0 },
		      { "seq,raw_yaw_deg\n", -EEXIST, 0 },
		      { "seq", -EEXIST, 0 } };
	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct fake_host f;
		char path[] = "/tmp/headpipe-csv-XXXXXX";
		int fd = mkstemp(path);
		assert_true(fd >= 0);
		assert_int_equal(write(fd, cases[i].before, strlen(cases[i].before)), strlen(cases[i].before));
		close(fd);
		fake_init(&f, "tape");
		void *state = fake_state(csv);
		SET("path", path);
		SET("columns", "seq yaw");
		SET("existing", "append");
		assert_int_equal(csv->open(state, &f.host), cases[i].result);
		assert_int_equal(f.files[0].records, cases[i].records);
		if (!cases[i].result)
			assert_string_equal(f.files[0].mode, "a");
		else
			assert_non_null(strstr(fake_text(&f.log), "has other columns"));
		unlink(path);
		free(state);
		fake_free(&f);
	}
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all),     cmocka_unit_test(test_absent), cmocka_unit_test(test_estimates),
		cmocka_unit_test(test_exact),   cmocka_unit_test(test_wall),   cmocka_unit_test(test_trouble),
		cmocka_unit_test(test_refused), cmocka_unit_test(test_append),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
