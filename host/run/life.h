/* SPDX-License-Identifier: MIT
 * life.h - opens, starts, stops and closes the modules of a run, in the order that is safe. [loop] */
#ifndef HP_LIFE_H
#define HP_LIFE_H
#include "graph/node.h"

/* Makes the loop, compiles the pipeline, opens every module (recordings, then outputs, inputs last). 0, or -errno after
 * a log line; hp_life_end() must follow in both cases. */
int hp_life_open(struct hp_run *);
/* Starts the inputs and runs the loop until every input has ended or hp_life_stop(). */
void hp_life_run(struct hp_run *);
/* Makes hp_life_run() return soon. */
void hp_life_stop(struct hp_run *);
/* Stops producers first, drains the loop, closes everything, waits for files. Sets run->exit_code: 0, or 1 when a
 * section failed. */
void hp_life_end(struct hp_run *);
/* Delivers what threads have posted, and acts upon what fail() of any thread has left. */
void hp_life_turn(struct hp_run *);
/* A section has ended (err == 0) or failed. */
void hp_life_failed(struct hp_node *, int err, const char *text);
#endif
