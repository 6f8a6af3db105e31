/* SPDX-License-Identifier: MIT
 * exec.c - samples from the standard output of a program, one JSON object per line. */
#include "base/lines.h"
#include "door.h"
#include "io/child.h"
#include "json_sample.h"
#include "run/inside.h"
#include <errno.h>
#include <string.h>

enum { LINE_MAX_BYTES = 64 * 1024 };

struct exec {
	struct hp_child_options options;
	int clock;

	const struct hp_host *host;
	struct hp_child child;
	struct hp_lines lines;
	char device[HP_JSON_DEVICE_MAX], label[64];
	bool connected, jump, over;
	uint32_t reset_count;
	int64_t arrival;
	struct hp_door door;
	uint64_t line, good, bad, bad_told;
	int64_t bad_second;
};
static const struct hp_option options[] = {
	HP_CHILD_OPTIONS(struct exec, options, "failure"),
	HP_OPT_ENUM(struct exec, clock, "arrival", "arrival|program",
	            "time of a sample: when its line arrived, or `time_ns` of the line (on CLOCK_MONOTONIC)"),
	HP_OPT_END
};

static void event(struct exec *e, uint32_t type, int64_t value, const char *text)
{
	struct hp_event ev = {
		.struct_size = sizeof ev, .type = type, .time_ns = e->arrival, .value = value, .text = text
	};
	e->host->emit(e->host, &(struct hp_item){ .struct_size = sizeof(struct hp_item), .event = &ev });
}

static void describe(struct exec *e)
{
	const char *device = *e->device ? e->device : e->label;
	e->host->describe(e->host, &(struct hp_stream){ .struct_size = sizeof(struct hp_stream), .device = device });
	event(e, HP_CONNECTED, 0, device);
	e->connected = e->jump = true;
}

/* At most once a second, with how many there were meanwhile. */
static void complain(struct exec *e, const char *why)
{
	char text[400];
	int64_t second = e->host->now(e->host) / 1000000000;
	e->bad++;
	if (second == e->bad_second && e->bad > 1)
		return;
	e->bad_second = second;
	snprintf(text, sizeof text, "line %llu of the program: %s; line dropped", (unsigned long long)e->line, why);
	if (e->bad - e->bad_told > 1)
		snprintf(text + strlen(text), sizeof text - strlen(text), " (and %llu before it)",
		         (unsigned long long)(e->bad - e->bad_told - 1));
	e->bad_told = e->bad;
	e->host->log(e->host, HP_LOG_WARN, text);
}

static void take_line(void *arg, const char *text, size_t n, bool cut)
{
	struct exec *e = arg;
	struct hp_json_sample got;
	char why[200];
	e->line++;
	if (e->over || (!n && !cut)) /* an empty line is not worth a word */
		return;
	if (cut) {
		complain(e, "longer than 65536 bytes");
		return;
	}
	if (hp_json_to_sample(text, n, &got, why, sizeof why) < 0) {
		complain(e, why);
		return;
	}
	if (e->clock == 1 && !got.has_time) {
		complain(e, "no time_ns in it, which clock = program needs");
		return;
	}
	int64_t step = 0;
	enum hp_door_says says = e->clock == 1 ? hp_door_judge(&e->door, &got.sample, e->arrival, &step) : HP_DOOR_GOOD;
	if (says == HP_DOOR_LATE || says == HP_DOOR_DUPLICATE)
		return;
	bool renamed = *got.device && strcmp(got.device, e->device);
	if (renamed)
		memcpy(e->device, got.device, sizeof e->device);
	if (renamed || !e->connected) /* it counts as connected from its first sample on */
		describe(e);
	if (e->clock == 0)
		got.sample.time_ns = e->arrival;
	if (says == HP_DOOR_STEP)
		event(e, HP_CLOCK_STEP, step, "the program's clock was set");
	got.sample.arrival_ns = e->arrival;
	if (!got.has_reset_count)
		got.sample.reset_count = e->reset_count;
	if (e->good && got.sample.reset_count != e->reset_count) {
		event(e, HP_REFERENCE_RESET, got.sample.reset_count, NULL);
		e->jump = true;
	}
	e->reset_count = got.sample.reset_count;
	got.sample.flags |= e->jump ? HP_JUMP : 0u;
	e->jump = false;
	e->good++;
	int r = e->host->emit(e->host, &(struct hp_item){
	                                   .struct_size = sizeof(struct hp_item),
	                                   .nsamples = 1,
	                                   .samples = &got.sample,
	                               });
	if (r == -EPIPE)
		e->over = true;
}

static void output(void *arg, const char *data, size_t n)
{
	struct exec *e = arg;
	e->arrival = e->host->now(e->host);
	hp_lines_feed(&e->lines, data, n, take_line, e);
}

static void started(void *arg)
{
	struct exec *e = arg;
	e->line = 0;
	e->connected = false;
	hp_door_again(&e->door);
}

static void ended(void *arg)
{
	struct exec *e = arg;
	hp_lines_end(&e->lines, take_line, e);
	if (!e->over && e->connected)
		event(e, HP_DISCONNECTED, 0, "the program has ended");
}

static const struct hp_child_ops ops = { .output = output, .started = started, .ended = ended };

static int exec_open(void *self, const struct hp_host *host)
{
	struct exec *e = self;
	e->host = host;
	snprintf(e->label, sizeof e->label, "program %s", host->name);
	int r = hp_lines_init(&e->lines, LINE_MAX_BYTES);
	if (r == 0)
		r = hp_child_open(&e->child, host, hp_inside_loop(host), &e->options, &ops, e, 0, 0);
	if (r < 0) {
		hp_child_stop(&e->child);
		hp_child_close(&e->child);
		hp_lines_free(&e->lines);
	}
	return r;
}

static int exec_start(void *self)
{
	struct exec *e = self;
	return hp_child_start(&e->child);
}

static void exec_stop(void *self)
{
	struct exec *e = self;
	hp_child_stop(&e->child);
	e->over = true;
}

static void exec_close(void *self)
{
	struct exec *e = self;
	char text[200];
	if (hp_door_summary(&e->door, text, sizeof text))
		e->host->log(e->host, HP_LOG_WARN, text);
	if (e->bad) {
		snprintf(text, sizeof text, "%llu samples, %llu lines that were none", (unsigned long long)e->good,
		         (unsigned long long)e->bad);
		e->host->log(e->host, HP_LOG_WARN, text);
	}
	hp_lines_free(&e->lines);
	hp_child_close(&e->child);
}

HP_MODULE(exec) = {
	HP_MODULE_HEAD,     .kind = HP_INPUT,
	.name = "exec",     .summary = "samples from a program's standard output, one JSON object per line",
	.options = options, .state_size = sizeof(struct exec),
	.open = exec_open,  .start = exec_start,
	.stop = exec_stop,  .close = exec_close,
};
