/* SPDX-License-Identifier: MIT
 * test_angles.c - angles followed through 180 and over the top, and what the filter `axes` makes of them when it
 * scales. */
#include "check.h"
#include "fake_host.h"
#include "pose/angles.h"
#include "pose/basis.h"
#include "pose/pose.h"

extern const struct hp_module hp_filter_axes;

static const double never[3] = { INFINITY, INFINITY, INFINITY };

static double apart(const double a[4], const double b[4])
{
	double dot = fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
	return 2 * acos(fmin(dot, 1)) * 180 / 3.14159265358979323846;
}

/* Whatever the path, the triple stays a triple of the pose. */
static void test_same_pose(void **unused)
{
	uint64_t r = 11;
	struct hp_angles a = { 0 };
	double v[3] = { 0, 0, 0 }, q[4], ypr[3], out[3], back[4];
	static const double turns[3] = { 250, 0, 180 };
	(void)unused;
	for (int i = 0; i < 200000; i++) {
		for (int k = 0; k < 3; k++)
			v[k] = random_below(&r, 50) ? v[k] + random_real(&r, -8, 8) : random_real(&r, -400, 400);
		hp_frame_quat_from_ypr(v, q);
		hp_quat_to_ypr(q, ypr);
		hp_angles_follow(&a, q, ypr, i % 2 ? turns : never, out);
		hp_frame_quat_from_ypr(out, back);
		if (apart(q, back) > 1e-5)
			fail_msg("%g %g %g became %g %g %g", ypr[0], ypr[1], ypr[2], out[0], out[1], out[2]);
		assert_true(fabs(out[1]) <= 135.0001);
		if (i % 2)
			assert_true(fabs(out[0]) <= 250 && fabs(out[2]) <= 180);
	}
}
/* Turning round and round, and nodding over the top, in steps of one degree: no step is longer. */
/* Straight up and down yaw and roll cannot be told apart: what changes is shared out, and the pose is the same. */
static void test_at_the_pole(void **unused)
{
	(void)unused;
	for (int side = -1; side <= 1; side += 2)
		for (int change = -8; change <= 8; change += 4) {
			struct hp_angles a = { 0 };
			double ypr[3] = { 20, side * 85, 10 }, q[4], got[4], out[3], given[3];
			hp_frame_quat_from_ypr(ypr, q);
			hp_angles_follow(&a, q, ypr, never, out);
			ypr[0] += change;
			ypr[1] = side * 90;
			hp_frame_quat_from_ypr(ypr, q);
			hp_quat_to_ypr(q, given);
			hp_angles_follow(&a, q, given, never, out);
			hp_frame_quat_from_ypr(out, got);
			double dot = q[0] * got[0] + q[1] * got[1] + q[2] * got[2] + q[3] * got[3];
			assert_true(fabs(fabs(dot) - 1) < 1e-9);
			assert_true(fabs(out[0] - 20 - change / 2) < 1e-4);
			assert_true(fabs(out[2] - 10 + side * change / 2) < 1e-4);
		}
}
static void test_no_flips(void **unused)
{
	(void)unused;
	for (int axis = 0; axis < 3; axis++) {
		struct hp_angles a = { 0 };
		double last = 0;
		int end = axis == 1 ? 135 : 1000;
		for (int i = 0; i <= end; i++) {
			double v[3] = { 0, 0, 0 }, q[4], ypr[3], out[3];
			v[axis] = i;
			hp_frame_quat_from_ypr(v, q);
			hp_quat_to_ypr(q, ypr);
			hp_angles_follow(&a, q, ypr, never, out);
			assert_true(fabs(out[axis] - i) < 1e-6 && fabs(out[axis] - last) < 1.001);
			last = out[axis];
		}
	}
	/* upright again after a somersault: the plain triple */
	struct hp_angles a = { 0 };
	double out[3];
	for (int i = 0; i <= 180; i++) {
		double v[3] = { 0, i, 0 }, q[4], ypr[3];
		hp_frame_quat_from_ypr(v, q);
		hp_quat_to_ypr(q, ypr);
		hp_angles_follow(&a, q, ypr, never, out);
	}
	assert_true(fabs(out[1]) < 1e-6 && fabs(fabs(out[0]) - 180) < 1e-6 && fabs(fabs(out[2]) - 180) < 1e-6);
}

struct walk {
	void *state;
	struct hp_sample s;
	double quat[4]; /* of the sample before */
};
static void begin(struct walk *w, const char *key, const char *value, const char *key2, const char *value2)
{
	static struct fake_host f;
	fake_init(&f, "gain");
	w->state = fake_state(&hp_filter_axes);
	fake_set(&hp_filter_axes, w->state, key, value);
	if (key2)
		fake_set(&hp_filter_axes, w->state, key2, value2);
	assert_int_equal(hp_filter_axes.open(w->state, &f.host), 0);
}
static void step(struct walk *w, double yaw, double pitch, double roll)
{
	double ypr[3] = { yaw, pitch, roll };
	memcpy(w->quat, w->s.quat, sizeof w->quat);
	w->s = (struct hp_sample)HP_SAMPLE_INIT;
	hp_frame_quat_from_ypr(ypr, w->s.quat);
	assert_int_equal(hp_filter_axes.filter(w->state, &w->s), HP_KEEP);
	hp_sample_derive(&w->s);
}
#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

/* The view that jumped from full left to full right, and the one that stood on its head. */
static void test_ends(void **unused)
{
	static const double yaws[] = { 80, 85, 89, 91, 95, 170, 180, 190, 269 };
	struct walk w;
	(void)unused;
	begin(&w, "scale_yaw", "2", "scale_pitch", "2");
	for (size_t i = 0; i < sizeof yaws / sizeof *yaws; i++) {
		step(&w, yaws[i], 0, 0);
		NEAR(w.s.ypr[0], yaws[i] < 90 ? 2 * yaws[i] : 180);
		NEAR(w.s.ypr[1], 0);
	}
	step(&w, 271, 0, 0); /* that is 89 to the right */
	NEAR(w.s.ypr[0], -178);
	step(&w, 360, 0, 0);
	NEAR(w.s.ypr[0], 0);
	static const double pitches[] = { 40, 44, 46, 60, 89, 90, 91, 100, 46, 44 };
	for (size_t i = 0; i < sizeof pitches / sizeof *pitches; i++) {
		step(&w, 0, pitches[i], 0);
		assert_true(w.s.flags & HP_YPR);
		if (pitches[i] <= 90) {
			NEAR(w.s.ypr[0], 0);
			NEAR(w.s.ypr[1], pitches[i] < 45 ? 2 * pitches[i] : 90);
			NEAR(w.s.ypr[2], 0);
		}
	}
	free(w.state);
}
/* A full turn at any gain from 1 up: in steps of a tenth of a degree the view never turns by more than the gain. */
static void test_round(void **unused)
{
	static const char *const gains[] = { "1.01", "1.5", "2", "3", "-2", "-1.2", "10" };
	(void)unused;
	for (size_t g = 0; g < sizeof gains / sizeof *gains; g++)
		for (int side = -1; side <= 1; side += 2) {
			struct walk w;
			begin(&w, "scale_yaw", gains[g], NULL, NULL);
			for (int i = 0; i <= 7200; i++) {
				step(&w, side * i * 0.1, 10, 5);
				if (i && apart(w.quat, w.s.quat) > fabs(atof(gains[g])) * 0.1 + 1e-5)
					fail_msg("gain %s, at %g: the view turned by %g", gains[g], side * i * 0.1,
					         apart(w.quat, w.s.quat));
				if (i % 3600 == 0)
					NEAR(w.s.ypr[0], 0); /* in front it never sticks */
			}
			free(w.state);
		}
}
/* Weaker: 170, 180, 190 are 85, 90, 95. A recenter, a jump and a reset begin to count anew. */
static void test_weaker(void **unused)
{
	struct walk w;
	(void)unused;
	begin(&w, "scale_yaw", "0.5", NULL, NULL);
	for (int i = 0; i <= 400; i += 5) {
		step(&w, i, 0, 0);
		NEAR(w.s.ypr[0], i * 0.5 > 180 ? i * 0.5 - 360 : i * 0.5);
	}
	assert_int_equal(hp_filter_axes.command(w.state, "recenter"), 0);
	assert_int_equal(hp_filter_axes.command(w.state, "reopen"), -ENOTSUP);
	step(&w, 40, 0, 0);
	NEAR(w.s.ypr[0], 20);
	step(&w, 200, 0, 0);
	step(&w, 360, 0, 0);
	NEAR(w.s.ypr[0], 180);
	double ypr[3] = { 10, 0, 0 };
	w.s = (struct hp_sample)HP_SAMPLE_INIT;
	w.s.flags = HP_JUMP;
	hp_frame_quat_from_ypr(ypr, w.s.quat);
	hp_filter_axes.filter(w.state, &w.s);
	NEAR(w.s.ypr[0], 5);
	free(w.state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_pose), cmocka_unit_test(test_at_the_pole), cmocka_unit_test(test_no_flips),
		cmocka_unit_test(test_ends),      cmocka_unit_test(test_round),       cmocka_unit_test(test_weaker),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
