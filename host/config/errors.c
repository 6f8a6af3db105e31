/* SPDX-License-Identifier: MIT
 * errors.c - the text of configuration errors: one finished line each, safe to print on a terminal. */
#include "errors.h"
#include "base/alloc.h"
#include "base/utf8.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hp_error_entry {
	char *text; /* with its hints */
	size_t size, room;
	int line, order; /* order: number of the file */
};

static void append(struct hp_error_entry *e, const char *text, size_t n)
{
	if (e->size + n + 1 > e->room) {
		e->room = 2 * e->room + n + 1;
		e->text = hp_need(realloc(e->text, e->room));
	}
	memcpy(e->text + e->size, text, n);
	e->size += n;
	e->text[e->size] = '\0';
}

/* What could steer a terminal or break the line comes out as \xNN: C0 and C1 controls, DEL, bytes that are no UTF-8. */
static void append_safe(struct hp_error_entry *e, const char *text)
{
	size_t left = strlen(text);
	while (left) {
		const unsigned char *s = (const unsigned char *)text;
		size_t n = hp_utf8_char(text, left);
		if (n == 0 || s[0] < 0x20 || s[0] == 0x7f || (s[0] == 0xc2 && s[1] < 0xa0)) {
			char hex[8];
			n = n ? n : 1;
			for (size_t i = 0; i < n; i++)
				append(e, hex, (size_t)snprintf(hex, sizeof hex, "\\x%02x", (unsigned)s[i]));
		} else {
			append(e, text, n);
		}
		text += n;
		left -= n;
	}
}

__attribute__((format(printf, 2, 0))) static void append_format(struct hp_error_entry *e, const char *fmt, va_list args)
{
	va_list again;
	va_copy(again, args);
	int n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	char *text = hp_need(malloc((size_t)n + 1));
	vsnprintf(text, (size_t)n + 1, fmt, args);
	append_safe(e, text);
	append(e, "\n", 1);
	free(text);
}

static int later(const struct hp_error_entry *a, const struct hp_error_entry *b)
{
	if (a->order != b->order)
		return a->order > b->order;
	return a->line == 0 ? b->line != 0 : b->line != 0 && a->line > b->line;
}

/* The entries, sorted, as one text. A handful of short pieces: made anew each time. */
static void compose(struct hp_errors *e)
{
	const struct hp_error_entry *sorted[HP_ERRORS_MAX];
	int n = e->count < HP_ERRORS_MAX ? e->count : HP_ERRORS_MAX;
	e->size = 0;
	for (int i = 0; i < n; i++) {
		int at = i;
		for (; at > 0 && later(sorted[at - 1], &e->entries[i]); at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = &e->entries[i];
		e->size += e->entries[i].size;
	}
	if (e->size + 1 > e->room) {
		e->room = 2 * e->size + 1;
		e->text = hp_need(realloc(e->text, e->room));
	}
	char *out = e->text;
	for (int i = 0; i < n; i++) {
		memcpy(out, sorted[i]->text, sorted[i]->size);
		out += sorted[i]->size;
	}
	*out = '\0';
}

int hp_errors_file(struct hp_errors *e, const char *file)
{
	for (int i = 0; i < e->nfiles; i++)
		if (strcmp(e->files[i], file) == 0)
			return i;
	hp_grow(&e->files, (size_t)e->nfiles, sizeof *e->files);
	e->files[e->nfiles] = hp_text(file, strlen(file));
	return e->nfiles++;
}

void hp_error(struct hp_errors *e, const char *file, int line, const char *fmt, ...)
{
	char number[16];
	va_list args;
	e->muted = e->count >= HP_ERRORS_MAX;
	e->count++;
	if (e->muted)
		return;
	if (!e->entries)
		e->entries = hp_need(calloc(HP_ERRORS_MAX, sizeof *e->entries));
	struct hp_error_entry *entry = &e->entries[e->count - 1];
	entry->line = line;
	entry->order = hp_errors_file(e, file);
	append_safe(entry, file);
	if (line > 0)
		append(entry, number, (size_t)snprintf(number, sizeof number, ":%d", line));
	append(entry, ": error: ", 9);
	va_start(args, fmt);
	append_format(entry, fmt, args);
	va_end(args);
	compose(e);
}

void hp_error_hint(struct hp_errors *e, const char *fmt, ...)
{
	va_list args;
	if (e->muted || e->count == 0)
		return;
	append(&e->entries[e->count - 1], "    ", 4);
	va_start(args, fmt);
	append_format(&e->entries[e->count - 1], fmt, args);
	va_end(args);
	compose(e);
}

void hp_errors_free(struct hp_errors *e)
{
	for (int i = 0; e->entries && i < HP_ERRORS_MAX; i++)
		free(e->entries[i].text);
	for (int i = 0; i < e->nfiles; i++)
		free(e->files[i]);
	free(e->files);
	free(e->entries);
	free(e->text);
	memset(e, 0, sizeof *e);
}
