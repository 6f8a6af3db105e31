/* SPDX-License-Identifier: MIT
 * loader.c - shared objects with modules: checked, and copied into the sizes of this host. What an older header does
 * not have yet becomes 0; what a newer one has more is left out, which its author has agreed to (HP_NEEDS). */
#include "loader.h"
#include "api/builtin.h"
#include "config/options.h"
#include "config/value_text.h"
#include "modules.h"
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static struct hp_loaded *all_loaded;

const char *hp_module_file(const struct hp_module *m)
{
	for (const struct hp_loaded *l = all_loaded; l; l = l->next)
		for (size_t i = 0; i < l->n; i++)
			if (l->modules[i] == m)
				return l->path;
	return NULL;
}

bool hp_module_is_file(const char *path)
{
	for (const struct hp_loaded *l = all_loaded; l; l = l->next)
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

/* ---- is it sound? ------------------------------------------------------------------------------------------------ */

/* The numbers first: nothing else of the struct means anything until they fit. */
static const char *wrong_abi(const struct hp_module *m, char *why, size_t size)
{
	unsigned major = m->abi >> 16, minor = m->abi & 0xffff;
	if (major != HP_ABI_MAJOR) {
		snprintf(why, size, "built for headpipe ABI %u.%u, this headpipe provides %u.%u: %s", major, minor,
		         HP_ABI_MAJOR, HP_ABI_MINOR,
		         major < HP_ABI_MAJOR ? "rebuild the module" : "update headpipe or rebuild the module");
		return why;
	}
	const struct {
		const char *what;
		size_t theirs, least, most;
	} sizes[] = {
		{ "module struct has", m->struct_size, HP_MODULE_LEAST, 4096 },
		{ "samples have", m->sample_size, HP_SAMPLE_LEAST, HP_SAMPLE_MOST },
		{ "option rows have", m->option_size, HP_OPTION_LEAST, 4096 },
	};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		if (sizes[i].theirs < sizes[i].least || sizes[i].theirs > sizes[i].most) {
			snprintf(why, size, "its %s %zu bytes, %zu to %zu are possible: use HP_MODULE_HEAD and rebuild",
			         sizes[i].what, sizes[i].theirs, sizes[i].least, sizes[i].most);
			return why;
		}
	if (m->needs_minor > HP_ABI_MINOR) {
		snprintf(why, size, "needs headpipe ABI %u.%u, this headpipe provides %u.%u: update headpipe%s", major,
		         m->needs_minor, HP_ABI_MAJOR, HP_ABI_MINOR,
		         minor == m->needs_minor ? ", or see HP_NEEDS in headpipe.h" : "");
		return why;
	}
	return NULL;
}

static const char *wrong_content(const struct hp_module *m, char *why, size_t size)
{
	char detail[256];
	if (m->kind < HP_INPUT || m->kind > HP_ENCODER) {
		snprintf(why, size, "its kind is %u; 1 (input) to 4 (encoder) are known", m->kind);
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
		snprintf(why, size, "%s %s has no function `%s`", hp_kind_word((enum hp_kind)m->kind), m->name, lacks);
		return why;
	}
	if (m->send && hp_option_find(m->options, "encoding")) {
		snprintf(why, size, "%s %s: option `encoding`: this key belongs to the host",
		         hp_kind_word((enum hp_kind)m->kind), m->name);
		return why;
	}
	if (m->options && hp_options_check(m->options, m->state_size, (enum hp_kind)m->kind, detail, sizeof detail)) {
		snprintf(why, size, "%s %s: %s", hp_kind_word((enum hp_kind)m->kind), m->name, detail);
		return why;
	}
	return NULL;
}

/* ---- in our sizes ------------------------------------------------------------------------------------------------ */

/* One row more than there may be, so that a table without an end is found out and not followed. */
static struct hp_option *own_rows(const struct hp_module *theirs)
{
	struct hp_option *rows = calloc(HP_OPTIONS_MAX + 2, sizeof *rows);
	size_t size = theirs->option_size < sizeof *rows ? theirs->option_size : sizeof *rows;
	const char *at = (const char *)theirs->options;
	for (size_t i = 0; rows && i <= HP_OPTIONS_MAX; i++, at += theirs->option_size) {
		memcpy(&rows[i], at, size);
		if (!rows[i].key && !rows[i].def && !rows[i].doc && !rows[i].size)
			break;
	}
	return rows;
}

static void free_module(struct hp_module *m)
{
	if (m)
		free((void *)(uintptr_t)m->options);
	free(m);
}

/* NULL: wrong says why. */
static struct hp_module *own_module(const struct hp_module *theirs, const char **wrong, char *detail, size_t size)
{
	*wrong = wrong_abi(theirs, detail, size);
	if (*wrong)
		return NULL;
	struct hp_module *m = calloc(1, sizeof *m);
	*wrong = "out of memory";
	if (!m)
		return NULL;
	memcpy(m, theirs, theirs->struct_size < sizeof *m ? theirs->struct_size : sizeof *m);
	if (m->options && !(m->options = own_rows(theirs)))
		m->kind = 0;
	else
		*wrong = NULL;
	m->struct_size = sizeof *m;
	m->option_size = sizeof(struct hp_option);
	m->traits &= ~(HP_READS_ROTVEC | HP_OPENS_AGAIN | HP_OPENS_FIRST);
	if (!*wrong)
		*wrong = wrong_content(m, detail, size);
	if (!*wrong)
		return m;
	free_module(m);
	return NULL;
}

/* All of them or none; NULL or what is wrong. */
static const char *take_all(struct hp_loaded *l, const struct hp_module *const *theirs, char *detail, size_t size)
{
	const char *wrong = *theirs ? NULL : "its HP_MODULES() names no module";
	for (; !wrong && *theirs; theirs++) {
		if (l->n == HP_MODULES_MOST) {
			snprintf(detail, size, "its HP_MODULES() names more than %d modules", HP_MODULES_MOST);
			return detail;
		}
		struct hp_module *m = own_module(*theirs, &wrong, detail, size);
		for (size_t i = 0; m && i < l->n; i++)
			if (l->modules[i]->kind == m->kind && !strcmp(l->modules[i]->name, m->name)) {
				snprintf(detail, size, "%s %s is in it twice", hp_kind_word((enum hp_kind)m->kind),
				         m->name);
				wrong = detail;
			}
		if (m)
			l->modules[l->n++] = m;
	}
	return wrong;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

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

const struct hp_loaded *hp_module_load(const char *path, char *why, size_t why_size)
{
	struct stat st;
	char detail[512];
	char *real = realpath(path, NULL);
	if (!real || stat(real, &st) < 0) {
		snprintf(why, why_size, "%s: %s", path, strerror(errno));
		free(real);
		return NULL;
	}
	for (struct hp_loaded *l = all_loaded; l; l = l->next)
		if (!strcmp(l->path, real)) {
			free(real);
			return l;
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
	const struct hp_module *one[] = { dlsym(so, "headpipe_module"), NULL };
	const struct hp_module *const *theirs = *one ? one : dlsym(so, "headpipe_modules");
	struct hp_loaded *l = calloc(1, sizeof *l);
	const char *wrong =
	    !l       ? "out of memory"
	    : theirs ? take_all(l, theirs, detail, sizeof detail)
	             : "no symbol `headpipe_module` or `headpipe_modules` (is HP_MODULE(...) there, and is it "
	               "compiled without -DHP_BUILTIN?)";
	if (wrong) {
		snprintf(why, why_size, "%s: %s", path, wrong);
		for (size_t i = 0; l && i < l->n; i++)
			free_module(l->modules[i]);
		free(l);
		free(real);
		return NULL;
	}
	l->path = real;
	l->next = all_loaded;
	all_loaded = l;
	return l;
}
