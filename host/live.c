/* SPDX-License-Identifier: MIT
 * live.c - changes of options while running: by a module's own table, or by reading the ini files again. */
#include "live.h"
#include "clock.h"
#include "graph.h"
#include "log.h"
#include "pipeline.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int ask(const struct hp_module *m, const void *state, char *why, size_t why_size)
{
	const char *key = NULL;
	char text[200] = "";
	if (!m->check || !m->check(state, &key, text, sizeof text))
		return 0;
	snprintf(why, why_size, "%s", *text ? text : "not allowed");
	return -EINVAL;
}

/* One module's part of a batch. The whole state is kept aside until check() has agreed, so that the module sees either
 * all of it or nothing; changed() runs only on values that fit together. */
static int change_one(struct hp_node *n, const struct hp_module *m, void *state, const struct hp_change *c,
                      size_t count, char *why, size_t why_size)
{
	if (!count)
		return 0;
	void *trial = malloc(m->state_size);
	if (!trial)
		return -ENOMEM;
	memcpy(trial, state, m->state_size);
	int r = hp_options_change(m->options, trial, c, count, n->base_dir, NULL, &n->values, why, why_size);
	if (!r)
		r = ask(m, trial, why, why_size);
	free(trial);
	return r ? r
	         : hp_options_change(m->options, state, c, count, n->base_dir, m->changed, &n->values, why, why_size);
}

static void tell_change(struct hp_node *n, const struct hp_change *c)
{
	char text[600];
	const struct hp_option *o = hp_option_find(n->module->options, c->key);
	if (!o && n->encoder)
		o = hp_option_find(n->encoder->options, c->key);
	bool secret = o && o->flags & HP_SECRET;
	snprintf(text, sizeof text, "%s.%s=%s", n->name, c->key, secret ? "(secret)" : c->value);
	struct hp_event e = { .struct_size = sizeof e, .type = HP_OPTION, .time_ns = hp_now(), .text = text };
	hp_log(HP_INFO, n->who, "%s is now %s", c->key, secret ? "changed" : c->value);
	/* a recording hangs beside the filter, not below it: everybody below the input hears it */
	hp_pipeline_event(n->input, &e);
}

int hp_live_change(struct hp_node *n, const struct hp_change *c, size_t count, char *why, size_t why_size)
{
	struct hp_change *own = calloc(2 * count + 1, sizeof *own), *enc = own + count;
	size_t nown = 0, nenc = 0;
	int r = own ? 0 : -ENOMEM;
	for (size_t i = 0; !r && i < count; i++) {
		if (n->encoder && hp_option_find(n->encoder->options, c[i].key))
			enc[nenc++] = c[i];
		else
			own[nown++] = c[i];
	}
	if (!r)
		r = change_one(n, n->module, n->state, own, nown, why, why_size);
	if (!r && nenc)
		r = change_one(n, n->encoder, n->encoder_state, enc, nenc, why, why_size);
	free(own);
	for (size_t i = 0; !r && i < count; i++)
		tell_change(n, &c[i]);
	return r;
}

/* ---- reading the files again ------------------------------------------------------------------------------------- */

static const char *effective(const struct hp_node *n, const char *key)
{
	const struct hp_pair *p = hp_section_get(n->section, key);
	const struct hp_option *o = hp_option_find(n->module->options, key);
	if (!o && n->encoder)
		o = hp_option_find(n->encoder->options, key);
	return p ? p->value : o && o->def ? o->def : "";
}

static bool is_live(const struct hp_node *n, const char *key)
{
	const struct hp_option *o = hp_option_find(n->module->options, key);
	if (!o && n->encoder)
		o = hp_option_find(n->encoder->options, key);
	return o && o->flags & HP_LIVE;
}

/* Same section, old and new: what differs goes to changes. Returns false with a log line when something differs that
 * cannot change while running. */
static bool compare(const struct hp_node *was, const struct hp_node *now, struct hp_change *changes, size_t *count)
{
	const struct hp_section *sections[] = { was->section, now->section };
	*count = 0;
	for (size_t s = 0; s < 2; s++)
		for (size_t i = 0; i < sections[s]->npairs; i++) {
			const char *key = sections[s]->pairs[i].key, *a = effective(was, key), *b = effective(now, key);
			bool seen = !strcmp(a, b);
			for (size_t k = 0; k < *count; k++)
				seen |= !strcmp(changes[k].key, key);
			if (seen)
				continue;
			if (!is_live(was, key)) {
				hp_log(
				    HP_ERROR, was->who,
				    "`%s` cannot change while running; restart headpipe for that. Nothing was changed",
				    key);
				return false;
			}
			changes[*count].key = key;
			changes[(*count)++].value = b;
		}
	return true;
}

/* Remembers the new text, so that the next reload compares with it. */
static void adopt(struct hp_node *was, const struct hp_node *now)
{
	struct hp_section *mine = (struct hp_section *)(uintptr_t)was->section, theirs = *now->section;
	struct hp_section *its = (struct hp_section *)(uintptr_t)now->section;
	its->pairs = mine->pairs;
	its->npairs = mine->npairs;
	mine->pairs = theirs.pairs;
	mine->npairs = theirs.npairs;
	for (size_t i = 0; i < mine->npairs; i++)
		mine->pairs[i].file = was->section->file;
}

static bool same_shape(const struct hp_run *a, const struct hp_run *b)
{
	bool same = a->nnodes == b->nnodes;
	for (size_t i = 0; same && i < a->nnodes; i++)
		same = a->nodes[i]->kind == b->nodes[i]->kind && !strcmp(a->nodes[i]->name, b->nodes[i]->name) &&
		       a->nodes[i]->module == b->nodes[i]->module;
	if (!same)
		hp_log(HP_ERROR, NULL,
		       "reload: sections were added, removed or use another module; restart headpipe for that. Nothing "
		       "was changed");
	return same;
}

static void apply(struct hp_run *run, struct hp_run *fresh)
{
	size_t most = 0, count;
	char why[300];
	for (size_t i = 0; i < run->nnodes; i++) {
		size_t n = run->nodes[i]->section->npairs + fresh->nodes[i]->section->npairs;
		most = n > most ? n : most;
	}
	struct hp_change *changes = calloc(most + 1, sizeof *changes);
	bool good = changes != NULL;
	for (size_t i = 0; good && i < run->nnodes; i++)
		good = compare(run->nodes[i], fresh->nodes[i], changes, &count);
	for (size_t i = 0; good && i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i];
		compare(n, fresh->nodes[i], changes, &count);
		int r = count ? hp_live_change(n, changes, count, why, sizeof why) : 0;
		if (r < 0)
			hp_log(HP_ERROR, n->who, "reload refused: %s", why);
		else
			adopt(n, fresh->nodes[i]);
	}
	free(changes);
}

void hp_live_reload(struct hp_run *run, const char *const *assignments, size_t nassignments)
{
	struct hp_config config = { 0 };
	struct hp_errors errors = { 0 };
	struct hp_run fresh = { 0 };
	for (size_t i = 0; i < run->config->nfiles; i++)
		hp_config_read(&config, run->config->files[i], &errors);
	for (size_t i = 0; i < nassignments && !errors.count; i++)
		hp_config_set(&config, assignments[i], &errors);
	if (!errors.count)
		hp_graph_build(&fresh, &config, &errors);
	if (errors.count) {
		fputs(errors.text, stderr);
		hp_log(HP_ERROR, NULL, "reload: %d error%s; the running configuration stays", errors.count,
		       errors.count == 1 ? "" : "s");
	} else if (same_shape(run, &fresh)) {
		apply(run, &fresh);
	}
	hp_graph_free(&fresh);
	hp_config_free(&config);
	hp_errors_free(&errors);
	for (size_t i = 0; i < run->nnodes; i++)
		if (run->nodes[i]->kind == HP_OUTPUT && run->nodes[i]->module->command && !run->nodes[i]->dead)
			run->nodes[i]->module->command(run->nodes[i]->state, "reopen");
}
