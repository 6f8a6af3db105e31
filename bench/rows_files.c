/* SPDX-License-Identifier: MIT
 * rows_files.c - csv rows, the console's line, and reading a recording's text. */
#include "bench.h"
#include "inputs/replay/recorder.h"
#include "pipe.h"
#include "run/pipeline.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LINES = 2000 };
static struct bench_pipe csv, console;
static char recording[] = "/tmp/headpipe-bench-XXXXXX";
static struct hp_hid_recorder *recorder;

static void emit(struct bench_pipe *p, long n)
{
	for (long i = 0; i < n; i++) {
		struct hp_item item = { .struct_size = sizeof item,
			                .nsamples = 1,
			                .samples = &bench_data.filtered[i % BENCH_RING] };
		hp_pipeline_emit(p->input, &item);
	}
}
static void run_csv(long n)
{
	emit(&csv, n);
}
static void run_console(long n)
{
	emit(&console, n);
}

/* Gives the writer thread time to write: the row measures the loop's side. */
static void let_write(void)
{
	nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
}

static void run_recorder(long n)
{
	struct hp_hid_record r;
	for (long i = 0; i < n; i++)
		if (hp_hid_recorder_next(recorder, &r) == 1)
			bench_sink += r.size;
}

static void rewind_recording(void)
{
	if (hp_hid_recorder_rewind(recorder))
		bench_die("the recording cannot be rewound");
}

static double write_recording(void)
{
	int fd = mkstemp(recording);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "w");
	if (!f)
		bench_die("no file in /tmp");
	fprintf(f, "R: 6 05 20 09 e1 a1 00\nN: bench\n");
	long start = ftell(f);
	for (int i = 0; i < LINES; i++) {
		fprintf(f, "E: %06d.%06d 14", i / 100, i % 100 * 10000);
		for (int k = 0; k < 14; k++)
			fprintf(f, " %02x", bench_data.report[i % BENCH_RING][k]);
		fprintf(f, "\n");
	}
	double bytes = (double)(ftell(f) - start) / LINES;
	fclose(f);
	return bytes;
}

void bench_rows_files(void)
{
	char why[HID_RECORDER_WHY];
	bench_pipe_open(&csv, "[input head]\nuse = synth\n[output tape]\nuse = csv\npath = /dev/null\n");
	bench_pipe_open(&console, "[input head]\nuse = synth\n[output show]\nuse = console\n");
	double bytes = write_recording();
	if (hp_hid_recorder_open(&recorder, recording, NULL, NULL, why, sizeof why))
		bench_die(why);
	unlink(recording);
	hp_hid_recorder_select(recorder, HID_RECORDER_ALL);
	bench_add((struct bench_row){ "csv", "csv output, default columns; the loop's side", run_csv, NULL, let_write,
	                              200, 0, true });
	bench_add((struct bench_row){ "console", "console output; draws 20 times a second", run_console, NULL, NULL,
	                              4000, 0, false });
	bench_add((struct bench_row){ "recorder_line", "hid-recorder text: one event line", run_recorder, NULL,
	                              rewind_recording, LINES, bytes, false });
}

void bench_end_files(void)
{
	bench_pipe_close(&csv);
	bench_pipe_close(&console);
	hp_hid_recorder_close(recorder);
}
