/* SPDX-License-Identifier: MIT
 * tcp_socket.c - TCP sockets for modules: names, listening, what every connection is set to. */
#include "tcp_socket.h"
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void say(const struct hp_host *h, const char *what, const struct hp_addr *a, const char *why)
{
	char text[512];
	snprintf(text, sizeof text, "%s%s port %u: %s", what, a->host, a->port, why);
	h->log(h, HP_LOG_ERROR, text);
}

void hp_tcp_name(const struct sockaddr_storage *a, socklen_t size, char *out, size_t room)
{
	char host[INET6_ADDRSTRLEN], port[8];
	if (getnameinfo((const struct sockaddr *)a, size, host, sizeof host, port, sizeof port,
	                NI_NUMERICHOST | NI_NUMERICSERV))
		snprintf(out, room, "unknown");
	else
		snprintf(out, room, "%s port %s", host, port);
}

int hp_tcp_resolve(const struct hp_host *h, const struct hp_addr *a, bool passive, struct sockaddr_storage *out,
                   socklen_t *size)
{
	char port[8];
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0) };
	struct addrinfo *list;
	snprintf(port, sizeof port, "%u", a->port);
	int r = getaddrinfo(a->host, port, &hints, &list);
	if (r) {
		say(h, "", a, r == EAI_SYSTEM ? strerror(errno) : gai_strerror(r));
		return -EADDRNOTAVAIL;
	}
	memcpy(out, list->ai_addr, list->ai_addrlen);
	*size = list->ai_addrlen;
	freeaddrinfo(list);
	return 0;
}

int hp_tcp_listen(const struct hp_host *h, const struct hp_addr *a)
{
	struct sockaddr_storage address;
	socklen_t size;
	int yes = 1, r = hp_tcp_resolve(h, a, true, &address, &size);
	if (r < 0)
		return r;
	int fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
	if (bind(fd, (const struct sockaddr *)&address, size) < 0 || listen(fd, 16) < 0) {
		r = -errno;
		say(h, "listen = ", a, strerror(-r));
		close(fd);
		return r;
	}
	return fd;
}

void hp_tcp_prepare(int fd, int buffer)
{
	int yes = 1;
	/* a pose must not wait for the next one; and no more than `buffer` may be under way, or a slow peer would see
	 * poses that are many seconds old before anybody noticed */
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof buffer);
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
}

int hp_tcp_forget_input(int fd)
{
	char scratch[4096];
	for (int turns = 0; turns < 16; turns++) {
		ssize_t n = recv(fd, scratch, sizeof scratch, 0);
		if (n == 0)
			return -ECONNRESET;
		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	}
	return 0;
}
