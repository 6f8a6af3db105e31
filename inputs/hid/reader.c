/* SPDX-License-Identifier: MIT
 * reader.c - the thread of one live device: finds it, starts it, and hands its node to the loop (onloop.c), or reads it
 * itself where the loop cannot or is slow. It sleeps in the kernel whenever there is nothing to do; an eventfd gets it
 * out of a wait, a signal out of a read of hidapi. */
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

/* A device that never sends is told once; one that has sent may be told anew. */
static bool hushed(const struct hp_hid_reader *r)
{
	return r->quiet && !atomic_load(&r->connected);
}

static void setup_says(void *arg, enum hp_level level, const char *text)
{
	struct hp_hid_reader *r = arg;
	if (atomic_load(&r->stop))
		return; /* the wake-up for the end also interrupts what is being written */
	hp_hid_reader_say(r, hushed(r) && level > HP_LOG_DEBUG ? HP_LOG_DEBUG : level, "%s %s", r->link.facts.name,
	                  text);
}

static void set_up(struct hp_hid_reader *r)
{
	struct hp_hid_setup s;
	struct hp_hid_link *l = &r->link;
	double want = r->in->interval_ms;
	hp_hid_setup_edit(&s, &l->features, &l->descriptor, want);
	hp_hid_setup_write(&s, &l->features, l->device, &l->descriptor, setup_says, r);
	if (s.interval && !hushed(r) && (want < s.interval_min_ms - 0.001 || want > s.interval_max_ms + 0.001))
		hp_hid_reader_say(r, HP_LOG_INFO, "%s sends a report every %g to %g ms; asked for %g, uses %g",
		                  l->facts.name, s.interval_min_ms, s.interval_max_ms, want, s.interval_ms);
	/* one report that is lost, or a slow device, is no silence */
	r->patience_ns = r->in->first_sample_timeout;
	if (s.interval && r->patience_ns < (int64_t)(3e6 * s.interval_ms))
		r->patience_ns = (int64_t)(3e6 * s.interval_ms);
	hp_hid_describe(r);
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

/* ---- reading ----------------------------------------------------------------------------------------------------- */

enum { NOTHING = 0, GONE = -1, EMPTY = -2 };

/* For the thread: one report, or NOTHING after ms or when something is asked; EMPTY: ready, and yet nothing. */
static int next_report(struct hp_hid_reader *r, uint8_t *data, size_t room, int ms)
{
	if (r->node_fd < 0) {
		int n = hid_read_timeout(r->link.device, data, room, ms);
		if (n < 0 && woken) {
			woken = 0;
			return NOTHING;
		}
		return n ? n : ms > 0 ? EMPTY : NOTHING;
	}
	struct pollfd p[2] = { { r->node_fd, POLLIN, 0 }, { r->wake_fd, POLLIN, 0 } };
	if (poll(p, 2, ms) <= 0 || p[1].revents)
		return NOTHING; /* what is asked is looked at next */
	ssize_t n = hp_hid_node_read(r->node_fd, data, room);
	if (n > 0)
		return (int)n;
	return n == 0 || errno == EAGAIN || errno == EINTR ? EMPTY : GONE;
}

/* A silence has lasted too long. True: it is given up, and why says it. */
static bool silent(struct hp_hid_reader *r, char *why, size_t why_size)
{
	bool was = atomic_load(&r->connected), gave = atomic_load(&r->gave);
	if (atomic_load(&r->silences) > 1) {
		snprintf(why, why_size, "%s",
		         gave  ? "it has gone silent"
		         : was ? "it sends no rotation"
		               : "it sends nothing");
		return true;
	}
	if (!hushed(r))
		hp_hid_reader_say(r, gave ? HP_LOG_WARN : HP_LOG_INFO, "%s %s; setting it up again", r->link.facts.name,
		                  gave  ? "has gone silent"
		                  : was ? "is open but sends no rotation"
		                        : "is open but sends nothing");
	set_up(r);
	return false;
}

static void error_of(struct hp_hid_reader *r, int err, char *why, size_t size)
{
	if (r->node_fd < 0)
		hp_hid_error_text(r->link.device, why, size);
	else if (err)
		snprintf(why, size, "%s", strerror(err));
	else
		snprintf(why, size, "its node is ready to read but gives nothing");
}

/* The loop reads; the thread sleeps until the loop or somebody else asks for something. */
static bool serve_on_loop(struct hp_hid_reader *r, char *why, size_t why_size)
{
	for (;;) {
		pause_thread(r, -1, false);
		unsigned asked = atomic_exchange(&r->asked, 0);
		if (atomic_load(&r->stop) || asked & HID_ASK_REOPEN) {
			hp_hid_onloop_detach(r, why);
			return true;
		}
		if (asked & HID_ASK_GONE) {
			error_of(r, atomic_load(&r->gone), why, why_size);
			hp_hid_onloop_detach(r, why);
			return true;
		}
		if (asked & HID_ASK_THREAD) {
			hp_hid_onloop_detach(r, NULL);
			r->loop_is_slow = true;
			hp_hid_reader_say(r, HP_LOG_INFO,
			                  "the outputs need long for a sample; a thread reads the reports from now on");
			return false;
		}
		if (asked & HID_ASK_SILENT && silent(r, why, why_size)) {
			hp_hid_onloop_detach(r, why);
			return true;
		}
		if (asked & (HID_ASK_SILENT | HID_ASK_RESUMED))
			hp_hid_onloop_patience(r);
	}
}

static void serve_here(struct hp_hid_reader *r, char *why, size_t why_size)
{
	uint8_t data[HID_REPORT_MAX + 1];
	int empty = 0;
	r->life.give = r->host->post;
	r->life.sample_ns = r->host->now(r->host);
	for (;;) {
		int64_t left = r->life.sample_ns + r->patience_ns - r->host->now(r->host);
		int ms = left > 0 ? (int)((left + 999999) / 1000000) : 0;
		int n = atomic_load(&r->stop) || atomic_load(&r->asked) ? NOTHING
		                                                        : next_report(r, data, HID_REPORT_MAX, ms);
		int err = errno;
		int64_t now = r->host->now(r->host);
		unsigned asked = atomic_exchange(&r->asked, 0);
		if (n > 0) {
			if (hp_hid_report(r, data, (size_t)n, now))
				atomic_store(&r->silences, 0);
			empty = 0;
		}
		if (atomic_load(&r->stop) || asked & HID_ASK_REOPEN)
			return;
		if (asked & HID_ASK_RESUMED) {
			/* the device may have lost its settings while the machine slept */
			r->life.gap |= atomic_load(&r->connected);
			r->life.sample_ns = now;
			atomic_store(&r->silences, 0);
		} else if (n == GONE) {
			error_of(r, err, why, why_size);
			return;
		} else if (n <= 0 && now >= r->life.sample_ns + r->patience_ns) {
			r->life.gap |= atomic_load(&r->connected);
			atomic_fetch_add(&r->silences, 1);
			if (silent(r, why, why_size))
				return;
			r->life.sample_ns = r->host->now(r->host);
		} else if (n == EMPTY && ++empty == EMPTY_MAX) {
			snprintf(why, why_size, "its node is ready to read but gives nothing");
			return;
		} else if (n == EMPTY) {
			pause_thread(r, EMPTY_PAUSE_MS, false);
		}
	}
}

/* Until the device is gone or shall be closed. why gets the reason; "" when it was asked for. */
static void serve(struct hp_hid_reader *r, char *why, size_t why_size)
{
	why[0] = 0;
	atomic_store(&r->connected, false);
	atomic_store(&r->gave, false);
	atomic_store(&r->silences, 0);
	r->life.opened_ns = r->host->now(r->host);
	tracker_connect(&r->life.tracker, r->life.opened_ns);
	r->node_fd = hp_hid_node_open(r->link.facts.path); /* before the set-up: it may send at once */
	set_up(r);
	if (!hp_hid_onloop_attach(r) || !serve_on_loop(r, why, why_size)) {
		serve_here(r, why, why_size);
		if (!atomic_load(&r->stop))
			hp_hid_life_end(r, why);
	}
	if (r->node_fd >= 0)
		close(r->node_fd);
	r->node_fd = -1;
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
	bool was = atomic_load(&r->connected);
	if (atomic_load(&r->stop))
		return -1;
	if (was) {
		hp_hid_identity_of(&r->last, &r->link);
		r->backoff_ms = 0;
		r->said[0] = 0;
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
	r->node_fd = -1;
	int rc = r->wake_fd < 0 ? errno : 0;
	hp_hid_onloop_open(r);
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
		hp_hid_onloop_close(r);
		hp_hid_onloop_free(r);
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
	hp_hid_onloop_close(r);
	/* A signal that comes just before the thread enters its read is lost: repeat it until it is through. */
	while (!atomic_load(&r->done)) {
		struct timespec ms2 = { 0, 2000000 };
		wake(r);
		nanosleep(&ms2, NULL);
	}
	pthread_join(r->thread, NULL);
	close(r->wake_fd);
	hp_hid_changes_close(&r->changes);
	hp_hid_onloop_free(r);
	free(r);
}

void hp_hid_reader_ask(struct hp_hid_reader *r, unsigned what, int64_t slept_ns)
{
	atomic_fetch_add(&r->slept_ns, slept_ns);
	if (what & HID_ASK_RESUMED)
		hp_hid_onloop_resumed(r);
	atomic_fetch_or(&r->asked, what);
}

bool hp_hid_reader_nudge(struct hp_hid_reader *r)
{
	if (!atomic_load(&r->asked) || atomic_load(&r->done))
		return true;
	wake(r);
	return false;
}
