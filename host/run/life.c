/* SPDX-License-Identifier: MIT
 * life.c - the life cycle of a run.
 *
 * open outputs, filters, inputs -> start inputs -> ... -> stop inputs, filters, outputs -> run the loop until no handle
 * is left -> close in the same order. Shared objects are never unloaded. */
#define _GNU_SOURCE /* dladdr */
#include "life.h"
#include "base/log.h"
#include "graph/modules.h"
#include "io/writer.h"
#include "limit.h"
#include "pipeline.h"
#include "post.h"
#include "services.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const enum hp_kind consumers_first[] = { HP_OUTPUT, HP_FILTER, HP_INPUT };
static const enum hp_kind producers_first[] = { HP_INPUT, HP_FILTER, HP_OUTPUT };

static void woken(uv_async_t *a)
{
	hp_services_turn(a->data);
}

static int open_one(struct hp_node *n)
{
	int r = 0;
	n->opening = true;
	if (n->encoder && n->encoder->open)
		r = n->encoder->open(n->encoder_state, &n->host);
	if (r >= 0 && n->module->open) {
		r = n->module->open(n->state, &n->host);
		if (r < 0 && n->encoder && n->encoder->close)
			n->encoder->close(n->encoder_state);
	}
	if (r >= 0 && n->kind == HP_OUTPUT)
		r = hp_limit_open(n);
	n->opening = false;
	if (r < 0) {
		if (!n->said)
			hp_log(HP_LOG_ERROR, n->who, "cannot be opened: %s (%s:%d)", strerror(-r), n->section->file,
			       n->section->line);
		return r;
	}
	n->phase = HP_OPENED;
	return 0;
}

int hp_life_open(struct hp_run *run)
{
	int r = uv_loop_init(&run->loop);
	if (r < 0)
		return r;
	run->loop_thread = pthread_self();
	uv_async_init(&run->loop, &run->wake, woken);
	run->wake.data = run;
	uv_idle_init(&run->loop, &run->idle);
	run->idle.data = run;
	run->loop_open = true;
	r = hp_pipeline_compile(run);
	if (r < 0)
		return r;
	for (size_t i = 0; i < run->nnodes; i++)
		hp_services_give(run->nodes[i]);
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < run->nnodes; i++)
			if (run->nodes[i]->kind == consumers_first[k] && (r = open_one(run->nodes[i])) < 0)
				return r;
	return 0;
}

static void end_if_idle(struct hp_run *run)
{
	for (size_t i = 0; i < run->nnodes; i++)
		if (run->nodes[i]->kind == HP_INPUT && run->nodes[i]->phase < HP_ENDED)
			return;
	hp_life_stop(run);
}

void hp_life_run(struct hp_run *run)
{
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < run->nnodes; i++) {
			struct hp_node *n = run->nodes[i];
			if (n->kind != consumers_first[k])
				continue;
			n->phase = HP_STARTED;
			int r = n->module->start ? n->module->start(n->state) : 0;
			if (r < 0) {
				char text[128];
				snprintf(text, sizeof text, "cannot be started: %s", strerror(-r));
				hp_life_failed(n, -r, text);
			}
		}
	hp_services_turn(run); /* what failed while opening or starting */
	if (!run->stopping)
		uv_run(&run->loop, UV_RUN_DEFAULT);
}

void hp_life_stop(struct hp_run *run)
{
	run->stopping = true;
	uv_stop(&run->loop);
}

static bool any_output_left(const struct hp_run *run)
{
	for (size_t i = 0; i < run->nnodes; i++)
		if (run->nodes[i]->kind == HP_OUTPUT && !run->nodes[i]->dead)
			return true;
	return false;
}

void hp_life_failed(struct hp_node *n, int err, const char *text)
{
	if (n->phase >= HP_ENDED || n->phase < HP_OPENED || n->dead)
		return;
	if (err) {
		hp_log(HP_LOG_ERROR, n->who, "%s%s%s", *text ? text : strerror(err),
		       n->kind == HP_OUTPUT ? "; this output is off" : "",
		       n->kind == HP_FILTER ? "; what comes is dropped here from now on" : "");
		n->run->exit_code = 1;
	} else if (*text) {
		hp_log(HP_LOG_INFO, n->who, "%s", text);
	}
	n->dead = true;
	if (n->kind == HP_INPUT) {
		for (size_t i = 0; i < n->nall; i++)
			if (n->all[i]->kind == HP_OUTPUT)
				hp_limit_flush(n->all[i]);
		n->phase = err ? HP_FAILED : HP_ENDED;
		end_if_idle(n->run);
	}
	bool stop = n->keys.on_error == HP_ON_ERROR_STOP ||
	            (n->kind == HP_OUTPUT && n->keys.on_loss == HP_ON_LOSS_STOP && err == ETIMEDOUT);
	if (err && stop && !n->run->stopping) {
		hp_log(HP_LOG_ERROR, n->who, "the run ends, as its section asks");
		hp_life_stop(n->run);
	} else if (n->kind == HP_OUTPUT && !n->run->stopping && !any_output_left(n->run)) {
		hp_log(HP_LOG_INFO, NULL, "no output is left, the run ends");
		hp_life_stop(n->run);
	}
}

/* ---- the end -------------------------------------------------------------------------------------------------- */

/* Some function that the handle's owner gave to it. */
static uintptr_t code_of(const uv_handle_t *h)
{
	switch (h->type) {
	case UV_TIMER:
		return (uintptr_t)((const uv_timer_t *)h)->timer_cb;
	case UV_POLL:
		return (uintptr_t)((const uv_poll_t *)h)->poll_cb;
	case UV_ASYNC:
		return (uintptr_t)((const uv_async_t *)h)->async_cb;
	case UV_SIGNAL:
		return (uintptr_t)((const uv_signal_t *)h)->signal_cb;
	case UV_IDLE:
		return (uintptr_t)((const uv_idle_t *)h)->idle_cb;
	case UV_UDP:
		return (uintptr_t)((const uv_udp_t *)h)->recv_cb;
	case UV_TCP:
	case UV_NAMED_PIPE:
	case UV_TTY: {
		const uv_stream_t *s = (const uv_stream_t *)h;
		return s->read_cb ? (uintptr_t)s->read_cb : (uintptr_t)s->connection_cb;
	}
	default:
		return (uintptr_t)h->close_cb;
	}
}

/* The module's file, by its code or by where the handle itself lies. */
static void name_guilty(uv_handle_t *h, void *arg)
{
	Dl_info info;
	uintptr_t code = code_of(h);
	const char *file = "a module";
	if ((code && dladdr((void *)code, &info)) || dladdr(h, &info))
		file = info.dli_fname;
	hp_log(HP_LOG_ERROR, NULL, "a %s handle was left open by %s", uv_handle_type_name(h->type), file);
	*(bool *)arg = true;
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

static void too_long(uv_timer_t *t)
{
	uv_stop(t->loop);
}

/* Handles close asynchronously; two seconds are plenty, and then the culprit is named. */
static void drain_loop(struct hp_run *run)
{
	uv_timer_t limit;
	uv_timer_init(&run->loop, &limit);
	uv_timer_start(&limit, too_long, 2000, 0);
	uv_unref((uv_handle_t *)&limit);
	uv_run(&run->loop, UV_RUN_NOWAIT); /* an earlier uv_stop() ends this one */
	uv_run(&run->loop, UV_RUN_DEFAULT);
	uv_close((uv_handle_t *)&limit, NULL);
	uv_run(&run->loop, UV_RUN_NOWAIT);
	/* also those that sleep: they would not keep the loop alive, but keep it from being closed */
	bool left = false;
	uv_walk(&run->loop, name_guilty, &left);
	uv_run(&run->loop, UV_RUN_NOWAIT);
	if (left)
		run->exit_code = 1;
}

static void stop_all(struct hp_run *run)
{
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < run->nnodes; i++) {
			struct hp_node *n = run->nodes[i];
			if (n->kind != producers_first[k] || n->phase < HP_OPENED)
				continue;
			hp_post_drain(n); /* what a thread handed over before the stop still counts */
			if (n->kind == HP_OUTPUT)
				hp_limit_flush(n);
			if (n->module->stop)
				n->module->stop(n->state);
			if (n->encoder && n->encoder->stop)
				n->encoder->stop(n->encoder_state);
			hp_post_drain(n); /* and what its thread still had under way */
		}
	for (size_t i = 0; i < run->nnodes; i++)
		if (run->nodes[i]->phase >= HP_OPENED)
			run->nodes[i]->phase = HP_STOPPED;
}

static void last_words(struct hp_run *run)
{
	for (size_t i = 0; i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i];
		if (!atomic_load(&n->fail_pending))
			continue;
		/* a file that could not be finished, say */
		if (n->fail_err) {
			hp_log(HP_LOG_ERROR, n->who, "%s", *n->fail_text ? n->fail_text : strerror(n->fail_err));
			run->exit_code = 1;
		}
	}
}

void hp_life_end(struct hp_run *run)
{
	if (!run->loop_open)
		return;
	run->stopping = false; /* outputs may still say goodbye */
	stop_all(run);
	run->stopping = true;
	for (size_t i = 0; i < run->nnodes; i++)
		hp_services_take(run->nodes[i]);
	uv_close((uv_handle_t *)&run->wake, NULL);
	uv_close((uv_handle_t *)&run->idle, NULL);
	drain_loop(run);
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < run->nnodes; i++) {
			struct hp_node *n = run->nodes[i];
			if (n->kind != producers_first[k])
				continue;
			if (n->phase == HP_STOPPED) {
				hp_output_tell_rest(n);
				if (n->module->close)
					n->module->close(n->state);
				if (n->encoder && n->encoder->close)
					n->encoder->close(n->encoder_state);
				n->phase = HP_CLOSED;
			}
			hp_limit_close(n);
			hp_post_close(n);
			hp_udp_free_all(n);
			hp_file_close_all(n);
		}
	hp_writer_stop();
	last_words(run);
	hp_udp_close_sockets(run);
	run->loop_open = false;
	int r = uv_loop_close(&run->loop);
	if (r < 0)
		hp_log(HP_LOG_ERROR, NULL, "the loop did not close: %s", uv_strerror(r));
}
