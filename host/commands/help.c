/* SPDX-License-Identifier: MIT
 * help.c - `headpipe help`: commands, and modules from their option tables. */
#include "commands.h"
#include "describe.h"
#include "graph/graph.h"
#include "graph/modules.h"
#include "base/suggest.h"
#include <stdlib.h>
#include <string.h>

static void command(const struct hp_command *c)
{
	printf("headpipe %s\n  %s\n", c->usage, c->summary);
	if (c->help)
		printf("\n%s", c->help);
}

/* Text for man(7). */
static void roff(const char *text)
{
	bool start = true;
	for (; *text; text++) {
		if (start && (*text == '.' || *text == '\''))
			fputs("\\&", stdout);
		start = *text == '\n';
		if (*text == '-' || *text == '\\')
			fputs(*text == '-' ? "\\-" : "\\e", stdout);
		else
			putchar(*text);
	}
}

/* The COMMANDS part of docs/headpipe.1. */
static void man(void)
{
	for (const struct hp_command *c = hp_commands; c->name; c++) {
		printf(".SS headpipe ");
		roff(c->usage);
		printf("\n%c",
		       c->summary[0] >= 'a' && c->summary[0] <= 'z' ? c->summary[0] - 'a' + 'A' : c->summary[0]);
		roff(c->summary + 1);
		puts(".");
		if (!c->help)
			continue;
		puts(".PP\n.nf");
		roff(c->help);
		puts(".fi");
	}
}

static void overview(void)
{
	puts("headpipe - from a head tracker to everything that wants to know where a head points\n\ncommands");
	for (const struct hp_command *c = hp_commands; c->name; c++)
		printf("  %-10s %s\n", c->name, c->summary);
	puts("\n`headpipe help NAME` tells about a command, a module, or the sections `headpipe`, `input`, `filter`, "
	     "`output`.");
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
	if (!strcmp(name, "output"))
		hp_describe_options(hp_host_output_options);
	return 0;
}

int cmd_help(int argc, char **argv)
{
	char why[1500], reason[1500] = "";
	bool missing, found = false;
	const char *names[400];
	size_t count = 0;
	if (argc < 2) {
		overview();
		return 0;
	}
	if (argc == 2 && !strcmp(argv[1], "--man")) {
		man();
		return 0;
	}
	const char *name = argv[argc > 2 ? 2 : 1];
	enum hp_kind only = argc > 2 ? hp_kind_from_word(argv[1]) : (enum hp_kind)0;
	if (argc > 3 || (argc > 2 && !only))
		return hp_usage_error("help", "say `help NAME` or `help input|filter|output|encoder NAME`");
	for (const struct hp_command *c = hp_commands; c->name && !only; c++) {
		names[count++] = c->name;
		if (!strcmp(c->name, name)) {
			command(c);
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
