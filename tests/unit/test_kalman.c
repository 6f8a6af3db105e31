/* SPDX-License-Identifier: MIT
 * test_kalman.c - the filter `kalman`: exact where it begins anew, finite whatever comes, still at rest, and what it
 * makes of gyroscopes that are right, wrong or absent. How good it is, is bench-pose's matter. */
#include "check.h"
#include "fake_host.h"
#include "judge/motion.h"
#include "pose/pose.h"

extern const struct hp_module hp_filter_kalman;
static const struct hp_module *const kalman = &hp_filter_kalman;
static struct fake_host fake;

static void *opened(const char *key, const char *value)
{
	fake_init(&fake, "kalman");
	void *state = fake_state(kalman);
	if (key)
		fake_set(kalman, state, key, value);
	assert_int_equal(kalman->open(state, &fake.host), 0);
	return state;
}
static void closed(void *state)
{
	free(state);
	fake_free(&fake);
}
static void connected(void *state)
{
	struct hp_event e = { .struct_size = sizeof e, .type = HP_CONNECTED };
	kalman->event(state, &e);
}
static double apart(const double a[4], const double b[4])
{
	double back[4] = { a[0], -a[1], -a[2], -a[3] }, d[4], v[3];
	hp_quat_multiply(back, b, d);
	hp_quat_to_rotvec(d, v);
	return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * 180 / M_PI;
}
static void assert_exact(void *state, struct hp_sample s)
{
	double measured[4];
	memcpy(measured, s.quat, sizeof measured);
	assert_int_equal(kalman->filter(state, &s), HP_KEEP);
	for (int i = 0; i < 4; i++)
		assert_true(fabs(s.quat[i] - measured[i]) < 1e-15); /* the last bit: it is normalized */
}
/* One report of a head that nods, with noise; angles that no filter could have predicted. */
static struct hp_sample report(uint64_t i, enum judge_gyro gyro)
{
	static const struct judge_tracker tracker = { .rate = 100, .noise = 0.1, .seed = 5 };
	static struct judge_noise noise;
	struct judge_tracker t = tracker;
	struct hp_sample s;
	t.gyro = gyro;
	judge_motion_sample(JUDGE_NOD, &t, &noise, i, &s);
	return s;
}

static void test_begins_anew(void **unused)
{
	(void)unused;
	void *state = opened(NULL, NULL);
	struct hp_sample s;
	assert_exact(state, report(0, JUDGE_GYRO_GOOD));
	for (uint64_t i = 1; i < 400; i++) {
		s = report(i, JUDGE_GYRO_GOOD);
		assert_int_equal(kalman->filter(state, &s), HP_KEEP);
		assert_true(s.flags & HP_ANGVEL);
		assert_false(s.flags & (HP_ROTVEC | HP_YPR));
	}
	s = report(300, JUDGE_GYRO_GOOD); /* time goes back */
	assert_exact(state, s);
	s = report(700, JUDGE_GYRO_GOOD); /* a gap */
	assert_exact(state, s);
	s = report(701, JUDGE_GYRO_GOOD);
	s.flags |= HP_JUMP;
	assert_exact(state, s);
	static const uint32_t events[] = { HP_RECENTER, HP_REFERENCE_RESET, HP_GAP, HP_CONNECTED };
	for (size_t i = 0; i < 4; i++) {
		struct hp_event e = { .struct_size = sizeof e, .type = events[i] };
		kalman->event(state, &e);
		assert_exact(state, report(702 + i, JUDGE_GYRO_GOOD));
	}
	assert_int_equal(kalman->reset(state), 0);
	assert_exact(state, report(710, JUDGE_GYRO_GOOD));
	closed(state);
}

static void test_same_time(void **unused)
{
	(void)unused;
	void *state = opened(NULL, NULL);
	struct hp_sample s, again;
	for (uint64_t i = 0; i < 100; i++) {
		s = report(i, JUDGE_GYRO_NONE);
		kalman->filter(state, &s);
	}
	/* a second report of the same moment is one more measurement: nearer to it, no jump, the speed is kept */
	again = report(100, JUDGE_GYRO_NONE);
	again.time_ns = s.time_ns;
	double before = apart(s.quat, again.quat), measured[4];
	memcpy(measured, again.quat, sizeof measured);
	assert_int_equal(kalman->filter(state, &again), HP_KEEP);
	assert_true(apart(again.quat, measured) <= before + 1e-9);
	for (int i = 0; i < 3; i++)
		assert_true(isfinite(again.angvel[i]));
	closed(state);
}

static void test_not_finite(void **unused)
{
	(void)unused;
	void *state = opened(NULL, NULL), *other = opened(NULL, NULL);
	static const double bad[] = { NAN, INFINITY, -INFINITY };
	for (uint64_t i = 0; i < 200; i++) {
		struct hp_sample a = report(i, JUDGE_GYRO_GOOD), b = a, c = a;
		c.time_ns += 1000000;
		if (i & 1)
			c.quat[i % 4] = bad[i % 3];
		else
			c.gyro[i % 3] = bad[i % 3];
		assert_int_equal(kalman->filter(state, &a), HP_KEEP);
		assert_int_equal(kalman->filter(state, &c), -EDOM);
		assert_int_equal(kalman->filter(other, &b), HP_KEEP);
		check_bits("quat", a.quat, b.quat, 4); /* what was refused has left no trace */
	}
	free(other);
	closed(state);
}

/* Whatever the input: a unit quaternion and a finite speed. */
static void test_anything(void **unused)
{
	(void)unused;
	static const char *const gyros[] = { "auto", "yes", "no" };
	uint64_t r = 7;
	int64_t time_ns = 0;
	for (int g = 0; g < 3; g++) {
		void *state = opened("gyro", gyros[g]);
		for (int i = 0; i < 350000; i++) {
			struct hp_sample s = HP_SAMPLE_INIT;
			uint64_t what = random_below(&r, 1000);
			if (what < 900)
				time_ns += (int64_t)random_below(&r, 30000000);
			else if (what < 950)
				time_ns -= (int64_t)random_below(&r, 1000000000);
			else if (what < 955)
				time_ns = (int64_t)random_next(&r);
			s.time_ns = time_ns;
			bool wild = what % 10 == 0;
			for (int k = 0; k < 3; k++) {
				double v = wild ? random_real(&r, -3, 3) : random_real(&r, -0.01, 0.01) + 0.3;
				s.rotvec[k] = v;
				s.gyro[k] = what == 3 ? random_real(&r, -1e300, 1e300) : random_real(&r, -8, 8);
			}
			hp_quat_from_rotvec(s.rotvec, s.quat);
			if (what == 4)
				memset(s.quat, 0, sizeof s.quat);
			s.flags = HP_ROTVEC | (what % 7 ? HP_GYRO : 0);
			assert_int_equal(kalman->filter(state, &s), HP_KEEP);
			double n = s.quat[0] * s.quat[0] + s.quat[1] * s.quat[1] + s.quat[2] * s.quat[2] +
			           s.quat[3] * s.quat[3];
			if (!(fabs(n - 1) < 1e-9) || !isfinite(s.angvel[0] + s.angvel[1] + s.angvel[2]))
				fail_msg("gyro %s, sample %d: |q|^2 = %g, speed %g %g %g", gyros[g], i, n, s.angvel[0],
				         s.angvel[1], s.angvel[2]);
		}
		closed(state);
	}
}

/* RMS distance to the truth over the last part of the nod, and whether the gyroscope was believed at its end. */
static double nod(const char *option, enum judge_gyro gyro, double noise, bool *believed)
{
	void *state = opened("gyro", option);
	struct judge_tracker t = { .rate = 100, .noise = noise, .gyro = gyro, .seed = 11 };
	struct judge_noise memory = { .started = false };
	double ss = 0, truth[4];
	int n = 0;
	connected(state);
	for (uint64_t i = 0; i < 1390; i++) {
		struct hp_sample s;
		judge_motion_sample(JUDGE_NOD, &t, &memory, i, &s);
		assert_int_equal(kalman->filter(state, &s), HP_KEEP);
		if (i > 1000) {
			judge_motion_pose(JUDGE_NOD, (double)s.time_ns / 1e9, truth);
			ss += apart(truth, s.quat) * apart(truth, s.quat);
			n++;
		}
		double d = 0;
		for (int k = 0; k < 3; k++)
			d += fabs(s.angvel[k] - s.gyro[k]);
		*believed = d < 0.1; /* the speed that it gives is the gyroscope's, up to the bias */
	}
	if (gyro != JUDGE_GYRO_SWAPPED)
		closed(state);
	else
		free(state);
	return sqrt(ss / n);
}

static void test_gyroscopes(void **unused)
{
	(void)unused;
	bool believed;
	double without = nod("no", JUDGE_GYRO_GOOD, 0.1, &believed);
	assert_true(nod("auto", JUDGE_GYRO_GOOD, 0.1, &believed) < without / 2);
	assert_true(believed);
	assert_true(nod("auto", JUDGE_GYRO_BIASED, 0.1, &believed) < without / 2);
	assert_true(believed);
	assert_true(nod("auto", JUDGE_GYRO_NONE, 0.1, &believed) < without * 1.1);
	double wrong = nod("auto", JUDGE_GYRO_SWAPPED, 0.1, &believed);
	assert_false(believed);
	if (wrong > without * 1.1)
		fail_msg("wrong gyroscope: %g, without: %g", wrong, without);
	fake_free(&fake);
}

/* What is said about a gyroscope, and how often. */
static void motion_said(enum judge_gyro gyro, double factor, int late, const char *want)
{
	double line[8][3] = { { 0 } };
	void *state = opened(NULL, NULL);
	struct judge_tracker t = { .rate = 100, .noise = 0.02, .gyro = gyro, .seed = 3 };
	struct judge_noise memory = { .started = false };
	connected(state);
	for (int round = 0; round < 8; round++)
		for (uint64_t i = 0; i < 600; i++) { /* the part that turns about each axis */
			struct hp_sample s;
			judge_motion_sample(JUDGE_STILL, &t, &memory, i, &s);
			s.time_ns += round * INT64_C(6000000000);
			for (int k = 0; k < 3; k++) {
				line[i % 8][k] = s.gyro[k] * factor;
				s.gyro[k] = line[(i + 8 - (uint64_t)late) % 8][k];
			}
			assert_int_equal(kalman->filter(state, &s), HP_KEEP);
			if (round == 0 || (round == 1 && i < 400))
				assert_string_equal(fake_text(&fake.log), ""); /* not in the first 10 s */
		}
	assert_string_equal(fake_text(&fake.log), want);
	closed(state);
}
#define SAID "warn: the gyroscope does not turn as the pose does, so the pose is followed without it; "
static void test_says(void **unused)
{
	(void)unused;
	motion_said(JUDGE_GYRO_GOOD, 1, 0, "");
	motion_said(JUDGE_GYRO_BIASED, 1, 0, "");
	motion_said(
	    JUDGE_GYRO_SWAPPED, 1, 0,
	    SAID
	    "its axes would fit in another order: a filter mount right above with gyro_map = ZXY, gyro_invert = none "
	    "does that\n");
	motion_said(
	    JUDGE_GYRO_SIGNS, 1, 0,
	    SAID
	    "its axes would fit in another order: a filter mount right above with gyro_map = XYZ, gyro_invert = XZ "
	    "does that\n");
	motion_said(JUDGE_GYRO_GOOD, 180 / M_PI, 0, SAID "its readings would fit if they were 0.0175 times as large\n");
	motion_said(JUDGE_GYRO_GOOD, 1.05, 0,
	            "warn: the gyroscope's readings are 1.05 times as large as the pose says; that is taken out\n");
	motion_said(JUDGE_GYRO_GOOD, 1, 1, "warn: the gyroscope's readings are 10 ms late; that is taken out\n");
}

static void test_still(void **unused)
{
	(void)unused;
	double last = 1;
	static const char *const knob[] = { "0.03", "0.1", "0.3" };
	for (int i = 0; i < 3; i++) {
		void *state = opened("stillness", knob[i]);
		struct judge_tracker t = { .rate = 100, .noise = 0.1, .seed = 2 };
		struct judge_noise memory = { .started = false };
		double truth[4], ss = 0;
		int n = 0;
		for (uint64_t k = 0; k < 2300; k++) {
			struct hp_sample s;
			judge_motion_sample(JUDGE_STILL, &t, &memory, k, &s);
			kalman->filter(state, &s);
			judge_motion_pose(JUDGE_STILL, 20, truth);
			if (k > 950) {
				ss += apart(truth, s.quat) * apart(truth, s.quat) / 3;
				n++;
			}
		}
		assert_true(sqrt(ss / n) < last); /* more of the knob is stiller */
		last = sqrt(ss / n);
		closed(state);
	}
	assert_true(last < 0.02);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begins_anew), cmocka_unit_test(test_same_time),
		cmocka_unit_test(test_not_finite),  cmocka_unit_test(test_anything),
		cmocka_unit_test(test_gyroscopes),  cmocka_unit_test(test_says),
		cmocka_unit_test(test_still),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
