/* SPDX-License-Identifier: MIT
 * framing.c - records to frames and back. */
#include "framing.h"
#include <errno.h>
#include <stdbool.h>
#include <string.h>

static size_t width(enum hp_framing f)
{
	return f == HP_LENGTH32 || f == HP_LENGTH32LE ? 4 : f == HP_LENGTH16 || f == HP_LENGTH16LE ? 2 : 0;
}

static bool little(enum hp_framing f)
{
	return f == HP_LENGTH32LE || f == HP_LENGTH16LE;
}

/* Text that stays one line: no control characters but the tab. Branch-free, so that the compiler can use wide
 * registers. */
static bool is_line(const uint8_t *p, size_t n)
{
	unsigned bad = 0;
	for (size_t i = 0; i < n; i++)
		bad |= (unsigned)(p[i] < 0x20 && p[i] != '\t');
	return !bad;
}

long hp_frame(enum hp_framing f, const void *record, size_t n, void *out, size_t cap)
{
	uint8_t *p = out;
	size_t head = width(f);
	if (cap < HP_FRAMING_EXTRA || n > cap - HP_FRAMING_EXTRA)
		return -ENOSPC;
	if ((head == 2 && n > UINT16_MAX) || (head == 4 && (uint64_t)n > UINT32_MAX))
		return -EMSGSIZE;
	if (f == HP_LINES) {
		if (n && ((const char *)record)[n - 1] == '\n')
			n--; /* an encoding that ends its text itself */
		if (!is_line(record, n))
			return -EILSEQ;
		memcpy(p, record, n);
		p[n] = '\n';
		return (long)n + 1;
	}
	for (size_t i = 0; i < head; i++)
		p[little(f) ? i : head - 1 - i] = (uint8_t)(n >> 8 * i);
	memcpy(p + head, record, n);
	return (long)(head + n);
}

size_t hp_unframe(enum hp_framing f, const void *data, size_t n, const uint8_t **record, size_t *size)
{
	const uint8_t *p = data;
	size_t head = width(f), length = 0;
	if (f == HP_RAW) {
		*record = p;
		*size = n;
		return n;
	}
	if (f == HP_LINES) {
		const uint8_t *end = n ? memchr(p, '\n', n) : NULL;
		if (!end)
			return 0;
		*record = p;
		*size = (size_t)(end - p);
		return *size + 1;
	}
	if (n < head)
		return 0;
	for (size_t i = 0; i < head; i++)
		length |= (size_t)p[little(f) ? i : head - 1 - i] << 8 * i;
	if (n - head < length)
		return 0;
	*record = p + head;
	*size = length;
	return head + length;
}

const char *hp_framing_error(long error)
{
	switch (error) {
	case -EILSEQ:
		return "this encoding is not plain text, so it cannot be sent as lines; set framing = length32";
	case -EMSGSIZE:
		return "a sample is longer than framing = length16 can say; set framing = length32";
	default:
		return "a sample is too long for one frame";
	}
}
