/* SPDX-License-Identifier: MIT
 * errors.c - the text of configuration errors: one finished line each, safe to print on a terminal. */
#include "errors.h"
#include "alloc.h"
#include "utf8.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(struct hp_errors *e, const char *text, size_t n)
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
static void append_safe(struct hp_errors *e, const char *text)
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

__attribute__((format(printf, 2, 0))) static void append_format(struct hp_errors *e, const char *fmt, va_list args)
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
	free(text);
}

void hp_error(struct hp_errors *e, const char *file, int line, const char *fmt, ...)
{
	char number[16];
	va_list args;
	e->muted = e->count >= HP_ERRORS_MAX;
	e->count++;
	if (e->muted)
		return;
	append_safe(e, file);
	if (line > 0)
		append(e, number, (size_t)snprintf(number, sizeof number, ":%d", line));
	append(e, ": error: ", 9);
	va_start(args, fmt);
	append_format(e, fmt, args);
	va_end(args);
	append(e, "\n", 1);
}

void hp_error_hint(struct hp_errors *e, const char *fmt, ...)
{
	va_list args;
	if (e->muted || e->count == 0)
		return;
	append(e, "    ", 4);
	va_start(args, fmt);
	append_format(e, fmt, args);
	va_end(args);
	append(e, "\n", 1);
}

void hp_errors_free(struct hp_errors *e)
{
	free(e->text);
	memset(e, 0, sizeof *e);
}
