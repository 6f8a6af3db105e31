/* SPDX-License-Identifier: MIT
 * udp_catch.c - writes every datagram that arrives on some loopback ports as "port hex" lines, for byte comparison.
 * usage: udp_catch FILE PORT...     ends on SIGTERM, after what is queued was read */
#include <arpa/inet.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PORTS = 8 };
static volatile sig_atomic_t quit;

static void on_signal(int s)
{
	(void)s;
	quit = 1;
}

static void drain(int fd, const char *port, FILE *out)
{
	unsigned char b[65536];
	ssize_t n;
	while ((n = recv(fd, b, sizeof b, MSG_DONTWAIT)) >= 0) {
		fprintf(out, "%s ", port);
		for (ssize_t i = 0; i < n; i++)
			fprintf(out, "%02x", b[i]);
		fputc('\n', out);
	}
}

int main(int argc, char **argv)
{
	struct pollfd p[PORTS];
	int n = argc - 2;
	FILE *out = n >= 1 && n <= PORTS ? fopen(argv[1], "w") : NULL;
	if (!out)
		return fprintf(stderr, "usage: udp_catch FILE PORT...\n"), 2;
	struct sigaction sa = { .sa_handler = on_signal };
	sigaction(SIGTERM, &sa, NULL);
	for (int i = 0; i < n; i++) {
		struct sockaddr_in a = { .sin_family = AF_INET,
			                 .sin_port = htons((uint16_t)atoi(argv[2 + i])),
			                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		int room = 4 << 20, fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
		setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
		if (fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof a) < 0)
			return perror(argv[2 + i]), 1;
		p[i] = (struct pollfd){ fd, POLLIN, 0 };
	}
	while (!quit)
		if (poll(p, (nfds_t)n, -1) > 0)
			for (int i = 0; i < n; i++)
				drain(p[i].fd, argv[2 + i], out);
	for (int i = 0; i < n; i++)
		drain(p[i].fd, argv[2 + i], out);
	return fclose(out) ? 1 : 0;
}
