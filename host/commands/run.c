/* SPDX-License-Identifier: MIT
 * run.c - `headpipe run`: runs one or more configurations until every input has ended or a signal comes. */
#include "base/clock.h"
#include "commands.h"
#include "run/crash.h"
#include "graph/graph.h"
#include "run/life.h"
#include "run/live.h"
#include "base/log.h"
#include "config/options.h"
#include "run/perf.h"
#include "run/request.h"
#include "run/realtime.h"
#include <signal.h>
#include <string.h>

struct arguments {
	char **files;
	size_t nfiles;
	const char *assignments[256];
	size_t nassignments;
	int64_t for_ns; /* 0 = until the inputs end */
	bool quiet, perf, report;
	const char *perf_log; /* NULL = none */
};

static int read_arguments(struct arguments *a, int argc, char **argv)
{
	static const struct hp_option seconds = { "--for", NULL, "", NULL, 0.001, 1e9, HP_REAL, 0, 0, sizeof(double) };
	char why[128];
	double s;
	a->files = argv; /* the names move to the front */
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-s")) {
			if (i + 1 == argc || a->nassignments == 256)
				return hp_usage_error("run", "-s needs section.key=value");
			a->assignments[a->nassignments++] = argv[++i];
		} else if (!strcmp(argv[i], "--for")) {
			if (i + 1 == argc || hp_option_parse(&seconds, argv[i + 1], NULL, &s, NULL, why, sizeof why))
				return hp_usage_error("run", "--for needs a number of seconds, 0.001 to 1e9");
			a->for_ns = (int64_t)(s * 1e9);
			i++;
		} else if (!strcmp(argv[i], "-q")) {
			a->quiet = true;
		} else if (!strcmp(argv[i], "--perf")) {
			a->perf = true;
		} else if (!strcmp(argv[i], "--report")) {
			a->report = true;
		} else if (!strcmp(argv[i], "--perf-log")) {
			if (i + 1 == argc)
				return hp_usage_error("run", "--perf-log needs a file name");
			a->perf_log = argv[++i];
		} else if (*argv[i] == '-' && argv[i][1]) {
			return hp_usage_error("run", "unknown option %s", argv[i]);
		} else {
			argv[a->nfiles++] = argv[i];
		}
	}
	return a->nfiles ? 0 : hp_usage_error("run", "which file?");
}

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
		hp_log(HP_INFO, NULL, "recentered");
		hp_recenter(c->run);
	} else if (number == SIGHUP) {
		hp_live_reload(c->run, c->arguments->assignments, c->arguments->nassignments);
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
		uv_signal_init(&c->run->loop, &c->signals[i]);
		c->signals[i].data = c;
		uv_signal_start(&c->signals[i], on_signal, numbers[i]);
	}
	uv_timer_init(&c->run->loop, &c->end);
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
		char more[128] = "";
		if (n->trouble.total)
			snprintf(more, sizeof more, ", %llu failed", (unsigned long long)n->trouble.total);
		if (n->lost)
			snprintf(more, sizeof more, ", %llu lost", (unsigned long long)n->lost);
		if (n->not_finite)
			snprintf(more + strlen(more), sizeof more - strlen(more), ", %llu not finite",
			         (unsigned long long)n->not_finite);
		if (n->kind == HP_INPUT)
			hp_log(HP_INFO, n->who, "%llu samples%s", (unsigned long long)n->samples_in, more);
		else if (n->kind == HP_OUTPUT)
			hp_log(HP_INFO, n->who, "%llu of %llu samples%s", (unsigned long long)n->samples_out,
			       (unsigned long long)n->samples_in, more);
	}
}

static int start_perf(struct hp_run *run, const struct arguments *a, int64_t begin_ns)
{
	if (!a->perf && !a->report && !a->perf_log)
		return 0;
	run->perf = hp_perf_new(a->perf_log);
	if (!run->perf)
		return -1;
	hp_perf_mark(run->perf, HP_MARK_START, begin_ns);
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

int cmd_run(int argc, char **argv)
{
	struct arguments a = { 0 };
	struct hp_run run = { 0 };
	struct hp_config config = { 0 };
	int64_t begin = hp_now();
	ignore_wishes();
	int status = read_arguments(&a, argc, argv);
	if (status)
		return status;
	status = hp_load(&run, &config, a.files, a.nfiles, a.assignments, a.nassignments, "nothing was started");
	if (status) {
		hp_unload(&run, &config);
		return status;
	}
	run.quiet = a.quiet;
	hp_log_level(hp_settings_level(&run));
	hp_realtime_apply(&run);
	hp_crash_watch();
	if (start_perf(&run, &a, begin) < 0) {
		hp_unload(&run, &config);
		return 1;
	}
	struct control control = { .run = &run, .arguments = &a };
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
	end_perf(&run, &a);
	hp_life_end(&run);
	if (opened)
		say_counts(&run);
	status = run.exit_code;
	hp_unload(&run, &config);
	return status;
}
