/* SPDX-License-Identifier: MIT
 * command.h - what a command is. Each file in host/commands is one: cut.c defines hp_command_cut, and the Makefile
 * makes the list (commands.def) from the files' names. What several commands share stands in this folder. */
#ifndef HP_COMMAND_H
#define HP_COMMAND_H
#include "headpipe.h"
#include <stddef.h>

/* One option or argument of a command. A name that begins with - is an option ("--from", "-o"), any other an argument
 * that is told by its place ("FILE"). The row says where its value goes in the command's state and what it may be;
 * its default is NULL = must be given, "" = may be left out (the field then stays 0), or a text. A yes/no row is
 * a flag. A time without a unit is seconds. */
struct hp_arg {
	const char *name;
	struct hp_option row;
	const char *value; /* what stands for the value in the usage line; NULL = by the row's type          */
	const char *group; /* options with the same text exclude each other; with a default of NULL one must be given */
};
/* HP_ARG("--json", HP_OPT_BOOL(struct info, json, "no", "as JSON"), .group = "form") */
#define HP_ARG(text, ...)                        \
	{                                        \
		.name = text, .row = __VA_ARGS__ \
	}
#define HP_ARG_END           \
	{                    \
		.name = NULL \
	}
/* Texts of an option or argument that may be given more than once. */
struct hp_texts {
	const char **at;
	size_t n;
};
/* The row of one that may be given more than once, between least and most times. The field is a struct hp_texts. */
#define HP_OPT_TEXTS(T, f, least, most, text)                                                                          \
	{                                                                                                              \
		.key = #f, .def = (least) > 0 ? NULL : "", .doc = text, .min = (least), .max = (most), .type = HP_STR, \
		.offset = (uint32_t)HP_FIELD_(T, f, struct hp_texts), .flags = HP_ARG_TEXTS,                           \
		.size = sizeof(struct hp_texts)                                                                        \
	}
#define HP_ARG_TEXTS 0x40000000u /* of a row's flags */
/* HP_OPT_NS's max where nothing but the clock limits a time, in seconds: a million hours. */
#define HP_ARG_LONG 3.6e9

struct hp_command {
	const char *name;
	const char *summary;            /* one line; begins small, without full stop                             */
	const struct hp_arg *arguments; /* arguments in their order, and options; ends with name == NULL; may be NULL */
	const char *help;               /* paragraphs for `headpipe help NAME`, each line ends; or NULL            */
	const char *exits;              /* what the exit status means, where it is not HP_EXITS; else NULL         */
	size_t state_size;              /* of the struct that the rows are about; comes zeroed                     */
	int (*run)(void *state);        /* exit status: 0 done, 1 failed, 2 usage or configuration                 */
};
#define HP_EXITS "0 done, 1 failed, 2 wrong usage or configuration"

/* Reads the arguments (argv[0] is the command's name), runs the command, and says what is wrong with them. Returns the
 * exit status. */
int hp_run_command(const struct hp_command *, int argc, char **argv);
/* "headpipe run: what" and the usage line of the command on stderr; returns 2. */
int hp_usage_error(const struct hp_command *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
