/* SPDX-License-Identifier: MIT
 * rows_mapping.c - the filters that say where a pose is seen from and how far it goes, each on a head in motion. Each
 * operation includes a copy of the sample. */
#include "../tests/unit/fake_host.h"
#include "bench.h"
#include <string.h>

extern const struct hp_module hp_filter_axes, hp_filter_center, hp_filter_curve, hp_filter_drift, hp_filter_mount,
    hp_filter_neck;

static struct fake_host host;
static int64_t time_ns;

static void filter(const struct hp_module *m, void *state, const struct hp_sample *ring, long n)
{
	for (long i = 0; i < n; i++) {
		struct hp_sample s = ring[i % BENCH_RING];
		s.time_ns = time_ns += 10000000;
		m->filter(state, &s);
		bench_sink += s.quat[0] > 0;
	}
}
#define ROW(name, ring)                                           \
	static void *name##_state;                                \
	static void run_##name(long n)                            \
	{                                                         \
		filter(&hp_filter_##name, name##_state, ring, n); \
	}
ROW(axes, bench_data.filtered)
ROW(center, bench_data.filtered)
ROW(curve, bench_data.filtered)
ROW(drift, bench_data.filtered)
ROW(mount, bench_data.raw)
ROW(neck, bench_data.filtered)

static void *make(const struct hp_module *m, const char *const *set, void (*run)(long), const char *what)
{
	void *state = fake_state(m);
	for (; *set; set += 2)
		fake_set(m, state, set[0], set[1]);
	if (m->open && m->open(state, &host.host) < 0)
		bench_die("a filter cannot be opened");
	bench_add((struct bench_row){ m->name, what, run, NULL, NULL, 2048, 0, false });
	return state;
}
#define MAKE(name, what, ...) \
	name##_state = make(&hp_filter_##name, (const char *const[]){ __VA_ARGS__, NULL }, run_##name, what)

void bench_rows_mapping(void)
{
	fake_init(&host, "bench");
	MAKE(axes, "filter, yaw and pitch made stronger", "scale_yaw", "2", "scale_pitch", "1.5");
	MAKE(center, "filter, mode = full, with a tilted mount", "settle", "0s");
	MAKE(curve, "filter, curves for yaw and pitch", "yaw", "10:5 30:40 60:180", "pitch", "20:20 45:90");
	MAKE(drift, "filter, creep learned and taken away", "mode", "auto");
	MAKE(mount, "filter, axes and a tilt of 20 degrees", "axis_map", "YXZ", "invert", "XZ", "pitch", "20");
	MAKE(neck, "filter, a position from the pose", "measured", "replace");
}
