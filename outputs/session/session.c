/* SPDX-License-Identifier: MIT
 * session.c - the output `session`: raw reports, samples and events of everything above it into MCAP files. The loop
 * only copies records into a ring; tape.c does the rest on the writer thread. */
#include "api/builtin.h"
#include "headpipe.h"
#include "run/inside.h"
#include "sample/sample.h"
#include "tape.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING = 4 << 20, TEXT_MAX = 4000, STEP = 10000000 /* ns; smaller changes of the wall clock are not told */ };

struct session {
	/* options */
	const char *path, *max_size;
	int compression, level, encoding, chunk_messages;
	int64_t chunk_time, max_time;
	int times;
	bool fsync, reports, samples, estimates, foxglove;
	/* own */
	const struct hp_host *host;
	struct hp_sink *sink;
	struct hp_timer *timer;
	bool armed, told_lost;
	bool stream_due, connected_due; /* of the last connection, not in the ring yet */
	int64_t connected_ns;
	uint64_t lost;   /* told in the file so far */
	uint64_t handed; /* samples that are in the ring or went through it */
	int64_t wall_offset;
};

static const struct hp_option options[] = {
	HP_OPT_PATH(
	    struct session, path, "session-%Y%m%d-%H%M%S.mcap",
	    "the file to write; strftime patterns, and %n for the first number that is free; a file that is there "
	    "already is never touched; folders are made",
	    HP_LOCAL),
	HP_OPT_ENUM(struct session, compression, "none", "none|zstd|lean",
	            "how chunks are packed; lean is the smallest, and only headpipe reads it"),
	HP_OPT_INT(struct session, level, "1", 1, 19, "of zstd: 1 is fast, 19 small"),
	HP_OPT_ENUM(struct session, encoding, "cdr", "cdr|json",
	            "of samples: binary and exact, or text that everything reads and that is slower and larger"),
	HP_OPT_BOOL(struct session, reports, "yes",
	            "record the input's untouched reports, for a replay from the start"),
	HP_OPT_BOOL(struct session, samples, "yes", "record samples"),
	HP_OPT_BOOL(
	    struct session, estimates, "no",
	    "in samples also what filters estimate (angvel, confidence ...; docs/session-format.md), 8 bytes a number"),
	HP_OPT_BOOL(struct session, foxglove, "no",
	            "samples once more as a pose, a transform and an IMU of ROS 2, which Foxglove and others draw; "
	            "three times as large"),
	HP_OPT_ENUM(struct session, times, "monotonic", "monotonic|epoch",
	            "of messages: the computer's uptime, or since 1970, which other tools show as the date"),
	HP_OPT_NS(struct session, chunk_time, "1s", 0.01, 3600, "a crash loses at most so much"),
	HP_OPT_INT(struct session, chunk_messages, "1000", 1, 1000000, "or so many messages, whichever comes first"),
	HP_OPT_BOOL(struct session, fsync, "no", "wait for the disk after every chunk; then a power cut loses no more"),
	HP_OPT_STR(struct session, max_size, "0", "begin the next file at this size: 500M, 2G; 0 = never"),
	HP_OPT_NS(struct session, max_time, "0s", 0, 31536000, "begin the next file after this time; 0 = never"),
	HP_OPT_END
};

static bool parse_size(const char *text, uint64_t *size)
{
	char *end;
	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);
	int shift = *end == 'k' || *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
	if (shift)
		end++;
	*size = v << shift;
	return text[0] >= '0' && text[0] <= '9' && !errno && !*end && v >> (63 - shift) == 0 && (!v || *size >= 65536);
}

static int check(const void *self, const char **key, char *why, size_t size)
{
	const struct session *s = self;
	uint64_t bytes;
	char name[1024];
	if (!parse_size(s->max_size, &bytes)) {
		*key = "max_size";
		snprintf(why, size, "must be 0 or a size of at least 64k, such as 500M or 2G");
		return -EINVAL;
	}
	if (tape_name(s->path, 0, 1, name, sizeof name) < 0) {
		*key = "path";
		snprintf(why, size, "makes no file name, or one that is too long");
		return -EINVAL;
	}
	if (!s->reports && !s->samples) {
		*key = "samples";
		snprintf(why, size, "reports and samples are both off, so there is nothing to record");
		return -EINVAL;
	}
	if (s->foxglove && !s->samples) {
		*key = "foxglove";
		snprintf(why, size, "needs samples, which are off");
		return -EINVAL;
	}
	return 0;
}

static int64_t read_wall_offset(void)
{
	struct timespec wall, mono;
	clock_gettime(CLOCK_MONOTONIC, &mono);
	clock_gettime(CLOCK_REALTIME, &wall);
	return ((int64_t)wall.tv_sec - mono.tv_sec) * 1000000000 + wall.tv_nsec - mono.tv_nsec;
}

/* ---- into the ring --------------------------------------------------------------------------------- */

/* Is there anything to be done for a record that did not fit? Its loss is told in the file as soon as there is room. */
static bool tell_lost(struct session *s, int64_t time_ns)
{
	uint64_t lost = hp_sink_lost(s->sink);
	if (lost == s->lost)
		return true;
	if (!s->told_lost)
		s->host->log(
		    s->host, HP_LOG_WARN,
		    "the queue to the disk is full: records come faster than they are written, and some are lost; "
		    "the file says where");
	s->told_lost = true;
	struct tape_event *e = hp_sink_reserve(s->sink, sizeof *e + 8);
	if (!e)
		return false; /* told later */
	*e = (struct tape_event){ TAPE_EVENT, HP_LOST, time_ns, (int64_t)(lost - s->lost), 0 };
	memset(e->text, 0, 8);
	hp_sink_commit(s->sink);
	s->lost = lost;
	return true;
}

static bool push_stream(struct session *s, const struct hp_stream *st)
{
	const char *texts[4] = { st->device, st->serial, st->unique_id, st->features };
	uint32_t at[4] = { 0 }, descriptor = st->descriptor ? st->descriptor_size : 0;
	size_t n = descriptor + 1; /* 0 means "no text", so texts do not begin there */
	for (int i = 0; i < 4; i++) {
		if (!texts[i])
			continue;
		at[i] = (uint32_t)n;
		n += strlen(texts[i]) + 1;
	}
	struct tape_stream *r = hp_sink_reserve(s->sink, sizeof *r + n);
	if (!r)
		return false;
	r->kind = TAPE_STREAM;
	r->descriptor_size = descriptor;
	r->report_size = st->report_size;
	r->vendor = st->vendor;
	r->product = st->product;
	r->rate_start_ns = st->rate_start_ns;
	memcpy(r->at, at, sizeof at);
	if (descriptor)
		memcpy(r->data, st->descriptor, descriptor);
	r->data[descriptor] = 0;
	for (int i = 0; i < 4; i++)
		if (texts[i])
			memcpy(r->data + at[i], texts[i], strlen(texts[i]) + 1);
	hp_sink_commit(s->sink);
	return true;
}

static bool push_event(struct session *s, const struct hp_event *e, int64_t rate_start_ns)
{
	size_t n = e->text ? strnlen(e->text, TEXT_MAX) : 0;
	struct tape_event *r = hp_sink_reserve(s->sink, sizeof *r + n + 1);
	if (!r)
		return false;
	*r = (struct tape_event){ TAPE_EVENT, e->type, e->time_ns, e->value, rate_start_ns };
	if (n)
		memcpy(r->text, e->text, n);
	r->text[n] = 0;
	hp_sink_commit(s->sink);
	return true;
}

/* What a reconnect changed must stand in front of the device's next report, also when there was no room for it at
 * first. */
static bool tell_connection(struct session *s)
{
	const struct hp_stream *st = s->host->stream(s->host);
	struct hp_event e = { sizeof e, HP_CONNECTED, s->connected_ns, 0, st->device };
	if (s->stream_due)
		s->stream_due = !push_stream(s, st);
	if (!s->stream_due && s->connected_due)
		s->connected_due = !push_event(s, &e, st->rate_start_ns);
	return !s->connected_due;
}

/* Everything that was missed is on record, so a report or sample may follow. */
static bool ready(struct session *s, int64_t time_ns)
{
	return tell_lost(s, time_ns) && (!s->connected_due || tell_connection(s));
}

/* The first record after a chunk was closed starts the clock of the next one. */
static void arm(struct session *s)
{
	if (s->armed)
		return;
	s->armed = true;
	/* the writer thread may gather for a tenth of a second before it looks */
	int64_t wait = s->chunk_time > 250000000 ? s->chunk_time - 150000000 : s->chunk_time / 2;
	s->host->timer_at(s->timer, s->host->now(s->host) + wait);
}

static void tick(void *self)
{
	struct session *s = self;
	uint32_t record[2] = { TAPE_TICK, 0 };
	s->armed = false;
	int64_t offset = read_wall_offset(), step = offset - s->wall_offset;
	if (step > STEP || step < -STEP) {
		struct tape_event *e = hp_sink_reserve(s->sink, sizeof *e + 8);
		if (e) {
			*e = (struct tape_event){ TAPE_EVENT, HP_CLOCK_STEP, s->host->now(s->host), step, 0 };
			memset(e->text, 0, 8);
			hp_sink_commit(s->sink);
			s->wall_offset = offset;
		}
	}
	hp_sink_push(s->sink, record, sizeof record);
}

static int session_write(void *self, const struct hp_sample *sample)
{
	struct session *s = self;
	struct tape_sample *r;
	if (!s->samples)
		return 0;
	if (!ready(s, sample->time_ns) || !(r = hp_sink_reserve(s->sink, sizeof *r)))
		return HP_DROP; /* counted by the ring */
	r->kind = TAPE_SAMPLE;
	r->pad0 = 0;
	r->sample = *sample;
	hp_sink_commit(s->sink);
	s->handed++;
	arm(s);
	return 0;
}

static void session_raw(void *self, const struct hp_raw *raw)
{
	struct session *s = self;
	struct tape_raw *r;
	if (!s->reports)
		return;
	if (!ready(s, raw->time_ns) || !(r = hp_sink_reserve(s->sink, sizeof *r + raw->size)))
		return;
	r->kind = TAPE_RAW;
	r->size = raw->size;
	r->time_ns = raw->time_ns;
	memcpy(r->data, raw->data, raw->size);
	hp_sink_commit(s->sink);
	arm(s);
}

static void session_event(void *self, const struct hp_event *e)
{
	struct session *s = self;
	bool room = tell_lost(s, e->time_ns);
	if (e->type == HP_CONNECTED) {
		s->connected_ns = e->time_ns;
		s->stream_due = s->connected_due = true;
	}
	if (s->connected_due)
		room = tell_connection(s);
	if (room && e->type != HP_CONNECTED)
		push_event(s, e, 0);
	arm(s);
}

/* ---- opening --------------------------------------------------------------------------------------- */

static int session_open(void *self, const struct hp_host *host)
{
	struct session *s = self;
	struct tape *tape;
	struct tape_options o = { .pattern = s->path,
		                  .writer = HPS_WRITER_OPTIONS,
		                  .json = s->encoding == 1,
		                  .appended = s->estimates ? HP_SAMPLE_APPENDED_FLAGS : 0,
		                  .foxglove = s->foxglove,
		                  .epoch = s->times == 1 };
	s->host = host;
	s->wall_offset = read_wall_offset();
	if (!s->timer && !(s->timer = host->timer(host, tick, s)))
		return -ENOMEM;
	o.writer.compression = (enum hps_compression)s->compression;
	o.writer.level = s->level;
	o.writer.chunk_messages = (uint32_t)s->chunk_messages;
	o.writer.chunk_ns = s->chunk_time;
	o.writer.fsync = s->fsync;
	parse_size(s->max_size, &o.max_size);
	o.max_time = s->max_time;
	o.wall_offset = s->wall_offset;
	o.host = host;
	char *ini = hp_inside_ini_text(host), *filters = hp_inside_filters(host), *chain = hp_inside_chain(host);
	o.point = hp_inside_point(host);
	o.ini = ini;
	o.filters = filters;
	o.pipeline = chain;
	int r = ini && filters && chain ? tape_open(&tape, &o) : -ENOMEM;
	free(ini);
	free(filters);
	free(chain);
	if (r < 0)
		return r;
	char text[1200];
	snprintf(text, sizeof text, "recording to %.1000s", tape_path(tape));
	s->sink = hp_sink_open(&tape_ops, tape, RING, tape_path(tape), NULL);
	if (!s->sink) {
		r = errno ? -errno : -ENOMEM;
		tape_abandon(tape);
		return r;
	}
	host->log(host, HP_LOG_INFO, text);
	return 0;
}

static void session_close(void *self)
{
	struct session *s = self;
	if (!s->sink)
		return;
	hp_inside_handed(s->host, s->handed);
	hp_sink_close(s->sink);
	s->sink = NULL;
}

HP_MODULE(session) = {
	HP_MODULE_HEAD,
	.kind = HP_OUTPUT,
	.traits = HP_OPENS_AGAIN,
	.name = "session",
	.summary = "records reports, samples and events into MCAP session files",
	.options = options,
	.state_size = sizeof(struct session),
	.check = check,
	.open = session_open,
	.write = session_write,
	.raw = session_raw,
	.event = session_event,
	.close = session_close,
};
