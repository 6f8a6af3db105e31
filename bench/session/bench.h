/* SPDX-License-Identifier: MIT
 * bench.h - what the session bench's parts share. */
#ifndef BENCH_SESSION_H
#define BENCH_SESSION_H
#include <stdint.h>

/* One line of the table. goal: 0 = none; better: +1 more is better, -1 less is better. */
void row(const char *name, double value, const char *unit, double goal, int better, const char *peer);
_Noreturn void die(const char *what, const char *why);
/* Rows about a large session, as whole processes: n reports with their samples (3.2 million make 1 GB) in a file in
 * `folder`, which is removed again. self: this program, as it was started. */
void bench_large(const char *self, const char *folder, uint64_t n);
/* What bench_large() starts: `--part FILE CHANNEL FROM`, reads the part from there to the end as export does and prints
 * messages and chunks read; most: stop after so many messages. */
int bench_part(const char *path, int channel, int64_t from, uint64_t most);
/* Two files of n samples each that differ in every one. */
void bench_differ(const char *one, const char *other, uint64_t n, double (*now)(void));
/* A default recording of the bundled motion; path: a file that may be replaced. */
void bench_recording(const char *self, const char *path, double (*now)(void));
#endif
