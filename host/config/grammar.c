/* SPDX-License-Identifier: MIT
 * grammar.c - the grammar of one ini line: names, keys, quotes, comments. */
#include "grammar.h"
#include "base/utf8.h"
#include <stdio.h>
#include <string.h>

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}
static bool lower(char c)
{
	return c >= 'a' && c <= 'z';
}
static bool letter(char c)
{
	return lower(c) || (c >= 'A' && c <= 'Z');
}
static bool word_rest(char c)
{
	return letter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

void hp_trim(char *s)
{
	size_t start = 0, end = strlen(s);
	while (blank(s[start]))
		start++;
	while (end > start && blank(s[end - 1]))
		end--;
	memmove(s, s + start, end - start);
	s[end - start] = '\0';
}

bool hp_bad_name(const char *s, char *why)
{
	bool good = lower(s[0]);
	for (size_t i = 1; good && s[i]; i++)
		good = word_rest(s[i]) && (lower(s[i]) || !letter(s[i]));
	if (!good)
		snprintf(why, HP_WHY_MAX,
		         "a name begins with a lower-case letter; then come lower-case letters, digits, `_` and `-`");
	else if (strlen(s) > HP_NAME_MAX)
		snprintf(why, HP_WHY_MAX, "the name is %zu bytes; the limit is %d", strlen(s), HP_NAME_MAX);
	else
		return false;
	return true;
}

/* Capitals pass here: the option table says what was meant. */
bool hp_bad_key(const char *s, char *why)
{
	bool good = letter(s[0]);
	for (size_t i = 1; good && s[i]; i++)
		good = word_rest(s[i]);
	if (!*s)
		snprintf(why, HP_WHY_MAX, "no key before the `=`");
	else if (!good)
		snprintf(why, HP_WHY_MAX, "a key is made of letters, digits, `_` and `-`, and begins with a letter");
	else if (strlen(s) > HP_NAME_MAX)
		snprintf(why, HP_WHY_MAX, "the key is %zu bytes; the limit is %d", strlen(s), HP_NAME_MAX);
	else
		return false;
	return true;
}

bool hp_bad_text(const char *s, char *why)
{
	size_t left = strlen(s);
	while (left) {
		size_t n = hp_utf8_char(s, left);
		unsigned char c = (unsigned char)*s;
		if (n == 0) {
			snprintf(why, HP_WHY_MAX, "not UTF-8 text (byte 0x%02x)", c);
			return true;
		}
		if ((c < 0x20 && c != '\t') || c == 0x7f) {
			snprintf(why, HP_WHY_MAX, "control character 0x%02x", c);
			return true;
		}
		s += n;
		left -= n;
	}
	return false;
}

const char *hp_shown(const char *text, size_t size, char *out)
{
	size_t n = 0, whole;
	while (n < size && (whole = hp_utf8_char(text + n, size - n) ? hp_utf8_char(text + n, size - n) : 1) &&
	       n + whole <= 60)
		n += whole;
	memcpy(out, text, n);
	memcpy(out + n, "...", 4);
	if (n == size)
		out[n] = '\0';
	return out;
}

/* The position of the quote that closes the one at s[open], or 0. */
static size_t closing(const char *s, size_t open)
{
	for (size_t i = open + 1; s[i]; i++) {
		if (s[i] == '\\' && (s[i + 1] == '"' || s[i + 1] == '\\'))
			i++;
		else if (s[i] == '"')
			return i;
	}
	return 0;
}

void hp_cut_comment(char *s)
{
	bool unclosed = false; /* once a quote has no end, none behind it has, and searching again would be quadratic */
	for (size_t i = 0; s[i]; i++) {
		if (s[i] == '"' && !unclosed) {
			size_t end = closing(s, i);
			unclosed = !end;
			i = end ? end : i;
		} else if (s[i] == ';' && i > 0 && blank(s[i - 1])) {
			s[i] = '\0';
			return;
		}
	}
}

bool hp_unquote(char *value)
{
	if (*value != '"')
		return true;
	size_t end = closing(value, 0), out = 0;
	if (!end)
		return false;
	if (value[end + 1])
		return true; /* more than one word, like a command: the quotes belong to it */
	for (size_t i = 1; i < end; i++) {
		if (value[i] == '\\' && (value[i + 1] == '"' || value[i + 1] == '\\'))
			i++;
		value[out++] = value[i];
	}
	value[out] = '\0';
	return true;
}
