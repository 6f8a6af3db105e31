/* SPDX-License-Identifier: MIT
 * replayed.h - what a recording says that the user did is done again. [loop] */
#ifndef HP_REPLAYED_H
#define HP_REPLAYED_H
#include "graph/node.h"

/* An input emitted an event that inputs have no part in unless they replay: HP_RECENTER goes to its filters as the
 * command, HP_OPTION changes the option below it. True: the event has been told to everybody already. */
bool hp_replayed_event(struct hp_node *input, const struct hp_event *);
/* The samples that this input will emit were recorded behind these filters (names, comma separated, from the input
 * down): they are passed by. Returns how many were found. */
size_t hp_replayed_bypass(struct hp_node *input, const char *filters);
#endif
