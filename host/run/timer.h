/* SPDX-License-Identifier: MIT
 * timer.h - the service `timer`. [loop] */
#ifndef HP_TIMER_H
#define HP_TIMER_H
#include "graph/node.h"

struct hp_timer *hp_timer_open(const struct hp_host *, void (*cb)(void *), void *arg);
int hp_timer_at(struct hp_timer *, int64_t deadline_ns);
void hp_timer_free(struct hp_timer *); /* NULL: nothing */
/* Their memory goes when the loop has run. */
void hp_timer_free_all(struct hp_node *);
#endif
