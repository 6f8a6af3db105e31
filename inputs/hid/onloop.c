/* SPDX-License-Identifier: MIT
 * onloop.c - reads a hidraw node on the loop thread and hands its samples on at once: no queue, no second wake-up,
 * three system calls from the report to the datagram (epoll_wait, read, sendto).
 *
 * What may block (finding, opening, setting up) stays in the device's thread; it hands the descriptor over by mail and
 * waits for the answer. When the outputs are slow, so that reports would be read too late, the thread gets the node
 * back and reads it itself. */
#include "reader.h"
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { EMPTY_MAX = 8, SLOW_MAX = 3 };
/* A sample that needs longer for its way delays the reading of the next one. */
static const int64_t slow_ns = 2000000;

/* The thread sleeps until something is asked of it. */
static void ask(struct hp_hid_reader *r, unsigned what)
{
	uint64_t one = 1;
	atomic_fetch_or(&r->asked, what);
	if (write(r->wake_fd, &one, sizeof one) < 0 && errno != EAGAIN)
		r->host->log(r->host, HP_LOG_ERROR, "cannot wake the reader thread");
}

static void let_go(struct hp_hid_reader *r)
{
	struct hp_hid_onloop *o = &r->onloop;
	if (o->node_watch)
		r->host->unwatch(o->node_watch);
	o->node_watch = NULL;
	if (o->silence)
		r->host->timer_at(o->silence, -1);
}

static void on_silence(void *arg)
{
	struct hp_hid_reader *r = arg;
	struct hp_hid_onloop *o = &r->onloop;
	int64_t due = r->life.sample_ns + r->patience_ns;
	if (!o->node_watch)
		return;
	if (due > r->host->now(r->host)) {
		o->silent_at = due;
		r->host->timer_at(o->silence, due);
		return;
	}
	r->life.gap |= atomic_load(&r->connected);
	atomic_fetch_add(&r->silences, 1);
	ask(r, HID_ASK_SILENT);
}

/* The watchdog is pushed, not polled: while reports come it never runs out. */
static void alive(struct hp_hid_reader *r, int64_t now)
{
	struct hp_hid_onloop *o = &r->onloop;
	if (atomic_load_explicit(&r->silences, memory_order_relaxed))
		atomic_store(&r->silences, 0);
	if (o->silent_at - now < r->patience_ns / 2 && o->silence) {
		o->silent_at = now + r->patience_ns;
		r->host->timer_at(o->silence, o->silent_at);
	}
}

static void gone(struct hp_hid_reader *r, int err)
{
	let_go(r);
	atomic_store(&r->gone, err);
	ask(r, HID_ASK_GONE);
}

static void on_node(void *arg, unsigned events)
{
	struct hp_hid_reader *r = arg;
	struct hp_hid_onloop *o = &r->onloop;
	uint8_t data[HID_REPORT_MAX];
	(void)events;
	ssize_t n = hp_hid_node_read(r->node_fd, data, sizeof data);
	int err = n < 0 ? errno : 0;
	int64_t now = r->host->now(r->host);
	if (n > 0) {
		o->empty = 0;
		if (hp_hid_report(r, data, (size_t)n, now))
			alive(r, now);
		/* the first samples find everything cold: only what stays slow counts */
		if (r->host->now(r->host) - now < slow_ns)
			o->slow = 0;
		else if (++o->slow == SLOW_MAX)
			ask(r, HID_ASK_THREAD);
	} else if (n == 0 || err == EAGAIN || err == EINTR) {
		/* says that it is readable and gives nothing: not for ever */
		if (++o->empty == EMPTY_MAX)
			gone(r, 0);
	} else {
		gone(r, err);
	}
}

static void patience(struct hp_hid_reader *r)
{
	struct hp_hid_onloop *o = &r->onloop;
	r->life.sample_ns = r->host->now(r->host);
	o->silent_at = r->life.sample_ns + r->patience_ns;
	if (o->silence)
		r->host->timer_at(o->silence, o->silent_at);
}

static void on_mail(void *arg, unsigned events)
{
	struct hp_hid_reader *r = arg;
	struct hp_hid_onloop *o = &r->onloop;
	uint64_t count;
	(void)events;
	if (read(o->mail_fd, &count, sizeof count) < 0)
		return;
	pthread_mutex_lock(&o->lock);
	switch (o->mail) {
	case HID_MAIL_ATTACH:
		o->empty = o->slow = 0;
		r->life.give = r->host->emit;
		o->node_watch = r->host->watch(r->host, r->node_fd, HP_READABLE, on_node, r);
		o->attached = o->node_watch != NULL;
		if (o->attached)
			patience(r);
		break;
	case HID_MAIL_DETACH:
		let_go(r);
		if (o->mail_text)
			hp_hid_life_end(r, o->mail_text);
		break;
	case HID_MAIL_PATIENCE:
		if (o->node_watch)
			patience(r);
		break;
	case HID_MAIL_NONE:
		break;
	}
	o->mail = HID_MAIL_NONE;
	pthread_cond_signal(&o->answered);
	pthread_mutex_unlock(&o->lock);
}

/* Waits for the loop, which waits for us only after it has set `closed`. */
static void mail(struct hp_hid_reader *r, enum hp_hid_mail what, const char *text)
{
	struct hp_hid_onloop *o = &r->onloop;
	uint64_t one = 1;
	pthread_mutex_lock(&o->lock);
	o->mail = what;
	o->mail_text = text;
	if (!o->closed && write(o->mail_fd, &one, sizeof one) > 0)
		while (o->mail != HID_MAIL_NONE && !o->closed)
			pthread_cond_wait(&o->answered, &o->lock);
	o->mail = HID_MAIL_NONE;
	pthread_mutex_unlock(&o->lock);
}

bool hp_hid_onloop_attach(struct hp_hid_reader *r)
{
	if (r->node_fd < 0 || r->loop_is_slow || !r->onloop.usable)
		return false;
	mail(r, HID_MAIL_ATTACH, NULL);
	pthread_mutex_lock(&r->onloop.lock);
	bool reads = r->onloop.attached || r->onloop.closed;
	pthread_mutex_unlock(&r->onloop.lock);
	return reads;
}

void hp_hid_onloop_detach(struct hp_hid_reader *r, const char *why)
{
	mail(r, HID_MAIL_DETACH, why);
}

void hp_hid_onloop_patience(struct hp_hid_reader *r)
{
	mail(r, HID_MAIL_PATIENCE, NULL);
}

void hp_hid_onloop_resumed(struct hp_hid_reader *r)
{
	if (r->onloop.node_watch)
		r->life.gap |= atomic_load(&r->connected);
}

void hp_hid_onloop_open(struct hp_hid_reader *r)
{
	struct hp_hid_onloop *o = &r->onloop;
	pthread_mutex_init(&o->lock, NULL);
	pthread_cond_init(&o->answered, NULL);
	o->mail_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (o->mail_fd < 0)
		return;
	o->silence = r->host->timer(r->host, on_silence, r);
	if (o->silence)
		o->mail_watch = r->host->watch(r->host, o->mail_fd, HP_READABLE, on_mail, r);
	o->usable = o->mail_watch != NULL;
}

void hp_hid_onloop_close(struct hp_hid_reader *r)
{
	struct hp_hid_onloop *o = &r->onloop;
	let_go(r);
	pthread_mutex_lock(&o->lock);
	o->closed = true;
	pthread_cond_signal(&o->answered);
	pthread_mutex_unlock(&o->lock);
	if (o->mail_watch)
		r->host->unwatch(o->mail_watch);
	o->mail_watch = NULL;
}

void hp_hid_onloop_free(struct hp_hid_reader *r)
{
	if (r->onloop.mail_fd >= 0)
		close(r->onloop.mail_fd);
	pthread_cond_destroy(&r->onloop.answered);
	pthread_mutex_destroy(&r->onloop.lock);
}
