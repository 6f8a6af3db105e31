/* SPDX-License-Identifier: MIT
 * pipe.h - a real pipeline from ini text, opened but not running: the bench emits into it by hand. */
#ifndef BENCH_PIPE_H
#define BENCH_PIPE_H
#include "config/config.h"
#include "graph/node.h"

struct bench_pipe {
	struct hp_run run;
	struct hp_config config;
	struct hp_node *input;
};
/* The input section of the text may be any module that needs no option; it is replaced by one that does nothing. The
 * stream is described as bench_data's. */
void bench_pipe_open(struct bench_pipe *, const char *ini);
void bench_pipe_close(struct bench_pipe *);
#endif
