/* SPDX-License-Identifier: MIT
 * loop.h - the event loop of a run, and how other threads wake it. */
#ifndef HP_LOOP_H
#define HP_LOOP_H
#include "graph/node.h"
#include <pthread.h>
#include <stdatomic.h>
#include <uv.h>

struct hp_loop {
	uv_loop_t uv;
	uv_async_t wake;               /* post() and fail() of other threads */
	struct hp_timer_queue *timers; /* timer.c */
	pthread_t thread;
	atomic_bool wakes; /* the handles above are open */
	void (*turn)(struct hp_run *);
};

/* Makes run->loop; turn() is called on it after a wake-up. 0 or -errno. [loop] */
int hp_loop_open(struct hp_run *, void (*turn)(struct hp_run *));
/* [any] */
void hp_loop_wake(struct hp_run *);
/* Closes the own handles and runs the loop until nobody has one any more, for two seconds at most. False when some were
 * left open; those who did it have been named. [loop] */
bool hp_loop_drain(struct hp_run *);
void hp_loop_close(struct hp_run *);

/* A module that calls loop functions from a thread of its own would corrupt memory much later; say it at once where
 * somebody is looking for such things. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
void hp_loop_check(const struct hp_node *, const char *what);
#else
static inline void hp_loop_check(const struct hp_node *n, const char *what)
{
	(void)n;
	(void)what;
}
#endif
#endif
