/* SPDX-License-Identifier: MIT
 * help.c - `headpipe help`: commands, and modules from their option tables. */
#include "commands/shared/help.h"
#include "base/suggest.h"
#include "commands/shared/describe.h"
#include "commands/shared/table.h"
#include "graph/graph.h"
#include "graph/modules.h"
#include <stdlib.h>
#include <string.h>

static void overview(void)
{
	puts("headpipe - from a head tracker to everything that wants to know where a head points\n\ncommands");
	for (const struct hp_command *const *c = commands; *c; c++)
		printf("  %-14s  %s\n", (*c)->name, (*c)->summary);
	puts("\n`headpipe help NAME` tells about a command, a module, or the sections `headpipe`, `input`, `filter`, "
	     "`output`.\n"
	     "Options may stand anywhere: `--for 10s`, `--for=10s`, `-o FILE`, `-oFILE`; a time without a unit is in "
	     "seconds,\nand behind `--` nothing is an option.");
}

static int section(const char *name)
{
	if (!strcmp(name, "headpipe")) {
		puts("[headpipe]\n  the program as a whole; may be left out\n\noptions");
		hp_describe_options(hp_settings_options);
		return 0;
	}
	if (!hp_kind_from_word(name) || !strcmp(name, "encoder"))
		return -1;
	printf("[%s NAME]\n\nkeys of every %s section\n", name, name);
	hp_describe_options(hp_host_options);
	const struct hp_option *own = hp_host_options_of(hp_kind_from_word(name));
	if (own)
		hp_describe_options(own);
	return 0;
}

struct arguments {
	struct hp_texts words;
	bool man;
};

static const struct hp_arg arguments[] = {
	HP_ARG("NAME",
	       HP_OPT_TEXTS(struct arguments, words, 0, 2,
	                    "a command, a module or a section; input, filter, output or encoder before a module's name "
	                    "says which one"),
	       .value = "[COMMAND | MODULE | KIND MODULE]"),
	HP_ARG("--man", HP_OPT_BOOL(struct arguments, man, "no", "all commands as part of a manual page")),
	HP_ARG_END,
};

static int help(void *state)
{
	const struct arguments *a = state;
	char why[1500], reason[1500] = "";
	bool missing, found = false;
	const char *names[400];
	size_t count = 0;
	if (a->man)
		for (const struct hp_command *const *c = commands; *c; c++)
			hp_help_man(*c);
	else if (!a->words.n)
		overview();
	if (a->man || !a->words.n)
		return 0;
	const char *name = a->words.at[a->words.n - 1];
	enum hp_kind only = a->words.n > 1 ? hp_kind_from_word(a->words.at[0]) : (enum hp_kind)0;
	if (a->words.n > 1 && !only)
		return hp_usage_error(&hp_command_help, "say `help NAME` or `help input|filter|output|encoder NAME`");
	for (const struct hp_command *const *c = commands; *c && !only; c++) {
		names[count++] = (*c)->name;
		if (!strcmp((*c)->name, name)) {
			hp_help_print(*c);
			found = true;
		}
	}
	if (!only && !found && !section(name))
		return 0;
	for (int k = HP_INPUT; k <= HP_ENCODER; k++) {
		if (only && only != (enum hp_kind)k)
			continue;
		const struct hp_module *m = hp_module_find((enum hp_kind)k, name, &missing, why, sizeof why);
		count += hp_module_names((enum hp_kind)k, names + count, 400 - count);
		if (m) {
			if (found)
				putchar('\n');
			hp_describe_module(m);
			found = true;
		} else if (!missing && !*reason) {
			/* it may be there as another kind, so this is said only if it is not */
			memcpy(reason, why, sizeof reason);
		}
	}
	if (found)
		return 0;
	if (*reason) {
		printf("%s\n", reason);
		return strchr(name, '/') ? 2 : 0;
	}
	const char *guess = hp_suggest(name, names, count);
	fprintf(stderr, "headpipe help: no command or module is called %s%s%s%s\n", name,
	        guess ? "; did you mean `" : "", guess ? guess : "", guess ? "`?" : "");
	return 2;
}

const struct hp_command hp_command_help = {
	.name = "help",
	.summary = "tell about a command or a module and its options",
	.arguments = arguments,
	.state_size = sizeof(struct arguments),
	.run = help,
};
