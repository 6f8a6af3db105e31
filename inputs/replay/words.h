/* SPDX-License-Identifier: MIT
 * words.h - words, numbers and hex bytes of one line of text that is not NUL-terminated. */
#ifndef TEXT_WORDS_H
#define TEXT_WORDS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of a line. */
struct text_words {
	const char *at, *end;
};

/* Space, tab and the other blanks inside a line. */
static inline bool text_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r' && c != '\n');
}
/* The next word; false when there is none. It is not terminated. */
bool text_word(struct text_words *w, const char **word, size_t *n);
/* All of a word as a number of base 10 or 16, at most max. */
bool text_number(const char *word, size_t n, unsigned base, uint32_t max, uint32_t *out);
/* All of a word as seconds.fraction, 1 to 9 digits of fraction, in ns. */
bool text_time(const char *word, size_t n, int64_t *out);
/* Takes bytes of two hex digits each, set apart by single blanks, as long as there are such; at most max. How many. */
size_t text_bytes(struct text_words *w, uint8_t *out, size_t max);
/* Whether a word is made of bytes of two hex digits each; if so they go to out, unless it is NULL. */
bool text_bytes_word(const char *word, size_t n, uint8_t *out);
#endif
