/* SPDX-License-Identifier: MIT
 * sections.c - the list of sections: what a reader adds to it, what -s changes in it. */
#include "base/alloc.h"
#include "base/suggest.h"
#include "config.h"
#include "grammar.h"
#include "kind.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char hp_command_line[] = "command line";

const struct hp_pair *hp_section_get(const struct hp_section *section, const char *key)
{
	for (size_t i = 0; i < section->npairs; i++)
		if (strcmp(section->pairs[i].key, key) == 0)
			return &section->pairs[i];
	return NULL;
}

const char *hp_section_title(const struct hp_section *section, char *buf, size_t size)
{
	snprintf(buf, size, "[%s%s%s]", section->kind, *section->name ? " " : "", section->name);
	return buf;
}

struct hp_section *hp_config_add(struct hp_config *config, const char *kind, const char *name, const char *file,
                                 int line)
{
	hp_grow(&config->sections, config->nsections, sizeof *config->sections);
	struct hp_section *section = &config->sections[config->nsections++];
	*section = (struct hp_section){ hp_text(kind, strlen(kind)), hp_text(name, strlen(name)), file, line, NULL, 0 };
	return section;
}

struct hp_pair *hp_section_add(struct hp_section *section, const char *key, const char *value, const char *file,
                               int line)
{
	hp_grow(&section->pairs, section->npairs, sizeof *section->pairs);
	struct hp_pair *pair = &section->pairs[section->npairs++];
	*pair = (struct hp_pair){ hp_text(key, strlen(key)), hp_text(value, strlen(value)), file, line };
	return pair;
}

void hp_config_free(struct hp_config *config)
{
	for (size_t i = 0; i < config->nsections; i++) {
		struct hp_section *section = &config->sections[i];
		for (size_t j = 0; j < section->npairs; j++) {
			free(section->pairs[j].key);
			free(section->pairs[j].value);
		}
		free(section->pairs);
		free(section->kind);
		free(section->name);
	}
	for (size_t i = 0; i < config->nfiles; i++)
		free(config->files[i]);
	free(config->sections);
	free(config->files);
	memset(config, 0, sizeof *config);
}

static void no_such_section(const struct hp_config *config, const char *assignment, const char *kind, const char *name,
                            struct hp_errors *errors)
{
	const char **names = hp_need(malloc((config->nsections + 1) * sizeof *names));
	char list[160] = "";
	size_t size = 0, n = 0;
	for (size_t i = 0; i < config->nsections; i++) {
		const char *other = *config->sections[i].name ? config->sections[i].name : config->sections[i].kind;
		names[n++] = other;
		if (size < sizeof list - 1)
			size += (size_t)snprintf(list + size, sizeof list - size, "%s%s", i ? ", " : "", other);
	}
	const char *meant = hp_suggest(name, names, n);
	hp_error(errors, hp_command_line, 0, "-s %s: no section `%s%s%s`", assignment, kind, *kind ? " " : "", name);
	if (meant && !strcmp(meant, name))
		hp_error_hint(errors, "%s is another kind of section", name);
	else if (meant)
		hp_error_hint(errors, "did you mean `%s`?   sections: %s%s", meant, list,
		              size < sizeof list ? "" : " ...");
	else if (n)
		hp_error_hint(errors, "sections: %s%s", list, size < sizeof list ? "" : " ...");
	free(names);
}

/* The one section called so, or NULL after an error. kind "" = any. */
static struct hp_section *find_section(struct hp_config *config, const char *assignment, const char *kind,
                                       const char *name, struct hp_errors *errors)
{
	struct hp_section *found = NULL;
	for (size_t i = 0; i < config->nsections; i++) {
		struct hp_section *section = &config->sections[i];
		if (strcmp(section->name, name) != 0 || (*kind && strcmp(section->kind, kind) != 0))
			continue;
		if (!found) {
			found = section;
			continue;
		}
		hp_error(errors, hp_command_line, 0,
		         "-s %s: two sections are called `%s`: [%s %s] in %s line %d and [%s %s] in %s line %d",
		         assignment, name, found->kind, name, found->file, found->line, section->kind, name,
		         section->file, section->line);
		if (strcmp(found->kind, section->kind) != 0)
			hp_error_hint(errors, "write the kind too: -s %s.%s.KEY=VALUE", found->kind, name);
		else
			hp_error_hint(errors, "give one of them another name");
		return NULL;
	}
	if (!found)
		no_such_section(config, assignment, kind, name, errors);
	return found;
}

int hp_config_set(struct hp_config *config, const char *assignment, struct hp_errors *errors)
{
	char why[HP_WHY_MAX], shown[HP_SHOWN_MAX];
	const char *equals = strchr(assignment, '='), *dot = NULL, *first = NULL;
	/* the value may be a secret: errors show what stands before the `=` */
	hp_shown(assignment, equals ? (size_t)(equals - assignment) : strlen(assignment), shown);
	for (const char *p = assignment; equals && p < equals; p++)
		if (*p == '.') {
			first = first ? first : p;
			dot = p;
		}
	if (!dot) {
		hp_error(errors, hp_command_line, 0, "-s %s: must be section.key=value", shown);
		hp_error_hint(errors, "for example -s game.to=127.0.0.1:4242");
		return -1;
	}
	char *kind = first < dot ? hp_text(assignment, (size_t)(first - assignment)) : hp_text("", 0);
	const char *start = first < dot ? first + 1 : assignment;
	char *name = hp_text(start, (size_t)(dot - start));
	char *key = hp_text(dot + 1, (size_t)(equals - dot - 1));
	char *value = hp_text(equals + 1, strlen(equals + 1));
	struct hp_section *section = NULL;
	int result = -1;
	hp_trim(kind);
	hp_trim(name);
	hp_trim(key);
	hp_trim(value);
	if (strlen(value) > HP_LINE_MAX) {
		hp_error(errors, hp_command_line, 0, "-s %s: the value is %zu bytes; the limit is %d", shown,
		         strlen(value), HP_LINE_MAX);
	} else if (hp_bad_text(value, why)) {
		hp_error(errors, hp_command_line, 0, "-s %s: %s", shown, why);
	} else if (hp_bad_key(key, why)) {
		hp_error(errors, hp_command_line, 0, "-s %s: %s", shown, why);
	} else if (strcmp(name, "headpipe") == 0 && !*kind) {
		for (size_t i = 0; i < config->nsections && !section; i++)
			if (strcmp(config->sections[i].kind, "headpipe") == 0)
				section = &config->sections[i];
		if (!section)
			section = hp_config_add(config, "headpipe", "", hp_command_line, 0);
	} else if (*kind && !hp_section_kind(kind)) {
		hp_error(errors, hp_command_line, 0, "-s %s: must be section.key=value or kind.section.key=value",
		         shown);
		hp_error_hint(errors, "kinds: input, filter, output");
	} else {
		section = find_section(config, shown, kind, name, errors);
	}
	if (section) {
		struct hp_pair *old = (struct hp_pair *)hp_section_get(section, key);
		if (old) {
			free(old->value);
			old->value = hp_text(value, strlen(value));
			old->file = hp_command_line;
			old->line = 0;
		} else {
			hp_section_add(section, key, value, hp_command_line, 0);
		}
		result = 0;
	}
	free(kind);
	free(name);
	free(key);
	free(value);
	return result;
}
