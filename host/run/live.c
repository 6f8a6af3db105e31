/* SPDX-License-Identifier: MIT
 * live.c - changes of options while running: by a module's own table, or by reading the ini files again. */
#include "live.h"
#include "base/clock.h"
#include "base/log.h"
#include "graph/graph.h"
#include "graph/ini.h"
#include "pipeline.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* One module's part of a batch. */
struct part {
	const struct hp_module *module;
	void *state;
	struct hp_change *changes;
	size_t n;
	struct hp_batch *batch;
	bool waits; /* it is not open yet, so it only gets the values */
};

/* Parsed, and asked of check() on a copy, so that the module itself sees either all of it or nothing. */
static int prepare(struct hp_node *n, struct part *p, char *why, size_t why_size)
{
	const char *key = NULL;
	char text[200] = "";
	if (!p->n)
		return 0;
	int r = hp_batch_begin(&p->batch, p->module->options, p->changes, p->n, n->ini->base_dir, &n->ini->values, why,
	                       why_size);
	if (r < 0 || !p->module->check)
		return r;
	void *trial = malloc(p->module->state_size);
	if (!trial)
		return -ENOMEM;
	memcpy(trial, p->state, p->module->state_size);
	hp_batch_apply(p->batch, trial);
	if (p->module->check(trial, &key, text, sizeof text)) {
		snprintf(why, why_size, "%s", *text ? text : "not allowed");
		r = -EINVAL;
	}
	free(trial);
	return r;
}

static int commit(struct part *p, char *why, size_t why_size)
{
	if (!p->batch)
		return 0;
	hp_batch_apply(p->batch, p->state);
	int r = p->module->changed && !p->waits ? p->module->changed(p->state) : 0;
	if (r >= 0)
		return 0;
	hp_batch_revert(p->batch, p->state);
	snprintf(why, why_size, "refused by %s: %s", p->module->name, strerror(-r));
	return r;
}

/* The encoder refused what its output had agreed to. */
static void take_back(struct part *p)
{
	if (!p->batch)
		return;
	hp_batch_revert(p->batch, p->state);
	if (p->module->changed && !p->waits)
		p->module->changed(p->state);
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
	hp_log(HP_LOG_INFO, n->who, "%s is now %s", c->key, secret ? "changed" : c->value);
	/* a recording hangs beside the filter, not below it: everybody below the input hears it */
	hp_pipeline_event(n->input, &e);
}

int hp_live_change(struct hp_node *n, const struct hp_change *c, size_t count, char *why, size_t why_size)
{
	struct hp_change *both = calloc(2 * count + 1, sizeof *both);
	struct part own = { .module = n->module, .state = n->state, .changes = both, .waits = n->again }, enc = {
		.module = n->encoder, .state = n->encoder_state, .changes = both + count, .waits = n->again
	};
	snprintf(why, why_size, "out of memory");
	int r = both ? 0 : -ENOMEM;
	for (size_t i = 0; !r && i < count; i++) {
		struct part *p = n->encoder && hp_option_find(n->encoder->options, c[i].key) ? &enc : &own;
		p->changes[p->n++] = c[i];
	}
	if (!r)
		r = prepare(n, &own, why, why_size);
	if (!r)
		r = prepare(n, &enc, why, why_size);
	if (!r)
		r = commit(&own, why, why_size);
	if (!r && (r = commit(&enc, why, why_size)) < 0)
		take_back(&own);
	hp_batch_end(own.batch, &n->ini->values, !r);
	hp_batch_end(enc.batch, &n->ini->values, !r);
	free(both);
	for (size_t i = 0; !r && i < count; i++)
		tell_change(n, &c[i]);
	return r;
}

/* ---- reading the files again ------------------------------------------------------------------------------------- */

static const struct hp_option *row_of(const struct hp_node *n, const char *key)
{
	const struct hp_option *tables[] = { n->module->options, n->encoder ? n->encoder->options : NULL,
		                             hp_host_options, hp_host_options_of(n->kind) },
	                       *o = NULL;
	for (size_t i = 0; i < sizeof tables / sizeof *tables && !o; i++)
		o = hp_option_find(tables[i], key);
	return o;
}

static const char *effective(const struct hp_node *n, const char *key)
{
	const struct hp_pair *p = hp_section_get(n->ini->section, key);
	const struct hp_option *o = row_of(n, key);
	return p ? p->value : o && o->def ? o->def : "";
}

static bool is_live(const struct hp_node *n, const char *key)
{
	const struct hp_option *o = row_of(n, key);
	return o && o->flags & HP_LIVE;
}

/* Same section, old and new: what differs goes to changes. Returns false with a log line when something differs that
 * cannot change while running. */
static bool compare(const struct hp_node *was, const struct hp_node *now, struct hp_change *changes, size_t *count)
{
	const struct hp_section *sections[] = { was->ini->section, now->ini->section };
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
				    HP_LOG_ERROR, was->who,
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
	struct hp_section *mine = (struct hp_section *)(uintptr_t)was->ini->section, theirs = *now->ini->section;
	struct hp_section *its = (struct hp_section *)(uintptr_t)now->ini->section;
	its->pairs = mine->pairs;
	its->npairs = mine->npairs;
	mine->pairs = theirs.pairs;
	mine->npairs = theirs.npairs;
	for (size_t i = 0; i < mine->npairs; i++)
		mine->pairs[i].file = was->ini->section->file;
}

static bool same_shape(const struct hp_run *a, const struct hp_run *b)
{
	bool same = a->nnodes == b->nnodes;
	for (size_t i = 0; same && i < a->nnodes; i++)
		same = a->nodes[i]->kind == b->nodes[i]->kind && !strcmp(a->nodes[i]->name, b->nodes[i]->name) &&
		       a->nodes[i]->module == b->nodes[i]->module;
	if (!same)
		hp_log(HP_LOG_ERROR, NULL,
		       "reload: sections were added, removed or use another module; restart headpipe for that. Nothing "
		       "was changed");
	return same;
}

/* [headpipe]: what its table does not mark as live is for the start. */
static bool settings_good(const struct hp_run *run, const struct hp_run *fresh)
{
	for (const struct hp_option *o = hp_settings_options; o->key; o++)
		if (!(o->flags & HP_LIVE) && !hp_option_same(o, &run->ini->settings, &fresh->ini->settings)) {
			hp_log(HP_LOG_ERROR, NULL,
			       "reload: [headpipe] `%s` cannot change while running; restart headpipe for that. "
			       "Nothing was changed",
			       o->key);
			return false;
		}
	return true;
}

/* The texts of the new values belong to the fresh run: the two change places. */
static void settings_adopt(struct hp_run *run, struct hp_run *fresh)
{
	struct hp_settings settings = run->ini->settings;
	struct hp_values values = run->ini->values;
	bool same = true;
	for (const struct hp_option *o = hp_settings_options; o->key; o++)
		if (!hp_option_same(o, &run->ini->settings, &fresh->ini->settings)) {
			hp_log(HP_LOG_INFO, NULL, "reload: [headpipe] `%s` has its new value", o->key);
			same = false;
		}
	if (same)
		return;
	run->ini->settings = fresh->ini->settings;
	run->ini->values = fresh->ini->values;
	fresh->ini->settings = settings;
	fresh->ini->values = values;
	hp_settings_apply(run);
}

static void apply(struct hp_run *run, struct hp_run *fresh)
{
	size_t most = 0, count;
	char why[300];
	for (size_t i = 0; i < run->nnodes; i++) {
		size_t n = run->nodes[i]->ini->section->npairs + fresh->nodes[i]->ini->section->npairs;
		most = n > most ? n : most;
	}
	struct hp_change *changes = calloc(most + 1, sizeof *changes);
	bool good = changes != NULL && settings_good(run, fresh);
	for (size_t i = 0; good && i < run->nnodes; i++)
		good = compare(run->nodes[i], fresh->nodes[i], changes, &count);
	if (good)
		settings_adopt(run, fresh);
	for (size_t i = 0; good && i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i];
		compare(n, fresh->nodes[i], changes, &count);
		int r = count ? hp_live_change(n, changes, count, why, sizeof why) : 0;
		if (r < 0)
			hp_log(HP_LOG_ERROR, n->who, "reload refused: %s", why);
		else
			adopt(n, fresh->nodes[i]);
	}
	free(changes);
}

/* `run <(generator)`: the second opening would wait for a writer that never comes, with the whole program. */
static void read_again(struct hp_config *config, const char *path, struct hp_errors *errors)
{
	struct stat st;
	if (stat(path, &st) == 0 && S_ISFIFO(st.st_mode))
		hp_error(errors, path, 0, "this is a pipe, it cannot be read a second time");
	else
		hp_config_read(config, path, errors);
}

void hp_live_reload(struct hp_run *run, const char *const *assignments, size_t nassignments)
{
	struct hp_config config = { 0 };
	struct hp_errors errors = { 0 };
	struct hp_run fresh = { 0 };
	for (size_t i = 0; i < run->ini->config->nfiles; i++)
		read_again(&config, run->ini->config->files[i], &errors);
	for (size_t i = 0; i < nassignments && !errors.count; i++)
		hp_config_set(&config, assignments[i], &errors);
	if (!errors.count)
		hp_graph_build(&fresh, &config, &errors);
	if (errors.count) {
		fputs(errors.text, stderr);
		hp_log(HP_LOG_ERROR, NULL, "reload: %d error%s; the running configuration stays", errors.count,
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
