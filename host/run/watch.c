/* SPDX-License-Identifier: MIT
 * watch.c - file descriptors that the loop watches for a module. */
#include "watch.h"
#include "loop.h"
#include <errno.h>
#include <stdlib.h>

struct hp_watch {
	uv_poll_t uv;
	struct hp_watch *next;
	struct hp_node *node;
	void (*cb)(void *, unsigned);
	void *arg;
};

static void watch_fired(uv_poll_t *uv, int status, int events)
{
	struct hp_watch *w = uv->data;
	unsigned e = (events & UV_READABLE ? HP_READABLE : 0u) | (events & UV_WRITABLE ? HP_WRITABLE : 0u);
	/* an error condition makes the next read or write tell what it is */
	w->cb(w->arg, status < 0 ? (unsigned)(HP_READABLE | HP_WRITABLE) : e);
}

struct hp_watch *hp_watch_open(const struct hp_host *h, hp_fd fd, unsigned events, void (*cb)(void *, unsigned),
                               void *arg)
{
	struct hp_node *n = hp_node_of(h);
	hp_loop_check(n, "watch");
	struct hp_watch *w = calloc(1, sizeof *w);
	if (!w)
		return NULL;
	int r = uv_poll_init_socket(&n->run->loop->uv, &w->uv, fd);
	if (r < 0) {
		free(w);
		errno = -r;
		return NULL;
	}
	w->uv.data = w;
	w->node = n;
	w->cb = cb;
	w->arg = arg;
	w->next = n->handles.watches;
	n->handles.watches = w;
	uv_poll_start(&w->uv, (events & HP_READABLE ? UV_READABLE : 0) | (events & HP_WRITABLE ? UV_WRITABLE : 0),
	              watch_fired);
	return w;
}

static void free_handle(uv_handle_t *uv)
{
	free(uv->data);
}

void hp_watch_close(struct hp_watch *w)
{
	struct hp_watch **at = &w->node->handles.watches;
	while (*at && *at != w)
		at = &(*at)->next;
	if (*at)
		*at = w->next;
	uv_poll_stop(&w->uv);
	uv_close((uv_handle_t *)&w->uv, free_handle);
}

void hp_watch_close_all(struct hp_node *n)
{
	while (n->handles.watches)
		hp_watch_close(n->handles.watches);
}
