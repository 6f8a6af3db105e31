/* SPDX-License-Identifier: MIT
 * help.h - a command in words, from its rows: for a terminal and for the manual page. */
#ifndef HP_HELP_H
#define HP_HELP_H
#include "command.h"

/* On stdout: usage, every argument and option, the paragraphs, the exit status. */
void hp_help_print(const struct hp_command *);
/* The same for man(7). */
void hp_help_man(const struct hp_command *);
#endif
