/* SPDX-License-Identifier: MIT
 * wiring.c - hangs every node below its upstream, takes out what is switched off, and sees that something is left. */
#include "wiring.h"
#include "base/suggest.h"
#include "ini.h"
#include <stdlib.h>
#include <string.h>

static bool same_file(const struct hp_node *a, const struct hp_node *b)
{
	return a->ini->section->file == b->ini->section->file;
}

static struct hp_node *named(struct hp_run *run, const struct hp_node *n, const char *name, enum hp_kind kind)
{
	for (size_t i = 0; i < run->nnodes; i++) {
		struct hp_node *m = run->nodes[i];
		if (m != n && m->kind == kind && same_file(m, n) && !strcmp(m->name, name))
			return m;
	}
	return NULL;
}

static void from_error(struct hp_run *run, struct hp_node *n, const struct hp_pair *p, struct hp_errors *errors)
{
	const char *names[64], *from = n->ini->keys.from;
	size_t count = 0;
	char what[128];
	if (!strcmp(from, n->name) && n->kind != HP_OUTPUT)
		snprintf(what, sizeof what, "a %s cannot feed itself", n->ini->section->kind);
	else if (named(run, n, from, HP_OUTPUT) || !strcmp(from, n->name))
		snprintf(what, sizeof what, "%s is an output; samples can only come from an input or a filter", from);
	else
		snprintf(what, sizeof what, "no such input or filter in this file");
	hp_pair_error(n->ini->section, p, false, what, errors);
	for (size_t i = 0; i < run->nnodes && count < 64; i++)
		if (run->nodes[i] != n && run->nodes[i]->kind != HP_OUTPUT && same_file(run->nodes[i], n))
			names[count++] = run->nodes[i]->name;
	const char *guess = hp_suggest(from, names, count);
	if (guess)
		hp_error_hint(errors, "did you mean `%s`?", guess);
}

static void find_upstream(struct hp_run *run, size_t at, struct hp_errors *errors)
{
	struct hp_node *n = run->nodes[at];
	const struct hp_section *s = n->ini->section;
	if (n->kind == HP_INPUT) {
		const struct hp_pair *p = hp_section_get(s, "from");
		if (p && !(n->module && hp_option_find(n->module->options, "from")))
			hp_pair_error(s, p, false, "an input has nothing above it", errors);
		return;
	}
	if (n->ini->keys.from) {
		const struct hp_pair *p = hp_section_get(s, "from");
		struct hp_node *input = named(run, n, n->ini->keys.from, HP_INPUT),
		               *filter = named(run, n, n->ini->keys.from, HP_FILTER);
		if (input && filter)
			hp_pair_error(s, p, false, "both an input and a filter have this name; rename one", errors);
		else if (input || filter)
			n->up = input ? input : filter;
		else
			from_error(run, n, p, errors);
		return;
	}
	for (size_t i = at; i-- && same_file(run->nodes[i], n);)
		if (run->nodes[i]->kind != HP_OUTPUT) {
			n->up = run->nodes[i];
			return;
		}
	hp_error(errors, s->file, s->line, "[%s %s] has no [input] or [filter] above it", s->kind, s->name);
	hp_error_hint(errors, "put it below one, or name one with `from = NAME`");
}

static void check_circles(struct hp_run *run, struct hp_errors *errors)
{
	for (size_t i = 0; i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i], *slow = n, *fast = n->up;
		while (fast && fast != slow && fast->up) {
			slow = slow->up;
			fast = fast->up->up;
		}
		if (!fast || fast != slow)
			continue;
		hp_error(errors, n->ini->section->file, n->ini->section->line,
		         "[%s %s] gets its samples in a circle through `from`", n->ini->section->kind, n->name);
		return; /* the others of the circle say nothing new */
	}
}

/* `enabled = no`: an input or output goes with all below it, a filter is passed through. */
static bool gone(const struct hp_node *n)
{
	for (const struct hp_node *u = n; u; u = u->up)
		if (!u->ini->keys.enabled && (u == n || u->kind == HP_INPUT))
			return true;
	return false;
}

static void link_nodes(struct hp_run *run)
{
	for (size_t i = 0; i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i];
		while (n->up && n->up->kind == HP_FILTER && !n->up->ini->keys.enabled)
			n->up = n->up->up;
	}
	size_t kept = 0, ngone = 0;
	struct hp_node **left_out = calloc(run->nnodes + 1, sizeof *left_out);
	for (size_t i = 0; left_out && i < run->nnodes; i++) {
		if (gone(run->nodes[i]))
			left_out[ngone++] = run->nodes[i];
		else
			run->nodes[kept++] = run->nodes[i];
	}
	/* they stay in the array behind the others, so that they are freed */
	for (size_t i = 0; i < ngone; i++)
		run->nodes[kept + i] = left_out[i];
	free(left_out);
	run->nnodes = kept;
	run->nall = kept + ngone;
	for (size_t i = 0; i < kept; i++) {
		struct hp_node *n = run->nodes[i];
		for (n->input = n; n->input->up;)
			n->input = n->input->up;
		if (!n->up)
			continue;
		struct hp_node **grown = realloc(n->up->kids, (n->up->nkids + 1) * sizeof *grown);
		if (!grown)
			abort(); /* a few pointers at start-up */
		n->up->kids = grown;
		n->up->kids[n->up->nkids++] = n;
	}
}

static void need_something(struct hp_run *run, struct hp_errors *errors)
{
	for (size_t f = 0; f < run->ini->config->nfiles; f++) {
		size_t inputs = 0, outputs = 0, off = 0;
		const char *file = run->ini->config->files[f];
		for (size_t i = 0; i < run->nnodes; i++)
			if (run->nodes[i]->ini->section->file == file) {
				inputs += run->nodes[i]->kind == HP_INPUT;
				outputs += run->nodes[i]->kind == HP_OUTPUT;
			}
		for (size_t i = run->nnodes; i < run->nall; i++)
			off += run->nodes[i]->ini->section->file == file;
		if (!(inputs && outputs) && off)
			hp_error(errors, file, 0, "with `enabled = no` nothing is left to do: no %s",
			         inputs ? "output" : "input");
		else if (!inputs)
			hp_error(errors, file, 0, "no [input NAME] section%s",
			         outputs ? "" : " and no [output NAME] section");
		else if (!outputs)
			hp_error(errors, file, 0, "no [output NAME] section");
	}
}

/* Two outputs that write one file would overwrite each other. A pattern (%n) makes names of its own. */
static const char *written_path(const struct hp_node *n)
{
	const struct hp_option *o = n->kind == HP_OUTPUT ? hp_option_find(n->module->options, "path") : NULL;
	const char *path;
	if (!o || o->type != HP_PATH)
		return NULL;
	memcpy(&path, (const char *)n->state + o->offset, sizeof path);
	return path && *path && !strchr(path, '%') && strncmp(path, "/dev/", 5) ? path : NULL;
}

static void check_paths(const struct hp_run *run, struct hp_errors *errors)
{
	for (size_t i = 0; i < run->nnodes; i++) {
		const struct hp_node *n = run->nodes[i];
		const char *path = written_path(n);
		for (size_t k = 0; path && k < i; k++) {
			const char *other = written_path(run->nodes[k]);
			if (!other || strcmp(path, other))
				continue;
			char what[128];
			snprintf(what, sizeof what, "[output %s] at line %d writes this file already",
			         run->nodes[k]->name, run->nodes[k]->ini->section->line);
			const struct hp_pair *p = hp_section_get(n->ini->section, "path");
			if (p)
				hp_pair_error(n->ini->section, p, false, what, errors);
			else
				hp_error(errors, n->ini->section->file, n->ini->section->line, "[output %s] path: %s",
				         n->name, what);
			break;
		}
	}
}

int hp_wire(struct hp_run *run, struct hp_errors *errors)
{
	for (size_t i = 0; i < run->nnodes; i++)
		find_upstream(run, i, errors);
	check_circles(run, errors);
	run->nall = run->nnodes;
	if (errors->count)
		return -1;
	link_nodes(run);
	need_something(run, errors);
	check_paths(run, errors);
	return errors->count ? -1 : 0;
}
