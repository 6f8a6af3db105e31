/* SPDX-License-Identifier: MIT
 * test_perf.c - the latency figures: a sample of a known age is shown with that age, to 1/16. The ages are large, so that
 * what a busy machine adds is small beside them. */
#include "api/builtin.h"
#include "base/clock.h"
#include "run/perf.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	assert_int_equal(sscanf(at + strlen(stage), "%lf %lf %lf %lf %lf", &out[0], &out[1], &out[2], &out[3], &out[4]), 5);
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
		pass(p, i <= 500 ? 1000 * SECOND : i <= 940 ? 10000 * SECOND : i <= 985 ? 100000 * SECOND : 1000000 * SECOND);
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

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(known_ages), cmocka_unit_test(percentiles), cmocka_unit_test(dropped) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
