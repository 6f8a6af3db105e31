/* SPDX-License-Identifier: MIT
 * test_number.c - hp_text_9g and hp_text_f3 against printf in the C locale, hp_text_exact against strtod and against
 * every shorter printf. The hard values: ties, carries, powers of ten, the switch to e-notation, denormals. */
#include "../plain/random.h"
#include "number/number.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h wants the four above */
#include <cmocka.h>

enum { ROUNDS = 30000 };

/* the formats come from the two calls below */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void same(double v, const char *form, size_t (*text)(double, char *), size_t room)
{
	char want[400], got[400];
	memset(got, '#', sizeof got);
	int n = snprintf(want, sizeof want, form, v);
	size_t size = text(v, got);
	if (size != (size_t)n || memcmp(got, want, size) != 0)
		fail_msg("%a: want %s, got %.*s", v, want, (int)size, got);
	for (size_t i = room; i < sizeof got; i++)
		if (got[i] != '#')
			fail_msg("%a: byte %zu behind the promised %zu was touched", v, i, room);
}

static void both(double v)
{
	same(v, "%.9g", hp_text_9g, HP_9G_MAX);
	same(v, "%.3f", hp_text_f3, HP_F3_MAX);
}

static void around(double v)
{
	double up = v, down = v;
	for (int i = 0; i < 4; i++) {
		both(up);
		both(-up);
		both(down);
		up = nextafter(up, INFINITY);
		down = nextafter(down, -INFINITY);
	}
}

static void test_random_bits(void **state)
{
	(void)state;
	uint64_t r = 1;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t bits = random_next(&r);
		double v;
		memcpy(&v, &bits, sizeof v);
		both(v);
		both(random_real(&r, -4, 4));
		both(random_real(&r, -200, 200));
		both(ldexp(random_real(&r, -1, 1), (int)random_below(&r, 140) - 70));
	}
}

static void test_powers(void **state)
{
	(void)state;
	for (int e = -1074; e < 1024; e++)
		around(ldexp(1, e));
	for (int k = -323; k <= 308; k++) {
		char text[32];
		snprintf(text, sizeof text, "1e%d", k);
		around(strtod(text, NULL));
		/* nine nines and more: the carry into a new digit, also across the switches at 1e-4 and 1e9 */
		for (int nines = 8; nines < 18; nines++) {
			snprintf(text, sizeof text, "%.*se%d", nines, "9999999999999999999", k - nines);
			around(strtod(text, NULL));
			snprintf(text, sizeof text, "%.*s5e%d", nines, "9999999999999999999", k - nines - 1);
			around(strtod(text, NULL));
		}
	}
}

static void test_ties(void **state)
{
	(void)state;
	uint64_t r = 3;
	/* dyadic fractions: odd / 2^b has b decimals and ends with 5, so with few digits before it, it stops at the
	 * tenth */
	for (int b = 1; b < 60; b++)
		for (int i = 0; i < 600; i++) {
			double v = ldexp((double)(random_below(&r, 1u << (1 + random_below(&r, 26))) * 2 + 1), -b);
			both(v);
			both(-v);
		}
	/* (2n + 1) / 2 with nine digits before the point, times powers of ten that a double holds */
	for (int i = 0; i < ROUNDS; i++) {
		double v = (double)(100000000 + random_below(&r, 900000000)) + 0.5;
		both(v);
		for (int k = 0; k < 8; k++)
			both(v *= 10);
		/* and of %.3f: x.xxx5 is a dyadic only as n/16 */
		both((double)random_below(&r, 1u << 30) / 16);
	}
	/* even and odd neighbours of a huge tie: n * 10^k with 5^k in the significand */
	for (int k = 1; k <= 13; k++)
		for (int i = 0; i < 500; i++) {
			double five = pow(5, k), n = 100000000 + (double)random_below(&r, 900000000);
			double v = (2 * n + 1) * five; /* exact below 2^53 */
			if (v < 9007199254740992.0)
				around(ldexp(v, k - 1));
		}
}

static void test_edges(void **state)
{
	(void)state;
	static const double v[] = { 0,
		                    1,
		                    10,
		                    0.1,
		                    0.5,
		                    0.0001,
		                    0.00001,
		                    123456789,
		                    1234567890,
		                    1e9,
		                    1e8,
		                    999999999.5,
		                    99999999.95,
		                    DBL_MAX,
		                    DBL_MIN,
		                    DBL_TRUE_MIN,
		                    0.0005,
		                    0.0015,
		                    0.00025,
		                    0.9995,
		                    0.99951,
		                    0.00049999,
		                    9007199254740991.,
		                    9007199254740992.,
		                    1e15,
		                    1e16,
		                    1e17,
		                    1e22,
		                    1e23,
		                    18446744073709551616.,
		                    4503599627370495.5,
		                    4503599627370497.5,
		                    4294967295.9996,
		                    99999999.9996,
		                    100000000.0004,
		                    1e300 };
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		around(v[i]);
	both(-0.0);
	both(NAN);
	both(-NAN);
	both(INFINITY);
	both(-INFINITY);
}

static void test_mils(void **state)
{
	(void)state;
	for (int i = 0; i < 1000000; i += 7)
		same(i / 1000.0, "%.3f", hp_text_f3, HP_F3_MAX);
	for (int i = 0; i < 1000; i++)
		same(i / 1000.0, "%.3f", hp_text_f3, HP_F3_MAX);
	uint64_t r = 9;
	for (int e = -60; e < 1024; e++)
		for (int i = 0; i < 20; i++)
			same(ldexp(random_real(&r, 1, 2), e), "%.3f", hp_text_f3, HP_F3_MAX);
}

/* Reads back as the same double, and no %.Ng with fewer digits does. */
static void exact(double v)
{
	char got[HP_9G_MAX + 8 + 1], shorter[400];
	size_t size = hp_text_exact(v, got);
	assert_in_range(size, 1, HP_9G_MAX + 8);
	got[size] = 0;
	double back = strtod(got, NULL);
	if (memcmp(&back, &v, sizeof v) != 0)
		fail_msg("%a: %s reads back as %a", v, got, back);
	unsigned digits = 0;
	for (const char *p = got; *p && *p != 'e'; p++)
		digits += *p >= '0' && *p <= '9' && (digits || *p != '0');
	if (!strpbrk(got, ".e")) /* zeros that only fill up an integer */
		for (size_t i = size; i-- && got[i] == '0' && digits > 1;)
			digits--;
	if (digits > 1) {
		snprintf(shorter, sizeof shorter, "%.*g", (int)digits - 1, v);
		if (strtod(shorter, NULL) == v)
			fail_msg("%a: %s, but %s is enough", v, got, shorter);
	}
	/* of the texts with this many digits it is the nearest, unless that one does not read back (a denormal, 2^e) */
	snprintf(shorter, sizeof shorter, "%.*g", (int)digits, v);
	if (strtod(shorter, NULL) == v && strcmp(shorter, got) != 0 && strtod(shorter, NULL) != strtod(got, NULL))
		fail_msg("%a: %s is not the nearest, %s is", v, got, shorter);
}

static void test_exact(void **state)
{
	(void)state;
	uint64_t r = 17;
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t bits = random_next(&r);
		double v;
		memcpy(&v, &bits, sizeof v);
		if (isfinite(v))
			exact(v);
		exact(random_real(&r, -200, 200));
		exact((double)random_below(&r, 100000) / 1000);
		exact((double)random_below(&r, 2000000000));
	}
	for (int e = -1074; e < 1024; e++) {
		exact(ldexp(1, e));
		exact(nextafter(ldexp(1, e), 0));
		exact(nextafter(ldexp(1, e), INFINITY));
	}
	static const struct {
		double v;
		const char *text;
	} known[] = {
		{ 0, "0" },
		{ -0.0, "-0" },
		{ 1, "1" },
		{ 0.1, "0.1" },
		{ 0.3, "0.3" },
		{ 100, "100" },
		{ 123456, "123456" },
		{ 1e16, "10000000000000000" },
		{ 1e17, "1e+17" },
		{ 1e22, "1e+22" },
		{ 1e23, "1e+23" },
		{ 0.0001, "0.0001" },
		{ 0.00001, "1e-05" },
		{ 1.0 / 3, "0.3333333333333333" },
		{ -2.5e-7, "-2.5e-07" },
		{ DBL_TRUE_MIN, "5e-324" },
		{ DBL_MIN, "2.2250738585072014e-308" },
		{ DBL_MAX, "1.7976931348623157e+308" },
		{ 9007199254740993.0, "9007199254740992" },
	};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		char got[HP_9G_MAX + 8];
		size_t size = hp_text_exact(known[i].v, got);
		assert_int_equal(size, strlen(known[i].text));
		assert_memory_equal(got, known[i].text, size);
		if (known[i].v != 0)
			exact(known[i].v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_bits), cmocka_unit_test(test_powers), cmocka_unit_test(test_ties),
		cmocka_unit_test(test_edges),       cmocka_unit_test(test_mils),   cmocka_unit_test(test_exact),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	printf("number text: %zu groups, %d failed\n", sizeof tests / sizeof *tests, failed);
	return failed;
}
