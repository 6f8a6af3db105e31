/* SPDX-License-Identifier: MIT
 * log.c - lines on stderr, each written with one write so that threads do not mix. */
#include "log.h"
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_int threshold = HP_LOG_INFO;
static void (*sink_fn)(void *, enum hp_level, const char *);
static void *sink_arg;

void hp_log_level(enum hp_level level)
{
	atomic_store(&threshold, (int)level);
}

enum hp_level hp_log_get_level(void)
{
	return (enum hp_level)atomic_load(&threshold);
}

void hp_log_to(void (*sink)(void *, enum hp_level, const char *), void *arg)
{
	sink_fn = sink;
	sink_arg = arg;
}

void hp_log(enum hp_level level, const char *who, const char *fmt, ...)
{
	static const char *const words[] = { "debug: ", "", "warning: ", "error: " };
	char text[1024], line[1400];
	va_list ap;
	if ((int)level < atomic_load(&threshold))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	int n = snprintf(line, 200, "headpipe: %s%s%s", words[level], who ? who : "", who ? ": " : "");
	size_t at = (size_t)(n < 199 ? n : 199);
	/* device names and paths come from outside: nothing of them may move a terminal's cursor */
	for (const char *p = text; *p && at < sizeof line - 8; p++) {
		unsigned char c = (unsigned char)*p;
		if (c < 32 || c == 127)
			at += (size_t)snprintf(line + at, 5, "\\x%02x", c);
		else
			line[at++] = (char)c;
	}
	line[at] = 0;
	if (sink_fn) {
		sink_fn(sink_arg, level, line);
		return;
	}
	line[at++] = '\n';
	if (write(STDERR_FILENO, line, at) < 0)
		return; /* nowhere left to say it */
}
