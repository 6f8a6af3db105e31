/* SPDX-License-Identifier: MIT
 * diff.c - `headpipe diff`: two session files, sample by sample, aligned by time. Chunks with the same fingerprint
 * are not even read. */
#include "commands/shared/tool.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 256 };

struct side {
	struct hps_reader *r;
	const char *path;
	int channel;
	struct hps_cursor c;
	struct hps_message m;
	int have; /* 1 = m is the next message */
};

struct diff {
	struct side a, b;
	double tolerance;
	const char *topic;
	size_t nfields;
	struct hps_key keys_a[FIELDS_MAX], keys_b[FIELDS_MAX];
	double worst[FIELDS_MAX];
	int64_t worst_at[FIELDS_MAX];
	uint64_t differing[FIELDS_MAX];
	bool leave[FIELDS_MAX];
	uint64_t compared, skipped, different, only_a, only_b, bytes_differ;
	int64_t start;
	bool all;     /* arrival_ns too, which is another one in every run */
	bool samples; /* the topic is ours: its fields are all there is to a message */
	bool whole;   /* both files have the same channels, so equal chunks mean equal messages */
	bool first_told, damaged;
};

static void first(struct diff *d, int64_t time, const char *what)
{
	if (!d->first_told) {
		tool_text(stdout, d->topic);
		printf(": first difference at %.6f s: ", (double)(time - d->start) / 1e9);
		tool_text(stdout, what);
		printf("\n");
	}
	d->first_told = true;
}

/* At the beginning of chunks that are the same: both step over them. */
static void skip_equal(struct diff *d)
{
	if (d->whole)
		d->skipped += hps_skip_same(&d->a.c, &d->b.c);
}

static void step(struct diff *d, struct side *s)
{
	while ((s->have = hps_next(&s->c, &s->m)) < 0) {
		tool_fail("diff", s->path, "%s; skipped", hps_reader_error(s->r));
		d->damaged = true;
	}
}

static void compare(struct diff *d)
{
	const struct hps_message *a = &d->a.m, *b = &d->b.m;
	char text[200];
	d->compared++;
	if (a->size == b->size && !memcmp(a->data, b->data, a->size))
		return;
	bool any = false, fields = false;
	for (size_t i = 0; i < d->nfields; i++) {
		if (d->leave[i])
			continue;
		double x = hps_get_number(d->keys_a[i], a), y = hps_get_number(d->keys_b[i], b),
		       by = x > y ? x - y : y - x;
		if (x == y || (x != x && y != y))
			continue;
		fields = true;
		if (by > d->worst[i] || by != by) {
			d->worst[i] = by;
			d->worst_at[i] = a->time;
		}
		if (by <= d->tolerance)
			continue;
		d->differing[i]++;
		snprintf(text, sizeof text, "%s is %.17g and %.17g", hps_channel_field(d->a.r, d->a.channel, i)->name,
		         x, y);
		first(d, a->time, text);
		any = true;
	}
	if (!fields && !(d->samples && d->nfields)) { /* text, or bytes without a known layout */
		snprintf(text, sizeof text, "%u and %u bytes that differ", a->size, b->size);
		first(d, a->time, text);
		any = true;
		d->bytes_differ++;
	}
	d->different += any;
}

/* One topic in both files. */
static void run(struct diff *d)
{
	d->a.c = hps_begin(d->a.r, d->a.channel);
	d->b.c = hps_begin(d->b.r, d->b.channel);
	uint64_t turns = 0, total = hps_channel_at(d->a.r, (size_t)d->a.channel)->messages;
	skip_equal(d);
	step(d, &d->a);
	step(d, &d->b);
	while (d->a.have == 1 || d->b.have == 1) {
		if (++turns % 8192 == 0)
			tool_progress(turns, total);
		if (d->a.have == 1 && d->b.have == 1 && d->a.m.time == d->b.m.time) {
			compare(d);
			skip_equal(d);
			step(d, &d->a);
			step(d, &d->b);
		} else if (d->b.have != 1 || (d->a.have == 1 && d->a.m.time < d->b.m.time)) {
			first(d, d->a.m.time, "only in the first file");
			d->only_a++;
			step(d, &d->a);
		} else {
			first(d, d->b.m.time, "only in the second file");
			d->only_b++;
			step(d, &d->b);
		}
	}
	tool_progress(1, 1);
}

static void prepare(struct diff *d)
{
	const struct hps_channel *a = hps_channel_at(d->a.r, (size_t)d->a.channel);
	d->nfields = 0;
	d->samples = !strcmp(d->topic, HPS_TOPIC_SAMPLE);
	d->compared = d->skipped = d->different = d->only_a = d->only_b = 0;
	d->first_told = false;
	for (size_t i = 0; i < a->nfields && i < FIELDS_MAX; i++) {
		const char *name = hps_channel_field(d->a.r, d->a.channel, i)->name;
		d->leave[i] = d->samples && !d->all && !strcmp(name, "arrival_ns");
		d->worst[i] = 0;
		d->differing[i] = 0;
		if (hps_key_resolve(d->a.r, d->a.channel, name, 0, NULL, &d->keys_a[i]) < 0 ||
		    hps_key_resolve(d->b.r, d->b.channel, name, 0, NULL, &d->keys_b[i]) < 0) {
			d->nfields = 0;
			return;
		}
		d->nfields++;
	}
}

static bool report(struct diff *d)
{
	uint64_t wrong = d->different + d->only_a + d->only_b;
	tool_text(stdout, d->topic);
	printf(": %" PRIu64 " messages compared, %" PRIu64 " in chunks that are identical, %" PRIu64 " differ",
	       d->compared, d->skipped, d->different);
	if (d->only_a || d->only_b)
		printf(", %" PRIu64 " only in the first file, %" PRIu64 " only in the second", d->only_a, d->only_b);
	printf("\n");
	for (size_t i = 0; i < d->nfields; i++) {
		const struct hps_field *f = hps_channel_field(d->a.r, d->a.channel, i);
		if (d->worst[i] != 0)
			printf("  %-12s differs by at most %.9g%s%s, at %.6f s (%" PRIu64 " beyond the tolerance)\n",
			       f->name, d->worst[i], f->unit[0] ? " " : "", f->unit,
			       (double)(d->worst_at[i] - d->start) / 1e9, d->differing[i]);
	}
	return wrong != 0;
}

/* How many channels with the same topic stand before this one: every connection of a device has its own. */
static int occurrence(const struct hps_reader *r, size_t channel)
{
	int n = 0;
	for (size_t i = 0; i < channel; i++)
		n += !strcmp(hps_channel_at(r, i)->topic, hps_channel_at(r, channel)->topic);
	return n;
}

static int nth_of_topic(const struct hps_reader *r, const char *topic, int n)
{
	const struct hps_channel *c;
	for (size_t i = 0; (c = hps_channel_at(r, i)); i++)
		if (!strcmp(c->topic, topic) && n-- == 0)
			return (int)i;
	return -1;
}

struct arguments {
	struct hp_texts files;
	double tolerance;
	bool all;
};

static const struct hp_arg arguments[] = {
	HP_ARG("FILE", HP_OPT_TEXTS(struct arguments, files, 2, 2, "the two session files"), .value = "FILE FILE"),
	HP_ARG("--tolerance", HP_OPT_REAL(struct arguments, tolerance, "0", 0, 1e300,
	                                  "differences of fields up to this do not count")),
	HP_ARG("--all",
	       HP_OPT_BOOL(struct arguments, all, "no", "compare arrival_ns too, which is another one in every run")),
	HP_ARG_END,
};

static int diff(void *state)
{
	const struct arguments *a = state;
	struct diff d = { .all = a->all, .tolerance = a->tolerance };
	d.a.path = a->files.at[0];
	d.b.path = a->files.at[1];
	d.a.r = tool_open("diff", a->files.at[0], false);
	d.b.r = d.a.r ? tool_open("diff", a->files.at[1], false) : NULL;
	if (!d.b.r) {
		hps_close(d.a.r);
		return 2;
	}
	d.whole = hps_same_channels(d.a.r, d.b.r);
	d.start = tool_start(d.a.r);
	const struct hps_channel *ch;
	bool different = false;
	int compared = 0;
	for (size_t i = 0; (ch = hps_channel_at(d.a.r, i)); i++) {
		int other = nth_of_topic(d.b.r, ch->topic, occurrence(d.a.r, i));
		d.topic = ch->topic;
		d.a.channel = (int)i;
		d.b.channel = other;
		if (other < 0) {
			tool_text(stdout, ch->topic);
			printf(": only in the first file (%" PRIu64 " messages)\n", ch->messages);
			different |= ch->messages > 0;
			continue;
		}
		prepare(&d);
		run(&d);
		different |= report(&d);
		compared++;
	}
	for (size_t k = 0; (ch = hps_channel_at(d.b.r, k)); k++)
		if (nth_of_topic(d.a.r, ch->topic, occurrence(d.b.r, k)) < 0) {
			tool_text(stdout, ch->topic);
			printf(": only in the second file (%" PRIu64 " messages)\n", ch->messages);
			different |= ch->messages > 0;
		}
	printf("%s\n", different   ? "the files differ"
	               : d.damaged ? "no difference in what could be read"
	                           : "the files hold the same");
	hps_close(d.a.r);
	hps_close(d.b.r);
	return different || d.damaged;
}

const struct hp_command hp_command_diff = {
	.name = "diff",
	.summary = "compare two session files, aligned by time",
	.arguments = arguments,
	.help =
	    "Chunks with equal fingerprints are not read. Prints the first difference and the largest one per field.\n",
	.exits = "0 the same, 1 different or damaged, 2 wrong usage or a file cannot be read",
	.state_size = sizeof(struct arguments),
	.run = diff,
};
