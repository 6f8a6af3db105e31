/* SPDX-License-Identifier: MIT
 * table.c - the reference's tables, over zlib. */
#include "table.h"
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { LINE = 1 << 17 };

bool table_open(struct table *t, const char *path)
{
	memset(t, 0, sizeof *t);
	t->file = gzopen(path, "rb");
	t->line = malloc(LINE);
	if (t->file && t->line)
		return true;
	table_close(t);
	return false;
}

bool table_row(struct table *t)
{
	while (gzgets(t->file, t->line, LINE)) {
		t->number++;
		size_t n = strlen(t->line);
		if (n && t->line[n - 1] == '\n')
			t->line[n - 1] = 0;
		if (!*t->line || *t->line == '#')
			continue;
		t->columns = 0;
		for (char *p = t->line; p && t->columns < TABLE_COLUMNS;) {
			t->column[t->columns++] = p;
			p = strchr(p, '\t');
			if (p)
				*p++ = 0;
		}
		return true;
	}
	return false;
}

void table_close(struct table *t)
{
	if (t->file)
		gzclose(t->file);
	free(t->line);
	memset(t, 0, sizeof *t);
}

int table_doubles(const char *text, double *out, int max)
{
	for (int n = 0; n < max; n++) {
		char *end;
		out[n] = strtod(text, &end);
		if (end == text)
			return -1;
		if (!*end)
			return n + 1;
		if (*end != ',')
			return -1;
		text = end + 1;
	}
	return -1;
}

static int digit(char c)
{
	const char *p = c ? strchr("0123456789abcdef", c) : NULL;
	return p ? (int)(p - "0123456789abcdef") : -1;
}

int table_bytes(const char *text, uint8_t *out, size_t max)
{
	if (strcmp(text, "-") == 0)
		return 0;
	size_t n = 0;
	for (; text[0]; text += 2, n++) {
		int a = digit(text[0]), b = text[1] ? digit(text[1]) : -1;
		if (a < 0 || b < 0 || n == max)
			return -1;
		out[n] = (uint8_t)(a << 4 | b);
	}
	return (int)n;
}
