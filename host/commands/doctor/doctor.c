/* SPDX-License-Identifier: MIT
 * doctor.c - `headpipe doctor`: walks the chain from the headset to the program that wants its pose and says which
 * link is broken and what to do. Needs no root. Exit status: 0 nothing is wrong, 1 something is, 2 the ini is wrong,
 * 3 no head tracker, 4 no permission. */
#include "doctor.h"
#include "commands/commands.h"
#include "graph/graph.h"
#include <jansson.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static char pending_cure[sizeof((struct hp_finding *)0)->cure];

void hp_cure(struct hp_findings *f, const char *fmt, ...)
{
	va_list ap;
	(void)f;
	va_start(ap, fmt);
	vsnprintf(pending_cure, sizeof pending_cure, fmt, ap);
	va_end(ap);
}

void hp_find(struct hp_findings *f, enum hp_finding_state state, const char *link, const char *fmt, ...)
{
	if (f->n == f->room) {
		struct hp_finding *more = realloc(f->at, (f->room = f->room ? 2 * f->room : 16) * sizeof *more);
		if (!more)
			return;
		f->at = more;
	}
	struct hp_finding *x = &f->at[f->n++];
	va_list ap;
	x->state = state;
	snprintf(x->link, sizeof x->link, "%s", link);
	va_start(ap, fmt);
	vsnprintf(x->text, sizeof x->text, fmt, ap);
	va_end(ap);
	memcpy(x->cure, pending_cure, sizeof x->cure);
	pending_cure[0] = 0;
	if (state == HP_WRONG && !f->status)
		f->status = 1;
	if (f->told)
		f->told(x);
}

void hp_findings_free(struct hp_findings *f)
{
	free(f->at);
	memset(f, 0, sizeof *f);
}

static const char *const words[] = { "ok", "note", "wrong", "skip" };

static void tell(const struct hp_finding *x)
{
	printf("%-6s %-11s %s\n", words[x->state], x->link, x->text);
	if (x->cure[0])
		printf("%18s-> %s\n", "", x->cure);
	fflush(stdout);
}

static void tell_json(const struct hp_findings *f)
{
	json_t *all = json_array();
	for (size_t i = 0; i < f->n; i++) {
		const struct hp_finding *x = &f->at[i];
		json_t *o = json_object();
		json_object_set_new(o, "link", json_string(x->link));
		json_object_set_new(o, "state", json_string(words[x->state]));
		json_t *text = json_string(x->text);
		json_object_set_new(o, "text", text ? text : json_string("(text is not UTF-8)"));
		json_t *cure = x->cure[0] ? json_string(x->cure) : NULL;
		json_object_set_new(o, "cure", cure ? cure : json_null());
		json_array_append_new(all, o);
	}
	json_dumpf(all, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(all);
}

/* What is wrong with the configuration, each error a finding with its hint as the cure. */
static bool examine_ini(struct hp_findings *f, struct hp_run *run, struct hp_config *config, const char *file)
{
	struct hp_errors errors = { 0 };
	static const char standard[] = "[input hid]\n[filter orientation]\n[output opentrack_udp]\n[output json_udp]\n";
	if (file)
		hp_config_read(config, file, &errors);
	else
		hp_config_parse(config, standard, sizeof standard - 1, "the default pipeline", &errors);
	hp_graph_build(run, config, &errors);
	int count = errors.count;
	for (char *line = errors.text, *next; line && *line; line = next) {
		char *end = strchr(line, '\n');
		next = end ? end + 1 : line + strlen(line);
		if (end)
			*end = 0;
		/* hints are indented and belong to the error before them */
		if (*next == ' ') {
			char *hint = next + strspn(next, " "), *stop = strchr(hint, '\n');
			next = stop ? stop + 1 : hint + strlen(hint);
			if (stop)
				*stop = 0;
			hp_cure(f, "%s", hint);
		}
		if (*line != ' ')
			hp_find(f, HP_WRONG, "ini", "%s", line);
	}
	hp_errors_free(&errors);
	if (count)
		f->status = 2;
	else
		hp_find(f, HP_OK, "ini", "%s: %zu section%s",
		        file ? file : "no file given, the default pipeline is assumed", run->nnodes,
		        run->nnodes == 1 ? "" : "s");
	return !count;
}

static void examine_inputs(struct hp_findings *f, const struct hp_run *run, double seconds)
{
	size_t live = 0;
	for (size_t i = 0; i < run->nnodes; i++) {
		const struct hp_node *n = run->nodes[i];
		if (n->kind != HP_INPUT || !n->module || strcmp(n->module->name, "hid"))
			continue;
		const struct hp_hid_input *in = n->state;
		struct hp_hid_wish wish = { in->vendor, in->product, in->serial, in->name };
		hp_doctor_devices(f, &wish, in->interval_ms, seconds);
		live++;
	}
	if (!live)
		hp_find(f, HP_OK, "device", "no [input hid] in this file: no device is needed");
}

int cmd_doctor(int argc, char **argv)
{
	struct hp_findings f = { 0 };
	struct hp_run run = { 0 };
	struct hp_config config = { 0 };
	static const struct hp_option listening = { "--for", NULL, "", NULL, 0.1, 3600, HP_REAL, 0, 0, sizeof(double) };
	const char *file = NULL;
	char why[128];
	bool json = false;
	double seconds = 3;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			json = true;
		else if (!strcmp(argv[i], "--for") && i + 1 < argc) {
			if (hp_option_parse(&listening, argv[++i], NULL, &seconds, NULL, why, sizeof why))
				return hp_usage_error("doctor", "--for needs a number of seconds, 0.1 to 3600");
		} else if (*argv[i] == '-' || file)
			return hp_usage_error("doctor", "unknown argument %s", argv[i]);
		else
			file = argv[i];
	}
	if (!json)
		f.told = tell;
	if (examine_ini(&f, &run, &config, file)) {
		examine_inputs(&f, &run, seconds);
		hp_doctor_outputs(&f, &run);
	} else {
		/* the ini is broken; the device can be looked at all the same */
		struct hp_hid_wish any = { 0 };
		hp_doctor_devices(&f, &any, 10, seconds);
	}
	hp_unload(&run, &config);
	if (json)
		tell_json(&f);
	else if (!f.status)
		puts("Nothing is wrong.");
	int status = f.status;
	hp_findings_free(&f);
	return status;
}
