/* SPDX-License-Identifier: MIT
 * test_constant.c - an input that sends but does not move is named once, and again only after it has moved; one that
 * moves never is. */
#include "harness.h"

#define NAMED "input head: sends, but its pose has been the same to the last bit for "
#define INI   "[input head]\nuse = probe_in\n[filter f]\nuse = probe_filter\n[output game]\nuse = probe_out\n"
#define MS    INT64_C(1000000)

static size_t named(void)
{
	return count_text(logged, NAMED);
}

/* The same pose for so many ms, a sample every `step`. Returns the time behind it. */
static int64_t stay(struct bench *b, int64_t t, int64_t ms, int64_t step, double yaw)
{
	for (int64_t end = t + ms * MS; t < end; t += step * MS)
		emit_pose(b, "head", t, yaw);
	return t;
}

static int64_t turn(struct bench *b, int64_t t, int64_t ms)
{
	double yaw = 0;
	for (int64_t end = t + ms * MS; t < end; t += 10 * MS)
		emit_pose(b, "head", t, yaw += 0.2);
	return t;
}

static void once_until_it_moves(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	/* from the beginning on: not one sample before the time is over */
	int64_t t = stay(&b, 0, 5000, 10, 3);
	assert_int_equal(named(), 0);
	t = stay(&b, t, 10, 10, 3);
	assert_int_equal(named(), 1);
	assert_log_has(NAMED "5 s: ");
	t = stay(&b, t, 600000, 100, 3);
	assert_int_equal(named(), 1);
	/* a digit that flickers is no motion */
	for (int i = 0; i < 100; i++)
		t = stay(&b, t, 7000, 100, 3 + i % 2 * 0.005);
	assert_int_equal(named(), 1);
	t = turn(&b, t, 3000);
	assert_int_equal(count_text(logged, "input head: moves again"), 1);
	/* in the middle of a run it takes a second more at most */
	int64_t begin = t;
	while (named() < 2 && t < begin + 60000 * MS)
		t = stay(&b, t, 10, 10, 7);
	assert_true(t - begin >= 5000 * MS && t - begin <= 6100 * MS);
	bench_end(&b);
}

static void what_moves_is_not_named(void **unused)
{
	struct bench b;
	int64_t t = 0;
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	t = turn(&b, t, 60000);
	/* a period that is exactly that of the looks, and half of it */
	for (int i = 0; i < 6000; i++, t += 10 * MS)
		emit_pose(&b, "head", t, i % 100 * 0.5);
	for (int i = 0; i < 6000; i++, t += 10 * MS)
		emit_pose(&b, "head", t, i % 50 < 45 ? 0 : 1);
	/* still for less than the time, again and again */
	for (int i = 0; i < 20; i++)
		t = stay(&b, t, 4500, 10, i);
	/* only the position moves */
	struct hp_sample s = pose(t, 0);
	s.flags |= HP_POS;
	for (int i = 0; i < 2000; i++) {
		s.time_ns = t += 10 * MS;
		s.pos[1] = i * 0.01;
		emit_sample(&b, "head", &s);
	}
	assert_int_equal(named(), 0);
	bench_end(&b);
}

static void a_gap_begins_anew(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, INI);
	bench_start(&b);
	int64_t t = stay(&b, 0, 4900, 10, 1);
	emit_event(&b, "head", HP_GAP, 60000 * MS, NULL);
	t = stay(&b, t + 60000 * MS, 5000, 10, 1);
	assert_int_equal(named(), 0);
	t = stay(&b, t, 10, 10, 1);
	assert_int_equal(named(), 1);
	/* and does not make it news */
	emit_event(&b, "head", HP_GAP, 1, NULL);
	t = stay(&b, t, 60000, 10, 1);
	assert_int_equal(named(), 1);
	/* a clock that goes back, to the end of all times, and two samples far apart */
	stay(&b, 0, 20000, 10, 1);
	emit_pose(&b, "head", INT64_MAX, 9);
	emit_pose(&b, "head", INT64_MIN, 9);
	emit_pose(&b, "head", INT64_MAX, 9);
	bench_end(&b);
}

static void the_key(void **unused)
{
	struct bench b;
	(void)unused;
	bench_build(&b, "[input head]\nuse = probe_in\nconstant_after = 250ms\n[output game]\nuse = probe_out\n");
	bench_start(&b);
	int64_t t = stay(&b, 0, 250, 10, 1);
	assert_int_equal(named(), 0);
	stay(&b, t, 10, 10, 1);
	assert_log_has(NAMED "0.25 s: ");
	bench_end(&b);
	bench_build(&b, "[input head]\nuse = probe_in\nconstant_after = 0s\n[output game]\nuse = probe_out\n");
	bench_start(&b);
	stay(&b, 0, 600000, 100, 1);
	assert_int_equal(named(), 0);
	bench_end(&b);
	/* slower than the looks: every sample is one */
	bench_build(&b, INI);
	bench_start(&b);
	t = stay(&b, 0, 6000, 2000, 1);
	assert_int_equal(named(), 0);
	stay(&b, t, 2000, 2000, 1);
	assert_int_equal(named(), 1);
	bench_end(&b);
	assert_errors("[input head]\nuse = probe_in\n[output game]\nuse = probe_out\nconstant_after = 1s\n",
	              "a.ini:5: error: [output game] constant_after = 1s: no such option\n"
	              "    `constant_after` belongs into an [input NAME] section\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(once_until_it_moves),
		cmocka_unit_test(what_moves_is_not_named),
		cmocka_unit_test(a_gap_begins_anew),
		cmocka_unit_test(the_key),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
