/* SPDX-License-Identifier: MIT
 * timer.c - one-shot timers, to the microsecond: libuv's count milliseconds, which puts two samples of a 1 kHz replay
 * into one tick and none into the next. A timerfd stands for the earliest deadline of all; setting it again also takes
 * back its readiness, so that a tick costs one call and no read. Where the system has none, libuv's timer does it. */
#include "timer.h"
#include "base/clock.h"
#include "loop.h"
#include <errno.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/timerfd.h>
#endif
#include <unistd.h>

struct hp_timer {
	struct hp_timer *next;  /* of the node */
	struct hp_timer *later; /* in the queue that it waits in, see `queued` */
	struct hp_node *node;
	int64_t deadline_ns;
	struct hp_timer **queued; /* head of that queue; NULL = it waits for nothing */
	void (*cb)(void *);
	void *arg;
};

struct hp_timer_queue {
	struct hp_timer *waiting; /* by deadline */
	struct hp_timer *due;     /* due when they were set; see on_idle() */
	int64_t set_ns;           /* what the clock below is set to, 0 = nothing */
	int fd;                   /* -1: no timerfd, `coarse` is used */
	uv_poll_t fine;
	uv_timer_t coarse;
	uv_idle_t idle;
};

static struct hp_timer_queue *queue_of(const struct hp_timer *t)
{
	return t->node->run->loop->timers;
}

static void leave(struct hp_timer *t)
{
	if (!t->queued)
		return;
	struct hp_timer **at = t->queued;
	while (*at != t)
		at = &(*at)->later;
	*at = t->later;
	t->queued = NULL;
}

static void enter(struct hp_timer *t, struct hp_timer **head)
{
	struct hp_timer **at = head;
	while (*at && (*at)->deadline_ns <= t->deadline_ns)
		at = &(*at)->later;
	t->later = *at;
	*at = t;
	t->queued = head;
}

static void on_coarse(uv_timer_t *);

static void set_clock(struct hp_timer_queue *q)
{
	int64_t want = q->waiting ? q->waiting->deadline_ns : 0;
	if (want == q->set_ns)
		return;
	q->set_ns = want;
#ifdef __linux__
	if (q->fd >= 0) {
		struct itimerspec at = { .it_value = { want / 1000000000, want % 1000000000 } };
		timerfd_settime(q->fd, TFD_TIMER_ABSTIME, &at, NULL);
		return;
	}
#endif
	if (!want) {
		uv_timer_stop(&q->coarse);
		return;
	}
	/* the loop's clock is cached in ms: refresh it, or every deadline is late by what has passed since */
	uv_update_time(q->coarse.loop);
	int64_t left = want - (int64_t)uv_now(q->coarse.loop) * 1000000;
	uv_timer_start(&q->coarse, on_coarse, left > 0 ? (uint64_t)(left + 999999) / 1000000 : 0, 0);
}

/* What was set during the calls for a time that is past by now has its turn next time. */
static void run_due(struct hp_timer_queue *q)
{
	int64_t now = hp_now();
	q->set_ns = -1; /* the clock has run out, or will be set anew */
	for (struct hp_timer *t; (t = q->waiting) && t->deadline_ns <= now;) {
		leave(t);
		t->cb(t->arg);
	}
	set_clock(q);
}

static void on_fine(uv_poll_t *p, int status, int events)
{
	(void)status;
	(void)events;
	run_due(p->data);
}

static void on_coarse(uv_timer_t *t)
{
	run_due(t->data);
}

/* A timer that is set for now has a queue of its own, served once per turn of the loop: called within the same turn, an
 * input at full speed would keep signals and sockets waiting for ever. */
static void on_idle(uv_idle_t *idle)
{
	struct hp_timer_queue *q = idle->data;
	size_t n = 0;
	for (const struct hp_timer *t = q->due; t; t = t->later)
		n++;
	for (struct hp_timer *t; n-- && (t = q->due);) {
		leave(t);
		t->cb(t->arg);
	}
	if (!q->due)
		uv_idle_stop(idle);
}

int hp_timers_open(struct hp_run *run)
{
	struct hp_timer_queue *q = calloc(1, sizeof *q);
	if (!q)
		return -ENOMEM;
	q->fd = -1;
#ifdef __linux__
	q->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
#endif
	uv_idle_init(&run->loop->uv, &q->idle);
	uv_timer_init(&run->loop->uv, &q->coarse);
	q->idle.data = q->coarse.data = q->fine.data = q;
	if (q->fd >= 0 &&
	    (uv_poll_init(&run->loop->uv, &q->fine, q->fd) < 0 || uv_poll_start(&q->fine, UV_READABLE, on_fine) < 0)) {
		close(q->fd);
		q->fd = -1;
	}
	run->loop->timers = q;
	return 0;
}

void hp_timers_close(struct hp_run *run)
{
	struct hp_timer_queue *q = run->loop->timers;
	if (!q)
		return;
	uv_close((uv_handle_t *)&q->idle, NULL);
	uv_close((uv_handle_t *)&q->coarse, NULL);
	if (q->fd >= 0)
		uv_close((uv_handle_t *)&q->fine, NULL);
}

void hp_timers_free(struct hp_run *run)
{
	struct hp_timer_queue *q = run->loop->timers;
	if (q && q->fd >= 0)
		close(q->fd);
	free(q);
	run->loop->timers = NULL;
}

struct hp_timer *hp_timer_open(const struct hp_host *h, void (*cb)(void *), void *arg)
{
	struct hp_node *n = hp_node_of(h);
	hp_loop_check(n, "timer");
	struct hp_timer *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	t->node = n;
	t->cb = cb;
	t->arg = arg;
	t->next = n->handles.timers;
	n->handles.timers = t;
	return t;
}

int hp_timer_at(struct hp_timer *t, int64_t deadline_ns)
{
	struct hp_timer_queue *q = queue_of(t);
	leave(t);
	t->deadline_ns = deadline_ns;
	if (deadline_ns >= 0 && deadline_ns <= hp_now()) {
		t->deadline_ns = 0; /* in the order in which they were set */
		enter(t, &q->due);
		uv_idle_start(&q->idle, on_idle);
	} else if (deadline_ns >= 0) {
		enter(t, &q->waiting);
	}
	if (q->set_ns != -1) /* else run_due() does it, once for all */
		set_clock(q);
	return 0;
}

void hp_timer_free(struct hp_timer *t)
{
	if (!t)
		return;
	struct hp_timer **at = &t->node->handles.timers;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	leave(t);
	free(t);
}

void hp_timer_free_all(struct hp_node *n)
{
	while (n->handles.timers)
		hp_timer_free(n->handles.timers);
}
