/* SPDX-License-Identifier: MIT
 * value.c - one text for one row of an option table: checked, and stored in the module's state. */
#include "base/alloc.h"
#include "value_text.h"
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

void *hp_values_keep(struct hp_values *values, void *block)
{
	hp_need(block);
	if (values->nblocks == values->room) {
		values->room = values->room ? 2 * values->room : 8;
		values->blocks = hp_need(realloc(values->blocks, values->room * sizeof *values->blocks));
	}
	values->blocks[values->nblocks++] = block;
	return block;
}

void hp_values_drop(struct hp_values *values, const void *block)
{
	for (size_t i = 0; block && i < values->nblocks; i++)
		if (values->blocks[i] == block) {
			free(values->blocks[i]);
			values->blocks[i] = values->blocks[--values->nblocks];
			return;
		}
}

void hp_values_free(struct hp_values *values)
{
	for (size_t i = 0; i < values->nblocks; i++)
		free(values->blocks[i]);
	free(values->blocks);
	memset(values, 0, sizeof *values);
}

static int fail(char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	return -1;
}

static int parse_bool(const char *text, bool *value, char *why, size_t why_size)
{
	static const char *const words[] = { "no", "yes", "false", "true", "off", "on" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(text, words[i]) == 0) {
			*value = i % 2;
			return 0;
		}
	return fail(why, why_size, "neither yes nor no");
}

static int parse_enum(const struct hp_option *row, const char *text, int *value, char *why, size_t why_size)
{
	size_t size;
	const char *choice;
	for (int i = 0; (choice = hp_choice(row->choices, i, &size)); i++)
		if (strlen(text) == size && memcmp(choice, text, size) == 0) {
			*value = i;
			return 0;
		}
	return fail(why, why_size, "not one of the choices");
}

/* Words with commas or blanks between them; single characters may do without. The choice at the front of the text,
 * -1: none. */
static int list_choice(const struct hp_option *row, const char *text, bool letters, size_t *size)
{
	size_t n;
	const char *choice;
	*size = letters ? 1 : strcspn(text, ", \t");
	for (int i = 0; (choice = hp_choice(row->choices, i, &n)); i++)
		if (n == *size && !strncasecmp(choice, text, n))
			return i;
	return -1;
}

static bool all_letters(const char *choices)
{
	size_t n;
	for (int i = 0; hp_choice(choices, i, &n); i++)
		if (n != 1)
			return false;
	return true;
}

/* All choices in a clause: "X, Y, Z". */
static void choices_text(const struct hp_option *row, char *buf, size_t size)
{
	size_t n, used = 0;
	const char *choice;
	*buf = 0;
	for (int i = 0; used < size && (choice = hp_choice(row->choices, i, &n)); i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%.*s", i ? ", " : "", (int)n, choice);
}

static int parse_list(const struct hp_option *row, const char *text, struct hp_list *value, char *why, size_t why_size)
{
	bool letters = all_letters(row->choices), none = !strcasecmp(text, "none");
	unsigned seen[256] = { 0 };
	uint8_t at[HP_LIST_MAX];
	char choices[160];
	size_t size, count = 0;
	choices_text(row, choices, sizeof choices);
	value->n = 0;
	for (const char *p = none ? "" : text + strspn(text, ", \t"); *p; p += size, p += strspn(p, ", \t")) {
		int i = list_choice(row, p, letters, &size);
		if (i < 0) {
			snprintf(why, why_size, "`%.*s` is none of %s", size < 60 ? (int)size : 60, p, choices);
			return -1;
		}
		if (seen[i]++ && row->flags & (HP_SET | HP_PERMUTATION)) {
			snprintf(why, why_size, "`%.*s` stands there twice", (int)size, p);
			return -1;
		}
		if (value->n == HP_LIST_MAX)
			return fail(why, why_size, "the list is too long");
		at[value->n++] = (uint8_t)i;
	}
	while (hp_choice(row->choices, (int)count, &size))
		count++;
	if (row->flags & HP_PERMUTATION && value->n != count) {
		snprintf(why, why_size, "must name each of %s once", choices);
		return -1;
	}
	if (!value->n && !none)
		return fail(why, why_size, "is empty; write `none`");
	uint8_t *copy = hp_need(malloc(value->n + 1));
	memcpy(copy, at, value->n);
	value->at = copy;
	return 0;
}

static int parse_path(const char *text, const char *base_dir, char **value, char *why, size_t why_size)
{
	if (*text == '~') {
		const struct passwd *user;
		const char *home = getenv("HOME");
		if (text[1] && text[1] != '/')
			return fail(why, why_size, "only ~/ is known, not the home of another user");
		if ((!home || !*home) && (user = getpwuid(getuid())))
			home = user->pw_dir;
		if (!home || !*home)
			return fail(why, why_size, "there is no home folder for ~");
		base_dir = home;
		text += text[1] ? 2 : 1;
	} else if (*text == '/' || !base_dir || !*base_dir || strcmp(base_dir, ".") == 0) {
		base_dir = "";
	}
	while (base_dir[0] && text[0] == '.' && text[1] == '/')
		text += 2 + strspn(text + 2, "/");
	size_t base = strlen(base_dir), size = strlen(text);
	bool slash = base && size && base_dir[base - 1] != '/';
	if (base + slash + size >= PATH_MAX)
		return fail(why, why_size, "the path is too long");
	char *path = hp_need(malloc(base + slash + size + 1));
	memcpy(path, base_dir, base);
	path[base] = '/';
	memcpy(path + base + slash, text, size + 1);
	*value = path;
	return 0;
}

/* The port that the row's default gives to an address without one. */
static uint16_t default_port(const struct hp_option *row)
{
	struct hp_addr at[HP_ADDRS_MAX];
	char why[8];
	uint32_t n;
	if (!row->def || !*row->def || hp_text_to_addrs(row->def, 0, at, &n, why, sizeof why) < 0)
		return 0;
	return at[0].port;
}

static int parse_addrs(const struct hp_option *row, const char *text, struct hp_addrs *value, char *why,
                       size_t why_size)
{
	struct hp_addr at[HP_ADDRS_MAX];
	if (hp_text_to_addrs(text, default_port(row), at, &value->n, why, why_size) < 0)
		return -1;
	value->at = hp_need(malloc(value->n * sizeof at[0]));
	memcpy(value->at, at, value->n * sizeof at[0]);
	return 0;
}

/* min and max of a time row are seconds; its value is an exact number of nanoseconds. */
static bool ns_outside(const struct hp_option *row, int64_t ns)
{
	return (double)ns < row->min * 1e9 || (double)ns > row->max * 1e9;
}

int hp_option_parse(const struct hp_option *row, const char *text, const char *base_dir, void *field,
                    struct hp_values *values, char *why, size_t why_size)
{
	bool ranged = row->min != row->max, allows_empty = row->def && !*row->def;
	union {
		bool yes;
		int choice;
		int64_t number;
		double real;
		char *text;
		struct hp_addrs addrs;
		struct hp_list list;
	} v = { .addrs = { 0, NULL } };
	const void *from = &v;
	int small;
	if (!*text && !(allows_empty && (row->type == HP_STR || row->type == HP_PATH || row->type == HP_ADDRS)))
		return fail(why, why_size, "no value");
	switch (row->type) {
	case HP_BOOL:
		if (parse_bool(text, &v.yes, why, why_size) < 0)
			return -1;
		break;
	case HP_INT:
		if (hp_text_to_int(text, &v.number, why, why_size) < 0)
			return -1;
		if ((ranged && ((double)v.number < row->min || (double)v.number > row->max)) ||
		    (row->size == sizeof small && (v.number < INT_MIN || v.number > INT_MAX)))
			return fail(why, why_size, "out of range");
		if (row->size == sizeof small) {
			small = (int)v.number;
			from = &small;
		}
		break;
	case HP_REAL:
		if (hp_text_to_real(text, &v.real, why, why_size) < 0)
			return -1;
		if (ranged && !(v.real >= row->min && v.real <= row->max))
			return fail(why, why_size, "out of range");
		break;
	case HP_STR:
		v.text = hp_values_keep(values, hp_text(text, strlen(text)));
		break;
	case HP_ENUM:
		if (parse_enum(row, text, &v.choice, why, why_size) < 0)
			return -1;
		break;
	case HP_NS:
		if (hp_text_to_ns(text, &v.number, why, why_size) < 0)
			return -1;
		if (ranged && ns_outside(row, v.number))
			return fail(why, why_size, "out of range");
		break;
	case HP_ADDRS:
		if (*text) {
			if (parse_addrs(row, text, &v.addrs, why, why_size) < 0)
				return -1;
			hp_values_keep(values, v.addrs.at);
		}
		break;
	case HP_LIST:
		if (parse_list(row, text, &v.list, why, why_size) < 0)
			return -1;
		hp_values_keep(values, (void *)(uintptr_t)v.list.at);
		break;
	case HP_PATH:
		if (*text && parse_path(text, base_dir, &v.text, why, why_size) < 0)
			return -1;
		hp_values_keep(values, v.text = *text ? v.text : hp_text("", 0));
		break;
	default:
		return fail(why, why_size, "an option type that this headpipe does not know");
	}
	memcpy(field, from, row->size);
	return 0;
}
