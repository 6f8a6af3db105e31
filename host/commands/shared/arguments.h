/* SPDX-License-Identifier: MIT
 * arguments.h - the words behind a command's name to the command's state, and the usage line, both from its rows. */
#ifndef HP_ARGUMENTS_H
#define HP_ARGUMENTS_H
#include "command.h"
#include "config/options.h"
#include <stdio.h>

enum { HP_ARGUMENTS_WHY = 700 };

/* Fills state (zeroed before) from argv[1..argc-1]; texts live in values, or are those of argv.
 * 0: all good. 1: help is wished for (-h, --help). -1: wrong; why is one sentence without full stop. */
int hp_arguments_read(const struct hp_command *, int argc, char **argv, void *state, struct hp_values *values,
                      char *why, size_t why_size);
/* "cut FILE -o FILE [--from TIME]": the command's own name and everything that it takes. */
void hp_arguments_usage(const struct hp_command *, char *buf, size_t size);
/* "--from TIME", "-o FILE", "FILE": how one of them is written. */
void hp_argument_text(const struct hp_arg *, char *buf, size_t size);
/* "1ms to 1h; default 3s"; "" when there is nothing to say. */
void hp_argument_allowed(const struct hp_arg *, char *buf, size_t size);
static inline bool hp_argument_is_option(const struct hp_arg *a)
{
	return a->name[0] == '-';
}
#endif
