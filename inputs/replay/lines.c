/* SPDX-License-Identifier: MIT
 * lines.c - a text file of any size, line by line out of one buffer. */
#include "lines.h"
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEPT = 64 }; /* of a line that is too long: enough to see whether it is a comment */

int text_lines_open(struct text_lines *t, int fd)
{
	memset(t, 0, sizeof *t);
	t->fd = fd;
	t->buffer = malloc(TEXT_LINES_MAX);
	return t->buffer ? 0 : -ENOMEM;
}

void text_lines_close(struct text_lines *t)
{
	free(t->buffer);
	t->buffer = NULL;
}

int text_lines_rewind(struct text_lines *t)
{
	t->at = t->end = 0;
	t->eof = t->again = false;
	t->line = 0;
	return lseek(t->fd, 0, SEEK_SET) < 0 ? -errno : 0;
}

/* More text behind what is left of the buffer. */
static int fill(struct text_lines *t)
{
	ssize_t n;
	memmove(t->buffer, t->buffer + t->at, t->end - t->at);
	t->end -= t->at;
	t->at = 0;
	do
		n = read(t->fd, t->buffer + t->end, TEXT_LINES_MAX - t->end);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	t->end += (size_t)n;
	t->eof = n == 0;
	return 0;
}

/* Takes out what colours a terminal: ESC [ ... letter, ESC ] ... BEL, and ESC with one character. */
static void uncolour(struct text_lines *t)
{
	char *from = memchr(t->text, 0x1b, t->length), *to = from, *end = t->text + t->length;
	while (from && from < end) {
		if (*from != 0x1b) {
			*to++ = *from++;
			continue;
		}
		char kind = from + 1 < end ? from[1] : 0;
		from += kind ? 2 : 1;
		if (kind == '[')
			while (from < end && !(*from >= 0x40 && *from <= 0x7e))
				from++;
		else if (kind == ']')
			while (from < end && *from != 0x07)
				from++;
		from += (kind == '[' || kind == ']') && from < end;
	}
	if (to)
		t->length = (size_t)(to - t->text);
}

static void strip(struct text_lines *t)
{
	uncolour(t);
	if (t->line == 1 && t->length >= 3 && !memcmp(t->text, "\xef\xbb\xbf", 3)) {
		t->text += 3;
		t->length -= 3;
	}
	while (t->length && (text_blank(t->text[0]) || t->text[0] == '>')) {
		t->text++;
		t->length--;
	}
	while (t->length && text_blank(t->text[t->length - 1]))
		t->length--;
}

int text_lines_next(struct text_lines *t)
{
	char *end;
	if (t->again) {
		t->again = false;
		return 1;
	}
	t->cut = false;
	while (!(end = memchr(t->buffer + t->at, '\n', t->end - t->at)) && !t->eof) {
		if (t->end - t->at == TEXT_LINES_MAX) {
			t->cut = true;
			t->end = KEPT;
		}
		int rc = fill(t);
		if (rc < 0)
			return rc;
	}
	if (!end && t->at == t->end)
		return 0;
	t->text = t->buffer + t->at;
	t->length = (end ? (size_t)(end - t->buffer) : t->end) - t->at;
	t->ended = end != NULL;
	t->at += t->length + t->ended;
	t->line++;
	strip(t);
	return 1;
}
