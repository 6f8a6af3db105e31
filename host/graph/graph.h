/* SPDX-License-Identifier: MIT
 * graph.h - a configuration to a checked forest of nodes, with modules found and options filled in. */
#ifndef HP_GRAPH_H
#define HP_GRAPH_H
#include "config/config.h"
#include "config/errors.h"
#include "node.h"

/* Builds run->nodes from the configuration, which must outlive the run. Opens nothing. Returns 0, or -1 with everything
 * that is wrong in errors. Zero the run before; hp_graph_free() after, also after errors. */
int hp_graph_build(struct hp_run *, struct hp_config *, struct hp_errors *);
void hp_graph_free(struct hp_run *);
/* The tree as `headpipe check` prints it. */
void hp_graph_print(const struct hp_run *, FILE *);
/* Puts into force what [headpipe] says and -q; again after a reload has changed what is HP_LIVE. */
void hp_settings_apply(const struct hp_run *);
#endif
