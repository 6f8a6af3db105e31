/* SPDX-License-Identifier: MIT
 * tool.c - opening, times and progress for the commands that work on session files. */
#include "tool.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "config/value_text.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int tool_span(const struct hp_command *c, int64_t from, int64_t *to)
{
	if (!*to)
		*to = INT64_MAX / 2;
	return *to > from ? 0 : hp_usage_error(c, "--to must be behind --from");
}

int tool_fail(const char *command, const char *path, const char *fmt, ...)
{
	va_list ap;
	char text[1200];
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	fprintf(stderr, "headpipe %s: %s: ", command, path);
	tool_text(stderr, text);
	fputc('\n', stderr);
	return 1;
}

struct hps_reader *tool_open(const char *command, const char *path, bool recover)
{
	return tool_open_with(command, path, recover, 0);
}

struct hps_reader *tool_open_with(const char *command, const char *path, bool recover, int memory)
{
	char why[500];
	struct hps_reader *r;
	struct hps_reader_options o = HPS_READER_OPTIONS;
	struct hps_info info;
	o.recover = recover;
	o.memory_bytes = (uint64_t)memory << 20;
	if (hps_open(&r, path, &o, why, sizeof why) < 0) {
		tool_fail(command, path, "%s", why);
		return NULL;
	}
	hps_get_info(r, &info);
	if (info.note[0] && !recover)
		fprintf(stderr, "headpipe %s: %s: note: %s\n", command, path, info.note);
	return r;
}

int tool_samples(const char *command, const char *path, struct hps_reader *r, bool *one)
{
	int found = -1;
	const struct hps_channel *c;
	char have[600] = "none";
	size_t n = 0;
	for (size_t i = 0; (c = hps_channel_at(r, i)); i++) {
		if (hps_holds_samples(r, (int)i) && c->messages) {
			*one = found < 0;
			found = found < 0 ? (int)i : found;
		}
		if (n + 100 < sizeof have)
			n += (size_t)snprintf(have + n, sizeof have - n, "%s%.50s (%.20s)", i ? ", " : "", c->topic,
			                      c->encoding);
	}
	if (found >= 0)
		return found;
	tool_fail(command, path, "there are no samples (" HPS_TOPIC_SAMPLE ", headpipe/Sample) in it; channels: %s",
	          have);
	return -1;
}

void tool_progress(uint64_t done, uint64_t total)
{
	static int64_t next;
	static bool shown;
	int64_t now = hp_now();
	if (done >= total) {
		if (shown)
			fprintf(stderr, "\r     \r");
		shown = false;
		return;
	}
	if (now < next || !isatty(2))
		return;
	if (next) /* nothing is shown for what takes a moment */
		fprintf(stderr, "\r%3d %%", (int)((double)done * 100 / (double)total));
	shown = next != 0;
	next = now + (next ? 100000000 : 500000000);
}

uint64_t tool_file_size(const char *path)
{
	struct stat st;
	return stat(path, &st) < 0 ? 0 : (uint64_t)st.st_size;
}

int64_t tool_start(struct hps_reader *r)
{
	int64_t start;
	return hps_recorded(r, &start, NULL) == 1 ? start : 0;
}

int64_t tool_minus(int64_t a, int64_t b)
{
	int64_t d;
	return !__builtin_sub_overflow(a, b, &d) ? d : a < b ? INT64_MIN : INT64_MAX;
}

int64_t tool_plus(int64_t a, int64_t b)
{
	int64_t d;
	return !__builtin_add_overflow(a, b, &d) ? d : a < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t later(int64_t t, int64_t by)
{
	return by < INT64_MAX / 2 ? tool_plus(t, by) : INT64_MAX;
}

int tool_part(struct tool_part *p, const char *command, const char *path, struct hps_reader *r, int64_t from,
              int64_t to)
{
	int64_t start = 0, end = 0;
	bool any = hps_recorded(r, &start, from ? &end : NULL) == 1;
	*p = (struct tool_part){ start, INT64_MIN, later(start, to), !from && to >= INT64_MAX / 2 };
	if (!from)
		return 0;
	p->from = later(start, from);
	if (!any)
		return tool_fail(command, path, "nothing was recorded in it");
	if (p->from > end) {
		char text[64];
		hp_seconds_to_text((double)from / 1e9, text, sizeof text);
		return tool_fail(command, path, "--from %s is behind the end: the recording is %.9g s long", text,
		                 ((double)end - (double)start) / 1e9);
	}
	return 0;
}

void tool_text(FILE *f, const char *text)
{
	while (*text) {
		unsigned char c = (unsigned char)*text;
		size_t n = hp_utf8_char(text, strnlen(text, 4));
		/* the second half of Latin-1's control characters, in UTF-8 */
		bool control = c < 0x20 || c == 0x7f || (c == 0xc2 && n == 2 && (unsigned char)text[1] < 0xa0);
		if (!n || control)
			for (n = n ? n : 1; n; n--)
				fprintf(f, "\\x%02x", (unsigned char)*text++);
		else
			for (; n; n--)
				putc(*text++, f);
	}
}
