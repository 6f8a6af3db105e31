/* SPDX-License-Identifier: MIT
 * rows_decode.c - report to values. */
#include "../tests/plain/plain_hid.h"
#include "../tests/plain/random.h"
#include "bench.h"
#include "inputs/decode/plan.h"
#include "inputs/decode/tracker.h"
#include <string.h>

static struct hp_hid_plan plan, odd_plan;
static struct hp_hid_descriptor odd;
static struct tracker tracker;
static uint8_t odd_report[BENCH_RING][14];

/* No report IDs, five bits in front, three values of 20 bits, three of 13, a counter across bytes: all of it takes the
 * general path. */
static const uint8_t odd_descriptor[] = {
	0x05, 0x20, 0x09, 0xe1, 0xa1, 0x01, 0x75, 0x05, 0x95, 0x01, 0x81, 0x03,             /* 5 bits of padding */
	0x0a, 0x44, 0x05, 0x17, 0x01, 0x00, 0xf8, 0xff, 0x27, 0xff, 0xff, 0x07, 0x00,       /* +-524287          */
	0x37, 0x60, 0x4f, 0x46, 0xed, 0x47, 0xa1, 0xb0, 0xb9, 0x12, 0x55, 0x08,             /* +-pi              */
	0x75, 0x14, 0x95, 0x03, 0x81, 0x02,                                                 /* 3 x 20 bits       */
	0x0a, 0x45, 0x05, 0x16, 0x01, 0xf0, 0x26, 0xff, 0x0f, 0x35, 0xe0, 0x45, 0x20,       /* +-4095, +-32      */
	0x55, 0x00, 0x75, 0x0d, 0x95, 0x03, 0x81, 0x02,                                     /* 3 x 13 bits       */
	0x0a, 0x46, 0x05, 0x15, 0x00, 0x26, 0xff, 0x00, 0x35, 0x00, 0x46, 0xff, 0x00, 0x75, /* counter           */
	0x08, 0x95, 0x01, 0x81, 0x02, 0xc0,
};

/* Looks at what was decoded, cheaply. */
static uint64_t bits(const double *v)
{
	uint64_t a;
	memcpy(&a, v, sizeof a);
	return a;
}

static void run_decode_14(long n)
{
	uint64_t sum = 0;
	for (long i = 0; i < n; i++) {
		struct hp_hid_values v;
		hp_hid_plan_decode(&plan, bench_data.report[i % BENCH_RING], 14, &v);
		sum += bits(v.v) ^ bits(v.v + 5);
	}
	bench_sink += sum;
}

static void plain_decode_14(long n)
{
	for (long i = 0; i < n; i++) {
		struct plain_pose p = plain_report(&bench_data.descriptor, bench_data.report[i % BENCH_RING], 14);
		bench_sink += (uint64_t)(p.rotation[0] > 0) + (uint64_t)(p.gyro[2] > 0);
	}
}

static void run_decode_general(long n)
{
	uint64_t sum = 0;
	for (long i = 0; i < n; i++) {
		struct hp_hid_values v;
		hp_hid_plan_decode(&odd_plan, odd_report[i % BENCH_RING], sizeof odd_report[0], &v);
		sum += bits(v.v) ^ bits(v.v + 5);
	}
	bench_sink += sum;
}

static void plain_decode_general(long n)
{
	for (long i = 0; i < n; i++) {
		struct plain_pose p = plain_report(&odd, odd_report[i % BENCH_RING], sizeof odd_report[0]);
		bench_sink += (uint64_t)(p.rotation[0] > 0) + (uint64_t)(p.gyro[2] > 0);
	}
}

static void run_tracker(long n)
{
	uint64_t sum = 0;
	for (long i = 0; i < n; i++) {
		struct hp_sample s;
		bool reset;
		tracker_report(&tracker, i * 10000000, bench_data.report[i % BENCH_RING], 14, &s, &reset);
		sum += bits(s.rotvec);
	}
	bench_sink += sum;
}

void bench_rows_decode(void)
{
	char why[256];
	uint64_t r = 2;
	if (hp_hid_plan_compile(&plan, &bench_data.descriptor, why, sizeof why) ||
	    tracker_open(&tracker, &bench_data.descriptor, why, sizeof why) ||
	    hp_hid_descriptor_parse(&odd, odd_descriptor, sizeof odd_descriptor, why, sizeof why) ||
	    hp_hid_plan_compile(&odd_plan, &odd, why, sizeof why))
		bench_die(why);
	for (int i = 0; i < BENCH_RING; i++)
		for (size_t k = 0; k < sizeof odd_report[0]; k++)
			odd_report[i][k] = (uint8_t)random_next(&r);
	bench_add((struct bench_row){ "decode_14", "14-byte report, seven values, direct loads", run_decode_14,
	                              plain_decode_14, NULL, 20000, 14, true });
	bench_add((struct bench_row){ "decode_general", "seven values of 20, 13 and 8 bits, not aligned",
	                              run_decode_general, plain_decode_general, NULL, 10000, 14, true });
	bench_add((struct bench_row){ "tracker", "14-byte report to a sample: decode, flags, rate", run_tracker, NULL,
	                              NULL, 10000, 14, true });
}
