/* SPDX-License-Identifier: MIT
 * bench_session.c - sessions in figures: writing, reading, jumping, properties, differences, memory. 1,000,000 samples
 * of 18 fields and 88 bytes at 250 Hz, the shape that the VTX SDK was measured with (docs/recording.md has both).
 * More than 400 lines: all measurements share one file of samples, made once, and one form of result.
 * Usage: headpipe-bench-session [--json] [--cpu] [--samples N] [--folder DIR] */
#include "bench.h"
#include "have.h"
#include "headpipe-session.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool json;
static clockid_t clock_id = CLOCK_MONOTONIC; /* or, with --cpu, this process's own time: on a busy machine */
static uint64_t samples = 1000000;
static char raw_path[500], zstd_path[500];
static volatile double sink; /* keeps what was read alive */

enum { CDR = 4, SIZE = 88, FIELDS = 18 };
static const struct hps_field fields[FIELDS] = {
	{ "time", "ns", HPS_I64 },  { "seq", "", HPS_U64 },      { "x", "m", HPS_F64 },
	{ "y", "m", HPS_F64 },      { "yaw", "deg", HPS_F32 },   { "pitch", "deg", HPS_F32 },
	{ "roll", "deg", HPS_F32 }, { "qw", "", HPS_F32 },       { "qx", "", HPS_F32 },
	{ "qy", "", HPS_F32 },      { "qz", "", HPS_F32 },       { "gx", "rad/s", HPS_F32 },
	{ "gy", "rad/s", HPS_F32 }, { "gz", "rad/s", HPS_F32 },  { "rate", "Hz", HPS_F32 },
	{ "flags", "", HPS_U32 },   { "battery", "%", HPS_I32 }, { "source", "", HPS_U32 },
};

static double now(void)
{
	struct timespec t;
	clock_gettime(clock_id, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

void die(const char *what, const char *why)
{
	fprintf(stderr, "headpipe-bench-session: %s: %s\n", what, why);
	exit(1);
}

void row(const char *name, double value, const char *unit, double goal, int better, const char *peer)
{
	if (json) {
		printf("{\"row\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"}\n", name, value, unit);
	} else {
		char want[40] = "";
		if (goal > 0)
			snprintf(want, sizeof want, "%s %g %s", better > 0 ? ">=" : "<=", goal,
			         (better > 0 ? value >= goal : value <= goal) ? "" : "MISSED");
		printf("%-34s %12.5g %-10s %-16s %s\n", name, value, unit, want, peer ? peer : "");
	}
	fflush(stdout);
}

static uint32_t noise(uint32_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 17;
	*x ^= *x << 5;
	return *x;
}

/* A thousand samples of moving head with sensor noise, used over and over with their own time and number. */
enum { SET = 1000 };
static uint8_t set[SET][CDR + SIZE];

static void make_set(void)
{
	uint32_t x = 2463534242u;
	for (int i = 0; i < SET; i++) {
		uint8_t *m = set[i];
		memset(m, 0, CDR + SIZE);
		m[1] = 1;
		double t = i * 0.004, d[2] = { 0.1 * sin(t), 0.05 * cos(t * 1.3) };
		float f[11];
		for (int k = 0; k < 11; k++)
			f[k] = (float)(30 * sin(t * (0.3 + 0.1 * k)) + 1e-3 * (double)(noise(&x) & 1023));
		uint32_t u[3] = { 3, 80, 0 };
		memcpy(m + 20, d, 16);
		memcpy(m + 36, f, 44);
		memcpy(m + 80, u, 12);
	}
}

static struct hps_writer *start(const char *path, enum hps_compression packing, int *channel)
{
	struct hps_writer *w;
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	o.compression = packing;
	o.chunk_ns = INT64_MAX; /* full chunks */
	int code = hps_create(&w, path, &o);
	if (code < 0)
		die(path, strerror(-code));
	*channel = hps_add_channel(w, "/frame", "bench/Frame", fields, FIELDS, NULL);
	if (*channel < 0 || hps_message_size(w, *channel) != CDR + SIZE)
		die(path, "the layout is not the one that is measured");
	return w;
}

static uint64_t file_size;
static unsigned shift; /* of the values against time and number: a file that differs in every sample */

/* samples/s; worst: the longest single call, s; NULL = calls are not timed one by one */
static double write_file(const char *path, enum hps_compression packing, uint64_t n, double *worst)
{
	int channel;
	unlink(path);
	struct hps_writer *w = start(path, packing, &channel);
	double t0 = now(), longest = 0;
	for (uint64_t i = 0; i < n; i++) {
		uint8_t *m = set[(i + shift) % SET];
		int64_t time = (int64_t)i * 4000000;
		memcpy(m + 4, &time, 8);
		memcpy(m + 12, &i, 8);
		double a = worst ? now() : 0;
		if (hps_write(w, channel, time, m, CDR + SIZE) < 0)
			die(path, "cannot write");
		if (worst) {
			double by = now() - a;
			longest = by > longest ? by : longest;
		}
	}
	if (hps_finish(w) < 0)
		die(path, "cannot write");
	double by = now() - t0;
	FILE *f = fopen(path, "rb");
	fseek(f, 0, SEEK_END);
	file_size = (uint64_t)ftell(f);
	fclose(f);
	if (worst)
		*worst = longest;
	return (double)n / by;
}

static struct hps_reader *open_file(const char *path, size_t cache)
{
	char why[300];
	struct hps_reader *r;
	struct hps_reader_options o = HPS_READER_OPTIONS;
	o.cache_bytes = cache;
	if (hps_open(&r, path, &o, why, sizeof why) < 0)
		die(path, why);
	return r;
}

static struct hps_key key_of(struct hps_reader *r, const char *name, enum hps_type type)
{
	struct hps_key k;
	if (hps_key_resolve(r, 0, name, type, NULL, &k) < 0)
		die(name, hps_reader_error(r));
	return k;
}

static double best(double a, double b)
{
	return a > b ? a : b;
}

static double read_all(const char *path)
{
	double t0 = now(), sum = 0;
	struct hps_reader *r = open_file(path, 0);
	struct hps_cursor c = hps_begin(r, 0);
	struct hps_key yaw = key_of(r, "yaw", HPS_F32);
	struct hps_message m;
	uint64_t n = 0;
	while (hps_next(&c, &m) == 1) {
		sum += (double)hps_get_f32(yaw, &m);
		n++;
	}
	if (n != samples)
		die(path, "samples are missing");
	hps_close(r);
	sink = sum;
	return (double)n / (now() - t0);
}

/* us per jump by number, by time every other one, and the sample read there */
static double jumps(const char *path, size_t cache, uint64_t low, uint64_t n, int turns, bool warm)
{
	struct hps_reader *r = open_file(path, cache);
	struct hps_cursor c = hps_begin(r, 0);
	struct hps_key seq = key_of(r, "seq", HPS_U64);
	struct hps_message m;
	uint32_t x = 12345;
	if (warm)
		while (hps_next(&c, &m) == 1)
			;
	double t0 = now();
	for (int i = 0; i < turns; i++) {
		uint64_t at = low + (uint64_t)noise(&x) % n;
		if ((i & 1 ? hps_seek_time(&c, (int64_t)at * 4000000) : hps_seek_number(&c, at)) != 1 ||
		    hps_next(&c, &m) != 1 || (uint64_t)hps_get_i64(seq, &m) != at)
			die(path, "a jump went wrong");
	}
	double by = now() - t0;
	hps_close(r);
	return by / turns * 1e6;
}

static void bench_jumps(const char *path, const char *kind, bool packed)
{
	char name[64];
	struct hps_reader *r = open_file(path, 0);
	struct hps_chunk c;
	uint64_t low = 0, n = 0;
	size_t one = 0;
	/* ten chunks in the middle */
	struct hps_info info;
	hps_get_info(r, &info);
	for (size_t i = info.chunks / 2; i < info.chunks / 2 + 10 && hps_chunk_at(r, i, &c); i++) {
		low = n ? low : c.first;
		n += c.messages;
		one = (size_t)c.raw_size + 8 * (size_t)c.messages + 512; /* with its lists */
	}
	hps_close(r);
	int turns = packed ? 3000 : 30000;
	if (packed) {
		snprintf(name, sizeof name, "jump_whole_file_%s", kind);
		row(name, jumps(path, 0, 0, samples, turns, false), "us", 250, -1, "1970..3105 us");
	} else {
		snprintf(name, sizeof name, "jump_whole_file_%s_in_memory", kind);
		row(name, jumps(path, (size_t)1 << 31, 0, samples, 1000000, true), "us", 1, -1, "1970..3105 us");
		snprintf(name, sizeof name, "jump_whole_file_%s_no_cache", kind);
		row(name, jumps(path, 0, 0, samples, turns, false), "us", 0, -1, "1970..3105 us");
	}
	static const char *const peers[] = { "1859..2530 us", "1960..3013 us", "1657..2237 us", "573..912 us",
		                             "92..863 us" };
	static const int chunks[] = { 0, 2, 5, 10, 20 };
	double none = 0;
	for (int i = 0; i < 5; i++) {
		double a = jumps(path, one * (size_t)chunks[i], low, n, turns, false),
		       b = jumps(path, one * (size_t)chunks[i], low, n, turns, false), us = a < b ? a : b;
		none = i ? none : us * 1.15; /* noise of a shared machine */
		snprintf(name, sizeof name, "jump_10_chunks_%s_cache_%d", kind, chunks[i]);
		row(name, us, "us", i ? none : 0, -1, peers[i]);
	}
}

static double opening(const char *path, int first)
{
	double least = 1e9;
	for (int i = 0; i < 10; i++) {
		double t0 = now();
		struct hps_reader *r = open_file(path, 0);
		struct hps_cursor c = hps_begin(r, 0);
		struct hps_message m;
		for (int k = 0; k < first && hps_next(&c, &m) == 1; k++)
			sink = m.data[4];
		double by = now() - t0;
		hps_close(r);
		least = by < least ? by : least;
	}
	return least * 1e3;
}

static void bench_keys(void)
{
	struct hps_reader *r = open_file(raw_path, (size_t)1 << 30);
	struct hps_cursor c = hps_begin(r, 0);
	struct hps_message m;
	struct hps_key k = { 0 };
	double t0 = now();
	for (int i = 0; i < 1000000; i++)
		hps_key_resolve(r, 0, fields[4 + i % 8].name, HPS_F32, NULL, &k);
	row("key_resolve", (now() - t0) * 1e3, "ns", 0, -1, "28..38 ns");
	hps_next(&c, &m);
	double least = 1e9;
	for (int turn = 0; turn < 5; turn++) {
		/* four sums, or the time of an addition would be measured */
		float s0 = 0, s1 = 0, s2 = 0, s3 = 0;
		struct hps_key yaw = key_of(r, "yaw", HPS_F32);
		c = hps_begin(r, 0);
		hps_next(&c, &m);
		struct hps_message own = m;             /* in registers, as in a function of one's own */
#define REAL_LOAD __asm__ volatile("" : "+r"(own.data)) /* it might be another message every time */
		t0 = now();
		for (int i = 0; i < 12500000; i++) {
			s0 += hps_get_f32(yaw, &own);
			REAL_LOAD;
			s1 += hps_get_f32(yaw, &own);
			REAL_LOAD;
			s2 += hps_get_f32(yaw, &own);
			REAL_LOAD;
			s3 += hps_get_f32(yaw, &own);
			REAL_LOAD;
		}
		double by = (now() - t0) / 50000000 * 1e9;
		sink = (double)(s0 + s1 + s2 + s3);
		least = by < least ? by : least;
	}
	row("property_get_isolated", least, "ns", 1, -1, "0.76..1.08 ns");
	/* 200,000 samples, three properties each, chunks in memory */
	struct hps_key a = key_of(r, "yaw", HPS_F32), b = key_of(r, "pitch", HPS_F32), d = key_of(r, "roll", HPS_F32);
	least = 1e9;
	uint64_t n = samples < 200000 ? samples : 200000;
	for (int turn = 0; turn < 16; turn++) {
		double sum = 0;
		c = hps_begin(r, 0);
		t0 = now();
		for (uint64_t i = 0; i < n && hps_next(&c, &m) == 1; i++)
			sum += (double)(hps_get_f32(a, &m) + hps_get_f32(b, &m) + hps_get_f32(d, &m));
		double by = (now() - t0) / (double)(3 * n) * 1e9;
		sink = sum;
		if (turn)
			least = by < least ? by : least;
	}
	row("property_get_scan", least, "ns", 4, -1, "14.3..21.7 ns");
	hps_close(r);
}

/* Peak memory of a process that does just this, MB. */
static double memory(void (*work)(uint64_t), uint64_t n)
{
	struct rusage use;
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		work(n);
		_exit(0);
	}
	if (pid < 0 || wait4(pid, &status, 0, &use) < 0 || status)
		die("memory", "the measured process failed");
	return (double)use.ru_maxrss / 1024;
}

static char extra_path[500];
static void work_nothing(uint64_t n)
{
	(void)n;
}
static void work_write(uint64_t n)
{
	write_file(extra_path, HPS_NONE, n, NULL);
}
static void work_read(uint64_t n)
{
	struct hps_reader *r = open_file(extra_path, (size_t)4 << 20);
	struct hps_cursor c = hps_begin(r, 0);
	struct hps_message m;
	uint64_t got = 0;
	while (hps_next(&c, &m) == 1)
		got++;
	if (got != n)
		_exit(1);
}

/* headpipe's own sample message: 216 bytes of message, all fields exact. */
static void bench_own(enum hps_compression packing, const char *kind, bool text)
{
	char name[64];
	struct hps_writer *w;
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct hp_sample s = HP_SAMPLE_INIT;
	uint64_t n = samples / 4;
	uint32_t x = 99;
	o.compression = packing;
	o.chunk_ns = INT64_MAX;
	unlink(extra_path);
	if (hps_create(&w, extra_path, &o) < 0)
		die(extra_path, "cannot create");
	int channel = hps_add_samples(w, text, NULL);
	double t0 = now();
	for (uint64_t i = 0; i < n; i++) {
		s.seq = i;
		s.time_ns = s.arrival_ns = (int64_t)i * 4000000;
		s.flags = HP_ROTVEC | HP_YPR | HP_GYRO;
		for (int k = 0; k < 3; k++) {
			s.rotvec[k] = (double)(int16_t)(noise(&x) & 0xff) * 9.587379924285257e-05;
			s.gyro[k] = (double)(int16_t)(noise(&x) & 0x1f) * 9.765923032318823e-04;
			s.ypr[k] = s.rotvec[k] * 57.29577951308232;
			s.quat[k + 1] = s.rotvec[k] * 0.5;
		}
		hps_write_sample(w, channel, &s);
	}
	if (hps_finish(w) < 0)
		die(extra_path, "cannot write");
	double by = now() - t0;
	FILE *f = fopen(extra_path, "rb");
	fseek(f, 0, SEEK_END);
	snprintf(name, sizeof name, "own_sample_write_%s", kind);
	row(name, (double)n / by, "samples/s", 0, 1, NULL);
	snprintf(name, sizeof name, "own_sample_size_%s", kind);
	row(name, (double)ftell(f) / (double)n, "B/sample", 0, -1, NULL);
	fclose(f);
}

int main(int argc, char **argv)
{
	const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
	if (argc == 6 && !strcmp(argv[1], "--part"))
		return bench_part(argv[2], atoi(argv[3]), strtoll(argv[4], NULL, 10), strtoull(argv[5], NULL, 10));
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			json = true;
		else if (!strcmp(argv[i], "--cpu"))
			clock_id = CLOCK_PROCESS_CPUTIME_ID;
		else if (!strcmp(argv[i], "--samples") && i + 1 < argc)
			samples = strtoull(argv[++i], NULL, 10);
		else if (!strcmp(argv[i], "--folder") && i + 1 < argc)
			folder = argv[++i];
		else
			die(argv[i], "usage: headpipe-bench-session [--json] [--cpu] [--samples N] [--folder DIR]");
	}
	if (samples < 20000)
		die("--samples", "at least 20000");
	/* its own, for two that run in different containers may have one number and one /tmp */
	char own[450];
	snprintf(own, sizeof own, "%.400s/headpipe-bench-XXXXXX", folder);
	if (!mkdtemp(own))
		die(folder, strerror(errno));
	folder = own;
	snprintf(raw_path, sizeof raw_path, "%.420s/headpipe-bench-%d.mcap", folder, (int)getpid());
	snprintf(zstd_path, sizeof zstd_path, "%.420s/headpipe-bench-%d-zstd.mcap", folder, (int)getpid());
	snprintf(extra_path, sizeof extra_path, "%.420s/headpipe-bench-%d-x.mcap", folder, (int)getpid());
	make_set();
	if (!json)
		printf("%" PRIu64 " samples of %d fields, %d bytes; in %s\n%-34s %12s %-10s %-16s %s\n", samples,
		       FIELDS, SIZE, folder, "row", "value", "unit", "goal", "VTX SDK (see docs/recording.md)");
	/* memory first, while this process is small: a child starts with its parent's pages */
	double floor_mb = memory(work_nothing, 0);
	double w1 = memory(work_write, samples / 4), r1 = memory(work_read, samples / 4);
	double w2 = memory(work_write, samples), r2 = memory(work_read, samples);

	double rate = 0, worst;
	for (int i = 0; i < 3; i++)
		rate = best(rate, write_file(raw_path, HPS_NONE, samples, NULL));
	row("write_none", rate, "samples/s", 5e6, 1, "313..341 k/s");
	write_file(raw_path, HPS_NONE, samples, &worst);
	row("write_worst_call_none", worst * 1e3, "ms", 11.2, -1, "11.2..12.4 ms");
	row("size_none", (double)file_size / (double)samples, "B/sample", 0, -1, "127.8..236.2 B");
	if (HP_HAVE_ZSTD) {
		rate = 0;
		for (int i = 0; i < 2; i++)
			rate = best(rate, write_file(zstd_path, HPS_ZSTD, samples, NULL));
		row("write_zstd", rate, "samples/s", 1.2e6, 1, "107..166 k/s");
		write_file(zstd_path, HPS_ZSTD, samples, &worst);
		row("write_worst_call_zstd", worst * 1e3, "ms", 32.9, -1, "32.9..43.6 ms");
		row("size_zstd", (double)file_size / (double)samples, "B/sample", 0, -1, "84.1..92.6 B");
	}
	rate = 0;
	for (int i = 0; i < 5; i++)
		rate = best(rate, read_all(raw_path));
	row("read_sequential_none", rate, "samples/s", 15e6, 1, "486..552 k/s");
	if (HP_HAVE_ZSTD) {
		rate = 0;
		for (int i = 0; i < 3; i++)
			rate = best(rate, read_all(zstd_path));
		row("read_sequential_zstd", rate, "samples/s", 0, 1, "544..559 k/s");
	}
	row("open", opening(raw_path, 0), "ms", 2, -1, "38..49 ms");
	row("open_and_first_1000", opening(raw_path, 1000), "ms", 0, -1, "29..66 ms");
	bench_jumps(raw_path, "none", false);
	if (HP_HAVE_ZSTD)
		bench_jumps(zstd_path, "zstd", true);
	bench_keys();
	shift = 1;
	write_file(extra_path, HPS_NONE, samples, NULL);
	bench_differ(raw_path, extra_path, samples, now);
	row("memory_of_an_idle_process", floor_mb, "MB", 0, -1, NULL);
	row("memory_writing_a_quarter", w1, "MB", 0, -1, NULL);
	row("memory_writing_all", w2, "MB", w1 + 2, -1, NULL);
	row("memory_reading_a_quarter", r1, "MB", 0, -1, NULL);
	row("memory_reading_all", r2, "MB", r1 + 2, -1, NULL);
	bench_own(HPS_NONE, "none", false);
	if (HP_HAVE_ZSTD)
		bench_own(HPS_ZSTD, "zstd", false);
	bench_own(HPS_NONE, "json", true);
	bench_recording(argv[0], extra_path, now);
	bench_large(argv[0], folder, samples / 10 * 32);
	unlink(raw_path);
	unlink(zstd_path);
	unlink(extra_path);
	rmdir(own);
	return 0;
}
