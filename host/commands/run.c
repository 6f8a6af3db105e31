/* SPDX-License-Identifier: MIT
 * run.c - `headpipe run`: runs one or more configurations until every input has ended or a signal comes. */
#include "base/clock.h"
#include "base/log.h"
#include "commands/shared/load.h"
#include "config/options.h"
#include "graph/advice.h"
#include "graph/graph.h"
#include "run/crash.h"
#include "run/life.h"
#include "run/live.h"
#include "run/loop.h"
#include "run/output.h"
#include "run/perf.h"
#include "run/realtime.h"
#include "run/request.h"
#include "run/started.h"
#include <signal.h>
#include <string.h>

struct arguments {
	struct hp_texts files, assignments;
	int64_t for_ns; /* 0 = until the inputs end */
	bool quiet, perf, report;
	const char *perf_log; /* NULL = none */
};

static const struct hp_arg arguments[] = {
	HP_ARG("FILE", HP_OPT_TEXTS(struct arguments, files, 1, 1000, "an ini file")),
	HP_ARG("-s", HP_OPT_TEXTS(struct arguments, assignments, 0, 256, "sets an option as if it stood in the file"),
	       .value = "section.key=value"),
	HP_ARG("--for", HP_OPT_NS(struct arguments, for_ns, "", 0.001, HP_ARG_LONG, "ends after that time")),
	HP_ARG("-q", HP_OPT_BOOL(struct arguments, quiet, "no", "only warnings and errors on stderr")),
	HP_ARG("--perf",
	       HP_OPT_BOOL(
	           struct arguments, perf, "no",
	           "latency of every sample per stage, how late replayed and made-up ones are, processor time; at the "
	           "end and on SIGUSR2")),
	HP_ARG("--perf-log", HP_OPT_PATH(struct arguments, perf_log, "", "the same as one CSV row per sample")),
	HP_ARG("--report", HP_OPT_BOOL(struct arguments, report, "no", "how long each phase of the start took")),
	HP_ARG_END,
};

struct control { /* signals and --for; handles of the loop that are the command's own */
	struct hp_run *run;
	const struct arguments *arguments;
	uv_signal_t signals[5];
	uv_timer_t end;
};

static void on_signal(uv_signal_t *s, int number)
{
	struct control *c = s->data;
	if (number == SIGUSR1) {
		hp_log(HP_LOG_INFO, NULL, "recentered");
		hp_recenter(c->run);
	} else if (number == SIGHUP) {
		hp_live_reload(c->run, c->arguments->assignments.at, c->arguments->assignments.n);
	} else if (number == SIGUSR2) {
		if (c->arguments->perf)
			hp_perf_print(c->run->perf, stderr);
	} else {
		hp_life_stop(c->run);
	}
}

static void on_end(uv_timer_t *t)
{
	hp_life_stop(t->data);
}

static void take_control(struct control *c)
{
	static const int numbers[5] = { SIGINT, SIGTERM, SIGUSR1, SIGHUP, SIGUSR2 };
	for (size_t i = 0; i < 5; i++) {
		uv_signal_init(&c->run->loop->uv, &c->signals[i]);
		c->signals[i].data = c;
		uv_signal_start(&c->signals[i], on_signal, numbers[i]);
	}
	uv_timer_init(&c->run->loop->uv, &c->end);
	c->end.data = c->run;
	if (c->arguments->for_ns)
		uv_timer_start(&c->end, on_end, (uint64_t)(c->arguments->for_ns / 1000000), 0);
}

/* Before the loop runs and while it ends: a key bound to `pkill -USR1` must not kill a run that opens a device or
 * writes its last records. */
static void ignore_wishes(void)
{
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
}

static void leave_control(struct control *c)
{
	for (size_t i = 0; i < 5; i++)
		uv_close((uv_handle_t *)&c->signals[i], NULL);
	uv_close((uv_handle_t *)&c->end, NULL);
	ignore_wishes();
}

static void say_counts(const struct hp_run *run)
{
	for (size_t i = 0; i < run->nnodes; i++) {
		const struct hp_node *n = run->nodes[i];
		char more[200] = "";
		if (n->trouble.total)
			snprintf(more, sizeof more, ", %llu failed", (unsigned long long)n->trouble.total);
		if (n->counts.lost)
			snprintf(more, sizeof more, ", %llu lost", (unsigned long long)n->counts.lost);
		if (n->counts.not_finite)
			snprintf(more + strlen(more), sizeof more - strlen(more), ", %llu not finite",
			         (unsigned long long)n->counts.not_finite);
		uint64_t waited = hp_output_unwritten(n),
		         out = n->counts.out - (waited < n->counts.out ? waited : n->counts.out);
		if (n->counts.dropped)
			snprintf(more + strlen(more), sizeof more - strlen(more), ", %llu not sent",
			         (unsigned long long)n->counts.dropped);
		if (waited)
			snprintf(more + strlen(more), sizeof more - strlen(more), ", %llu not written",
			         (unsigned long long)waited);
		if (n->kind == HP_INPUT)
			hp_log(HP_LOG_INFO, n->who, "%llu samples%s", (unsigned long long)n->counts.in, more);
		else if (n->kind == HP_OUTPUT)
			hp_log(HP_LOG_INFO, n->who, "%llu of %llu samples%s", (unsigned long long)out,
			       (unsigned long long)n->counts.in, more);
	}
}

static void log_advice(const struct hp_node *n, enum hp_level level, const char *text)
{
	hp_log(level, n->who, "%s", text);
}

static int start_perf(struct hp_run *run, const struct arguments *a, const int64_t began_ns[2])
{
	if (!a->perf && !a->report && !a->perf_log)
		return 0;
	run->perf = hp_perf_new(a->perf_log);
	if (!run->perf)
		return -1;
	hp_perf_mark(run->perf, HP_MARK_START, began_ns[0]);
	hp_perf_mark(run->perf, HP_MARK_MAIN, began_ns[1]);
	hp_perf_mark(run->perf, HP_MARK_CONFIGURED, hp_now());
	return 0;
}

static void end_perf(struct hp_run *run, const struct arguments *a)
{
	if (a->report)
		hp_perf_report(run->perf, stderr);
	if (a->perf)
		hp_perf_print(run->perf, stderr);
	hp_perf_free(run->perf);
	run->perf = NULL;
}

static int run(void *state)
{
	const struct arguments *a = state;
	struct hp_run run = { 0 };
	struct hp_config config = { 0 };
	const int64_t began[2] = { hp_started_ns(), hp_now() };
	ignore_wishes();
	int status = hp_load(&run, &config, &a->files, &a->assignments, "nothing was started");
	if (status) {
		hp_unload(&run, &config);
		return status;
	}
	run.quiet = a->quiet;
	hp_settings_apply(&run);
	hp_advise(&run, log_advice);
	hp_realtime_apply(&run);
	hp_crash_watch();
	if (start_perf(&run, a, began) < 0) {
		hp_unload(&run, &config);
		return 1;
	}
	struct control control = { .run = &run, .arguments = a };
	bool opened = hp_life_open(&run) >= 0;
	if (!opened) {
		run.exit_code = 1;
	} else {
		if (run.perf)
			hp_perf_mark(run.perf, HP_MARK_OPENED, hp_now());
		take_control(&control);
		hp_life_run(&run);
		leave_control(&control);
	}
	end_perf(&run, a);
	hp_life_end(&run);
	if (opened)
		say_counts(&run);
	status = run.exit_code;
	hp_unload(&run, &config);
	return status;
}

const struct hp_command hp_command_run = {
	.name = "run",
	.summary = "run a pipeline until its inputs end or Ctrl-C",
	.arguments = arguments,
	.help = "signals: SIGUSR1 recenters, SIGHUP reads the files again (options that may change while running) and\n"
	        "reopens output files, SIGINT and SIGTERM end the run.\n",
	.exits = "0 every input has ended or the run was stopped, 1 something failed while running, 2 wrong usage or "
	         "configuration, nothing was started",
	.state_size = sizeof(struct arguments),
	.run = run,
};
