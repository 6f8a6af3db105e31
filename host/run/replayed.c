/* SPDX-License-Identifier: MIT
 * replayed.c - a recording's recenter and option events, and samples that were recorded below a filter. */
#include "replayed.h"
#include "live.h"
#include "base/log.h"
#include <stdio.h>
#include <string.h>

static void recenter(struct hp_node *input)
{
	for (size_t i = 0; i < input->nall; i++) {
		struct hp_node *n = input->all[i];
		if (n->kind == HP_FILTER && n->module->command && !n->dead)
			n->module->command(n->state, "recenter");
	}
}

/* "section.key=value" for a section below this input; others are left alone. */
static bool change(struct hp_node *input, const char *text)
{
	char name[HP_NAME_MAX + 1], key[64], why[300];
	const char *dot = text ? strchr(text, '.') : NULL, *is = dot ? strchr(dot, '=') : NULL;
	if (!is || (size_t)(dot - text) >= sizeof name || (size_t)(is - dot) > sizeof key ||
	    !strcmp(is + 1, "(secret)"))
		return false;
	snprintf(name, sizeof name, "%.*s", (int)(dot - text), text);
	snprintf(key, sizeof key, "%.*s", (int)(is - dot - 1), dot + 1);
	struct hp_change c = { key, is + 1 };
	for (size_t i = 0; i < input->nall; i++) {
		struct hp_node *n = input->all[i];
		if (strcmp(n->name, name) != 0 || n->kind != HP_FILTER)
			continue;
		if (!hp_live_change(n, &c, 1, why, sizeof why))
			return true;
		hp_log(HP_WARN, input->who, "the recording changes %s, which cannot be done here: %s", text, why);
		return false;
	}
	return false;
}

bool hp_replayed_event(struct hp_node *input, const struct hp_event *e)
{
	if (e->type == HP_RECENTER)
		recenter(input);
	return e->type == HP_OPTION && change(input, e->text);
}

size_t hp_replayed_bypass(struct hp_node *input, const char *filters)
{
	size_t found = 0;
	while (filters && *filters) {
		size_t len = strcspn(filters, ",");
		for (size_t i = 0; i < input->nall; i++) {
			struct hp_node *n = input->all[i];
			if (n->kind != HP_FILTER || strlen(n->name) != len || memcmp(n->name, filters, len) != 0)
				continue;
			n->bypass = true;
			found++;
		}
		filters += len + (filters[len] == ',');
	}
	return found;
}
