/* SPDX-License-Identifier: MIT
 * test_arguments.c - what the words behind a command's name mean, and every sentence about wrong ones. */
#include "commands/shared/arguments.h"
#include "commands/shared/json.h"
#include "commands/shared/table.h"
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h> /* wants the ones above */

struct trial {
	const char *file, *out, *name;
	struct hp_texts more, sets;
	int64_t for_ns;
	int packing, count;
	double real;
	bool quiet, json, list;
};

static const struct hp_arg rows[] = {
	HP_ARG("FILE", HP_OPT_STR(struct trial, file, NULL, "a file")),
	HP_ARG("MORE", HP_OPT_TEXTS(struct trial, more, 0, 2, "more files")),
	HP_ARG("-s", HP_OPT_TEXTS(struct trial, sets, 0, 3, "sets"), .value = "a.b=c"),
	HP_ARG("-o", HP_OPT_PATH(struct trial, out, "", "output")),
	HP_ARG("--for", HP_OPT_NS(struct trial, for_ns, "3s", 0.001, 3600, "how long")),
	HP_ARG("--compression", HP_OPT_ENUM(struct trial, packing, "none", "none|zstd", "packing")),
	HP_ARG("--count", HP_OPT_INT(struct trial, count, "7", -5, 100, "how many")),
	HP_ARG("--real", HP_OPT_REAL(struct trial, real, "", 0, 1, "a number")),
	HP_ARG("--name", HP_OPT_STR(struct trial, name, "", "a name")),
	HP_ARG("-q", HP_OPT_BOOL(struct trial, quiet, "no", "quiet")),
	HP_ARG("--json", HP_OPT_BOOL(struct trial, json, "no", "as JSON"), .group = "form"),
	HP_ARG("--list", HP_OPT_BOOL(struct trial, list, "no", "as a list"), .group = "form"),
	HP_ARG_END,
};
static const struct hp_command trial = {
	.name = "trial", .summary = "tries", .arguments = rows, .state_size = sizeof(struct trial)
};

static void put_texts(char *out, size_t size, const char *name, const struct hp_texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		snprintf(out + strlen(out), size - strlen(out), " %s=%s", name, t->at[i]);
}

/* What differs from the defaults, or "help", or the sentence. line: words between blanks; '' is an empty one. */
static const char *outcome(const struct hp_command *c, const char *line)
{
	static char out[1000];
	char copy[400], why[HP_ARGUMENTS_WHY], *argv[32] = { (char *)"trial" };
	static char empty[] = "";
	int argc = 1;
	struct trial t = { 0 };
	struct hp_values values = { 0 };
	snprintf(copy, sizeof copy, "%s", line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		argv[argc++] = strcmp(word, "''") ? word : empty;
	int code = hp_arguments_read(c, argc, argv, &t, &values, why, sizeof why);
	out[0] = 0;
	if (code < 0) {
		snprintf(out, sizeof out, "%s", why);
	} else if (code) {
		snprintf(out, sizeof out, "help");
	} else {
		snprintf(out, sizeof out, "%s", t.file ? t.file : "nothing");
		put_texts(out, sizeof out, "more", &t.more);
		put_texts(out, sizeof out, "s", &t.sets);
		char *end = out + strlen(out);
		size_t room = sizeof out - strlen(out);
		snprintf(end, room, "%s%s%s%s%s%s%s%s%s", t.out ? " o=" : "", t.out ? t.out : "",
		         t.name ? " name=" : "", t.name ? t.name : "", t.quiet ? " quiet" : "", t.json ? " json" : "",
		         t.list ? " list" : "", t.packing ? " zstd" : "", "");
		end += strlen(end);
		room = sizeof out - strlen(out);
		if (t.for_ns != 3000000000)
			snprintf(end, room, " for=%" PRId64, t.for_ns);
		if (t.count != 7)
			snprintf(end + strlen(end), room - strlen(end), " count=%d", t.count);
		if (t.real != 0)
			snprintf(end + strlen(end), room - strlen(end), " real=%g", t.real);
	}
	hp_values_free(&values);
	return out;
}

static const struct {
	const char *line, *want;
} cases[] = {
	/* how options are written */
	{ "x", "x" },
	{ "x --for 1s", "x for=1000000000" },
	{ "x --for=1s", "x for=1000000000" },
	{ "--for=1s x", "x for=1000000000" },
	{ "x -s a.b=c", "x s=a.b=c" },
	{ "x -sa.b=c", "x s=a.b=c" },
	{ "x -s=a.b=c", "x s=a.b=c" },
	{ "x -s a.b=c -sd.e=f -s g.h=", "x s=a.b=c s=d.e=f s=g.h=" },
	{ "x -s a.b=-1", "x s=a.b=-1" },
	{ "-o out x", "x o=out" },
	{ "-oout x", "x o=out" },
	{ "x -o=out", "x o=out" },
	{ "x -o -", "x o=-" },
	{ "x -q", "x quiet" },
	{ "x -q -q", "x quiet" },
	{ "x --json -q", "x quiet json" },
	{ "x y z", "x more=y more=z" },
	{ "x -q y --json z", "x more=y more=z quiet json" },
	{ "-", "-" },
	{ "-- -q", "-q" },
	{ "x -- -q --for", "x more=-q more=--for" },
	{ "-q -- x -- ", "x more=-- quiet" },
	{ "x --name a=b", "x name=a=b" },
	{ "x --name=a=b", "x name=a=b" },
	{ "x --name=", "x name=" },
	{ "x --name=-q", "x name=-q" },
	{ "x --name -strange", "--name lacks its value: --name TEXT" }, /* it is -s trange */
	{ "x --name -way", "x name=-way" },
	/* values */
	{ "x --for 60", "x for=60000000000" },
	{ "x --for 0.2", "x for=200000000" },
	{ "x --for 1.", "x for=1000000000" },
	{ "x --for 500ms", "x for=500000000" },
	{ "x --for 2min", "x for=120000000000" },
	{ "x --for=1h", "x for=3600000000000" },
	{ "x --compression zstd", "x zstd" },
	{ "x --compression=none", "x" },
	{ "x --count -5", "x count=-5" },
	{ "x --count=0x10", "x count=16" },
	{ "x --real .5", "x real=0.5" },
	/* help */
	{ "-h", "help" },
	{ "--help", "help" },
	{ "x -h", "help" },
	{ "--nonsense --for -h", "help" },
	{ "x y z u v --help -q", "help" },
	{ "x -- -h", "x more=-h" },
	/* wrong */
	{ "", "FILE is missing" },
	{ "-q", "FILE is missing" },
	{ "''", "FILE: no value; text" },
	{ "x y z u", "one argument too many: u" },
	{ "x -x", "unknown option -x" },
	{ "x --fro", "unknown option --fro; did you mean `--for`?" },
	{ "x --fro=1s", "unknown option --fro; did you mean `--for`?" },
	{ "x -for", "unknown option -for; did you mean `--for`?" },
	{ "x --hlep", "unknown option --hlep; did you mean `--help`?" },
	{ "x --jsn", "unknown option --jsn; did you mean `--json`?" },
	{ "x --elsewhere", "unknown option --elsewhere" },
	{ "x -qq", "unknown option -qq" },
	{ "x ---", "unknown option ---" },
	{ "x --for", "--for lacks its value: --for TIME" },
	{ "x --for --json", "--for lacks its value: --for TIME" },
	{ "x --for -oout", "--for lacks its value: --for TIME" },
	{ "x --for --", "--for lacks its value: --for TIME" },
	{ "x -s", "-s lacks its value: -s a.b=c" },
	{ "x -o", "-o lacks its value: -o FILE" },
	{ "x --compression", "--compression lacks its value: --compression none|zstd" },
	{ "x --for=", "--for: no value; 1ms to 1h, a number alone is seconds" },
	{ "x -s=", "-s: no value; text" },
	{ "x -s a -s b -s c -s d", "-s more than 3 times" },
	{ "x --for 1s --for 2s", "--for is given twice" },
	{ "x -o a -ob", "-o is given twice" },
	{ "x --json=yes", "--json takes no value" },
	{ "x -q=", "-q takes no value" },
	{ "x --json --list", "--json and --list exclude each other" },
	{ "x --list --json", "--json and --list exclude each other" },
	{ "x --for never", "--for never: not a time; 1ms to 1h, a number alone is seconds" },
	{ "x --for 0", "--for 0: out of range; 1ms to 1h, a number alone is seconds" },
	{ "x --for -1", "--for -1: out of range; 1ms to 1h, a number alone is seconds" },
	{ "x --for 2h", "--for 2h: out of range; 1ms to 1h, a number alone is seconds" },
	{ "x --for 1,5", "--for 1,5: not a time; write a point, not a comma; 1ms to 1h, a number alone is seconds" },
	{ "x --for 3x", "--for 3x: not a time; units are ns, us, ms, s, min, h; 1ms to 1h, a number alone is seconds" },
	{ "x --compression zst", "--compression zst: must be none or zstd; did you mean `zstd`?" },
	{ "x --compression=7z", "--compression 7z: must be none or zstd" },
	{ "x --count 101", "--count 101: out of range; -5 to 100" },
	{ "x --count 1.5", "--count 1.5: not a whole number; -5 to 100" },
	{ "x --real nan", "--real nan: not a number; 0 to 1" },
};

static void lines(void **unused)
{
	(void)unused;
	int bad = 0;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *got = outcome(&trial, cases[i].line);
		if (!strcmp(got, cases[i].want))
			continue;
		print_message("trial %s\n   got  %s\n   want %s\n", cases[i].line, got, cases[i].want);
		bad++;
	}
	assert_int_equal(bad, 0);
	print_message("count: command lines %zu\n", sizeof cases / sizeof *cases);
}

/* Rows that must be given, and a group of which one must be. */
static void needed(void **unused)
{
	static const struct hp_arg few[] = {
		HP_ARG("ACTION", HP_OPT_ENUM(struct trial, packing, NULL, "make|take|break", "what")),
		HP_ARG("-o", HP_OPT_PATH(struct trial, out, NULL, "output"), .value = "FILE.svg"),
		HP_ARG("--json", HP_OPT_BOOL(struct trial, json, NULL, "as JSON"), .group = "form"),
		HP_ARG("--list", HP_OPT_BOOL(struct trial, list, NULL, "as a list"), .group = "form"),
		HP_ARG("--quiet", HP_OPT_BOOL(struct trial, quiet, NULL, "as nothing"), .group = "form"),
		HP_ARG_END,
	};
	static const struct hp_command c = {
		.name = "trial", .summary = "tries", .arguments = few, .state_size = sizeof(struct trial)
	};
	char usage[300];
	(void)unused;
	assert_string_equal(outcome(&c, ""), "ACTION is missing: make, take or break");
	assert_string_equal(outcome(&c, "mkae"), "ACTION mkae: must be make, take or break; did you mean `make`?");
	assert_string_equal(outcome(&c, "make"), "-o FILE.svg is missing");
	assert_string_equal(outcome(&c, "make -o x"), "one of --json, --list or --quiet must be given");
	assert_string_equal(outcome(&c, "make -o x --quiet --json"), "--json and --quiet exclude each other");
	assert_string_equal(outcome(&c, "take -o x --list"), "nothing o=x list zstd for=0 count=0");
	hp_arguments_usage(&c, usage, sizeof usage);
	assert_string_equal(usage, "trial make|take|break -o FILE.svg (--json | --list | --quiet)");
	hp_arguments_usage(&trial, usage, sizeof usage);
	assert_string_equal(usage,
	                    "trial FILE [MORE...] [-s a.b=c]... [-o FILE] [--for TIME] [--compression none|zstd] "
	                    "[--count NUMBER] [--real NUMBER] [--name TEXT] [-q] [--json | --list]");
}

/* A command without rows takes nothing. */
static void none(void **unused)
{
	static const struct hp_command c = { .name = "trial", .summary = "tries" };
	char usage[100];
	(void)unused;
	assert_string_equal(outcome(&c, ""), "nothing for=0 count=0");
	assert_string_equal(outcome(&c, "x"), "one argument too many: x");
	assert_string_equal(outcome(&c, "-x"), "unknown option -x");
	assert_string_equal(outcome(&c, "--hlp"), "unknown option --hlp; did you mean `--help`?");
	assert_string_equal(outcome(&c, "--help"), "help");
	hp_arguments_usage(&c, usage, sizeof usage);
	assert_string_equal(usage, "trial");
}

static void sound_row(const struct hp_command *c, const struct hp_arg *a)
{
	struct hp_values values = { 0 };
	char why[200] = "", field[sizeof(struct hp_addrs) + 16];
	const struct hp_option *row = &a->row;
	bool texts = row->flags & HP_ARG_TEXTS, option = hp_argument_is_option(a);
	if (!row->doc || !*row->doc)
		fail_msg("%s %s: no word about it", c->name, a->name);
	if (row->offset + row->size > c->state_size)
		fail_msg("%s %s: its field is outside the command's state", c->name, a->name);
	if (option && a->name[1] != '-' && strlen(a->name) != 2)
		fail_msg("%s %s: neither -x nor --word", c->name, a->name);
	if (!strcmp(a->name, "-h") || !strcmp(a->name, "--help"))
		fail_msg("%s %s: is taken", c->name, a->name);
	if (!option && row->type == HP_BOOL)
		fail_msg("%s %s: an argument that is told by its place is no flag", c->name, a->name);
	if (row->type == HP_BOOL && row->def && strcmp(row->def, "no") != 0)
		fail_msg("%s %s: a flag is off unless given", c->name, a->name);
	if (a->group && row->type != HP_BOOL)
		fail_msg("%s %s: only flags exclude each other", c->name, a->name);
	if (!texts && row->def && *row->def &&
	    hp_option_parse(row, row->def, NULL, field, &values, why, sizeof why) < 0)
		fail_msg("%s %s: default %s: %s", c->name, a->name, row->def, why);
	hp_values_free(&values);
	for (const struct hp_arg *b = c->arguments; b != a; b++)
		if (!strcmp(a->name, b->name))
			fail_msg("%s %s: there twice", c->name, a->name);
	for (const struct hp_arg *b = a + 1; !option && b->name; b++)
		if (!hp_argument_is_option(b) && texts)
			fail_msg("%s %s: comes after one that takes the rest", c->name, b->name);
}

/* Every command of the program. */
static void sound(void **unused)
{
	size_t n = 0, count = 0;
	(void)unused;
	for (const struct hp_command *const *c = commands; *c; c++, n++) {
		if (n && strcmp(c[-1]->name, (*c)->name) >= 0)
			fail_msg("%s stands behind %s", (*c)->name, c[-1]->name);
		if (!(*c)->summary || !(*c)->run || (*c)->summary[strlen((*c)->summary) - 1] == '.')
			fail_msg("%s: summary or function", (*c)->name);
		for (const struct hp_arg *a = (*c)->arguments; a && a->name; a++, count++)
			sound_row(*c, a);
	}
	assert_true(n >= 20);
	print_message("count: rows of %zu commands %zu\n", n, count);
}

/* Texts of devices and files in what commands write as JSON. */
static void json_texts(void **unused)
{
	static const struct {
		const char *text, *want;
	} texts[] = {
		{ "plain", "\"plain\"" },
		{ "", "\"\"" },
		{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
		{ "1\n2\t3\x01", "\"1\\n2\\t3\\u0001\"" },
		{ "\xc3\xa4\xe2\x82\xac", "\"\xc3\xa4\xe2\x82\xac\"" },
		{ "a\xff"
		  "b\xc3",
		  "\"a\xef\xbf\xbd"
		  "b\xef\xbf\xbd\"" },
		{ "\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"" }, /* half of a pair is no character */
		{ NULL, "null" },
	};
	(void)unused;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		json_t *j = hp_json_text(texts[i].text);
		char *got = json_dumps(j, JSON_ENCODE_ANY);
		assert_string_equal(got, texts[i].want);
		free(got);
		json_decref(j);
	}
	assert_true(json_is_null(hp_json_text_or_null("")));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines), cmocka_unit_test(needed),     cmocka_unit_test(none),
		cmocka_unit_test(sound), cmocka_unit_test(json_texts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
