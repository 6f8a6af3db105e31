/* SPDX-License-Identifier: MIT
 * load.h - ini files named on a command line to a graph, with every error printed. */
#ifndef HP_LOAD_H
#define HP_LOAD_H
#include "command.h"
#include "config/config.h"
#include "graph/node.h"

/* Reads the files and the -s assignments and builds the graph; prints what is wrong, with `closing` at the end. Returns
 * 0 or 2. Both structs zeroed before, hp_unload() after. */
int hp_load(struct hp_run *, struct hp_config *, const struct hp_texts *files, const struct hp_texts *assignments,
            const char *closing);
void hp_unload(struct hp_run *, struct hp_config *);
#endif
