/* SPDX-License-Identifier: MIT
 * config.h - ini text to a list of sections with file and line. Knows the grammar, but no module. */
#ifndef HP_CONFIG_H
#define HP_CONFIG_H
#include "errors.h"
#include <stdbool.h>
#include <stddef.h>

enum { HP_LINE_MAX = 4096, HP_NAME_MAX = 32, HP_PAIRS_MAX = 256, HP_SECTIONS_MAX = 1024 };

/* The `file` of pairs that came by -s; compare the pointer. */
extern const char hp_command_line[];

struct hp_pair {
	char *key, *value; /* value is trimmed, unquoted, comment-free UTF-8 bytes; may be "" */
	const char *file;  /* for messages; hp_command_line for -s                            */
	int line;          /* 0 on the command line                                           */
};
/* One [kind name] or [headpipe] section. */
struct hp_section {
	char *kind; /* "headpipe", "input", "filter" or "output" */
	char *name; /* "" for [headpipe]                         */
	const char *file;
	int line;
	struct hp_pair *pairs;
	size_t npairs;
};
/* Several files, in the order given. `from` never crosses files: compare section->file pointers. */
struct hp_config {
	struct hp_section *sections;
	size_t nsections;
	char **files; /* owned; what section->file and pair->file point to */
	size_t nfiles;
};

/* Appends the sections of one ini file. Everything wrong goes to errors; reading goes on behind it.
 * Returns 0, or -1 when anything was wrong. */
int hp_config_read(struct hp_config *, const char *path, struct hp_errors *);
/* As hp_config_read, from memory (tests, fuzzing). */
int hp_config_parse(struct hp_config *, const char *text, size_t size, const char *file, struct hp_errors *);
/* -s section.key=value: replaces or adds a pair of an existing section. `kind.section.key=value` where a filter and
 * an output share a name; [headpipe] comes into being when it is not there. Returns 0, or -1 (errors was told). */
int hp_config_set(struct hp_config *, const char *assignment, struct hp_errors *);
const struct hp_pair *hp_section_get(const struct hp_section *, const char *key); /* NULL = not there */
/* "[output game]", "[headpipe]" for messages. */
const char *hp_section_title(const struct hp_section *, char *buf, size_t size);
void hp_config_free(struct hp_config *);
#endif
