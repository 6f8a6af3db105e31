/* SPDX-License-Identifier: MIT
 * realtime.h - [headpipe] priority and lock_memory. */
#ifndef HP_REALTIME_H
#define HP_REALTIME_H
#include "graph/node.h"

/* Applies them to the calling thread and to threads it starts from now on; a refusal is a note, not an error. */
void hp_realtime_apply(struct hp_run *);
#endif
