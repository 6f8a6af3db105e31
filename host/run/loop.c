/* SPDX-License-Identifier: MIT
 * loop.c - makes the loop, wakes it, and ends it when no handle is left. */
#define _GNU_SOURCE /* dladdr */
#include "loop.h"
#include "base/log.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>

static void woken(uv_async_t *a)
{
	struct hp_run *run = a->data;
	run->loop->turn(run);
}

int hp_loop_open(struct hp_run *run, void (*turn)(struct hp_run *))
{
	struct hp_loop *l = calloc(1, sizeof *l);
	int r = l ? uv_loop_init(&l->uv) : -ENOMEM;
	if (r < 0) {
		free(l);
		return r;
	}
	l->turn = turn;
	l->thread = pthread_self();
	uv_async_init(&l->uv, &l->wake, woken);
	l->wake.data = run;
	atomic_store(&l->wakes, true);
	run->loop = l;
	return 0;
}

void hp_loop_wake(struct hp_run *run)
{
	if (run->loop && atomic_load(&run->loop->wakes))
		uv_async_send(&run->loop->wake);
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
void hp_loop_check(const struct hp_node *n, const char *what)
{
	if (!n->run->loop || pthread_equal(pthread_self(), n->run->loop->thread))
		return;
	hp_log(HP_LOG_ERROR, n->who, "module %s called %s from a thread of its own; use post()", n->module->name, what);
	abort();
}
#endif

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
bool hp_loop_drain(struct hp_run *run)
{
	struct hp_loop *l = run->loop;
	uv_timer_t limit;
	atomic_store(&l->wakes, false);
	uv_close((uv_handle_t *)&l->wake, NULL);
	uv_timer_init(&l->uv, &limit);
	uv_timer_start(&limit, too_long, 2000, 0);
	uv_unref((uv_handle_t *)&limit);
	uv_run(&l->uv, UV_RUN_NOWAIT); /* an earlier uv_stop() ends this one */
	uv_run(&l->uv, UV_RUN_DEFAULT);
	uv_close((uv_handle_t *)&limit, NULL);
	uv_run(&l->uv, UV_RUN_NOWAIT);
	/* also those that sleep: they would not keep the loop alive, but keep it from being closed */
	bool left = false;
	uv_walk(&l->uv, name_guilty, &left);
	uv_run(&l->uv, UV_RUN_NOWAIT);
	return !left;
}

void hp_loop_close(struct hp_run *run)
{
	int r = uv_loop_close(&run->loop->uv);
	if (r < 0)
		hp_log(HP_LOG_ERROR, NULL, "the loop did not close: %s", uv_strerror(r));
	else
		free(run->loop); /* else somebody's handle still points to it */
	run->loop = NULL;
}
