/* SPDX-License-Identifier: MIT
 * lines.h - cuts a stream of text into lines, in a buffer of fixed size. A line that is longer is handed over cut,
 * once; the rest of it is passed over. Newlines and a carriage return before them are not part of a line. */
#ifndef HP_LINES_H
#define HP_LINES_H
#include <stdbool.h>
#include <stddef.h>

struct hp_lines {
	char *buffer;
	size_t cap, used;
	bool skip; /* the rest of a line that was too long */
};

/* text is not NUL-terminated. */
typedef void (*hp_line_fn)(void *arg, const char *text, size_t n, bool cut);

int hp_lines_init(struct hp_lines *, size_t cap); /* 0 or -ENOMEM */
void hp_lines_free(struct hp_lines *);
void hp_lines_feed(struct hp_lines *, const char *data, size_t n, hp_line_fn, void *arg);
/* The stream has ended: an unfinished line is handed over. Ready for the next stream. */
void hp_lines_end(struct hp_lines *, hp_line_fn, void *arg);
#endif
