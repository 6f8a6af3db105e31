/* SPDX-License-Identifier: MIT
 * rows_pose.c - the filters that make a pose stiller, earlier and more frequent, on a head in motion. Each operation
 * includes a copy of the sample; resample's is one sample in and ten poses out. */
#include "../tests/unit/fake_host.h"
#include "bench.h"
#include <string.h>

extern const struct hp_module hp_filter_accela, hp_filter_ewma, hp_filter_kalman, hp_filter_one_euro,
    hp_filter_resample;

static struct fake_host host;
static int64_t time_ns;

static void filter(const struct hp_module *m, void *state, int64_t step, long n)
{
	for (long i = 0; i < n; i++) {
		struct hp_sample s = bench_data.filtered[i % BENCH_RING];
		s.time_ns = time_ns += step;
		m->filter(state, &s);
		bench_sink += s.quat[0] > 0;
	}
}
static int take(const struct hp_host *h, const struct hp_item *item)
{
	(void)h;
	bench_sink += item->samples->quat[0] > 0;
	return 0;
}
#define ROW(name, module, step)                                       \
	static void *name##_state;                                    \
	static void run_##name(long n)                                \
	{                                                             \
		filter(&hp_filter_##module, name##_state, (step), n); \
	}
ROW(kalman_gyro, kalman, 10000000)
ROW(kalman_alone, kalman, 10000000)
ROW(resample, resample, 40000000)
ROW(one_euro, one_euro, 10000000)
ROW(accela, accela, 10000000)
ROW(ewma, ewma, 10000000)

static void *make(const struct hp_module *m, const char *name, void (*run)(long), const char *what, const char *key,
                  const char *value)
{
	void *state = fake_state(m);
	if (key)
		fake_set(m, state, key, value);
	if (m->open && m->open(state, &host.host) < 0)
		bench_die("a filter cannot be opened");
	bench_add((struct bench_row){ name, what, run, NULL, NULL, 2048, 0, true });
	return state;
}
#define MAKE(name, module, what, key, value) \
	name##_state = make(&hp_filter_##module, #name, run_##name, what, key, value)

void bench_rows_pose(void)
{
	fake_init(&host, "bench");
	host.host.emit = take;
	host.stream.flags = HP_STREAM_REPLAY;
	MAKE(kalman_gyro, kalman, "filter kalman, following the gyroscope", "gyro", "yes");
	MAKE(kalman_alone, kalman, "filter kalman, poses alone", "gyro", "no");
	MAKE(resample, resample, "filter resample, 25 samples/s to 250: one in, ten out", NULL, NULL);
	MAKE(one_euro, one_euro, "filter one_euro", NULL, NULL);
	MAKE(accela, accela, "filter accela", NULL, NULL);
	MAKE(ewma, ewma, "filter ewma", NULL, NULL);
}
