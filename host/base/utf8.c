/* SPDX-License-Identifier: MIT
 * utf8.c - is a whole text UTF-8? Eight bytes of ASCII at a time, the rest by character. */
#include "utf8.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Are the n bytes, at most 8, plain ASCII? Overlapping loads instead of a loop: most texts here are short keys. */
static inline bool short_ascii(const uint8_t *p, size_t n)
{
	uint32_t a, b;
	if (n >= 4) {
		memcpy(&a, p, 4);
		memcpy(&b, p + n - 4, 4);
		return !((a | b) & 0x80808080u);
	}
	return !n || !((p[0] | p[n / 2] | p[n - 1]) & 0x80);
}

size_t hp_utf8_valid(const void *text, size_t n)
{
	const uint8_t *p = text;
	size_t i = 0;
	while (i < n) {
		uint64_t eight;
		if (n - i <= sizeof eight) {
			if (short_ascii(p + i, n - i))
				return n;
		} else {
			memcpy(&eight, p + i, sizeof eight);
			if (!(eight & 0x8080808080808080u)) {
				i += sizeof eight;
				continue;
			}
		}
		size_t step = hp_utf8_char((const char *)p + i, n - i);
		if (!step)
			break;
		i += step;
	}
	return i;
}
