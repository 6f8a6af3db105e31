/* SPDX-License-Identifier: MIT
 * test_smoothing.c - the filters with names that people know: one_euro against its authors' own figures, accela and
 * ewma against what they promise; all of them against anything that may come in. */
#include "check.h"
#include "fake_host.h"
#include "pose/pose.h"

extern const struct hp_module hp_filter_one_euro, hp_filter_accela, hp_filter_ewma;
static const struct hp_module *const all[] = { &hp_filter_one_euro, &hp_filter_accela, &hp_filter_ewma };

static struct hp_sample roll_at(double time, double degrees)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	s.time_ns = (int64_t)rint(time * 1e9) + 5000000000;
	s.quat[0] = cos(degrees * M_PI / 360);
	s.quat[1] = sin(degrees * M_PI / 360);
	return s;
}
static double roll_of(const struct hp_sample *s)
{
	return 2 * atan2(s->quat[1], s->quat[0]) * 180 / M_PI;
}

/* Largest difference to the authors' 1200 rows, the signal taken for degrees of roll. */
static double against_truth(const char *key, const char *value)
{
	FILE *f = fopen("tests/data/oneeuro/groundTruth.csv", "r");
	char line[256];
	double worst = 0, t, noisy, want;
	int rows = 0;
	void *state = fake_state(&hp_filter_one_euro);
	fake_set(&hp_filter_one_euro, state, "mincutoff", "1");
	fake_set(&hp_filter_one_euro, state, "beta", "0.1");
	fake_set(&hp_filter_one_euro, state, "dcutoff", "1");
	if (key)
		fake_set(&hp_filter_one_euro, state, key, value);
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof line, f));
	while (fgets(line, sizeof line, f)) {
		assert_int_equal(sscanf(line, "%lf,%*f,%lf,%lf", &t, &noisy, &want), 3);
		struct hp_sample s = roll_at(t, noisy);
		assert_int_equal(hp_filter_one_euro.filter(state, &s), HP_KEEP);
		worst = fmax(worst, fabs(roll_of(&s) - want));
		rows++;
	}
	assert_int_equal(rows, 1200);
	fclose(f);
	free(state);
	return worst;
}

static void test_ground_truth(void **unused)
{
	(void)unused;
	double worst = against_truth(NULL, NULL);
	if (!(worst <= 1e-4))
		fail_msg("differs by %g", worst);
	/* and the figures do tell */
	assert_true(against_truth("beta", "0.11") > 1e-3);
	assert_true(against_truth("mincutoff", "1.02") > 1e-4);
	assert_true(against_truth("dcutoff", "1.1") > 1e-4);
}

/* The largest angle that comes out of a turn from 0 to 40 degrees within one step, at a rate of samples per second. */
static double top_of_step(const struct hp_module *m, double rate)
{
	void *state = fake_state(m);
	double top = 0;
	for (int i = 0; i < 3 * rate; i++) {
		struct hp_sample s = roll_at(i / rate, i < rate ? 0 : 40);
		assert_int_equal(m->filter(state, &s), HP_KEEP);
		top = fmax(top, roll_of(&s));
		if (i < rate)
			assert_true(fabs(roll_of(&s)) < 1e-9);
	}
	free(state);
	return top;
}

static void test_never_beyond(void **unused)
{
	(void)unused;
	static const double rates[] = { 2.5, 25, 100, 1000 };
	for (size_t m = 0; m < 3; m++)
		for (size_t r = 0; r < 4; r++) {
			double top = top_of_step(all[m], rates[r]);
			if (!(top < 40 + 1e-9 && top > 36))
				fail_msg("%s at %g Hz: 40 degrees become %g", all[m]->name, rates[r], top);
		}
}

static void test_accela_dead_zone(void **unused)
{
	(void)unused;
	void *state = fake_state(&hp_filter_accela);
	fake_set(&hp_filter_accela, state, "deadzone", "0.5");
	for (int i = 0; i < 1000; i++) {
		struct hp_sample s = roll_at(i / 100.0, i ? 0.49 * sin(i) : 0);
		hp_filter_accela.filter(state, &s);
		assert_true(fabs(roll_of(&s)) < 1e-12);
	}
	for (int i = 0; i < 3000; i++) { /* and the rest is reached up to it, whatever the smoothing */
		struct hp_sample s = roll_at(10 + i / 100.0, 10);
		hp_filter_accela.filter(state, &s);
		assert_true(roll_of(&s) < 9.5 + 1e-9 && (i < 2999 || roll_of(&s) > 9));
	}
	free(state);
	for (int ms = 5; ms < 400; ms += 5) { /* never further than to it, however long a step is */
		state = fake_state(&hp_filter_accela);
		fake_set(&hp_filter_accela, state, "deadzone", "4");
		for (int i = 0; i < 20; i++) {
			struct hp_sample s = roll_at(i * ms / 1000.0, i ? 10 : 0);
			hp_filter_accela.filter(state, &s);
			assert_true(roll_of(&s) < 6 + 1e-9);
		}
		free(state);
	}
}

static void test_ewma_learns(void **unused)
{
	(void)unused;
	double last = 0;
	for (int k = 0; k < 2; k++) { /* ten times the noise: ten times what is left of it, not more */
		void *state = fake_state(&hp_filter_ewma);
		uint64_t r = 5;
		double ss = 0, noise = k ? 1 : 0.1;
		for (int i = 0; i < 6000; i++) {
			struct hp_sample s = roll_at(i / 100.0, random_real(&r, -noise, noise));
			hp_filter_ewma.filter(state, &s);
			if (i >= 3000)
				ss += roll_of(&s) * roll_of(&s) / 3000;
		}
		assert_true(sqrt(ss) < noise / sqrt(3) / 3);
		if (k)
			assert_true(fabs(sqrt(ss) / last - 10) < 0.2);
		last = sqrt(ss);
		free(state);
	}
	const char *key = NULL;
	char why[200] = "";
	void *state = fake_state(&hp_filter_ewma);
	fake_set(&hp_filter_ewma, state, "max", "10ms");
	assert_int_equal(hp_filter_ewma.check(state, &key, why, sizeof why), -EINVAL);
	assert_string_equal(key, "max");
	free(state);
}

static void test_wraps(void **unused)
{
	(void)unused;
	for (size_t m = 0; m < 3; m++) { /* through 180 degrees as through any other */
		void *state = fake_state(all[m]), *other = fake_state(all[m]);
		for (int i = 0; i < 600; i++) {
			struct hp_sample a = roll_at(i / 100.0, i * 0.6), b = roll_at(i / 100.0, i * 0.6 - 170);
			all[m]->filter(state, &a);
			all[m]->filter(other, &b);
			double d = fmod(roll_of(&a) - roll_of(&b) - 170 + 1080 + 180, 360) - 180;
			if (fabs(d) > 1e-6)
				fail_msg("%s: %g at %g degrees", all[m]->name, d, i * 0.6);
		}
		free(state);
		free(other);
	}
}

/* A position where no head can be spoils nothing: the one before is held, and the next one counts again. */
static void test_absurd_position(void **unused)
{
	static const double absurd[] = { 1e7, 1e155, 1.7e308 };
	(void)unused;
	for (size_t m = 0; m < 3; m++)
		for (size_t k = 0; k < 3; k++) {
			void *state = fake_state(all[m]), *other = fake_state(all[m]);
			for (int i = 0; i < 200; i++) {
				struct hp_sample s = roll_at(i / 100.0, 20 * sin(i / 20.0)), same = s;
				s.flags = same.flags = HP_POS;
				s.pos[1] = same.pos[1] = 5;
				if (i % 50 == 20) {
					s.pos[0] = absurd[k];
					s.pos[2] = -absurd[k];
				}
				assert_int_equal(all[m]->filter(state, &s), HP_KEEP);
				assert_int_equal(all[m]->filter(other, &same), HP_KEEP);
				check_bits(all[m]->name, s.quat, same.quat, 4);
				check_bits(all[m]->name, s.pos, same.pos, 3);
			}
			free(state);
			free(other);
		}
}

static void test_anything(void **unused)
{
	(void)unused;
	uint64_t r = 1;
	for (size_t m = 0; m < 3; m++) {
		void *state = fake_state(all[m]), *other = fake_state(all[m]);
		int64_t time_ns = 0;
		for (int i = 0; i < 340000; i++) {
			struct hp_sample s = HP_SAMPLE_INIT, bad;
			uint64_t what = random_below(&r, 1000);
			if (what > 20)
				time_ns += (int64_t)random_below(&r, 30000000);
			else if (what > 10)
				time_ns -= (int64_t)random_below(&r, 1000000000);
			else if (what == 1)
				time_ns = (int64_t)random_next(&r);
			s.time_ns = time_ns;
			s.flags = HP_POS | HP_ROTVEC | (what == 3 ? HP_JUMP : 0u);
			for (int k = 0; k < 3; k++) {
				s.rotvec[k] = random_real(&r, -3, 3);
				s.pos[k] = what == 2 ? 1e200 : random_real(&r, -30, 30);
			}
			hp_quat_from_rotvec(s.rotvec, s.quat);
			double given[4];
			memcpy(given, s.quat, sizeof given);
			bad = s;
			bad.quat[i % 4] = i & 1 ? NAN : INFINITY;
			assert_int_equal(all[m]->filter(state, &bad), -EDOM);
			struct hp_sample same = s;
			assert_int_equal(all[m]->filter(state, &s), HP_KEEP);
			assert_int_equal(all[m]->filter(other, &same), HP_KEEP);
			check_bits(all[m]->name, s.quat, same.quat, 4); /* the bad one left no trace */
			double n = s.quat[0] * s.quat[0] + s.quat[1] * s.quat[1] + s.quat[2] * s.quat[2] +
			           s.quat[3] * s.quat[3];
			if (!(fabs(n - 1) < 1e-9) || s.flags & (HP_ROTVEC | HP_YPR))
				fail_msg("%s, sample %d: |q|^2 = %g", all[m]->name, i, n);
			if (s.flags & HP_JUMP)
				for (int k = 0; k < 4; k++)
					assert_true(fabs(s.quat[k] - given[k]) < 1e-15);
		}
		free(state);
		free(other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ground_truth),
		cmocka_unit_test(test_never_beyond),
		cmocka_unit_test(test_accela_dead_zone),
		cmocka_unit_test(test_ewma_learns),
		cmocka_unit_test(test_wraps),
		cmocka_unit_test(test_absurd_position),
		cmocka_unit_test(test_anything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
