/* SPDX-License-Identifier: MIT
 * rows_udp.c - two datagrams per sample over loopback: the floor (two bare sendto), the outputs alone, and everything
 * from the report on. "bound": somebody has the ports open (the bench, which empties them between batches);
 * "unbound": nobody has. */
#include "../tests/plain/plain_hid.h"
#include "../tests/plain/pose.h"
#include "../tests/plain/text.h"
#include "bench.h"
#include "inputs/decode/tracker.h"
#include "pipe.h"
#include "run/output.h"
#include "run/pipeline.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Fewer datagrams than a receive buffer of the usual size holds (each is charged with 768 bytes and more). */
enum { BATCH = 100 };

static struct bench_pipe bound, unbound;
static struct tracker bound_tracker, unbound_tracker;
static struct hp_node *outputs[2];
static int receivers[2], sender;
static struct sockaddr_in bound_to[2], unbound_to[2];
static size_t json_size;
static int64_t bound_ns, unbound_ns;
static struct plain_orientation plain_bound, plain_unbound;

static int receiver(struct sockaddr_in *at)
{
	socklen_t size = sizeof *at;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	*at = (struct sockaddr_in){ .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	if (fd < 0 || bind(fd, (struct sockaddr *)at, sizeof *at) || getsockname(fd, (struct sockaddr *)at, &size))
		bench_die("no socket");
	return fd;
}

static void empty_receivers(void)
{
	char data[2048];
	for (int i = 0; i < 2; i++)
		while (recv(receivers[i], data, sizeof data, 0) >= 0)
			;
}

static void floor_of(const struct sockaddr_in *to, long n)
{
	static const char data[4096];
	for (long i = 0; i < n; i++) {
		ssize_t a = sendto(sender, data, 48, 0, (const struct sockaddr *)&to[0], sizeof to[0]);
		ssize_t b = sendto(sender, data, json_size, 0, (const struct sockaddr *)&to[1], sizeof to[1]);
		bench_sink += (uint64_t)(a + b);
	}
}
static void run_udp_floor_bound(long n)
{
	floor_of(bound_to, n);
}
static void run_udp_floor_unbound(long n)
{
	floor_of(unbound_to, n);
}

static void run_udp_output_bound(long n)
{
	for (long i = 0; i < n; i++) {
		struct hp_sample s = bench_data.filtered[i % BENCH_RING];
		hp_output_put(outputs[0], &s);
		hp_output_put(outputs[1], &s);
	}
}

static void e2e(struct bench_pipe *p, struct tracker *t, int64_t *time_ns, long n)
{
	for (long i = 0; i < n; i++) {
		struct hp_sample s;
		bool reset;
		*time_ns += 10000000;
		if (tracker_report(t, *time_ns, bench_data.report[i % BENCH_RING], 14, &s, &reset) == 1) {
			struct hp_item item = { .struct_size = sizeof item, .nsamples = 1, .samples = &s };
			s.arrival_ns = 1; /* an input stamps it; the clock is not part of the work */
			hp_pipeline_emit(p->input, &item);
		}
	}
}
static void run_e2e_bound(long n)
{
	e2e(&bound, &bound_tracker, &bound_ns, n);
}
static void run_e2e_unbound(long n)
{
	e2e(&unbound, &unbound_tracker, &unbound_ns, n);
}

/* The same by the plain implementations and two bare sendto. */
static void plain_e2e(struct plain_orientation *filter, const struct sockaddr_in *to, long n)
{
	for (long i = 0; i < n; i++) {
		struct plain_pose p = plain_report(&bench_data.descriptor, bench_data.report[i % BENCH_RING], 14);
		struct hp_sample s = bench_data.raw[i % BENCH_RING];
		uint8_t datagram[48];
		char json[4096];
		memcpy(s.rotvec, p.rotation, sizeof s.rotvec);
		memcpy(s.gyro, p.gyro, sizeof s.gyro);
		plain_orientation(filter, &s);
		plain_opentrack(&s, datagram);
		int size = plain_json(&s, bench_data.stream.device, json, sizeof json);
		ssize_t a = sendto(sender, datagram, sizeof datagram, 0, (const struct sockaddr *)&to[0], sizeof to[0]);
		ssize_t b = sendto(sender, json, (size_t)size, 0, (const struct sockaddr *)&to[1], sizeof to[1]);
		bench_sink += (uint64_t)(a + b);
	}
}
static void plain_e2e_bound(long n)
{
	plain_e2e(&plain_bound, bound_to, n);
}
static void plain_e2e_unbound(long n)
{
	plain_e2e(&plain_unbound, unbound_to, n);
}

static void open_pipe(struct bench_pipe *p, struct tracker *t, const struct sockaddr_in to[2])
{
	char ini[512], why[256];
	snprintf(ini, sizeof ini,
	         "[input head]\nuse = synth\n[filter pose]\nuse = orientation\n[output game]\nuse = opentrack_udp\n"
	         "to = 127.0.0.1:%u\n[output telemetry]\nuse = json_udp\nto = 127.0.0.1:%u\n",
	         ntohs(to[0].sin_port), ntohs(to[1].sin_port));
	bench_pipe_open(p, ini);
	if (tracker_open(t, &bench_data.descriptor, why, sizeof why))
		bench_die(why);
	tracker_connect(t, 0);
}

void bench_rows_udp(void)
{
	double sum = 0;
	char data[4096];
	plain_orientation_init(&plain_bound);
	plain_orientation_init(&plain_unbound);
	for (int i = 0; i < 2; i++) {
		receivers[i] = receiver(&bound_to[i]);
		close(receiver(&unbound_to[i]));
	}
	sender = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	open_pipe(&bound, &bound_tracker, bound_to);
	open_pipe(&unbound, &unbound_tracker, unbound_to);
	for (size_t i = 0, k = 0; i < bound.run.nnodes && k < 2; i++)
		if (bound.run.nodes[i]->kind == HP_OUTPUT)
			outputs[k++] = bound.run.nodes[i];
	/* the floor sends what the outputs send, on average, and only counts if it arrives */
	for (int round = 0; round < BENCH_RING / 64; round++) {
		e2e(&bound, &bound_tracker, &bound_ns, 64);
		for (int i = 0; i < 64; i++) {
			ssize_t a = recv(receivers[0], data, sizeof data, 0),
			        b = recv(receivers[1], data, sizeof data, 0);
			if (a != 48 || b <= 0)
				bench_die("a datagram did not arrive");
			sum += (double)b;
		}
	}
	json_size = (size_t)(sum / BENCH_RING + 0.5);
	double bytes = 48 + sum / BENCH_RING;
	bench_add((struct bench_row){ "udp_floor_bound", "two bare sendto of the same lengths, receiver bound",
	                              run_udp_floor_bound, NULL, empty_receivers, BATCH, bytes, false });
	bench_add((struct bench_row){ "udp_output_bound", "both outputs: encode and send, receiver bound",
	                              run_udp_output_bound, NULL, empty_receivers, BATCH, bytes, false });
	bench_add((struct bench_row){ "e2e_bound", "report to both datagrams, receiver bound; plain: all plain forms",
	                              run_e2e_bound, plain_e2e_bound, empty_receivers, BATCH, bytes, true });
	bench_add((struct bench_row){ "udp_floor_unbound", "two bare sendto of the same lengths, nobody there",
	                              run_udp_floor_unbound, NULL, NULL, BATCH, bytes, false });
	bench_add((struct bench_row){ "e2e_unbound", "report to both datagrams, nobody there; plain: all plain forms",
	                              run_e2e_unbound, plain_e2e_unbound, NULL, BATCH, bytes, false });
}

void bench_end_udp(void)
{
	bench_pipe_close(&bound);
	bench_pipe_close(&unbound);
	close(receivers[0]);
	close(receivers[1]);
	close(sender);
}
