/* SPDX-License-Identifier: MIT
 * arguments.c - reads a command's arguments by its rows, and says in one sentence what is wrong with them. */
#include "arguments.h"
#include "base/alloc.h"
#include "base/suggest.h"
#include "config/value_text.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 64 };

struct reading {
	const struct hp_arg *rows;
	void *state;
	struct hp_values *values;
	char *why;
	size_t why_size, words; /* on the whole line: room for any list of texts */
	bool given[ROWS_MAX];
};

static int wrong(struct reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static int wrong(struct reading *r, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(r->why, r->why_size, fmt, ap);
	va_end(ap);
	return -1;
}

static bool is_texts(const struct hp_arg *a)
{
	return a->row.flags & HP_ARG_TEXTS;
}

static bool is_flag(const struct hp_arg *a)
{
	return a->row.type == HP_BOOL;
}

static void *field(const struct reading *r, const struct hp_arg *a)
{
	return (char *)r->state + a->row.offset;
}

/* "none or zstd" of "none|zstd". */
static void list_choices(const char *choices, char *buf, size_t size)
{
	const char *choice, *next;
	size_t used = 0, n, more;
	for (int i = 0; (choice = hp_choice(choices, i, &n)) && used < size; i++) {
		next = hp_choice(choices, i + 1, &more);
		used += (size_t)snprintf(buf + used, size - used, "%s%.*s",
		                         !i     ? ""
		                         : next ? ", "
		                                : " or ",
		                         (int)n, choice);
	}
}

static int wrong_choice(struct reading *r, const struct hp_arg *a, const char *text)
{
	const char *words[ROWS_MAX], *choice;
	char copy[512], list[512];
	size_t n = 0, size;
	snprintf(copy, sizeof copy, "%s", a->row.choices);
	while (n < ROWS_MAX && (choice = hp_choice(copy, (int)n, &size)))
		words[n++] = choice;
	for (char *bar = copy; (bar = strchr(bar, '|'));)
		*bar++ = 0;
	const char *meant = hp_suggest(text, words, n);
	list_choices(a->row.choices, list, sizeof list);
	return wrong(r, "%s %.200s: must be %s%s%s%s", a->name, text, list, meant ? "; did you mean `" : "",
	             meant ? meant : "", meant ? "`?" : "");
}

static int take_text(struct reading *r, const struct hp_arg *a, const char *text)
{
	struct hp_texts *list = field(r, a);
	if (!*text)
		return wrong(r, "%s: no value; text", a->name);
	if ((double)list->n >= a->row.max)
		return hp_argument_is_option(a) ? wrong(r, "%s more than %.0f times", a->name, a->row.max)
		                                : wrong(r, "one argument too many: %.200s", text);
	if (!list->at)
		list->at = hp_values_keep(r->values, malloc(r->words * sizeof *list->at));
	list->at[list->n++] = text;
	return 0;
}

static int take(struct reading *r, const struct hp_arg *a, const char *text)
{
	char why[256], allowed[512], seconds[64];
	const char *shown = text;
	size_t i = (size_t)(a - r->rows), n = strlen(text);
	if (is_texts(a))
		return take_text(r, a, text);
	if (r->given[i] && !is_flag(a))
		return wrong(r, "%s is given twice", a->name);
	r->given[i] = true;
	/* what stood here before times had units, and what everybody types */
	if (a->row.type == HP_NS && n && n < sizeof seconds - 1 &&
	    ((text[n - 1] >= '0' && text[n - 1] <= '9') || text[n - 1] == '.')) {
		snprintf(seconds, sizeof seconds, "%ss", text);
		text = seconds;
	}
	if (!hp_option_parse(&a->row, text, NULL, field(r, a), r->values, why, sizeof why))
		return 0;
	if (a->row.type == HP_ENUM && *shown)
		return wrong_choice(r, a, shown);
	hp_option_allowed(&a->row, allowed, sizeof allowed);
	return wrong(r, "%s%s%.200s: %s; %s%s", a->name, *shown ? " " : "", shown, why, allowed,
	             a->row.type == HP_NS ? ", a number alone is seconds" : "");
}

static int unknown(struct reading *r, const char *word)
{
	const char *names[ROWS_MAX + 1] = { "--help" };
	char name[80];
	size_t n = 1;
	for (const struct hp_arg *a = r->rows; a && a->name; a++)
		if (!strncmp(a->name, "--", 2))
			names[n++] = a->name;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
	/* every letter is near to every other one */
	const char *meant = strlen(name) > 2 ? hp_suggest(name, names, n) : NULL;
	return wrong(r, "unknown option %s%s%s%s", name, meant ? "; did you mean `" : "", meant ? meant : "",
	             meant ? "`?" : "");
}

/* The option that a word names: --from, --from=1s, -o, -oFILE, -o=FILE. *value: what is joined to it, or NULL. */
static const struct hp_arg *find_option(const struct hp_arg *rows, const char *word, const char **value)
{
	for (const struct hp_arg *a = rows; a && a->name; a++) {
		size_t n = strlen(a->name);
		if (!hp_argument_is_option(a) || strncmp(word, a->name, n) != 0)
			continue;
		bool joined = n == 2 && !is_flag(a);
		if (word[n] && word[n] != '=' && !joined)
			continue;
		*value = !word[n] ? NULL : word + n + (word[n] == '=');
		return a;
	}
	return NULL;
}

static int read_option(struct reading *r, int argc, char **argv, int *at)
{
	const char *value, *other, *word = argv[*at];
	const struct hp_arg *a = find_option(r->rows, word, &value);
	if (!a)
		return unknown(r, word);
	if (is_flag(a))
		return value ? wrong(r, "%s takes no value", a->name) : take(r, a, "yes");
	if (!value) {
		const char *next = *at + 1 < argc ? argv[*at + 1] : NULL;
		/* --from --to 5s: nobody has a file of that name, but everybody forgets a word */
		if (!next || !strcmp(next, "--") || (next[0] == '-' && find_option(r->rows, next, &other))) {
			char text[300];
			hp_argument_text(a, text, sizeof text);
			return wrong(r, "%s lacks its value: %s", a->name, text);
		}
		value = next;
		++*at;
	}
	return take(r, a, value);
}

static int read_argument(struct reading *r, const char *word)
{
	for (const struct hp_arg *a = r->rows; a && a->name; a++)
		if (!hp_argument_is_option(a) && (is_texts(a) || !r->given[a - r->rows]))
			return take(r, a, word);
	return wrong(r, "one argument too many: %.200s", word);
}

static bool same_group(const struct hp_arg *a, const struct hp_arg *b)
{
	return b->name && a->group && b->group && !strcmp(a->group, b->group);
}

/* --a, --b or --c */
static void list_group(const struct hp_arg *first, char *buf, size_t size)
{
	size_t used = 0;
	for (const struct hp_arg *a = first; a->name && used < size; a++) {
		if (!same_group(first, a))
			continue;
		bool more = same_group(a, a + 1);
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
		                         a == first ? ""
		                         : more     ? ", "
		                                    : " or ",
		                         a->name);
	}
}

static int exclusive(struct reading *r, const struct hp_arg *a)
{
	bool any = r->given[a - r->rows];
	for (const struct hp_arg *b = r->rows; b->name; b++) {
		if (a == b || !same_group(a, b))
			continue;
		any |= r->given[b - r->rows];
		if (b > a && r->given[a - r->rows] && r->given[b - r->rows])
			return wrong(r, "%s and %s exclude each other", a->name, b->name);
	}
	if (any || a->row.def)
		return 0;
	char list[300];
	list_group(a, list, sizeof list);
	return wrong(r, "one of %s must be given", list);
}

static int complete(struct reading *r)
{
	char text[300], why[300];
	for (const struct hp_arg *a = r->rows; a && a->name; a++) {
		size_t i = (size_t)(a - r->rows);
		if (a->group) {
			if (exclusive(r, a) < 0)
				return -1;
			continue;
		}
		const struct hp_texts *list = is_texts(a) ? field(r, a) : NULL;
		if (r->given[i] || (list && (double)list->n >= a->row.min))
			continue;
		if (!a->row.def && !hp_argument_is_option(a) && a->row.type == HP_ENUM) {
			list_choices(a->row.choices, text, sizeof text);
			return wrong(r, "%s is missing: %s", a->name, text);
		}
		hp_argument_text(a, text, sizeof text);
		if (!a->row.def)
			return wrong(r, "%s is missing", hp_argument_is_option(a) ? text : a->name);
		if (!list && *a->row.def &&
		    hp_option_parse(&a->row, a->row.def, NULL, field(r, a), r->values, why, sizeof why) < 0)
			return wrong(r, "default of %s: %s", a->name, why);
	}
	return 0;
}

int hp_arguments_read(const struct hp_command *c, int argc, char **argv, void *state, struct hp_values *values,
                      char *why, size_t why_size)
{
	struct reading r = { c->arguments, state, values, why, why_size, (size_t)argc + 1, { false } };
	bool options = true;
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help"))
			return 1;
	for (int i = 1; i < argc; i++) {
		bool option = options && argv[i][0] == '-' && argv[i][1];
		if (option && !strcmp(argv[i], "--"))
			options = false;
		else if ((option ? read_option(&r, argc, argv, &i) : read_argument(&r, argv[i])) < 0)
			return -1;
	}
	return complete(&r);
}

/* ---- how they are written ---------------------------------------------------------------------------------------- */

static const char *value_text(const struct hp_arg *a)
{
	if (a->value)
		return a->value;
	switch (a->row.type) {
	case HP_ENUM:
		return a->row.choices;
	case HP_NS:
		return "TIME";
	case HP_PATH:
		return "FILE";
	case HP_INT:
	case HP_REAL:
		return "NUMBER";
	default:
		return "TEXT";
	}
}

void hp_argument_text(const struct hp_arg *a, char *buf, size_t size)
{
	if (hp_argument_is_option(a))
		snprintf(buf, size, is_flag(a) ? "%s" : "%s %s", a->name, value_text(a));
	else
		snprintf(buf, size, "%s", a->row.type == HP_ENUM ? a->row.choices : a->value ? a->value : a->name);
}

void hp_argument_allowed(const struct hp_arg *a, char *buf, size_t size)
{
	char range[128] = "";
	const char *def = a->row.def && !is_flag(a) && !is_texts(a) ? a->row.def : "";
	bool number = a->row.type == HP_INT || a->row.type == HP_REAL || a->row.type == HP_NS;
	/* a millisecond to a million hours is no limit */
	if (number && a->row.max != a->row.min && (a->row.min > 0.001 || a->row.max < HP_ARG_LONG))
		hp_option_allowed(&a->row, range, sizeof range);
	snprintf(buf, size, "%s%s%s%s", range, *range && *def ? "; " : "", *def ? "default " : "", def);
}

struct line {
	char *at;
	size_t size, used;
};

static void add(struct line *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(struct line *l, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	if (l->used < l->size)
		l->used += (size_t)vsnprintf(l->at + l->used, l->size - l->used, fmt, ap);
	va_end(ap);
}

static void add_one(struct line *l, const struct hp_arg *rows, const struct hp_arg *a)
{
	char text[300];
	hp_argument_text(a, text, sizeof text);
	bool needed = !a->row.def, many = is_texts(a) && !a->value;
	if (a->group) {
		bool first = a == rows || !same_group(a, a - 1), last = !same_group(a, a + 1);
		add(l, "%s%s%s", first ? needed ? " (" : " [" : " | ", text, last ? needed ? ")" : "]" : "");
	} else if (hp_argument_is_option(a)) {
		add(l, needed ? " %s" : " [%s]%s", text, is_texts(a) ? "..." : "");
	} else {
		add(l, needed || a->value ? " %s%s" : " [%s%s]", text, many ? "..." : "");
	}
}

void hp_arguments_usage(const struct hp_command *c, char *buf, size_t size)
{
	struct line l = { buf, size, 0 };
	add(&l, "%s", c->name);
	for (int options = 0; options < 2; options++)
		for (const struct hp_arg *a = c->arguments; a && a->name; a++)
			if (hp_argument_is_option(a) == options)
				add_one(&l, c->arguments, a);
}
