/* SPDX-License-Identifier: MIT
 * tcp.c - any encoding over TCP, as a server for many clients or as a client of one or several servers.
 *
 * Nothing here waits: a peer that does not keep up is disconnected. All sockets sit in one epoll set of their own,
 * edge-triggered, so that the loop watches a single descriptor and wakes only when something happens.
 * More than 400 lines: server and client are one set of peers with the same events. */
#define _GNU_SOURCE /* accept4 */
#include "api/builtin.h"
#include "headpipe.h"
#include "io/framing.h"
#include "io/outflow.h"
#include "io/tcp_socket.h"
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { RECORD_MAX = 64 * 1024, LISTENERS = 8, PEERS_MAX = 1000, QUIET_AFTER = 5 };
static const int64_t first_wait = 250000000, longest_wait = 5000000000, long_enough = 10000000000;

enum state { FREE, CONNECTING, OPEN };
struct peer {
	enum state state;
	struct hp_outflow out;
	char name[INET6_ADDRSTRLEN + 16];
	/* as a client */
	struct sockaddr_storage address;
	socklen_t address_size;
	int64_t wait, again; /* back-off, and when to try next */
	int64_t since;       /* when the connection was made */
	int brief;           /* connections in a row that did not last */
	bool told;           /* the trouble was logged already */
};
struct tcp {
	struct hp_addrs listen, to;
	int framing, clients, buffer;

	const struct hp_host *host;
	struct hp_watch *watch;
	struct hp_timer *timer; /* client: the next attempt */
	int epoll_fd, nlisteners, listeners[LISTENERS];
	int spare_fd; /* given up for a moment to turn a client away when no descriptor is left; -1 = none */
	struct peer *peers;
	uint32_t npeers, open;
	uint64_t served, slow, refused;
	uint8_t frame[RECORD_MAX];
};
static const struct hp_option options[] = {
	HP_OPT_ADDRS(struct tcp, listen, "", "server: where to listen; [::]:4245 or 0.0.0.0:4245 is every interface"),
	HP_OPT_ADDRS(struct tcp, to, "", "client: one or several servers; names are looked up once, at start"),
	HP_OPT_ENUM(struct tcp, framing, "lines", HP_FRAMINGS, HP_FRAMING_DOC),
	HP_OPT_INT(struct tcp, clients, "16", 1, PEERS_MAX, "server: how many clients at once"),
	HP_OPT_INT(
	    struct tcp, buffer, "128", 64, 65536,
	    "KiB that may wait for one peer, beside as much in the kernel; a peer further behind is disconnected", 0,
	    "KiB", 64, 1024),
	HP_OPT_END
};

static int tcp_check(const void *self, const char **key, char *why, size_t size)
{
	const struct tcp *t = self;
	*key = "listen";
	if (!t->listen.n == !t->to.n)
		snprintf(why, size, "give either listen (server) or to (client)");
	else if (t->listen.n > LISTENERS)
		*key = "listen", snprintf(why, size, "at most %d addresses", LISTENERS);
	else
		return 0;
	return -EINVAL;
}

__attribute__((format(printf, 3, 4))) static void say(struct tcp *t, enum hp_level level, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	t->host->log(t->host, level, text);
}

static int add_to_epoll(struct tcp *t, int fd, uint32_t id, uint32_t events)
{
	struct epoll_event e = { .events = events, .data.u32 = id };
	return epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &e) < 0 ? -errno : 0;
}

enum { ALL = (int)(EPOLLIN | EPOLLOUT | EPOLLRDHUP) };

/* ---- a peer's life ---------------------------------------------------------------------------------------------- */

static void plan(struct tcp *t)
{
	int64_t next = -1;
	for (uint32_t i = 0; i < t->npeers; i++)
		if (t->peers[i].state == FREE && (next < 0 || t->peers[i].again < next))
			next = t->peers[i].again;
	t->host->timer_at(t->timer, next);
}

static void drop(struct tcp *t, struct peer *p, const char *why)
{
	bool was_open = p->state == OPEN;
	close(p->out.fd); /* this also takes it out of the epoll set */
	hp_outflow_start(&p->out, -1);
	p->state = FREE;
	t->open -= was_open;
	if (!t->to.n) {
		say(t, HP_LOG_INFO, "client %s: %s", p->name, why);
		return;
	}
	int64_t now = t->host->now(t->host);
	p->wait = p->wait * 2 < longest_wait ? p->wait * 2 : longest_wait;
	if (was_open && now - p->since >= long_enough) {
		p->wait = first_wait;
		p->brief = 0;
		p->told = false;
	} else if (was_open && ++p->brief <= QUIET_AFTER) {
		p->told = false;
	}
	if (!p->told)
		say(t, HP_LOG_WARN, "%s: %s%s", p->name, why,
		    p->brief < QUIET_AFTER ? "; trying again until it answers"
		                           : ", as it keeps doing; trying again every few seconds without a word");
	p->told = true;
	p->again = now + p->wait;
	plan(t);
}

static void opened(struct tcp *t, struct peer *p)
{
	p->state = OPEN;
	p->since = t->host->now(t->host);
	t->open++;
	t->served++;
	if (!t->to.n) {
		say(t, HP_LOG_INFO, "client %s: connected", p->name);
		return;
	}
	if (!p->brief)
		p->wait = first_wait / 2;
	if (p->brief < QUIET_AFTER)
		say(t, HP_LOG_INFO, "connected to %s", p->name);
}

static void connect_peer(struct tcp *t, struct peer *p)
{
	int fd = socket(p->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	hp_outflow_start(&p->out, fd);
	p->state = CONNECTING;
	if (fd < 0) {
		drop(t, p, strerror(errno));
		return;
	}
	hp_tcp_prepare(fd, t->buffer * 1024);
	if (connect(fd, (const struct sockaddr *)&p->address, p->address_size) < 0 && errno != EINPROGRESS) {
		drop(t, p, strerror(errno));
		return;
	}
	int r = add_to_epoll(t, fd, LISTENERS + (uint32_t)(p - t->peers), (uint32_t)ALL | EPOLLET);
	if (r < 0)
		drop(t, p, strerror(-r));
}

static void try_again(void *arg)
{
	struct tcp *t = arg;
	int64_t now = t->host->now(t->host);
	for (uint32_t i = 0; i < t->npeers; i++)
		if (t->peers[i].state == FREE && t->peers[i].again <= now)
			connect_peer(t, &t->peers[i]);
	plan(t);
}

/* A client that nobody accepts keeps the listener readable: the loop would never sleep again. */
static int accept_and_close(struct tcp *t, int listener)
{
	if (t->spare_fd >= 0)
		close(t->spare_fd);
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	t->spare_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	return fd;
}

static void accept_one(struct tcp *t, int listener)
{
	struct sockaddr_storage a;
	socklen_t size = sizeof a;
	struct peer *p = NULL;
	int fd = accept4(listener, (struct sockaddr *)&a, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
	if (fd < 0 && (errno == EMFILE || errno == ENFILE)) {
		if (accept_and_close(t, listener) >= 0 && t->refused++ == 0)
			say(t, HP_LOG_WARN,
			    "no file descriptor is left: the newest client is turned away (see `ulimit -n`)");
		return;
	}
	if (fd < 0)
		return; /* it has gone again */
	for (uint32_t i = 0; i < t->npeers && !p; i++)
		if (t->peers[i].state == FREE)
			p = &t->peers[i];
	if (!p) {
		close(fd);
		if (t->refused++ == 0)
			say(t, HP_LOG_WARN, "more than %d clients: the newest is turned away (raise `clients`)",
			    t->clients);
		return;
	}
	hp_tcp_name(&a, size, p->name, sizeof p->name);
	hp_tcp_prepare(fd, t->buffer * 1024);
	hp_outflow_start(&p->out, fd);
	opened(t, p);
	int r = add_to_epoll(t, fd, LISTENERS + (uint32_t)(p - t->peers), (uint32_t)ALL | EPOLLET);
	if (r < 0)
		drop(t, p, strerror(-r));
}

/* ---- events ----------------------------------------------------------------------------------------------------- */

static void peer_ready(struct tcp *t, struct peer *p, uint32_t events)
{
	int error = 0;
	socklen_t size = sizeof error;
	if (p->state == FREE)
		return;
	if (p->state == CONNECTING) {
		if (!(events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
			return;
		getsockopt(p->out.fd, SOL_SOCKET, SO_ERROR, &error, &size);
		if (error) {
			drop(t, p, strerror(error));
			return;
		}
		opened(t, p);
	}
	if (events & EPOLLIN)
		error = hp_tcp_forget_input(p->out.fd);
	if (events & (EPOLLRDHUP | EPOLLHUP) || error == -ECONNRESET)
		drop(t, p, "has closed the connection");
	else if (error < 0 || (error = hp_outflow_flush(&p->out)) < 0)
		drop(t, p, strerror(-error));
}

static void ready(void *arg, unsigned what)
{
	struct tcp *t = arg;
	struct epoll_event events[32];
	(void)what;
	int n = epoll_wait(t->epoll_fd, events, 32, 0);
	for (int i = 0; i < n; i++) {
		uint32_t id = events[i].data.u32;
		if (id < LISTENERS)
			accept_one(t, t->listeners[id]);
		else
			peer_ready(t, &t->peers[id - LISTENERS], events[i].events);
	}
}

/* ---- module ----------------------------------------------------------------------------------------------------- */

static int listen_on(struct tcp *t, const struct hp_addr *a)
{
	int fd = hp_tcp_listen(t->host, a);
	if (fd < 0)
		return fd;
	t->listeners[t->nlisteners++] = fd;
	return add_to_epoll(t, fd, (uint32_t)t->nlisteners - 1, EPOLLIN);
}

static void release(struct tcp *t)
{
	for (uint32_t i = 0; i < t->npeers; i++) {
		if (t->peers[i].state != FREE) {
			shutdown(t->peers[i].out.fd, SHUT_WR);
			close(t->peers[i].out.fd);
		}
		hp_outflow_free(&t->peers[i].out);
	}
	free(t->peers);
	t->peers = NULL;
	t->npeers = t->open = 0;
	while (t->nlisteners)
		close(t->listeners[--t->nlisteners]);
	if (t->spare_fd >= 0)
		close(t->spare_fd);
	if (t->epoll_fd >= 0)
		close(t->epoll_fd);
	t->spare_fd = t->epoll_fd = -1;
}

static int set_up(struct tcp *t)
{
	uint32_t n = t->to.n ? t->to.n : (uint32_t)t->clients;
	t->spare_fd = t->listen.n ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
	t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (t->epoll_fd < 0)
		return -errno;
	t->peers = calloc(n, sizeof *t->peers);
	if (!t->peers)
		return -ENOMEM;
	for (; t->npeers < n; t->npeers++) {
		int r = hp_outflow_init(&t->peers[t->npeers].out, (size_t)t->buffer * 1024 + HP_FRAMING_EXTRA);
		if (r < 0)
			return r;
	}
	t->watch = t->host->watch(t->host, t->epoll_fd, HP_READABLE, ready, t);
	t->timer = t->host->timer(t->host, try_again, t);
	if (!t->watch || !t->timer)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->listen.n; i++) {
		int r = listen_on(t, &t->listen.at[i]);
		if (r < 0)
			return r;
	}
	for (uint32_t i = 0; i < t->to.n; i++) {
		struct peer *p = &t->peers[i];
		int r = hp_tcp_resolve(t->host, &t->to.at[i], false, &p->address, &p->address_size);
		if (r < 0)
			return r;
		hp_tcp_name(&p->address, p->address_size, p->name, sizeof p->name);
		p->wait = first_wait / 2; /* the first failure makes it first_wait */
		p->again = t->host->now(t->host);
	}
	return 0;
}

static int tcp_open(void *self, const struct hp_host *host)
{
	struct tcp *t = self;
	t->host = host;
	int r = set_up(t);
	if (r < 0) {
		if (t->watch)
			host->unwatch(t->watch);
		release(t);
		return r;
	}
	if (t->to.n)
		try_again(t);
	return 0;
}

static int tcp_send(void *self, const void *data, size_t size)
{
	struct tcp *t = self;
	int taken = 0;
	if (!t->open)
		return HP_DROP;
	long n = hp_frame((enum hp_framing)t->framing, data, size, t->frame, sizeof t->frame);
	if (n < 0) {
		t->host->fail(t->host, (int)-n, hp_framing_error(n));
		return HP_DROP;
	}
	for (uint32_t i = 0; i < t->npeers; i++) {
		struct peer *p = &t->peers[i];
		if (p->state != OPEN)
			continue;
		int r = hp_outflow_put(&p->out, t->frame, (size_t)n);
		taken += r == 0;
		if (r == -ENOBUFS) {
			t->slow++;
			drop(t, p, "is too slow and was disconnected");
		} else if (r < 0) {
			drop(t, p, r == -EPIPE || r == -ECONNRESET ? "has closed the connection" : strerror(-r));
		}
	}
	return taken ? 0 : HP_DROP; /* sent when somebody has it */
}

/* What still waits goes out as far as the kernel takes it. */
static void tcp_stop(void *self)
{
	struct tcp *t = self;
	for (uint32_t i = 0; i < t->npeers; i++)
		if (t->peers[i].state == OPEN)
			hp_outflow_flush(&t->peers[i].out);
}

static void tcp_close(void *self)
{
	struct tcp *t = self;
	if (t->slow || t->refused)
		say(t, HP_LOG_WARN, "%llu connections, %llu ended because the peer was too slow, %llu turned away",
		    (unsigned long long)t->served, (unsigned long long)t->slow, (unsigned long long)t->refused);
	release(t);
}

HP_MODULE(tcp) = {
	HP_MODULE_HEAD,
	.kind = HP_OUTPUT,
	.traits = HP_OPENS_AGAIN,
	.name = "tcp",
	.summary = "any encoding over TCP, as a server for many clients or as a client",
	.options = options,
	.state_size = sizeof(struct tcp),
	.check = tcp_check,
	.open = tcp_open,
	.send = tcp_send,
	.stop = tcp_stop,
	.close = tcp_close,
	.encoding = "json",
};
