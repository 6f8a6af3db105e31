/* SPDX-License-Identifier: MIT
 * words.c - words, numbers and hex bytes of one line of text. */
#include "words.h"

/* One more than the digit's value; 0 = no digit. */
static const uint8_t digits[256] = {
	['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
	['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12, ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16,
	['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static inline unsigned digit(char c)
{
	return digits[(unsigned char)c];
}

bool text_word(struct text_words *w, const char **word, size_t *n)
{
	while (w->at < w->end && text_blank(*w->at))
		w->at++;
	*word = w->at;
	while (w->at < w->end && !text_blank(*w->at))
		w->at++;
	*n = (size_t)(w->at - *word);
	return *n > 0;
}

bool text_number(const char *word, size_t n, unsigned base, uint32_t max, uint32_t *out)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned d = digit(word[i]);
		if (!d || d > base)
			return false;
		v = v * base + d - 1;
		if (v > max)
			return false;
	}
	*out = (uint32_t)v;
	return n > 0;
}

bool text_time(const char *word, size_t n, int64_t *out)
{
	int64_t seconds = 0, ns = 0;
	size_t i = 0, places = 0;
	for (; i < n && word[i] >= '0' && word[i] <= '9'; i++)
		if ((seconds = seconds * 10 + (word[i] - '0')) > INT64_MAX / 1000000000 - 1)
			return false;
	if (i == 0 || i == n || word[i] != '.')
		return false;
	for (i++; i < n && word[i] >= '0' && word[i] <= '9' && places < 9; i++, places++)
		ns = ns * 10 + (word[i] - '0');
	if (!places || i < n)
		return false;
	for (; places < 9; places++)
		ns *= 10;
	*out = seconds * 1000000000 + ns;
	return true;
}

size_t text_bytes(struct text_words *w, uint8_t *out, size_t max)
{
	const char *at = w->at;
	size_t n = 0;
	for (; n < max && w->end - at >= 3 && *at == ' '; at += 3) {
		unsigned high = digit(at[1]), low = digit(at[2]);
		if (!high || !low || (w->end - at > 3 && at[3] != ' '))
			break;
		out[n++] = (uint8_t)((high - 1) << 4 | (low - 1));
	}
	w->at = at;
	return n;
}

bool text_bytes_word(const char *word, size_t n, uint8_t *out)
{
	if (n % 2)
		return false;
	for (size_t i = 0; i < n; i += 2) {
		unsigned high = digit(word[i]), low = digit(word[i + 1]);
		if (!high || !low)
			return false;
		if (out)
			out[i / 2] = (uint8_t)((high - 1) << 4 | (low - 1));
	}
	return true;
}
