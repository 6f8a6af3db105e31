/* SPDX-License-Identifier: MIT
 * new.c - `headpipe new`: writes a folder with a module that builds and runs unchanged, to be changed from there.
 */
#include "base/place.h"
#include "commands/shared/command.h"
#include "config/config.h"
#include "graph/modules.h"
#include "new_text.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct piece {
	const char *name, *text; /* @NAME@ in both is replaced */
};
static const struct piece encoder[] = {
	{ "@NAME@.c", new_encoder_c },
	{ "test_@NAME@.c", new_encoder_test_c },
	{ "@NAME@.ini", new_encoder_ini },
	{ "Makefile", new_makefile },
	{ NULL, NULL },
};
static const struct piece output[] = {
	{ "@NAME@.c", new_output_c },
	{ "test_@NAME@.c", new_output_test_c },
	{ "@NAME@.ini", new_output_ini },
	{ "Makefile", new_makefile },
	{ NULL, NULL },
};

static const struct piece filter[] = {
	{ "@NAME@.c", new_filter_c },
	{ "test_@NAME@.c", new_filter_test_c },
	{ "@NAME@.ini", new_filter_ini },
	{ "Makefile", new_makefile },
	{ NULL, NULL },
};
static const struct piece input[] = {
	{ "@NAME@.c", new_input_c },
	{ "test_@NAME@.c", new_input_test_c },
	{ "@NAME@.ini", new_input_ini },
	{ "Makefile", new_makefile },
	{ NULL, NULL },
};

/* Writes text with @NAME@ and @INCLUDE@ replaced. */
static void replace(FILE *f, const char *text, const char *name, const char *include)
{
	for (const char *at; (at = strchr(text, '@'));) {
		fwrite(text, 1, (size_t)(at - text), f);
		if (!strncmp(at, "@NAME@", 6)) {
			fputs(name, f);
			text = at + 6;
		} else if (!strncmp(at, "@INCLUDE@", 9)) {
			fputs(include, f);
			text = at + 9;
		} else {
			fputc('@', f);
			text = at + 1;
		}
	}
	fputs(text, f);
}
/* A name that the compiler knows already would only fail later, with a message about C. */
static bool c_word(const char *s)
{
	static const char *const words[] = { "auto",     "bool",    "break",    "case",     "char",     "const",
		                             "continue", "default", "do",       "double",   "else",     "enum",
		                             "extern",   "float",   "for",      "goto",     "if",       "inline",
		                             "int",      "long",    "main",     "register", "return",   "restrict",
		                             "short",    "signed",  "sizeof",   "static",   "struct",   "switch",
		                             "typedef",  "union",   "unsigned", "void",     "volatile", "while",
		                             "errno",    "false",   "true" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(words[i], s))
			return true;
	return !strncmp(s, "hp_", 3); /* the header's own */
}
static int write_piece(const struct piece *p, const char *name, const char *include)
{
	char path[3 * HP_NAME_MAX + 32] = "";
	FILE *f = fmemopen(path, sizeof path, "w");
	if (!f)
		return -1;
	replace(f, "@NAME@/", name, "");
	replace(f, p->name, name, "");
	fclose(f);
	f = fopen(path, "wx");
	if (!f) {
		fprintf(stderr, "headpipe new: %s: %s\n", path, strerror(errno));
		return -1;
	}
	replace(f, p->text, name, include);
	if (ferror(f) | fclose(f)) {
		fprintf(stderr, "headpipe new: %s: %s\n", path, strerror(errno));
		return -1;
	}
	printf("  %s\n", path);
	return 0;
}
struct arguments {
	int kind;
	const char *name;
};

static const struct hp_arg arguments[] = {
	HP_ARG("KIND", HP_OPT_ENUM(struct arguments, kind, NULL, "encoder|output|filter|input", "what kind of module")),
	HP_ARG("NAME", HP_OPT_STR(struct arguments, name, NULL, "its name, and the folder's")),
	HP_ARG_END,
};

extern const struct hp_command hp_command_new;

static int new (void *state)
{
	static const char *const words[] = { "encoder", "output", "filter", "input" };
	static const struct piece *const all[] = { encoder, output, filter, input };
	const struct arguments *a = state;
	const char *name = a->name, *kind = words[a->kind];
	const struct piece *pieces = all[a->kind];
	char include[4096];
	if (!hp_module_name_good(name) || strlen(name) > HP_NAME_MAX || c_word(name))
		return hp_usage_error(&hp_command_new, "the name `%s` %s", name,
		                      c_word(name)
		                          ? "is taken by the C language or by headpipe.h"
		                          : "must begin with a letter a to z, then letters, digits and _; at most 32");
	size_t n;
	const struct hp_builtin *b = hp_builtins(&n);
	for (size_t i = 0; i < n; i++)
		if (b[i].kind == hp_kind_from_word(kind) && !strcmp(b[i].name, name))
			return hp_usage_error(&hp_command_new,
			                      "headpipe has %s %s `%s` already; it would win over yours",
			                      !strcmp(kind, "filter") ? "a" : "an", kind, name);
	hp_place_header(include, sizeof include);
	if (mkdir(name, 0777) < 0) {
		fprintf(stderr, "headpipe new: %s: %s\n", name,
		        errno == EEXIST ? "is there already; nothing was written" : strerror(errno));
		return 1;
	}
	for (; pieces->name; pieces++)
		if (write_piece(pieces, name, include) < 0)
			return 1;
	printf("\nmake -C %s && headpipe try %s/%s.so\n", name, name, name);
	return 0;
}

const struct hp_command hp_command_new = {
	.name = "new",
	.summary = "write a folder with a module of your own that builds and runs unchanged",
	.arguments = arguments,
	.help = "Writes NAME/ with the source, a test, a Makefile and an ini. docs/writing-an-output.md, "
	        "writing-a-filter.md\n"
	        "and writing-an-input.md go on from there.\n",
	.state_size = sizeof(struct arguments),
	.run = new,
};
