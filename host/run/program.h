/* SPDX-License-Identifier: MIT
 * program.h - the tree below an input as a flat list of steps, which pipeline.c runs. [loop] */
#ifndef HP_PROGRAM_H
#define HP_PROGRAM_H
#include "graph/node.h"

/* Makes the program of every input. Returns 0 or -ENOMEM; hp_program_free() in any case. */
int hp_program_compile(struct hp_run *);
void hp_program_free(struct hp_run *);
#endif
