/* SPDX-License-Identifier: MIT
 * modules.c - the built-in table and the loader of shared objects with its checks. */
#include "modules.h"
#include "base/log.h"
#include "config/options.h"
#include "have.h"
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
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

/* Objects loaded so far. They are never unloaded: a module's library may have left threads or handlers behind. */
static struct loaded {
	struct loaded *next;
	struct hp_module module; /* a copy, widened to this host's struct */
	char *path;
} * all_loaded;

const struct hp_builtin *hp_builtins(size_t *n)
{
	*n = sizeof builtins / sizeof *builtins;
	return builtins;
}

const char *hp_module_file(const struct hp_module *m)
{
	for (struct loaded *l = all_loaded; l; l = l->next)
		if (&l->module == m)
			return l->path;
	return NULL;
}

bool hp_module_is_file(const char *path)
{
	for (const struct loaded *l = all_loaded; l; l = l->next)
		if (!path || !strcmp(l->path, path))
			return true;
	return false;
}

bool hp_module_name_good(const char *name)
{
	if (!name || !islower((unsigned char)*name))
		return false;
	for (const char *p = name; *p; p++)
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '_')
			return false;
	return strlen(name) <= HP_MODULE_NAME_MAX;
}

/* The numbers first: nothing else of the struct means anything until they fit. */
static const char *wrong_abi(const struct hp_module *m, char *why, size_t size)
{
	unsigned major = m->abi >> 16, minor = m->abi & 0xffff;
	if (major != HP_ABI_MAJOR || minor > HP_ABI_MINOR) {
		snprintf(why, size, "built for headpipe ABI %u.%u, this headpipe provides %u.%u: %s", major, minor,
		         HP_ABI_MAJOR, HP_ABI_MINOR,
		         major < HP_ABI_MAJOR ? "rebuild the module" : "update headpipe or rebuild the module");
		return why;
	}
	if (m->struct_size < offsetof(struct hp_module, check) || m->struct_size > 4096) {
		snprintf(why, size,
		         "its module struct has %u bytes, at least %zu are needed: use HP_MODULE_HEAD and rebuild",
		         m->struct_size, offsetof(struct hp_module, check));
		return why;
	}
	if (m->sample_size != sizeof(struct hp_sample)) {
		snprintf(why, size, "its samples have %u bytes, headpipe's have %zu: rebuild the module",
		         m->sample_size, sizeof(struct hp_sample));
		return why;
	}
	if (m->option_size != sizeof(struct hp_option)) {
		snprintf(why, size, "its option rows have %u bytes, headpipe's have %zu: rebuild the module",
		         m->option_size, sizeof(struct hp_option));
		return why;
	}
	return NULL;
}

static const char *wrong_content(const struct hp_module *m, char *why, size_t size)
{
	char detail[256];
	if (m->kind < HP_INPUT || m->kind > HP_ENCODER) {
		snprintf(why, size, "its kind is %d; 1 (input) to 4 (encoder) are known", (int)m->kind);
		return why;
	}
	if (!hp_module_name_good(m->name) || !m->summary) {
		snprintf(why, size,
		         "it has no proper name and summary; a name is a-z, 0-9 and _, at most %d characters",
		         HP_MODULE_NAME_MAX);
		return why;
	}
	const char *lacks = m->kind == HP_INPUT && !m->start                ? "start"
	                    : m->kind == HP_FILTER && !m->filter            ? "filter"
	                    : m->kind == HP_ENCODER && !m->encode           ? "encode"
	                    : m->kind == HP_OUTPUT && !m->write && !m->send ? "write or send"
	                                                                    : NULL;
	if (lacks) {
		snprintf(why, size, "%s %s has no function `%s`", hp_kind_word(m->kind), m->name, lacks);
		return why;
	}
	if (m->send && hp_option_find(m->options, "encoding")) {
		snprintf(why, size, "%s %s: option `encoding`: this key belongs to the host", hp_kind_word(m->kind),
		         m->name);
		return why;
	}
	if (m->options && hp_options_check(m->options, m->state_size, m->kind, detail, sizeof detail)) {
		snprintf(why, size, "%s %s: %s", hp_kind_word(m->kind), m->name, detail);
		return why;
	}
	return NULL;
}

/* dlopen() maps a file that was cut short as if it were whole; the first touch of what is missing would be SIGBUS. */
static bool cut_short(const char *path, uint64_t size)
{
	ElfW(Ehdr) head;
	ElfW(Phdr) part;
	bool cut = false;
	FILE *f = fopen(path, "rb");
	if (f && fread(&head, sizeof head, 1, f) == 1 && !memcmp(head.e_ident, ELFMAG, SELFMAG) &&
	    head.e_phentsize == sizeof part)
		for (size_t i = 0; i < head.e_phnum && !cut; i++)
			cut =
			    fseek(f, (long)(head.e_phoff + i * sizeof part), SEEK_SET) < 0 ||
			    fread(&part, sizeof part, 1, f) != 1 ||
			    (part.p_type == PT_LOAD && (part.p_offset > size || part.p_filesz > size - part.p_offset));
	if (f)
		fclose(f);
	return cut;
}

const struct hp_module *hp_module_load(const char *path, char *why, size_t why_size)
{
	struct stat st;
	char detail[512];
	char *real = realpath(path, NULL);
	if (!real || stat(real, &st) < 0) {
		snprintf(why, why_size, "%s: %s", path, strerror(errno));
		free(real);
		return NULL;
	}
	for (struct loaded *l = all_loaded; l; l = l->next)
		if (!strcmp(l->path, real)) {
			free(real);
			return &l->module;
		}
	if (!S_ISREG(st.st_mode) || st.st_mode & S_IWOTH) {
		snprintf(why, why_size, "%s: %s", path,
		         S_ISREG(st.st_mode)
		             ? "writable by everybody, so it is not loaded; `chmod o-w` it if it is yours"
		             : "not a regular file");
		free(real);
		return NULL;
	}
	if (cut_short(real, (uint64_t)st.st_size)) {
		snprintf(why, why_size, "%s: cannot be loaded: the file is cut short", path);
		free(real);
		return NULL;
	}
	void *so = dlopen(real, RTLD_NOW | RTLD_LOCAL);
	if (!so) {
		const char *text = dlerror();
		/* dlerror() starts with the path as well */
		if (text && !strncmp(text, real, strlen(real)) && text[strlen(real)] == ':')
			text += strlen(real) + 2;
		snprintf(why, why_size, "%s: cannot be loaded: %s", path, text ? text : "unknown reason");
		free(real);
		return NULL;
	}
	const struct hp_module *theirs = dlsym(so, "headpipe_module");
	const char *wrong = theirs ? wrong_abi(theirs, detail, sizeof detail)
	                           : "no symbol `headpipe_module` (is HP_MODULE(...) there, and is it compiled without "
	                             "-DHP_BUILTIN?)";
	struct loaded *l = wrong ? NULL : calloc(1, sizeof *l);
	if (l) {
		size_t n = theirs->struct_size < sizeof l->module ? theirs->struct_size : sizeof l->module;
		memcpy(&l->module, theirs, n);
		wrong = wrong_content(&l->module, detail, sizeof detail);
	} else if (!wrong) {
		wrong = "out of memory";
	}
	if (wrong) {
		snprintf(why, why_size, "%s: %s", path, wrong);
		free(l);
		free(real);
		return NULL;
	}
	l->path = real;
	l->next = all_loaded;
	all_loaded = l;
	return &l->module;
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

static const struct hp_module *right_kind(const struct hp_module *m, enum hp_kind kind, const char *path, char *why,
                                          size_t size)
{
	if (!m || m->kind == kind)
		return m;
	snprintf(why, size, "%s: it is %s %s, not %s %s", path, m->kind == HP_FILTER ? "a" : "an",
	         hp_kind_word(m->kind), kind == HP_FILTER ? "a" : "an", hp_kind_word(kind));
	return NULL;
}

const struct hp_module *hp_module_find(enum hp_kind kind, const char *name, bool *missing, char *why, size_t why_size)
{
	*missing = false;
	if (strchr(name, '/'))
		return right_kind(hp_module_load(name, why, why_size), kind, name, why, why_size);
	struct search s = { .name = name };
	if (hp_module_name_good(name))
		hp_module_places(look, &s);
	for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
		const struct hp_builtin *b = &builtins[i];
		if (b->kind != kind || strcmp(b->name, name))
			continue;
		if (!b->module) {
			snprintf(why, why_size, "%s %s is not built: needs %s", hp_kind_word(kind), name, b->needs);
			return NULL;
		}
		if (*s.path)
			hp_log(HP_WARN, NULL, "%s is not used: %s %s is built in", s.path, hp_kind_word(kind), name);
		return b->module;
	}
	if (*s.path) {
		const struct hp_module *m = hp_module_load(s.path, why, why_size);
		if (m && strcmp(m->name, name)) {
			snprintf(why, why_size, "%s: its name is %s; call the file %s.so", s.path, m->name, m->name);
			return NULL;
		}
		return right_kind(m, kind, s.path, why, why_size);
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
