/* SPDX-License-Identifier: MIT
 * loader.h - shared objects with modules, in the sizes of this host: their header may be older or newer. */
#ifndef HP_LOADER_H
#define HP_LOADER_H
#include "headpipe.h"

enum { HP_MODULE_NAME_MAX = 64, HP_MODULES_MOST = 64 };

/* One file. Never unloaded: a module's library may have left threads or handlers behind. */
struct hp_loaded {
	struct hp_loaded *next;
	char *path; /* real path */
	size_t n;   /* at least 1 */
	struct hp_module *modules[HP_MODULES_MOST];
};

/* Loads a file, once; NULL: why has the sentence. All modules in it are sound, or none is loaded. */
const struct hp_loaded *hp_module_load(const char *path, char *why, size_t why_size);
/* The file a loaded module came from, NULL = built in. */
const char *hp_module_file(const struct hp_module *);
/* True when a module was loaded from this path; NULL asks for any. */
bool hp_module_is_file(const char *path);
/* What a module may be called: begins with a to z, then a to z, 0 to 9 and _. NULL is no name. */
bool hp_module_name_good(const char *);
#endif
