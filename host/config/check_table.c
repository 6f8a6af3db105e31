/* SPDX-License-Identifier: MIT
 * check_table.c - is a module's option table sound? Asked once when the module is loaded. */
#include "grammar.h"
#include "value_text.h"
#include <stdio.h>
#include <string.h>

static size_t field_size(uint32_t type)
{
	switch (type) {
	case HP_BOOL:
		return sizeof(bool);
	case HP_INT: /* or int64_t */
	case HP_ENUM:
		return sizeof(int);
	case HP_REAL:
		return sizeof(double);
	case HP_NS:
		return sizeof(int64_t);
	case HP_STR:
	case HP_PATH:
		return sizeof(const char *);
	case HP_ADDRS:
		return sizeof(struct hp_addrs);
	case HP_LIST:
		return sizeof(struct hp_list);
	}
	return 0;
}

/* a|b|c without empty or repeated choices */
static bool good_choices(const char *choices)
{
	size_t size, other_size;
	const char *choice, *other;
	for (int i = 0; (choice = hp_choice(choices, i, &size)); i++) {
		if (size == 0)
			return false;
		for (int j = 0; j < i && (other = hp_choice(choices, j, &other_size)); j++)
			if (size == other_size && memcmp(choice, other, size) == 0)
				return false;
	}
	return choices != NULL;
}

/* Host keys that are free where the host has no use for them: an input has nothing above it, and an output without
 * send() (modules.c looks) no encoder. */
static bool means_nothing(const char *key, enum hp_kind kind)
{
	return (kind == HP_INPUT && !strcmp(key, "from")) || (kind == HP_OUTPUT && !strcmp(key, "encoding"));
}

/* What is wrong with one row, in why; false = nothing. */
static bool bad_row(const struct hp_option *row, size_t state_size, enum hp_kind kind, char *why, size_t why_size)
{
	const char *wrong = NULL;
	size_t size = field_size(row->type);
	_Alignas(16) char scratch[64];
	char detail[256];
	struct hp_values values = { 0 };
	if (hp_bad_name(row->key, detail))
		wrong = "a key is lower-case letters, digits, `_` and `-`, at most 32";
	else if (kind && hp_option_is_host_key(row->key, kind) && !means_nothing(row->key, kind))
		wrong = "this key belongs to the host";
	else if (!row->doc || !*row->doc)
		wrong = "no doc text";
	else if (row->flags & HP_REMOVED)
		return false;
	else if (size == 0)
		wrong = "unknown type";
	else if (row->size != size && !(row->type == HP_INT && row->size == sizeof(int64_t)))
		wrong = "the field has the wrong size for its type";
	else if (row->offset > state_size || row->size > state_size - row->offset)
		wrong = "the field lies outside of the state";
	else if (!(row->min <= row->max))
		wrong = "min is above max";
	else if (row->min != row->max &&
	         !(row->soft_min <= row->soft_max &&
	           (row->soft_min == row->soft_max || (row->soft_min >= row->min && row->soft_max <= row->max))))
		wrong = "the sensible range is not inside of the range";
	else if ((row->type == HP_ENUM || row->type == HP_LIST) && !good_choices(row->choices))
		wrong = "bad choices";
	if (wrong) {
		snprintf(why, why_size, "option `%.40s`: %s", row->key, wrong);
		return true;
	}
	if (!row->def)
		return false;
	int result = hp_option_parse(row, row->def, NULL, scratch, &values, detail, sizeof detail);
	/* ~ may not resolve for the user who asks; that is no fault of the table */
	if (result < 0 && !(row->type == HP_PATH && *row->def == '~')) {
		snprintf(why, why_size, "default of `%s`: %s", row->key, detail);
		hp_values_free(&values);
		return true;
	}
	hp_values_free(&values);
	return false;
}

const char *hp_options_check(const struct hp_option *table, size_t state_size, enum hp_kind kind, char *why,
                             size_t why_size)
{
	/* only HP_OPT_END is empty all over; a row without a key would hide those behind it */
	for (size_t i = 0; table && (table[i].key || table[i].def || table[i].doc || table[i].size); i++) {
		if (i >= HP_OPTIONS_MAX) {
			snprintf(why, why_size, "no HP_OPT_END within %d options", HP_OPTIONS_MAX);
			return why;
		}
		if (!table[i].key) {
			snprintf(why, why_size, "option %zu: no key", i + 1);
			return why;
		}
		if (bad_row(&table[i], state_size, kind, why, why_size))
			return why;
		for (size_t j = 0; j < i; j++)
			if (strcmp(table[i].key, table[j].key) == 0) {
				snprintf(why, why_size, "option `%s` stands there twice", table[i].key);
				return why;
			}
	}
	return NULL;
}
