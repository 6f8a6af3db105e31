/* SPDX-License-Identifier: MIT
 * recording.c - the bench's rows about a recording as the output `session` makes it by default: the bundled motion,
 * decoded, reports and samples, again and again with later times. */
#include "bench.h"
#include "have.h"
#include "headpipe-session.h"
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { MOST = 5000, TIMES = 50 };
struct message {
	uint8_t data[HPS_SAMPLE_SIZE];
	uint32_t size;
	bool sample;
	int64_t time;
};
static struct message all[MOST];
static size_t n_all, n_samples;

static void import(const char *self, const char *hid, const char *path)
{
	char program[600];
	pid_t pid;
	int status;
	const char *slash = strrchr(self, '/');
	snprintf(program, sizeof program, "%.*s/headpipe", slash ? (int)(slash - self) : 1, slash ? self : ".");
	char *const words[] = { program,
		                (char *)(uintptr_t) "import",
		                (char *)(uintptr_t)hid,
		                (char *)(uintptr_t) "-o",
		                (char *)(uintptr_t)path,
		                NULL };
	posix_spawn_file_actions_t quiet;
	if (posix_spawn_file_actions_init(&quiet) ||
	    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0) ||
	    posix_spawn(&pid, program, &quiet, NULL, words, environ) || waitpid(pid, &status, 0) < 0 || status)
		die(program, "cannot import the bundled recording");
	posix_spawn_file_actions_destroy(&quiet);
}

static void load(const char *path)
{
	char why[300];
	struct hps_reader *r;
	struct hps_message m;
	if (hps_open(&r, path, NULL, why, sizeof why) < 0)
		die(path, why);
	int samples = hps_channel_find(r, HPS_TOPIC_SAMPLE), reports = hps_channel_find(r, HPS_TOPIC_REPORTS);
	struct hps_cursor c = hps_begin(r, -1);
	while (n_all < MOST && hps_next(&c, &m) == 1) {
		if ((m.channel != samples && m.channel != reports) || m.size > HPS_SAMPLE_SIZE)
			continue;
		struct message *x = &all[n_all++];
		memcpy(x->data, m.data, m.size);
		x->size = m.size;
		x->time = m.time;
		x->sample = m.channel == samples;
		n_samples += x->sample;
	}
	hps_close(r);
	if (!n_samples)
		die(path, "has no samples");
}

/* Samples/s. */
static double write_all(const char *path, enum hps_compression packing, double (*now)(void))
{
	struct hps_writer *w;
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	o.compression = packing;
	unlink(path);
	if (hps_create(&w, path, &o) < 0)
		die(path, "cannot create");
	int samples = hps_add_samples(w, false, NULL), reports = hps_add_reports(w, NULL);
	int64_t span = all[n_all - 1].time - all[0].time + 10000000;
	double t0 = now();
	for (int turn = 0; turn < TIMES; turn++)
		for (size_t i = 0; i < n_all; i++) {
			struct message *x = &all[i];
			int64_t time = x->time + span * turn;
			if (x->sample) /* time_ns */
				memcpy(x->data + 12, &time, 8);
			hps_write(w, x->sample ? samples : reports, time, x->data, x->size);
		}
	if (hps_finish(w) < 0)
		die(path, "cannot write");
	return (double)n_samples * TIMES / (now() - t0);
}

static double read_all(const char *path, double (*now)(void))
{
	char why[300];
	struct hps_reader *r;
	struct hps_message m;
	size_t n = 0;
	double t0 = now();
	if (hps_open(&r, path, NULL, why, sizeof why) < 0)
		die(path, why);
	struct hps_cursor c = hps_begin(r, -1);
	while (hps_next(&c, &m) == 1)
		n++;
	double by = now() - t0;
	hps_close(r);
	if (n != n_all * TIMES)
		die(path, "messages are missing");
	return (double)n_samples * TIMES / by;
}

void bench_recording(const char *self, const char *path, double (*now)(void))
{
	static const struct {
		enum hps_compression packing;
		const char *name;
		double size, rate; /* goals */
	} kinds[] = { { HPS_NONE, "none", 0, 0 }, { HPS_ZSTD, "zstd", 0, 0 }, { HPS_LEAN, "lean", 60, 1.2e6 } };
	char name[60];
	struct stat st;
	unlink(path);
	import(self, "conf/head-motion.hid", path);
	load(path);
	for (size_t k = 0; k < (HP_HAVE_ZSTD ? 3 : 1); k++) {
		double written = 0, got = 0;
		for (int i = 0; i < 3; i++) {
			double rate = write_all(path, kinds[k].packing, now);
			written = rate > written ? rate : written;
			rate = read_all(path, now);
			got = rate > got ? rate : got;
		}
		if (stat(path, &st))
			die(path, "is gone");
		snprintf(name, sizeof name, "recording_size_%s", kinds[k].name);
		row(name, (double)st.st_size / (double)(n_samples * TIMES), "B/sample", kinds[k].size, -1, NULL);
		snprintf(name, sizeof name, "recording_write_%s", kinds[k].name);
		row(name, written, "samples/s", kinds[k].rate, 1, NULL);
		snprintf(name, sizeof name, "recording_read_%s", kinds[k].name);
		row(name, got, "samples/s", 0, 1, NULL);
	}
}
