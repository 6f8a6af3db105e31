/* SPDX-License-Identifier: MIT
 * options.c - a section's pairs into a module's state, and every sentence about what is wrong with them. */
#include "options.h"
#include "base/alloc.h"
#include "base/suggest.h"
#include "grammar.h"
#include "kind.h"
#include "value_text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct hp_option hp_settings_options[] = {
#define HP_SETTING(type, kind, name, ...) HP_OPT_##kind(struct hp_settings, name, __VA_ARGS__),
#include "keys.def"
	HP_OPT_END
};
const struct hp_option hp_host_options[] = {
#define HP_KEY(type, kind, name, ...) HP_OPT_##kind(struct hp_host_keys, name, __VA_ARGS__),
#include "keys.def"
	HP_OPT_END
};
const struct hp_option hp_host_input_options[] = {
#define HP_INPUT_KEY(type, kind, name, ...) HP_OPT_##kind(struct hp_host_keys, name, __VA_ARGS__),
#include "keys.def"
	HP_OPT_END
};
const struct hp_option hp_host_output_options[] = {
#define HP_OUTPUT_KEY(type, kind, name, ...) HP_OPT_##kind(struct hp_host_keys, name, __VA_ARGS__),
#include "keys.def"
	HP_OPT_END
};

const struct hp_option *hp_option_find(const struct hp_option *table, const char *key)
{
	for (; table && table->key; table++)
		if (!(table->flags & HP_REMOVED) && strcmp(table->key, key) == 0)
			return table;
	return NULL;
}

const struct hp_option *hp_host_options_of(enum hp_kind kind)
{
	return kind == HP_INPUT ? hp_host_input_options : kind == HP_OUTPUT ? hp_host_output_options : NULL;
}

bool hp_option_is_host_key(const char *key, enum hp_kind kind)
{
	return hp_option_find(hp_host_options, key) ||
	       hp_option_find(hp_host_options_of(kind == HP_ENCODER ? HP_OUTPUT : kind), key);
}

void hp_option_allowed(const struct hp_option *row, char *buf, size_t size)
{
	char low[48], high[48];
	bool ranged = row->min != row->max;
	switch (row->type) {
	case HP_BOOL:
		snprintf(buf, size, "yes or no");
		break;
	case HP_INT:
	case HP_REAL:
		hp_real_to_text(row->min, low, sizeof low);
		hp_real_to_text(row->max, high, sizeof high);
		if (ranged)
			snprintf(buf, size, "%s to %s%s%s", low, high, row->unit ? " " : "",
			         row->unit ? row->unit : "");
		else
			snprintf(buf, size, "a %snumber%s%s", row->type == HP_INT ? "whole " : "",
			         row->unit ? ", " : "", row->unit ? row->unit : "");
		break;
	case HP_STR:
		snprintf(buf, size, "text");
		break;
	case HP_ENUM:
		snprintf(buf, size, "%s", row->choices);
		break;
	case HP_NS:
		hp_seconds_to_text(row->min, low, sizeof low);
		hp_seconds_to_text(row->max, high, sizeof high);
		if (ranged)
			snprintf(buf, size, "%s to %s", low, high);
		else
			snprintf(buf, size, "a time like 20ms, 1.5s, 5min");
		break;
	case HP_LIST:
		snprintf(buf, size, "%s of %s%s", row->flags & HP_PERMUTATION ? "an order" : "a list", row->choices,
		         row->flags & HP_PERMUTATION ? ""
		         : row->flags & HP_SET       ? ", each at most once, or none"
		                                     : ", or none");
		break;
	case HP_ADDRS:
		snprintf(buf, size, "address:port[, ...]");
		break;
	case HP_PATH:
		snprintf(buf, size, "a path");
		break;
	default:
		snprintf(buf, size, "%s", "");
	}
}

void hp_pair_error(const struct hp_section *section, const struct hp_pair *pair, bool secret, const char *what,
                   struct hp_errors *errors)
{
	char title[HP_NAME_MAX + 16], shown[HP_SHOWN_MAX];
	hp_section_title(section, title, sizeof title);
	hp_error(errors, pair->file, pair->line, "%s %s = %s: %s", title, pair->key,
	         secret ? "(hidden)" : hp_shown(pair->value, strlen(pair->value), shown), what);
}

/* The closest choice of an HP_ENUM or HP_BOOL row, in buf, or NULL. */
static const char *closest_choice(const struct hp_option *row, const char *text, char *buf, size_t buf_size)
{
	const char *choices = row->type == HP_BOOL   ? "yes|no|true|false|on|off"
	                      : row->type == HP_ENUM ? row->choices
	                                             : NULL;
	const char *words[64], *choice;
	size_t n = 0, used = 0, size;
	while (n < 64 && (choice = hp_choice(choices, (int)n, &size)) && used + size + 1 <= buf_size) {
		memcpy(buf + used, choice, size);
		buf[used + size] = '\0';
		words[n++] = buf + used;
		used += size + 1;
	}
	return hp_suggest(text, words, n);
}

void hp_option_hint(const struct hp_option *row, const char *value, struct hp_errors *errors)
{
	char allowed[512], words[1024];
	const char *meant = closest_choice(row, value, words, sizeof words);
	hp_option_allowed(row, allowed, sizeof allowed);
	bool secret = row->flags & HP_SECRET, tell_default = row->def && *row->def && !secret;
	if (row->type == HP_ENUM) {
		char list[512];
		size_t n = 0;
		for (const char *c = row->choices; *c && n < sizeof list - 3; c++) {
			list[n++] = *c == '|' ? ',' : *c;
			if (*c == '|')
				list[n++] = ' ';
		}
		list[n] = '\0';
		if (meant)
			hp_error_hint(errors, "did you mean `%s`?   choices: %s", meant, list);
		else
			hp_error_hint(errors, "choices: %s", list);
		return;
	}
	if (meant)
		hp_error_hint(errors, "did you mean `%s`?", meant);
	if (row->type == HP_STR)
		*allowed = '\0'; /* "text" says nothing */
	hp_error_hint(errors, "%s: %s%s%s%s%s", row->key, row->doc, *allowed ? ", " : "", allowed,
	              tell_default ? ", default " : "", tell_default ? row->def : "");
	if (strstr(value, " #"))
		hp_error_hint(errors, "a comment behind a value begins with ` ;`");
}

/* The one kind of section that has this key of the host; 0 = none. */
static enum hp_kind kind_of_host_key(const char *key)
{
	return hp_option_find(hp_host_input_options, key)    ? HP_INPUT
	       : hp_option_find(hp_host_output_options, key) ? HP_OUTPUT
	                                                     : (enum hp_kind)0;
}

/* Every key that may stand in the section: the module's own, then the other table's, then the host's. */
static void unknown_key(const struct hp_option *const *tables, size_t ntables, const struct hp_section *section,
                        const struct hp_pair *pair, const char *module, struct hp_errors *errors)
{
	const char *keys[HP_OPTIONS_MAX];
	char list[400] = "";
	size_t n = 0, size = 0;
	enum hp_kind kind = hp_section_kind(section->kind);
	const struct hp_option *host[] = { kind ? hp_host_options : NULL, hp_host_options_of(kind) };
	for (size_t t = 0; t < ntables; t++)
		for (const struct hp_option *row = tables[t]; row && row->key && n < HP_OPTIONS_MAX; row++) {
			if (row->flags & HP_REMOVED)
				continue;
			if (size < sizeof list)
				size +=
				    (size_t)snprintf(list + size, sizeof list - size, "%s%s", n ? ", " : "", row->key);
			keys[n++] = row->key;
		}
	for (size_t t = 0; t < 2; t++)
		for (const struct hp_option *row = host[t]; row && row->key && n < HP_OPTIONS_MAX; row++)
			keys[n++] = row->key;
	const char *meant = hp_suggest(pair->key, keys, n);
	bool secret = false;
	for (size_t t = 0; meant && t < ntables; t++) {
		const struct hp_option *row = hp_option_find(tables[t], meant);
		secret = secret || (row && row->flags & HP_SECRET);
	}
	hp_pair_error(section, pair, secret, "no such option", errors);
	enum hp_kind others = kind ? kind_of_host_key(pair->key) : (enum hp_kind)0;
	if (others) {
		hp_error_hint(errors, "`%s` belongs into an [%s NAME] section", pair->key,
		              others == HP_INPUT ? "input" : "output");
		return;
	}
	char help[HP_NAME_MAX + 64] = "";
	const struct hp_pair *use = hp_section_get(section, "use");
	if (strlen(module) <= HP_NAME_MAX && !(use && strchr(use->value, '/'))) /* a file is not found by its name */
		snprintf(help, sizeof help, "   (headpipe help %s)", module);
	char takes[512];
	if (!*list)
		snprintf(takes, sizeof takes, "%s has no options of its own", module);
	else
		snprintf(takes, sizeof takes, "%s takes: %s%s", module, list, size < sizeof list ? "" : " ...");
	if (meant)
		hp_error_hint(errors, "did you mean `%s`?   %s%s", meant, takes, help);
	else
		hp_error_hint(errors, "%s%s", takes, help);
}

/* The folder of an ini file; the caller frees it. */
static char *folder(const char *file)
{
	const char *slash = strrchr(file, '/');
	return slash ? hp_text(file, slash == file ? 1 : (size_t)(slash - file)) : hp_text(".", 1);
}

static const struct hp_option *removed(const struct hp_option *table, const char *key)
{
	for (; table && table->key; table++)
		if (table->flags & HP_REMOVED && strcmp(table->key, key) == 0)
			return table;
	return NULL;
}

/* A pair that no table has a living row for. */
static void stray_pair(const struct hp_option *const *tables, size_t ntables, const struct hp_section *section,
                       const struct hp_pair *pair, const char *module, struct hp_errors *errors)
{
	for (size_t t = 0; t < ntables; t++) {
		const struct hp_option *gone = removed(tables[t], pair->key);
		char what[200];
		if (!gone)
			continue;
		snprintf(what, sizeof what, "this option is gone: %s", gone->doc);
		hp_pair_error(section, pair, true, what, errors);
		return;
	}
	unknown_key(tables, ntables, section, pair, module, errors);
}

int hp_options_fill(const struct hp_option *table, void *state, const struct hp_section *section, const char *module,
                    const struct hp_option *const *others, size_t nothers, struct hp_values *values,
                    struct hp_errors *errors)
{
	char why[256], title[HP_NAME_MAX + 16];
	int before = errors->count;
	char *base_dir = folder(section->file);
	const struct hp_option **tables = hp_need(malloc((nothers + 1) * sizeof *tables));
	size_t ntables = 0;
	tables[ntables++] = table;
	for (size_t i = 0; i < nothers; i++)
		tables[ntables++] = others[i];

	hp_section_title(section, title, sizeof title);
	for (const struct hp_option *row = table; row && row->key; row++) {
		if (row->flags & HP_REMOVED)
			continue;
		void *field = (char *)state + row->offset;
		const struct hp_pair *pair = hp_section_get(section, row->key);
		if (!pair && !row->def) {
			hp_error(errors, section->file, section->line, "%s %s is missing", title, row->key);
			hp_option_hint(row, "", errors);
		} else if (!pair) {
			if (hp_option_parse(row, row->def, base_dir, field, values, why, sizeof why) < 0)
				hp_error(errors, section->file, section->line, "%s default of %s: %s", title, row->key,
				         why);
		} else if (hp_option_parse(row, pair->value, pair->file == hp_command_line ? NULL : base_dir, field,
		                           values, why, sizeof why) < 0) {
			hp_pair_error(section, pair, row->flags & HP_SECRET, why, errors);
			hp_option_hint(row, pair->value, errors);
		}
	}
	for (size_t i = 0; i < section->npairs; i++) {
		const struct hp_pair *pair = &section->pairs[i];
		bool known =
		    hp_section_kind(section->kind) && hp_option_is_host_key(pair->key, hp_section_kind(section->kind));
		for (size_t t = 0; t < ntables && !known; t++)
			known = hp_option_find(tables[t], pair->key) != NULL;
		if (!known)
			stray_pair(tables, ntables, section, pair, module, errors);
	}
	free(tables);
	free(base_dir);
	return errors->count == before ? 0 : -1;
}
