/* SPDX-License-Identifier: MIT
 * judge.c - `headpipe judge`: what the filters of inis make of a recording, in figures and as a drawing. */
#include "base/alloc.h"
#include "commands/shared/json.h"
#include "commands/shared/tool.h"
#include "inputs/decode/tracker.h"
#include "inputs/replay/source.h"
#include "judge/picture.h"
#include "pose/pose.h"
#include <errno.h>
#include <math.h>

struct arguments {
	const char *file, *svg;
	struct hp_texts inis;
	bool json;
};

static const struct hp_arg arguments[] = {
	HP_ARG("FILE", HP_OPT_STR(struct arguments, file, NULL, "the recording: a session file or hid-recorder text")),
	HP_ARG("INI", HP_OPT_TEXTS(struct arguments, inis, 0, JUDGE_RUNS,
	                           "inis whose filters are tried; none: a few that everybody has")),
	HP_ARG("--json", HP_OPT_BOOL(struct arguments, json, "no", "the figures as JSON")),
	HP_ARG("--svg", HP_OPT_PATH(struct arguments, svg, "", "a drawing; - is standard output"), .value = "FILE.svg"),
	HP_ARG_END,
};

extern const struct hp_command hp_command_judge;

/* Axes and centre as `orientation` has them, but nothing that the others would be blamed for. */
#define FRONT "[input synth]\n[filter mount]\naxis_map = YXZ\ninvert = XZ\n[filter center]\nsettle = 0s\n"
static const struct {
	const char *name, *ini;
} usual[] = {
	{ "as measured", FRONT "[output null]\n" },
	{ "orientation, as it comes", "[input synth]\n[filter orientation]\n[output null]\n" },
	{ "accela", FRONT "[filter accela]\n[output null]\n" },
	{ "one_euro", FRONT "[filter one_euro]\n[output null]\n" },
	{ "kalman", FRONT "[filter kalman]\n[output null]\n" },
	{ "kalman, resample", FRONT "[filter kalman]\n[filter resample]\n[output null]\n" },
};

/* ---- the recording ------------------------------------------------------------------------------------------------
 */

static void warn(void *arg, const char *text)
{
	(void)arg;
	fprintf(stderr, "headpipe judge: %s\n", text);
}

static int plan(struct tracker *t, const struct report_source *s, char *why, size_t size)
{
	struct hp_hid_descriptor d;
	if (s->samples)
		return 0;
	if (hp_hid_descriptor_parse(&d, s->descriptor, s->descriptor_size, why, size))
		return -1;
	int rc = tracker_open(t, &d, why, size);
	hp_hid_descriptor_free(&d);
	return rc;
}

static void add_event(struct judge_recording *rec, uint32_t type, int64_t time_ns)
{
	judge_recording_add(
	    rec, &(struct judge_item){
	             .event = { .struct_size = sizeof(struct hp_event), .type = type, .time_ns = time_ns } });
}

static void add_sample(struct judge_recording *rec, const struct hp_sample *given, bool jump)
{
	struct judge_item item = { .sample = *given };
	if (item.sample.flags & HP_ROTVEC && !(given->quat[0] || given->quat[1] || given->quat[2] || given->quat[3]))
		hp_quat_from_rotvec(given->rotvec, item.sample.quat);
	item.sample.arrival_ns = item.sample.time_ns;
	if (jump)
		item.sample.flags |= HP_JUMP;
	judge_recording_add(rec, &item);
}

/* Everything that the device sent. 0, or -1 with why. */
static int read_all(struct report_source *s, struct judge_recording *rec, char *why, size_t size)
{
	struct tracker t;
	struct report r;
	bool jump = true, reset;
	int rc;
	if (plan(&t, s, why, size))
		return -1;
	tracker_connect(&t, s->rate_start_ns);
	add_event(rec, HP_CONNECTED, s->connected_ns);
	while ((rc = s->next(s, &r)) == 1) {
		struct hp_sample sample;
		if (r.event) {
			if (r.event->type == HP_CONNECTED && plan(&t, s, why, size))
				return -1;
			if (r.event->type == HP_CONNECTED)
				tracker_connect(&t, s->rate_start_ns);
			jump |= r.event->type == HP_CONNECTED || r.event->type == HP_GAP ||
			        r.event->type == HP_REFERENCE_RESET;
			if (r.event->type != HP_OPTION)
				add_event(rec, r.event->type, r.event->time_ns);
			continue;
		}
		if (r.sample) {
			add_sample(rec, r.sample, jump);
		} else {
			if (!tracker_report(&t, r.time_ns, r.data, r.size, &sample, &reset))
				continue;
			if (reset)
				add_event(rec, HP_REFERENCE_RESET, r.time_ns);
			hp_quat_from_rotvec(sample.rotvec, sample.quat);
			add_sample(rec, &sample, jump || reset);
		}
		jump = false;
	}
	if (rc < 0)
		snprintf(why, size, "%s", s->why);
	return rc;
}

static int read_recording(const char *path, struct judge_recording *rec)
{
	char why[REPORT_SOURCE_WHY] = "";
	struct report_source_ask ask = { .path = path, .device = -1, .warn = warn };
	struct report_source *s = NULL;
	int rc = report_source_open(&s, &ask, why, sizeof why);
	if (rc == 0)
		rc = read_all(s, rec, why, sizeof why);
	if (s)
		s->close(s);
	if (rc < 0)
		fprintf(stderr, "headpipe judge: %s\n", why); /* names the file */
	return rc;
}

/* ---- inis
 * ------------------------------------------------------------------------------------------------------------- */

static char *read_file(const char *path, size_t *size)
{
	FILE *f = fopen(path, "rb");
	char *text = NULL;
	size_t room = 0, n;
	*size = 0;
	if (!f)
		return NULL;
	do {
		room += 65536;
		text = hp_need(realloc(text, room));
		n = fread(text + *size, 1, room - *size, f);
		*size += n;
	} while (n && *size < (1u << 20));
	if (ferror(f)) {
		free(text);
		text = NULL;
	}
	fclose(f);
	return text;
}

static int judge_one(const struct judge_recording *rec, const char *ini, size_t size, const char *name,
                     const char *file, struct judge_run *run)
{
	struct hp_errors errors = { 0 };
	char why[400];
	int rc = judge_recording_run(rec, ini, size, name, run, &errors, why, sizeof why);
	if (errors.count) {
		fputs(errors.text, stderr);
		rc = 2;
	} else if (rc < 0) {
		rc = tool_fail("judge", file, "%s: %s", name, why);
	}
	hp_errors_free(&errors);
	if (rc == 0 && run->log && *run->log)
		fprintf(stderr, "%s:\n%s", name, run->log);
	return rc;
}

/* 0, or an exit status after a message. */
static int judge_all(const struct arguments *a, const struct judge_recording *rec, struct judge_run *runs, size_t *n)
{
	int rc = 0;
	size_t count = a->inis.n ? a->inis.n : sizeof usual / sizeof *usual;
	for (*n = 0; *n < count && !rc;) {
		if (!a->inis.n) {
			rc = judge_one(rec, usual[*n].ini, strlen(usual[*n].ini), usual[*n].name, a->file, &runs[*n]);
			++*n;
			continue;
		}
		size_t size;
		char *text = read_file(a->inis.at[*n], &size);
		if (!text)
			return tool_fail("judge", a->inis.at[*n], "%s", strerror(errno));
		rc = judge_one(rec, text, size, a->inis.at[*n], a->file, &runs[*n]);
		++*n;
		free(text);
	}
	return rc;
}

/* ---- what is printed
 * ---------------------------------------------------------------------------------------------------- */

static void number(double v, int width, int digits)
{
	if (isfinite(v))
		printf(" %*.*f", width, digits, v);
	else
		printf(" %*s", width, "-");
}

static void table(const struct judge_run *runs, size_t n)
{
	int longest = 7;
	for (size_t i = 0; i < n; i++)
		if ((int)strlen(runs[i].name) > longest)
			longest = (int)strlen(runs[i].name);
	printf("%-*s %9s %9s %9s %9s %9s %9s\n", longest, "filters", "rest SD", "lag", "residual", "error", "overshoot",
	       "ripple");
	printf("%-*s %9s %9s %9s %9s %9s %9s\n", longest, "", "deg", "ms", "deg", "deg", "deg", "deg/s");
	for (size_t i = 0; i < n; i++) {
		const struct judge_marks *m = &runs[i].marks;
		printf("%-*s", longest, runs[i].name);
		number(m->still, 9, 4);
		number(m->lag, 9, 1);
		number(m->rest, 9, 3);
		number(m->error, 9, 3);
		number(m->overshoot, 9, 3);
		number(m->ripple, 9, 2);
		putchar('\n');
	}
	printf("%.1f s of rest, %d turns. Truth: what was measured, smoothed without delay; views are looked at %d "
	       "times a "
	       "second.\n",
	       runs[0].marks.still_s, runs[0].marks.turns, JUDGE_LOOKS);
	if (isfinite(runs[0].marks.quietest))
		printf(
		    "The head never rests (below 2 deg/s for half a second): rest SD is how unevenly the view follows "
		    "in the quietest half second (up to %.1f deg/s).\n",
		    runs[0].marks.quietest);
}

static json_t *real(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static void print_json(const char *file, const struct judge_run *runs, size_t n)
{
	json_t *all = json_array();
	for (size_t i = 0; i < n; i++) {
		const struct judge_marks *m = &runs[i].marks;
		json_array_append_new(all,
		                      json_pack("{so so so so so so so}", "filters", hp_json_text(runs[i].name),
		                                "rest_sd_deg", real(m->still), "lag_ms", real(m->lag), "residual_deg",
		                                real(m->rest), "error_deg", real(m->error), "overshoot_deg",
		                                real(m->overshoot), "ripple_deg_s", real(m->ripple)));
	}
	hp_json_print(json_pack("{so sf so si so}", "recording", hp_json_text(file), "rest_s", runs[0].marks.still_s,
	                        "quietest_deg_s", real(runs[0].marks.quietest), "turns", runs[0].marks.turns, "runs",
	                        all),
	              2);
}

static int draw(const struct arguments *a, const struct judge_run *runs, size_t n)
{
	int code = 0;
	if (session_source_is(a->svg))
		return tool_fail("judge", a->svg, "this is a session file, which a drawing does not replace");
	FILE *f = strcmp(a->svg, "-") ? fopen(a->svg, "w") : stdout;
	if (!f)
		return tool_fail("judge", a->svg, "%s", strerror(errno));
	judge_picture(f, a->file, runs, n);
	if (ferror(f) || fflush(f))
		code = tool_fail("judge", a->svg, "%s", strerror(errno));
	if (f != stdout)
		fclose(f);
	return code;
}

static int judge(void *state)
{
	const struct arguments *a = state;
	struct judge_recording rec = { 0 };
	struct judge_run runs[JUDGE_RUNS];
	size_t n = 0;
	memset(runs, 0, sizeof runs);
	bool svg = a->svg && *a->svg, svg_to_stdout = svg && !strcmp(a->svg, "-");
	if (svg_to_stdout && a->json)
		return hp_usage_error(&hp_command_judge, "--json and --svg - both want standard output");
	int code = read_recording(a->file, &rec) < 0 ? 1 : judge_all(a, &rec, runs, &n);
	if (!code && a->json)
		print_json(a->file, runs, n);
	else if (!code && !svg_to_stdout)
		table(runs, n);
	if (!code && svg)
		code = draw(a, runs, n);
	for (size_t i = 0; i < n; i++)
		judge_run_free(&runs[i]);
	judge_recording_free(&rec);
	return code;
}

const struct hp_command hp_command_judge = {
	.name = "judge",
	.summary = "say how still, late and close the filters of inis are on a recording",
	.arguments = arguments,
	.help =
	    "The filters between the input and the first output of each ini are run over the recording, inputs and\n"
	    "outputs are not. docs/pose.md says what the figures mean and which filter is for what.\n",
	.state_size = sizeof(struct arguments),
	.run = judge,
};
