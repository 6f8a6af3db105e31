/* SPDX-License-Identifier: MIT
 * udp_socket.c - datagrams: one unconnected, non-blocking socket per receiving host, shared by all outputs; for ports of this
 * machine a connected socket each, which shares the source port of the host's.
 *
 * Per host, because what waits for a machine that is switched off (until ARP gives up) counts against the socket's send
 * buffer: two of them would stop everything else that leaves by the same socket.
 *
 * Connected, because the kernel then looks up the way only once. A connected socket reports that nobody listened to an
 * earlier datagram instead of sending the next one; that one, and some more, then leave by the host's socket, which is
 * told nothing, so no datagram is lost for the report. Only loopback: elsewhere a connected socket would keep the
 * source address that it had at the start, whatever network the machine has moved to, and could not be opened before
 * there is one. */
#include "udp_socket.h"
#include "base/clock.h"
#include "complain.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct hp_udp {
	struct hp_udp *next;
	struct hp_node *node;
	uint32_t n;
	struct target {
		struct sockaddr_storage address;
		socklen_t size;
		int fd, own_fd; /* the host's; the connected one, or -1 */
		uint32_t wait;  /* so many datagrams take the host's socket before the connected one is tried again */
	} at[];
};

struct socket {
	struct socket *next;
	struct sockaddr_storage host;
	socklen_t size; /* of the address */
	bool connected; /* to this address; else for all ports of the host */
	int fd;
};

struct hp_udp_sockets {
	struct socket *first;    /* one per receiving host, and the connected ones */
	int64_t behind_since_ns; /* since when a receiver is behind; 0 = none is */
};

static bool same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b)
{
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;
	if (a->ss_family != b->ss_family)
		return false;
	if (a->ss_family == AF_INET)
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	return a6->sin6_scope_id == b6->sin6_scope_id && !memcmp(&a6->sin6_addr, &b6->sin6_addr, 16);
}

static bool is_loopback(const struct sockaddr_storage *a)
{
	if (a->ss_family == AF_INET)
		return ntohl(((const struct sockaddr_in *)(const void *)a)->sin_addr.s_addr) >> 24 == 127;
	return a->ss_family == AF_INET6 &&
	       IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr);
}

static in_port_t *port_of(struct sockaddr_storage *a)
{
	return a->ss_family == AF_INET ? &((struct sockaddr_in *)(void *)a)->sin_port
	                               : &((struct sockaddr_in6 *)(void *)a)->sin6_port;
}

static int open_socket(int family)
{
	return socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Takes fd. */
static const struct socket *keep(struct hp_run *run, int fd, const struct target *t, bool connected)
{
	struct socket *s = malloc(sizeof *s);
	if (!s) {
		close(fd);
		return NULL;
	}
	*s = (struct socket){ run->udp->first, t->address, t->size, connected, fd };
	run->udp->first = s;
	return s;
}

/* NULL: errno says why. */
static const struct socket *socket_of_host(struct hp_run *run, const struct target *t)
{
	int yes = 1;
	for (const struct socket *s = run->udp->first; s; s = s->next)
		if (!s->connected && same_host(&s->host, &t->address))
			return s;
	int fd = open_socket(t->address.ss_family);
	if (fd < 0)
		return NULL;
	setsockopt(fd, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
	return keep(run, fd, t, false);
}

/* A socket that is connected to the target and has the source port of `host`; NULL: the one of the host will do. */
static const struct socket *socket_of_target(struct hp_run *run, const struct target *t, const struct socket *host)
{
	struct sockaddr_storage from = { .ss_family = t->address.ss_family };
	socklen_t size = sizeof from;
	int yes = 1;
	for (const struct socket *s = run->udp->first; s; s = s->next)
		if (s->connected && s->size == t->size && !memcmp(&s->host, &t->address, t->size))
			return s;
	/* The port is given before it may be shared, so that it is nobody else's. */
	if (getsockname(host->fd, (struct sockaddr *)&from, &size) < 0 ||
	    (!*port_of(&from) && (bind(host->fd, (struct sockaddr *)&from, size) < 0 ||
	                          getsockname(host->fd, (struct sockaddr *)&from, &size) < 0)) ||
	    setsockopt(host->fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0)
		return NULL;
	int fd = open_socket(t->address.ss_family);
	if (fd < 0)
		return NULL;
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) < 0 ||
	    bind(fd, (struct sockaddr *)&from, size) < 0 ||
	    connect(fd, (const struct sockaddr *)&t->address, t->size) < 0) {
		close(fd);
		return NULL;
	}
	return keep(run, fd, t, true);
}

/* Sets fd and own_fd; -1: errno says why. */
static int open_target(struct hp_run *run, struct target *t)
{
	if (!run->udp && !(run->udp = calloc(1, sizeof *run->udp)))
		return -1;
	const struct socket *host = socket_of_host(run, t), *own = NULL;
	if (!host)
		return -1;
	if (is_loopback(&t->address))
		own = socket_of_target(run, t, host);
	t->fd = host->fd;
	t->own_fd = own ? own->fd : -1;
	return 0;
}

/* Numbers never ask a name server; of a name's addresses IPv4 is preferred, since that is where sims listen. */
static int resolve(const struct hp_addr *a, struct target *t)
{
	char port[8];
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV }, *list,
	                *best;
	snprintf(port, sizeof port, "%u", a->port);
	int r = getaddrinfo(a->host, port, &hints, &list);
	if (r == EAI_NONAME) {
		hints.ai_flags = AI_NUMERICSERV;
		r = getaddrinfo(a->host, port, &hints, &list);
	}
	if (r)
		return r;
	best = list;
	for (struct addrinfo *i = list; i; i = i->ai_next)
		if (i->ai_family == AF_INET) {
			best = i;
			break;
		}
	memcpy(&t->address, best->ai_addr, best->ai_addrlen);
	t->size = best->ai_addrlen;
	freeaddrinfo(list);
	return 0;
}

struct hp_udp *hp_udp_open(const struct hp_host *h, const struct hp_addrs *addrs)
{
	struct hp_node *n = hp_node_of(h);
	struct hp_udp *u = calloc(1, sizeof *u + addrs->n * sizeof *u->at);
	if (!u)
		return NULL;
	for (u->n = 0; u->n < addrs->n; u->n++) {
		const struct hp_addr *a = &addrs->at[u->n];
		struct target *t = &u->at[u->n];
		int r = resolve(a, t);
		if (r || open_target(n->run, t) < 0) {
			int err = r ? EADDRNOTAVAIL : errno;
			char text[512];
			snprintf(text, sizeof text, "%s port %u: %s", a->host, a->port,
			         r && r != EAI_SYSTEM ? gai_strerror(r) : strerror(errno));
			hp_complain(n, text);
			free(u);
			errno = err;
			return NULL;
		}
	}
	u->node = n;
	u->next = n->handles.udps;
	n->handles.udps = u;
	return u;
}

/* While nobody listens, asking whether somebody does costs a call; so not for every datagram. */
enum { REFUSED_WAIT = 64 };

static ssize_t send_to(struct target *t, const void *data, size_t size)
{
	if (t->own_fd >= 0) {
		if (t->wait) {
			t->wait--;
		} else {
			ssize_t r = send(t->own_fd, data, size, 0);
			if (r >= 0 || errno == EAGAIN)
				return r;
			t->wait = REFUSED_WAIT;
		}
	}
	return sendto(t->fd, data, size, 0, (const struct sockaddr *)&t->address, t->size);
}

int hp_udp_send(struct hp_udp *u, const void *data, size_t size)
{
	int err = 0;
	for (uint32_t i = 0; i < u->n; i++)
		if (send_to(&u->at[i], data, size) < 0)
			err = -errno;
	return err;
}

/* The sockets stay: other sections may use them. */
void hp_udp_close(struct hp_udp *u)
{
	if (!u)
		return;
	struct hp_udp **at = &u->node->handles.udps;
	while (*at != u)
		at = &(*at)->next;
	*at = u->next;
	free(u);
}

void hp_udp_free_all(struct hp_node *n)
{
	while (n->handles.udps)
		hp_udp_close(n->handles.udps);
}

void hp_udp_close_sockets(struct hp_run *run)
{
	while (run->udp && run->udp->first) {
		struct socket *s = run->udp->first;
		run->udp->first = s->next;
		close(s->fd);
		free(s);
	}
	free(run->udp);
	run->udp = NULL;
}

/* ---- receivers on this machine -------------------------------------------------------------------------------------
 * A replay at full speed is faster than most programs can read; the kernel then drops datagrams at the receiver
 * without telling the sender. /proc/net/udp shows how much every local socket has unread. */

enum { BUSY_BYTES = 48 * 1024 }; /* a quarter of the usual receive buffer */

static bool port_is_ours(const struct hp_run *run, unsigned port)
{
	for (size_t i = 0; i < run->nnodes; i++)
		for (const struct hp_udp *u = run->nodes[i]->handles.udps; u; u = u->next)
			for (uint32_t k = 0; k < u->n; k++) {
				const struct sockaddr_in *v4 = (const void *)&u->at[k].address;
				const struct sockaddr_in6 *v6 = (const void *)&u->at[k].address;
				if (ntohs(v4->sin_family == AF_INET ? v4->sin_port : v6->sin6_port) == port)
					return true;
			}
	return false;
}

static bool busy_in(const struct hp_run *run, const char *path)
{
	char line[512];
	bool busy = false;
	FILE *f = fopen(path, "re");
	while (f && !busy && fgets(line, sizeof line, f)) {
		unsigned port, unread;
		if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %*x %*x:%x", &port, &unread) == 2)
			busy = unread > BUSY_BYTES && port_is_ours(run, port);
	}
	if (f)
		fclose(f);
	return busy;
}

/* A receiver that does not read at all must not hold a replay up for ever. */
enum { PATIENCE_NS = 500000000 };

bool hp_udp_behind(const struct hp_host *h)
{
	struct hp_run *run = hp_node_of(h)->run;
	if (!run->udp)
		return false;
	bool busy = busy_in(run, "/proc/net/udp") || busy_in(run, "/proc/net/udp6");
	if (!busy) {
		run->udp->behind_since_ns = 0;
		return false;
	}
	int64_t now = hp_now();
	if (!run->udp->behind_since_ns)
		run->udp->behind_since_ns = now;
	return now - run->udp->behind_since_ns < PATIENCE_NS;
}
