/* SPDX-License-Identifier: MIT
 * modules.h - finds a module by kind and name: built in, or a shared object from a named place. */
#ifndef HP_MODULES_H
#define HP_MODULES_H
#include "config/kind.h"
#include "headpipe.h"

/* One row of the built-in table. module == NULL: not built, needs says which Debian package it takes. */
struct hp_builtin {
	enum hp_kind kind;
	const char *name, *needs;
	const struct hp_module *module;
};
const struct hp_builtin *hp_builtins(size_t *n);

/* What a module may be called: begins with a to z, then a to z, 0 to 9 and _. NULL is no name. */
enum { HP_MODULE_NAME_MAX = 64 };
bool hp_module_name_good(const char *);

/* Finds it: a name with a slash is a file; else built in; else NAME.so in $HEADPIPE_MODULES, ~/.local/lib/headpipe,
 * PREFIX/lib/headpipe. Loaded objects stay mapped. NULL: why has one or more clauses that name file and numbers;
 * missing is set when there is simply no such module (so that a suggestion makes sense). */
const struct hp_module *hp_module_find(enum hp_kind, const char *name, bool *missing, char *why, size_t why_size);
/* The file a loaded module came from, NULL = built in. */
const char *hp_module_file(const struct hp_module *);
/* True when a module was loaded from this path; NULL asks for any. */
bool hp_module_is_file(const char *path);
/* Loads one shared object of any kind; NULL: why has the sentence. */
const struct hp_module *hp_module_load(const char *path, char *why, size_t why_size);
/* Calls fn for each place that is searched for NAME.so, in order. */
void hp_module_places(void (*fn)(void *, const char *folder), void *arg);
/* Names of the modules of a kind, for suggestions; returns how many there are (may exceed max). */
size_t hp_module_names(enum hp_kind, const char **names, size_t max);
#endif
