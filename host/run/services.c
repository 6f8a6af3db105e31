/* SPDX-License-Identifier: MIT
 * services.c - what a module may ask of the host. Handles belong to the host, which closes them. */
#include "services.h"
#include "base/clock.h"
#include "base/log.h"
#include "io/writer.h"
#include "life.h"
#include "pipeline.h"
#include "post.h"
#include "request.h"
#include "take.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct hp_timer {
	uv_timer_t uv;
	struct hp_timer *next, *next_due;
	struct hp_node *node;
	void (*cb)(void *);
	void *arg;
};
struct hp_watch {
	uv_poll_t uv;
	struct hp_watch *next;
	struct hp_node *node;
	void (*cb)(void *, unsigned);
	void *arg;
};

/* A module that calls loop functions from a thread of its own would corrupt memory much later; say it at once where
 * somebody is looking for such things. */
static void on_loop_thread(const struct hp_node *n, const char *what)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	if (n->run->loop_open && !pthread_equal(pthread_self(), n->run->loop_thread)) {
		hp_log(HP_LOG_ERROR, n->who, "module %s called %s from a thread of its own; use post()",
		       n->module->name, what);
		abort();
	}
#else
	(void)n;
	(void)what;
#endif
}

void hp_services_error(struct hp_node *n, const char *text)
{
	/* threads that it may have started already do not count */
	if (pthread_equal(pthread_self(), n->run->loop_thread) && n->opening) {
		n->said = true;
		hp_log(HP_LOG_ERROR, n->who, "%s (%s:%d)", text, n->section->file, n->section->line);
	} else {
		hp_log(HP_LOG_ERROR, n->who, "%s", text);
	}
}

static void svc_log(const struct hp_host *h, enum hp_level level, const char *text)
{
	if (level == HP_LOG_ERROR)
		hp_services_error(hp_node_of(h), text);
	else
		hp_log(level, hp_node_of(h)->who, "%s", text);
}

static int64_t svc_now(const struct hp_host *h)
{
	(void)h;
	return hp_now();
}

static int svc_emit(const struct hp_host *h, const struct hp_item *item)
{
	struct hp_node *n = hp_node_of(h);
	on_loop_thread(n, "emit");
	return n->kind == HP_INPUT || n->kind == HP_FILTER ? hp_pipeline_emit(n, item) : -ENOTSUP;
}

static int svc_post(const struct hp_host *h, const struct hp_item *item)
{
	struct hp_node *n = hp_node_of(h);
	return n->kind == HP_INPUT || n->kind == HP_FILTER ? hp_post(n, item) : -ENOTSUP;
}

static const struct hp_stream *svc_stream(const struct hp_host *h)
{
	return &hp_node_of(h)->input->stream;
}

/* Strings and blobs of a stream live in one block, so that a new description replaces the old at once. */
static size_t stream_copy(struct hp_stream *s, char *memory)
{
	const char **texts[] = { &s->device, &s->serial, &s->unique_id, &s->features };
	size_t at = 0;
	for (size_t i = 0; i < 4; i++) {
		size_t len = *texts[i] ? strlen(*texts[i]) + 1 : 0;
		if (len && memory)
			*texts[i] = memcpy(memory + at, *texts[i], len);
		at += len;
	}
	if (s->descriptor && memory)
		s->descriptor = memcpy(memory + at, s->descriptor, s->descriptor_size);
	return at + s->descriptor_size;
}

static void svc_describe(const struct hp_host *h, const struct hp_stream *given)
{
	struct hp_node *n = hp_node_of(h);
	struct hp_stream s;
	hp_take_stream(&s, given);
	s.source = n->stream.source;
	if (!s.descriptor)
		s.descriptor_size = 0;
	char *memory = malloc(stream_copy(&s, NULL) + 1);
	if (!memory)
		return;
	stream_copy(&s, memory);
	pthread_mutex_lock(&n->describe_lock);
	free(n->described.memory);
	n->described.stream = s;
	n->described.memory = memory;
	pthread_mutex_unlock(&n->describe_lock);
}

static int svc_request(const struct hp_host *h, const char *what)
{
	struct hp_node *n = hp_node_of(h);
	on_loop_thread(n, "request");
	return hp_request(n, what);
}

static void svc_fail(const struct hp_host *h, int err, const char *text)
{
	struct hp_node *n = hp_node_of(h);
	pthread_mutex_lock(&n->fail_lock);
	if (!atomic_load(&n->fail_pending)) {
		n->fail_err = err < 0 ? -err : err;
		snprintf(n->fail_text, sizeof n->fail_text, "%s", text ? text : "");
		atomic_store(&n->fail_pending, true);
	}
	pthread_mutex_unlock(&n->fail_lock);
	if (n->run->loop_open)
		uv_async_send(&n->run->wake);
}

void hp_services_turn(struct hp_run *run)
{
	for (size_t i = 0; i < run->nnodes; i++)
		hp_post_drain(run->nodes[i]);
	for (size_t i = 0; i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i];
		if (!atomic_load(&n->fail_pending))
			continue;
		char text[sizeof n->fail_text];
		pthread_mutex_lock(&n->fail_lock);
		int err = n->fail_err;
		memcpy(text, n->fail_text, sizeof text);
		atomic_store(&n->fail_pending, false);
		pthread_mutex_unlock(&n->fail_lock);
		hp_post_drain(n); /* what it said before it failed comes first */
		hp_life_failed(n, err, text);
	}
}

/* ---- timers ----------------------------------------------------------------------------------------------------- */

static void timer_fired(uv_timer_t *uv)
{
	struct hp_timer *t = uv->data;
	t->cb(t->arg);
}

/* libuv would call a timer that is set again for now within the same turn, for ever, and never look at signals and
 * descriptors. So these have a queue of their own, and the loop turns between two calls. */
static void leave_queue(struct hp_timer *t)
{
	struct hp_timer **at = &t->node->run->due;
	while (*at && *at != t)
		at = &(*at)->next_due;
	if (*at)
		*at = t->next_due;
	t->next_due = NULL;
}

static void queue(struct hp_timer *t)
{
	struct hp_timer **end = &t->node->run->due;
	while (*end)
		end = &(*end)->next_due;
	*end = t;
	uv_idle_start(&t->node->run->idle, hp_services_due);
}

void hp_services_due(uv_idle_t *idle)
{
	struct hp_run *run = idle->data;
	size_t n = 0;
	for (const struct hp_timer *t = run->due; t; t = t->next_due)
		n++;
	for (struct hp_timer *t; n-- && (t = run->due);) {
		leave_queue(t);
		t->cb(t->arg);
	}
	if (!run->due)
		uv_idle_stop(idle);
}

static struct hp_timer *svc_timer(const struct hp_host *h, void (*cb)(void *), void *arg)
{
	struct hp_node *n = hp_node_of(h);
	on_loop_thread(n, "timer");
	struct hp_timer *t = calloc(1, sizeof *t);
	if (!t)
		return NULL;
	uv_timer_init(&n->run->loop, &t->uv);
	t->uv.data = t;
	t->node = n;
	t->cb = cb;
	t->arg = arg;
	t->next = n->timers;
	n->timers = t;
	return t;
}

static int svc_timer_at(struct hp_timer *t, int64_t deadline_ns)
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

static void svc_timer_free(struct hp_timer *t)
{
	if (!t)
		return;
	struct hp_timer **at = &t->node->timers;
	while (*at != t)
		at = &(*at)->next;
	*at = t->next;
	leave_queue(t);
	uv_close((uv_handle_t *)&t->uv, free_handle);
}

/* ---- watches ---------------------------------------------------------------------------------------------------- */

static void watch_fired(uv_poll_t *uv, int status, int events)
{
	struct hp_watch *w = uv->data;
	unsigned e = (events & UV_READABLE ? HP_READABLE : 0u) | (events & UV_WRITABLE ? HP_WRITABLE : 0u);
	/* an error condition makes the next read or write tell what it is */
	w->cb(w->arg, status < 0 ? (unsigned)(HP_READABLE | HP_WRITABLE) : e);
}

static struct hp_watch *svc_watch(const struct hp_host *h, hp_fd fd, unsigned events, void (*cb)(void *, unsigned),
                                  void *arg)
{
	struct hp_node *n = hp_node_of(h);
	on_loop_thread(n, "watch");
	struct hp_watch *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	int r = uv_poll_init_socket(&n->run->loop, &w->uv, fd);
	if (r < 0) {
		free(w);
		errno = -r;
		return NULL;
	}
	w->uv.data = w;
	w->node = n;
	w->cb = cb;
	w->arg = arg;
	w->next = n->watches;
	n->watches = w;
	uv_poll_start(&w->uv, (events & HP_READABLE ? UV_READABLE : 0) | (events & HP_WRITABLE ? UV_WRITABLE : 0),
	              watch_fired);
	return w;
}

static void svc_unwatch(struct hp_watch *w)
{
	struct hp_watch **at = &w->node->watches;
	while (*at && *at != w)
		at = &(*at)->next;
	if (*at)
		*at = w->next;
	uv_poll_stop(&w->uv);
	uv_close((uv_handle_t *)&w->uv, free_handle);
}

static bool svc_behind(const struct hp_host *h)
{
	return hp_writer_behind() || hp_udp_behind(h);
}

void hp_services_take(struct hp_node *n)
{
	while (n->watches)
		svc_unwatch(n->watches);
	while (n->timers)
		svc_timer_free(n->timers);
}

void hp_services_give(struct hp_node *n)
{
	n->host = (struct hp_host){
		.struct_size = sizeof n->host,
		.abi = HP_ABI,
		.name = n->name,
		.log = svc_log,
		.now = svc_now,
		.emit = svc_emit,
		.post = svc_post,
		.describe = svc_describe,
		.stream = svc_stream,
		.fail = svc_fail,
		.request = svc_request,
		.timer = svc_timer,
		.timer_at = svc_timer_at,
		.timer_free = svc_timer_free,
		.udp = hp_udp_open,
		.udp_send = hp_udp_send,
		.udp_close = hp_udp_close,
		.watch = svc_watch,
		.unwatch = svc_unwatch,
		.file = hp_file_open,
		.file_write = hp_file_write,
		.file_close = hp_file_close,
		.behind = svc_behind,
	};
}
