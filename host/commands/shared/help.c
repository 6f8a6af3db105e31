/* SPDX-License-Identifier: MIT
 * help.c - a command in words, from its rows: for a terminal and for the manual page. */
#include "help.h"
#include "arguments.h"
#include "wrap.h"
#include <string.h>

/* "ends after that time [1ms to 1h; default 3s]" */
static void doc_text(const struct hp_arg *a, char *buf, size_t size)
{
	char allowed[200];
	hp_argument_allowed(a, allowed, sizeof allowed);
	snprintf(buf, size, *allowed ? "%s [%s]" : "%s", a->row.doc, allowed);
}

static int widest(const struct hp_command *c)
{
	char text[300];
	int width = 0;
	for (const struct hp_arg *a = c->arguments; a && a->name; a++) {
		hp_argument_text(a, text, sizeof text);
		int n = (int)strlen(text);
		width = n > width && n <= 24 ? n : width;
	}
	return width;
}

/* "headpipe run FILE... [--for TIME]", broken between options only. */
static void usage(const char *text)
{
	int column = printf("headpipe");
	while (*text) {
		int n = 0, depth = 0;
		for (; text[n] && (text[n] != ' ' || depth); n++)
			depth += (text[n] == '[' || text[n] == '(') - (text[n] == ']' || text[n] == ')');
		if (column + 1 + n > 96)
			column = printf("\n%8s", "") - 1;
		column += printf(" %.*s", n, text);
		text += n + (text[n] == ' ');
	}
	putchar('\n');
}

void hp_help_print(const struct hp_command *c)
{
	char text[1000];
	int indent = widest(c) + 4;
	hp_arguments_usage(c, text, sizeof text);
	usage(text);
	printf("  %s\n\n", c->summary);
	for (const struct hp_arg *a = c->arguments; a && a->name; a++) {
		hp_argument_text(a, text, sizeof text);
		int n = (int)strlen(text);
		printf("  %-*s", indent - 2, text);
		if (n + 4 > indent)
			printf("\n%*s", indent, "");
		doc_text(a, text, sizeof text);
		hp_wrap(stdout, text, indent, indent);
	}
	printf("%s%s%sexit status: ", c->arguments ? "\n" : "", c->help ? c->help : "", c->help ? "\n" : "");
	snprintf(text, sizeof text, "%s.", c->exits ? c->exits : HP_EXITS);
	hp_wrap(stdout, text, 13, 13);
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

void hp_help_man(const struct hp_command *c)
{
	char text[1000];
	hp_arguments_usage(c, text, sizeof text);
	printf(".SS headpipe ");
	roff(text);
	printf("\n%c", c->summary[0] >= 'a' && c->summary[0] <= 'z' ? c->summary[0] - 'a' + 'A' : c->summary[0]);
	roff(c->summary + 1);
	puts(".");
	for (const struct hp_arg *a = c->arguments; a && a->name; a++) {
		hp_argument_text(a, text, sizeof text);
		printf(".TP\n.B ");
		roff(text);
		putchar('\n');
		doc_text(a, text, sizeof text);
		roff(text);
		putchar('\n');
	}
	if (c->help) {
		puts(".PP\n.nf");
		roff(c->help);
		puts(".fi");
	}
	printf(".PP\nExit status: ");
	roff(c->exits ? c->exits : HP_EXITS);
	puts(".");
}
