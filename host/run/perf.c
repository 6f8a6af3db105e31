/* SPDX-License-Identifier: MIT
 * perf.c - latency histograms of fixed size: 16 steps per power of two of nanoseconds, so a value is known to 1/16. */
#include "perf.h"
#include "base/clock.h"
#include "base/log.h"
#include "io/writer.h"
#include "started.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 16, BUCKETS = 64 * STEPS };
enum stage { READ_EMIT, EMIT_OUTPUT, OUTPUT_SENT, READ_SENT, STAGES };
static const char *const stage_names[STAGES] = { "read -> emit", "filters", "outputs", "read -> sent" };
static const char late_name[] = "due -> emit";

struct histogram {
	uint64_t count, buckets[BUCKETS];
	int64_t max;
};
struct hp_perf {
	struct histogram stages[STAGES], late;
	int64_t emitted, at_output;
	int64_t due_ns, late_ns; /* of the sample on its way; due 0 and late -1 = nobody said */
	int64_t marks[HP_MARKS];
	struct hp_sink *log;
};
struct row {
	uint64_t seq;
	int64_t time_ns, stage[STAGES], late;
};

static int64_t between(int64_t from, int64_t to)
{
	return to > from ? to - from : 0;
}

/* Below 16 every value has a bucket of its own; above, the four bits behind the leading one choose it. */
static size_t bucket_of(int64_t ns)
{
	uint64_t v = (uint64_t)ns;
	if (v < STEPS)
		return (size_t)v;
	int top = 63 - __builtin_clzll(v);
	return (size_t)(top - 3) * STEPS + (size_t)(v >> (top - 4) & (STEPS - 1));
}

static int64_t middle_of(size_t bucket)
{
	if (bucket < STEPS)
		return (int64_t)bucket;
	int top = (int)(bucket / STEPS) + 3;
	int64_t low = (int64_t)(STEPS + bucket % STEPS) << (top - 4), width = (int64_t)1 << (top - 4);
	return low + width / 2;
}

static void add(struct histogram *h, int64_t ns)
{
	if (ns < 0)
		ns = 0;
	h->count++;
	h->buckets[bucket_of(ns)]++;
	if (ns > h->max)
		h->max = ns;
}

static int64_t percentile(const struct histogram *h, double part)
{
	uint64_t want = (uint64_t)((double)h->count * part), seen = 0;
	for (size_t i = 0; i < BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen > want)
			return middle_of(i) < h->max ? middle_of(i) : h->max;
	}
	return h->max;
}

/* ---- the log, formatted on the writer thread ------------------------------------------------------------------- */

static int log_row(void *ctx, const void *record, size_t size)
{
	struct row r;
	memcpy(&r, record, size < sizeof r ? size : sizeof r);
	int n = fprintf(ctx, "%" PRIu64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 ",", r.seq,
	                r.time_ns, r.stage[READ_EMIT], r.stage[EMIT_OUTPUT], r.stage[OUTPUT_SENT], r.stage[READ_SENT]);
	/* empty when it was due at no particular time */
	if (n >= 0)
		n = r.late < 0 ? fputs("\n", ctx) : fprintf(ctx, "%" PRId64 "\n", r.late);
	return n < 0 ? -errno : 0;
}

static int log_flush(void *ctx)
{
	return fflush(ctx) ? -errno : 0;
}

static void log_close(void *ctx, uint64_t lost)
{
	if (lost)
		hp_log(HP_LOG_WARN, NULL, "perf log: %" PRIu64 " rows were lost because the queue to the disk was full",
		       lost);
	if (fclose(ctx))
		hp_log(HP_LOG_ERROR, NULL, "perf log: %s", strerror(errno));
}

static const struct hp_sink_ops log_ops = { log_row, log_flush, log_close };

static struct hp_sink *open_log(const char *path)
{
	FILE *f = fopen(path, "we");
	struct hp_sink *s = f ? hp_sink_open(&log_ops, f, 1 << 20, path, NULL) : NULL;
	if (!s) {
		hp_log(HP_LOG_ERROR, NULL, "%s: %s", path, strerror(errno));
		if (f)
			fclose(f);
		return NULL;
	}
	fputs("seq,time_ns,read_to_emit_ns,filters_ns,outputs_ns,read_to_sent_ns,late_ns\n", f);
	return s;
}

struct hp_perf *hp_perf_new(const char *log_path)
{
	struct hp_perf *p = calloc(1, sizeof *p);
	if (p && log_path && !(p->log = open_log(log_path))) {
		free(p);
		return NULL;
	}
	return p;
}

void hp_perf_free(struct hp_perf *p)
{
	if (p && p->log)
		hp_sink_close(p->log);
	free(p);
}

/* ---- a sample passes --------------------------------------------------------------------------------------------- */

void hp_perf_mark(struct hp_perf *p, enum hp_mark mark, int64_t now_ns)
{
	if (!p->marks[mark])
		p->marks[mark] = now_ns;
}

void hp_perf_due(struct hp_perf *p, int64_t due_ns)
{
	p->due_ns = due_ns;
}

void hp_perf_emitted(struct hp_perf *p, const struct hp_sample *s)
{
	p->emitted = hp_now();
	p->late_ns = p->due_ns ? between(p->due_ns, p->emitted) : -1;
	if (p->due_ns)
		add(&p->late, p->late_ns);
	p->due_ns = 0;
	p->at_output = 0;
	hp_perf_mark(p, HP_MARK_SAMPLE, s->arrival_ns);
}

void hp_perf_at_output(struct hp_perf *p)
{
	if (!p->at_output)
		p->at_output = hp_now();
}

void hp_perf_sent(struct hp_perf *p, const struct hp_sample *s)
{
	int64_t now = hp_now();
	if (!p->at_output)
		return; /* a filter dropped it */
	struct row r = { .seq = s->seq,
		         .time_ns = s->time_ns,
		         .stage = { between(s->arrival_ns, p->emitted), p->at_output - p->emitted, now - p->at_output,
		                    between(s->arrival_ns, now) },
		         .late = p->late_ns };
	for (size_t i = 0; i < STAGES; i++)
		add(&p->stages[i], r.stage[i]);
	hp_perf_mark(p, HP_MARK_SENT, now);
	if (p->log)
		hp_sink_push(p->log, &r, sizeof r);
}

/* ---- results -------------------------------------------------------------------------------------------------- */

static void print_row(const char *name, const struct histogram *h, FILE *out)
{
	fprintf(out, "%-14s %10" PRIu64 " %9.2f %9.2f %9.2f %9.2f\n", name, h->count, (double)percentile(h, 0.5) / 1e3,
	        (double)percentile(h, 0.95) / 1e3, (double)percentile(h, 0.99) / 1e3, (double)h->max / 1e3);
}

void hp_perf_print(const struct hp_perf *p, FILE *out)
{
	fprintf(out, "%-14s %10s %9s %9s %9s %9s   us\n", "stage", "samples", "p50", "p95", "p99", "max");
	for (size_t i = 0; i < STAGES; i++)
		print_row(stage_names[i], &p->stages[i], out);
	if (p->late.count)
		print_row(late_name, &p->late, out);
	if (!p->marks[HP_MARK_START])
		return;
	double used = (double)hp_used_ns(), wall = (double)between(p->marks[HP_MARK_START], hp_now());
	uint64_t n = p->stages[READ_SENT].count;
	fprintf(out, "CPU %.3f ms in %.3f s since the process began", used / 1e6, wall / 1e9);
	if (wall > 0)
		fprintf(out, ", %.2f %%", 100 * used / wall);
	if (n)
		fprintf(out, ", %.2f us for each sample, start included", used / 1e3 / (double)n);
	fputc('\n', out);
}

void hp_perf_report(const struct hp_perf *p, FILE *out)
{
	static const char *const names[HP_MARKS] = { "",       "program",      "configuration", "modules",
		                                     "device", "first sample", "first sent" };
	int64_t at = p->marks[0];
	fprintf(out, "%-14s %9s %9s   ms\n", "start-up", "took", "since 0");
	for (size_t i = 1; i < HP_MARKS; i++) {
		if (!p->marks[i]) {
			fprintf(out, "%-14s %9s %9s\n", names[i], "-", "-");
			continue;
		}
		/* a device's thread may have read the first sample before the modules after it were open */
		int64_t took = between(at, p->marks[i]);
		at += took;
		fprintf(out, "%-14s %9.3f %9.3f\n", names[i], (double)took / 1e6, (double)(at - p->marks[0]) / 1e6);
	}
}
