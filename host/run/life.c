/* SPDX-License-Identifier: MIT
 * life.c - the life cycle of a run.
 *
 * open recordings, outputs, filters, inputs -> start inputs -> ... -> stop inputs, filters, outputs -> run the loop
 * until no handle is left -> close in the same order. Shared objects are never unloaded. */
#include "life.h"
#include "again.h"
#include "base/log.h"
#include "constant.h"
#include "fail.h"
#include "graph/ini.h"
#include "io/writer.h"
#include "limit.h"
#include "loop.h"
#include "output.h"
#include "post.h"
#include "program.h"
#include "services.h"
#include "timer.h"
#include "udp_socket.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const enum hp_kind consumers_first[] = { HP_OUTPUT, HP_FILTER, HP_INPUT };
static const enum hp_kind producers_first[] = { HP_INPUT, HP_FILTER, HP_OUTPUT };

static int open_one(struct hp_node *n)
{
	const struct hp_host_keys *k = &n->ini->keys;
	int r = 0;
	n->opening = true;
	n->trouble.ends = k->on_error == HP_ON_ERROR_STOP;
	if (n->kind == HP_INPUT)
		r = hp_constant_open(n, k->constant_after);
	if (r >= 0 && n->encoder && n->encoder->open)
		r = n->encoder->open(n->encoder_state, &n->host);
	if (r >= 0 && n->module->open) {
		r = n->module->open(n->state, &n->host);
		if (r < 0 && n->encoder && n->encoder->close)
			n->encoder->close(n->encoder_state);
	}
	if (r >= 0 && n->kind == HP_OUTPUT) {
		struct hp_limit_options o = { .rate = k->rate,
			                      .zero = k->on_loss == HP_ON_LOSS_ZERO,
			                      .stop = k->on_loss == HP_ON_LOSS_STOP,
			                      .back = k->on_loss == HP_ON_LOSS_RETURN,
			                      .loss_after = k->loss_after,
			                      .return_time = k->return_time };
		r = hp_limit_open(n, &o);
	}
	n->opening = false;
	if (r < 0) {
		if (!n->said && !n->again)
			hp_log(HP_LOG_ERROR, n->who, "cannot be opened: %s (%s:%d)", strerror(-r),
			       n->ini->section->file, n->ini->section->line);
		return r;
	}
	n->phase = HP_OPENED;
	return 0;
}

/* One output that cannot be opened does not stop the others. When there is no other, there is nothing to do, unless the
 * ini says in so many words that it may come later. */
static bool goes_on_without(const struct hp_node *n)
{
	if (hp_section_get(n->ini->section, "on_error"))
		return true;
	for (size_t i = 0; i < n->run->nnodes; i++) {
		const struct hp_node *m = n->run->nodes[i];
		if (m != n && m->kind == HP_OUTPUT && !m->again && (m->phase == HP_OPENED || m->phase == HP_NEW))
			return true;
	}
	return false;
}

static int open_first(struct hp_node *n)
{
	int r = hp_again_keep(n);
	if (r == 0)
		r = open_one(n);
	if (r < 0)
		return goes_on_without(n) && hp_again_plan(n, open_one) ? 0 : r;
	hp_again_forget(n);
	return 0;
}

int hp_life_open(struct hp_run *run)
{
	int r = hp_loop_open(run, hp_life_turn);
	hp_writer_grace(run->ini->settings.grace);
	if (r >= 0)
		r = hp_timers_open(run);
	if (r >= 0)
		r = hp_program_compile(run);
	for (size_t i = 0; r >= 0 && i < run->nnodes; i++)
		r = hp_services_give(run->nodes[i]);
	if (r < 0) {
		hp_log(HP_LOG_ERROR, NULL, "cannot start: %s", strerror(-r));
		return r;
	}
	for (size_t i = 0; i < run->nnodes; i++)
		if (run->nodes[i]->module->traits & HP_OPENS_FIRST && (r = open_first(run->nodes[i])) < 0)
			return r;
	for (size_t k = 0; k < 3; k++)
		for (size_t i = 0; i < run->nnodes; i++)
			if (run->nodes[i]->kind == consumers_first[k] && run->nodes[i]->phase == HP_NEW &&
			    (r = open_first(run->nodes[i])) < 0)
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
			if (n->kind != consumers_first[k] || n->again)
				continue;
			n->phase = HP_STARTED;
			int r = n->module->start ? n->module->start(n->state) : 0;
			if (r < 0) {
				char text[128];
				snprintf(text, sizeof text, "cannot be started: %s", strerror(-r));
				hp_life_failed(n, -r, text);
			}
		}
	hp_life_turn(run); /* what failed while opening or starting */
	if (!run->stopping)
		uv_run(&run->loop->uv, UV_RUN_DEFAULT);
}

void hp_life_stop(struct hp_run *run)
{
	run->stopping = true;
	uv_stop(&run->loop->uv);
}

static bool any_output_left(const struct hp_run *run)
{
	for (size_t i = 0; i < run->nnodes; i++)
		if (run->nodes[i]->kind == HP_OUTPUT && (!run->nodes[i]->dead || run->nodes[i]->again))
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
	bool stop = n->ini->keys.on_error == HP_ON_ERROR_STOP ||
	            (n->kind == HP_OUTPUT && n->ini->keys.on_loss == HP_ON_LOSS_STOP && err == ETIMEDOUT);
	if (err && stop && !n->run->stopping) {
		hp_log(HP_LOG_ERROR, n->who, "the run ends, as its section asks");
		hp_life_stop(n->run);
	} else if (n->kind == HP_OUTPUT && !n->run->stopping && !any_output_left(n->run)) {
		hp_log(HP_LOG_INFO, NULL, "no output is left, the run ends");
		hp_life_stop(n->run);
	}
}

void hp_life_turn(struct hp_run *run)
{
	char text[HP_FAIL_TEXT];
	int err;
	for (size_t i = 0; i < run->nnodes; i++)
		hp_post_drain(run->nodes[i]);
	for (size_t i = 0; i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i];
		if (!hp_fail_take(n, &err, text))
			continue;
		hp_post_drain(n); /* what it said before it failed comes first */
		hp_life_failed(n, err, text);
	}
}

/* ---- the end -------------------------------------------------------------------------------------------------- */

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
	char text[HP_FAIL_TEXT];
	int err;
	for (size_t i = 0; i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i];
		/* a file that could not be finished, say */
		if (hp_fail_take(n, &err, text) && err) {
			hp_log(HP_LOG_ERROR, n->who, "%s", *text ? text : strerror(err));
			run->exit_code = 1;
		}
	}
}

/* Beside those that failed and have said what their file holds. */
static void say_unwritten(const struct hp_run *run)
{
	for (size_t i = 0; i < run->nnodes; i++) {
		const struct hp_node *n = run->nodes[i];
		if (!n->dead && hp_output_unwritten(n))
			hp_log(HP_LOG_ERROR, n->who, "the last %llu samples are not written",
			       (unsigned long long)hp_output_unwritten(n));
	}
}

void hp_life_end(struct hp_run *run)
{
	if (!run->loop)
		return;
	for (size_t i = 0; i < run->nnodes; i++) {
		if (run->nodes[i]->again) {
			hp_log(HP_LOG_ERROR, run->nodes[i]->who, "could not be opened until the end");
			run->exit_code = 1;
		}
		hp_again_forget(run->nodes[i]);
	}
	run->stopping = false; /* outputs may still say goodbye */
	stop_all(run);
	run->stopping = true;
	for (size_t i = 0; i < run->nnodes; i++)
		hp_services_take(run->nodes[i]);
	hp_timers_close(run);
	if (!hp_loop_drain(run))
		run->exit_code = 1;
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
			hp_constant_close(n);
			hp_services_finish(n);
		}
	if (hp_writer_stop()) {
		run->exit_code = 1;
		say_unwritten(run);
	}
	last_words(run);
	hp_udp_close_sockets(run);
	for (size_t i = 0; i < run->nnodes; i++)
		hp_services_free(run->nodes[i]);
	hp_program_free(run);
	hp_timers_free(run);
	hp_loop_close(run);
}
