/* SPDX-License-Identifier: MIT
 * replay.c - the input `replay`: a recording's reports, or samples, as if the device were there, in their rhythm. */
#include "api/builtin.h"
#include "clock_steps.h"
#include "headpipe.h"
#include "inputs/decode/tracker.h"
#include "reach.h"
#include "run/inside.h"
#include "source.h"
#include <errno.h>
#include <stdio.h>

enum { BATCH = 32 }; /* reports in one turn of the loop, so that signals and other sources are served */

struct replay {
	/* options */
	const char *path;
	double speed;
	bool loop;
	int device, source_kind;
	int64_t from, to;
	/* own */
	const struct hp_host *host;
	struct report_source *source;
	struct tracker tracker;
	uint32_t report_size;
	struct hp_timer *timer;
	struct report report;      /* the next one */
	bool stopped, parted;      /* parted: the source itself leaves out what lies outside `from` and `to` */
	int64_t start_ns;          /* clock of now() at the first report of all */
	int64_t first_ns, last_ns; /* times in this pass, as recorded */
	struct replay_pace pace;
	int64_t offset_ns;         /* added to recorded times, so that time goes on in a loop */
	int64_t begin_ns, seen_ns; /* of the recording: times of its first item and of the last one read */
	uint64_t reports, items;   /* in this pass */
};

static const struct hp_option options[] = {
	HP_OPT_PATH(struct replay, path, NULL, "the recording: a session file (MCAP) or hid-recorder text"),
	HP_OPT_REAL(struct replay, speed, "1", 0, 1000,
	            "1 = in the recorded rhythm, 2 = twice as fast, 0 = as fast as possible", 0, NULL, 0, 4),
	HP_OPT_BOOL(struct replay, loop, "no", "begin again at the end; time goes on"),
	HP_OPT_INT(struct replay, device, "-1", -1, 1000000,
	           "index of the device in the recording; -1 = the first one with a rotation vector"),
	HP_OPT_ENUM_AS(
	    struct replay, source_kind, "source", "auto", "auto|reports|samples",
	    "of a session file: decode the recorded reports again, or take the recorded samples, which enter "
	    "below the filter that they were recorded behind; auto: reports when there are any"),
	HP_OPT_NS(struct replay, from, "0s", 0, 1e9, "begin so long after the recording's start"),
	HP_OPT_NS(struct replay, to, "0s", 0, 1e9, "end so long after the recording's start; 0 = at its end"),
	HP_OPT_END,
};

static void warn(void *arg, const char *text)
{
	const struct replay *r = arg;
	r->host->log(r->host, HP_LOG_WARN, text);
}

static void end(struct replay *r, int rc, const char *text)
{
	r->stopped = true;
	r->host->timer_at(r->timer, -1);
	r->host->fail(r->host, -rc, text);
}

static void describe(struct replay *r)
{
	const struct report_source *s = r->source;
	struct hp_stream stream = {
		.struct_size = sizeof stream,
		.device = s->name,
		.serial = s->serial,
		.unique_id = s->unique_id,
		.descriptor = s->descriptor,
		.descriptor_size = s->descriptor_size,
		.vendor = s->vendor,
		.product = s->product,
		.rate_start_ns = replay_plus(s->rate_start_ns, r->offset_ns),
		.report_size = r->report_size,
		.flags = HP_STREAM_REPLAY,
	};
	r->host->describe(r->host, &stream);
}

/* The decode plan of the source's device. 0, or -errno with a sentence in why. */
static int plan(struct replay *r, char *why, size_t size)
{
	struct hp_hid_descriptor d;
	if (r->source->samples)
		return 0;
	if (hp_hid_descriptor_parse(&d, r->source->descriptor, r->source->descriptor_size, why, size))
		return -EINVAL;
	int rc = tracker_open(&r->tracker, &d, why, size);
	r->report_size = (uint32_t)hp_hid_descriptor_longest(&d, HID_INPUT);
	hp_hid_descriptor_free(&d);
	return rc < 0 ? -EINVAL : 0;
}

/* The recorded device came back, maybe another one: as when it happened, the rate window starts anew. */
static int reconnect(struct replay *r)
{
	char why[REPORT_SOURCE_WHY];
	int rc = plan(r, why, sizeof why);
	if (rc < 0) {
		end(r, rc, why);
		return rc;
	}
	tracker_connect(&r->tracker, r->source->rate_start_ns + r->offset_ns);
	describe(r);
	return 0;
}

static void deliver_event(struct replay *r)
{
	struct hp_event event = *r->report.event;
	struct hp_item item = { .struct_size = sizeof item, .event = &event };
	bool of_user = event.type == HP_RECENTER || event.type == HP_OPTION;
	event.time_ns = replay_plus(event.time_ns, r->offset_ns);
	if (event.type == HP_CONNECTED && reconnect(r) < 0)
		return;
	if ((of_user ? hp_inside_replay_event(r->host, &event) : r->host->emit(r->host, &item)) == -EPIPE)
		r->stopped = true;
}

static void deliver_sample(struct replay *r)
{
	struct hp_sample sample = *r->report.sample;
	struct hp_item item = { .struct_size = sizeof item, .nsamples = 1, .samples = &sample };
	sample.time_ns = replay_plus(sample.time_ns, r->offset_ns);
	sample.arrival_ns = 0;
	if (r->host->emit(r->host, &item) == -EPIPE)
		r->stopped = true;
}

/* One report: the bytes, the event of a changed reset counter, the sample. The event comes before the sample that it is
 * about, as from a live device. */
static void deliver(struct replay *r)
{
	if (r->report.event) {
		deliver_event(r);
		return;
	}
	if (r->report.sample) {
		deliver_sample(r);
		return;
	}
	struct hp_raw raw = { sizeof raw, (uint32_t)r->report.size, r->report.data,
		              replay_plus(r->report.time_ns, r->offset_ns) };
	struct hp_event event = { sizeof event, HP_REFERENCE_RESET, raw.time_ns, 0, NULL };
	struct hp_item item = { .struct_size = sizeof item, .raw = &raw };
	struct hp_sample sample;
	bool reset;
	int given = tracker_report(&r->tracker, raw.time_ns, raw.data, raw.size, &sample, &reset);
	if (reset) {
		event.value = sample.reset_count;
		item.event = &event;
	}
	if (given) {
		item.nsamples = 1;
		item.samples = &sample;
	}
	if (r->host->emit(r->host, &item) == -EPIPE)
		r->stopped = true;
}

/* Begins the recording again; its first report comes one usual interval after its last. 1, 0 when no time is left
 * for another pass, or -errno. */
static int again(struct replay *r)
{
	int64_t length = replay_minus(r->last_ns, r->first_ns);
	int64_t step = r->reports > 1 && length > 0 ? length / (int64_t)(r->reports - 1) : 10000000;
	if (length > INT64_MAX / 4 || length < INT64_MIN / 4 || r->last_ns > INT64_MAX / 4 ||
	    r->offset_ns > INT64_MAX / 4)
		return 0;
	r->offset_ns += length + step;
	r->reports = r->items = 0;
	r->parted = false;
	int rc = r->source->rewind(r->source);
	return rc < 0 ? rc : 1;
}

static int behind_end(struct replay *r, int64_t length)
{
	return replay_behind_end(r->path, r->from, length, r->source->why, sizeof r->source->why);
}

/* At the beginning of a pass. 0, or -errno. */
static int choose_part(struct replay *r)
{
	int64_t length = 0;
	if (r->parted || r->items || !r->source->part || (!r->from && !r->to))
		return 0;
	int rc = r->source->part(r->source, r->from, r->to, &length);
	r->parted = true;
	return rc == -ERANGE ? behind_end(r, length) : rc == 1 && reconnect(r) < 0 ? -ECANCELED : rc < 0 ? rc : 0;
}

/* The next item between `from` and `to`: 1, 0 at the end, or -errno. */
static int next(struct replay *r)
{
	int chosen = choose_part(r);
	if (chosen < 0)
		return chosen;
	for (;;) {
		int rc = r->source->next(r->source, &r->report);
		if (rc != 1)
			return rc;
		if (r->report.event && !r->items) {
			deliver_event(r);
			if (r->stopped)
				return -ECANCELED;
			continue;
		}
		/* an event's place is behind the report it came after; its own time may be of another clock */
		if (r->report.event)
			r->report.time_ns = r->seen_ns;
		else
			r->seen_ns = r->report.time_ns;
		if (!r->items++)
			r->begin_ns = r->report.time_ns;
		if (r->parted)
			return 1;
		int64_t at = replay_minus(r->report.time_ns, r->begin_ns);
		if (r->to && at > r->to)
			return 0;
		if (!r->from || at >= r->from)
			return 1;
		if (r->report.event && r->report.event->type == HP_CONNECTED && reconnect(r) < 0)
			return -ECANCELED;
	}
}

/* The first step back is told. */
static void say_back(struct replay *r)
{
	char text[300];
	if (r->pace.steps_back != 1)
		return;
	snprintf(text, sizeof text, "%.200s: the recorded clock goes back; everything is played, in the file's order",
	         r->path);
	r->host->log(r->host, HP_LOG_INFO, text);
}

/* At the end of a pass: what could not be read is not passed over. */
static int whole(struct replay *r)
{
	unsigned long long n = r->source->left_out;
	if (!n)
		return 0;
	snprintf(r->source->why, sizeof r->source->why,
	         "%.300s: %llu parts of the recording could not be read and were "
	         "left out",
	         r->path, n);
	return -EBADMSG;
}

/* The next report into r->report. False when there is none: then the section has ended. */
static bool fetch(struct replay *r)
{
	int rc = next(r);
	if (rc == 0 && r->from && !r->parted && r->items && replay_minus(r->seen_ns, r->begin_ns) < r->from)
		rc = behind_end(r, replay_minus(r->seen_ns, r->begin_ns));
	if (rc == 0 && !r->reports)
		warn(r, r->from || r->to ? "the recording has no report of this device between `from` and `to`"
		                         : "the recording has no report of this device");
	else if (rc == 0 && r->loop && (rc = again(r)) == 1)
		rc = next(r);
	if (rc == 0)
		rc = whole(r);
	if (rc != 1) {
		if (rc != -ECANCELED)
			end(r, rc, rc < 0 ? r->source->why : NULL);
		return false;
	}
	if (r->report.event)
		return true;
	if (replay_pace(&r->pace, replay_plus(r->report.time_ns, r->offset_ns)) < 0)
		say_back(r);
	if (!r->reports++)
		r->first_ns = r->report.time_ns;
	r->last_ns = r->report.time_ns;
	return true;
}

/* When the next report is due, on the clock of now(). */
static int64_t deadline(const struct replay *r)
{
	int64_t since = r->pace.due_ns;
	if (r->speed != 1) {
		double scaled = (double)since / r->speed;
		since = scaled < 9e18 ? (int64_t)scaled : INT64_MAX;
	}
	return since < INT64_MAX - r->start_ns ? r->start_ns + since : INT64_MAX;
}

static void turn(void *self)
{
	struct replay *r = self;
	/* at full speed a program on this machine may not keep up with reading; recorded rhythm is left alone */
	if (r->speed == 0 && r->host->behind && r->host->behind(r->host)) {
		r->host->timer_at(r->timer, r->host->now(r->host) + 1000000);
		return;
	}
	for (int n = 0; n < BATCH && !r->stopped; n++) {
		int64_t due = r->speed > 0 ? deadline(r) : 0;
		if (due > r->host->now(r->host)) {
			r->host->timer_at(r->timer, due);
			return;
		}
		if (due && !r->report.event)
			hp_inside_due(r->host, due);
		deliver(r);
		if (r->stopped || !fetch(r))
			return;
	}
	if (!r->stopped)
		r->host->timer_at(r->timer, r->host->now(r->host));
}

static int check(const void *self, const char **key, char *why, size_t size)
{
	const struct replay *r = self;
	if (!r->to || r->to > r->from)
		return 0;
	*key = "to";
	snprintf(why, size, "must be later than `from`");
	return -EINVAL;
}

/* What can be seen without playing: the file, the device, its descriptor. */
static int open_replay(void *self, const struct hp_host *host)
{
	struct replay *r = self;
	char why[REPORT_SOURCE_WHY];
	struct report_source_ask ask = { .path = r->path, .device = r->device, .warn = warn, .arg = r };
	r->host = host;
	ask.want = r->source_kind;
	int rc = r->from ? replay_reaches(&ask, r->from, why, sizeof why) : 0;
	if (rc == 0)
		rc = report_source_open(&r->source, &ask, why, sizeof why);
	if (rc == 0)
		rc = plan(r, why, sizeof why);
	if (rc < 0) {
		host->log(host, HP_LOG_ERROR, why);
		return rc;
	}
	r->timer = host->timer(host, turn, r);
	return r->timer ? 0 : -ENOMEM;
}

static int start(void *self)
{
	struct replay *r = self;
	const struct report_source *s = r->source;
	struct hp_event event = { sizeof event, HP_CONNECTED, s->connected_ns, 0, s->name };
	struct hp_item item = { .struct_size = sizeof item, .event = &event };
	if (s->filters && hp_inside_bypass(r->host, s->filters)) {
		char text[300];
		snprintf(text, sizeof text,
		         "the samples were recorded behind %.200s, which they do not go through again", s->filters);
		r->host->log(r->host, HP_LOG_INFO, text);
	}
	if (r->from && !s->samples)
		r->host->log(r->host, HP_LOG_INFO,
		             "starting in the middle: the report rate, the filters' state and the centre "
		             "of the time before are not known");
	tracker_connect(&r->tracker, s->rate_start_ns);
	describe(r);
	r->host->emit(r->host, &item);
	r->start_ns = r->host->now(r->host);
	if (!fetch(r))
		return 0;
	return r->host->timer_at(r->timer, r->start_ns);
}

static void stop(void *self)
{
	struct replay *r = self;
	r->stopped = true;
	if (r->timer)
		r->host->timer_at(r->timer, -1);
}

static void close_replay(void *self)
{
	struct replay *r = self;
	if (r->source)
		r->source->close(r->source);
	r->source = NULL;
}

HP_MODULE(replay) = {
	HP_MODULE_HEAD,        .kind = HP_INPUT,
	.name = "replay",      .summary = "plays a recording of HID reports",
	.options = options,    .state_size = sizeof(struct replay),
	.check = check,        .open = open_replay,
	.start = start,        .stop = stop,
	.close = close_replay, .traits = HP_OPENS_FIRST,
};
