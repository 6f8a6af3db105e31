/* SPDX-License-Identifier: MIT
 * rows_graph.c - what the host itself costs per sample: two outputs that do nothing; the same behind a branch; and
 * with `run --perf`. */
#include "bench.h"
#include "pipe.h"
#include "run/perf.h"
#include "run/pipeline.h"

static struct bench_pipe plain, branch, measured;

/* Stands in for an output: the sample is looked at, no more. */
static int look(void *self, const struct hp_sample *s)
{
	(void)self;
	bench_sink += s->ypr[0] > 0;
	return 0;
}
static const struct hp_module looker = { HP_MODULE_HEAD, .kind = HP_OUTPUT, .name = "look", .summary = "",
	                                 .write = look };

/* Stands in for a filter: keeps what comes. */
static int keep(void *self, struct hp_sample *s)
{
	(void)self;
	(void)s;
	return HP_KEEP;
}
static const struct hp_module keeper = { HP_MODULE_HEAD, .kind = HP_FILTER, .name = "keep", .summary = "",
	                                 .filter = keep };

static void emit(struct bench_pipe *p, long n)
{
	for (long i = 0; i < n; i++) {
		struct hp_item item = { .struct_size = sizeof item,
			                .nsamples = 1,
			                .samples = &bench_data.filtered[i % BENCH_RING] };
		hp_pipeline_emit(p->input, &item);
	}
}
static void run_graph(long n)
{
	emit(&plain, n);
}
static void run_graph_branch(long n)
{
	emit(&branch, n);
}
static void run_graph_perf(long n)
{
	emit(&measured, n);
}

static void stand_in(struct bench_pipe *p)
{
	for (size_t i = 0; i < p->run.nnodes; i++) {
		struct hp_node *n = p->run.nodes[i];
		if (n->kind == HP_OUTPUT)
			n->module = &looker;
		else if (n->kind == HP_FILTER)
			n->module = &keeper;
	}
}

void bench_rows_graph(void)
{
	for (int i = 0; i < BENCH_RING; i++)
		bench_data.filtered[i].arrival_ns = 1; /* an input stamps it; the clock is not part of the graph */
	static const char two[] = "[input head]\nuse = synth\n[output a]\nuse = null\n[output b]\nuse = null\n";
	bench_pipe_open(&plain, two);
	bench_pipe_open(&measured, two);
	bench_pipe_open(&branch, "[input head]\nuse = synth\n[filter f]\nuse = orientation\n[output a]\nuse = null\n"
	                         "[output b]\nuse = null\nfrom = head\n");
	stand_in(&plain);
	stand_in(&measured);
	stand_in(&branch);
	measured.run.perf = hp_perf_new(NULL);
	if (!measured.run.perf)
		bench_die("no memory");
	bench_add((struct bench_row){ "graph", "the host's own work: one sample, two outputs", run_graph, NULL, NULL,
	                              10000, 0, true });
	bench_add((struct bench_row){ "graph_branch", "the same with a filter before one of them", run_graph_branch,
	                              NULL, NULL, 10000, 0, false });
	bench_add((struct bench_row){ "graph_perf", "as `graph`, with the stamps of run --perf", run_graph_perf, NULL,
	                              NULL, 4000, 0, false });
}

void bench_end_graph(void)
{
	hp_perf_free(measured.run.perf);
	measured.run.perf = NULL;
	bench_pipe_close(&plain);
	bench_pipe_close(&branch);
	bench_pipe_close(&measured);
}
