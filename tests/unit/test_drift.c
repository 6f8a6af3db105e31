/* SPDX-License-Identifier: MIT
 * test_drift.c - the filter `drift`: what is creep goes, what the head does stays. */
#include "check.h"
#include "fake_host.h"
#include "pose/basis.h"
#include "pose/pose.h"
#include "pose/quat.h"

extern const struct hp_module hp_filter_drift;
static const struct hp_module *const drift = &hp_filter_drift;

/* A head and its tracker. All in degrees and seconds. */
struct world {
	struct fake_host f;
	void *state;
	struct hp_sample s;
	uint64_t random;
	double t, rate, noise, gyro_noise;
	double creep;             /* of the tracker's heading */
	double offset[3];         /* of its gyroscope */
	double yaw, pitch, speed; /* of the head; speed of yaw */
	double out;               /* yaw that comes out, any number of turns */
	uint32_t flags, resets;
};
static double normal(uint64_t *r)
{
	double v = 0;
	for (int i = 0; i < 12; i++)
		v += random_real(r, -0.5, 0.5);
	return v;
}
static void begin(struct world *w)
{
	memset(w, 0, sizeof *w);
	fake_init(&w->f, "drift");
	w->state = fake_state(drift);
	w->random = 12;
	w->rate = 100;
	w->noise = 0.1;
	w->gyro_noise = 0.1;
	w->flags = HP_GYRO;
	assert_int_equal(drift->open(w->state, &w->f.host), 0);
}
static void end(struct world *w)
{
	free(w->state);
	fake_free(&w->f);
}
static void run(struct world *w, double seconds)
{
	int n = (int)(seconds * w->rate + 0.5);
	for (int i = 0; i < n; i++) {
		double dt = 1 / w->rate;
		w->t += dt;
		w->yaw += w->speed * dt;
		double ypr[3] = { w->yaw + w->creep * w->t, w->pitch, 0 }, q[4], v[3];
		hp_frame_quat_from_ypr(ypr, q);
		for (int k = 0; k < 3; k++)
			v[k] = w->noise * normal(&w->random) / QUAT_DEGREES;
		struct quat noisy = quat_multiply(quat_load(q), quat_from_rotvec((struct vec){ v[0], v[1], v[2] }));
		struct vec turn = quat_rotate(quat_conj(quat_load(q)), (struct vec){ 0, 0, w->speed });
		w->s = (struct hp_sample)HP_SAMPLE_INIT;
		w->s.flags = w->flags;
		w->s.reset_count = w->resets;
		w->s.time_ns = (int64_t)(w->t * 1e9);
		quat_store(noisy, w->s.quat);
		const double true_turn[3] = { turn.x, turn.y, turn.z };
		for (int k = 0; k < 3; k++)
			w->s.gyro[k] =
			    (true_turn[k] + w->offset[k] + w->gyro_noise * normal(&w->random)) / QUAT_DEGREES;
		assert_int_equal(drift->filter(w->state, &w->s), HP_KEEP);
		assert_true(hp_sample_finite(&w->s));
		hp_quat_to_ypr(w->s.quat, v);
		w->out = v[0] + 360 * rint((w->out - v[0]) / 360);
	}
}
/* Mean yaw that comes out over a second; time goes on. */
static double looked_at(struct world *w)
{
	double sum = 0;
	for (int i = 0; i < 100; i++) {
		run(w, 0.01);
		sum += w->out;
	}
	return sum / 100;
}
/* deg/s that are left, over half a minute of rest */
static double left_over(struct world *w)
{
	double a = looked_at(w);
	run(w, 29);
	return (looked_at(w) - a) / 30;
}

/* 0.05 deg/s of creep: after a minute of rest less than 0.01 is left; whether the gyroscope says it too, or has an
 * offset that the pose does not have. At any rate of samples. */
static void test_bias(void **unused)
{
	static const double gyro_offsets[3][3] = { { 0, 0, 0 }, { 0, 0, 0.05 }, { 0.4, -1.4, 0.3 } };
	static const double rates[] = { 25, 100, 250 };
	(void)unused;
	for (int i = 0; i < 18; i++) {
		struct world w;
		begin(&w);
		w.creep = i % 2 ? 0.05 : -0.05;
		w.yaw = 20;
		w.pitch = i % 5 * 10;
		w.rate = rates[i / 2 % 3];
		memcpy(w.offset, gyro_offsets[i / 6], sizeof w.offset);
		run(&w, i / 6 == 2 ? 75 : 60); /* with an offset of its own the gyroscope has to be known first */
		double rest = left_over(&w);
		if (fabs(rest) > 0.01)
			fail_msg("case %d: %g deg/s left", i, rest);
		/* and while the head moves the creep goes on being taken away */
		double before = looked_at(&w) - w.yaw;
		for (int k = 0; k < 20; k++) {
			w.speed = k % 2 ? 40 : -40;
			run(&w, 1);
		}
		w.speed = 0;
		assert_true(fabs(looked_at(&w) - w.yaw - before) < 0.5);
		end(&w);
	}
}
/* Held to the side for two minutes: stays there. */
static void test_held(void **unused)
{
	static const double angles[] = { 20, 40, -40, 170 };
	(void)unused;
	for (size_t i = 0; i < 4; i++) {
		struct world w;
		begin(&w);
		run(&w, 30);
		w.speed = angles[i] / 0.6;
		run(&w, 0.6);
		w.speed = 0;
		run(&w, 1);
		double a = looked_at(&w);
		assert_true(fabs(a - angles[i]) < 0.3);
		run(&w, 118);
		if (fabs(looked_at(&w) - a) > 0.5)
			fail_msg("%g became %g", a, w.out);
		end(&w);
	}
}
/* Slow looks around leave no debt, neither while they last nor when the head rests afterwards. */
static void test_slow_pan(void **unused)
{
	static const double speeds[] = { 0.1, 0.12, 0.15, 0.2, 0.3, 0.4, 0.5, 0.6, 1, 2, 4, 10 };
	static const double gyro_offsets[3][3] = { { 0, 0, 0 }, { 0, 0, -0.04 }, { 0.4, -1.4, 0.3 } };
	(void)unused;
	for (size_t i = 0; i < 36; i++) {
		struct world w;
		double speed = fmax(speeds[i / 3], i % 3 == 1 ? 0.15 : 0); /* what is left of it has to show */
		begin(&w);
		w.noise = 0.02;
		memcpy(w.offset, gyro_offsets[i % 3], sizeof w.offset);
		run(&w, i % 2 ? 5 : 60);
		w.speed = i % 4 < 2 ? speed : -speed;
		run(&w, fmin(24 / speed, 120));
		w.speed = 0;
		double a = looked_at(&w);
		if (fabs(a - w.yaw) > 0.5)
			fail_msg("case %zu, after %g deg/s: %g off", i, speed, a - w.yaw);
		run(&w, 120);
		if (fabs(looked_at(&w) - a) > 0.5)
			fail_msg("case %zu, after %g deg/s: went on by %g", i, speed, w.out - a);
		end(&w);
	}
}
/* A head that is only nearly still wanders. That cannot be told from creep by a gyroscope that creeps itself; but the
 * view may not be led much further astray than the head went. */
static void test_wander(void **unused)
{
	(void)unused;
	for (uint64_t seed = 1; seed < 16; seed++) {
		struct world w;
		begin(&w);
		w.random = seed;
		double a = looked_at(&w) - w.yaw, worst = 0, far = 0, first = w.yaw;
		for (int i = 0; i < 1200; i++) {
			w.speed = 0.3 * normal(&w.random);
			run(&w, 0.1);
			far = fmax(far, fabs(w.yaw - first));
			worst = fmax(worst, fabs(w.out - w.yaw - a));
		}
		if (worst > far + 1)
			fail_msg("the head went %g away, the view %g", far, worst);
		end(&w);
	}
}
/* A pose that turns against a quiet gyroscope (a fusion that starts upside down) is no creep; nor is more than limit.
 */
static void test_bounded(void **unused)
{
	struct world w;
	(void)unused;
	begin(&w);
	w.creep = 40;
	run(&w, 6);
	w.creep = 0;
	w.yaw += 40 * 6;
	double a = looked_at(&w);
	run(&w, 60);
	assert_true(fabs(looked_at(&w) - a) < 1);
	end(&w);
	begin(&w);
	w.creep = 1;
	run(&w, 120);
	double rest = left_over(&w);
	assert_true(rest > 0.79 && rest < 1.01);
	end(&w);
}
/* Kept by everything that is no new device: recenter is not even heard, a restart and a gap only begin a new rest. */
static void test_kept(void **unused)
{
	struct world w;
	(void)unused;
	assert_null(drift->command);
	begin(&w);
	w.creep = 0.05;
	run(&w, 60);
	w.resets = 7;
	w.yaw += 100;
	run(&w, 1);
	w.t += 5;
	run(&w, 1);
	w.flags |= HP_JUMP;
	run(&w, 1);
	w.flags &= ~(unsigned)HP_JUMP;
	assert_true(fabs(left_over(&w)) < 0.01);
	/* off: no further, and no jump */
	double a = looked_at(&w);
	fake_set(drift, w.state, "mode", "off");
	assert_int_equal(drift->changed(w.state), 0);
	assert_true(fabs(looked_at(&w) - a) < 0.15);
	assert_true(fabs(left_over(&w) - 0.05) < 0.005);
	end(&w);
}
static void test_without_gyro(void **unused)
{
	struct world w;
	(void)unused;
	begin(&w);
	w.flags = 0;
	w.creep = 0.05;
	run(&w, 60);
	assert_true(fabs(left_over(&w) - 0.05) < 0.005);
	assert_string_equal(fake_text(&w.f.log),
	                    "info: there is no angular velocity in the samples, so drift is left alone\n");
	end(&w);
	/* off, or nothing learned yet: not a bit changes */
	struct hp_sample s = HP_SAMPLE_INIT, before;
	begin(&w);
	s.flags = HP_ROTVEC | HP_YPR;
	s.quat[1] = 0.25;
	before = s;
	drift->filter(w.state, &s);
	assert_memory_equal(&s, &before, sizeof s);
	end(&w);
}
static void test_anything(void **unused)
{
	struct world w;
	uint64_t r = 4;
	(void)unused;
	begin(&w);
	for (int i = 0; i < 200000; i++) {
		struct hp_sample s = HP_SAMPLE_INIT;
		s.flags = random_below(&r, 10) ? HP_GYRO : 0;
		s.time_ns = random_below(&r, 10) ? (int64_t)i * 10000000 : (int64_t)(random_next(&r) >> 1);
		double ypr[3] = { random_real(&r, -200, 200), ((double)random_below(&r, 5) - 2) * 45, 180 };
		hp_frame_quat_from_ypr(ypr, s.quat);
		for (int k = 0; k < 3; k++)
			s.gyro[k] = random_below(&r, 3) ? 0 : check_random_number(&r) * 1e-3;
		if (!(fabs(s.gyro[0]) < 1e100 && fabs(s.gyro[1]) < 1e100 && fabs(s.gyro[2]) < 1e100))
			memset(s.gyro, 0, sizeof s.gyro);
		drift->filter(w.state, &s);
		assert_true(hp_sample_finite(&s));
	}
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bias),         cmocka_unit_test(test_held),     cmocka_unit_test(test_slow_pan),
		cmocka_unit_test(test_wander),       cmocka_unit_test(test_bounded),  cmocka_unit_test(test_kept),
		cmocka_unit_test(test_without_gyro), cmocka_unit_test(test_anything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
