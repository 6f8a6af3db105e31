/* SPDX-License-Identifier: MIT
 * stream.h - the service `describe`: what a source is, from the next HP_CONNECTED on. */
#ifndef HP_STREAM_H
#define HP_STREAM_H
#include "graph/node.h"

/* For every node before its module is opened. 0 or -ENOMEM. [loop] */
int hp_stream_open(struct hp_node *);
void hp_stream_close(struct hp_node *);
/* describe() of the contract. [any] */
void hp_stream_describe(const struct hp_host *, const struct hp_stream *);
/* What describe() left is in n->stream from now on. [loop] */
void hp_stream_take(struct hp_node *);
/* The longest report of what was described last; 0 = not known. [any] */
uint32_t hp_stream_report_size(struct hp_node *);
#endif
