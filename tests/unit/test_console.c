/* SPDX-License-Identifier: MIT
 * test_console.c - the live line on a pseudo terminal, plain lines in a pipe, a reader that stops or goes away. */
#define _XOPEN_SOURCE 600 /* pseudo terminals */
#include "fake_host.h"
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct hp_module hp_output_console;
static const struct hp_module *const console = &hp_output_console;

static int saved;
static void swap_in(int fd)
{
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	dup2(fd, STDOUT_FILENO);
}
static void swap_out(void)
{
	dup2(saved, STDOUT_FILENO);
	close(saved);
}
static struct hp_sample pose(double yaw, double pitch, double roll)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	s.flags = HP_YPR;
	s.ypr[0] = yaw;
	s.ypr[1] = pitch;
	s.ypr[2] = roll;
	return s;
}
/* n samples, 10 ms apart */
static void feed(struct fake_host *f, void *state, int n)
{
	for (int i = 0; i < n; i++) {
		struct hp_sample s = pose(12.34 + i, -3, 0.04);
		assert_int_equal(console->write(state, &s), 0);
		fake_run(f, f->time + 10000000, 10);
	}
}
static void test_plain(void **unused)
{
	struct fake_host f;
	int p[2];
	char text[4096] = "";
	(void)unused;
	assert_int_equal(pipe(p), 0);
	fake_init(&f, "screen");
	swap_in(p[1]);
	void *state = fake_state(console);
	int opened = console->open(state, &f.host);
	feed(&f, state, 100);
	console->stop(state);
	console->close(state);
	swap_out();
	assert_int_equal(opened, 0);
	assert_false(fcntl(p[1], F_GETFL) & O_NONBLOCK); /* our stdout is shared with others: left as it was */
	close(p[1]);
	ssize_t n = read(p[0], text, sizeof text - 1);
	close(p[0]);
	assert_true(n > 0);
	assert_memory_equal(text, "yaw +12.3 pitch  -3.0 roll  +0.0\n", 33);
	int lines = 0;
	for (char *at = text; (at = strchr(at, '\n')); at++)
		lines++;
	assert_int_equal(lines, 21); /* 0 to 1 s, every 50 ms */
	assert_non_null(strstr(text, " 100 samples/s\n"));
	assert_null(strchr(text, '\r'));
	free(state);
	fake_free(&f);
}
static void test_terminal(void **unused)
{
	struct fake_host f;
	char text[8192] = "";
	(void)unused;
	int master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) || unlockpt(master)) {
		print_message("skip: no pseudo terminal here\n");
		skip();
	}
	int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
	assert_true(slave >= 0);
	struct winsize w = { 24, 80, 0, 0 };
	ioctl(slave, TIOCSWINSZ, &w);
	fake_init(&f, "screen");
	swap_in(slave);
	void *state = fake_state(console);
	int opened = console->open(state, &f.host);
	struct hp_sample s = pose(33, -60, 0);
	console->write(state, &s);
	w.ws_col = 20;
	ioctl(slave, TIOCSWINSZ, &w);
	f.time += 60000000;
	console->write(state, &s);
	console->stop(state);
	console->close(state);
	swap_out();
	assert_int_equal(opened, 0);
	/* a terminal hands its text over in pieces, some of it a little later */
	for (size_t got = 0; got < sizeof text - 1 && !strchr(text, '\n');) {
		ssize_t n = read(master, text + got, sizeof text - 1 - got);
		assert_true(n > 0);
		got += (size_t)n;
	}
	assert_string_equal(text, "\ryaw +33.0 ....|##.. pitch -60.0 ####|.... roll  +0.0 ....|....\033[K"
	                          "\ryaw +33.0 ....|##..\033[K\r\n");
	free(state);
	fake_free(&f);
	close(slave);
	close(master);
}
/* A sample that came too early is drawn later, once, and then nothing wakes up any more. */
static void test_newest(void **unused)
{
	struct fake_host f;
	int p[2];
	char text[4096] = "";
	(void)unused;
	assert_int_equal(pipe(p), 0);
	fake_init(&f, "screen");
	swap_in(p[1]);
	void *state = fake_state(console);
	console->open(state, &f.host);
	for (int i = 0; i < 3; i++) {
		struct hp_sample s = pose(i, 0, 0);
		console->write(state, &s);
		f.time += 1000000;
	}
	int ran = fake_run(&f, f.time + (int64_t)60000000000, 1000);
	console->stop(state);
	console->close(state);
	swap_out();
	close(p[1]);
	assert_int_equal(ran, 1);
	ssize_t n = read(p[0], text, sizeof text - 1);
	close(p[0]);
	assert_true(n > 0);
	assert_string_equal(text, "yaw  +0.0 pitch  +0.0 roll  +0.0\nyaw  +2.0 pitch  +0.0 roll  +0.0\n");
	free(state);
	fake_free(&f);
}
static void test_reader_stops_then_goes(void **unused)
{
	struct fake_host f;
	int p[2];
	(void)unused;
	signal(SIGPIPE, SIG_IGN); /* as the program does */
	assert_int_equal(pipe(p), 0);
	fake_init(&f, "screen");
	swap_in(p[1]);
	void *state = fake_state(console);
	console->open(state, &f.host);
	feed(&f, state, 50000); /* far more than a pipe holds: would hang if it blocked */
	int failed_full = f.failed;
	close(p[0]);
	feed(&f, state, 20);
	console->stop(state);
	console->close(state);
	swap_out();
	close(p[1]);
	assert_int_equal(failed_full, 0);
	assert_int_equal(f.failed, 1);
	assert_int_equal(f.fail_error, 0);
	assert_string_equal(fake_text(&f.log), "");
	free(state);
	fake_free(&f);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_terminal),
		cmocka_unit_test(test_newest),
		cmocka_unit_test(test_reader_stops_then_goes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
