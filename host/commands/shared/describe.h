/* SPDX-License-Identifier: MIT
 * describe.h - modules in words, from their option tables: `headpipe help`, docs/modules.md. */
#ifndef HP_DESCRIBE_H
#define HP_DESCRIBE_H
#include "config/options.h"
#include "headpipe.h"

/* For a terminal: each key with what it does, what it may be and its default. */
void hp_describe_options(const struct hp_option *table);
/* A module with its options and how to write it in an ini file. */
void hp_describe_module(const struct hp_module *);
/* docs/modules.md: every built-in module. */
void hp_describe_markdown(void);
/* One table of options, as docs/modules.md has it. */
void hp_describe_table(const struct hp_option *);
#endif
