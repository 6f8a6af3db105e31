/* SPDX-License-Identifier: MIT
 * test_neck.c - the filter `neck`: where the eyes go when the head turns. */
#include "check.h"
#include "fake_host.h"
#include "pose/basis.h"
#include "pose/pose.h"

extern const struct hp_module hp_filter_neck;
static const struct hp_module *const neck = &hp_filter_neck;

static void feed(void *state, struct hp_sample *s, double yaw, double pitch, double roll, uint32_t flags)
{
	double ypr[3] = { yaw, pitch, roll };
	*s = (struct hp_sample)HP_SAMPLE_INIT;
	s->flags = flags;
	s->pos[0] = 1;
	s->pos[1] = 2;
	s->pos[2] = 3;
	hp_frame_quat_from_ypr(ypr, s->quat);
	assert_int_equal(neck->filter(state, s), HP_KEEP);
	assert_true(s->flags & HP_POS);
	assert_true(hp_sample_finite(s));
}
static void expect(const struct hp_sample *s, double x, double y, double z)
{
	if (fabs(s->pos[0] - x) > 1e-9 || fabs(s->pos[1] - y) > 1e-9 || fabs(s->pos[2] - z) > 1e-9)
		fail_msg("%g %g %g instead of %g %g %g", s->pos[0], s->pos[1], s->pos[2], x, y, z);
}
static void test_by_hand(void **unused)
{
	struct hp_sample s;
	void *state = fake_state(neck);
	(void)unused;
	feed(state, &s, 0, 0, 0, 0);
	expect(&s, 0, 0, 0);
	feed(state, &s, 90, 0, 0, 0); /* to the left */
	expect(&s, -8, 8, 0);
	feed(state, &s, 180, 0, 0, 0);
	expect(&s, -16, 0, 0);
	feed(state, &s, 0, 90, 0, 0); /* down: what was ahead is below, what was above is ahead */
	expect(&s, 7.5 - 8, 0, -8 - 7.5);
	feed(state, &s, 0, 0, 90, 0); /* the right ear on the shoulder: what was above is to the right */
	expect(&s, 0, -7.5, -7.5);
	fake_set(neck, state, "forward", "0");
	feed(state, &s, 77, 0, 0, 0);
	expect(&s, 0, 0, 0);
	free(state);
}
static void test_measured(void **unused)
{
	struct hp_sample s;
	void *state = fake_state(neck);
	(void)unused;
	feed(state, &s, 90, 0, 0, HP_POS);
	expect(&s, 1, 2, 3);
	fake_set(neck, state, "measured", "add");
	feed(state, &s, 90, 0, 0, HP_POS);
	expect(&s, -7, 10, 3);
	feed(state, &s, 90, 0, 0, 0);
	expect(&s, -8, 8, 0);
	fake_set(neck, state, "measured", "replace");
	feed(state, &s, 90, 0, 0, HP_POS);
	expect(&s, -8, 8, 0);
	free(state);
}
/* The eyes stay on a sphere about the joint, and the pose is not touched. */
static void test_sphere(void **unused)
{
	uint64_t r = 2;
	struct hp_sample s;
	void *state = fake_state(neck);
	(void)unused;
	for (int i = 0; i < 100000; i++) {
		double yaw = random_real(&r, -400, 400),
		       ypr[3] = { yaw, ((double)random_below(&r, 5) - 2) * 45, yaw / 3 };
		double q[4];
		feed(state, &s, ypr[0], ypr[1], ypr[2], 0);
		hp_frame_quat_from_ypr(ypr, q);
		assert_memory_equal(q, s.quat, sizeof q);
		double x = s.pos[0] + 8, z = s.pos[2] + 7.5;
		assert_true(fabs(x * x + s.pos[1] * s.pos[1] + z * z - (64 + 56.25)) < 1e-9);
	}
	free(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_measured),
		cmocka_unit_test(test_sphere),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
