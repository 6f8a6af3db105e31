/* SPDX-License-Identifier: MIT
 * rows_number.c - doubles to text. */
#include "../tests/plain/random.h"
#include "bench.h"
#include "number/number.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VALUES = 4096 };
static double typical[VALUES], rates[VALUES], any[VALUES];

static void text(long n, const double *v, size_t (*f)(double, char *))
{
	char out[HP_F3_MAX + 8];
	uint64_t sum = 0;
	for (long i = 0; i < n; i++)
		sum += f(v[i % VALUES], out);
	bench_sink += sum;
}

#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void printed(long n, const double *v, const char *form)
{
	char out[HP_F3_MAX + 8];
	for (long i = 0; i < n; i++)
		bench_sink += (uint64_t)snprintf(out, sizeof out, form, v[i % VALUES]);
}

static void run_number_9g(long n)
{
	text(n, typical, hp_text_9g);
}
static void plain_number_9g(long n)
{
	printed(n, typical, "%.9g");
}
static void run_number_9g_any(long n)
{
	text(n, any, hp_text_9g);
}
static void plain_number_9g_any(long n)
{
	printed(n, any, "%.9g");
}
static void run_number_f3(long n)
{
	text(n, rates, hp_text_f3);
}
static void plain_number_f3(long n)
{
	printed(n, rates, "%.3f");
}
static void run_number_exact(long n)
{
	text(n, typical, hp_text_exact);
}
static void plain_number_exact(long n)
{
	printed(n, typical, "%.17g");
}

void bench_rows_number(void)
{
	uint64_t r = 3;
	for (int i = 0; i < VALUES; i++) {
		/* what a sample holds: parts of quaternions and rotation vectors, and every third time an angle */
		typical[i] = i % 3 ? random_real(&r, -1, 1) : random_real(&r, -90, 90);
		rates[i] = random_real(&r, 20, 110);
		do {
			uint64_t bits = random_next(&r);
			memcpy(&any[i], &bits, sizeof bits);
		} while (!isfinite(any[i]));
	}
	bench_add((struct bench_row){ "number_9g", "%.9g of typical values; plain: snprintf", run_number_9g,
	                              plain_number_9g, NULL, 4 * VALUES, 12, true });
	bench_add((struct bench_row){ "number_9g_any", "%.9g of random bit patterns; plain: snprintf",
	                              run_number_9g_any, plain_number_9g_any, NULL, VALUES, 15, false });
	bench_add((struct bench_row){ "number_f3", "%.3f of typical values; plain: snprintf", run_number_f3,
	                              plain_number_f3, NULL, 4 * VALUES, 6, true });
	bench_add((struct bench_row){ "number_exact", "shortest exact text; plain: snprintf %.17g", run_number_exact,
	                              plain_number_exact, NULL, VALUES, 18, false });
}
