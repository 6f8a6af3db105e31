/* SPDX-License-Identifier: MIT
 * watch.h - the service `watch`. [loop] */
#ifndef HP_WATCH_H
#define HP_WATCH_H
#include "graph/node.h"

struct hp_watch *hp_watch_open(const struct hp_host *, hp_fd, unsigned events, void (*cb)(void *, unsigned), void *arg);
void hp_watch_close(struct hp_watch *);
/* Their memory goes when the loop has run. */
void hp_watch_close_all(struct hp_node *);
#endif
