/* SPDX-License-Identifier: MIT
 * said.c - what the reader thread says. */
#include "reader.h"
#include <stdio.h>
#include <string.h>

void hp_hid_reader_say(struct hp_hid_reader *r, enum hp_level level, const char *fmt, ...)
{
	char text[640];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	r->host->log(r->host, level, text);
}

void hp_hid_reader_say_once(struct hp_hid_reader *r, enum hp_level level, const char *fmt, ...)
{
	char text[sizeof r->said];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!strcmp(text, r->said))
		return;
	memcpy(r->said, text, sizeof text);
	r->host->log(r->host, level, text);
}
