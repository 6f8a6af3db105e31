/* SPDX-License-Identifier: MIT
 * wiring.h - who hangs below whom in a graph. */
#ifndef HP_WIRING_H
#define HP_WIRING_H
#include "config/errors.h"
#include "node.h"

/* Fills up, input and kids of run->nodes; those left out by `enabled = no` go behind the others. 0, or -1 with
 * everything that is wrong in errors. Modules and options must be in place unless errors has something already. */
int hp_wire(struct hp_run *, struct hp_errors *);
#endif
