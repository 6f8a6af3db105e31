/* SPDX-License-Identifier: MIT
 * test_limit.c - `rate` always gives the newest pose of a burst and follows sample time; `on_loss` acts once when
 * samples stop. */
#include "harness.h"

#define HEAD "[input head]\nuse = probe_in\n"
#define TAIL "[output game]\nuse = probe_out\n"
#define MS   INT64_C(1000000)

static void say_replay(struct bench *b)
{
	const struct hp_host *h = &node(b, "head")->host;
	h->describe(h, &(struct hp_stream){ .struct_size = sizeof(struct hp_stream), .flags = HP_STREAM_REPLAY });
	emit_event(b, "head", HP_CONNECTED, 0, NULL);
	*traced = 0;
}
static void replay_build(struct bench *b, const char *keys)
{
	char ini[256];
	snprintf(ini, sizeof ini, HEAD TAIL "%s", keys);
	bench_build(b, ini);
	trace_all(b);
	bench_start(b);
	say_replay(b);
}

static void newest_of_a_burst(void **unused)
{
	struct bench b;
	(void)unused;
	replay_build(&b, "rate = 100\n"); /* one every 10 ms */
	for (int t = 0; t <= 44; t += 4)
		emit_pose(&b, "head", t * MS, t);
	assert_traced("game:s0 game:s8 game:s20 game:s28 game:s40");
	assert_int_equal(node(&b, "game")->counts.in, 12);
	/* the end gives what is kept: that of the run, and that of an input while others go on */
	bench_end(&b);
	assert_traced("game:s44");
	bench_build(&b, HEAD "[input other]\nuse = probe_in\n" TAIL
	                     "from = head\nrate = 100\n[output more]\nuse = probe_out\nfrom = other\n");
	trace_all(&b);
	bench_start(&b);
	say_replay(&b);
	emit_pose(&b, "head", 0, 1);
	emit_pose(&b, "head", 1 * MS, 2);
	assert_traced("game:s1");
	const struct hp_host *h = &node(&b, "head")->host;
	h->fail(h, 0, "the end");
	hp_life_turn(&b.run);
	assert_false(b.run.stopping);
	assert_non_null(strstr(traced, "game:s2"));
	bench_end(&b);
}

/* Never more than the rate, never an older pose after a newer one, and the newest at the end: for any rhythm. */
static double times[4000];
static int ntimes;
static int keep_time(struct probe *p, const struct hp_sample *s)
{
	(void)p;
	times[ntimes++] = (double)s->time_ns;
	return 0;
}
static void any_rhythm(void **unused)
{
	struct bench b;
	uint32_t seed = 1;
	(void)unused;
	replay_build(&b, "rate = 77\n");
	probe(&b, "game")->on_write = keep_time;
	int64_t t = 0;
	ntimes = 0;
	for (int i = 0; i < 3000; i++) {
		seed = seed * 1664525 + 1013904223;
		t += seed % 64 == 0 ? 300 * MS : (int64_t)(seed >> 8) % (8 * MS);
		emit_pose(&b, "head", t, i % 90);
	}
	bench_end(&b);
	assert_true(ntimes > 500);
	for (int i = 1; i < ntimes; i++)
		assert_true(times[i] > times[i - 1]);
	/* over any stretch no more than fit into it, and one that was waiting */
	for (int i = 0; i < ntimes; i++)
		for (int k = i + 1; k < ntimes && k < i + 60; k++)
			assert_true(k - i <= (times[k] - times[i]) / (1e9 / 77) + 1.0001);
	assert_true(times[ntimes - 1] == (double)t);
}

/* A replay gives the same at any speed: timers play no part in it. */
static void same_at_any_speed(void **unused)
{
	struct bench b;
	static char first[sizeof traced];
	(void)unused;
	for (int turn = 0; turn < 2; turn++) {
		replay_build(&b, "rate = 30\non_loss = zero\nloss_after = 50ms\n");
		for (int i = 0; i < 30; i++) {
			emit_pose(&b, "head", (i + (i > 15 ? 20 : 0)) * 7 * MS, i);
			if (turn) {
				usleep(8000);
				bench_turn(&b);
			}
		}
		bench_end(&b);
		if (!turn)
			snprintf(first, sizeof first, "%s", traced);
	}
	assert_string_equal(traced, first);
	assert_int_equal(count_text(first, "game:s0"), 2); /* the start, and the zero pose in the gap */
}

static void time_goes_back(void **unused)
{
	struct bench b;
	(void)unused;
	replay_build(&b, "rate = 100\n");
	emit_pose(&b, "head", 1000 * MS, 1);
	emit_pose(&b, "head", 1001 * MS, 2);
	emit_pose(&b, "head", 0, 3); /* starts anew, and is not silent for a second */
	emit_pose(&b, "head", 5 * MS, 4);
	emit_pose(&b, "head", 11 * MS, 5);
	assert_traced("game:s1 game:s3 game:s4");
	bench_end(&b);
	/* what comes a little out of order does not: up to two intervals before the next one's time */
	replay_build(&b, "rate = 100\n");
	emit_pose(&b, "head", 1000 * MS, 1);
	emit_pose(&b, "head", 990 * MS, 2);
	assert_traced("game:s1");
	emit_pose(&b, "head", 990 * MS - 1, 3);
	assert_traced("game:s3");
	bench_end(&b);
}

static int jump_seen;
static int look_for_jump(struct probe *p, const struct hp_sample *s)
{
	(void)p;
	trace("%s%.6g", s->flags & HP_JUMP ? "jump" : "", s->ypr[0]);
	jump_seen += !!(s->flags & HP_JUMP);
	return 0;
}
static void events_keep_their_place(void **unused)
{
	struct bench b;
	(void)unused;
	replay_build(&b, "rate = 100\n");
	emit_pose(&b, "head", 0, 1);
	emit_pose(&b, "head", 1 * MS, 2);
	emit_event(&b, "head", HP_DISCONNECTED, 0, NULL);
	assert_traced("game:s1 game:s2 game:e2");
	/* the first sample after a gap gives way, but that there was one is still seen */
	probe(&b, "game")->on_write = look_for_jump;
	emit_pose(&b, "head", 30 * MS, 3);
	emit_event(&b, "head", HP_GAP, 0, NULL);
	*traced = 0;
	emit_pose(&b, "head", 31 * MS, 4);
	emit_pose(&b, "head", 32 * MS, 5);
	emit_pose(&b, "head", 33 * MS, 6);
	emit_pose(&b, "head", 50 * MS, 7);
	assert_traced("jump6 7");
	bench_end(&b);
}

static void a_live_stream_is_served_by_time(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, HEAD TAIL "rate = 20\n");
	trace_all(&b);
	bench_start(&b);
	int64_t now = hp_now();
	for (int i = 0; i < 5; i++)
		emit_pose(&b, "head", now + i, i);
	assert_traced("game:s0");
	while (!*traced)
		uv_run(bench_loop(&b), UV_RUN_ONCE);
	assert_true(hp_now() - now >= 50 * MS);
	assert_traced("game:s4");
	bench_end(&b);
	assert_traced("");
}

static void zero_once(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, HEAD TAIL "on_loss = zero\nloss_after = 20ms\n[output other]\nuse = probe_out\n");
	trace_all(&b);
	bench_start(&b);
	for (int turn = 0; turn < 2; turn++) {
		int64_t begin = hp_now();
		struct hp_sample s = pose(begin, 5);
		s.arrival_ns = 0;
		emit_sample(&b, "head", &s);
		assert_traced("game:s5 other:s5");
		while (!*traced)
			uv_run(bench_loop(&b), UV_RUN_ONCE);
		assert_true(hp_now() - begin >= 20 * MS);
		assert_traced("game:s0");
		for (int64_t until = hp_now() + 60 * MS; hp_now() < until;)
			bench_turn(&b);
		assert_traced(""); /* once */
	}
	bench_end(&b);

	/* while samples come, nothing happens */
	bench_build(&b, HEAD TAIL "on_loss = zero\nloss_after = 60s\n");
	bench_start(&b);
	for (int i = 0; i < 20; i++) {
		struct hp_sample s = pose(hp_now(), 5);
		s.arrival_ns = 0;
		emit_sample(&b, "head", &s);
		bench_turn(&b);
	}
	assert_int_equal(node(&b, "game")->counts.out, 20);
	bench_end(&b);
}

static void zero_in_a_replay(void **unused)
{
	struct bench b;
	(void)unused;
	replay_build(&b, "on_loss = zero\nloss_after = 100ms\n");
	emit_pose(&b, "head", 0, 1);
	emit_pose(&b, "head", 100 * MS, 2);
	emit_pose(&b, "head", 201 * MS, 3);
	assert_traced("game:s1 game:s2 game:s0 game:s3");
	bench_end(&b);
	replay_build(&b, "");
	emit_pose(&b, "head", 0, 1);
	emit_pose(&b, "head", 5000 * MS, 2); /* hold is the default */
	assert_traced("game:s1 game:s2");
	bench_end(&b);
}

static int trace_pos(struct probe *p, const struct hp_sample *s)
{
	(void)p;
	assert_int_equal(s->reset_count, 9);
	trace("%.6g", s->pos[1]);
	return 0;
}
/* To the middle, smoothly, and no further; in a replay as far as the next sample lets it. */
static void return_in_a_replay(void **unused)
{
	struct bench b;
	(void)unused;
	replay_build(&b, "on_loss = return\nloss_after = 100ms\nreturn_time = 100ms\n");
	emit_pose(&b, "head", 0, 64);
	emit_pose(&b, "head", 400 * MS, 30);
	/* 64 * (1 - 10 t^3 + 15 t^4 - 6 t^5) */
	assert_traced("game:s64 game:s63.4522 game:s60.2931 game:s53.5629 game:s43.6838 game:s32 game:s20.3162 "
	              "game:s10.4371 game:s3.70688 game:s0.54784 game:s0 game:s0");
	/* and from there to where the head is by now, in the same time */
	emit_pose(&b, "head", 450 * MS, 30);
	emit_pose(&b, "head", 490 * MS, 30);
	emit_pose(&b, "head", 500 * MS, 30);
	assert_traced("game:s15 game:s29.7432 game:s30");
	/* resumed on the way: no step, and when it is lost again, from where it was */
	emit_pose(&b, "head", 635 * MS, 64);
	emit_pose(&b, "head", 685 * MS, 64);
	assert_traced("game:s29.7432 game:s28.2624 game:s25.1076 game:s25.1076 game:s44.5538");
	emit_pose(&b, "head", 796 * MS, 64);
	assert_traced("game:s44.1724 game:s44.1724");
	bench_end(&b);
	/* the position takes the same way */
	replay_build(&b, "on_loss = return\nloss_after = 100ms\nreturn_time = 100ms\n");
	probe(&b, "game")->on_write = trace_pos;
	static const struct {
		int64_t at;
		double pos;
		const char *traced;
	} steps[] = {
		{ 0, 64, "64" }, { 155, 8, "63.4522 60.2931 53.5629 43.6838 32 32" }, { 205, 8, "20" }, { 255, 8, "8" }
	};
	for (size_t i = 0; i < 4; i++) {
		struct hp_sample s = pose(steps[i].at * MS, 0);
		s.flags |= HP_POS;
		s.pos[1] = steps[i].pos;
		s.reset_count = 9;
		emit_sample(&b, "head", &s);
		assert_traced(steps[i].traced);
	}
	bench_end(&b);
	/* another output on the same branch has the samples as they are */
	replay_build(&b,
	             "on_loss = return\nloss_after = 100ms\nreturn_time = 100ms\n[output other]\nuse = probe_out\n");
	emit_pose(&b, "head", 0, 64);
	emit_pose(&b, "head", 500 * MS, 30);
	assert_non_null(strstr(traced, "game:s0 other:s30"));
	bench_end(&b);
	/* never faster than `rate`; what `rate` had kept goes first */
	replay_build(&b, "on_loss = return\nloss_after = 100ms\nreturn_time = 100ms\nrate = 20\n");
	emit_pose(&b, "head", 0, 64);
	emit_pose(&b, "head", 10 * MS, 32);
	emit_pose(&b, "head", 400 * MS, 3);
	assert_traced("game:s64 game:s32 game:s16 game:s0 game:s0");
	emit_pose(&b, "head", 450 * MS, 3);
	assert_traced("game:s1.5");
	bench_end(&b);
}

static void return_live(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, HEAD TAIL
	            "on_loss = return\nloss_after = 20ms\nreturn_time = 60ms\n[output other]\nuse = probe_out\n");
	trace_all(&b);
	bench_start(&b);
	for (int turn = 0; turn < 2; turn++) {
		struct hp_sample s = pose(hp_now(), 64);
		s.arrival_ns = 0;
		emit_sample(&b, "head", &s);
		if (turn) { /* from the middle, and there in the same time */
			assert_traced("game:s0 other:s64");
			s = pose(s.time_ns + 60 * MS, 64);
			s.arrival_ns = 0;
			emit_sample(&b, "head", &s);
		}
		assert_traced("game:s64 other:s64");
		uint64_t before = node(&b, "game")->counts.out;
		double last = 64;
		while (last > 0) { /* ever nearer to the middle, and there it ends */
			*traced = 0;
			while (!*traced)
				uv_run(bench_loop(&b), UV_RUN_ONCE);
			double now = atof(traced + strlen("game:s"));
			assert_true(now <= last && now >= 0);
			last = now;
		}
		assert_true(node(&b, "game")->counts.out - before <= 6);
		*traced = 0;
		for (int64_t until = hp_now() + 60 * MS; hp_now() < until;)
			bench_turn(&b);
		assert_traced("");
	}
	/* a sample on the way ends it, without a step */
	struct hp_sample s = pose(hp_now() + 1000 * MS, 64);
	s.arrival_ns = 0;
	emit_sample(&b, "head", &s);
	s.time_ns += 100 * MS;
	*traced = 0;
	emit_sample(&b, "head", &s);
	assert_traced("game:s64 other:s64");
	*traced = 0;
	while (!*traced)
		uv_run(bench_loop(&b), UV_RUN_ONCE);
	s.time_ns += 100 * MS;
	double last = atof(traced + strlen("game:s"));
	*traced = 0;
	emit_sample(&b, "head", &s);
	assert_true(fabs(atof(traced + strlen("game:s")) - last) < 1e-3 && strstr(traced, " other:s64"));
	bench_end(&b);
}

static void stop_on_loss(void **unused)
{
	struct bench b;
	(void)unused;
	replay_build(&b, "on_loss = stop\nloss_after = 100ms\n");
	emit_pose(&b, "head", 0, 1);
	emit_pose(&b, "head", 201 * MS, 3);
	hp_life_turn(&b.run);
	assert_true(b.run.stopping);
	assert_int_equal(b.run.exit_code, 1);
	assert_log_has(
	    "headpipe: error: output game: no samples any more; stopped by `on_loss = stop`; this output is off\n");
	bench_end(&b);
}

static void a_dead_output_is_left_alone(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, HEAD TAIL "rate = 50\non_loss = zero\nloss_after = 10ms\n[output other]\nuse = probe_out\n");
	trace_all(&b);
	bench_start(&b);
	int64_t now = hp_now();
	emit_pose(&b, "head", now, 1);
	emit_pose(&b, "head", now + 1, 2);
	const struct hp_host *h = &node(&b, "game")->host;
	h->fail(h, EIO, NULL);
	hp_life_turn(&b.run);
	*traced = 0;
	for (int64_t until = hp_now() + 60 * MS; hp_now() < until;)
		bench_turn(&b);
	assert_traced("");
	bench_end(&b);
	assert_traced("");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(newest_of_a_burst),
		cmocka_unit_test(any_rhythm),
		cmocka_unit_test(same_at_any_speed),
		cmocka_unit_test(time_goes_back),
		cmocka_unit_test(events_keep_their_place),
		cmocka_unit_test(a_live_stream_is_served_by_time),
		cmocka_unit_test(zero_once),
		cmocka_unit_test(zero_in_a_replay),
		cmocka_unit_test(return_in_a_replay),
		cmocka_unit_test(return_live),
		cmocka_unit_test(stop_on_loss),
		cmocka_unit_test(a_dead_output_is_left_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
