/* SPDX-License-Identifier: MIT
 * grammar.h - the grammar of one ini line; shared by the file reader and -s. */
#ifndef HP_CONFIG_TEXT_H
#define HP_CONFIG_TEXT_H
#include "config.h"

enum { HP_WHY_MAX = 160, HP_SHOWN_MAX = 72 };

void hp_trim(char *);                      /* removes blanks and tabs at both ends, in place */
bool hp_bad_name(const char *, char *why); /* why has HP_WHY_MAX bytes; false = it is good */
bool hp_bad_key(const char *, char *why);
bool hp_bad_text(const char *, char *why); /* control characters, or no UTF-8 */
/* At most 60 bytes of text for a message, whole characters, "..." when there was more. out: HP_SHOWN_MAX bytes. */
const char *hp_shown(const char *text, size_t size, char *out);

/* Ends s where a comment behind a value begins: at a `;` after a blank, outside double quotes. */
void hp_cut_comment(char *s);
/* Takes the quotes off a value that is one quoted text; \" and \\ stand for " and \ there. false: never closed. */
bool hp_unquote(char *value);

/* What config.c's list needs from a reader. */
struct hp_section *hp_config_add(struct hp_config *, const char *kind, const char *name, const char *file, int line);
struct hp_pair *hp_section_add(struct hp_section *, const char *key, const char *value, const char *file, int line);
#endif
