/* SPDX-License-Identifier: MIT
 * calibrate.c - `headpipe calibrate`: asks for four motions and says how the sensor sits; from a live device or from a
 * recording. The pipeline is a real one, with an output behind the input that looks on. */
#include "calibrate/calibrate.h"
#include "base/log.h"
#include "commands/shared/load.h"
#include "commands/shared/tool.h"
#include "graph/graph.h"
#include "pose/pose.h"
#include "run/life.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct arguments {
	const char *input, *session, *write;
	struct hp_texts sets;
	int64_t patience;
};
static const struct hp_arg arguments[] = {
	HP_ARG("--input",
	       HP_OPT_STR(struct arguments, input, "",
	                  "the input module that gives the poses; else hid, or that of the ini"),
	       .value = "MODULE"),
	HP_ARG("--session", HP_OPT_STR(struct arguments, session, "", "a recording of the motions instead of a device"),
	       .value = "FILE"),
	HP_ARG("-s", HP_OPT_TEXTS(struct arguments, sets, 0, 64, "an option of the input"), .value = "key=value"),
	HP_ARG("--write",
	       HP_OPT_STR(struct arguments, write, "",
	                  "put the values into this ini, into its [filter mount] or a new one; comments stay"),
	       .value = "INI"),
	HP_ARG("--patience", HP_OPT_NS(struct arguments, patience, "2min", 1, 86400, "give up after so long")),
	HP_ARG_END,
};

/* One run of the command, so one of it: what the output is called with carries no argument of ours. */
static struct {
	struct hp_cal cal;
	struct hp_run *run;
	bool live, said_start, given_up;
	uint64_t samples;
	int64_t patience;
} look;

static void ask(void)
{
	static const char *const what[] = {
		"Look straight ahead, the head upright, and keep still.",
		"Nod: look down, and come back.",
		"Turn to the left, and come back.",
		"Tilt: the right ear towards the right shoulder, and come back.",
		"That is all.",
	};
	if (look.live) {
		printf("%d of 4: %s\n", look.cal.step < HP_CAL_DONE ? look.cal.step + 1 : 4, what[look.cal.step]);
		fflush(stdout);
	}
}
static int take(void *self, const struct hp_sample *s)
{
	(void)self;
	double rotvec[3];
	struct hp_sample copy = *s;
	hp_quat_to_rotvec(copy.quat, rotvec);
	if (!look.samples++)
		ask();
	bool changed = hp_cal_feed(&look.cal, s->time_ns, rotvec, s->flags & HP_GYRO ? s->gyro : NULL);
	if (changed && look.cal.trouble && look.live)
		printf("Once more: %s.\n", look.cal.trouble);
	if (changed)
		ask();
	if (look.cal.step == HP_CAL_DONE)
		hp_life_stop(look.run);
	return 0;
}

static void out_of_patience(void *arg)
{
	(void)arg;
	look.given_up = true;
	hp_life_stop(look.run);
}
static int open_look(void *self, const struct hp_host *host)
{
	(void)self;
	struct hp_timer *t = look.live ? host->timer(host, out_of_patience, NULL) : NULL;
	if (!look.live)
		return 0;
	puts("Waiting for the tracker; Ctrl-C ends this.");
	fflush(stdout);
	return t ? host->timer_at(t, host->now(host) + look.patience) : -ENOMEM;
}

/* ---- the pipeline ---------------------------------------------------------------------------------------------- */

static void add_quoted(char *ini, size_t size, const char *key, const char *text)
{
	size_t n = strlen(ini);
	n += (size_t)snprintf(ini + n, size - n, "%s = \"", key);
	for (; *text && n + 4 < size; text++) {
		if (*text == '"' || *text == '\\')
			ini[n++] = '\\';
		ini[n++] = *text;
	}
	snprintf(ini + n, size - n, "\"\n");
}
/* With --write and nothing else, the input is that of the ini: its section is copied. */
static int input_of(const char *path, char *ini, size_t size)
{
	struct hp_config c = { 0 };
	struct hp_errors errors = { 0 };
	hp_config_read(&c, path, &errors);
	int status = errors.count ? 2 : 0;
	if (status)
		fputs(errors.text ? errors.text : "", stderr);
	const struct hp_section *s = NULL;
	for (size_t i = 0; !s && i < c.nsections; i++)
		if (!strcmp(c.sections[i].kind, "input"))
			s = &c.sections[i];
	if (!status && !s)
		status = tool_fail("calibrate", path, "it has no [input ...]");
	if (!status) {
		snprintf(ini, size, "[input head]\n");
		if (!hp_section_get(s, "use"))
			add_quoted(ini, size, "use", s->name);
		for (size_t i = 0; i < s->npairs; i++)
			add_quoted(ini, size, s->pairs[i].key, s->pairs[i].value);
	}
	hp_errors_free(&errors);
	hp_config_free(&c);
	return status;
}
static int build(const struct arguments *a, struct hp_run *run, struct hp_config *config)
{
	char ini[4 * PATH_MAX] = "", path[PATH_MAX];
	struct hp_errors errors = { 0 };
	if (a->session) {
		if (!realpath(a->session, path))
			return tool_fail("calibrate", a->session, "%s", strerror(errno));
		snprintf(ini, sizeof ini, "[input head]\nuse = replay\nspeed = 0\n");
		add_quoted(ini, sizeof ini, "path", path);
	} else if (a->write && !a->input) {
		int status = input_of(a->write, ini, sizeof ini);
		if (status)
			return status;
	} else {
		snprintf(ini, sizeof ini, "[input head]\n");
		add_quoted(ini, sizeof ini, "use", a->input ? a->input : "hid");
	}
	snprintf(ini + strlen(ini), sizeof ini - strlen(ini), "[output look]\nuse = null\n");
	hp_config_parse(config, ini, strlen(ini), "calibrate", &errors);
	for (size_t i = 0; i < a->sets.n; i++) {
		char set[HP_LINE_MAX];
		snprintf(set, sizeof set, "input.head.%s", a->sets.at[i]);
		hp_config_set(config, set, &errors);
	}
	hp_graph_build(run, config, &errors);
	int count = errors.count;
	if (count)
		fputs(errors.text ? errors.text : "", stderr);
	hp_errors_free(&errors);
	return count ? 2 : 0;
}
static int watch(const struct arguments *a)
{
	static struct hp_module front;
	struct hp_run run = { 0 };
	struct hp_config config = { 0 };
	int status = build(a, &run, &config);
	look.run = &run;
	for (size_t i = 0; !status && i < run.nnodes; i++)
		if (run.nodes[i]->kind == HP_OUTPUT) {
			front = *run.nodes[i]->module;
			front.open = open_look;
			front.write = take;
			run.nodes[i]->module = &front;
		}
	if (!status) {
		run.quiet = true;
		hp_log_level(HP_LOG_WARN);
		if (hp_life_open(&run) < 0)
			run.exit_code = 1;
		else
			hp_life_run(&run);
		hp_life_end(&run);
		status = run.exit_code;
	}
	hp_unload(&run, &config);
	return status;
}

/* ---- the answer ------------------------------------------------------------------------------------------------ */

static const char *how_sure(double degrees)
{
	return degrees < 8    ? "sure"
	       : degrees < 15 ? "fairly sure"
	                      : "not sure; try again, each motion about one axis only";
}
static void tell(const struct hp_cal_answer *a)
{
	static const char *const names[] = { "", "nod", "turn", "tilt" };
	for (int i = HP_CAL_NOD; i <= HP_CAL_TILT; i++)
		printf("%-4s  %3.0f degrees, %3.0f %% of them about one axis\n", names[i], look.cal.motion[i].degrees,
		       100 * look.cal.motion[i].steady);
	if (a->problem) /* what follows from the motions means nothing then */
		return;
	printf("axes  within %.1f degrees of right angles, the vertical within %.1f: %s\n", a->error, a->level,
	       how_sure(fmax(a->error, a->level)));
	if (!look.cal.has_gyro)
		printf("gyro  none was measured\n");
	else if (a->gyro_cosine < 0.8)
		printf("gyro  does not turn as the pose does (agreement %.2f); nothing is said about it\n",
		       a->gyro_cosine);
	else
		printf("gyro  agreement %.3f, scale %.3f%s\n", a->gyro_cosine, a->gyro_gain,
		       a->gyro_gain > 0.8 && a->gyro_gain < 1.25 ? "" : "; 1 would be right: another unit than rad/s?");
	putchar('\n');
}
/* Written beside the ini and put in its place, so that it is never half an ini. */
static int write_ini(const char *path, const struct hp_cal_answer *a)
{
	char new_path[PATH_MAX], real[PATH_MAX];
	struct stat st;
	const char *why = NULL;
	FILE *f = realpath(path, real) ? fopen(real, "rb") : NULL;
	if (!f || fstat(fileno(f), &st))
		return tool_fail("calibrate", path, "%s", strerror(errno));
	char *text = calloc(1, (size_t)st.st_size + 1);
	if (text)
		text[fread(text, 1, (size_t)st.st_size, f)] = 0;
	fclose(f);
	char *edited = text ? hp_cal_edit(text, a, &why) : NULL;
	free(text);
	if (!edited)
		return tool_fail("calibrate", path, "%s", why ? why : "out of memory");
	int status = 1;
	if ((size_t)snprintf(new_path, sizeof new_path, "%s.new-XXXXXX", real) < sizeof new_path) {
		int fd = mkstemp(new_path);
		f = fd < 0 ? NULL : fdopen(fd, "wb");
		bool good = f && !fchmod(fd, st.st_mode & 0777) && fputs(edited, f) >= 0 && !fflush(f) && !fsync(fd);
		if (f && (fclose(f) || !good || rename(new_path, real))) {
			status = tool_fail("calibrate", path, "%s", strerror(errno));
			unlink(new_path);
		} else if (!f) {
			status = tool_fail("calibrate", path, "%s", strerror(errno));
		} else {
			status = 0;
			printf("%s is changed; `headpipe check %s` shows it\n", path, path);
		}
	}
	free(edited);
	return status;
}
extern const struct hp_command hp_command_calibrate;

static int calibrate(void *state)
{
	const struct arguments *a = state;
	if (a->session && a->input)
		return hp_usage_error(&hp_command_calibrate, "--input and --session exclude each other");
	struct hp_cal_answer answer;
	look.cal.buffer = calloc(HP_CAL_SAMPLES, sizeof *look.cal.buffer);
	if (!look.cal.buffer)
		return tool_fail("calibrate", "headpipe", "out of memory");
	look.live = !a->session;
	look.patience = a->patience;
	int status = watch(a);
	const char *what = a->session ? a->session : a->input ? a->input : a->write ? a->write : "hid";
	if (!status) {
		hp_cal_solve(&look.cal, &answer);
		if (!look.samples)
			status = tool_fail("calibrate", what, "it gave no poses%s",
			                   look.given_up ? "; `headpipe doctor` says why" : "");
		else if (look.cal.step != HP_CAL_DONE)
			status = tool_fail("calibrate", what, "%s%s%s: %d of the 4 steps were seen",
			                   look.given_up ? "time is up" : "it ended", look.cal.trouble ? "; " : "",
			                   look.cal.trouble ? look.cal.trouble : "", look.cal.step);
	}
	if (!status) {
		if (answer.problem)
			status = tool_fail("calibrate", what, "no answer: %s", answer.problem);
		tell(&answer);
	}
	if (!status && !a->write) {
		char text[512];
		hp_cal_section(&answer, text, sizeof text);
		fputs(text, stdout);
	} else if (!status) {
		status = write_ini(a->write, &answer);
	}
	free(look.cal.buffer);
	return status;
}

const struct hp_command hp_command_calibrate = {
	.name = "calibrate",
	.summary = "find out how a sensor sits on the head, from four motions",
	.arguments = arguments,
	.help = "Asks to look straight ahead, nod, turn left and tilt right, and prints the section [filter mount]\n"
	        "that makes the head's pose of what the sensor sends: order and signs of its axes, the tilt with\n"
	        "which it sits, and the gyroscope's axes where they differ. In a recording the same motions are\n"
	        "looked for in the same order.\n",
	.state_size = sizeof(struct arguments),
	.run = calibrate,
};
