/* SPDX-License-Identifier: MIT
 * constant.h - the host key `constant_after` of an input: one that sends but does not move is named. [loop] */
#ifndef HP_CONSTANT_H
#define HP_CONSTANT_H
#include "graph/node.h"

/* Inputs, before they are opened. after: ns of the samples' own time without a change; 0 = never. 0 or -ENOMEM. */
int hp_constant_open(struct hp_node *, int64_t after);
void hp_constant_close(struct hp_node *);
/* Looks at a sample of the input. jump: it is the first one after a gap. Returns from which sample time on it wants to
 * see one again: once a second while the head moves, every sample while it does not. */
int64_t hp_constant_look(struct hp_node *, const struct hp_sample *, bool jump);
#endif
