/* SPDX-License-Identifier: MIT
 * tape.c - the writer thread's half of the output `session`: records into chunks, chunks into files, and on to
 * the next file when one is full. */
#include "tape.h"
#include "ros.h"
#include "run/inside.h"
#include "session/writer.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Further from now than this is a recording that is played again. */
static const int64_t REPLAYED = 60000000000;

struct tape {
	struct tape_options o; /* texts are owned */
	struct hps_writer *w;
	char path[1024];
	unsigned files;
	int reports, samples, events;
	struct ros_channels ros;
	bool epoch_known;
	int64_t epoch;           /* what makes a record's time one since 1970 */
	struct hp_stream stream; /* the last one, for the next file; texts in memory */
	void *memory;
	bool connected, any, raw;  /* raw: reports come beside the samples */
	int64_t first_ns, last_ns; /* in this file */
	uint64_t records, lost;    /* lost: told in the file */
	uint64_t in_chunk;         /* samples of the chunk that is not in the file yet */
};

static char *copy(const char *s)
{
	return strdup(s ? s : "");
}

static void say(const struct tape *t, enum hp_level level, const char *what)
{
	char text[1400];
	snprintf(text, sizeof text, "%.900s: %s", t->path, what);
	if (!hp_writer_speak())
		return;
	t->o.host->log(t->o.host, level, text);
	hp_writer_spoken();
}

/* The chunk is in the file. */
static void stored(struct tape *t)
{
	if (t->in_chunk && hp_writer_speak()) {
		hp_inside_stored(t->o.host, t->in_chunk);
		hp_writer_spoken();
	}
	t->in_chunk = 0;
	hp_writer_moved();
}

/* Writes out what is in memory and ends the file. */
static int finish(struct tape *t)
{
	int r = hps_finish(t->w);
	t->w = NULL;
	if (!r)
		stored(t);
	t->in_chunk = 0;
	return r;
}

/* 2026-01-02T03:04:05.678Z */
static void wall_text(int64_t ns, char *out, size_t size)
{
	time_t s = (time_t)(ns / 1000000000);
	struct tm tm;
	char day[40];
	if (!gmtime_r(&s, &tm) || !strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm))
		day[0] = 0;
	snprintf(out, size, "%s.%03dZ", day, (int)(ns / 1000000 % 1000));
}

/* Creates the next file that is not there yet. */
static int create(struct tape *t)
{
	time_t now = time(NULL);
	struct hps_writer_options w = t->o.writer;
	w.exclusive = true;
	w.library = "headpipe " HP_VERSION;
	for (unsigned n = 1; n < 1000000; n++) {
		int r = tape_name(t->o.pattern, now, n, t->path, sizeof t->path);
		if (!r)
			r = hps_create(&t->w, t->path, &w);
		if (r == -ENOENT && tape_folders(t->path))
			r = hps_create(&t->w, t->path, &w);
		if (r != -EEXIST)
			return r;
		struct stat st;
		if (n == 1 && !stat(t->path, &st) && S_ISDIR(st.st_mode))
			return -EISDIR;
	}
	return -EEXIST;
}

/* Who reads the file takes it off again. */
static int tell_shift(struct tape *t)
{
	char text[32];
	snprintf(text, sizeof text, "%lld", (long long)t->epoch);
	const char *pairs[] = { "shift_ns", text, NULL };
	return t->o.epoch ? hps_metadata(t->w, "headpipe.times", pairs) : 0;
}

/* Learns from the first record what makes its time one since 1970: what was captured just now lies on the clock that
 * the wall clock is known to; a recording that is played again begins now. */
static int learn_epoch(struct tape *t, int64_t time)
{
	struct timespec mono;
	if (t->epoch_known)
		return 0;
	clock_gettime(CLOCK_MONOTONIC, &mono);
	int64_t now = (int64_t)mono.tv_sec * 1000000000 + mono.tv_nsec, by;
	if (__builtin_sub_overflow(now, time, &by))
		by = 0;
	bool live = by > -REPLAYED && by < REPLAYED;
	t->epoch = t->o.wall_offset + (live ? 0 : by);
	t->epoch_known = true;
	return tell_shift(t);
}

static int64_t since_1970(const struct tape *t, int64_t time)
{
	int64_t sum;
	return __builtin_add_overflow(time, t->epoch, &sum) ? time : sum;
}

/* The log time of what happened at `time`. */
static int64_t stamped(const struct tape *t, int64_t time)
{
	return t->o.epoch ? since_1970(t, time) : time;
}

static int open_file(struct tape *t)
{
	struct timespec mono;
	char wall[64], wall_ns[32], mono_ns[32], before[1024], number[16];
	snprintf(before, sizeof before, "%s", t->path);
	t->w = NULL;
	int r = create(t);
	if (r < 0)
		return r;
	clock_gettime(CLOCK_MONOTONIC, &mono);
	int64_t now = (int64_t)mono.tv_sec * 1000000000 + mono.tv_nsec;
	wall_text(now + t->o.wall_offset, wall, sizeof wall);
	snprintf(wall_ns, sizeof wall_ns, "%lld", (long long)(now + t->o.wall_offset));
	snprintf(mono_ns, sizeof mono_ns, "%lld", (long long)now);
	snprintf(number, sizeof number, "%u", ++t->files);
	const char *pairs[] = {
		"wall_start", wall,          "wall_start_ns", wall_ns,   "monotonic_start_ns",
		mono_ns,      "point",       t->o.point,      "filters", t->o.filters,
		"pipeline",   t->o.pipeline, "file",          number,    t->files > 1 ? "continues" : NULL,
		before,       NULL,
	};
	hps_attach(t->w, now, "pipeline.ini", "text/plain", t->o.ini, strlen(t->o.ini));
	r = hps_metadata(t->w, "headpipe.session", pairs);
	t->reports = 0;
	t->samples = hps_add_samples_with(t->w, t->o.json, t->o.appended, NULL);
	t->events = hps_add_events(t->w);
	t->any = false;
	if (r >= 0 && t->o.foxglove)
		r = ros_add(t->w, &t->ros);
	if (r >= 0 && t->epoch_known)
		r = tell_shift(t);
	r = r < 0 ? r : t->samples < 0 ? t->samples : t->events < 0 ? t->events : 0;
	if (r < 0) { /* it has nothing in it yet, and whoever tries again makes another one */
		hps_finish(t->w);
		t->w = NULL;
		unlink(t->path);
	}
	return r;
}

static int give_up(struct tape *t, int error)
{
	char text[1400];
	int saved = t->w ? finish(t) : 0;
	(void)saved; /* the same error again */
	snprintf(text, sizeof text, "%.900s: %s; the recording ends here, what was written before is readable", t->path,
	         strerror(-error));
	if (hp_writer_speak()) {
		t->o.host->fail(t->o.host, -error, text);
		hp_writer_spoken();
	}
	return error;
}

/* The reports' channel says what the source is, so a source that is described anew gets a new one. */
static int describe(struct tape *t, bool again)
{
	struct hp_event e = { sizeof e, HP_CONNECTED, stamped(t, t->last_ns), 0, t->stream.device };
	t->reports = hps_add_reports(t->w, &t->stream);
	if (t->reports < 0 || !again)
		return t->reports < 0 ? t->reports : 0;
	return hps_write_event(t->w, t->events, &e, t->stream.rate_start_ns);
}

static int next_file(struct tape *t)
{
	int r = finish(t);
	if (!r)
		r = open_file(t);
	if (!r && t->connected)
		r = describe(t, true);
	return r;
}

static int keep_stream(struct tape *t, const struct tape_stream *s, size_t size)
{
	size_t n = size - sizeof *s;
	char *memory = malloc(n + 1);
	if (!memory)
		return -ENOMEM;
	memcpy(memory, s->data, n);
	free(t->memory);
	t->memory = memory;
	t->connected = true;
	t->raw = false;
	t->stream = (struct hp_stream){
		.struct_size = sizeof t->stream,
		.device = s->at[0] ? memory + s->at[0] : NULL,
		.serial = s->at[1] ? memory + s->at[1] : NULL,
		.unique_id = s->at[2] ? memory + s->at[2] : NULL,
		.features = s->at[3] ? memory + s->at[3] : NULL,
		.descriptor = s->descriptor_size ? (uint8_t *)memory : NULL,
		.descriptor_size = s->descriptor_size,
		.vendor = s->vendor,
		.product = s->product,
		.report_size = s->report_size,
		.rate_start_ns = s->rate_start_ns,
	};
	return describe(t, false);
}

/* A limit is looked at before reports and samples, so that a report and its sample mostly stay together. */
static bool file_is_full(const struct tape *t, int64_t time)
{
	if (!t->any)
		return false;
	return (t->o.max_size && hps_written(t->w) + 8192 > t->o.max_size) ||
	       (t->o.max_time && time > t->first_ns && time - t->first_ns >= t->o.max_time);
}

static int stamp(struct tape *t, int64_t time)
{
	int known = learn_epoch(t, time);
	if (known < 0)
		return known;
	if (file_is_full(t, time)) {
		int r = next_file(t);
		if (r < 0)
			return r;
	}
	if (!t->any)
		t->first_ns = time;
	t->any = true;
	t->last_ns = time;
	t->records++;
	return 0;
}

static int consume_one(struct tape *t, const void *record, size_t size)
{
	uint32_t kind;
	int r = 0;
	memcpy(&kind, record, sizeof kind);
	if (kind == TAPE_SAMPLE) {
		const struct tape_sample *s = record;
		/* with reports beside it a sample belongs to the report in front of it */
		if (!t->raw)
			r = stamp(t, s->sample.time_ns);
		if (r >= 0)
			r = hps_write_sample_at(t->w, t->samples, &s->sample, stamped(t, s->sample.time_ns));
		return r < 0 || !t->o.foxglove ? r
		                               : ros_write(t->w, &t->ros, &s->sample, stamped(t, s->sample.time_ns),
		                                           since_1970(t, s->sample.time_ns));
	}
	if (kind == TAPE_RAW) {
		const struct tape_raw *x = record;
		r = stamp(t, x->time_ns);
		t->raw = true;
		if (!r && !t->reports && (t->reports = hps_add_reports(t->w, NULL)) < 0)
			r = t->reports;
		return r < 0 ? r : hps_write(t->w, t->reports, stamped(t, x->time_ns), x->data, x->size);
	}
	if (kind == TAPE_EVENT) {
		const struct tape_event *x = record;
		struct hp_event e = { sizeof e, x->type, 0, x->value, x->text[0] ? x->text : NULL };
		r = learn_epoch(t, x->time_ns);
		e.time_ns = stamped(t, x->time_ns);
		t->lost += x->type == HP_LOST ? (uint64_t)x->value : 0;
		return r < 0 ? r : hps_write_event(t->w, t->events, &e, x->rate_start_ns);
	}
	if (kind == TAPE_STREAM)
		return keep_stream(t, record, size);
	return kind == TAPE_TICK ? hps_flush(t->w) : -EINVAL;
}

static int consume(void *ctx, const void *record, size_t size)
{
	struct tape *t = ctx;
	uint32_t kind, chunks = t->w ? (uint32_t)t->w->nchunks : 0;
	memcpy(&kind, record, sizeof kind);
	int r = t->w ? consume_one(t, record, size) : -EIO;
	if (t->w && t->w->nchunks != chunks)
		stored(t); /* a chunk is written before the message that does not fit */
	t->in_chunk += kind == TAPE_SAMPLE && r >= 0;
	if (t->w && !t->w->chunk_messages)
		stored(t); /* or behind the one that fills it */
	return r < 0 ? give_up(t, r) : 0;
}

static void tape_free(struct tape *t)
{
	free((char *)(uintptr_t)t->o.pattern);
	free((char *)(uintptr_t)t->o.ini);
	free((char *)(uintptr_t)t->o.point);
	free((char *)(uintptr_t)t->o.filters);
	free((char *)(uintptr_t)t->o.pipeline);
	free(t->memory);
	free(t);
}

static void end(void *ctx, uint64_t lost)
{
	struct tape *t = ctx;
	char text[160];
	if (t->w && lost > t->lost) { /* the last ones, behind which nothing came any more */
		struct hp_event e = { sizeof e, HP_LOST, stamped(t, t->last_ns), (int64_t)(lost - t->lost), NULL };
		hps_write_event(t->w, t->events, &e, 0);
	}
	int r = t->w ? finish(t) : 0;
	if (r < 0) {
		snprintf(text, sizeof text, "%s; what was written before is readable", strerror(-r));
		say(t, HP_LOG_ERROR, text);
	}
	if (lost) {
		snprintf(text, sizeof text,
		         "%llu records were lost because the queue to the disk was full; the file says where",
		         (unsigned long long)lost);
		say(t, HP_LOG_WARN, text);
	}
	tape_free(t);
}

const struct hp_sink_ops tape_ops = { consume, NULL, end };

void tape_abandon(struct tape *t)
{
	if (t->w)
		hps_finish(t->w);
	tape_free(t);
}

const char *tape_path(const struct tape *t)
{
	return t->path;
}

int tape_open(struct tape **out, const struct tape_options *o)
{
	struct tape *t = calloc(1, sizeof *t);
	if (!t)
		return -ENOMEM;
	t->o = *o;
	t->o.pattern = copy(o->pattern);
	t->o.ini = copy(o->ini);
	t->o.point = copy(o->point);
	t->o.filters = copy(o->filters);
	t->o.pipeline = copy(o->pipeline);
	int r = t->o.pattern && t->o.ini && t->o.point && t->o.filters && t->o.pipeline ? open_file(t) : -ENOMEM;
	if (r < 0) {
		say(t, HP_LOG_ERROR,
		    r == -ENOTSUP ? "this build has no libzstd; set compression = none" : strerror(-r));
		tape_abandon(t);
		return r;
	}
	*out = t;
	return 0;
}
