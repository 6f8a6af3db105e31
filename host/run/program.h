/* SPDX-License-Identifier: MIT
 * program.h - the tree below an input as a flat list of steps, which pipeline.c runs. [loop] */
#ifndef HP_PROGRAM_H
#define HP_PROGRAM_H
#include "graph/node.h"

/* Makes the program of every input. Returns 0 or -ENOMEM; hp_program_free() in any case. */
int hp_program_compile(struct hp_run *);
void hp_program_free(struct hp_run *);
/* The next sample of the input is the first after a gap. */
static inline void hp_program_jump(struct hp_node *input)
{
	input->program.jump = true;
	input->program.look_ns = INT64_MIN;
}
#endif
