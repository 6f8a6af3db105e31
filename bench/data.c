/* SPDX-License-Identifier: MIT
 * data.c - the motion that all rows work on. */
#include "../tests/plain/pose.h"
#include "../tests/plain/random.h"
#include "api/builtin.h"
#include "bench.h"
#include "inputs/decode/tracker.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench_data bench_data;

/* Android's head tracker layout with the ranges of a common headset: report 1 is its ID, three 16-bit values of the
 * rotation vector (-pi to pi), three of the angular velocity (-32 to 32 rad/s), and a counter. Input part only. */
static const uint8_t descriptor[] = {
	0x05, 0x20, 0x09, 0xe1, 0xa1, 0x01, 0x85, 0x01,                         /* sensor page, 00e1, report ID 1 */
	0x0a, 0x44, 0x05, 0x16, 0x01, 0x80, 0x26, 0xff, 0x7f,                   /* 0544, logical +-32767          */
	0x37, 0x60, 0x4f, 0x46, 0xed, 0x47, 0xa1, 0xb0, 0xb9, 0x12, 0x55, 0x08, /* physical +-314159265, 10^-8    */
	0x75, 0x10, 0x95, 0x03, 0x81, 0x02,                                     /* 3 x 16 bits                    */
	0x0a, 0x45, 0x05, 0x16, 0x01, 0x80, 0x26, 0xff, 0x7f,                   /* 0545                           */
	0x35, 0xe0, 0x45, 0x20, 0x55, 0x00, 0x75, 0x10, 0x95, 0x03, 0x81, 0x02, /* physical +-32                  */
	0x0a, 0x46, 0x05, 0x15, 0x00, 0x25, 0xff, 0x35, 0x00, 0x45, 0xff,       /* 0546                           */
	0x75, 0x08, 0x95, 0x01, 0x81, 0x02, 0xc0,
};

static void put16(uint8_t *out, double v, double range)
{
	int raw = (int)lrint(v / range * 32767);
	out[0] = (uint8_t)raw;
	out[1] = (uint8_t)(raw >> 8);
}

void bench_make_data(void)
{
	struct bench_data *d = &bench_data;
	struct tracker tracker;
	struct plain_orientation filter;
	char why[256];
	uint64_t r = 1;
	if (hp_hid_descriptor_parse(&d->descriptor, descriptor, sizeof descriptor, why, sizeof why) ||
	    tracker_open(&tracker, &d->descriptor, why, sizeof why))
		bench_die(why);
	tracker_connect(&tracker, -1000000000);
	d->stream = (struct hp_stream){ .struct_size = sizeof d->stream, .device = "WH-1000XM5" };
	plain_orientation_init(&filter);
	/* twice round, so that smoothing and rate have settled when the samples are kept */
	for (int i = 0; i < 2 * BENCH_RING; i++) {
		static const double size[3] = { 0.15, 0.3, 0.7 }, cycles[3] = { 3, 2, 1 };
		uint8_t *report = d->report[i % BENCH_RING];
		double step = 2 * acos(-1) / BENCH_RING;
		struct hp_sample s;
		bool reset;
		report[0] = 1;
		for (int k = 0; k < 3; k++) {
			double at = sin(step * cycles[k] * i + k) * size[k], noise = random_real(&r, -1e-3, 1e-3);
			double speed = cos(step * cycles[k] * i + k) * size[k] * step * cycles[k] * 100;
			put16(report + 1 + 2 * k, at, acos(-1));
			put16(report + 7 + 2 * k, speed + noise, 32);
		}
		report[13] = 3;
		if (tracker_report(&tracker, i * 10000000LL, report, 14, &s, &reset) != 1)
			bench_die("the motion cannot be decoded");
		d->raw[i % BENCH_RING] = s;
		plain_orientation(&filter, &s);
		s.flags &= ~(unsigned)HP_QUAT_DUE; /* it has one now */
		d->filtered[i % BENCH_RING] = s;
	}
}

void bench_free_data(void)
{
	hp_hid_descriptor_free(&bench_data.descriptor);
}
