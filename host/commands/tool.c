/* SPDX-License-Identifier: MIT
 * tool.c - arguments, opening, times and progress for the commands that work on session files. */
#include "tool.h"
#include "base/clock.h"
#include "config/options.h"
#include "session/reader.h"
#include "base/utf8.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void drop(int *argc, char **argv, int at, int n)
{
	for (int i = at; i + n <= *argc; i++)
		argv[i] = argv[i + n];
	*argc -= n;
}

const char *tool_value(int *argc, char **argv, const char *name, bool *bad)
{
	size_t len = strlen(name);
	for (int i = 1; i < *argc; i++) {
		if (!strncmp(argv[i], name, len) && argv[i][len] == '=') {
			const char *v = argv[i] + len + 1;
			drop(argc, argv, i, 1);
			return v;
		}
		if (strcmp(argv[i], name) != 0)
			continue;
		const char *v = i + 1 < *argc ? argv[i + 1] : NULL;
		*bad |= !v;
		drop(argc, argv, i, v ? 2 : 1);
		return v;
	}
	return NULL;
}

bool tool_flag(int *argc, char **argv, const char *name)
{
	for (int i = 1; i < *argc; i++) {
		if (strcmp(argv[i], name) != 0)
			continue;
		drop(argc, argv, i, 1);
		return true;
	}
	return false;
}

int tool_rest(int argc, char **argv, int want, bool bad)
{
	for (int i = 1; i < argc; i++)
		if (argv[i][0] == '-' && argv[i][1])
			return hp_usage_error(argv[0], "unknown option %s", argv[i]);
	if (bad)
		return hp_usage_error(argv[0], "an option lacks its value");
	if (argc - 1 < want)
		return hp_usage_error(argv[0], "a file name is missing");
	if (argc - 1 > want)
		return hp_usage_error(argv[0], "one argument too many: %s", argv[want + 1]);
	return 0;
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

bool tool_time(const char *command, const char *name, const char *text, int64_t *ns)
{
	struct time {
		int64_t ns;
	};
	static const struct hp_option row = HP_OPT_NS(struct time, ns, "0s", 0, 1e9, "time");
	struct hp_values values = { 0 };
	char why[200];
	if (!text)
		return true;
	if (!hp_option_parse(&row, text, NULL, ns, &values, why, sizeof why))
		return true;
	fprintf(stderr, "headpipe %s: %s %s: %s; a time is written 10s, 500ms or 2min\n", command, name, text, why);
	return false;
}

struct hps_reader *tool_open(const char *command, const char *path, bool recover)
{
	char why[500];
	struct hps_reader *r;
	struct hps_reader_options o = HPS_READER_OPTIONS;
	struct hps_info info;
	o.recover = recover;
	if (hps_open(&r, path, &o, why, sizeof why) < 0) {
		tool_fail(command, path, "%s", why);
		return NULL;
	}
	hps_get_info(r, &info);
	if (info.note[0] && !recover)
		fprintf(stderr, "headpipe %s: %s: note: %s\n", command, path, info.note);
	return r;
}

int tool_samples(const char *command, const char *path, struct hps_reader *r)
{
	const struct hps_channel *c;
	char have[600] = "none";
	size_t n = 0;
	for (size_t i = 0; (c = hps_channel_at(r, i)); i++) {
		if (hps_holds_samples(r, i) && c->messages)
			return (int)i;
		if (n + 100 < sizeof have)
			n += (size_t)snprintf(have + n, sizeof have - n, "%s%.50s (%.20s)", i ? ", " : "", c->topic,
			                      c->encoding);
	}
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

int64_t tool_start(struct hps_reader *r)
{
	struct hps_cursor c = hps_begin(r, -1);
	struct hps_message m;
	const struct hps_channel *ch;
	int code;
	while ((code = hps_next(&c, &m)) != 0) {
		/* events may be of another clock than a replayed recording's reports */
		if (code == 1 && (ch = hps_channel_at(r, m.channel)) && strcmp(ch->topic, HPS_TOPIC_EVENTS) != 0)
			return m.time;
	}
	return 0;
}

void tool_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		if (c < 0x20 || c == 0x7f)
			fprintf(f, "\\x%02x", c);
		else
			putc(c, f);
	}
}

void tool_json(FILE *f, const char *text)
{
	if (!text) {
		fputs("null", f);
		return;
	}
	putc('"', f);
	for (size_t n; *text; text += n ? n : 1) {
		unsigned char c = (unsigned char)*text;
		n = hp_utf8_char(text, strlen(text));
		if (c == '"' || c == '\\')
			fprintf(f, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", f);
		else if (c < 0x20 || c == 0x7f)
			fprintf(f, "\\u%04x", c);
		else if (!n)
			fputs(HP_UTF8_UNKNOWN, f);
		else
			fwrite(text, 1, n, f);
	}
	putc('"', f);
}
