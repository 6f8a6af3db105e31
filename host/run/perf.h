/* SPDX-License-Identifier: MIT
 * perf.h - `run --perf`, `--perf-log` and `--report`: latency of every sample per stage, how late those are that an
 * input gives by the clock, processor time, and how long the start took. No time that is told is negative: a stamp that
 * lies ahead counts as 0. [loop] */
#ifndef HP_PERF_H
#define HP_PERF_H
#include "headpipe.h"
#include <stdio.h>

/* Marks of the start, in the order they are passed. */
enum hp_mark {
	HP_MARK_START, /* fork, see started.h */
	HP_MARK_MAIN,
	HP_MARK_CONFIGURED,
	HP_MARK_OPENED,
	HP_MARK_CONNECTED,
	HP_MARK_SAMPLE,
	HP_MARK_SENT,
	HP_MARKS
};

struct hp_perf;
/* log_path: one row per sample goes there, or NULL. NULL: out of memory or the file cannot be made (logged). */
struct hp_perf *hp_perf_new(const char *log_path);
void hp_perf_free(struct hp_perf *);
/* The first call per mark counts. */
void hp_perf_mark(struct hp_perf *, enum hp_mark, int64_t now_ns);

/* The next sample that is emitted was due then: an input that gives samples by the clock says so. */
void hp_perf_due(struct hp_perf *, int64_t due_ns);
/* A sample passes: emitted, then the first output takes it, then the last output has sent it. */
void hp_perf_emitted(struct hp_perf *, const struct hp_sample *);
void hp_perf_at_output(struct hp_perf *);
void hp_perf_sent(struct hp_perf *, const struct hp_sample *);

/* A table: count, p50, p95, p99, max of every stage, us; then, when HP_MARK_START is known, processor and wall time of
 * the process since then. */
void hp_perf_print(const struct hp_perf *, FILE *);
/* The phases of the start, ms. */
void hp_perf_report(const struct hp_perf *, FILE *);
#endif
