/* SPDX-License-Identifier: MIT
 * pipeline.h - the way of a sample: from an input's emit() through filters to every output. [loop] */
#ifndef HP_PIPELINE_H
#define HP_PIPELINE_H
#include "graph/node.h"

/* Makes the program of every input. Returns 0 or -ENOMEM. */
int hp_pipeline_compile(struct hp_run *);
/* emit(): an item of an input or a filter goes down. */
int hp_pipeline_emit(struct hp_node *, const struct hp_item *);
/* An event for one node and its encoder, or for all below an input. */
void hp_pipeline_event_to(struct hp_node *, const struct hp_event *);
void hp_pipeline_event(struct hp_node *input, const struct hp_event *);
/* One sample to one output, past rate limits: derives, encodes, sends, counts. */
void hp_output_put(struct hp_node *, struct hp_sample *);
/* Counts a failure of an output or filter; says it at most once a second. err is positive; what: "sends", "encodings",
 * a plural that loses its s for one. */
void hp_output_trouble(struct hp_node *, int err, const char *what);
/* At the end: what was not told yet. */
void hp_output_tell_rest(struct hp_node *);
#endif
