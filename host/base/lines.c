/* SPDX-License-Identifier: MIT
 * lines.c - a stream of text to lines. */
#include "lines.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int hp_lines_init(struct hp_lines *l, size_t cap)
{
	*l = (struct hp_lines){ .buffer = malloc(cap), .cap = cap };
	return l->buffer ? 0 : -ENOMEM;
}

void hp_lines_free(struct hp_lines *l)
{
	free(l->buffer);
	*l = (struct hp_lines){ 0 };
}

static void hand_over(const char *text, size_t n, hp_line_fn line, void *arg, bool cut)
{
	if (n && !cut && text[n - 1] == '\r')
		n--;
	line(arg, text, n, cut);
}

void hp_lines_feed(struct hp_lines *l, const char *data, size_t n, hp_line_fn line, void *arg)
{
	while (n) {
		const char *end = memchr(data, '\n', n);
		size_t piece = end ? (size_t)(end - data) : n, room = l->cap - l->used;
		if (!l->skip && piece > room) {
			memcpy(l->buffer + l->used, data, room);
			hand_over(l->buffer, l->cap, line, arg, true);
			l->used = 0;
			l->skip = true;
		} else if (!l->skip && end && !l->used) {
			hand_over(data, piece, line, arg, false); /* whole: no copy */
		} else if (!l->skip) {
			memcpy(l->buffer + l->used, data, piece);
			l->used += piece;
			if (end) {
				size_t whole = l->used;
				l->used = 0;
				hand_over(l->buffer, whole, line, arg, false);
			}
		}
		if (!end)
			return;
		l->skip = false;
		data += piece + 1;
		n -= piece + 1;
	}
}

void hp_lines_end(struct hp_lines *l, hp_line_fn line, void *arg)
{
	size_t n = l->used;
	l->used = 0;
	l->skip = false;
	if (n)
		hand_over(l->buffer, n, line, arg, false);
}
