/* SPDX-License-Identifier: MIT
 * request.c - a new centre and other values of live options, asked for by the user, a recording or a module.
 *
 * Events only tell what has happened and change nothing, so that a module from somewhere cannot reconfigure its
 * neighbours by emitting one; whoever wants a change says so here, and needs the ini's permission. */
#include "request.h"
#include "base/clock.h"
#include "base/log.h"
#include "graph/ini.h"
#include "live.h"
#include "pipeline.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

void hp_recenter_filters(struct hp_node *input)
{
	for (size_t i = 0; i < input->nall; i++) {
		struct hp_node *n = input->all[i];
		if (n->kind == HP_FILTER && n->module->command && n->phase < HP_STOPPED && !n->dead)
			n->module->command(n->state, "recenter");
	}
}

static void recenter(struct hp_node *input)
{
	struct hp_event e = { .struct_size = sizeof e, .type = HP_RECENTER, .time_ns = hp_now() };
	hp_recenter_filters(input);
	hp_pipeline_event(input, &e);
}

void hp_recenter(struct hp_run *run)
{
	for (size_t i = 0; i < run->nnodes; i++)
		if (run->nodes[i]->kind == HP_INPUT)
			recenter(run->nodes[i]);
}

/* ---- options ------------------------------------------------------------------------------------------------- */

/* "[KIND.]SECTION.KEY=VALUE", taken apart. */
struct wish {
	char kind[8], section[HP_NAME_MAX + 1], key[64];
	const char *value;
};

static bool copy_part(char *to, size_t size, const char *from, const char *end)
{
	size_t n = (size_t)(end - from);
	if (!n || n >= size)
		return false;
	memcpy(to, from, n);
	to[n] = 0;
	return true;
}

static bool take_apart(struct wish *w, const char *text)
{
	const char *is = strchr(text, '='), *dot = is ? memchr(text, '.', (size_t)(is - text)) : NULL;
	const char *second = dot ? memchr(dot + 1, '.', (size_t)(is - dot - 1)) : NULL;
	*w = (struct wish){ .value = is ? is + 1 : NULL };
	if (!dot || (second && !copy_part(w->kind, sizeof w->kind, text, dot)))
		return false;
	return second ? copy_part(w->section, sizeof w->section, dot + 1, second) &&
	                    copy_part(w->key, sizeof w->key, second + 1, is)
	              : copy_part(w->section, sizeof w->section, text, dot) &&
	                    copy_part(w->key, sizeof w->key, dot + 1, is);
}

static bool is_meant(const struct hp_node *n, const struct wish *w)
{
	return !strcmp(n->name, w->section) && (!*w->kind || !strcmp(n->ini->section->kind, w->kind));
}

/* The one section of this input that is meant; *count says how many there are. */
static struct hp_node *find(struct hp_node *input, const struct wish *w, int *count)
{
	struct hp_node *found = is_meant(input, w) ? input : NULL;
	*count = found != NULL;
	for (size_t i = 0; i < input->nall; i++)
		if (is_meant(input->all[i], w)) {
			found = input->all[i];
			++*count;
		}
	return found;
}

/* A request may have come from the network through a module, and a recording from somebody else. */
static bool is_local(const struct hp_node *n, const char *key)
{
	const struct hp_option *o = hp_option_find(n->module->options, key);
	if (!o && n->encoder)
		o = hp_option_find(n->encoder->options, key);
	return o && o->flags & HP_LOCAL;
}

int hp_request_option(struct hp_node *input, const char *text, char *why, size_t why_size)
{
	struct wish w;
	int count;
	if (!take_apart(&w, text)) {
		snprintf(why, why_size, "it is not of the form section.key=value");
		return -EINVAL;
	}
	struct hp_node *n = find(input, &w, &count);
	if (count != 1) {
		snprintf(why, why_size,
		         count ? "several sections are called %s; put its kind in front"
		               : "there is no section %s below this input",
		         w.section);
		return count ? -EINVAL : -ENOENT;
	}
	if (n->dead || n->phase >= HP_STOPPED) {
		snprintf(why, why_size, "the section %s has ended", w.section);
		return -EPIPE;
	}
	if (is_local(n, w.key)) {
		snprintf(why, why_size, "%s: runs a program or names a file; only the ini file changes it", w.key);
		return -EPERM;
	}
	struct hp_change c = { w.key, w.value };
	return hp_live_change(n, &c, 1, why, why_size);
}

/* ---- of modules ---------------------------------------------------------------------------------------------- */

static void tell_refusal(struct hp_node *n, const char *text, const char *why)
{
	struct hp_refused *r = &n->refused;
	int64_t now = hp_now();
	if (r->told_ns && now - r->told_ns < 1000000000) {
		r->more++;
		return;
	}
	char before[64] = "";
	if (r->more)
		snprintf(before, sizeof before, " (and %llu before)", (unsigned long long)r->more);
	hp_log(HP_LOG_WARN, n->who, "its request `%.200s` is refused%s: %s", text, before, why);
	r->told_ns = now;
	r->more = 0;
}

int hp_request(struct hp_node *n, const char *text)
{
	char why[400];
	int r = 0;
	if (!n->ini->keys.may_request) {
		snprintf(why, sizeof why, "its section does not say `may_request = yes`");
		r = -EPERM;
	} else if (n->phase >= HP_ENDED || n->phase < HP_OPENED || n->dead || n->run->stopping) {
		return -EPIPE; /* not yet or no longer a part of the run */
	} else if (!strcmp(text, "recenter")) {
		recenter(n->input);
	} else {
		r = hp_request_option(n->input, text, why, sizeof why);
	}
	if (r < 0)
		tell_refusal(n, text, why);
	return r;
}
