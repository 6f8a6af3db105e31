/* SPDX-License-Identifier: MIT
 * graph.c - sections to nodes: finds modules and fills their options. */
#include "graph.h"
#include "base/log.h"
#include "base/suggest.h"
#include "ini.h"
#include "io/framing.h"
#include "modules.h"
#include "wiring.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void hp_settings_apply(const struct hp_run *run)
{
	static const enum hp_level levels[] = { HP_LOG_DEBUG, HP_LOG_INFO, HP_LOG_WARN, HP_LOG_ERROR };
	enum hp_level level = levels[run->ini->settings.log_level];
	hp_log_level(run->quiet && level < HP_LOG_WARN ? HP_LOG_WARN : level);
}

static char *folder_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash ? strndup(file, slash == file ? 1 : (size_t)(slash - file)) : strdup(".");
}

static void host_keys(struct hp_node *n, struct hp_errors *errors)
{
	const struct hp_option *tables[] = { hp_host_options, hp_host_options_of(n->kind) };
	char why[256];
	for (size_t t = 0; t < 2; t++)
		for (const struct hp_option *o = tables[t]; o && o->key; o++) {
			const struct hp_pair *p = hp_section_get(n->ini->section, o->key);
			if (n->kind == HP_INPUT && !strcmp(o->key, "from")) /* its own, or wiring.c refuses it */
				continue;
			const char *text = p ? p->value : o->def;
			if (!text || (!p && !*text))
				continue;
			struct hp_option row = *o;
			bool module = !strcmp(o->key, "use") || !strcmp(o->key, "encoding");
			if (module && strchr(text, '/')) /* a file: as every path, relative to the ini file */
				row.type = HP_PATH;
			const char *folder = p && p->file == hp_command_line ? NULL : n->ini->base_dir;
			if (!hp_option_parse(&row, text, folder, (char *)&n->ini->keys + o->offset, &n->ini->values,
			                     why, sizeof why))
				continue;
			if (!p)
				continue;
			hp_pair_error(n->ini->section, p, false, why, errors);
			hp_option_hint(o, text, errors);
		}
}

/* Where a name that is not given in the ini comes from: the header line. */
static void use_error(struct hp_errors *errors, const struct hp_node *n, const char *key, const char *value,
                      enum hp_kind kind, bool missing, const char *why)
{
	const char *names[128];
	const struct hp_section *s = n->ini->section;
	const struct hp_pair *p = hp_section_get(s, key);
	if (p)
		value = p->value; /* as it was written */
	if (!missing) {
		hp_error(errors, p ? p->file : s->file, p ? p->line : s->line, "[%s %s] %s = %s: %s", s->kind, s->name,
		         key, value, why);
		return;
	}
	hp_error(errors, p ? p->file : s->file, p ? p->line : s->line, "[%s %s] %s = %s: no such %s module", s->kind,
	         s->name, key, value, hp_kind_word(kind));
	size_t count = hp_module_names(kind, names, 128);
	const char *guess = hp_suggest(value, names, count < 128 ? count : 128);
	/* of opentrack_shm and opentrack_udp the datagrams are what most people mean */
	char preset[80];
	snprintf(preset, sizeof preset, "%s_udp", value);
	for (size_t i = 0; i < count && i < 128; i++)
		if (!strcmp(names[i], preset))
			guess = names[i];
	const char *other = NULL;
	for (int k = HP_INPUT; k <= HP_ENCODER && !guess; k++) {
		const char *all[128];
		size_t n_all = hp_module_names((enum hp_kind)k, all, 128);
		for (size_t i = 0; i < n_all && i < 128; i++)
			if (!strcmp(all[i], value))
				other = hp_kind_word((enum hp_kind)k);
	}
	if (guess)
		hp_error_hint(errors, "did you mean `%s`?   searched: %s", guess, why);
	else if (other)
		hp_error_hint(errors, "there is one of that name among the %ss", other);
	else
		hp_error_hint(errors, "searched: %s   (`headpipe modules` lists all)", why);
}

/* The module's own opinion on its options as a whole. */
static void ask_module(const struct hp_node *n, const struct hp_module *m, const void *state, struct hp_errors *errors)
{
	const char *key = NULL;
	char why[256] = "";
	if (!m->check || !m->check(state, &key, why, sizeof why))
		return;
	const struct hp_section *s = n->ini->section;
	const struct hp_pair *p = key ? hp_section_get(s, key) : NULL;
	if (p) {
		const struct hp_option *o = hp_option_find(m->options, key);
		hp_pair_error(s, p, o && o->flags & HP_SECRET, *why ? why : "not allowed", errors);
		if (o)
			hp_option_hint(o, p->value, errors);
	} else
		hp_error(errors, s->file, s->line, "[%s %s] %s", s->kind, s->name,
		         *why ? why : "options do not fit together");
}

static void *new_state(const struct hp_module *m)
{
	return calloc(1, m->state_size ? m->state_size : 1);
}

static void find_encoder(struct hp_node *n, struct hp_errors *errors)
{
	char why[1400], names[600] = "";
	bool missing;
	const struct hp_section *s = n->ini->section;
	if (!n->module->send) {
		const struct hp_pair *p = hp_section_get(s, "encoding");
		if (p && !hp_option_find(n->module->options, "encoding"))
			hp_pair_error(s, p, false,
			              "this output takes samples, not bytes; only outputs such as udp, tcp or file "
			              "have an encoding",
			              errors);
		return;
	}
	const char *name = n->ini->keys.encoding ? n->ini->keys.encoding : n->module->encoding;
	if (!name) {
		const char *all[64];
		size_t count = hp_module_names(HP_ENCODER, all, 64);
		for (size_t i = 0; i < count && i < 64; i++)
			snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", all[i]);
		hp_error(errors, s->file, s->line, "[%s %s] encoding is missing", s->kind, s->name);
		hp_error_hint(errors, "choices: %s", names);
		return;
	}
	n->encoder = hp_module_find(HP_ENCODER, name, &missing, why, sizeof why);
	if (!n->encoder) {
		use_error(errors, n, "encoding", name, HP_ENCODER, missing, why);
		return;
	}
	for (const struct hp_option *o = n->encoder->options; o && o->key; o++)
		if (hp_option_find(n->module->options, o->key))
			hp_error(
			    errors, s->file, s->line,
			    "[%s %s] output %s and encoder %s both have an option `%s`; they cannot be used together",
			    s->kind, s->name, n->module->name, n->encoder->name, o->key);
}

/* Bytes that may hold a line end cannot be told apart by line ends. */
static void check_framing(const struct hp_node *n, struct hp_errors *errors)
{
	const struct hp_option *o = hp_option_find(n->module->options, "framing");
	int choice;
	if (!o || o->type != HP_ENUM || !n->encoder || !(n->encoder->traits & HP_BINARY))
		return;
	memcpy(&choice, (const char *)n->state + o->offset, sizeof choice);
	if (choice != HP_LINES)
		return;
	const struct hp_section *s = n->ini->section;
	const struct hp_pair *p = hp_section_get(s, "framing");
	if (p)
		hp_pair_error(s, p, false, "this encoding is binary and may hold line ends", errors);
	else
		hp_error(errors, s->file, s->line,
		         "[%s %s] encoding %s is binary and may hold line ends; framing is lines", s->kind, s->name,
		         n->encoder->name);
	hp_error_hint(errors, "framing = length32 puts a length in front, framing = raw nothing at all");
}

static void module_options(struct hp_node *n, struct hp_errors *errors)
{
	static const struct hp_option none[] = { HP_OPT_END };
	const struct hp_option *own = n->module->options ? n->module->options : none;
	const struct hp_option *enc = n->encoder && n->encoder->options ? n->encoder->options : none;
	int before = errors->count;
	if (hp_options_fill(own, n->state, n->ini->section, n->module->name, &enc, 1, &n->ini->values, errors) < 0)
		before = -1;
	/* unknown keys were reported by the first call already: now the own table is the other one, so both sets are
	 * known */
	if (n->encoder) {
		n->encoder_state = new_state(n->encoder);
		struct hp_section known = *n->ini->section;
		known.pairs = calloc(known.npairs + 1, sizeof *known.pairs);
		known.npairs = 0;
		for (size_t i = 0; known.pairs && i < n->ini->section->npairs; i++)
			if (hp_option_find(enc, n->ini->section->pairs[i].key))
				known.pairs[known.npairs++] = n->ini->section->pairs[i];
		if (!known.pairs || !n->encoder_state ||
		    hp_options_fill(enc, n->encoder_state, &known, n->encoder->name, NULL, 0, &n->ini->values, errors) <
		        0)
			before = -1;
		free(known.pairs);
	}
	if (before != errors->count)
		return;
	check_framing(n, errors);
	ask_module(n, n->module, n->state, errors);
	if (n->encoder)
		ask_module(n, n->encoder, n->encoder_state, errors);
}

_Static_assert(sizeof(((struct hp_node *)0)->who) > HP_NAME_MAX + sizeof "output ", "room for any name");

static struct hp_node *new_node(struct hp_run *run, const struct hp_section *s)
{
	struct hp_node *n = calloc(1, sizeof *n);
	struct hp_node_ini *ini = calloc(1, sizeof *ini);
	struct hp_node **grown = realloc(run->nodes, (run->nnodes + 1) * sizeof *grown);
	if (grown)
		run->nodes = grown;
	if (!n || !ini || !grown) {
		free(n);
		free(ini);
		return NULL;
	}
	run->nodes[run->nnodes++] = n;
	n->run = run;
	n->ini = ini;
	n->ini->section = s;
	n->name = s->name;
	n->kind = hp_kind_from_word(s->kind);
	snprintf(n->who, sizeof n->who, "%s %s", s->kind, s->name);
	n->ini->base_dir = folder_of(s->file);
	return n->ini->base_dir ? n : NULL;
}

static int one_node(struct hp_run *run, const struct hp_section *s, struct hp_errors *errors)
{
	char why[1400];
	bool missing;
	struct hp_node *n = new_node(run, s);
	if (!n)
		return -ENOMEM;
	host_keys(n, errors);
	const char *use = n->ini->keys.use ? n->ini->keys.use : n->name;
	n->module = hp_module_find(n->kind, use, &missing, why, sizeof why);
	if (!n->module) {
		use_error(errors, n, "use", use, n->kind, missing, why);
		return 0;
	}
	n->state = new_state(n->module);
	if (!n->state)
		return -ENOMEM;
	if (n->kind == HP_OUTPUT)
		find_encoder(n, errors);
	if (n->kind != HP_OUTPUT || !n->module->send || n->encoder)
		module_options(n, errors);
	return 0;
}

/* Several files may have one: what a later one gives counts, what it leaves out stays. */
static void host_section(struct hp_run *run, const struct hp_section *s, struct hp_errors *errors)
{
	struct hp_settings given = run->ini->settings;
	hp_options_fill(hp_settings_options, &given, s, "headpipe", NULL, 0, &run->ini->values, errors);
	for (size_t i = 0; i < s->npairs; i++) {
		const struct hp_option *o = hp_option_find(hp_settings_options, s->pairs[i].key);
		if (o)
			memcpy((char *)&run->ini->settings + o->offset, (char *)&given + o->offset, o->size);
	}
}

int hp_graph_build(struct hp_run *run, struct hp_config *config, struct hp_errors *errors)
{
	run->ini = calloc(1, sizeof *run->ini);
	if (!run->ini) {
		hp_error(errors, "", 0, "out of memory");
		return -1;
	}
	run->ini->config = config;
	struct hp_section defaults = {
		.kind = (char *)"headpipe", .name = (char *)"", .file = "", .line = 0, .pairs = NULL, .npairs = 0
	};
	hp_options_fill(hp_settings_options, &run->ini->settings, &defaults, "headpipe", NULL, 0, &run->ini->values,
	                errors);
	for (size_t i = 0; i < config->nsections; i++) {
		const struct hp_section *s = &config->sections[i];
		if (!strcmp(s->kind, "headpipe"))
			host_section(run, s, errors);
		else if (one_node(run, s, errors) < 0) {
			hp_error(errors, s->file, s->line, "out of memory");
			break;
		}
	}
	if (hp_wire(run, errors) < 0)
		return -1;
	for (size_t i = 0; i < run->nnodes; i++)
		if (run->nodes[i]->kind == HP_INPUT)
			run->nodes[i]->stream =
			    (struct hp_stream){ .struct_size = sizeof(struct hp_stream), .source = run->ninputs++ };
	return errors->count ? -1 : 0;
}

void hp_graph_free(struct hp_run *run)
{
	for (size_t i = 0; i < run->nall; i++) {
		struct hp_node *n = run->nodes[i];
		free(n->state);
		free(n->encoder_state);
		free(n->kids);
		free(n->ini->base_dir);
		hp_values_free(&n->ini->values);
		free(n->ini);
		free(n);
	}
	free(run->nodes);
	if (run->ini)
		hp_values_free(&run->ini->values);
	free(run->ini);
	run->nodes = NULL;
	run->ini = NULL;
	run->nnodes = run->nall = 0;
}
