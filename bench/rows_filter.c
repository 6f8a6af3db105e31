/* SPDX-License-Identifier: MIT
 * rows_filter.c - the filter `orientation` in four kinds of motion. Each operation includes a copy of the sample. */
#include "../filters/orientation.h"
#include "../tests/plain/pose.h"
#include "../tests/plain/random.h"
#include "bench.h"
#include <string.h>

extern const struct hp_module hp_filter_orientation;

static struct motion {
	struct hp_sample ring[BENCH_RING];
	struct orientation ours;
	struct plain_orientation plain;
	int64_t ours_ns, plain_ns;
} still, moving, no_gyro, jumps;

static void filter(struct motion *m, long n)
{
	for (long i = 0; i < n; i++) {
		struct hp_sample s = m->ring[i % BENCH_RING];
		s.time_ns = m->ours_ns += 10000000;
		hp_filter_orientation.filter(&m->ours, &s);
		bench_sink += s.ypr[0] > 0;
	}
}

static void plain(struct motion *m, long n)
{
	for (long i = 0; i < n; i++) {
		struct hp_sample s = m->ring[i % BENCH_RING];
		s.time_ns = m->plain_ns += 10000000;
		plain_orientation(&m->plain, &s);
		bench_sink += s.ypr[0] > 0;
	}
}

#define MOTION(name)                                 \
	static void run_orientation_##name(long n)   \
	{                                            \
		filter(&name, n);                    \
	}                                            \
	static void plain_orientation_##name(long n) \
	{                                            \
		plain(&name, n);                     \
	}
MOTION(still)
MOTION(moving)
MOTION(no_gyro)
MOTION(jumps)

static void make(struct motion *m, const char *name, const char *what, void (*run)(long), void (*plain_run)(long))
{
	static const uint8_t yxz[3] = { 1, 0, 2 }, xz[2] = { 0, 2 };
	m->ours.axis_map = (struct hp_list){ 3, yxz };
	m->ours.invert = (struct hp_list){ 2, xz };
	m->ours.smoothing = 0.18;
	m->ours.fast_movement = 2.5;
	m->ours.drift_correction = 0.002;
	if (hp_filter_orientation.open(&m->ours, NULL) < 0)
		bench_die("orientation cannot be opened");
	plain_orientation_init(&m->plain);
	bench_add((struct bench_row){ name, what, run, plain_run, NULL, 2048, 0, true });
}

void bench_rows_filter(void)
{
	uint64_t r = 4;
	for (int i = 0; i < BENCH_RING; i++) {
		moving.ring[i] = no_gyro.ring[i] = jumps.ring[i] = still.ring[i] = bench_data.raw[i];
		no_gyro.ring[i].flags &= ~(unsigned)HP_GYRO;
		for (int k = 0; k < 3; k++) {
			/* at rest the last bits of rotation and angular velocity move */
			still.ring[i].rotvec[k] = 0.3 * (k + 1) + (double)random_below(&r, 3) * 9.6e-5;
			still.ring[i].gyro[k] = ((double)random_below(&r, 5) - 2) * 9.8e-4;
			jumps.ring[i].rotvec[k] = random_real(&r, -1.8, 1.8);
		}
	}
	make(&still, "orientation_still", "filter, head at rest; drift is learned", run_orientation_still,
	     plain_orientation_still);
	make(&moving, "orientation_moving", "filter, head in motion", run_orientation_moving, plain_orientation_moving);
	make(&no_gyro, "orientation_no_gyro", "filter, device without angular velocity", run_orientation_no_gyro,
	     plain_orientation_no_gyro);
	make(&jumps, "orientation_jumps", "filter, a far-off pose every time", run_orientation_jumps,
	     plain_orientation_jumps);
}
