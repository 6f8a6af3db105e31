/* SPDX-License-Identifier: MIT
 * limit.h - the host keys `rate`, `on_loss`, `loss_after` and `return_time` of an output. [loop] */
#ifndef HP_LIMIT_H
#define HP_LIMIT_H
#include "graph/node.h"

struct hp_limit_options {
	double rate;         /* samples/s; 0 = no limit                               */
	bool zero, stop;     /* when samples stop: the zero pose once, fail(); or not */
	bool back;           /* or glide to the middle, and back when they come again */
	int64_t loss_after;  /* ns of silence                                         */
	int64_t return_time; /* ns that each way takes                                */
};
/* Sets up n->limit when anything is asked for. 0 or -ENOMEM. */
int hp_limit_open(struct hp_node *, const struct hp_limit_options *);
/* A sample has come: what to send now (it, or one of our own, until the next call); NULL = it is kept (the newest of a
 * burst) or not wanted. Keeps to sample time for a stream of another clock (HP_STREAM_REPLAY), so that it gives the
 * same bytes at any speed. */
struct hp_sample *hp_limit_pass(struct hp_node *, struct hp_sample *);
/* The input has ended: what is kept goes out now. */
void hp_limit_flush(struct hp_node *);
void hp_limit_close(struct hp_node *);
#endif
