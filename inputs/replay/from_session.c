/* SPDX-License-Identifier: MIT
 * from_session.c - a session file as a source of reports, or of samples, and of the events between them. */
#include "clock_steps.h"
#include "headpipe-session.h"
#include "source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct session_source {
	struct report_source base;
	struct hps_reader *in;
	struct hps_cursor at, first; /* first: behind the first HP_CONNECTED */
	bool parted;
	int64_t from, to;         /* parted: what is given */
	char *path, *name, *text; /* owned copies: views end with the next read */
	char filters[1024];
	void (*warn)(void *arg, const char *text);
	void *arg;
	bool told_unreadable, told_long;
	uint64_t left_out;          /* what opening already knew of */
	bool has_first, past_first; /* the first HP_CONNECTED is not given */
	struct hp_sample sample;
	struct hp_event event;
	int64_t shift; /* what the recording added to its times, so that they count from 1970 */
};

static bool is_raw(const struct hps_channel *c)
{
	return !strcmp(c->topic, HPS_TOPIC_REPORTS) && !strcmp(c->encoding, "raw");
}

static bool is_report(const struct session_source *s, const struct hps_message *m)
{
	return is_raw(hps_channel_at(s->in, m->channel));
}

static int set_text(char **at, const char *text)
{
	char *copy = text ? strdup(text) : NULL;
	if (text && !copy)
		return -ENOMEM;
	free(*at);
	*at = copy;
	return 0;
}

/* The channel of the first report behind the cursor and before the next connection: it says what the device is. */
static int set_device(struct session_source *s, struct hps_cursor c)
{
	struct hps_message m;
	struct hp_event e;
	struct hp_stream st;
	int rc;
	while ((rc = hps_next(&c, &m)) != 0) {
		if (rc < 0)
			continue;
		if (is_report(s, &m))
			break;
		if (!hps_get_event(s->in, &m, &e, NULL) && e.type == HP_CONNECTED)
			return 0;
	}
	if (rc != 1 || (rc = hps_get_stream(s->in, m.channel, &st)) == -ENOENT)
		return 0;
	if (rc < 0) {
		snprintf(s->base.why, sizeof s->base.why, "%.300s: %.300s", s->path, hps_reader_error(s->in));
		return rc;
	}
	s->base.serial = st.serial;
	s->base.unique_id = st.unique_id;
	s->base.vendor = st.vendor;
	s->base.product = st.product;
	s->base.descriptor = st.descriptor;
	s->base.descriptor_size = st.descriptor_size;
	if (st.device && set_text(&s->name, st.device) < 0)
		return -ENOMEM;
	s->base.name = s->name;
	return 0;
}

static int connected(struct session_source *s, int64_t rate_start_ns)
{
	if (set_text(&s->name, s->event.text) < 0)
		return -ENOMEM;
	s->base.name = s->name;
	s->base.rate_start_ns = rate_start_ns;
	return set_device(s, s->at);
}

/* 1 = an event to give, 0 = not this one, or -errno. */
static int take_event(struct session_source *s, const struct hps_message *m, struct report *out)
{
	int64_t rate_start_ns;
	if (hps_get_event(s->in, m, &s->event, &rate_start_ns) < 0)
		return 0;
	if (s->event.type == HP_REFERENCE_RESET && !s->base.samples)
		return 0; /* the reports say it again */
	if (set_text(&s->text, s->event.text) < 0)
		return -ENOMEM;
	s->event.text = s->text;
	if (s->event.type == HP_CONNECTED) {
		if (!s->past_first) {
			s->past_first = true;
			return 0;
		}
		int rc = connected(s, rate_start_ns);
		if (rc < 0)
			return rc;
	}
	s->event.time_ns = replay_minus(s->event.time_ns, s->shift);
	*out = (struct report){ s->event.time_ns, NULL, 0, NULL, &s->event };
	return 1;
}

/* What is skipped: a bad chunk, or one that this build cannot read. */
static void tell(struct session_source *s)
{
	char text[700];
	s->base.left_out++;
	snprintf(text, sizeof text, "%.300s: %.300s; skipped", s->path, hps_reader_error(s->in));
	if (s->warn)
		s->warn(s->arg, text);
}

static int fail(struct session_source *s, int rc)
{
	snprintf(s->base.why, sizeof s->base.why, "%.300s: %.300s", s->path, hps_reader_error(s->in));
	return rc;
}

/* A message that cannot be given; the first one is told. */
static void leave_out(struct session_source *s, bool *told, const char *why)
{
	char text[700];
	s->base.left_out++;
	if (*told || !s->warn)
		return;
	*told = true;
	snprintf(text, sizeof text, "%.300s: %s; such are left out", s->path, why);
	s->warn(s->arg, text);
}

static bool only_this_chunk(int rc)
{
	return rc == -EBADMSG || rc == -ENOTSUP || rc == -EFBIG;
}

static int next(struct report_source *base, struct report *out)
{
	struct session_source *s = (struct session_source *)base;
	struct hps_message m;
	char text[200];
	int rc;
	while ((rc = s->parted ? hps_next_between(&s->at, s->from, s->to, &m) : hps_next(&s->at, &m)) != 0) {
		if (only_this_chunk(rc)) {
			tell(s);
			continue;
		}
		if (rc < 0)
			return fail(s, rc);
		if (is_report(s, &m)) {
			if (base->samples)
				continue;
			if (m.size > REPORT_MAX) {
				snprintf(text, sizeof text, "a report of %u bytes; the limit is %d", m.size,
				         REPORT_MAX);
				leave_out(s, &s->told_long, text);
				continue;
			}
			*out = (struct report){ replay_minus(m.time, s->shift), m.data, m.size, NULL, NULL };
			return 1;
		}
		if (!hps_get_sample(s->in, &m, &s->sample)) {
			if (!base->samples)
				continue;
			*out = (struct report){ s->sample.time_ns, NULL, 0, &s->sample, NULL };
			return 1;
		}
		if (base->samples && hps_holds_samples(s->in, m.channel)) {
			snprintf(text, sizeof text, "a sample at %.3f s cannot be read", (double)m.time / 1e9);
			leave_out(s, &s->told_unreadable, text);
			continue;
		}
		rc = take_event(s, &m, out);
		if (rc)
			return rc;
	}
	return 0;
}

static int back(struct report_source *base)
{
	struct session_source *s = (struct session_source *)base;
	s->at = hps_begin(s->in, -1);
	s->past_first = !s->has_first;
	s->parted = false;
	s->base.left_out = s->left_out;
	return 0;
}

/* The last connection in front of the part says what the device is there. */
static int part(struct report_source *base, int64_t from, int64_t to, int64_t *length)
{
	struct session_source *s = (struct session_source *)base;
	int64_t start = 0, end = 0, rate_start_ns;
	struct hps_message m;
	int rc;
	if (hps_recorded(s->in, &start, NULL) != 1)
		return 0;
	s->from = from ? replay_plus(start, from) : INT64_MIN;
	s->to = to ? replay_plus(start, to) : INT64_MAX;
	s->parted = true;
	while (only_this_chunk(rc = hps_seek_between(&s->at, s->from, s->to)))
		tell(s);
	if (rc < 0)
		return fail(s, rc);
	if (rc == 0 && hps_recorded(s->in, &start, &end) == 1 && s->from > end) {
		*length = replay_minus(end, start);
		return -ERANGE;
	}
	struct hps_cursor back = s->at;
	if (!s->has_first || hps_seek_event_before(&back, HP_CONNECTED) != 1)
		return 0;
	struct hps_cursor at = s->at;
	s->past_first = true;
	if (hps_next(&back, &m) != 1 || (back.chunk == s->first.chunk && back.at == s->first.at) ||
	    hps_get_event(s->in, &m, &s->event, &rate_start_ns) < 0)
		return 0;
	s->at = back;
	rc = connected(s, rate_start_ns);
	s->at = at;
	return rc < 0 ? rc : 1;
}

static void close_source(struct report_source *base)
{
	struct session_source *s = (struct session_source *)base;
	hps_close(s->in);
	free(s->path);
	free(s->name);
	free(s->text);
	free(s);
}

/* What there is instead of our channels. */
static void list_channels(struct hps_reader *r, char *out, size_t size)
{
	size_t n = 0;
	const struct hps_channel *c;
	snprintf(out, size, "none");
	for (size_t i = 0; (c = hps_channel_at(r, i)) && n + 2 < size; i++)
		n += (size_t)snprintf(out + n, size - n, "%s%.60s (%.20s)", i ? ", " : "", c->topic, c->encoding);
}

/* Only what can be read counts. */
static void count(struct hps_reader *r, uint64_t *reports, uint64_t *samples)
{
	const struct hps_channel *c;
	*reports = *samples = 0;
	for (size_t i = 0; (c = hps_channel_at(r, i)); i++) {
		*samples += hps_holds_samples(r, (int)i) ? c->messages : 0;
		*reports += is_raw(c) ? c->messages : 0;
	}
}

/* Which of the two, and everything that is known before the first report. */
static int choose(struct session_source *s, const struct report_source_ask *ask, char *why, size_t size)
{
	char channels[400];
	uint64_t reports, samples;
	count(s->in, &reports, &samples);
	bool want_reports = ask->want == REPORT_SOURCE_REPORTS, want_samples = ask->want == REPORT_SOURCE_SAMPLES;
	s->base.samples = want_samples || (!want_reports && !reports);
	if (!reports && !samples) {
		list_channels(s->in, channels, sizeof channels);
		snprintf(why, size, "%.300s: there is nothing in %s or %s that can be played; channels: %s", s->path,
		         HPS_TOPIC_REPORTS, HPS_TOPIC_SAMPLE, channels);
		return -EINVAL;
	}
	if (want_reports ? !reports : want_samples && !samples) {
		snprintf(why, size, "%.300s: no %s were recorded; use source = %s", s->path,
		         want_reports ? "reports" : "samples", want_reports ? "samples" : "reports");
		return -EINVAL;
	}
	return 0;
}

/* The first connection, wherever it stands; then back to the beginning. */
static int begin(struct session_source *s, char *why, size_t size)
{
	struct hps_message m;
	int64_t rate_start_ns = 0;
	int rc;
	s->at = hps_begin(s->in, -1);
	bool found = false;
	while (!found && (rc = hps_next(&s->at, &m)) != 0) {
		if (rc < 0)
			continue;
		if (is_report(s, &m) || !hps_get_sample(s->in, &m, &s->sample))
			break;
		found = !hps_get_event(s->in, &m, &s->event, &rate_start_ns) && s->event.type == HP_CONNECTED;
	}
	if (found) {
		s->first = s->at;
		s->base.connected_ns = replay_minus(s->event.time_ns, s->shift);
		rc = connected(s, rate_start_ns);
	} else {
		/* the head is missing: the rate is counted from the first report */
		s->base.connected_ns = s->base.rate_start_ns = rc == 1 ? replay_minus(m.time, s->shift) : 0;
		rc = set_device(s, hps_begin(s->in, -1));
	}
	snprintf(why, size, "%s", s->base.why);
	s->has_first = found;
	back(&s->base);
	if (rc == 0 && !s->base.samples && !s->base.descriptor) {
		snprintf(why, size,
		         "%.300s: the report descriptor of the device is not in the file; use source = samples",
		         s->path);
		rc = -EINVAL;
	}
	return rc;
}

/* A walk over the file has met what cannot be read; with an index it is met later, one by one. */
static void count_lost(struct session_source *s)
{
	struct hps_info info;
	hps_get_info(s->in, &info);
	s->left_out = info.damaged_chunks + info.refused_chunks + (info.skipped_bytes > 0);
	s->base.left_out = s->left_out;
}

static void notes(struct session_source *s)
{
	struct hps_info info;
	char text[900];
	const char *before = hps_metadata_get(s->in, "headpipe.session", "continues");
	hps_get_info(s->in, &info);
	if (info.note[0] && s->warn) {
		snprintf(text, sizeof text, "%.300s: %.400s", s->path, info.note);
		s->warn(s->arg, text);
	}
	if (before && !s->base.samples && s->warn) {
		snprintf(text, sizeof text,
		         "%.300s continues %.300s: the report rate and the filters' state of the time "
		         "before are not known",
		         s->path, before);
		s->warn(s->arg, text);
	}
}

int session_source_open(struct report_source **out, const struct report_source_ask *ask, char *why, size_t why_size)
{
	char text[500];
	struct session_source *s = calloc(1, sizeof *s);
	*out = NULL;
	snprintf(why, why_size, "%.300s: out of memory", ask->path);
	if (!s || !(s->path = strdup(ask->path))) {
		free(s);
		return -ENOMEM;
	}
	s->warn = ask->warn;
	s->arg = ask->arg;
	int rc = hps_open(&s->in, ask->path, NULL, text, sizeof text);
	if (rc == 0) {
		const char *shift = hps_metadata_get(s->in, "headpipe.times", "shift_ns");
		s->shift = shift ? strtoll(shift, NULL, 10) : 0;
		count_lost(s);
	}
	if (rc < 0) {
		snprintf(why, why_size, "%.300s: %s", ask->path, text);
	} else if (ask->device > 0) {
		snprintf(why, why_size, "%.300s: a session file holds one device; `device` is for hid-recorder text",
		         ask->path);
		rc = -EINVAL;
	} else
		rc = choose(s, ask, why, why_size);
	if (rc == 0)
		rc = begin(s, why, why_size);
	if (rc < 0) {
		close_source(&s->base);
		return rc;
	}
	notes(s);
	const char *filters = hps_metadata_get(s->in, "headpipe.session", "filters");
	snprintf(s->filters, sizeof s->filters, "%s", filters ? filters : "");
	s->base.filters = s->base.samples && s->filters[0] ? s->filters : NULL;
	s->base.next = next;
	s->base.rewind = back;
	s->base.part = part;
	s->base.close = close_source;
	*out = &s->base;
	return 0;
}
