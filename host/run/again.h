/* SPDX-License-Identifier: MIT
 * again.h - outputs that could not be opened and are tried again. [loop] */
#ifndef HP_AGAIN_H
#define HP_AGAIN_H
#include "graph/node.h"

/* Before the first open(): keeps the state that open() finds. Does nothing for a section that is not tried again. 0 or
 * -ENOMEM. */
int hp_again_keep(struct hp_node *);
/* open() has failed: true when the others go on without it. open: tries it once more, 0 or -errno. */
bool hp_again_plan(struct hp_node *, int (*open)(struct hp_node *));
/* It is open, or the run ends. */
void hp_again_forget(struct hp_node *);
/* Would a section like this be tried again when it cannot be opened? */
bool hp_again_would(const struct hp_node *);
#endif
