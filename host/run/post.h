/* SPDX-License-Identifier: MIT
 * post.h - hands items from any thread to the loop, in order, through a bounded ring. */
#ifndef HP_POST_H
#define HP_POST_H
#include "graph/node.h"

/* post() of the contract. [any] */
int hp_post(struct hp_node *, const struct hp_item *);
/* Delivers what is waiting through hp_pipeline_emit(). [loop] */
void hp_post_drain(struct hp_node *);
void hp_post_close(struct hp_node *);
#endif
