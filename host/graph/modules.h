/* SPDX-License-Identifier: MIT
 * modules.h - finds a module by kind and name: built in, or a shared object from a named place. */
#ifndef HP_MODULES_H
#define HP_MODULES_H
#include "config/kind.h"
#include "loader.h"

/* One row of the built-in table. module == NULL: not built, needs says which Debian package it takes. */
struct hp_builtin {
	enum hp_kind kind;
	const char *name, *needs;
	const struct hp_module *module;
};
const struct hp_builtin *hp_builtins(size_t *n);

/* Finds it: a name with a slash is a file, with :NAME behind it one of several in it; else built in; else NAME.so, or
 * FILE.so for FILE:NAME, in $HEADPIPE_MODULES, ~/.local/lib/headpipe,
 * PREFIX/lib/headpipe. Loaded objects stay mapped. NULL: why has one or more clauses that name file and numbers;
 * missing is set when there is simply no such module (so that a suggestion makes sense). */
const struct hp_module *hp_module_find(enum hp_kind, const char *name, bool *missing, char *why, size_t why_size);
/* Calls fn for each place that is searched for NAME.so, in order. */
void hp_module_places(void (*fn)(void *, const char *folder), void *arg);
/* Names of the modules of a kind, for suggestions; returns how many there are (may exceed max). */
size_t hp_module_names(enum hp_kind, const char **names, size_t max);
#endif
