/* SPDX-License-Identifier: MIT
 * services.h - struct hp_host of every node: the table of what a module may ask for. Each service has a file of its
 * own. [loop] */
#ifndef HP_SERVICES_H
#define HP_SERVICES_H
#include "graph/node.h"

/* Fills n->host. 0 or -ENOMEM. */
int hp_services_give(struct hp_node *);
/* Stops and closes what hangs in the loop; its memory goes when the loop has run. */
void hp_services_take(struct hp_node *);
/* After the module's close(): queue, sockets, files. Their writers may still fail(). */
void hp_services_finish(struct hp_node *);
/* At last. */
void hp_services_free(struct hp_node *);
#endif
