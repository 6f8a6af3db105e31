/* SPDX-License-Identifier: MIT
 * reader.c - the thread of one live device: finds it, starts it, then only reads, decodes and posts. It sleeps in
 * the kernel whenever there is nothing to do; a signal gets it out of a read, an eventfd out of a wait. */
#include "reader.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* Its default is to be ignored, so that a stray one does no harm; libuv does not use it. */
#define WAKE_SIGNAL SIGURG

enum { EMPTY_MAX = 8, EMPTY_PAUSE_MS = 10, BACKOFF_FIRST_MS = 250, BACKOFF_MAX_MS = 5000 };

static _Thread_local volatile sig_atomic_t woken;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void on_wake(int s)
{
	(void)s;
	woken = 1;
}

static void catch_wake_signal(void)
{
	/* no SA_RESTART: a read that was going on must end */
	struct sigaction sa = { .sa_handler = on_wake };
	sigemptyset(&sa.sa_mask);
	sigaction(WAKE_SIGNAL, &sa, NULL);
}

static void post_event(struct hp_hid_reader *r, uint32_t type, int64_t time_ns, int64_t value, const char *text)
{
	struct hp_event event = { sizeof event, type, time_ns, value, text };
	struct hp_item item = { .struct_size = sizeof item, .event = &event };
	r->host->post(r->host, &item);
}

/* Tells the host what the source is; the strings are copied there. */
static void describe(struct hp_hid_reader *r)
{
	struct hp_hid_link *l = &r->link;
	char unique[48] = "";
	size_t size = hp_hid_features_text(&l->features, NULL, 0) + 1;
	char *features = malloc(size);
	if (features)
		hp_hid_features_text(&l->features, features, size);
	if (l->has_unique)
		hp_hid_unique_text(l->features.unique, unique, sizeof unique);
	struct hp_stream s = {
		.struct_size = sizeof s,
		.device = l->facts.name,
		.serial = l->facts.serial[0] ? l->facts.serial : NULL,
		.unique_id = unique[0] ? unique : NULL,
		.descriptor = l->facts.descriptor,
		.descriptor_size = l->facts.descriptor_size,
		.vendor = l->facts.vendor,
		.product = l->facts.product,
		.rate_start_ns = r->opened_ns,
		.report_size = (uint32_t)hp_hid_descriptor_longest(&l->descriptor, HID_INPUT),
		.features = features && features[0] ? features : NULL,
	};
	r->host->describe(r->host, &s);
	free(features);
}

static void on_first_report(struct hp_hid_reader *r, int64_t now)
{
	describe(r);
	post_event(r, HP_CONNECTED, now, 0, r->link.facts.name);
	hp_hid_identity_of(&r->last, &r->link);
	r->connected = r->jump = true;
	r->backoff_ms = 0;
	r->first_report_ns = now;
	r->reports = 0;
	r->told_rate = r->quiet = false;
	r->said[0] = 0;
	if (r->last_report_ns)
		r->gap_ns = now - r->last_report_ns;
}

/* "connected" is said when the rate is known, one second later; or at the end of a shorter life. */
static void tell_connected(struct hp_hid_reader *r)
{
	int64_t span = r->last_report_ns - r->first_report_ns;
	if (r->told_rate)
		return;
	r->told_rate = true;
	if (r->reports > 1 && span > 0)
		hp_hid_reader_say(r, HP_LOG_INFO, "%s connected, %.0f reports/s", r->link.facts.name,
		                  (double)(r->reports - 1) * 1e9 / (double)span);
	else
		hp_hid_reader_say(r, HP_LOG_INFO, "%s connected", r->link.facts.name);
}

/* True when the report gave a sample. */
static bool on_report(struct hp_hid_reader *r, const uint8_t *data, size_t size, int64_t now)
{
	struct hp_raw raw = { sizeof raw, (uint32_t)size, data, now };
	struct hp_sample sample;
	struct hp_event event = { sizeof event, HP_REFERENCE_RESET, now, 0, NULL };
	struct hp_item item = { .struct_size = sizeof item, .raw = &raw };
	bool reset;
	if (!r->connected)
		on_first_report(r, now);
	if (r->gap_ns) {
		post_event(r, HP_GAP, now, r->gap_ns, NULL);
		r->gap_ns = 0;
		r->jump = true;
	}
	if (tracker_report(&r->tracker, now, data, size, &sample, &reset)) {
		if (reset) {
			event.value = sample.reset_count;
			item.event = &event;
		}
		if (reset || r->jump)
			sample.flags |= HP_JUMP;
		r->jump = false;
		sample.arrival_ns = now;
		item.samples = &sample;
		item.nsamples = 1;
	}
	r->host->post(r->host, &item);
	r->reports++;
	r->last_report_ns = now;
	if (!r->told_rate && now - r->first_report_ns >= 1000000000)
		tell_connected(r);
	return item.nsamples > 0;
}

static void setup_says(void *arg, enum hp_level level, const char *text)
{
	struct hp_hid_reader *r = arg;
	if (atomic_load(&r->stop))
		return; /* the wake-up for the end also interrupts what is being written */
	hp_hid_reader_say(r, r->quiet && level > HP_LOG_DEBUG ? HP_LOG_DEBUG : level, "%s %s", r->link.facts.name,
	                  text);
}

static void set_up(struct hp_hid_reader *r)
{
	struct hp_hid_setup s;
	struct hp_hid_link *l = &r->link;
	double want = r->in->interval_ms;
	hp_hid_setup_edit(&s, &l->features, &l->descriptor, want);
	hp_hid_setup_write(&s, &l->features, l->device, &l->descriptor, setup_says, r);
	if (s.interval && !r->quiet && (want < s.interval_min_ms - 0.001 || want > s.interval_max_ms + 0.001))
		hp_hid_reader_say(r, HP_LOG_INFO, "%s sends a report every %g to %g ms; asked for %g, uses %g",
		                  l->facts.name, s.interval_min_ms, s.interval_max_ms, want, s.interval_ms);
}

/* Waits for ms (-1: for ever), for a change among the device nodes (when changes is set) or until asked. */
static void pause_thread(struct hp_hid_reader *r, int64_t ms, bool changes)
{
	int64_t until = r->host->now(r->host) + ms * 1000000;
	while (!atomic_load(&r->stop) && !atomic_load(&r->asked)) {
		struct pollfd p[2] = { { r->wake_fd, POLLIN, 0 }, { changes ? r->changes.fd : -1, POLLIN, 0 } };
		int64_t left = until - r->host->now(r->host);
		if (ms >= 0 && left <= 0)
			return;
		poll(p, 2, ms < 0 ? -1 : (int)((left + 999999) / 1000000));
		uint64_t count;
		if (p[0].revents && read(r->wake_fd, &count, sizeof count) < 0 && errno != EAGAIN)
			return;
		if (p[1].revents && hp_hid_changes_read(&r->changes))
			return;
	}
}

/* Reads until the device is gone or shall be closed. why gets the reason; "" when it was asked for. */
static void serve(struct hp_hid_reader *r, char *why, size_t why_size)
{
	uint8_t data[HID_REPORT_MAX + 1];
	int64_t timeout = r->in->first_sample_timeout, deadline;
	int setups = 1, empty = 0;
	bool awaiting = true;
	r->opened_ns = r->host->now(r->host);
	r->connected = false;
	tracker_connect(&r->tracker, r->opened_ns);
	set_up(r);
	deadline = r->host->now(r->host) + timeout;
	why[0] = 0;
	for (;;) {
		int64_t left = deadline - r->host->now(r->host);
		int ms = !awaiting ? -1 : left > 0 ? (int)((left + 999999) / 1000000) : 0;
		int n = atomic_load(&r->stop) || atomic_load(&r->asked)
		            ? 0
		            : hid_read_timeout(r->link.device, data, HID_REPORT_MAX, ms);
		int64_t now = r->host->now(r->host);
		unsigned asked = atomic_exchange(&r->asked, 0);
		if (n > 0) {
			if (on_report(r, data, (size_t)n, now))
				awaiting = false;
			empty = 0;
		}
		if (atomic_load(&r->stop) || asked & HID_ASK_REOPEN)
			return;
		if (asked & HID_ASK_RESUMED) {
			/* the device may have lost its settings while the machine slept */
			int64_t slept = atomic_exchange(&r->slept_ns, 0);
			if (r->connected)
				r->gap_ns = slept + now - r->last_report_ns;
			awaiting = true;
			setups = 0;
			deadline = now + timeout;
			continue;
		}
		if (n > 0 || asked)
			continue;
		if (n < 0 && woken) {
			woken = 0;
			continue;
		}
		if (n < 0) {
			hp_hid_error_text(r->link.device, why, why_size);
			return;
		}
		if (awaiting && now >= deadline) {
			if (setups++ == 2) {
				snprintf(why, why_size, r->connected ? "it sends no rotation" : "it sends nothing");
				return;
			}
			if (!r->quiet)
				hp_hid_reader_say(r, HP_LOG_INFO, "%s is open but sends %s; setting it up again",
				                  r->link.facts.name, r->connected ? "no rotation" : "nothing");
			set_up(r);
			deadline = r->host->now(r->host) + timeout;
		} else if (++empty == EMPTY_MAX) {
			snprintf(why, why_size, "its node is ready to read but gives nothing");
			return;
		} else {
			pause_thread(r, EMPTY_PAUSE_MS, false);
		}
	}
}

static int64_t next_backoff(struct hp_hid_reader *r)
{
	r->backoff_ms = r->backoff_ms ? 2 * r->backoff_ms : BACKOFF_FIRST_MS;
	if (r->backoff_ms > BACKOFF_MAX_MS)
		r->backoff_ms = BACKOFF_MAX_MS;
	return r->backoff_ms;
}

/* After serve(): says what happened; returns how long to wait, -1 = the thread shall end. */
static int64_t after(struct hp_hid_reader *r, const char *why)
{
	const char *name = r->link.facts.name;
	bool was = r->connected;
	if (atomic_load(&r->stop))
		return -1;
	if (was) {
		tell_connected(r);
		post_event(r, HP_DISCONNECTED, r->host->now(r->host), 0, why[0] ? why : "reopened");
		r->lost_ns = r->host->now(r->host);
	}
	if (!why[0])
		return 0;
	if (was && !r->in->reconnect) {
		char text[640];
		snprintf(text, sizeof text, "%s went away (%s)", name, why);
		r->host->fail(r->host, ENODEV, text);
		return -1;
	}
	if (was)
		hp_hid_reader_say(r, HP_LOG_WARN, "%s went away (%s); waiting for it to come back", name, why);
	else if (!r->quiet)
		hp_hid_reader_say(r, HP_LOG_WARN,
		                  "%s cannot be used now: %s; trying again (`headpipe doctor` looks for the reason)",
		                  name, why);
	r->quiet = !was;
	return next_backoff(r);
}

static void *run(void *arg)
{
	struct hp_hid_reader *r = arg;
	char why[300];
	while (!atomic_load(&r->stop)) {
		atomic_store(&r->asked, 0);
		int64_t wait = hp_hid_reader_look(r);
		if (wait == HID_LOOK_OPEN) {
			serve(r, why, sizeof why);
			wait = after(r, why);
			hp_hid_link_close(&r->link);
			hp_hid_unclaim(r);
			if (wait < 0)
				break;
		} else if (wait == HID_LOOK_FAILED) {
			wait = next_backoff(r);
		}
		pause_thread(r, wait, true);
	}
	atomic_store(&r->done, true);
	return NULL;
}

struct hp_hid_reader *hp_hid_reader_start(const struct hp_hid_input *in)
{
	struct hp_hid_reader *r = calloc(1, sizeof *r);
	sigset_t all, old;
	if (!r)
		return NULL;
	r->in = in;
	r->host = in->host;
	r->wish = (struct hp_hid_wish){ in->vendor, in->product, in->serial, in->name };
	pthread_once(&once, catch_wake_signal);
	hp_hid_changes_open(&r->changes);
	r->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int rc = r->wake_fd < 0 ? errno : 0;
	if (!rc) {
		sigfillset(&all);
		sigdelset(&all, WAKE_SIGNAL);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		rc = pthread_create(&r->thread, NULL, run, r);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
	}
	if (rc) {
		if (r->wake_fd >= 0)
			close(r->wake_fd);
		hp_hid_changes_close(&r->changes);
		free(r);
		errno = rc;
		return NULL;
	}
	return r;
}

static void wake(struct hp_hid_reader *r)
{
	uint64_t one = 1;
	if (write(r->wake_fd, &one, sizeof one) < 0 && errno != EAGAIN)
		r->host->log(r->host, HP_LOG_ERROR, "cannot wake the reader thread");
	pthread_kill(r->thread, WAKE_SIGNAL);
}

void hp_hid_reader_stop(struct hp_hid_reader *r)
{
	atomic_store(&r->stop, true);
	/* A signal that comes just before the thread enters its read is lost: repeat it until it is through. */
	while (!atomic_load(&r->done)) {
		struct timespec ms2 = { 0, 2000000 };
		wake(r);
		nanosleep(&ms2, NULL);
	}
	pthread_join(r->thread, NULL);
	close(r->wake_fd);
	hp_hid_changes_close(&r->changes);
	free(r);
}

void hp_hid_reader_ask(struct hp_hid_reader *r, unsigned what, int64_t slept_ns)
{
	atomic_fetch_add(&r->slept_ns, slept_ns);
	atomic_fetch_or(&r->asked, what);
}

bool hp_hid_reader_nudge(struct hp_hid_reader *r)
{
	if (!atomic_load(&r->asked) || atomic_load(&r->done))
		return true;
	wake(r);
	return false;
}
