/* SPDX-License-Identifier: MIT
 * json.c - text of devices and files as JSON, by one rule for every command. */
#include "json.h"
#include "base/alloc.h"
#include "base/utf8.h"
#include <stdlib.h>
#include <string.h>

json_t *hp_json_text(const char *text)
{
	if (!text)
		return json_null();
	size_t left = strlen(text), used = 0;
	char *good = hp_need(malloc(left * (sizeof HP_UTF8_UNKNOWN - 1) + 1));
	for (size_t n; left; left -= n, text += n) {
		n = hp_utf8_char(text, left);
		size_t size = n ? n : sizeof HP_UTF8_UNKNOWN - 1;
		memcpy(good + used, n ? text : HP_UTF8_UNKNOWN, size);
		used += size;
		n = n ? n : 1;
	}
	json_t *j = json_stringn(good, used);
	free(good);
	return hp_need(j);
}

json_t *hp_json_text_or_null(const char *text)
{
	return hp_json_text(text && *text ? text : NULL);
}

void hp_json_print(json_t *j, int indent)
{
	json_dumpf(j, stdout,
	           (indent ? JSON_INDENT(indent) : JSON_COMPACT) | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	putchar('\n');
	json_decref(j);
}
