/* SPDX-License-Identifier: MIT
 * errors.h - collects what is wrong with a configuration, so that all of it is reported at once. */
#ifndef HP_ERRORS_H
#define HP_ERRORS_H
#include <stddef.h>

enum { HP_ERRORS_MAX = 20 }; /* reported in full; the rest is only counted */

/* Zero it before use, hp_errors_free() after. Whatever order they were found in, the errors of a file stand together,
 * by line, what concerns a file as a whole at its end; files in the order of hp_errors_file(), else of their first
 * error. */
struct hp_errors {
	char *text; /* finished lines, NUL-terminated; NULL = none */
	size_t size, room;
	int count;
	int muted;                      /* the last error was beyond HP_ERRORS_MAX: its hints are dropped too */
	struct hp_error_entry *entries; /* what text is made of; HP_ERRORS_MAX of them or none */
	char **files;                   /* by order */
	int nfiles;
};

/* Adds "FILE:LINE: error: TEXT\n"; line 0 leaves ":LINE" out. Control characters in TEXT come out as \xNN. */
void hp_error(struct hp_errors *, const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Adds an indented line that belongs to the last error: what is allowed, what was probably meant. */
void hp_error_hint(struct hp_errors *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The errors of this file come next, even when others are found first. Returns its number. */
int hp_errors_file(struct hp_errors *, const char *file);
void hp_errors_free(struct hp_errors *);
#endif
