/* SPDX-License-Identifier: MIT
 * tables.c - prints the tables of docs/ that come from tables of the code: `docs-tables NAME`, without a name the list
 * of names. tests/docs/tables.py puts them between the marks in the pages and compares. */
#include "commands/shared/describe.h"
#include "config/options.h"
#include "headpipe.h"
#include "inputs/decode/usages.h"
#include "sample/sample.h"
#include "session/head.h"
#include "session/record.h"
#include <stdio.h>
#include <string.h>

static void input_usages(void)
{
	puts("| usage | meaning | shape |\n|---|---|---|");
#define HP_INPUT_USAGE(name, usage, quantity, begin, numbers, meaning)    \
	printf("| %04x | %s | %s |\n", (unsigned)(usage)&0xffff, meaning, \
	       (numbers) == 3 ? "three values or more" : "one value");
#define HP_COUNTER_USAGE(name, usage, counter, meaning) \
	printf("| %04x | %s | its raw bits, cut to 8 |\n", (unsigned)(usage)&0xffff, meaning);
#include "inputs/decode/usages.def"
}

static void selectors(void)
{
	puts("| what | usage | value |\n|---|---|---|");
#define HP_SELECTOR(name, usage, member, field, what, value, ...) \
	printf("| %s | %04x | %04x: %s |\n", what, (unsigned)(field)&0xffff, (unsigned)(usage)&0xffff, value);
#include "inputs/decode/usages.def"
}

/* Bars end a cell. */
static void cell(const char *text)
{
	for (; *text; text++)
		printf(*text == '|' ? "\\%c" : "%c", *text);
}

enum { AS_IS, STAGED };

/* Columns of `csv` in their order. */
static void csv_columns(void)
{
	static const struct {
		const char *name, *group, *suffix, *meaning;
		int staged;
	} rows[] = {
#define HP_SAMPLE_FIELD(member, kind, cell, session, unit, flag, place, name, group, suffix, staged, meaning) \
	[place] = { name, #group, suffix, meaning, staged },
#include "sample/fields.def"
#define HP_SAMPLE_APPENDED(member, kind, cell, session, unit, flag, place, name, group, suffix, staged, meaning) \
	[place] = { name, #group, suffix, meaning, staged },
#include "sample/fields.def"
#define HP_SAMPLE_COLUMN(member, cell, place, name, group, suffix, meaning) \
	[place] = { name, #group, suffix, meaning, AS_IS },
#include "sample/fields.def"
	};
	puts("| in `columns` | group | header | meaning |\n|---|---|---|---|");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		printf("| `%s` | `%s` | `%s%s%s%s` | %s |\n", rows[i].name, rows[i].group,
		       rows[i].staged ? "pose_" : "", rows[i].name, *rows[i].suffix ? "_" : "", rows[i].suffix,
		       rows[i].meaning);
}

static const char *const meanings[] = {
#define HP_SAMPLE_FIELD(member, kind, cell, session, unit, flag, place, name, group, suffix, staged, meaning) meaning,
#include "sample/fields.def"
#define HP_SAMPLE_APPENDED(member, kind, cell, session, unit, flag, place, name, group, suffix, staged, meaning) \
	meaning,
#include "sample/fields.def"
};

static void session_sample(void)
{
	static const char *const kinds[] = {
		[HPS_F64] = "f64", [HPS_I64] = "i64", [HPS_U64] = "u64", [HPS_U32] = "u32"
	};
	uint32_t at[HP_SAMPLE_FIELDS];
	hps_layout_offsets(hps_sample_fields, HP_SAMPLE_BASE, at);
	puts("| offset | field | type | unit | meaning |\n|---|---|---|---|---|");
	for (size_t i = 0; i < HP_SAMPLE_BASE; i++)
		printf("| %u | `%s` | %s | %s | %s |\n", (unsigned)at[i], hps_sample_fields[i].name,
		       kinds[hps_sample_fields[i].type], hps_sample_fields[i].unit, meanings[i]);
}

static void session_appended(void)
{
	static const char *const flags[] = {
#define HP_SAMPLE_APPENDED(member, kind, cell, session, unit, flag, ...) #flag,
#include "sample/fields.def"
	};
	puts("| field | type | unit | with the flag | meaning |\n|---|---|---|---|---|");
	for (size_t i = HP_SAMPLE_BASE; i < HP_SAMPLE_FIELDS; i++) {
		const struct hps_field *f = &hps_sample_fields[i];
		printf("| `%s` | f64 | %s | `%s` | %s |\n", f->name, f->unit, flags[i - HP_SAMPLE_BASE], meanings[i]);
	}
}

static void osc_presets(void)
{
	puts("| preset | for | usual port | what is sent | ini |\n|---|---|---|---|---|");
#define OSC_PRESET(name, address, args, who, port, what, ini, ...)  \
	printf("| `" #name "` | %s | %s | %s | ", who, port, what); \
	printf(*ini ? "[%s.ini](../conf/%s.ini) |\n" : "|\n", ini, ini);
#include "outputs/encoders/osc_presets.def"
}

static void osc_shown(void)
{
	puts("| preset | messages |\n|---|---|");
#define OSC_PRESET(name, address, args, who, port, what, ini, words, first, how, shown, ...) \
	fputs("| `" #name "` | `", stdout);                                                  \
	cell(shown);                                                                         \
	puts("` |");
#include "outputs/encoders/osc_presets.def"
}

static void host_settings(void)
{
	hp_describe_table(hp_settings_options);
}

static void host_keys(void)
{
	hp_describe_table(hp_host_options);
}

static void input_keys(void)
{
	hp_describe_table(hp_host_input_options);
}

static void output_keys(void)
{
	hp_describe_table(hp_host_output_options);
}

/* A word of the man page: no minus that becomes a hyphen. */
static void roff(const char *text)
{
	for (; *text; text++)
		printf(*text == '-' || *text == '\\' ? "\\%c" : "%c", *text);
}

static void man_rows(const char *title, const struct hp_option *o)
{
	char allowed[256];
	printf(".PP\n%s:\n", title);
	for (; o->key; o++) {
		hp_option_allowed(o, allowed, sizeof allowed);
		printf(".TP\n.BI %s \" = ", o->key);
		roff(allowed);
		puts("\"");
		roff(o->doc);
		if (o->def)
			printf("; default %s", o->def);
		puts(".");
	}
}

static void man_keys(void)
{
	man_rows("Keys of every section", hp_host_options);
	man_rows("Keys of every input", hp_host_input_options);
	man_rows("Keys of every output", hp_host_output_options);
	man_rows("Keys of [headpipe]", hp_settings_options);
}

static const struct {
	const char *name;
	void (*print)(void);
} tables[] = {
	{ "input-usages", input_usages },
	{ "selectors", selectors },
	{ "csv-columns", csv_columns },
	{ "session-sample", session_sample },
	{ "session-appended", session_appended },
	{ "host-keys", host_keys },
	{ "input-keys", input_keys },
	{ "output-keys", output_keys },
	{ "settings", host_settings },
	{ "man-keys", man_keys },
	{ "osc-presets", osc_presets },
	{ "osc-shown", osc_shown },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		if (argc < 2) {
			puts(tables[i].name);
		} else if (!strcmp(argv[1], tables[i].name)) {
			tables[i].print();
			return 0;
		}
	if (argc < 2)
		return 0;
	fprintf(stderr, "docs-tables: there is no table %s\n", argv[1]);
	return 2;
}
