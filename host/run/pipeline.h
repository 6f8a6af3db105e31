/* SPDX-License-Identifier: MIT
 * pipeline.h - the way of a sample: from an input's emit() through filters to every output. [loop] */
#ifndef HP_PIPELINE_H
#define HP_PIPELINE_H
#include "graph/node.h"

/* emit(): an item of an input or a filter goes down. */
int hp_pipeline_emit(struct hp_node *, const struct hp_item *);
/* An event for one node and its encoder, or for all below an input. */
void hp_pipeline_event_to(struct hp_node *, const struct hp_event *);
void hp_pipeline_event(struct hp_node *input, const struct hp_event *);
#endif
