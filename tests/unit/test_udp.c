/* SPDX-License-Identifier: MIT
 * test_udp.c - which addresses share a socket: those of one host, whatever the port; of a link-local one in IPv6 only on
 * the same interface. */
#include "run/udp.c"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct sockaddr_storage address(const char *host, uint16_t port, uint32_t scope)
{
	struct sockaddr_storage s = { 0 };
	if (strchr(host, ':')) {
		struct sockaddr_in6 *six = (void *)&s;
		*six = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_scope_id = scope };
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

/* Two link-local receivers of one address behind two interfaces: one socket each. */
static void sockets(void **unused)
{
	struct hp_run run = { 0 };
	struct sockaddr_storage a = address("fe80::1", 1, 3), b = address("fe80::1", 1, 4), c = address("fe80::1", 9, 3);
	(void)unused;
	run.udp = calloc(1, sizeof *run.udp);
	int first = shared_socket(&run, &a);
	if (first < 0 && errno == EAFNOSUPPORT)
		skip();
	assert_true(first >= 0);
	int second = shared_socket(&run, &b);
	assert_true(second >= 0 && second != first);
	assert_int_equal(shared_socket(&run, &c), first);
	for (struct socket *s = run.udp->first, *next; s; s = next) {
		next = s->next;
		close(s->fd);
		free(s);
	}
	free(run.udp);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(hosts), cmocka_unit_test(sockets) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
