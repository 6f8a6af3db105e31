/* SPDX-License-Identifier: MIT
 * pipe.c - pipelines for the bench. */
#include "pipe.h"
#include "base/log.h"
#include "bench.h"
#include "graph/graph.h"
#include "run/life.h"
#include "run/pipeline.h"
#include <stdio.h>
#include <string.h>

static const struct hp_module silent_input = { HP_MODULE_HEAD, .kind = HP_INPUT, .name = "bench", .summary = "" };

void bench_pipe_open(struct bench_pipe *p, const char *ini)
{
	struct hp_errors errors = { 0 };
	memset(p, 0, sizeof *p);
	hp_log_level(HP_LOG_ERROR);
	if (hp_config_parse(&p->config, ini, strlen(ini), "bench", &errors) ||
	    hp_graph_build(&p->run, &p->config, &errors))
		bench_die(errors.text ? errors.text : "configuration");
	for (size_t i = 0; i < p->run.nnodes; i++)
		if (p->run.nodes[i]->kind == HP_INPUT) {
			p->input = p->run.nodes[i];
			p->input->module = &silent_input;
		}
	if (hp_life_open(&p->run) < 0)
		bench_die("a module cannot be opened");
	p->input->host.describe(&p->input->host, &bench_data.stream);
	hp_pipeline_event(p->input, &(struct hp_event){ .struct_size = sizeof(struct hp_event), .type = HP_CONNECTED });
}

void bench_pipe_close(struct bench_pipe *p)
{
	hp_life_end(&p->run);
	hp_graph_free(&p->run);
	hp_config_free(&p->config);
}
