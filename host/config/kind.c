/* SPDX-License-Identifier: MIT
 * kind.c - the words for the kinds of modules and sections. */
#include "kind.h"
#include <string.h>

const char *hp_kind_word(enum hp_kind kind)
{
	static const char *const words[] = { "?", "input", "filter", "output", "encoder" };
	return words[kind >= HP_INPUT && kind <= HP_ENCODER ? kind : 0];
}

enum hp_kind hp_kind_from_word(const char *word)
{
	for (int k = HP_INPUT; k <= HP_ENCODER; k++)
		if (!strcmp(word, hp_kind_word((enum hp_kind)k)))
			return (enum hp_kind)k;
	return (enum hp_kind)0;
}

enum hp_kind hp_section_kind(const char *word)
{
	enum hp_kind kind = hp_kind_from_word(word);
	return kind == HP_ENCODER ? (enum hp_kind)0 : kind;
}
