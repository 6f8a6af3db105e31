/* SPDX-License-Identifier: MIT
 * table.h - reads the tab-separated tables of the shared test data, gzipped or not. */
#ifndef TABLE_H
#define TABLE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { TABLE_CELLS = 64, TABLE_LINE = 1 << 20 };

struct table {
	gzFile file;
	char *line, *cell[TABLE_CELLS];
	int n; /* cells of the current row */
};

static inline bool table_open(struct table *t, const char *path)
{
	t->file = gzopen(path, "rb");
	t->line = malloc(TABLE_LINE);
	return t->file && t->line;
}

/* The next row that is no comment, split at tabs; false at the end. Empty cells are kept. */
static inline bool table_next(struct table *t)
{
	do {
		if (!gzgets(t->file, t->line, TABLE_LINE))
			return false;
		t->line[strcspn(t->line, "\r\n")] = 0;
	} while (t->line[0] == '#' || !t->line[0]);
	t->n = 0;
	for (char *at = t->line; at && t->n < TABLE_CELLS;) {
		t->cell[t->n++] = at;
		at = strchr(at, '\t');
		if (at)
			*at++ = 0;
	}
	return true;
}

static inline void table_close(struct table *t)
{
	gzclose(t->file);
	free(t->line);
}

/* Hex digits to bytes; "-" and "" are none. Returns the number of bytes; *out is malloc'd, exactly that large. */
static inline size_t table_hex(const char *text, uint8_t **out)
{
	size_t n = *text == '-' ? 0 : strlen(text) / 2;
	*out = malloc(n ? n : 1);
	for (size_t i = 0; i < n; i++) {
		char two[3] = { text[2 * i], text[2 * i + 1], 0 };
		(*out)[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	return n;
}

static inline bool table_same_bits(double a, double b)
{
	return memcmp(&a, &b, sizeof a) == 0;
}
#endif
