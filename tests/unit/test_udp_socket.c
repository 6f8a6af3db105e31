/* SPDX-License-Identifier: MIT
 * test_udp_socket.c - which addresses share a socket: those of one host, whatever the port; of a link-local one in IPv6 only
 * on the same interface. Ports of this machine have a connected socket each, and no datagram is lost for it whether
 * somebody listens, nobody, or somebody later. */
#include "run/udp_socket.c"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct sockaddr_storage address(const char *host, uint16_t port, uint32_t scope)
{
	struct sockaddr_storage s = { 0 };
	if (strchr(host, ':')) {
		struct sockaddr_in6 *six = (void *)&s;
		*six =
		    (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_scope_id = scope };
		assert_int_equal(inet_pton(AF_INET6, host, &six->sin6_addr), 1);
	} else {
		struct sockaddr_in *four = (void *)&s;
		*four = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
		assert_int_equal(inet_pton(AF_INET, host, &four->sin_addr), 1);
	}
	return s;
}
static bool same(struct sockaddr_storage a, struct sockaddr_storage b)
{
	assert_int_equal(same_host(&a, &b), same_host(&b, &a));
	return same_host(&a, &b);
}

static void hosts(void **unused)
{
	(void)unused;
	assert_true(same(address("127.0.0.1", 1, 0), address("127.0.0.1", 2, 0)));
	assert_false(same(address("127.0.0.1", 1, 0), address("127.0.0.2", 1, 0)));
	assert_true(same(address("fe80::1", 1, 3), address("fe80::1", 2, 3)));
	assert_false(same(address("fe80::1", 1, 3), address("fe80::1", 1, 4)));
	assert_false(same(address("fe80::1", 1, 3), address("fe80::2", 1, 3)));
	assert_false(same(address("::1", 1, 0), address("127.0.0.1", 1, 0)));
	assert_false(same(address("::ffff:127.0.0.1", 1, 0), address("127.0.0.1", 1, 0)));
}

static socklen_t size_of(const struct sockaddr_storage *a)
{
	return a->ss_family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

static int socket_for(struct hp_run *run, struct sockaddr_storage address)
{
	struct target t = { .address = address, .size = size_of(&address) };
	if (open_target(run, &t) < 0)
		return -1;
	assert_int_equal(t.own_fd, -1);
	return t.fd;
}

/* Two link-local receivers of one address behind two interfaces: one socket each. */
static void sockets(void **unused)
{
	struct hp_run run = { 0 };
	(void)unused;
	int first = socket_for(&run, address("fe80::1", 1, 3));
	if (first < 0 && errno == EAFNOSUPPORT) {
		hp_udp_close_sockets(&run);
		skip();
	}
	assert_true(first >= 0);
	int second = socket_for(&run, address("fe80::1", 1, 4));
	assert_true(second >= 0 && second != first);
	assert_int_equal(socket_for(&run, address("fe80::1", 9, 3)), first);
	/* elsewhere than on this machine, and for many at once, nothing is connected */
	assert_true(socket_for(&run, address("192.0.2.1", 1, 0)) >= 0);
	assert_true(socket_for(&run, address("224.0.0.9", 1, 0)) >= 0);
	assert_true(socket_for(&run, address("255.255.255.255", 1, 0)) >= 0);
	assert_true(socket_for(&run, address("127.255.255.255", 1, 0)) >= 0);
	hp_udp_close_sockets(&run);
}

/* A receiver at this port, -1 = somebody else has it. */
static int listen_at(const char *host, uint16_t port)
{
	struct sockaddr_storage a = address(host, port, 0);
	int fd = socket(a.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0 && bind(fd, (struct sockaddr *)&a, size_of(&a)) < 0) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The first free port that the system gives to nobody by itself, since it is closed and opened again; 0 = no IPv6. */
static uint16_t free_port(const char *host, uint16_t from)
{
	for (uint16_t port = from; port < from + 5000; port++) {
		int fd = listen_at(host, port);
		if (fd >= 0) {
			close(fd);
			return port;
		}
	}
	return 0;
}

/* Waits for n datagrams of this text, all from one port, and that no more come. */
static void hear(int fd, const char *text, int n, uint16_t *source)
{
	char data[16];
	struct sockaddr_storage from;
	socklen_t size = sizeof from;
	while (n >= 0) {
		struct pollfd p = { fd, POLLIN, 0 };
		if (poll(&p, 1, n ? 60000 : 0) != 1)
			break;
		assert_int_equal(recvfrom(fd, data, sizeof data, 0, (struct sockaddr *)&from, &size), 5);
		if (!*source)
			*source = ntohs(*port_of(&from));
		assert_int_equal(ntohs(*port_of(&from)), *source);
		n -= !memcmp(data, text, 5);
	}
	assert_int_equal(n, 0);
}

static void send_some(struct hp_udp *u, const char *text, int n)
{
	for (int i = 0; i < n; i++)
		assert_int_equal(hp_udp_send(u, text, 5), 0);
}

/* Two ports of one host; at the second nobody listens, then somebody, then nobody, then somebody again. */
static void nothing_is_lost(const char *host)
{
	struct hp_run run = { 0 };
	struct hp_node node = { .run = &run };
	uint16_t port[2], source = 0;
	port[0] = free_port(host, (uint16_t)(15000 + getpid() % 5000));
	if (!port[0])
		skip(); /* no IPv6 here */
	int a = listen_at(host, port[0]), b;
	port[1] = free_port(host, (uint16_t)(port[0] + 1));
	struct hp_addr at[2] = { { .port = port[0] }, { .port = port[1] } };
	strcpy(at[0].host, host);
	strcpy(at[1].host, host);
	struct hp_addrs addrs = { .n = 2, .at = at };
	struct hp_udp *u = hp_udp_open(&node.host, &addrs), *same = hp_udp_open(&node.host, &addrs);
	assert_non_null(u);
	assert_non_null(same);
	for (int i = 0; i < 2; i++) {
		assert_true(u->at[i].own_fd >= 0);
		assert_int_equal(u->at[i].own_fd, same->at[i].own_fd);
		assert_int_equal(u->at[i].fd, u->at[0].fd);
	}
	assert_int_not_equal(u->at[0].own_fd, u->at[1].own_fd);
	/* every remainder of the wait, since the listener may come at any of them */
	for (int round = 0, before = 1; round < 3 * REFUSED_WAIT; round++, before = before % (2 * REFUSED_WAIT) + 7) {
		send_some(u, "early", before);
		hear(a, "early", before, &source);
		b = listen_at(host, port[1]);
		assert_true(b >= 0);
		send_some(u, "hello", REFUSED_WAIT + 10);
		send_some(same, "hello", 1);
		hear(a, "hello", REFUSED_WAIT + 11, &source);
		hear(b, "hello", REFUSED_WAIT + 11, &source);
		/* now the connected one is taken again; a refusal of the other's datagrams may have been told to it */
		for (int i = 0; u->at[1].wait; i++) {
			assert_true(i < 10 * REFUSED_WAIT);
			send_some(u, "again", 1);
			hear(b, "again", 1, &source);
			hear(a, "again", 1, &source);
		}
		close(b);
	}
	assert_int_equal(u->at[0].wait, 0);
	/* nobody there: noticed, and most datagrams then leave by the host's */
	for (int i = 0; !u->at[1].wait; i++) {
		assert_true(i < 100000);
		send_some(u, "alone", 1);
		hear(a, "alone", 1, &source);
	}
	assert_int_equal(u->at[1].wait, REFUSED_WAIT);
	/* a datagram that cannot be sent at all is an error as ever */
	static const char big[70000];
	assert_int_equal(hp_udp_send(u, big, sizeof big), -EMSGSIZE);
	close(a);
	hp_udp_close(u);
	hp_udp_close(same);
	hp_udp_close_sockets(&run);
}
static void lost4(void **unused)
{
	(void)unused;
	nothing_is_lost("127.0.0.1");
}
static void lost6(void **unused)
{
	(void)unused;
	nothing_is_lost("::1");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(hosts), cmocka_unit_test(sockets), cmocka_unit_test(lost4),
		                            cmocka_unit_test(lost6) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
