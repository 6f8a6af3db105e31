/* SPDX-License-Identifier: MIT
 * rows_post.c - hand-over from a thread to the loop: from before post() until the output has the sample, the loop
 * asleep before. Measured from stamp to stamp; the next sample is posted when the last one has arrived. And the same
 * calls in one thread, which can be counted: nobody waits, so nothing depends on who runs when. */
#include "base/clock.h"
#include "bench.h"
#include "pipe.h"
#include "run/loop.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static struct bench_pipe pipe_;
static pthread_t thread;
static sem_t go;
static atomic_bool over;
static long arrived;
static bool timing;

static int arrive(void *self, const struct hp_sample *s)
{
	(void)self;
	if (timing)
		bench_self_ns += hp_now() - s->arrival_ns;
	arrived++;
	return 0;
}
static const struct hp_module counter = { HP_MODULE_HEAD, .kind = HP_OUTPUT, .name = "count", .summary = "",
	                                  .write = arrive };

static void *poster(void *arg)
{
	const struct hp_host *host = &pipe_.input->host;
	(void)arg;
	for (;;) {
		while (sem_wait(&go))
			;
		if (atomic_load(&over))
			return NULL;
		struct hp_sample s = bench_data.filtered[0];
		struct hp_item item = { .struct_size = sizeof item, .nsamples = 1, .samples = &s };
		s.arrival_ns = hp_now();
		host->post(host, &item);
	}
}

static void run_post(long n)
{
	arrived = 0;
	timing = true;
	for (long i = 0; i < n; i++) {
		sem_post(&go);
		while (arrived <= i)
			uv_run(&pipe_.run.loop->uv, UV_RUN_ONCE);
	}
	timing = false;
}

static void run_post_alone(long n)
{
	const struct hp_host *host = &pipe_.input->host;
	arrived = 0;
	for (long i = 0; i < n; i++) {
		struct hp_item item = { .struct_size = sizeof item,
			                .nsamples = 1,
			                .samples = &bench_data.filtered[i % BENCH_RING] };
		host->post(host, &item);
		while (arrived <= i)
			uv_run(&pipe_.run.loop->uv, UV_RUN_ONCE);
	}
}

void bench_rows_post(void)
{
	bench_pipe_open(&pipe_, "[input head]\nuse = synth\n[output a]\nuse = null\n");
	for (size_t i = 0; i < pipe_.run.nnodes; i++)
		if (pipe_.run.nodes[i]->kind == HP_OUTPUT)
			pipe_.run.nodes[i]->module = &counter;
	if (sem_init(&go, 0, 0) || pthread_create(&thread, NULL, poster, NULL))
		bench_die("no thread");
	bench_add((struct bench_row){ "post", "post() in a thread until the output has it, loop asleep", run_post, NULL,
	                              NULL, 100, 0, false });
	bench_add((struct bench_row){ "post_alone", "post(), wake-up, taking it from the queue: all in one thread",
	                              run_post_alone, NULL, NULL, 1000, 0, true });
}

void bench_end_post(void)
{
	atomic_store(&over, true);
	sem_post(&go);
	pthread_join(thread, NULL);
	sem_destroy(&go);
	bench_pipe_close(&pipe_);
}
