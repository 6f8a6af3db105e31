/* SPDX-License-Identifier: MIT
 * lines.h - a text file of any size, line by line out of one buffer. */
#ifndef TEXT_LINES_H
#define TEXT_LINES_H
#include <stdbool.h>
#include <stddef.h>

/* Longest line that is kept: a HID descriptor of 65535 bytes is 196 KB of text. */
enum { TEXT_LINES_MAX = 256 * 1024 };

struct text_lines {
	int fd; /* the caller's */
	char *buffer;
	size_t at, end; /* what of it was read and not given out */
	bool eof;
	/* the current line: valid until the next call, not NUL-terminated, without its end, surrounding blanks, a byte
	 * order mark and mail quoting (`> `) */
	char *text;
	size_t length;
	unsigned line; /* from 1; 0 before the first */
	bool cut;      /* the line is longer than TEXT_LINES_MAX; only its first characters are there */
	bool ended;    /* the line has its end; only the last one of a file may not */
	bool again;    /* set by the caller: give this line once more */
};

/* 0 or -ENOMEM. */
int text_lines_open(struct text_lines *t, int fd);
/* 1, 0 at the end of the file, or -errno. */
int text_lines_next(struct text_lines *t);
/* Back to the first line. 0 or -errno. */
int text_lines_rewind(struct text_lines *t);
void text_lines_close(struct text_lines *t);
#endif
