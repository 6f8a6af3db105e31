/* SPDX-License-Identifier: MIT
 * harness.h - a whole run inside a unit test: ini text to a graph of probe modules (tests/unit/modules), opened, driven
 * and ended as the program would. Log lines and what the probes report are kept as text. One test program includes it
 * once. */
#ifndef HARNESS_H
#define HARNESS_H
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
/* hp_host has a fail() of its own */
#undef fail
#undef fail_msg
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), _fail(__FILE__, __LINE__))

#include "base/clock.h"
#include "base/log.h"
#include "graph/graph.h"
#include "graph/ini.h"
#include "modules/probe.h"
#include "run/life.h"
#include "run/limit.h"
#include "run/live.h"
#include "run/loop.h"
#include "run/output.h"
#include "run/pipeline.h"
#include "run/post.h"
#include "run/request.h"

struct bench {
	struct hp_config config;
	struct hp_errors errors;
	struct hp_run run;
};

/* ---- text: the log, and what happened in which order ---- */

static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER;
static char logged[64 * 1024], traced[64 * 1024];

static inline void text_add(char *all, size_t room, const char *line, const char *end)
{
	pthread_mutex_lock(&text_lock);
	size_t used = strlen(all);
	snprintf(all + used, room - used, "%s%s", line, end);
	pthread_mutex_unlock(&text_lock);
}
static inline void log_sink(void *arg, enum hp_level level, const char *line)
{
	(void)arg, (void)level;
	text_add(logged, sizeof logged, line, "\n");
}
/* One word of what happened; words are separated by blanks. */
__attribute__((format(printf, 1, 2))) static inline void trace(const char *fmt, ...)
{
	char word[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(word, sizeof word, fmt, ap);
	va_end(ap);
	text_add(traced, sizeof traced, *traced ? " " : "", word);
}
static inline size_t count_text(const char *all, const char *what)
{
	size_t n = 0;
	for (const char *at = all; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}
#define assert_log_has(what)                                                 \
	do {                                                                 \
		if (!strstr(logged, what))                                   \
			fail_msg("no \"%s\" in the log:\n%s", what, logged); \
	} while (0)
#define assert_traced(what)                        \
	do {                                       \
		assert_string_equal(traced, what); \
		*traced = 0;                       \
	} while (0)

/* ---- building ---- */

static inline void bench_modules(void)
{
	char exe[1024], folder[1100];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
	assert_true(n > 0);
	exe[n] = 0;
	for (int up = 0; up < 2; up++)
		*strrchr(exe, '/') = 0;
	snprintf(folder, sizeof folder, "%s/modules", exe);
	setenv("HEADPIPE_MODULES", folder, 1);
	setenv("HOME", "/nonexistent", 1);
}

/* Several texts make several files: a.ini, b.ini, ... Returns the number of errors. */
static inline int bench_try(struct bench *b, const char *const *inis, size_t n)
{
	static const char *const names[] = { "a.ini", "b.ini", "c.ini" };
	memset(b, 0, sizeof *b);
	bench_modules();
	*logged = *traced = 0;
	hp_log_to(log_sink, NULL);
	hp_log_level(HP_LOG_DEBUG);
	for (size_t i = 0; i < n; i++)
		hp_config_parse(&b->config, inis[i], strlen(inis[i]), names[i], &b->errors);
	hp_graph_build(&b->run, &b->config, &b->errors);
	return b->errors.count;
}
static inline void bench_free(struct bench *b)
{
	hp_graph_free(&b->run);
	hp_config_free(&b->config);
	hp_errors_free(&b->errors);
}
static inline void bench_build(struct bench *b, const char *ini)
{
	if (bench_try(b, &ini, 1))
		fail_msg("%s", b->errors.text);
}
/* Everything the graph says about a wrong ini. */
static inline void assert_errors(const char *ini, const char *expected)
{
	struct bench b;
	bench_try(&b, &ini, 1);
	assert_string_equal(b.errors.text ? b.errors.text : "", expected);
	bench_free(&b);
}
/* Of any kind; outputs and filters may share a name, then "filter pose". */
static inline struct hp_node *node(struct bench *b, const char *name)
{
	for (size_t i = 0; i < b->run.nall; i++)
		if (!strcmp(b->run.nodes[i]->name, name) || !strcmp(b->run.nodes[i]->who, name))
			return b->run.nodes[i];
	fail_msg("no node %s", name);
	return NULL;
}
static inline struct probe *probe(struct bench *b, const char *name)
{
	return node(b, name)->state;
}
static inline struct probe *probe_encoder(struct bench *b, const char *name)
{
	return node(b, name)->encoder_state;
}

/* ---- running ---- */

static inline uv_loop_t *bench_loop(struct bench *b)
{
	return &b->run.loop->uv;
}
static inline void bench_open(struct bench *b)
{
	assert_int_equal(hp_life_open(&b->run), 0);
}
/* After this emit() works, without a loop that runs. */
static inline void bench_start(struct bench *b)
{
	bench_open(b);
	for (size_t i = 0; i < b->run.nnodes; i++)
		b->run.nodes[i]->phase = HP_STARTED;
}
/* Lets the loop handle what is due, without waiting for more. */
static inline void bench_turn(struct bench *b)
{
	uv_run(bench_loop(b), UV_RUN_NOWAIT);
}
static inline void bench_end(struct bench *b)
{
	hp_life_end(&b->run);
	assert_null(strstr(logged, "did not close"));
	assert_null(strstr(logged, "was left open"));
	bench_free(b);
}
static inline struct hp_sample pose(int64_t time_ns, double yaw)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	s.time_ns = time_ns;
	s.arrival_ns = 1;
	s.quat[0] = cos(yaw * M_PI / 360);
	s.quat[3] = sin(yaw * M_PI / 360);
	s.ypr[0] = yaw;
	s.rotvec[2] = yaw * M_PI / 180;
	s.flags = HP_YPR | HP_ROTVEC;
	return s;
}
static inline int emit_sample(struct bench *b, const char *input, const struct hp_sample *s)
{
	struct hp_node *n = node(b, input);
	return n->host.emit(&n->host,
	                    &(struct hp_item){ .struct_size = sizeof(struct hp_item), .nsamples = 1, .samples = s });
}
static inline int emit_pose(struct bench *b, const char *input, int64_t time_ns, double yaw)
{
	struct hp_sample s = pose(time_ns, yaw);
	return emit_sample(b, input, &s);
}
static inline int emit_event(struct bench *b, const char *input, uint32_t type, int64_t value, const char *text)
{
	struct hp_node *n = node(b, input);
	struct hp_event e = { .struct_size = sizeof e, .type = type, .value = value, .text = text };
	return n->host.emit(&n->host, &(struct hp_item){ .struct_size = sizeof(struct hp_item), .event = &e });
}

/* Hooks that report: "game:s3" for a sample (yaw as the number), "game:r2" for a report (its size), "game:e1" for an
 * event (its type). */
static inline int trace_write(struct probe *p, const struct hp_sample *s)
{
	trace("%s:s%.6g", p->host->name, s->ypr[0]);
	return 0;
}
static inline int trace_filter(struct probe *p, struct hp_sample *s)
{
	trace("%s:s%.6g", p->host->name, s->ypr[0]);
	return HP_KEEP;
}
static inline void trace_raw(struct probe *p, const struct hp_raw *r)
{
	trace("%s:r%u", p->host->name, r->size);
}
static inline void trace_event(struct probe *p, const struct hp_event *e)
{
	trace("%s:e%u", p->host->name, e->type);
}
static inline void trace_all(struct bench *b)
{
	for (size_t i = 0; i < b->run.nnodes; i++) {
		struct probe *p = b->run.nodes[i]->state;
		p->on_write = trace_write;
		p->on_filter = trace_filter;
		p->on_raw = trace_raw;
		p->on_event = trace_event;
	}
}
#endif
