/* SPDX-License-Identifier: MIT
 * plain.c - the least that a program for the same job does: poll, read, decode, filter, encode, two sends. It stands
 * for the program that headpipe replaces, with headpipe's own decoding, filter and encoders, so that what differs is
 * the way between them. plain DESCRIPTOR-FILE OPENTRACK-PORT JSON-PORT, the node is descriptor $FAKE_NODE. */
#include "config/errors.h"
#include "config/options.h"
#include "headpipe.h"
#include "inputs/decode/tracker.h"
#include "pose/pose.h"
#include "pose/quat.h"
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

extern const struct hp_module hp_filter_orientation, hp_encoder_opentrack, hp_encoder_json;
static volatile sig_atomic_t stop;

static void on_term(int s)
{
	(void)s;
	stop = 1;
}

/* With every option's default, as the ini reader would set it. */
static void *state_of(const struct hp_module *m)
{
	static struct hp_section none = { .file = "plain", .kind = "filter", .name = "plain" };
	static struct hp_values values;
	struct hp_errors errors = { 0 };
	void *state = calloc(1, m->state_size + 1);
	if (m->options && hp_options_fill(m->options, state, &none, m->name, NULL, 0, &values, &errors) < 0)
		exit(2);
	return state;
}

int main(int argc, char **argv)
{
	static uint8_t descriptor[4096], data[4096], packet[4096];
	char why[200];
	struct tracker t;
	struct hp_hid_descriptor d = { 0 };
	struct hp_stream from = { .struct_size = sizeof from, .device = "Fake tracker", .serial = "1" };
	const char *node = getenv("FAKE_NODE");
	FILE *f = argc == 4 && node ? fopen(argv[1], "rb") : NULL;
	size_t size = f ? fread(descriptor, 1, sizeof descriptor, f) : 0;
	if (!size || hp_hid_descriptor_parse(&d, descriptor, size, why, sizeof why) < 0 ||
	    tracker_open(&t, &d, why, sizeof why) < 0)
		return 2;
	fclose(f);
	int fd = atoi(node), out = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	struct sockaddr_in to[2];
	for (int i = 0; i < 2; i++) {
		memset(&to[i], 0, sizeof to[i]);
		to[i].sin_family = AF_INET;
		to[i].sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		to[i].sin_port = htons((uint16_t)atoi(argv[2 + i]));
	}
	void *pose = state_of(&hp_filter_orientation), *ot = state_of(&hp_encoder_opentrack),
	     *json = state_of(&hp_encoder_json);
	if (hp_filter_orientation.open)
		hp_filter_orientation.open(pose, NULL);
	signal(SIGTERM, on_term);
	signal(SIGINT, on_term);
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	tracker_connect(&t, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
	while (!stop) {
		struct pollfd p = { fd, POLLIN, 0 };
		struct hp_sample s;
		bool reset;
		if (poll(&p, 1, -1) <= 0)
			continue;
		ssize_t n = read(fd, data, sizeof data);
		if (n <= 0)
			continue;
		clock_gettime(CLOCK_MONOTONIC, &now);
		int64_t ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
		if (!tracker_report(&t, ns, data, (size_t)n, &s, &reset))
			continue;
		s.arrival_ns = ns;
		hp_filter_orientation.filter(pose, &s);
		hp_sample_derive(&s);
		int k = hp_encoder_opentrack.encode(ot, &s, &from, packet, sizeof packet);
		if (k > 0)
			sendto(out, packet, (size_t)k, 0, (struct sockaddr *)&to[0], sizeof to[0]);
		k = hp_encoder_json.encode(json, &s, &from, packet, sizeof packet);
		if (k > 0)
			sendto(out, packet, (size_t)k, 0, (struct sockaddr *)&to[1], sizeof to[1]);
	}
	return 0;
}
