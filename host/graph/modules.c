/* SPDX-License-Identifier: MIT
 * modules.c - the built-in table, and which module a name or a file in an ini means. */
#include "modules.h"
#include "base/log.h"
#include "have.h"
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define BUILTIN(kind, name) extern const struct hp_module hp_##kind##_##name;
#define MISSING(kind, name, needs)
#include "builtin.def"
#undef BUILTIN
#undef MISSING

enum { kind_input = HP_INPUT, kind_filter = HP_FILTER, kind_output = HP_OUTPUT, kind_encoder = HP_ENCODER };
#define BUILTIN(kind, name)        { (enum hp_kind)kind_##kind, #name, NULL, &hp_##kind##_##name },
#define MISSING(kind, name, needs) { (enum hp_kind)kind_##kind, #name, needs, NULL },
static const struct hp_builtin builtins[] = {
#include "builtin.def"
};

const struct hp_builtin *hp_builtins(size_t *n)
{
	*n = sizeof builtins / sizeof *builtins;
	return builtins;
}

void hp_module_places(void (*fn)(void *, const char *), void *arg)
{
	char folder[1024];
	const char *list = getenv("HEADPIPE_MODULES"), *home = getenv("HOME");
	while (list && *list) {
		size_t n = strcspn(list, ":");
		if (n && n < sizeof folder) {
			memcpy(folder, list, n);
			folder[n] = 0;
			fn(arg, folder);
		}
		list += n + (list[n] == ':');
	}
	if (home && *home == '/' &&
	    snprintf(folder, sizeof folder, "%s/.local/lib/headpipe", home) < (int)sizeof folder)
		fn(arg, folder);
	fn(arg, HP_PREFIX "/lib/headpipe");
}

struct search {
	const char *name;
	char path[1400], places[1024];
};

static void look(void *arg, const char *folder)
{
	struct search *s = arg;
	struct stat st;
	char path[1400];
	size_t used = strlen(s->places);
	snprintf(s->places + used, sizeof s->places - used, ", %s", folder);
	if (snprintf(path, sizeof path, "%s/%s.so", folder, s->name) < (int)sizeof path && !*s->path &&
	    !stat(path, &st))
		memcpy(s->path, path, sizeof path);
}

static const char *article(enum hp_kind kind)
{
	return kind == HP_FILTER ? "a" : "an";
}

/* "output left, output right, filter calm" */
static void list(const struct hp_loaded *l, char *buf, size_t size)
{
	size_t used = 0;
	*buf = 0;
	for (size_t i = 0; i < l->n && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s %s", i ? ", " : "",
		                         hp_kind_word((enum hp_kind)l->modules[i]->kind), l->modules[i]->name);
}

/* The module that is meant, of those in the file `path`; name NULL: whatever it is called. */
static const struct hp_module *pick(const struct hp_loaded *l, enum hp_kind kind, const char *name, const char *path,
                                    char *why, size_t size)
{
	char all[400];
	const struct hp_module *found = NULL;
	size_t count = 0;
	for (size_t i = 0; i < l->n; i++) {
		const struct hp_module *m = l->modules[i];
		if (m->kind == kind && (!name || !strcmp(m->name, name))) {
			found = found ? found : m;
			count++;
		}
	}
	if (count == 1)
		return found;
	list(l, all, sizeof all);
	if (count)
		snprintf(why, size, "%s: it has several %ss; put the name behind the file, as in %s:%s   (%s)", path,
		         hp_kind_word(kind), path, found->name, all);
	else if (l->n == 1 && l->modules[0]->kind != kind)
		snprintf(why, size, "%s: it is %s %s, not %s %s", path, article((enum hp_kind)l->modules[0]->kind),
		         hp_kind_word((enum hp_kind)l->modules[0]->kind), article(kind), hp_kind_word(kind));
	else
		snprintf(why, size, "%s: there is no %s%s%s in it   (%s)", path, hp_kind_word(kind), name ? " " : "",
		         name ? name : "", all);
	return NULL;
}

/* "./file.so:left": where the name begins that picks one of several; NULL = there is none. A file that is called so as
 * a whole comes first. */
static const char *picks(const char *use)
{
	struct stat st;
	const char *colon = strrchr(use, ':');
	return colon && colon > use && hp_module_name_good(colon + 1) && (!strchr(use, '/') || stat(use, &st)) ? colon
	                                                                                                       : NULL;
}

/* use = FILE or FILE:NAME */
static const struct hp_module *from_file(enum hp_kind kind, const char *use, char *why, size_t why_size)
{
	const char *colon = picks(use);
	char *file = colon ? strndup(use, (size_t)(colon - use)) : NULL;
	const struct hp_loaded *l = hp_module_load(file ? file : use, why, why_size);
	const struct hp_module *m =
	    l ? pick(l, kind, colon ? colon + 1 : NULL, file ? file : use, why, why_size) : NULL;
	free(file);
	return m;
}

const struct hp_module *hp_module_find(enum hp_kind kind, const char *name, bool *missing, char *why, size_t why_size)
{
	char file[HP_MODULE_NAME_MAX + 1] = "";
	*missing = false;
	if (strchr(name, '/'))
		return from_file(kind, name, why, why_size);
	const char *colon = picks(name);
	size_t len = colon ? (size_t)(colon - name) : strlen(name);
	if (len < sizeof file)
		memcpy(file, name, len);
	struct search s = { .name = file };
	if (hp_module_name_good(file))
		hp_module_places(look, &s);
	for (size_t i = 0; !colon && i < sizeof builtins / sizeof *builtins; i++) {
		const struct hp_builtin *b = &builtins[i];
		if (b->kind != kind || strcmp(b->name, name))
			continue;
		if (!b->module) {
			snprintf(why, why_size, "%s %s is not built: needs %s", hp_kind_word(kind), name, b->needs);
			return NULL;
		}
		if (*s.path)
			hp_log(HP_LOG_WARN, NULL, "%s is not used: %s %s is built in", s.path, hp_kind_word(kind),
			       name);
		return b->module;
	}
	if (*s.path) {
		const struct hp_loaded *l = hp_module_load(s.path, why, why_size);
		if (l && l->n == 1 && !colon && strcmp(l->modules[0]->name, name)) {
			snprintf(why, why_size, "%s: its name is %s; call the file %s.so", s.path, l->modules[0]->name,
			         l->modules[0]->name);
			return NULL;
		}
		return l ? pick(l, kind, colon ? colon + 1 : name, s.path, why, why_size) : NULL;
	}
	*missing = true;
	if (*s.places)
		snprintf(why, why_size, "built-ins%s", s.places);
	else
		snprintf(why, why_size, "built-ins");
	return NULL;
}

size_t hp_module_names(enum hp_kind kind, const char **names, size_t max)
{
	size_t n = 0;
	for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
		if (builtins[i].kind == kind && n++ < max)
			names[n - 1] = builtins[i].name;
	return n;
}
