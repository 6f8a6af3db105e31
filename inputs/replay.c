/* SPDX-License-Identifier: MIT
 * replay.c - the input `replay`: a recording's reports as if the device were there, in their own rhythm. */
#include "headpipe.h"
#include "report_source.h"
#include "tracker.h"

#include <errno.h>

enum { BATCH = 32 }; /* reports in one turn of the loop, so that signals and other sources are served */

struct replay {
	/* options */
	const char *path;
	double speed;
	bool loop;
	int device;
	/* own */
	const struct hp_host *host;
	struct report_source *source;
	struct tracker tracker;
	uint32_t report_size;
	struct hp_timer *timer;
	struct report report; /* the next one */
	bool stopped;
	int64_t start_ns;          /* clock of now() at the first report of all */
	int64_t first_ns, last_ns; /* times in this pass, as recorded */
	int64_t origin_ns;         /* time of the first report of all, as given out */
	int64_t offset_ns;         /* added to recorded times, so that time goes on in a loop */
	uint64_t reports;          /* in this pass */
};

static const struct hp_option options[] = {
	HP_OPT_PATH(struct replay, path, NULL, "the recording: hid-recorder text"),
	HP_OPT_REAL(struct replay, speed, "1", 0, 1000,
	            "1 = in the recorded rhythm, 2 = twice as fast, 0 = as fast as possible"),
	HP_OPT_BOOL(struct replay, loop, "no", "begin again at the end; time goes on"),
	HP_OPT_INT(struct replay, device, "-1", -1, 1000000,
	           "index of the device in the recording; -1 = the first one with a rotation vector"),
	HP_OPT_END,
};

static void warn(void *arg, const char *text)
{
	const struct replay *r = arg;
	r->host->log(r->host, HP_WARN, text);
}

static void end(struct replay *r, int rc, const char *text)
{
	r->stopped = true;
	r->host->timer_at(r->timer, -1);
	r->host->fail(r->host, -rc, text);
}

/* One report: the bytes, the sample they give, the event of a changed reset counter, in one item. */
static void deliver(struct replay *r)
{
	struct hp_raw raw = { sizeof raw, (uint32_t)r->report.size, r->report.data, r->report.time_ns + r->offset_ns };
	struct hp_event event = { sizeof event, HP_REFERENCE_RESET, raw.time_ns, 0, NULL };
	struct hp_item item = { sizeof item, 0, &raw, NULL, NULL };
	struct hp_sample sample;
	bool reset;
	if (tracker_report(&r->tracker, raw.time_ns, raw.data, raw.size, &sample, &reset)) {
		item.nsamples = 1;
		item.samples = &sample;
	}
	if (reset) {
		event.value = sample.reset_count;
		item.event = &event;
	}
	if (r->host->emit(r->host, &item) == -EPIPE)
		r->stopped = true;
}

/* Begins the recording again; its first report comes one usual interval after its last. 1, 0 when no time is left
 * for another pass, or -errno. */
static int again(struct replay *r)
{
	int64_t length = r->last_ns - r->first_ns;
	int64_t step = r->reports > 1 ? length / (int64_t)(r->reports - 1) : 10000000;
	if (length + step > INT64_MAX / 4 || r->last_ns > INT64_MAX / 4 || r->offset_ns > INT64_MAX / 4)
		return 0;
	r->offset_ns += length + step;
	r->reports = 0;
	int rc = r->source->rewind(r->source);
	return rc < 0 ? rc : 1;
}

/* The next report into r->report. False when there is none: then the section has ended. */
static bool fetch(struct replay *r)
{
	int rc = r->source->next(r->source, &r->report);
	if (rc == 0 && !r->reports)
		warn(r, "the recording has no report of this device");
	else if (rc == 0 && r->loop && (rc = again(r)) == 1)
		rc = r->source->next(r->source, &r->report);
	if (rc != 1) {
		end(r, rc, rc < 0 ? r->source->why : NULL);
		return false;
	}
	if (!r->reports++)
		r->first_ns = r->report.time_ns;
	r->last_ns = r->report.time_ns;
	return true;
}

/* When the next report is due, on the clock of now(). */
static int64_t deadline(const struct replay *r)
{
	int64_t since = r->report.time_ns + r->offset_ns - r->origin_ns;
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
		if (r->speed > 0 && deadline(r) > r->host->now(r->host)) {
			r->host->timer_at(r->timer, deadline(r));
			return;
		}
		deliver(r);
		if (r->stopped || !fetch(r))
			return;
	}
	if (!r->stopped)
		r->host->timer_at(r->timer, r->host->now(r->host));
}

/* What can be seen without playing: the file, the device, its descriptor. */
static int open_replay(void *self, const struct hp_host *host)
{
	struct replay *r = self;
	char why[REPORT_SOURCE_WHY];
	struct report_source_ask ask = { r->path, r->device, warn, r };
	struct hid_descriptor d;
	r->host = host;
	int rc = recorder_source_open(&r->source, &ask, why, sizeof why);
	if (rc < 0) {
		host->log(host, HP_ERROR, why);
		return rc;
	}
	if (hid_descriptor_parse(&d, r->source->descriptor, r->source->descriptor_size, why, sizeof why)) {
		host->log(host, HP_ERROR, why);
		return -EINVAL;
	}
	rc = tracker_open(&r->tracker, &d, why, sizeof why);
	r->report_size = (uint32_t)hid_descriptor_longest(&d, HID_INPUT);
	hid_descriptor_free(&d);
	if (rc < 0) {
		host->log(host, HP_ERROR, why);
		return -EINVAL;
	}
	r->timer = host->timer(host, turn, r);
	return r->timer ? 0 : -ENOMEM;
}

static int start(void *self)
{
	struct replay *r = self;
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
		.rate_start_ns = s->rate_start_ns,
		.report_size = r->report_size,
		.flags = HP_REPLAY,
	};
	struct hp_event event = { sizeof event, HP_CONNECTED, s->rate_start_ns, 0, s->name };
	struct hp_item item = { sizeof item, 0, NULL, NULL, &event };
	tracker_connect(&r->tracker, s->rate_start_ns);
	r->host->describe(r->host, &stream);
	r->host->emit(r->host, &item);
	r->start_ns = r->host->now(r->host);
	if (!fetch(r))
		return 0;
	r->origin_ns = r->report.time_ns;
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
	HP_MODULE_HEAD,      .kind = HP_INPUT,
	.name = "replay",    .summary = "plays a recording of HID reports",
	.options = options,  .state_size = sizeof(struct replay),
	.open = open_replay, .start = start,
	.stop = stop,        .close = close_replay,
};
