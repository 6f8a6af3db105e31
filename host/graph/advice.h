/* SPDX-License-Identifier: MIT
 * advice.h - what is allowed in a configuration and probably not meant. */
#ifndef HP_ADVICE_H
#define HP_ADVICE_H
#include "node.h"

/* Says of each node, in the order of the file, what its module's check() has to remark and what does not belong below
 * the filter above it; text: sentences without full stop, joined with "; ". For a graph without errors. [loop] */
void hp_advise(const struct hp_run *, void (*say)(const struct hp_node *, enum hp_level, const char *text));
#endif
