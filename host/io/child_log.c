/* SPDX-License-Identifier: MIT
 * child_log.c - a child's messages in the log. One that shouts must not fill the disk that the log is on. */
#include "child_log.h"

enum { LINE_BYTES = 800, LINES_PER_SECOND = 50, BYTES_PER_SECOND = 256 * 1024 };

int hp_child_log_open(struct hp_child_log *l, const struct hp_host *host)
{
	*l = (struct hp_child_log){ .host = host };
	return hp_lines_init(&l->lines, LINE_BYTES);
}

void hp_child_log_close(struct hp_child_log *l)
{
	hp_lines_free(&l->lines);
}

static void tell_hidden(struct hp_child_log *l)
{
	char text[80];
	if (!l->hidden)
		return;
	snprintf(text, sizeof text, "%u more lines of its output are left out", l->hidden);
	l->host->log(l->host, HP_LOG_WARN, text);
	l->hidden = 0;
}

static void log_line(void *arg, const char *line, size_t n, bool cut)
{
	struct hp_child_log *l = arg;
	char text[LINE_BYTES + 16] = "child: ";
	size_t used = 7;
	if (l->shown++ >= LINES_PER_SECOND) {
		l->hidden++;
		return;
	}
	for (size_t i = 0; i < n && i < LINE_BYTES; i++)
		text[used++] = (unsigned char)line[i] < 0x20 || line[i] == 0x7f ? ' ' : line[i];
	snprintf(text + used, sizeof text - used, "%s", cut ? " ..." : "");
	l->host->log(l->host, HP_LOG_INFO, text);
}

bool hp_child_log_take(struct hp_child_log *l, const char *data, size_t n)
{
	int64_t second = l->host->now(l->host) / 1000000000;
	if (second != l->second) {
		tell_hidden(l);
		l->second = second;
		l->shown = 0;
		l->bytes = 0;
	}
	l->bytes += n;
	hp_lines_feed(&l->lines, data, n, log_line, l);
	return l->bytes > BYTES_PER_SECOND;
}

void hp_child_log_end(struct hp_child_log *l)
{
	hp_lines_end(&l->lines, log_line, l);
	tell_hidden(l);
}
