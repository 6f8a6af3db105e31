/* SPDX-License-Identifier: MIT
 * table.h - reads the reference's tables: one record per line, columns separated by tabs, # comments, gzipped or not.
 */
#ifndef PLAIN_TABLE_H
#define PLAIN_TABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TABLE_COLUMNS = 24 };
struct table {
	void *file;
	char *line, *column[TABLE_COLUMNS]; /* valid until the next row */
	int columns, number;                /* of this row; of the line in the file, from 1 */
};
bool table_open(struct table *, const char *path);
bool table_row(struct table *);
void table_close(struct table *);

/* Doubles separated by commas, C99 hex or decimal; returns how many; -1 when there are more than max or rubbish. */
int table_doubles(const char *text, double *out, int max);
/* Bytes of a hex text, `-` = none; -1 when it is not hex or does not fit. */
int table_bytes(const char *text, uint8_t *out, size_t max);
#endif
