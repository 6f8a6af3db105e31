/* SPDX-License-Identifier: MIT
 * inside.c - for built-in modules: doing again what a recording says, and what a recording says about the pipeline. */
#include "inside.h"
#include "base/log.h"
#include "file.h"
#include "graph/ini.h"
#include "loop.h"
#include "perf.h"
#include "pipeline.h"
#include "request.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- doing it again ------------------------------------------------------------------------------------------ */

/* The filter below the input that an option event is about, NULL = it was about something else. */
static bool is_of_filter(const struct hp_node *input, const char *text)
{
	size_t len = strcspn(text, ".");
	for (size_t i = 0; i < input->nall; i++) {
		const struct hp_node *n = input->all[i];
		if (n->kind == HP_FILTER && strlen(n->name) == len && !memcmp(n->name, text, len))
			return true;
	}
	return false;
}

/* True: it is changed, and everybody has been told. Outputs are not those of the recording and are left alone, as are
 * secrets, which it does not know. */
static bool change_again(struct hp_node *input, const char *text)
{
	char why[300], named[HP_NAME_MAX + 600];
	const char *value = text ? strchr(text, '=') : NULL;
	if (!value || !strcmp(value + 1, "(secret)") || !is_of_filter(input, text))
		return false;
	snprintf(named, sizeof named, "filter.%s", text);
	if (!hp_request_option(input, named, why, sizeof why))
		return true;
	hp_log(HP_LOG_WARN, input->who, "the recording changes %s, which cannot be done here: %s", text, why);
	return false;
}

int hp_inside_replay_event(const struct hp_host *h, const struct hp_event *e)
{
	struct hp_node *input = hp_node_of(h)->input;
	struct hp_item item = { .struct_size = sizeof item, .event = e };
	bool running = input->phase < HP_ENDED && !input->dead && !input->run->stopping;
	if (running && e->type == HP_RECENTER)
		hp_recenter_filters(input);
	if (running && e->type == HP_OPTION && change_again(input, e->text))
		return 0;
	return hp_pipeline_emit(input, &item);
}

size_t hp_inside_bypass(const struct hp_host *h, const char *filters)
{
	struct hp_node *input = hp_node_of(h)->input;
	size_t found = 0;
	while (*filters) {
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

void hp_inside_due(const struct hp_host *h, int64_t due_ns)
{
	struct hp_perf *perf = hp_node_of(h)->run->perf;
	if (perf)
		hp_perf_due(perf, due_ns);
}

struct uv_loop_s *hp_inside_loop(const struct hp_host *h)
{
	return &hp_node_of(h)->run->loop->uv;
}

/* ---- what runs ----------------------------------------------------------------------------------------------- */

/* Text that grows. `at` is NULL when it is empty or when there was no memory (`failed`). */
struct text {
	char *at;
	size_t n;
	bool failed;
};

static void add(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	char *more = t->failed ? NULL : realloc(t->at, t->n + (size_t)len + 1);
	if (!more) {
		t->failed = true;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(more + t->n, (size_t)len + 1, fmt, ap);
	va_end(ap);
	t->at = more;
	t->n += (size_t)len;
}

static char *finish(struct text *t)
{
	if (t->failed) {
		free(t->at);
		return NULL;
	}
	return t->at;
}

static void add_value(struct text *t, const char *v)
{
	bool plain = v[0] != '"' && !strpbrk(v, ";#");
	add(t, "%s", plain ? "" : "\"");
	for (; *v; v++)
		add(t, "%s%c", !plain && (*v == '"' || *v == '\\') ? "\\" : "", *v);
	add(t, "%s\n", plain ? "" : "\"");
}

static bool is_secret(const struct hp_run *run, const struct hp_section *section, const char *key)
{
	for (size_t i = 0; i < run->nall; i++) {
		const struct hp_node *n = run->nodes[i];
		if (n->ini->section != section)
			continue;
		const struct hp_option *o = hp_option_find(n->module->options, key);
		if (!o && n->encoder)
			o = hp_option_find(n->encoder->options, key);
		return o && o->flags & HP_SECRET;
	}
	return true; /* nobody knows what it is */
}

char *hp_inside_ini_text(const struct hp_host *h)
{
	const struct hp_node *me = hp_node_of(h);
	const struct hp_config *config = me->run->ini->config;
	struct text t = { NULL, 0, false };
	for (size_t i = 0; i < config->nsections; i++) {
		const struct hp_section *s = &config->sections[i];
		bool host = !strcmp(s->kind, "headpipe");
		if (s->file != me->ini->section->file && !host)
			continue;
		add(&t, "[%s%s%s]\n", s->kind, s->name[0] ? " " : "", s->name);
		for (size_t k = 0; k < s->npairs; k++) {
			const char *key = s->pairs[k].key;
			bool secret = !host && !hp_option_is_host_key(key, HP_OUTPUT) && is_secret(me->run, s, key);
			add(&t, "%s = ", key);
			add_value(&t, secret ? "(secret)" : s->pairs[k].value);
		}
	}
	return finish(&t);
}

static void add_chain(struct text *t, const struct hp_node *n)
{
	if (n->up)
		add_chain(t, n->up);
	add(t, "%s%s (%s)", n->up ? " > " : "", n->name, n->module->name);
}

static void add_filters(struct text *t, const struct hp_node *n)
{
	if (n->up)
		add_filters(t, n->up);
	if (n->kind == HP_FILTER)
		add(t, "%s%s", t->n ? "," : "", n->name);
}

char *hp_inside_chain(const struct hp_host *h)
{
	struct text t = { NULL, 0, false };
	add_chain(&t, hp_node_of(h)->up);
	return finish(&t);
}

char *hp_inside_filters(const struct hp_host *h)
{
	struct text t = { NULL, 0, false };
	add(&t, "%s", "");
	add_filters(&t, hp_node_of(h)->up);
	return finish(&t);
}

const char *hp_inside_point(const struct hp_host *h)
{
	return hp_node_of(h)->up->name;
}

void hp_inside_handed(const struct hp_host *h, uint64_t samples)
{
	hp_node_of(h)->counts.handed = samples;
}

void hp_inside_stored(const struct hp_host *h, uint64_t samples)
{
	atomic_fetch_add(&hp_node_of(h)->counts.stored, samples);
}

int hp_inside_file_next(struct hp_file *f, const char *path, const char *mode)
{
	return hp_file_next(f, path, mode);
}
