/* SPDX-License-Identifier: MIT
 * test_post.c - items from other threads: they arrive in the order of the calls, a full ring loses the oldest samples
 * and says so where they are missing, events stay. */
#include "harness.h"

#define INI "[input head]\nuse = probe_in\n[output game]\nuse = probe_out\n"

enum { RING = 256, THREADS = 4, EACH = 5000 };

static int post_sample(struct bench *b, int64_t time_ns, double yaw)
{
	const struct hp_host *h = &node(b, "head")->host;
	struct hp_sample s = pose(time_ns, yaw);
	return h->post(h, &(struct hp_item){ sizeof(struct hp_item), 1, NULL, NULL, &s });
}
static int post_event(struct bench *b, uint32_t type, int64_t value, const char *text)
{
	const struct hp_host *h = &node(b, "head")->host;
	struct hp_event e = { .struct_size = sizeof e, .type = type, .value = value, .text = text };
	return h->post(h, &(struct hp_item){ sizeof(struct hp_item), 0, NULL, &e, NULL });
}
static int post_raw(struct bench *b, const uint8_t *data, uint32_t size, const struct hp_sample *s, uint32_t n)
{
	const struct hp_host *h = &node(b, "head")->host;
	struct hp_raw raw = { .struct_size = sizeof raw, .size = size, .data = data, .time_ns = 7 };
	return h->post(h, &(struct hp_item){ sizeof(struct hp_item), n, &raw, NULL, s });
}
static void trace_event_text(struct probe *p, const struct hp_event *e)
{
	trace("%s:e%u=%lld%s%s", p->host->name, e->type, (long long)e->value, e->text ? "/" : "",
	      e->text ? e->text : "");
}

static void in_order(void **unused)
{
	struct bench b;
	char text[8] = "cable";
	uint8_t report[3] = { 1, 2, 3 };
	struct hp_sample two[2] = { pose(3, 3), pose(4, 4) };
	(void)unused;
	bench_build(&b, INI);
	trace_all(&b);
	probe(&b, "game")->on_event = trace_event_text;
	bench_start(&b);
	assert_int_equal(post_event(&b, HP_CONNECTED, 0, NULL), 0);
	assert_int_equal(post_sample(&b, 1, 1), 0);
	assert_int_equal(post_event(&b, HP_GAP, 9, text), 0);
	assert_int_equal(post_sample(&b, 2, 2), 0);
	assert_int_equal(post_raw(&b, report, 3, two, 2), 0); /* the report comes before what it gave */
	assert_int_equal(post_raw(&b, report, 2, NULL, 0), 0);
	assert_int_equal(post_event(&b, HP_DISCONNECTED, 0, "bye"), 0);
	memset(text, 'x', 5); /* copied */
	memset(report, 0, 3);
	assert_traced(""); /* nothing happens in post() itself */
	bench_turn(&b);
	assert_traced("game:e1=0 game:s1 game:e3=9/cable game:s2 game:r3 game:s3 game:s4 game:r2 game:e2=0/bye");
	bench_end(&b);
}

static const uint8_t *last_report;
static uint32_t last_size;
static int64_t last_time;
static uint8_t report_copy[4096];
static void keep_report(struct probe *p, const struct hp_raw *raw)
{
	(void)p;
	memcpy(report_copy, raw->data, raw->size);
	last_report = report_copy;
	last_size = raw->size;
	last_time = raw->time_ns;
	trace("r%u", raw->size);
}

static void reports_of_all_sizes(void **unused)
{
	struct bench b;
	uint8_t big[5000];
	(void)unused;
	for (size_t i = 0; i < sizeof big; i++)
		big[i] = (uint8_t)(i * 7);
	bench_build(&b, INI);
	probe(&b, "game")->on_raw = keep_report;
	bench_start(&b);
	const struct hp_host *h = &node(&b, "head")->host;
	h->describe(h, &(struct hp_stream){ .struct_size = sizeof(struct hp_stream), .report_size = 8 });
	post_event(&b, HP_CONNECTED, 0, NULL);
	post_raw(&b, big, 8, NULL, 0);
	post_raw(&b, big + 1, 0, NULL, 0);
	/* longer than announced: the ring widens and keeps what is in it */
	assert_int_equal(post_raw(&b, big + 2, 9, NULL, 0), 0);
	assert_int_equal(post_raw(&b, big + 3, 4096, NULL, 0), 0);
	assert_int_equal(post_raw(&b, big, 4097, NULL, 0), -EMSGSIZE);
	bench_turn(&b);
	assert_traced("r8 r0 r9 r4096");
	assert_int_equal(last_size, 4096);
	assert_int_equal(last_time, 7);
	assert_memory_equal(last_report, big + 3, 4096);
	post_raw(&b, big + 4, 5, NULL, 0);
	bench_turn(&b);
	assert_memory_equal(last_report, big + 4, 5);
	bench_end(&b);
}

/* A longer report than announced comes while others wait, from the ring's first place on: they stay what they are. */
static uint8_t seen_reports[4][8];
static int nseen;
static void see_report(struct probe *p, const struct hp_raw *raw)
{
	(void)p;
	if (nseen < 4)
		memcpy(seen_reports[nseen++], raw->data, 8);
}
static void widening_keeps(void **unused)
{
	struct bench b;
	uint8_t bytes[16] = { 0 }, big[100] = { 77 };
	(void)unused;
	bench_build(&b, INI);
	probe(&b, "game")->on_raw = see_report;
	bench_start(&b);
	const struct hp_host *h = &node(&b, "head")->host;
	h->describe(h, &(struct hp_stream){ .struct_size = sizeof(struct hp_stream), .report_size = 8 });
	nseen = 0;
	for (uint8_t i = 1; i < 4; i++) {
		memset(bytes, i, 8);
		assert_int_equal(post_raw(&b, bytes, 8, NULL, 0), 0);
	}
	assert_int_equal(post_raw(&b, big, sizeof big, NULL, 0), 0);
	bench_turn(&b);
	assert_int_equal(nseen, 4);
	for (uint8_t i = 1; i < 4; i++) {
		memset(bytes, i, 8);
		assert_memory_equal(seen_reports[i - 1], bytes, 8);
	}
	assert_memory_equal(seen_reports[3], big, 8);
	bench_end(&b);
}

static void the_oldest_go(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	trace_all(&b);
	probe(&b, "game")->on_event = trace_event_text;
	bench_start(&b);
	post_event(&b, HP_CONNECTED, 0, NULL);
	for (int i = 0; i < RING + 10; i++) {
		post_sample(&b, i, i);
		if (i == 5)
			post_event(&b, HP_GAP, 5, NULL);
		if (i == 50)
			post_event(&b, HP_GAP, 50, NULL);
	}
	bench_turn(&b);
	/* 0 to 9 are gone; the event after 5 is not; the loss is told where it happened */
	assert_non_null(strstr(traced, "game:e1=0 game:e3=5 game:e8=10 game:s10 game:s11 "));
	assert_non_null(strstr(traced, "game:s50 game:e3=50 game:s51 "));
	assert_int_equal(count_text(traced, "game:s"), RING);
	assert_int_equal(node(&b, "head")->counts.lost, 10);
	assert_int_equal(count_text(logged,
	                            "headpipe: warning: input head: 10 reports came faster than they could be handled "
	                            "and were dropped\n"),
	                 1);
	*traced = 0;
	for (int i = 0; i < RING; i++)
		post_sample(&b, i, i);
	bench_turn(&b);
	assert_int_equal(count_text(traced, "game:s"), RING);
	assert_int_equal(count_text(traced, "game:e"), 0);
	bench_end(&b);
}

/* Twice full before anybody looks, and events alone beyond any number. */
static void events_stay(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	probe(&b, "game")->on_event = trace_event_text;
	bench_start(&b);
	for (int i = 0; i < 3 * RING; i++)
		post_sample(&b, i, i);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(post_event(&b, HP_RECENTER, i, NULL), 0);
	for (int i = 0; i < 10 && count_text(traced, "e5=") < 1000; i++)
		bench_turn(
		    &b); /* no more than a bounded number at once, so that a busy thread does not starve the loop */
	assert_int_equal(count_text(traced, "e5="), 1000);
	assert_int_equal(count_text(traced, "e8=512"), 1);
	bench_end(&b);
}

/* ---- threads ---- */

static struct bench *shared;
static double last_of[THREADS];
static uint64_t received[THREADS];

static void *poster(void *arg)
{
	const struct hp_host *h = &node(shared, "head")->host;
	size_t me = (size_t)(uintptr_t)arg;
	for (int i = 0; i < EACH; i++) {
		struct hp_sample s = pose(i, 0);
		uint8_t report[4] = { (uint8_t)me, (uint8_t)i, (uint8_t)(i >> 8), 0 };
		struct hp_raw raw = { .struct_size = sizeof raw, .size = 4, .data = report };
		struct hp_event e = { .struct_size = sizeof e, .type = HP_GAP, .value = (int64_t)me, .text = "t" };
		s.pos[0] = (double)me;
		s.pos[1] = i;
		h->post(h, &(struct hp_item){ sizeof(struct hp_item), 1, &raw, i % 100 == 99 ? &e : NULL, &s });
	}
	h->describe(h, &(struct hp_stream){ .struct_size = sizeof(struct hp_stream), .device = "T", .report_size = 4 });
	return NULL;
}
/* When the ring is full a line is lost as a report is, so this one comes when there is room. */
static void *line_poster(void *arg)
{
	const struct hp_host *h = &node(arg, "head")->host;
	h->log(h, HP_LOG_INFO, "a line of a thread");
	return NULL;
}
static uint8_t thread_of_report, number_of_report;
static void remember_report(struct probe *p, const struct hp_raw *raw)
{
	(void)p;
	thread_of_report = raw->data[0];
	number_of_report = raw->data[1];
}
static int check_order(struct probe *p, const struct hp_sample *s)
{
	size_t who = (size_t)s->pos[0];
	(void)p;
	assert_true(who < THREADS);
	assert_true(received[who] == 0 || s->pos[1] > last_of[who]);
	assert_int_equal(thread_of_report, who); /* the report that came with it is the one before it */
	assert_int_equal(number_of_report, (int)s->pos[1] & 255);
	last_of[who] = s->pos[1];
	received[who]++;
	return 0;
}
static uint64_t gaps_of[THREADS];
static void count_gaps(struct probe *p, const struct hp_event *e)
{
	(void)p;
	if (e->type == HP_GAP)
		gaps_of[e->value]++;
}

static void many_threads(void **unused)
{
	struct bench b;
	pthread_t threads[THREADS];
	uint64_t sum = 0;
	(void)unused;
	bench_build(&b, INI);
	shared = &b;
	probe(&b, "game")->on_write = check_order;
	probe(&b, "game")->on_raw = remember_report;
	probe(&b, "game")->on_event = count_gaps;
	bench_start(&b);
	for (size_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, poster, (void *)(uintptr_t)i);
	for (int i = 0; i < 200; i++)
		bench_turn(&b);
	for (size_t i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 20; i++)
		bench_turn(&b);
	for (size_t i = 0; i < THREADS; i++) {
		assert_int_equal(gaps_of[i], EACH / 100);
		sum += received[i];
	}
	/* at least what the ring holds, where an item with an event between takes two places; a slow machine may lose
	 * all of one thread's */
	assert_true(sum >= RING / 2);
	assert_int_equal(sum + node(&b, "head")->counts.lost, THREADS * EACH);
	pthread_create(&threads[0], NULL, line_poster, &b);
	pthread_join(threads[0], NULL);
	bench_turn(&b);
	assert_log_has("headpipe: input head: a line of a thread\n");
	bench_end(&b);
}

/* A filter may hand over from a thread as well; it goes below the filter. */
static void *filter_poster(void *arg)
{
	const struct hp_host *h = &node(arg, "pose")->host;
	struct hp_sample s = pose(5, 5);
	h->post(h, &(struct hp_item){ sizeof(struct hp_item), 1, NULL, NULL, &s });
	h->fail(h, EIO, "its thread gave up");
	return NULL;
}
static void from_a_filter(void **unused)
{
	struct bench b;
	pthread_t thread;
	(void)unused;
	bench_build(&b,
	            "[input head]\nuse = probe_in\n[output raw]\nuse = probe_out\n[filter pose]\nuse = probe_filter\n"
	            "[output game]\nuse = probe_out\n");
	trace_all(&b);
	bench_start(&b);
	pthread_create(&thread, NULL, filter_poster, &b);
	pthread_join(thread, NULL);
	bench_turn(&b);
	assert_traced("game:s5"); /* what it said before it failed came first */
	assert_log_has("headpipe: error: filter pose: its thread gave up; what comes is dropped here from now on\n");
	emit_pose(&b, "head", 6, 6);
	assert_traced("raw:s6");
	bench_end(&b);
}

/* What a thread still had under way when the run ends is delivered. */
static void post_while_stopping(struct probe *p)
{
	struct hp_sample s = pose(9, 9);
	p->host->post(p->host, &(struct hp_item){ sizeof(struct hp_item), 1, NULL, NULL, &s });
}
static void the_last_ones(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI "rate = 100\n");
	trace_all(&b);
	probe(&b, "head")->on_stop = post_while_stopping;
	bench_start(&b);
	post_sample(&b, 1, 1);
	bench_end(&b);
	assert_traced("game:s1 game:s9"); /* the second one had to wait for its turn */
	/* and when nobody reads at all any more, nothing leaks */
	bench_build(&b, INI);
	bench_open(&b);
	post_event(&b, HP_GAP, 1, "text");
	post_sample(&b, 1, 1);
	b.run.nodes[0]->phase = HP_ENDED;
	bench_end(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),       cmocka_unit_test(reports_of_all_sizes),
		cmocka_unit_test(widening_keeps), cmocka_unit_test(the_oldest_go),
		cmocka_unit_test(events_stay),    cmocka_unit_test(many_threads),
		cmocka_unit_test(from_a_filter),  cmocka_unit_test(the_last_ones),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
