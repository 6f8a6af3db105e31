/* SPDX-License-Identifier: MIT
 * test_services.c - timers, watches, fail() and log() as modules see them, and handles that a module leaves open. */
#define _GNU_SOURCE
#include "harness.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

#define INI "[input head]\nuse = probe_in\n[output game]\nuse = probe_out\n"
#define MS  INT64_C(1000000)

static const struct hp_host *host_of(struct bench *b, const char *name)
{
	return &node(b, name)->host;
}

/* ---- timers ---- */

struct alarm {
	const struct hp_host *host;
	struct hp_timer *timer;
	int64_t due, again;
	int fired, early;
	const char *name;
};
static void on_alarm(void *arg)
{
	struct alarm *a = arg;
	a->fired++;
	a->early += a->host->now(a->host) < a->due;
	trace("%s", a->name);
	if (a->again > 0 && a->fired < 5) {
		a->due += a->again; /* an absolute clock: lateness does not add up */
		a->host->timer_at(a->timer, a->due);
	}
}
static struct alarm alarm_of(struct bench *b, struct alarm *a, const char *name)
{
	const struct hp_host *h = host_of(b, "head");
	*a = (struct alarm){ .host = h, .name = name, .timer = h->timer(h, on_alarm, a) };
	assert_non_null(a->timer);
	return *a;
}

static void timers(void **unused)
{
	struct bench b;
	struct alarm late, soon, past, never, beat;
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	alarm_of(&b, &late, "late");
	alarm_of(&b, &soon, "soon");
	alarm_of(&b, &past, "past");
	alarm_of(&b, &never, "never");
	bench_turn(&b);
	assert_traced(""); /* nothing runs before timer_at() */
	int64_t now = hp_now();
	late.due = now + 30 * MS;
	soon.due = now + 15 * MS;
	past.due = now - 1000 * MS;
	late.host->timer_at(late.timer, late.due);
	soon.host->timer_at(soon.timer, soon.due);
	past.host->timer_at(past.timer, past.due);
	never.host->timer_at(never.timer, now + 10 * MS);
	never.host->timer_at(never.timer, -1);
	while (!late.fired)
		uv_run(bench_loop(&b), UV_RUN_ONCE);
	assert_traced("past soon late");
	assert_int_equal(late.early + soon.early + past.early, 0);
	/* set anew, the old deadline is forgotten; one shot each */
	soon.due = hp_now() + 20 * MS;
	soon.host->timer_at(soon.timer, hp_now() + 3600 * 1000 * MS);
	soon.host->timer_at(soon.timer, soon.due);
	while (soon.fired < 2)
		uv_run(bench_loop(&b), UV_RUN_ONCE);
	assert_int_equal(soon.early, 0);
	assert_int_equal(late.fired, 1);
	/* a steady beat on absolute deadlines never runs early, at no fraction of a millisecond */
	alarm_of(&b, &beat, "beat");
	beat.again = 3333333;
	beat.due = hp_now() + beat.again;
	beat.host->timer_at(beat.timer, beat.due);
	while (beat.fired < 5)
		uv_run(bench_loop(&b), UV_RUN_ONCE);
	assert_int_equal(beat.early, 0);
	assert_int_equal(never.fired, 0);
	/* one that is still armed does not hold up the end */
	late.host->timer_at(late.timer, hp_now() + 3600 * 1000 * MS);
	bench_end(&b);
	assert_int_equal(late.fired, 1);
}

static struct alarm *to_cancel;
static void on_greedy(void *arg)
{
	struct alarm *a = arg;
	a->fired++;
	a->host->timer_at(a->timer, a->fired % 2 ? 0 : a->host->now(a->host));
	if (to_cancel)
		to_cancel->host->timer_at(to_cancel->timer, -1);
}
/* A timer that is set again for now does not keep the loop from anything else. */
static void greedy_timers(void **unused)
{
	struct bench b;
	struct alarm greedy = { 0 }, other, third;
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	greedy.host = host_of(&b, "head");
	greedy.timer = greedy.host->timer(greedy.host, on_greedy, &greedy);
	alarm_of(&b, &other, "other");
	alarm_of(&b, &third, "third");
	greedy.host->timer_at(greedy.timer, 0);
	for (int i = 1; i <= 20; i++) {
		bench_turn(&b); /* comes back at all */
		assert_int_equal(greedy.fired, i);
	}
	other.host->timer_at(other.timer, 0);
	bench_turn(&b);
	assert_traced("other");
	/* cancelled by one that is due in the same turn */
	to_cancel = &other;
	other.host->timer_at(other.timer, 0);
	third.host->timer_at(third.timer, 0);
	bench_turn(&b);
	bench_turn(&b);
	assert_traced("third");
	to_cancel = NULL;
	int fired = greedy.fired;
	bench_end(&b);
	assert_int_equal(greedy.fired, fired);
}

/* ---- watches ---- */

static int pipe_fd[2];
static int rounds;
static void on_ready(void *arg, unsigned events)
{
	struct probe *p = arg;
	char text[32];
	ssize_t n = read(pipe_fd[0], text, sizeof text);
	trace("%s%zd", events & HP_READABLE ? "r" : "-", n);
	p->host->unwatch(p->watch);
	p->watch = NULL;
	if (++rounds < 3) /* away and there again inside of the call */
		p->watch = p->host->watch(p->host, pipe_fd[0], HP_READABLE, on_ready, p);
}

static void watches(void **unused)
{
	struct bench b;
	(void)unused;
	assert_int_equal(pipe(pipe_fd), 0);
	bench_build(&b, INI);
	struct probe *p = probe(&b, "head");
	bench_start(&b);
	rounds = 0;
	p->watch = p->host->watch(p->host, pipe_fd[0], HP_READABLE, on_ready, p);
	assert_non_null(p->watch);
	bench_turn(&b);
	assert_traced("");
	for (int i = 0; i < 3; i++) {
		assert_int_equal(write(pipe_fd[1], "abc", 3), 3);
		while (rounds == i)
			uv_run(bench_loop(&b), UV_RUN_ONCE);
	}
	assert_traced("r3 r3 r3");
	assert_int_equal(write(pipe_fd[1], "abc", 3), 3);
	bench_turn(&b);
	assert_traced("");
	/* the other end goes away: it is told, and reading says what it is */
	rounds = 2;
	assert_int_equal(read(pipe_fd[0], (char[8]){ 0 }, 8), 3);
	p->watch = p->host->watch(p->host, pipe_fd[0], HP_READABLE, on_ready, p);
	close(pipe_fd[1]);
	while (rounds == 2)
		uv_run(bench_loop(&b), UV_RUN_ONCE);
	assert_true(!strcmp(traced, "r0") || !strcmp(traced, "-0"));
	/* a file cannot be waited for; the reason is in errno */
	int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	errno = 0;
	assert_null(p->host->watch(p->host, file, HP_READABLE, on_ready, p));
	assert_int_equal(errno, EPERM);
	close(file);
	/* what is still watched at the end is no leak */
	assert_int_equal(pipe(pipe_fd), 0);
	p->watch = p->host->watch(p->host, pipe_fd[0], HP_READABLE, on_ready, p);
	bench_end(&b);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

static void on_writable(void *arg, unsigned events)
{
	struct probe *p = arg;
	trace("%s%s", events & HP_READABLE ? "r" : "", events & HP_WRITABLE ? "w" : "");
	p->host->unwatch(p->watch);
}
static void watch_for_writing(void **unused)
{
	struct bench b;
	(void)unused;
	assert_int_equal(pipe(pipe_fd), 0);
	bench_build(&b, INI);
	struct probe *p = probe(&b, "game");
	bench_start(&b);
	p->watch = p->host->watch(p->host, pipe_fd[1], HP_READABLE | HP_WRITABLE, on_writable, p);
	while (!*traced)
		uv_run(bench_loop(&b), UV_RUN_ONCE);
	assert_traced("w");
	bench_end(&b);
	close(pipe_fd[0]);
	close(pipe_fd[1]);
}

/* ---- fail and log from threads ---- */

static void *give_up(void *arg)
{
	const struct hp_host *h = arg;
	h->log(h, HP_LOG_WARN, "a line with a \033[31mcolour\n");
	h->fail(h, ENODEV, "the device went away");
	return NULL;
}
static int start_thread(struct probe *p)
{
	pthread_t t;
	pthread_create(&t, NULL, give_up, (void *)(uintptr_t)p->host);
	pthread_detach(t);
	return 0;
}

static void fail_wakes_the_loop(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	probe(&b, "head")->on_start = start_thread;
	bench_open(&b);
	hp_life_run(&b.run); /* sleeps until the thread says so */
	assert_log_has("headpipe: warning: input head: a line with a \\x1b[31mcolour\\x0a\n");
	assert_log_has("headpipe: error: input head: the device went away\n");
	assert_int_equal(b.run.exit_code, 1);
	bench_end(&b);
}

static int fail_in_open(struct probe *p)
{
	p->host->fail(p->host, 0, "nothing to do");
	return 0;
}
static void fail_while_opening(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	probe(&b, "head")->on_open = fail_in_open;
	bench_open(&b);
	hp_life_run(&b.run);
	assert_log_has("headpipe: input head: nothing to do\n");
	assert_int_equal(b.run.exit_code, 0);
	bench_end(&b);
}

static void fail_at_the_very_end(struct probe *p)
{
	p->host->fail(p->host, EIO, "could not be finished");
}
static void last_words(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	probe(&b, "game")->on_close = fail_at_the_very_end;
	bench_start(&b);
	hp_life_end(&b.run);
	assert_log_has("headpipe: error: output game: could not be finished\n");
	assert_int_equal(b.run.exit_code, 1);
	bench_free(&b);
}

/* ---- what is left open ---- */

static uv_timer_t own_timer;
static uv_async_t own_async;
static void nothing(uv_timer_t *t)
{
	(void)t;
}

static void handles_left_open(void **unused)
{
	struct bench b;
	char expected[1200];
	Dl_info info;
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	uv_timer_init(bench_loop(&b), &own_timer); /* one that sleeps would be forgotten most easily */
	uv_timer_start(&own_timer, nothing, 3600000, 0);
	uv_timer_stop(&own_timer);
	assert_true(dladdr(&own_async, &info) != 0);
	hp_life_end(&b.run);
	snprintf(expected, sizeof expected, "headpipe: error: a timer handle was left open by %s\n", info.dli_fname);
	assert_log_has(expected);
	assert_null(strstr(logged, "did not close"));
	assert_int_equal(b.run.exit_code, 1);
	bench_free(&b);
}

/* ---- udp ---- */

static struct hp_addrs addrs_of(struct hp_addr *at, uint32_t n)
{
	return (struct hp_addrs){ n, at };
}

static void wrong_addresses(void **unused)
{
	struct bench b;
	struct hp_addr bad = { "no.such.host.invalid", 4242 };
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	const struct hp_host *h = host_of(&b, "game");
	struct hp_addrs to = addrs_of(&bad, 1);
	errno = 0;
	assert_null(h->udp(h, &to));
	assert_true(errno != 0);
	assert_log_has("headpipe: error: output game: no.such.host.invalid port 4242: ");
	bench_end(&b);
}

/* The others are served when one address cannot be reached. */
static void one_of_two(void **unused)
{
	struct bench b;
	struct sockaddr_in me = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof me;
	char got[8];
	(void)unused;
	int in = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(in, (struct sockaddr *)&me, sizeof me), 0);
	assert_int_equal(getsockname(in, (struct sockaddr *)&me, &size), 0);
	/* port 4242 of an address that is nobody's: class E is refused by the kernel itself */
	struct hp_addr at[2] = { { "240.0.0.1", 4242 }, { "127.0.0.1", ntohs(me.sin_port) } };
	bench_build(&b, INI);
	bench_start(&b);
	const struct hp_host *h = host_of(&b, "game");
	struct hp_addrs to = addrs_of(at, 2), good = addrs_of(at + 1, 1);
	struct hp_udp *two = h->udp(h, &to), *one = h->udp(h, &good);
	assert_non_null(two);
	assert_non_null(one);
	int r = h->udp_send(two, "hello", 5);
	assert_true(r <= 0);
	assert_int_equal(recv(in, got, sizeof got, 0), 5);
	close(in);
	for (int i = 0; i < 10; i++) /* a port without a listener swallows all of them */
		assert_int_equal(h->udp_send(one, "x", 1), 0);
	bench_end(&b);
}

/* A receiver on a port of the system's choice. */
static int receiver(const char *host, struct sockaddr_in *me)
{
	socklen_t size = sizeof *me;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	*me = (struct sockaddr_in){ .sin_family = AF_INET };
	assert_int_equal(inet_pton(AF_INET, host, &me->sin_addr), 1);
	assert_int_equal(bind(fd, (struct sockaddr *)me, size), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)me, &size), 0);
	return fd;
}

/* All ports of a host hear the same source port; another host is served by another socket, whose full send buffer (a
 * machine that is off) is nobody else's trouble. */
static struct hp_timer *own;
static const struct hp_host *owner;
static void frees_itself(void *arg)
{
	(void)arg;
	trace("fired");
	owner->timer_free(own);
	own = NULL;
}

/* What a module makes again and again it can also give back, at any time. */
static void given_back(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	owner = host_of(&b, "game");
	struct hp_timer *first = owner->timer(owner, frees_itself, NULL);
	struct hp_timer *due = owner->timer(owner, frees_itself, NULL);
	assert_int_equal(owner->timer_at(due, 0), 0);
	owner->timer_free(due); /* due, but never called */
	owner->timer_free(first);
	owner->timer_free(NULL);
	for (int i = 0; i < 2; i++) { /* from its own callback, at once and by the clock */
		own = owner->timer(owner, frees_itself, NULL);
		owner->timer_at(own, i ? hp_now() + MS : 0);
		while (own)
			uv_run(bench_loop(&b), UV_RUN_ONCE);
	}
	assert_traced("fired fired");
	struct hp_addr at = { "127.0.0.1", 9 };
	struct hp_addrs to = addrs_of(&at, 1);
	struct hp_udp *kept = owner->udp(owner, &to), *closed = owner->udp(owner, &to);
	owner->udp_close(closed);
	owner->udp_close(NULL);
	assert_int_equal(owner->udp_send(kept, "x", 1), 0); /* the socket they share stays */
	assert_true(HP_HAS(owner, behind));
	struct hp_host older = *owner;
	older.struct_size = offsetof(struct hp_host, behind);
	assert_false(HP_HAS(&older, behind));
	assert_int_equal(owner->request(owner, "recenter"), -EPERM); /* no may_request */
	bench_end(&b);
}

static void udp_sockets(void **unused)
{
	static const char *const hosts[3] = { "127.0.0.1", "127.0.0.1", "127.0.0.2" };
	struct bench b;
	struct sockaddr_in from[3];
	char got[8];
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	const struct hp_host *h = host_of(&b, "game");
	for (int i = 0; i < 3; i++) {
		struct sockaddr_in me;
		socklen_t size = sizeof from[i];
		int fd = receiver(hosts[i], &me);
		struct hp_addr at = { "", ntohs(me.sin_port) };
		snprintf(at.host, sizeof at.host, "%s", hosts[i]);
		struct hp_addrs to = addrs_of(&at, 1);
		struct hp_udp *u = h->udp(h, &to);
		assert_non_null(u);
		assert_int_equal(h->udp_send(u, "hello", 5), 0);
		assert_int_equal(recvfrom(fd, got, sizeof got, 0, (struct sockaddr *)&from[i], &size), 5);
		close(fd);
	}
	assert_int_equal(from[0].sin_port, from[1].sin_port);
	assert_int_not_equal(from[0].sin_port, from[2].sin_port);
	bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_back),
		cmocka_unit_test(udp_sockets),
		cmocka_unit_test(timers),
		cmocka_unit_test(greedy_timers),
		cmocka_unit_test(watches),
		cmocka_unit_test(watch_for_writing),
		cmocka_unit_test(fail_wakes_the_loop),
		cmocka_unit_test(fail_while_opening),
		cmocka_unit_test(last_words),
		cmocka_unit_test(handles_left_open),
		cmocka_unit_test(wrong_addresses),
		cmocka_unit_test(one_of_two),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
