/* SPDX-License-Identifier: MIT
 * live.h - options that change while the pipeline runs. [loop] */
#ifndef HP_LIVE_OPTIONS_H
#define HP_LIVE_OPTIONS_H
#include "config/options.h"
#include "graph/node.h"

/* Applies a batch to one section between two samples: module, then encoder. All or nothing. Outputs and filters below
 * are told with an HP_OPTION event per key. 0, or -errno with one sentence in why. */
int hp_live_change(struct hp_node *, const struct hp_change *, size_t n, char *why, size_t why_size);
/* SIGHUP: reads the files again and applies what differs. Anything that cannot change while running is refused with a
 * sentence, and then nothing at all changes. Outputs get the command "reopen" in any case (log rotation). */
void hp_live_reload(struct hp_run *, const char *const *assignments, size_t nassignments);
#endif
