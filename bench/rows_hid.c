/* SPDX-License-Identifier: MIT
 * rows_hid.c - a report from a device's node to an output: the loop wakes, the node is read where the samples are
 * used, decoded and given on. A socket pair stands for the node; writing the report into it is part of the row. */
#include "bench.h"
#include "inputs/hid/reader.h"
#include "pipe.h"
#include "run/loop.h"
#include <sys/socket.h>
#include <unistd.h>

static struct bench_pipe pipe_;
static struct hp_hid_reader reader;
static int node[2]; /* the device's end, the host's */
static long arrived;
static atomic_bool attached;

static int arrive(void *self, const struct hp_sample *s)
{
	(void)self;
	bench_sink += s->rotvec[0] > 0;
	arrived++;
	return 0;
}
static const struct hp_module counter = { HP_MODULE_HEAD, .kind = HP_OUTPUT, .name = "count", .summary = "",
	                                  .write = arrive };

static void run_hid_read(long n)
{
	arrived = 0;
	for (long i = 0; i < n; i++) {
		if (write(node[0], bench_data.report[i % BENCH_RING], sizeof bench_data.report[0]) < 0)
			bench_die("the node takes nothing");
		while (arrived <= i)
			uv_run(&pipe_.run.loop->uv, UV_RUN_ONCE);
	}
}

/* The device's thread, which asks the loop to read the node. */
static void *attach(void *arg)
{
	if (!hp_hid_onloop_attach(arg))
		bench_die("the loop does not read the node");
	atomic_store(&attached, true);
	return NULL;
}

void bench_rows_hid(void)
{
	pthread_t thread;
	char why[256];
	bench_pipe_open(&pipe_, "[input head]\nuse = synth\n[output a]\nuse = null\n");
	for (size_t i = 0; i < pipe_.run.nnodes; i++)
		if (pipe_.run.nodes[i]->kind == HP_OUTPUT)
			pipe_.run.nodes[i]->module = &counter;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, node))
		bench_die("no socket pair");
	reader.host = &pipe_.input->host;
	reader.node_fd = node[1];
	atomic_store(&reader.patience_ns, 3600000000000);
	reader.life.told_rate = true; /* nothing is logged after a second */
	if (tracker_open(&reader.life.tracker, &bench_data.descriptor, why, sizeof why))
		bench_die(why);
	tracker_connect(&reader.life.tracker, 0);
	hp_hid_onloop_open(&reader);
	if (pthread_create(&thread, NULL, attach, &reader))
		bench_die("no thread");
	while (!atomic_load(&attached))
		uv_run(&pipe_.run.loop->uv, UV_RUN_NOWAIT);
	pthread_join(thread, NULL);
	bench_add((struct bench_row){ "hid_read", "report in the node until the output has its sample, one thread",
	                              run_hid_read, NULL, NULL, 100, 14, true });
}

void bench_end_hid(void)
{
	hp_hid_onloop_close(&reader);
	hp_hid_onloop_free(&reader);
	bench_pipe_close(&pipe_);
	close(node[0]);
	close(node[1]);
}
