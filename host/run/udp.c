/* SPDX-License-Identifier: MIT
 * udp.c - datagrams: one unconnected, non-blocking socket per receiving host, shared by all outputs.
 *
 * Per host, because what waits for a machine that is switched off (until ARP gives up) counts against the socket's send
 * buffer: two of them would stop everything else that leaves by the same socket.
 *
 * Plain sendto() is the fastest way there is for two datagrams per sample, and an unconnected socket does not lose
 * every second datagram when nobody listens (a connected one reports the peer's refusal instead of sending). */
#include "udp.h"
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
		int fd;
	} at[];
};

struct socket {
	struct socket *next;
	struct sockaddr_storage host;
	int fd;
};

struct hp_udp_sockets {
	struct socket *first;    /* one per receiving host */
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

/* -1: errno says why. */
static int shared_socket(struct hp_run *run, const struct sockaddr_storage *host)
{
	int yes = 1;
	if (!run->udp && !(run->udp = calloc(1, sizeof *run->udp)))
		return -1;
	for (const struct socket *s = run->udp->first; s; s = s->next)
		if (same_host(&s->host, host))
			return s->fd;
	struct socket *s = malloc(sizeof *s);
	if (!s)
		return -1;
	s->host = *host;
	s->fd = socket(host->ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (s->fd < 0) {
		free(s);
		return -1;
	}
	setsockopt(s->fd, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
	s->next = run->udp->first;
	run->udp->first = s;
	return s->fd;
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
		t->fd = r ? -1 : shared_socket(n->run, &t->address);
		if (t->fd < 0) {
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

int hp_udp_send(struct hp_udp *u, const void *data, size_t size)
{
	int err = 0;
	for (uint32_t i = 0; i < u->n; i++) {
		const struct target *t = &u->at[i];
		if (sendto(t->fd, data, size, 0, (const struct sockaddr *)&t->address, t->size) < 0)
			err = -errno;
	}
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
