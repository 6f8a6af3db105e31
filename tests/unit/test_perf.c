/* SPDX-License-Identifier: MIT
 * test_perf.c - the latency figures: a sample of a known age is shown with that age, to 1/16, one of known lateness
 * with that; no time is negative; the start is counted from the fork on. The ages are large, so that what a busy
 * machine adds is small beside them. */
#include "api/builtin.h"
#include "base/clock.h"
#include "io/writer.h"
#include "run/perf.h"
#include "run/started.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SECOND INT64_C(1000000000)

/* One row of what hp_perf_print() says: samples, p50, p95, p99, max. */
static void row_of(const struct hp_perf *p, const char *stage, double out[5])
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	hp_perf_print(p, f);
	fclose(f);
	const char *at = strstr(text, stage);
	assert_non_null(at);
	assert_int_equal(sscanf(at + strlen(stage), "%lf %lf %lf %lf %lf", &out[0], &out[1], &out[2], &out[3], &out[4]),
	                 5);
	free(text);
}

static void pass(struct hp_perf *p, int64_t age)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	s.arrival_ns = hp_now() - age;
	hp_perf_emitted(p, &s);
	hp_perf_at_output(p);
	hp_perf_sent(p, &s);
}

static void known_ages(void **unused)
{
	(void)unused;
	for (int64_t age = 1000 * SECOND; age < 4000000 * SECOND; age += age / 7) {
		struct hp_perf *p = hp_perf_new(NULL);
		double row[5], us = (double)age / 1e3;
		assert_non_null(p);
		for (int i = 0; i < 5; i++)
			pass(p, age);
		for (int stage = 0; stage < 2; stage++) {
			row_of(p, stage ? "read -> sent" : "read -> emit", row);
			assert_true(row[0] == 5);
			for (int i = 1; i < 4; i++)
				assert_true(row[i] >= us * 31 / 32 && row[i] <= us * 33 / 32 + 60e6);
			assert_true(row[4] >= us && row[4] <= us + 60e6);
		}
		row_of(p, "filters", row);
		assert_true(row[0] == 5 && row[4] < 60e6);
		hp_perf_free(p);
	}
}

/* 50, 95 and 99 of a hundred. */
static void percentiles(void **unused)
{
	struct hp_perf *p = hp_perf_new(NULL);
	double row[5];
	(void)unused;
	for (int i = 1; i <= 1000; i++)
		pass(p, i <= 500   ? 1000 * SECOND
		        : i <= 940 ? 10000 * SECOND
		        : i <= 985 ? 100000 * SECOND
		                   : 1000000 * SECOND);
	row_of(p, "read -> sent", row);
	assert_true(row[0] == 1000);
	assert_true(row[1] > 9e9 && row[1] < 11e9);     /* the 501st */
	assert_true(row[2] > 90e9 && row[2] < 110e9);   /* the 951st */
	assert_true(row[3] > 900e9 && row[3] < 1100e9); /* the 991st */
	hp_perf_free(p);
}

/* A sample that a filter dropped is in no figure. */
static void dropped(void **unused)
{
	struct hp_perf *p = hp_perf_new(NULL);
	struct hp_sample s = HP_SAMPLE_INIT;
	double row[5];
	(void)unused;
	s.arrival_ns = hp_now();
	pass(p, SECOND);
	hp_perf_emitted(p, &s);
	hp_perf_sent(p, &s);
	row_of(p, "read -> sent", row);
	assert_true(row[0] == 1 && row[1] >= 0.9e6);
	hp_perf_free(p);
}

static char *text_of(const struct hp_perf *p, void (*print)(const struct hp_perf *, FILE *))
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	print(p, f);
	fclose(f);
	return text;
}

/* Told before the sample, for this sample alone; who tells nothing has no row. */
static void lateness(void **unused)
{
	struct hp_perf *p = hp_perf_new(NULL);
	double row[5];
	(void)unused;
	pass(p, 0);
	char *text = text_of(p, hp_perf_print);
	assert_null(strstr(text, "due -> emit"));
	free(text);
	for (int i = 1; i <= 100; i++) {
		hp_perf_due(p, hp_now() - (i <= 90 ? 1000 : 50000) * SECOND);
		pass(p, 0);
		pass(p, 0); /* of somebody else */
	}
	row_of(p, "due -> emit", row);
	assert_true(row[0] == 100);
	assert_true(row[1] > 0.96e9 && row[1] < 1.1e9);
	assert_true(row[2] > 48e9 && row[2] < 55e9 && row[4] >= 50e9 && row[4] < 51e9);
	row_of(p, "read -> emit", row);
	assert_true(row[0] == 201 && row[4] < 60e6);
	hp_perf_free(p);
}

static bool any_negative(const char *text)
{
	for (const char *at = text; (at = strchr(at, '-')); at++)
		if (at[1] >= '0' && at[1] <= '9')
			return true;
	return false;
}

/* A stamp that lies ahead (of a wrong clock), a sample that was due later, marks in another order than usual. */
static void never_negative(void **unused)
{
	char log[] = "/tmp/headpipe-perf-XXXXXX", line[400];
	int fd = mkstemp(log);
	struct hp_perf *p = hp_perf_new(log);
	(void)unused;
	assert_true(fd >= 0 && p);
	hp_perf_due(p, hp_now() + 100 * SECOND);
	pass(p, -100 * SECOND);
	int64_t now = hp_now();
	static const int ahead[HP_MARKS] = { 100, 90, 120, 110, 80, 130, 70 };
	struct hp_perf *q = hp_perf_new(NULL);
	assert_non_null(q);
	for (enum hp_mark m = HP_MARK_START; m < HP_MARKS; m++)
		hp_perf_mark(q, m, now + ahead[m] * SECOND);
	char *text = text_of(p, hp_perf_print), *more = text_of(q, hp_perf_report), *most = text_of(q, hp_perf_print);
	assert_false(any_negative(text) || any_negative(more) || any_negative(most));
	assert_non_null(strstr(text, "due -> emit             1      0.00"));
	assert_non_null(strstr(most, "0.000 s since the process began"));
	free(text);
	free(more);
	free(most);
	hp_perf_free(q);
	hp_perf_free(p);
	hp_writer_stop();
	FILE *f = fdopen(fd, "r");
	assert_true(fgets(line, sizeof line, f) && strstr(line, ",late_ns\n"));
	assert_true(fgets(line, sizeof line, f) && !strchr(line, '-') && strstr(line, ",0\n"));
	fclose(f);
	unlink(log);
}

/* The phases follow each other: each took what lies between its mark and the one before. */
static void start(void **unused)
{
	struct hp_perf *p = hp_perf_new(NULL);
	(void)unused;
	assert_non_null(p);
	hp_perf_mark(p, HP_MARK_START, 5 * SECOND);
	hp_perf_mark(p, HP_MARK_MAIN, 6 * SECOND);
	hp_perf_mark(p, HP_MARK_CONFIGURED, 8 * SECOND);
	hp_perf_mark(p, HP_MARK_CONFIGURED, 9 * SECOND); /* the first one counts */
	hp_perf_mark(p, HP_MARK_CONNECTED, 12 * SECOND);
	char *text = text_of(p, hp_perf_report);
	assert_string_equal(text, "start-up            took   since 0   ms\n"
	                          "program         1000.000  1000.000\n"
	                          "configuration   2000.000  3000.000\n"
	                          "modules                -         -\n"
	                          "device          4000.000  7000.000\n"
	                          "first sample           -         -\n"
	                          "first sent             -         -\n");
	free(text);
	hp_perf_free(p);
}

/* A process that is some time old says so, to the kernel's 1/100 s, however it is called. */
static void since_fork(void **unused)
{
	(void)unused;
	assert_true(hp_started_ns() <= hp_now() && hp_used_ns() > 0);
	for (int64_t nap = 0; nap <= 60000; nap += 20000) {
		int64_t before = hp_now(), told[3];
		int pipes[2];
		assert_int_equal(pipe(pipes), 0);
		pid_t pid = fork();
		if (!pid) {
			FILE *f = fopen("/proc/self/comm", "w");
			if (f) {
				fputs(") a (b ) 1 2", f);
				fclose(f);
			}
			usleep((useconds_t)nap);
			told[0] = hp_started_ns();
			told[1] = hp_now();
			told[2] = hp_used_ns();
			_exit(write(pipes[1], told, sizeof told) != sizeof told);
		}
		int64_t after = hp_now();
		int status;
		assert_int_equal(read(pipes[0], told, sizeof told), sizeof told);
		assert_true(waitpid(pid, &status, 0) == pid && status == 0);
		assert_true(told[0] >= before - 10000000);
		assert_true(told[0] <= after + 10000000 && told[0] <= told[1] - nap * 1000 + 10000000);
		assert_true(told[2] > 0 && told[2] <= told[1] - before + 10000000);
		close(pipes[0]);
		close(pipes[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(known_ages),     cmocka_unit_test(percentiles),
		                            cmocka_unit_test(dropped),        cmocka_unit_test(lateness),
		                            cmocka_unit_test(never_negative), cmocka_unit_test(start),
		                            cmocka_unit_test(since_fork) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
