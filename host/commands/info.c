/* SPDX-License-Identifier: MIT
 * info.c - `headpipe info`: what a session file holds. */
#include "commands/shared/json.h"
#include "commands/shared/tool.h"
#include "session/head.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EVENT_TYPES = 9 };

/* What one walk over the messages finds. */
struct found {
	uint64_t events[EVENT_TYPES], lost, gaps, broken;
	int64_t longest_gap, gap_at, first, last; /* first and last: the earliest and the latest time */
	uint64_t back;                            /* steps of the clock back, and the longest one */
	int64_t longest_back;
	char why[400]; /* a chunk cannot be unpacked here */
	uint64_t reports, samples;
	int64_t usual; /* interval between reports (or samples), ns */
};

static bool is_topic(struct hps_reader *r, const struct hps_message *m, const char *topic)
{
	return !strcmp(hps_channel_at(r, m->channel)->topic, topic);
}

/* Silences that may be gaps: which of them are is known at the end. */
struct silences {
	struct silence {
		int64_t from, length;
	} * all;
	size_t n, room;
};

static void keep_silence(struct silences *s, int64_t from, int64_t length)
{
	if (s->n == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct silence *all = realloc(s->all, room * sizeof *all);
		if (!all)
			return;
		s->all = all;
		s->room = room;
	}
	s->all[s->n++] = (struct silence){ from, length };
}

/* A gap is a silence of more than five usual intervals and more than 50 ms. */
static void find_gaps(struct found *f, const struct silences *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!f->usual || s->all[i].length / 5 < f->usual)
			continue;
		f->gaps++;
		if (s->all[i].length > f->longest_gap) {
			f->longest_gap = s->all[i].length;
			f->gap_at = tool_minus(s->all[i].from, f->first);
		}
	}
}

static void walk(struct hps_reader *r, struct found *f)
{
	struct hps_info info;
	struct silences silences = { 0 };
	struct hps_cursor c = hps_begin(r, -1);
	struct hps_message m;
	struct hp_event e;
	const char *beat = HPS_TOPIC_SAMPLE;
	uint64_t n = 0, done = 0;
	int64_t before = 0;
	int code;
	hps_get_info(r, &info);
	for (size_t i = 0; i < info.nchannels; i++)
		if (!strcmp(hps_channel_at(r, i)->topic, HPS_TOPIC_REPORTS) && hps_channel_at(r, i)->messages)
			beat = HPS_TOPIC_REPORTS;
	while ((code = hps_next(&c, &m)) != 0) {
		if (++done % 4096 == 0)
			tool_progress(done, info.messages);
		if (code < 0) {
			f->broken += code == -EBADMSG;
			if (code == -ENOTSUP || code == -EFBIG)
				snprintf(f->why, sizeof f->why, "%s", hps_reader_error(r));
			continue;
		}
		if (!hps_get_event(r, &m, &e, NULL)) {
			f->events[e.type < EVENT_TYPES ? e.type : 0]++;
			f->lost += e.type == HP_LOST ? (uint64_t)e.value : 0;
		}
		if (!is_topic(r, &m, beat))
			continue;
		int64_t step = n ? tool_minus(m.time, before) : 0;
		if (step > 50000000)
			keep_silence(&silences, before, step);
		f->back += step < 0;
		f->longest_back = step < f->longest_back ? step : f->longest_back;
		f->first = !n || m.time < f->first ? m.time : f->first;
		f->last = !n || m.time > f->last ? m.time : f->last;
		before = m.time;
		n++;
	}
	if (n > 1)
		f->usual = tool_minus(f->last, f->first) / (int64_t)(n - 1);
	if (!n)
		f->first = info.start, f->last = info.end;
	find_gaps(f, &silences);
	free(silences.all);
	tool_progress(1, 1);
}

static double seconds(int64_t ns)
{
	return (double)ns / 1e9;
}

static double length(const struct found *f)
{
	return ((double)f->last - (double)f->first) / 1e9;
}

static double rate(const struct hps_channel *c, const struct found *f)
{
	return f->last > f->first && c->messages > 1 ? (double)(c->messages - 1) / length(f) : 0;
}

static bool device(struct hps_reader *r, struct hp_stream *s)
{
	const struct hps_channel *c;
	for (size_t i = 0; (c = hps_channel_at(r, i)); i++)
		if (!strcmp(c->topic, HPS_TOPIC_REPORTS) && !hps_get_stream(r, (int)i, s))
			return true;
	return false;
}

static json_t *device_json(struct hps_reader *r)
{
	struct hp_stream s = { 0 };
	if (!device(r, &s))
		return json_null();
	json_t *o = json_object();
	json_object_set_new(o, "name", hp_json_text(s.device));
	json_object_set_new(o, "vendor", json_integer(s.vendor));
	json_object_set_new(o, "product", json_integer(s.product));
	json_object_set_new(o, "serial", hp_json_text(s.serial));
	json_object_set_new(o, "descriptor_bytes", json_integer(s.descriptor_size));
	return o;
}

static json_t *channels_json(struct hps_reader *r, const struct found *f)
{
	const struct hps_channel *c;
	json_t *all = json_array();
	for (size_t i = 0; (c = hps_channel_at(r, i)); i++) {
		json_t *o = json_object();
		json_object_set_new(o, "topic", hp_json_text(c->topic));
		json_object_set_new(o, "encoding", hp_json_text(c->encoding));
		json_object_set_new(o, "schema", hp_json_text_or_null(c->schema));
		json_object_set_new(o, "messages", json_integer((json_int_t)c->messages));
		json_object_set_new(o, "rate_hz", json_real(round(rate(c, f) * 1000) / 1000));
		json_array_append_new(all, o);
	}
	return all;
}

/* A key of a file may hold anything, so it goes the way of the texts. */
static void set_text(json_t *o, const char *key, json_t *value)
{
	json_t *good = hp_json_text(key);
	json_object_set_new(o, json_string_value(good), value);
	json_decref(good);
}

static json_t *metadata_json(struct hps_reader *r)
{
	const char *name, *const *pairs;
	json_t *all = json_object();
	for (size_t i = 0; hps_metadata_at(r, i, &name, &pairs); i++) {
		json_t *o = json_object();
		for (size_t k = 0; pairs && pairs[k]; k += 2)
			set_text(o, pairs[k], hp_json_text(pairs[k + 1]));
		set_text(all, name, o);
	}
	return all;
}

static void print_json(struct hps_reader *r, const char *path, const struct hps_info *info, const struct found *f,
                       const char *ini)
{
	json_t *o = json_object(), *events = json_object();
	json_object_set_new(o, "file", hp_json_text(path));
	json_object_set_new(o, "bytes", json_integer((json_int_t)info->file_size));
	json_object_set_new(o, "library", hp_json_text(info->library));
	json_object_set_new(o, "finished", json_boolean(info->finished));
	json_object_set_new(o, "note", hp_json_text_or_null(info->note));
	json_object_set_new(o, "chunks", json_integer((json_int_t)info->chunks));
	json_object_set_new(o, "damaged_chunks", json_integer((json_int_t)info->damaged_chunks));
	json_object_set_new(o, "messages", json_integer((json_int_t)info->messages));
	json_object_set_new(o, "seconds", json_real(length(f)));
	json_object_set_new(o, "start_ns", json_integer(f->first));
	json_object_set_new(o, "end_ns", json_integer(f->last));
	json_object_set_new(o, "channels", channels_json(r, f));
	for (uint32_t i = 1; i < EVENT_TYPES; i++)
		if (f->events[i])
			json_object_set_new(events, hps_event_name(i), json_integer((json_int_t)f->events[i]));
	json_object_set_new(o, "events", events);
	json_object_set_new(o, "lost", json_integer((json_int_t)f->lost));
	json_object_set_new(o, "gaps", json_integer((json_int_t)f->gaps));
	json_object_set_new(o, "clock_back", json_integer((json_int_t)f->back));
	json_object_set_new(o, "longest_back_s", json_real(f->longest_back ? -seconds(f->longest_back) : 0));
	json_object_set_new(o, "longest_gap_s", json_real(seconds(f->longest_gap)));
	json_object_set_new(o, "device", device_json(r));
	json_object_set_new(o, "attachments", json_integer((json_int_t)info->nattachments));
	json_object_set_new(o, "metadata", metadata_json(r));
	json_object_set_new(o, "configuration", hp_json_text(ini));
	hp_json_print(o, 0);
}

static void print_text(struct hps_reader *r, const char *path, const struct hps_info *info, const struct found *f,
                       const char *ini)
{
	struct hp_stream s = { 0 };
	const char *wall = hps_metadata_get(r, "headpipe.session", "wall_start");
	const char *pipeline = hps_metadata_get(r, "headpipe.session", "pipeline");
	uint64_t packed = 0, raw = 0;
	struct hps_chunk c;
	for (size_t i = 0; hps_chunk_at(r, i, &c); i++) {
		packed += c.packed_size;
		raw += c.raw_size;
	}
	printf("%s\n", path);
	printf("  written by  ");
	tool_text(stdout, info->library[0] ? info->library : "(unknown)");
	printf("%s\n", info->finished ? "" : ", not finished");
	printf("  size        %" PRIu64 " bytes in %" PRIu64 " chunks", info->file_size, info->chunks);
	if (packed < raw)
		printf(", packed to %.0f %%", (double)packed * 100 / (double)raw);
	printf("\n  length      %.3f s%s", length(f), wall ? ", from " : "");
	tool_text(stdout, wall ? wall : "");
	printf("\n");
	if (device(r, &s)) {
		printf("  device      ");
		tool_text(stdout, s.device ? s.device : "(no name)");
		if (s.vendor || s.product)
			printf(" %04x:%04x", s.vendor, s.product);
		printf("%s", s.serial ? ", serial " : "");
		tool_text(stdout, s.serial ? s.serial : "");
		printf("\n");
	}
	if (pipeline) {
		printf("  below       ");
		tool_text(stdout, pipeline);
		printf("\n");
	}
	for (size_t i = 0; i < info->nchannels; i++) {
		const struct hps_channel *ch = hps_channel_at(r, i);
		int topic = (int)strnlen(ch->topic, 14), encoding = (int)strnlen(ch->encoding, 5);
		printf("  channel     ");
		tool_text(stdout, ch->topic);
		printf("%*s ", 14 - topic, "");
		tool_text(stdout, ch->encoding);
		printf("%*s %10" PRIu64 " messages", 5 - encoding, "", ch->messages);
		if (strcmp(ch->topic, HPS_TOPIC_EVENTS) != 0)
			printf(", %.1f Hz", rate(ch, f));
		printf("\n");
	}
	for (uint32_t i = 1; i < EVENT_TYPES; i++)
		if (f->events[i])
			printf("  event       %s: %" PRIu64 "\n", hps_event_name(i), f->events[i]);
	if (f->gaps)
		printf("  gaps        %" PRIu64 ", the longest %.3f s at %.3f s\n", f->gaps, seconds(f->longest_gap),
		       seconds(f->gap_at));
	else
		printf("  gaps        none\n");
	if (f->back)
		printf("  clock       goes back %" PRIu64 " times, by up to %.3f s\n", f->back,
		       -seconds(f->longest_back));
	printf("  lost        %" PRIu64 "\n", f->lost);
	if (info->damaged_chunks || f->broken)
		printf("  damaged     %" PRIu64 " chunks cannot be read\n",
		       info->damaged_chunks > f->broken ? info->damaged_chunks : f->broken);
	if (info->refused_chunks)
		printf("  unreadable  %" PRIu64 " chunks%s%s\n", info->refused_chunks, f->why[0] ? ": " : "", f->why);
	if (info->note[0])
		printf("  note        %s\n", info->note);
	if (ini) {
		printf("  configuration\n");
		for (const char *p = ini; *p;) {
			size_t n = strcspn(p, "\n");
			printf("    %.*s\n", (int)n, p);
			p += n + (p[n] == '\n');
		}
	}
}

/* The attached ini; the caller frees it. NULL: none, or damaged. */
static char *configuration(struct hps_reader *r)
{
	struct hps_attachment a;
	for (size_t i = 0; hps_attachment_at(r, i, &a); i++) {
		if (strcmp(a.name, "pipeline.ini") != 0)
			continue;
		char *text = a.size < SIZE_MAX ? malloc(a.size + 1) : NULL;
		if (text && !hps_attachment_read(r, i, text, a.size)) {
			text[a.size] = 0;
			return text;
		}
		free(text);
	}
	return NULL;
}

/* One line per event: seconds since the first report or sample, and what. */
static void print_events(struct hps_reader *r)
{
	struct hps_cursor c = hps_begin(r, -1);
	struct hps_message m;
	struct hp_event e;
	int64_t start = tool_start(r), now = start;
	int code;
	while ((code = hps_next(&c, &m)) != 0) {
		if (code < 0)
			continue;
		if (hps_get_event(r, &m, &e, NULL) < 0) {
			now = m.time;
			continue;
		}
		printf("%12.6f s  %s", seconds(tool_minus(now, start)), hps_event_name(e.type));
		if (e.type == HP_GAP || e.type == HP_CLOCK_STEP)
			printf(" %.6f s", seconds(e.value));
		else if (e.value)
			printf(" %" PRId64, e.value);
		printf("%s", e.text ? ": " : "");
		tool_text(stdout, e.text ? e.text : "");
		printf("\n");
	}
}

struct arguments {
	const char *file;
	bool json, events;
	int memory;
};

static const struct hp_arg arguments[] = {
	TOOL_FILE(struct arguments),
	HP_ARG("--json", HP_OPT_BOOL(struct arguments, json, "no", "one JSON object"), .group = "form"),
	HP_ARG("--events", HP_OPT_BOOL(struct arguments, events, "no", "one line per event: when, what"),
	       .group = "form"),
	TOOL_MEMORY(struct arguments),
	HP_ARG_END,
};

static int info(void *state)
{
	const struct arguments *a = state;
	struct found f = { 0 };
	struct hps_info about;
	char why[500];
	struct hps_reader *r;
	struct hps_reader_options o = HPS_READER_OPTIONS;
	o.memory_bytes = (uint64_t)a->memory << 20;
	if (hps_open(&r, a->file, &o, why, sizeof why) < 0)
		return tool_fail("info", a->file, "%s", why);
	if (a->events) {
		print_events(r);
		hps_close(r);
		return 0;
	}
	walk(r, &f);
	hps_get_info(r, &about);
	char *ini = configuration(r);
	(a->json ? print_json : print_text)(r, a->file, &about, &f, ini);
	free(ini);
	hps_close(r);
	return 0;
}

const struct hp_command hp_command_info = {
	.name = "info",
	.summary = "what a session file holds",
	.arguments = arguments,
	.state_size = sizeof(struct arguments),
	.run = info,
};
