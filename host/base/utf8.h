/* SPDX-License-Identifier: MIT
 * utf8.h - is this UTF-8? (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF) */
#ifndef HP_UTF8_H
#define HP_UTF8_H
#include <stddef.h>

#define HP_UTF8_UNKNOWN "\xef\xbf\xbd" /* U+FFFD, in the place of what is not UTF-8 */

/* Bytes of the character at s (1 to 4), or 0 when the n bytes there do not begin with a whole valid one. */
static inline size_t hp_utf8_char(const char *text, size_t n)
{
	const unsigned char *s = (const unsigned char *)text;
	if (n == 0)
		return 0;
	if (s[0] < 0x80)
		return 1;
	size_t size = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
	if (s[0] < 0xc2 || s[0] > 0xf4 || n < size)
		return 0;
	for (size_t i = 1; i < size; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
	    (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return size;
}

/* The length of the longest prefix of whole, valid characters; n when all of it is. NUL bytes are valid. */
size_t hp_utf8_valid(const void *text, size_t n);
#endif
