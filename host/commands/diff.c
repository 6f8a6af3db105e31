/* SPDX-License-Identifier: MIT
 * diff.c - `headpipe diff`: the messages of two session files, channel by channel, as ranges that differ. The library
 * compares; here is what is said about it. */
#include "commands/shared/tool.h"
#include "config/value_text.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct side {
	struct hps_reader *r;
	const char *path;
};

struct arguments {
	struct hp_texts files, tolerances;
	int ranges;
	bool all, quiet;
};

extern const struct hp_command hp_command_diff;

struct compare {
	const struct arguments *a;
	struct side side[2];
	struct hps_diff_options options;
	int64_t start;
	bool different, unread, topic_told;
};

static const struct hp_arg arguments[] = {
	HP_ARG("FILE", HP_OPT_TEXTS(struct arguments, files, 2, 2, "the two session files"), .value = "FILE FILE"),
	HP_ARG("--tolerance",
	       HP_OPT_TEXTS(struct arguments, tolerances, 0, 64,
	                    "numbers no further apart than this are the same; FIELD=X: those of one field"),
	       .value = "X|FIELD=X"),
	HP_ARG("--ranges", HP_OPT_INT(struct arguments, ranges, "10", 0, 1000000000,
	                              "so many ranges that differ are shown per channel")),
	HP_ARG("--quiet", HP_OPT_BOOL(struct arguments, quiet, "no", "print nothing; the exit status says it")),
	HP_ARG("--all",
	       HP_OPT_BOOL(struct arguments, all, "no", "compare arrival_ns too, which is another one in every run")),
	HP_ARG_END,
};

static double seconds(const struct compare *c, int64_t t)
{
	return (double)tool_minus(t, c->start) / 1e9;
}

/* "messages 5 to 8", from 1 as people count. */
static void numbers(uint64_t first, uint64_t n)
{
	printf(n > 1 ? "messages %" PRIu64 " to %" PRIu64 : "message %" PRIu64, first + 1, first + n);
}

static void show_range(struct compare *c, const struct hps_diff *d, const struct hps_diff_range *g, const char *topic)
{
	struct hps_diff_field f;
	if (!c->topic_told) {
		printf("--- ");
		tool_text(stdout, c->side[0].path);
		printf("\n+++ ");
		tool_text(stdout, c->side[1].path);
		printf("\n");
		c->topic_told = true;
	}
	printf("@@ ");
	tool_text(stdout, topic);
	printf(" %.6f s", seconds(c, g->start));
	if (g->end != g->start)
		printf(" to %.6f s", seconds(c, g->end));
	printf(" @@ ");
	if (g->kind != HPS_DIFF_CHANGED) {
		bool second = g->kind == HPS_DIFF_ONLY_SECOND;
		printf("%c", second ? '+' : '-');
		numbers(second ? g->second : g->first, g->messages);
		printf(", only in the %s file\n", second ? "second" : "first");
		return;
	}
	numbers(g->first, g->messages);
	if (g->first != g->second) {
		printf(" against ");
		numbers(g->second, g->messages);
	}
	printf(" differ%s%s", g->messages > 1 ? "" : "s", g->bytes ? " in bytes without a known field" : "");
	printf("\n");
	for (size_t i = 0; hps_diff_field_at(d, i, &f); i++) {
		if (!f.in_range)
			continue;
		printf("  ");
		tool_text(stdout, f.name);
		if (strcmp(f.first, f.second) != 0)
			printf(": -%s +%s", f.first, f.second);
		else
			printf(": differs later in this range");
		if (f.unit[0]) {
			printf(" ");
			tool_text(stdout, f.unit);
		}
		printf("\n");
	}
}

static void show_field(const struct compare *c, const struct hps_diff_field *f)
{
	char by[40];
	if (f->only) {
		printf("  %-12s only in the %s file's messages\n", f->name, f->only == 1 ? "first" : "second");
		return;
	}
	if (!f->differing && !f->within)
		return;
	if (f->type == HPS_F64)
		snprintf(by, sizeof by, "%.9g", f->worst);
	else
		snprintf(by, sizeof by, "%" PRIu64, f->exact);
	printf("  ");
	tool_text(stdout, f->name);
	printf("%*s differs by at most %s", (int)(strlen(f->name) < 12 ? 12 - strlen(f->name) : 0), "", by);
	if (f->unit[0]) {
		printf(" ");
		tool_text(stdout, f->unit);
	}
	printf(", at %.6f s (%" PRIu64 " beyond the tolerance)\n", seconds(c, f->worst_at), f->differing);
}

static void report(const struct compare *c, const struct hps_diff *d, const struct hps_diff_totals *t,
                   const char *topic)
{
	struct hps_diff_field f;
	tool_text(stdout, topic);
	printf(": %" PRIu64 " messages compared, %" PRIu64 " in chunks with the same content, %" PRIu64 " differ",
	       t->compared, t->skipped, t->changed);
	if (t->only_first || t->only_second)
		printf(", %" PRIu64 " only in the first file, %" PRIu64 " only in the second", t->only_first,
		       t->only_second);
	printf("\n");
	for (size_t i = 0; hps_diff_field_at(d, i, &f); i++)
		show_field(c, &f);
	if (t->bytes)
		printf("  %" PRIu64 " differ in bytes without a known field\n", t->bytes);
}

static bool lonely_field(const struct hps_diff *d)
{
	struct hps_diff_field f;
	for (size_t i = 0; hps_diff_field_at(d, i, &f); i++)
		if (f.only)
			return true;
	return false;
}

/* A channel that both files have. 0, or 2 after a message. */
static int channels(struct compare *c, int first, int second)
{
	const struct hps_channel *ch = hps_channel_at(c->side[0].r, (size_t)first);
	struct hps_diff *d;
	struct hps_diff_range range;
	struct hps_diff_totals t;
	uint64_t ranges = 0;
	bool in_second;
	int code = hps_diff_open(&d, c->side[0].r, first, c->side[1].r, second, &c->options);
	if (code < 0) {
		tool_fail("diff", c->side[0].path, "%s: %s", ch->topic, strerror(-code));
		return 2;
	}
	while ((code = hps_diff_next(d, &range))) {
		hps_diff_get_totals(d, &t);
		tool_progress(t.compared + t.skipped, ch->messages);
		if (code < 0) {
			const char *why = hps_diff_error(d, &in_second);
			tool_fail("diff", c->side[in_second].path, "%s; skipped", why);
			c->unread = true;
		} else if (ranges++ < (uint64_t)c->a->ranges && !c->a->quiet) {
			show_range(c, d, &range, ch->topic);
		}
	}
	tool_progress(1, 1);
	hps_diff_get_totals(d, &t);
	c->different |= ranges > 0 || (t.compared && lonely_field(d));
	if (!c->a->quiet) {
		if (ranges > (uint64_t)c->a->ranges)
			printf("and %" PRIu64 " ranges more that differ\n", ranges - (uint64_t)c->a->ranges);
		report(c, d, &t, ch->topic);
	}
	hps_diff_close(d);
	return 0;
}

static bool same_source(const struct hps_channel *a, const struct hps_channel *b)
{
	bool same = !strcmp(a->topic, b->topic) && !strcmp(a->encoding, b->encoding) && a->nmetadata == b->nmetadata;
	for (size_t i = 0; same && i < 2 * a->nmetadata; i++)
		same = !strcmp(a->metadata[i], b->metadata[i]);
	return same;
}

/* The channel of `in` that has the same topic and metadata and stands at the same place among such ones, or -1. */
static int twin(const struct hps_reader *of, size_t channel, const struct hps_reader *in)
{
	const struct hps_channel *c, *mine = hps_channel_at(of, channel);
	int n = 0;
	for (size_t i = 0; i < channel; i++)
		n += same_source(hps_channel_at(of, i), mine);
	for (size_t i = 0; (c = hps_channel_at(in, i)); i++)
		if (same_source(c, mine) && n-- == 0)
			return (int)i;
	return -1;
}

/* Several channels may have one topic: sources, or every connection of a device. Those without a twin go by their
 * order. */
static int counterpart(const struct hps_reader *of, size_t channel, const struct hps_reader *in)
{
	const struct hps_channel *c, *mine = hps_channel_at(of, channel);
	int n = 0, found = twin(of, channel, in);
	if (found >= 0)
		return found;
	for (size_t i = 0; i < channel; i++)
		n += !strcmp(hps_channel_at(of, i)->topic, mine->topic) && twin(of, i, in) < 0;
	for (size_t i = 0; (c = hps_channel_at(in, i)); i++)
		if (!strcmp(c->topic, mine->topic) && twin(in, i, of) < 0 && n-- == 0)
			return (int)i;
	return -1;
}

/* Channels of one file that the other does not have. */
static void lonely(struct compare *c, int which)
{
	const struct hps_channel *ch;
	for (size_t i = 0; (ch = hps_channel_at(c->side[which].r, i)); i++) {
		if (counterpart(c->side[which].r, i, c->side[!which].r) >= 0)
			continue;
		c->different |= ch->messages > 0;
		if (c->a->quiet)
			continue;
		tool_text(stdout, ch->topic);
		printf(": only in the %s file (%" PRIu64 " messages)\n", which ? "second" : "first", ch->messages);
	}
}

/* Is there a channel in both files whose messages are compared by a field of this name? */
static bool is_field(const struct compare *c, const char *name)
{
	struct hps_diff *d;
	struct hps_diff_field f;
	bool found = false;
	for (size_t i = 0; !found && hps_channel_at(c->side[0].r, i); i++) {
		int other = counterpart(c->side[0].r, i, c->side[1].r);
		if (other < 0 || hps_diff_open(&d, c->side[0].r, (int)i, c->side[1].r, other, NULL) < 0)
			continue;
		for (size_t k = 0; !found && hps_diff_field_at(d, k, &f); k++)
			found = !strcmp(f.name, name);
		hps_diff_close(d);
	}
	return found;
}

/* --tolerance X and --tolerance FIELD=X. 0, or 2 after a message. */
static int tolerances(struct compare *c, const char **names, double *values)
{
	for (size_t i = 0; i < c->a->tolerances.n; i++) {
		const char *text = c->a->tolerances.at[i], *is = strrchr(text, '='), *number = is ? is + 1 : text;
		double x;
		char why[200];
		if (hp_text_to_real(number, &x, why, sizeof why) < 0 || !(x >= 0) || x > 1e300)
			return hp_usage_error(&hp_command_diff,
			                      "--tolerance %s: must be a number from 0 to 1e300, or FIELD=NUMBER",
			                      text);
		if (!is) {
			c->options.tolerance = x;
			continue;
		}
		char *name = strdup(text);
		if (!name)
			return 2;
		name[is - text] = 0;
		names[c->options.nfields] = name;
		values[c->options.nfields++] = x;
	}
	return 0;
}

/* 0, or 2 after a message. */
static int fields_are_there(const struct compare *c)
{
	for (size_t i = 0; i < c->options.nfields; i++)
		if (!is_field(c, c->options.fields[i]))
			return hp_usage_error(&hp_command_diff, "--tolerance: no field %s is in both files",
			                      c->options.fields[i]);
	return 0;
}

static int compare(struct compare *c)
{
	const struct hps_channel *ch;
	for (size_t i = 0; (ch = hps_channel_at(c->side[0].r, i)); i++) {
		int other = counterpart(c->side[0].r, i, c->side[1].r);
		if (other >= 0 && channels(c, (int)i, other))
			return 2;
	}
	lonely(c, 0);
	lonely(c, 1);
	if (!c->a->quiet)
		printf("%s\n", c->different ? "the files differ"
		               : c->unread  ? "no difference in what could be read"
		                            : "the files hold the same");
	for (int i = 0; i < 2; i++)
		c->unread |= tool_left_out("diff", c->side[i].path, c->side[i].r) != 0;
	return c->unread ? 2 : c->different;
}

static int diff(void *state)
{
	static const struct hps_diff_options defaults = HPS_DIFF_OPTIONS;
	const struct arguments *a = state;
	struct compare c = { .a = a, .options = defaults };
	const char **names = calloc(a->tolerances.n + 1, sizeof *names);
	double *values = calloc(a->tolerances.n + 1, sizeof *values);
	int code = names && values ? 0 : tool_fail("diff", a->files.at[0], "out of memory") + 1;
	c.options.all = a->all;
	c.options.fields = names;
	c.options.tolerances = values;
	if (!code)
		code = tolerances(&c, names, values);
	for (int i = 0; i < 2 && !code; i++) {
		c.side[i].path = a->files.at[i];
		c.side[i].r = tool_open("diff", a->files.at[i], false);
		code = c.side[i].r ? 0 : 2;
	}
	if (!code)
		code = fields_are_there(&c);
	if (!code) {
		c.start = tool_start(c.side[0].r);
		code = compare(&c);
	}
	for (size_t i = 0; i < c.options.nfields; i++)
		free((char *)names[i]);
	free(names);
	free(values);
	hps_close(c.side[0].r);
	hps_close(c.side[1].r);
	return code;
}

const struct hp_command hp_command_diff = {
	.name = "diff",
	.summary = "compare the messages of two session files, aligned by time",
	.arguments = arguments,
	.help =
	    "Shows ranges of messages that differ, with the first values of the fields that do, then the largest\n"
	    "difference per field. Samples are compared by fields, whether they are cdr or json. Chunks with the same\n"
	    "content, by the fingerprints in the files' summaries, are not read: `headpipe verify` finds damage in "
	    "them.\n"
	    "Attachments and metadata are not compared.\n",
	.exits = "0 the same, 1 different, 2 wrong usage, or a file or a part of it cannot be read",
	.state_size = sizeof(struct arguments),
	.run = diff,
};
