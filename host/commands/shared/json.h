/* SPDX-License-Identifier: MIT
 * json.h - text of devices and files as JSON, by one rule for every command. */
#ifndef HP_JSON_H
#define HP_JSON_H
#include <jansson.h>

/* A JSON string of any bytes: what is not UTF-8 becomes U+FFFD. NULL is null. */
json_t *hp_json_text(const char *);
/* The same, and "" is null too. */
json_t *hp_json_text_or_null(const char *);
/* Writes the value to stdout, with a newline, and lets go of it. indent: spaces per level, 0 = all in one line. */
void hp_json_print(json_t *, int indent);
#endif
