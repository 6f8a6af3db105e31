/* SPDX-License-Identifier: MIT
 * describe.c - modules in words, from their option tables: `headpipe help`, docs/modules.md. */
#include "describe.h"
#include "graph/graph.h"
#include "graph/modules.h"
#include "wrap.h"
#include <stdio.h>
#include <string.h>

/* The host's own rows without a default may be left out; those of modules must be given. */
static bool is_host_row(const struct hp_option *row)
{
	return row == hp_option_find(hp_host_options, row->key) ||
	       row == hp_option_find(hp_host_input_options, row->key) ||
	       row == hp_option_find(hp_host_output_options, row->key);
}

/* "; mostly 0.05 to 0.5", or nothing */
static void usual_text(const struct hp_option *o, char *buf, size_t size)
{
	char allowed[100];
	struct hp_option soft = *o;
	soft.min = o->soft_min;
	soft.max = o->soft_max;
	soft.unit = NULL;
	*buf = 0;
	if (o->soft_min == o->soft_max)
		return;
	hp_option_allowed(&soft, allowed, sizeof allowed);
	snprintf(buf, size, "; mostly %s", allowed);
}

void hp_describe_options(const struct hp_option *table)
{
	char allowed[512], line[800];
	for (const struct hp_option *o = table; o && o->key; o++) {
		if (o->flags & HP_REMOVED)
			continue;
		hp_option_allowed(o, allowed, sizeof allowed);
		if (o->type == HP_ENUM) /* a|b|c, with room to break the line */
			for (char *p = allowed; (p = strchr(p, '|')); p++)
				if (strlen(allowed) + 2 < sizeof allowed) {
					memmove(p + 2, p + 1, strlen(p));
					memcpy(p, ", ", 2);
				}
		printf("  %-18s ", o->key);
		hp_wrap(stdout, o->doc, 21, 21);
		const char *needed = !o->def && !is_host_row(o) ? "; must be given" : "";
		bool tell = o->def && *o->def && !(o->flags & HP_SECRET);
		char usual[120];
		usual_text(o, usual, sizeof usual);
		snprintf(line, sizeof line, "[%s%s%s%s%s%s%s%s]", allowed, usual, needed, tell ? "; default " : "",
		         tell ? o->def : "", o->flags & HP_LIVE ? "; may change while running" : "",
		         o->flags & HP_SECRET ? "; secret" : "", o->flags & HP_LOCAL ? "; never over a network" : "");
		printf("%21s", "");
		hp_wrap(stdout, line, 21, 21);
	}
}

/* "key = ..." lines for what must be given. */
static void needed_lines(const struct hp_option *table)
{
	for (const struct hp_option *o = table; o && o->key; o++)
		if (!o->def && !(o->flags & HP_REMOVED))
			printf("%s = %s\n", o->key,
			       o->type == HP_ADDRS  ? "127.0.0.1:5005"
			       : o->type == HP_PATH ? "FILE"
			                            : "...");
}

/* How the module stands in an ini file, indented or between fences as the caller likes. */
static void example(const struct hp_module *m)
{
	if (m->kind == HP_ENCODER) {
		printf("[output NAME]\nuse = udp\nto = 127.0.0.1:5005\nencoding = %s\n", m->name);
	} else {
		printf("[%s NAME]\nuse = %s\n", hp_kind_word(m->kind), m->name);
		if (m->send && !m->encoding)
			puts("encoding = json");
	}
	needed_lines(m->options);
}

void hp_describe_module(const struct hp_module *m)
{
	const char *kind = hp_kind_word(m->kind), *file = hp_module_file(m);
	printf("%s %s\n  ", kind, m->name);
	hp_wrap(stdout, m->summary, 2, 2);
	if (file)
		printf("  from %s\n", file);
	if (m->version || m->author || m->url) {
		printf("  ");
		if (m->version)
			printf("version %s", m->version);
		if (m->author)
			printf("%sby %s", m->version ? ", " : "", m->author);
		if (m->url)
			printf("%s%s", m->version || m->author ? ", " : "", m->url);
		putchar('\n');
	}
	if (m->media_type)
		printf("  its bytes are %s\n", m->media_type);
	putchar('\n');
	example(m);
	if (m->options && m->options->key) {
		puts("\noptions");
		hp_describe_options(m->options);
	} else {
		puts("\nno options of its own");
	}
	if (m->send && m->encoding)
		printf("\nIts encoding is %s unless the ini names another one; `headpipe help encoder %s` has the "
		       "options that "
		       "come with it.\n",
		       m->encoding, m->encoding);
	else if (m->send)
		puts("\nIt carries the bytes of any encoder (`headpipe modules` lists them); the encoder's options "
		     "stand in the "
		     "same section.");
	const char *section = m->kind == HP_ENCODER ? "output" : kind;
	printf("\nEvery %s section also takes the keys in `headpipe help %s`.\n", section, section);
}

/* ---- docs/modules.md ---------------------------------------------------------------------------------------- */

/* A cell of a table: no bars, no angle brackets. */
static void cell(const char *text)
{
	for (; *text; text++)
		if (*text == '|')
			fputs("\\|", stdout);
		else if (*text == '<')
			fputs("&lt;", stdout);
		else
			putchar(*text);
}

void hp_describe_table(const struct hp_option *table)
{
	char allowed[512];
	puts("\n| key | what | value | default |\n|---|---|---|---|");
	for (const struct hp_option *o = table; o && o->key; o++) {
		if (o->flags & HP_REMOVED)
			continue;
		hp_option_allowed(o, allowed, sizeof allowed);
		printf("| `%s`%s | ", o->key, o->flags & HP_LIVE ? " ↻" : "");
		cell(o->doc);
		fputs(" | ", stdout);
		cell(allowed);
		char usual[120];
		usual_text(o, usual, sizeof usual);
		fputs(usual, stdout);
		if (o->flags & HP_SECRET)
			fputs(", secret", stdout);
		fputs(" | ", stdout);
		if (!o->def)
			fputs(is_host_row(o) ? "" : "*must be given*", stdout);
		else if (*o->def) {
			putchar('`');
			cell(o->def);
			putchar('`');
		}
		puts(" |");
	}
}

static void markdown_module(const struct hp_module *m)
{
	printf("\n### %s `%s`\n\n", hp_kind_word(m->kind), m->name);
	printf("%c%s.\n\n```ini\n",
	       m->summary[0] >= 'a' && m->summary[0] <= 'z' ? m->summary[0] - 'a' + 'A' : m->summary[0],
	       m->summary + 1);
	example(m);
	puts("```");
	if (m->send && m->encoding)
		printf("\nEncoding `%s` unless another one is named.\n", m->encoding);
	if (m->options && m->options->key)
		hp_describe_table(m->options);
}

void hp_describe_markdown(void)
{
	static const char *const titles[] = {
		[HP_INPUT] = "Inputs", [HP_FILTER] = "Filters", [HP_OUTPUT] = "Outputs", [HP_ENCODER] = "Encoders"
	};
	size_t n;
	const struct hp_builtin *all = hp_builtins(&n);
	puts("# Modules\n\n"
	     "Made by `make docs` from the modules' option tables; `headpipe help NAME` prints the same. A key with ↻ "
	     "may "
	     "change\nwhile headpipe runs. [config.md](config.md) explains ini files and kinds of values.");
	for (int kind = HP_INPUT; kind <= HP_ENCODER; kind++) {
		printf("\n## %s\n", titles[kind]);
		if (kind == HP_ENCODER)
			puts("\nAn encoder makes the bytes that an output carries: `encoding = NAME` in the output's "
			     "section, with the\n"
			     "encoder's options beside the output's.");
		for (size_t i = 0; i < n; i++)
			if ((int)all[i].kind == kind && all[i].module)
				markdown_module(all[i].module);
			else if ((int)all[i].kind == kind)
				printf("\n### %s `%s`\n\nNot built: needs %s.\n", hp_kind_word(all[i].kind),
				       all[i].name, all[i].needs);
	}
	puts("\n## Keys of every section\n\nThe host's own keys; no module may use their names.");
	hp_describe_table(hp_host_options);
	puts("\nIn every `[input NAME]`:");
	hp_describe_table(hp_host_input_options);
	puts("\nAnd in every `[output NAME]`:");
	hp_describe_table(hp_host_output_options);
	puts("\n## The section `[headpipe]`");
	hp_describe_table(hp_settings_options);
}
