/* SPDX-License-Identifier: MIT
 * session_grown.c - a program of another age than the session library: writes and reads a session with every struct
 * that crosses the border, each followed by bytes that nobody may touch. With -DGROWN it is the younger one, and finds
 * 0 in the members that the library does not know. */
#include <headpipe-session.h>

#include <stdio.h>
#include <stdlib.h>

static int wrong;

static void want(int good, const char *what)
{
	if (!good) {
		printf("wrong: %s\n", what);
		wrong++;
	}
}

enum { CANARY = 128 };
#define GUARDED(type, name)                   \
	static struct {                       \
		type x;                       \
		unsigned char canary[CANARY]; \
	} name##_guarded;                     \
	type *name = &name##_guarded.x;       \
	memset(&name##_guarded, 0xa5, sizeof name##_guarded)

static void canary(const unsigned char *bytes, const char *what)
{
	for (int i = 0; i < CANARY; i++)
		if (bytes[i] != 0xa5) {
			printf("wrong: the canary behind %s was overwritten\n", what);
			wrong++;
			return;
		}
}
#define INTACT(name) canary(name##_guarded.canary, #name)
#ifdef GROWN
#define UNKNOWN(name) want(!name->appended[0] && !name->appended[3], #name " has something in a member that is unknown")
#else
#define UNKNOWN(name) (void)name
#endif

static int sink_write(void *ctx, const void *data, size_t n)
{
	return fwrite(data, 1, n, ctx) == n ? 0 : -5;
}

static int sink_close(void *ctx)
{
	return fclose(ctx) ? -5 : 0;
}

static void write_session(const char *path)
{
	/* an array, whose stride the library has to know */
	static const struct hps_field fields[] = { { "a", "m", HPS_F64 }, { "b", "s", HPS_F32 }, { "c", "", HPS_U32 } };
	struct hps_writer *w;
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct hps_sink sink = { sizeof sink, fopen(path, "wb"), sink_write, NULL, NULL, sink_close };
	o.chunk_messages = 10;
	want(!hps_create_sink(&w, &sink, &o), "create");
	int wave = hps_add_channel(w, "/wave", "test/Wave", fields, 3, NULL), samples = hps_add_samples(w, false, NULL),
	    events = hps_add_events(w);
	struct hp_stream stream = { sizeof stream, 0, "Device", "42", NULL, (const uint8_t *)"\1\2", 2, 1, 2, 3, 4, 0,
		                    NULL };
	int reports = hps_add_reports(w, &stream);
	struct hp_event e = { sizeof e, HP_CONNECTED, 900, 7, "Device" };
	want(wave > 0 && samples > 0 && events > 0 && reports > 0, "channels");
	want(hps_message_size(w, wave) == 20, "layout of the fields");
	hps_attach(w, 1, "note", "text/plain", "hello", 5);
	hps_write_event(w, events, &e, 800);
	for (int i = 0; i < 50; i++) {
		struct hp_sample s = HP_SAMPLE_INIT;
		uint8_t m[20] = { 0, 1 };
		double a = i;
		float b = (float)i / 2;
		uint32_t c = (uint32_t)i * 3;
		s.time_ns = 1000 + i;
		s.seq = (uint64_t)i;
		s.rate_hz = 50 + i;
		s.reset_count = (uint32_t)i;
		memcpy(m + 4, &a, 8);
		memcpy(m + 12, &b, 4);
		memcpy(m + 16, &c, 4);
		want(!hps_write(w, reports, s.time_ns, "\1\2\3", 3) && !hps_write(w, wave, s.time_ns, m, sizeof m) &&
		         !hps_write_sample(w, samples, &s),
		     "write");
	}
	want(!hps_finish(w), "finish");
}

static void read_wave(struct hps_reader *r)
{
	GUARDED(struct hps_cursor, cursor);
	GUARDED(struct hps_message, message);
	GUARDED(struct hps_key, key);
	int n = 0, channel = hps_channel_find(r, "/wave");
	*cursor = hps_begin(r, channel);
	want(!hps_key_resolve(r, channel, "b", HPS_F32, "s", key), "key");
	UNKNOWN(key);
	INTACT(key);
	while (hps_next(cursor, message) == 1) {
		want(message->time == 1000 + n && message->size == 20 && message->channel == channel, "message");
		want(hps_get_f32(*key, message) == (float)n / 2 && hps_get_number(*key, message) == n / 2.0, "number");
		INTACT(message);
		n++;
	}
	want(n == 50, "all messages");
	want(hps_seek_time(cursor, 1033) == 1 && hps_next(cursor, message) == 1 && message->time == 1033, "time");
	want(hps_seek_number(cursor, 7) == 1 && hps_next(cursor, message) == 1 && message->time == 1007, "number");
	want(hps_next_between(cursor, 1040, 1041, message) == 1 && message->time == 1040, "between");
	UNKNOWN(message);
	INTACT(cursor);
	INTACT(message);
}

static void read_all(struct hps_reader *r)
{
	GUARDED(struct hps_cursor, cursor);
	GUARDED(struct hps_message, message);
	GUARDED(struct hp_sample, sample);
	GUARDED(struct hp_event, event);
	int64_t start = 0, first, last;
	int samples = 0, events = 0;
	*cursor = hps_begin(r, -1);
	while (hps_next(cursor, message) == 1) {
		if (!hps_get_sample(r, message, sample)) {
			want(sample->seq == (uint64_t)samples && sample->rate_hz == 50 + samples &&
			         sample->reset_count == (uint32_t)samples,
			     "sample");
			samples++;
			UNKNOWN(sample);
		}
		if (!hps_get_event(r, message, event, &start)) {
			want(event->type == HP_CONNECTED && event->value == 7 && !strcmp(event->text, "Device"),
			     "event");
			want(event->struct_size == sizeof *event && start == 800, "event");
			events++;
			UNKNOWN(event);
		}
		UNKNOWN(message);
		INTACT(message);
		INTACT(sample);
		INTACT(event);
	}
	want(samples == 50 && events == 1, "samples and events");
	want(hps_seek_event_before(cursor, HP_CONNECTED) == 1 && hps_next(cursor, message) == 1, "the event before");
	want(hps_recorded(r, &first, &last) == 1 && first == 1000 && last == 1049, "first and last");
	INTACT(cursor);
	INTACT(message);
}

static void read_rest(struct hps_reader *r)
{
	GUARDED(struct hps_info, info);
	GUARDED(struct hps_chunk, chunk);
	GUARDED(struct hps_attachment, attachment);
	GUARDED(struct hp_stream, stream);
	hps_get_info(r, info);
	want(info->messages == 151 && info->nchannels == 4 && info->finished && info->ordered, "info");
	want(info->chunks_read > 0 && !strcmp(info->library, "headpipe") && info->nattachments == 1, "info");
	want(hps_chunk_at(r, 1, chunk) && chunk->messages == 10 && chunk->first == 10 && chunk->fingerprint, "chunk");
	want(hps_attachment_at(r, 0, attachment) && !strcmp(attachment->name, "note") && attachment->size == 5,
	     "attachment");
	want(!hps_get_stream(r, hps_channel_find(r, HPS_TOPIC_REPORTS), stream), "stream");
	want(!strcmp(stream->device, "Device") && stream->descriptor_size == 2 && stream->rate_start_ns == 3, "stream");
	UNKNOWN(info);
	UNKNOWN(chunk);
	UNKNOWN(attachment);
	UNKNOWN(stream);
	INTACT(info);
	INTACT(chunk);
	INTACT(attachment);
	INTACT(stream);
	int wave = hps_channel_find(r, "/wave");
	const struct hps_channel *c = hps_channel_at(r, (size_t)wave);
	want(c && !strcmp(c->topic, "/wave") && c->nfields == 3 && c->message_size == 20 && c->messages == 50,
	     "channel");
	want(!strcmp(hps_channel_field(r, wave, 1)->name, "b") && !strcmp(hps_channel_field(r, wave, 1)->unit, "s") &&
	         hps_channel_field(r, wave, 2)->type == HPS_U32 && !hps_channel_field(r, wave, 3),
	     "fields of a channel");
}

#ifdef HPS_DIFF_OPTIONS /* which the first headers did not have */
static void read_differences(struct hps_reader *r, struct hps_reader *same)
{
	GUARDED(struct hps_diff_range, range);
	GUARDED(struct hps_diff_totals, totals);
	GUARDED(struct hps_diff_field, field);
	struct hps_diff_options o = HPS_DIFF_OPTIONS;
	struct hps_diff *d = NULL;
	o.all = true;
	want(!hps_diff_open(&d, r, hps_channel_find(r, "/wave"), same, hps_channel_find(same, "/head/sample"), &o),
	     "open a diff");
	want(hps_diff_next(d, range) == 1 && range->kind == HPS_DIFF_CHANGED && range->messages == 50 && range->bytes,
	     "range");
	UNKNOWN(range);
	INTACT(range);
	want(hps_diff_next(d, range) == 0 && !range->kind, "end of the ranges");
	hps_diff_get_totals(d, totals);
	want(totals->compared == 50 && totals->changed == 50 && !totals->only_first, "totals");
	UNKNOWN(totals);
	INTACT(totals);
	want(!hps_diff_field_at(d, 0, field), "nothing in common");
	hps_diff_close(d);
	want(!hps_diff_open(&d, r, hps_channel_find(r, "/wave"), same, hps_channel_find(same, "/wave"), NULL),
	     "open a diff");
	want(hps_diff_next(d, range) == 0, "no range");
	want(hps_diff_field_at(d, 2, field) && !strcmp(field->name, "c") && !field->only && !field->differing, "field");
	UNKNOWN(field);
	INTACT(field);
	hps_diff_close(d);
}
#endif

int main(int argc, char **argv)
{
	char why[300];
	struct hps_reader *r;
	struct hps_reader_options o = HPS_READER_OPTIONS;
	if (argc != 2)
		return 2;
	write_session(argv[1]);
	for (int recover = 0; recover < 2; recover++) {
		o.recover = recover;
		if (hps_open(&r, argv[1], &o, why, sizeof why) < 0) {
			printf("wrong: %s\n", why);
			return 1;
		}
		read_wave(r);
#ifdef HPS_DIFF_OPTIONS
		struct hps_reader *same;
		want(!hps_open(&same, argv[1], &o, why, sizeof why), "open");
		read_differences(r, same);
		hps_close(same);
#endif
		read_all(r);
		if (!recover)
			read_rest(r);
		hps_close(r);
	}
	return wrong != 0;
}
