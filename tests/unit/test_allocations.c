/* SPDX-License-Identifier: MIT
 * test_allocations.c - between emit() and the last write nothing is allocated: not by the host, not by any filter,
 * output or encoder that needs no peer. Counted on the emitting thread; the writer thread has its own time. */
#include "../plain/random.h"
#include "api/builtin.h"
#include "graph/modules.h"
#include "harness.h"
#include "pose/pose.h"
#include <fcntl.h>

static _Thread_local long allocations;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
extern int __sanitizer_install_malloc_and_free_hooks(void (*)(const volatile void *, size_t),
                                                     void (*)(const volatile void *));
static void on_malloc(const volatile void *p, size_t n)
{
	(void)p;
	(void)n;
	allocations++;
}
static void on_free(const volatile void *p)
{
	(void)p;
}
static void count_allocations(void)
{
	assert_true(__sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) > 0);
}
#else
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
void *malloc(size_t n)
{
	allocations++;
	return __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
	allocations++;
	return __libc_calloc(n, size);
}
void *realloc(void *p, size_t n)
{
	allocations++;
	return __libc_realloc(p, n);
}
static void count_allocations(void)
{
}
#endif

/* told at the end: while the tests run, stdout belongs to the console output */
static long default_pipeline, branchy_pipeline, most;
static int filters, encoders;

static struct hp_sample next(uint64_t *r, int i)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	s.flags = HP_ROTVEC | HP_QUAT_DUE | HP_GYRO | HP_ACCEL;
	s.time_ns = (i + 1) * 10000000LL;
	s.arrival_ns = 1;
	for (int k = 0; k < 3; k++) {
		s.rotvec[k] = random_real(r, -2, 2);
		s.gyro[k] = random_real(r, -3, 3);
		s.accel[k] = random_real(r, -9, 9);
	}
	s.rate_hz = 100;
	return s;
}

/* From the first sample after the connection on. */
static long of_samples(const char *ini, int n)
{
	struct bench b;
	uint64_t r = 1;
	bench_build(&b, ini);
	bench_start(&b);
	struct hp_node *head = node(&b, "head");
	head->program.known_flags |= HP_QUAT_DUE; /* as if it were built in */
	head->host.describe(&head->host,
	                    &(struct hp_stream){ .struct_size = sizeof(struct hp_stream), .device = "A \"B\"" });
	emit_event(&b, "head", HP_CONNECTED, 0, "A");
	long before = allocations;
	for (int i = 0; i < n; i++) {
		struct hp_sample s = next(&r, i);
		assert_int_equal(emit_sample(&b, "head", &s), 0);
	}
	long counted = allocations - before;
	for (size_t i = 0; i < b.run.nnodes; i++)
		if (b.run.nodes[i]->kind == HP_OUTPUT && b.run.nodes[i]->counts.in == 0)
			fail_msg("%s saw no sample", b.run.nodes[i]->who);
	bench_end(&b);
	return counted;
}

static void the_counter_counts(void **unused)
{
	(void)unused;
	long before = allocations;
	void *volatile p = malloc(10);
	assert_non_null(p);
	free(p);
	assert_int_equal(allocations - before, 1);
}

static void the_default_pipeline(void **unused)
{
	(void)unused;
	long n = of_samples("[input head]\nuse = probe_in\n[filter pose]\nuse = orientation\n"
	                    "[output game]\nuse = opentrack_udp\nto = 127.0.0.1:9\n"
	                    "[output telemetry]\nuse = json_udp\nto = 127.0.0.1:9\n",
	                    1000);
	default_pipeline = n;
	assert_int_equal(n, 0);
}

static void a_branchy_one(void **unused)
{
	(void)unused;
	long n = of_samples("[input head]\nuse = probe_in\n"
	                    "[output raw]\nuse = msgpack_udp\nto = 127.0.0.1:9\n"
	                    "[output rows]\nuse = csv\npath = /dev/null\n"
	                    "[filter pose]\nuse = orientation\n"
	                    "[output show]\nuse = console\n"
	                    "[output nothing]\nuse = null\n"
	                    "[output slow]\nuse = json_udp\nto = 127.0.0.1:9\nrate = 10\n"
	                    "[output tape]\nuse = file\npath = /dev/null\nencoding = json\n",
	                    200);
	branchy_pipeline = n;
	assert_int_equal(n, 0);
}

/* Every encoder there is, and every filter with its defaults. */
static void every_module(void **unused)
{
	(void)unused;
	size_t n;
	const struct hp_builtin *all = hp_builtins(&n);
	for (size_t i = 0; i < n; i++) {
		char ini[512];
		bool needs = false;
		if (!all[i].module || (all[i].kind != HP_FILTER && all[i].kind != HP_ENCODER))
			continue;
		for (const struct hp_option *o = all[i].module->options; o && o->key; o++)
			needs |= !o->def && !(o->flags & HP_REMOVED);
		if (needs)
			continue;
		if (all[i].kind == HP_FILTER)
			snprintf(
			    ini, sizeof ini,
			    "[input head]\nuse = probe_in\n[filter it]\nuse = %s\n[output o]\nuse = null\nfrom = it\n"
			    "[output p]\nuse = null\nfrom = head\n",
			    all[i].name);
		else
			snprintf(
			    ini, sizeof ini,
			    "[input head]\nuse = probe_in\n[output o]\nuse = udp\nto = 127.0.0.1:9\nencoding = %s\n",
			    all[i].name);
		long counted = of_samples(ini, 300);
		if (counted)
			fprintf(stderr, "%s: %ld allocations\n", all[i].name, counted);
		most = counted > most ? counted : most;
		filters += all[i].kind == HP_FILTER;
		encoders += all[i].kind == HP_ENCODER;
	}
	assert_true(filters > 0 && encoders > 2);
	assert_int_equal(most, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_counter_counts),
		cmocka_unit_test(the_default_pipeline),
		cmocka_unit_test(a_branchy_one),
		cmocka_unit_test(every_module),
	};
	count_allocations();
	/* the console draws here */
	int out = dup(STDOUT_FILENO), nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (out < 0 || nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0)
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(nothing);
	printf(
	    "count: allocations of the default pipeline in 1000 samples: %ld; with branches, csv, console, file: %ld\n",
	    default_pipeline, branchy_pipeline);
	printf("count: allocations of the worst of %d filters and %d encoders: %ld\n", filters, encoders, most);
	printf("allocations between emit and the last write: %d of %zu groups failed\n", failed,
	       sizeof tests / sizeof *tests);
	return failed;
}
