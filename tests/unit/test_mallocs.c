/* SPDX-License-Identifier: MIT
 * test_mallocs.c - once a pipeline runs, no sample allocates on its way from emit() to the last write, through every
 * filter and output that needs nothing but this machine. Sanitizers bring an allocator of their own: then it is
 * skipped.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <stdio.h>
int main(void)
{
	puts("skip: allocations are counted in the plain build");
	return 77;
}
#else
#include "harness.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* glibc's own names for what stands in front of it here */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
static _Thread_local volatile bool counting; /* volatile: compilers think they know what malloc() does */
static volatile uint64_t allocations;

/* visible, or the libraries would go on with their own */
#define EXPORT __attribute__((visibility("default")))
EXPORT void *malloc(size_t size)
{
	allocations += counting;
	return __libc_malloc(size);
}
EXPORT void *calloc(size_t n, size_t size)
{
	allocations += counting;
	return __libc_calloc(n, size);
}
EXPORT void *realloc(void *old, size_t size)
{
	allocations += counting;
	return __libc_realloc(old, size);
}
EXPORT void *aligned_alloc(size_t alignment, size_t size)
{
	allocations += counting;
	return __libc_memalign(alignment, size);
}

enum { WARM_UP = 300, COUNTED = 3000 };

static struct hp_sample moving(int i)
{
	struct hp_sample s = pose(i * INT64_C(10000000), 30 * sin(i / 40.0));
	s.flags |= HP_GYRO | (i % 3 ? HP_ACCEL : 0);
	s.gyro[0] = sin(i / 7.0);
	s.gyro[1] = 1e-7 * i;
	s.accel[2] = 9.81;
	s.rate_hz = i * 0.1;
	s.reset_count = (uint32_t)i / 500;
	return s;
}

/* tail: the sections below the input. post: by another way than emit(). */
static void count(const char *what, const char *tail, bool post)
{
	struct bench b;
	char ini[4096];
	uint8_t report[14] = { 1, 2, 3 };
	snprintf(ini, sizeof ini, "[input head]\nuse = probe_in\n%s", tail);
	bench_build(&b, ini);
	bench_start(&b);
	const struct hp_host *h = &node(&b, "head")->host;
	h->describe(h, &(struct hp_stream){ .struct_size = sizeof(struct hp_stream),
	                                    .device = "A \"Device\"",
	                                    .report_size = sizeof report });
	emit_event(&b, "head", HP_CONNECTED, 0, "A device");
	allocations = 0;
	for (int i = 0; i < WARM_UP + COUNTED; i++) {
		struct hp_sample s = moving(i);
		struct hp_raw raw = {
			.struct_size = sizeof raw, .size = sizeof report, .data = report, .time_ns = s.time_ns
		};
		struct hp_item item = { sizeof item, 1, &raw, NULL, &s };
		counting = i >= WARM_UP;
		int r = post ? h->post(h, &item) : h->emit(h, &item);
		if (post)
			bench_turn(&b);
		counting = false;
		assert_int_equal(r, 0);
		if (i % 32 == 0)
			for (int n = 0; n < 1000 && h->behind(h); n++)
				usleep(1000); /* the disk's turn; its thread is not what is counted */
	}
	for (size_t i = 0; i < b.run.nnodes; i++)
		if (b.run.nodes[i]->kind == HP_OUTPUT && b.run.nodes[i]->ini->keys.rate == 0)
			assert_int_equal(b.run.nodes[i]->counts.out + b.run.nodes[i]->trouble.total, WARM_UP + COUNTED);
	bench_end(&b);
	if (allocations)
		fail_msg("%s: %llu allocations in %d samples", what, (unsigned long long)allocations, COUNTED);
	printf("count: allocations for %d samples, %s: 0\n", COUNTED, what);
}

static char folder[] = "/tmp/headpipe-mallocs-XXXXXX";
static int port, receiver;

#define UDP "to = 127.0.0.1:%d\n"
static const char *with_port(const char *text)
{
	static char out[2048];
	size_t n = 0;
	for (const char *p = text; *p && n < sizeof out - 16; p++) {
		if (p[0] == '%' && p[1] == 'd') {
			n += (size_t)snprintf(out + n, 8, "%d", port);
			p++;
		} else if (p[0] == '%' && p[1] == 's') {
			n += (size_t)snprintf(out + n, 64, "%s", folder);
			p++;
		} else {
			out[n++] = *p;
		}
	}
	out[n] = 0;
	return out;
}

#define DEFAULT "[filter orientation]\n[output opentrack_udp]\n" UDP "[output json_udp]\n" UDP

static void the_default_pipeline(void **unused)
{
	(void)unused;
	count("default pipeline", with_port(DEFAULT), false);
	count("default pipeline through post()", with_port(DEFAULT), true);
}
static void everything(void **unused)
{
	(void)unused;
	count("branches, msgpack, csv, file, null, udp with hds",
	      with_port(DEFAULT "[output msgpack_udp]\n" UDP "[output tape]\nuse = csv\npath = %s/tape.csv\n"
	                        "[output lines]\nuse = file\npath = %s/lines.json\nencoding = json\n[output null]\n"
	                        "[output hds]\nuse = udp\nencoding = hds\n" UDP
	                        "[filter turn]\nuse = axes\n[output game]\nuse = opentrack_udp\n" UDP
	                        "[output raw]\nuse = csv\nfrom = head\npath = %s/raw.csv\n"),
	      false);
	count(
	    "all filters of poses",
	    with_port("[filter mount]\naxis_map = YXZ\ninvert = XZ\npitch = 20\n[filter drift]\n[filter center]\n"
	              "[filter kalman]\n[filter neck]\n[filter curve]\nyaw = 20:10 60:180\npitch_dead = 3\nx = 10:20\n"
	              "[filter axes]\nscale_roll = 0.5\n[output json_udp]\n" UDP),
	    false);
	count("on_loss = return", with_port("[output json_udp]\nrate = 30\non_loss = return\n" UDP), false);
	count("rate and on_loss", with_port("[output json_udp]\nrate = 30\non_loss = zero\n" UDP), false);
}
static void the_console(void **unused)
{
	(void)unused;
	int real = dup(1), nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	fflush(stdout);
	dup2(nowhere, 1);
	close(nowhere);
	count("console", "[output console]\n", false);
	fflush(stdout);
	dup2(real, 1);
	close(real);
}

static int prepare(void **unused)
{
	struct sockaddr_in me = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof me;
	(void)unused;
	receiver = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (bind(receiver, (struct sockaddr *)&me, size) || getsockname(receiver, (struct sockaddr *)&me, &size))
		return -1;
	port = ntohs(me.sin_port);
	return mkdtemp(folder) ? 0 : -1;
}
static void the_counter_counts(void **unused)
{
	(void)unused;
	allocations = 0;
	counting = true;
	char *volatile text = strdup("inside of a library as well");
	void *volatile block = calloc(3, 5);
	counting = false;
	free(text);
	free(block);
	assert_int_equal(allocations, 2);
}
static int clean_up(void **unused)
{
	static const char *const names[] = { "tape.csv", "raw.csv", "lines.json" };
	char path[128];
	(void)unused;
	close(receiver);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, names[i]);
		unlink(path);
	}
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counter_counts),
		cmocka_unit_test(the_default_pipeline),
		cmocka_unit_test(everything),
		cmocka_unit_test(the_console),
	};
	return cmocka_run_group_tests(tests, prepare, clean_up);
}
#endif
