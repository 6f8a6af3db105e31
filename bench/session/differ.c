/* SPDX-License-Identifier: MIT
 * differ.c - the bench's rows about differences: what `headpipe diff` does, with files that differ in every sample and
 * with two recordings of one run, which differ in nothing but the times of arrival. */
#include "bench.h"
#include "headpipe-session.h"
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct hps_reader *open_file(const char *path)
{
	char why[300];
	struct hps_reader *r;
	struct hps_reader_options o = HPS_READER_OPTIONS;
	o.cache_bytes = 0; /* every chunk is read once: what is kept is memory to be fetched from the system */
	if (hps_open(&r, path, &o, why, sizeof why) < 0)
		die(path, why);
	return r;
}

/* The first channels, compared to the end, in samples/s; files are opened and closed. So many samples must differ. */
static double compare(const char *first, const char *second, uint64_t n, uint64_t differing, double (*now)(void))
{
	struct hps_diff *d;
	struct hps_diff_range range;
	struct hps_diff_totals t;
	double t0 = now();
	struct hps_reader *a = open_file(first), *b = open_file(second);
	if (hps_diff_open(&d, a, 0, b, 0, NULL) < 0)
		die(first, "cannot be compared");
	while (hps_diff_next(d, &range) > 0) {
	}
	hps_diff_get_totals(d, &t);
	hps_diff_close(d);
	hps_close(a);
	hps_close(b);
	double by = now() - t0;
	if (t.bad || t.only_first || t.only_second || t.bytes || t.changed != differing ||
	    t.compared + t.skipped != n || (!differing && t.compared))
		die(first, "the differences are wrong");
	return (double)n / by;
}

/* One run as another turn of it would be recorded: `late` ns later. */
static void write_run(const char *path, uint64_t n, int64_t late)
{
	struct hps_writer *w;
	struct hp_sample s = HP_SAMPLE_INIT;
	unlink(path);
	if (hps_create(&w, path, NULL) < 0)
		die(path, "cannot create");
	int channel = hps_add_samples(w, false, NULL);
	s.flags = HP_ROTVEC | HP_YPR | HP_GYRO;
	for (uint64_t i = 0; i < n; i++) {
		s.seq = i;
		s.time_ns = (int64_t)i * 4000000;
		s.arrival_ns = s.time_ns + late + (int64_t)(i * 7919 % 1000);
		for (int k = 0; k < 3; k++)
			s.ypr[k] = (double)((i + (uint64_t)k * 331) % 1021) * 0.05;
		hps_write_sample(w, channel, &s);
	}
	if (hps_finish(w) < 0)
		die(path, "cannot write");
}

void bench_differ(const char *one, const char *other, uint64_t n, double (*now)(void))
{
	char first[520], second[520];
	double differing = 0, identical = 0;
	for (int i = 0; i < 4; i++) {
		double rate = compare(one, other, n, n, now);
		differing = rate > differing ? rate : differing;
	}
	row("diff_differing", differing, "samples/s", 5e6, 1, "53..342 k/s");
	snprintf(first, sizeof first, "%.500s.first", other);
	snprintf(second, sizeof second, "%.500s.second", other);
	write_run(first, n, 30000);
	write_run(second, n, 70000);
	for (int i = 0; i < 4; i++) {
		double rate = compare(first, second, n, 0, now);
		identical = rate > identical ? rate : identical;
	}
	row("diff_two_recordings_of_a_run", identical, "samples/s", 50e6, 1, "92..2310 k/s");
	unlink(first);
	unlink(second);
}
