/* SPDX-License-Identifier: MIT
 * timer.c - one-shot timers. */
#include "timer.h"
#include "base/clock.h"
#include "loop.h"
#include <stdlib.h>

struct hp_timer {
	uv_timer_t uv;
	struct hp_timer *next, *next_due;
	struct hp_node *node;
	void (*cb)(void *);
	void *arg;
};

static void timer_fired(uv_timer_t *uv)
{
	struct hp_timer *t = uv->data;
	t->cb(t->arg);
}

/* libuv would call a timer that is set again for now within the same turn, for ever, and never look at signals and
 * descriptors. So these have a queue of their own, and the loop turns between two calls. */
static void leave_queue(struct hp_timer *t)
{
	struct hp_timer **at = &t->node->run->loop->due;
	while (*at && *at != t)
		at = &(*at)->next_due;
	if (*at)
		*at = t->next_due;
	t->next_due = NULL;
}

/* Calls the timers that were due when they were set, once per turn of the loop. */
static void on_idle(uv_idle_t *idle)
{
	struct hp_loop *l = ((struct hp_run *)idle->data)->loop;
	size_t n = 0;
	for (const struct hp_timer *t = l->due; t; t = t->next_due)
		n++;
	for (struct hp_timer *t; n-- && (t = l->due);) {
		leave_queue(t);
		t->cb(t->arg);
	}
	if (!l->due)
		uv_idle_stop(idle);
}

static void queue(struct hp_timer *t)
{
	struct hp_timer **end = &t->node->run->loop->due;
	while (*end)
		end = &(*end)->next_due;
	*end = t;
	uv_idle_start(&t->node->run->loop->idle, on_idle);
}

struct hp_timer *hp_timer_open(const struct hp_host *h, void (*cb)(void *), void *arg)
{
	struct hp_node *n = hp_node_of(h);
	hp_loop_check(n, "timer");
	struct hp_timer *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	uv_timer_init(&n->run->loop->uv, &t->uv);
	t->uv.data = t;
	t->node = n;
	t->cb = cb;
	t->arg = arg;
	t->next = n->handles.timers;
	n->handles.timers = t;
	return t;
}

int hp_timer_at(struct hp_timer *t, int64_t deadline_ns)
{
	leave_queue(t);
	uv_timer_stop(&t->uv);
	if (deadline_ns < 0)
		return 0;
	if (deadline_ns <= hp_now()) {
		queue(t);
		return 0;
	}
	/* the loop's clock is cached in ms: refresh it, or every deadline is late by what has passed since */
	uv_update_time(t->uv.loop);
	int64_t left = deadline_ns - (int64_t)uv_now(t->uv.loop) * 1000000;
	return uv_timer_start(&t->uv, timer_fired, left > 0 ? (uint64_t)(left + 999999) / 1000000 : 0, 0);
}

static void free_handle(uv_handle_t *uv)
{
	free(uv->data);
}

void hp_timer_free(struct hp_timer *t)
{
	if (!t)
		return;
	struct hp_timer **at = &t->node->handles.timers;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	leave_queue(t);
	uv_close((uv_handle_t *)&t->uv, free_handle);
}

void hp_timer_free_all(struct hp_node *n)
{
	while (n->handles.timers)
		hp_timer_free(n->handles.timers);
}
