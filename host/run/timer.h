/* SPDX-License-Identifier: MIT
 * timer.h - the service `timer`. [loop] */
#ifndef HP_TIMER_H
#define HP_TIMER_H
#include "graph/node.h"

struct hp_timer *hp_timer_open(const struct hp_host *, void (*cb)(void *), void *arg);
int hp_timer_at(struct hp_timer *, int64_t deadline_ns);
void hp_timer_free(struct hp_timer *); /* NULL: nothing */
void hp_timer_free_all(struct hp_node *);

/* The clock behind all timers of a run: made with the loop, closed before it is drained, freed after. */
int hp_timers_open(struct hp_run *);
void hp_timers_close(struct hp_run *);
void hp_timers_free(struct hp_run *);
#endif
