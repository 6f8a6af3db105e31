/* SPDX-License-Identifier: MIT
 * doctor.c - `headpipe doctor`: walks the chain from the source of the pose to the program that wants it and says which
 * link is broken and what to do. Needs no root. Exit status: 0 nothing is wrong, 1 something is, 2 the ini is wrong,
 * 3 no head tracker, 4 no permission. */
#include "commands/doctor/doctor.h"
#include "commands/shared/json.h"
#include "commands/shared/load.h"
#include "graph/graph.h"
#include <stdlib.h>
#include <string.h>

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
		json_object_set_new(o, "link", hp_json_text(x->link));
		json_object_set_new(o, "state", hp_json_text(words[x->state]));
		json_object_set_new(o, "text", hp_json_text(x->text));
		json_object_set_new(o, "cure", hp_json_text_or_null(x->cure));
		json_array_append_new(all, o);
	}
	hp_json_print(all, 2);
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
		if (n->kind != HP_INPUT || !n->module)
			continue;
		if (strcmp(n->module->name, "hid")) {
			hp_doctor_input(f, n, seconds);
			continue;
		}
		const struct hp_hid_input *in = n->state;
		struct hp_hid_wish wish = { in->vendor, in->product, in->serial, in->name };
		hp_doctor_devices(f, &wish, in->interval_ms, seconds);
		live++;
	}
	if (!live)
		hp_find(f, HP_OK, "device", "no [input hid] in this file: no device is needed");
}

struct arguments {
	const char *file;
	bool json;
	int64_t for_ns;
};

static const struct hp_arg arguments[] = {
	HP_ARG("FILE", HP_OPT_STR(struct arguments, file, "", "an ini file; else the default pipeline")),
	HP_ARG("--json", HP_OPT_BOOL(struct arguments, json, "no", "an array with one object per finding")),
	HP_ARG("--for", HP_OPT_NS(struct arguments, for_ns, "3s", 0.1, 3600, "how long it listens to each input")),
	HP_ARG_END,
};

static int doctor(void *state)
{
	const struct arguments *a = state;
	struct hp_findings f = { 0 };
	struct hp_run run = { 0 };
	struct hp_config config = { 0 };
	double seconds = (double)a->for_ns / 1e9;
	if (!a->json)
		f.told = tell;
	if (examine_ini(&f, &run, &config, a->file)) {
		examine_inputs(&f, &run, seconds);
		hp_doctor_outputs(&f, &run);
	} else {
		/* the ini is broken; the device can be looked at all the same */
		struct hp_hid_wish any = { 0 };
		hp_doctor_devices(&f, &any, 10, seconds);
	}
	hp_unload(&run, &config);
	if (a->json)
		tell_json(&f);
	else if (!f.status)
		puts("Nothing is wrong.");
	int status = f.status;
	hp_findings_free(&f);
	return status;
}

const struct hp_command hp_command_doctor = {
	.name = "doctor",
	.summary = "walk the chain from headset to game and name the broken link",
	.arguments = arguments,
	.help = "Looks at device, driver, node, descriptor, marker, start-up, reports and values of every head "
	        "tracker, listens to\n"
	        "every other input of FILE (exec: its command is run), and looks at the addresses of its outputs; "
	        "nothing is sent.\n"
	        "Needs no root.\n",
	.exits =
	    "0 nothing is wrong, 1 something is, 2 the ini is wrong or wrong usage, 3 no head tracker, 4 no permission",
	.state_size = sizeof(struct arguments),
	.run = doctor,
};
