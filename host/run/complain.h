/* SPDX-License-Identifier: MIT
 * complain.h - error lines of a section. */
#ifndef HP_COMPLAIN_H
#define HP_COMPLAIN_H
#include "graph/node.h"

/* While the section is opened the line gets its place in the ini and is the only one about it. [any] */
void hp_complain(struct hp_node *, const char *text);
#endif
