/* SPDX-License-Identifier: MIT
 * test_synth.c - made-up motion: reproducible, and rotation vector, quaternion and gyro belong together. */
#include "fake_host.h"
#include "pose/pose.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern const struct hp_module hp_input_synth;
static const struct hp_module *const synth = &hp_input_synth;
#define SET(key, value) fake_set(synth, state, key, value)
#define NEAR(a, b, tolerance)                                                \
	do {                                                                 \
		double a_ = (a), b_ = (b);                                   \
		if (!(fabs(a_ - b_) <= (tolerance)))                         \
			fail_msg("%s is %.17g, expected %.17g", #a, a_, b_); \
	} while (0)

static void run(struct fake_host *f, void *state)
{
	assert_int_equal(synth->open(state, &f->host), 0);
	assert_int_equal(synth->start(state), 0);
	fake_run(f, f->time + (int64_t)1000000000000, 1000000);
	synth->stop(state);
}

static void test_same_again(void **unused)
{
	struct fake_host f[2];
	(void)unused;
	for (int i = 0; i < 2; i++) {
		fake_init(&f[i], "head");
		f[i].time += i * 777777777; /* when it runs must not matter, nor how fast */
		void *state = fake_state(synth);
		SET("count", "500");
		SET("noise", "0.5");
		SET("speed", i ? "0" : "3");
		run(&f[i], state);
		free(state);
		assert_int_equal(f[i].nsamples, 500);
		assert_int_equal(f[i].failed, 1);
		assert_int_equal(f[i].fail_error, 0);
		assert_string_equal(f[i].fail_text, "");
		assert_int_equal(f[i].described, 1);
		assert_int_equal(f[i].last_event.type, HP_CONNECTED);
		assert_true(f[i].stream.flags & HP_STREAM_REPLAY);
	}
	assert_memory_equal(f[0].samples, f[1].samples, 500 * sizeof *f[0].samples);
	fake_free(&f[0]);
	fake_free(&f[1]);
}
static void test_seed(void **unused)
{
	double first[2];
	(void)unused;
	for (int i = 0; i < 2; i++) {
		struct fake_host f;
		fake_init(&f, "head");
		void *state = fake_state(synth);
		SET("motion", "still");
		SET("count", "1000");
		SET("noise", "2");
		SET("speed", "0");
		SET("seed", i ? "7" : "8");
		run(&f, state);
		free(state);
		double sum = 0, squares = 0;
		for (size_t k = 0; k < f.nsamples; k++) {
			double ypr[3];
			hp_quat_to_ypr(f.samples[k].quat, ypr);
			sum += ypr[0];
			squares += ypr[0] * ypr[0];
		}
		NEAR(sum / 1000, 0, 0.3);
		NEAR(sqrt(squares / 1000), 2, 0.2);
		first[i] = f.samples[0].quat[3];
		fake_free(&f);
	}
	assert_true(first[0] != first[1]);
}
/* Angular velocity from two neighbouring quaternions, in head coordinates. */
static void rates(const struct hp_sample *a, const struct hp_sample *b, double w[3])
{
	double inverse[4] = { a->quat[0], -a->quat[1], -a->quat[2], -a->quat[3] }, step[4];
	hp_quat_multiply(inverse, b->quat, step);
	hp_quat_to_rotvec(step, w);
	for (int i = 0; i < 3; i++)
		w[i] *= 1e9 / (double)(b->time_ns - a->time_ns);
}
static void test_gyro_agrees(void **unused)
{
	static const char *const motions[] = { "sine", "ramp" };
	(void)unused;
	for (int m = 0; m < 2; m++) {
		struct fake_host f;
		int compared = 0;
		fake_init(&f, "head");
		void *state = fake_state(synth);
		SET("motion", motions[m]);
		SET("noise", "0");
		SET("speed", "0");
		SET("rate", "10000");
		SET("duration", "4s");
		run(&f, state);
		free(state);
		assert_int_equal(f.nsamples, 40000);
		for (size_t k = 1; k + 1 < f.nsamples; k += 7) {
			double w[3], rv[3];
			const struct hp_sample *s = &f.samples[k];
			rates(s - 1, s + 1, w);
			/* a corner of a ramp has no speed */
			if (m == 1 &&
			    (fabs(s[1].gyro[0] - s[-1].gyro[0]) > 0.01 || fabs(s[1].gyro[1] - s[-1].gyro[1]) > 0.01 ||
			     fabs(s[1].gyro[2] - s[-1].gyro[2]) > 0.01))
				continue;
			for (int i = 0; i < 3; i++)
				NEAR(w[i], s->gyro[i], 1e-5);
			hp_quat_to_rotvec(s->quat, rv);
			assert_memory_equal(rv, s->rotvec, sizeof rv);
			compared++;
		}
		assert_true(compared > 5000);
		fake_free(&f);
	}
}
static void test_amplitudes(void **unused)
{
	struct fake_host f;
	double most[3] = { 0, 0, 0 };
	(void)unused;
	fake_init(&f, "head");
	void *state = fake_state(synth);
	SET("noise", "0");
	SET("speed", "0");
	SET("rate", "1200");
	SET("duration", "4s");
	run(&f, state);
	free(state);
	for (size_t k = 0; k < f.nsamples; k++) {
		double ypr[3];
		hp_quat_to_ypr(f.samples[k].quat, ypr);
		for (int i = 0; i < 3; i++)
			most[i] = fmax(most[i], fabs(ypr[i]));
	}
	NEAR(most[0], 40, 1e-9);
	NEAR(most[1], 20, 1e-9);
	NEAR(most[2], 10, 1e-9);
	double quarter[3];
	hp_quat_to_ypr(f.samples[1200].quat, quarter);
	NEAR(quarter[0], 40, 1e-9);
	NEAR(quarter[1], 0, 1e-9);
	NEAR(quarter[2], -10, 1e-9);
	fake_free(&f);
}
static void test_steps_and_times(void **unused)
{
	struct fake_host f;
	(void)unused;
	fake_init(&f, "head");
	void *state = fake_state(synth);
	SET("motion", "steps");
	SET("pitch", "0");
	SET("roll", "0");
	SET("noise", "0");
	SET("rate", "3");
	SET("period", "4s");
	SET("count", "12");
	run(&f, state);
	free(state);
	assert_int_equal(f.nsamples, 12);
	assert_int_equal(f.samples[1].time_ns, 333333333);
	assert_int_equal(f.samples[2].time_ns, 666666666);
	assert_int_equal(f.samples[3].time_ns, 1000000000);
	assert_true(f.samples[0].flags & HP_JUMP);
	assert_false(f.samples[1].flags & HP_JUMP);
	for (int k = 0; k < 12; k++) {
		static const double yaw[] = { 0, 40, 0, -40 };
		double ypr[3];
		hp_quat_to_ypr(f.samples[k].quat, ypr);
		NEAR(ypr[0], yaw[k / 3], 1e-9);
		NEAR(f.samples[k].gyro[2], 0, 0);
	}
	fake_free(&f);
}
static void test_real_time(void **unused)
{
	struct fake_host f;
	(void)unused;
	fake_init(&f, "head");
	void *state = fake_state(synth);
	assert_int_equal(synth->open(state, &f.host), 0);
	assert_int_equal(synth->start(state), 0);
	int64_t begin = f.time;
	fake_run(&f, begin + 995000000, 100000);
	assert_int_equal(f.nsamples, 100); /* 0 to 990 ms */
	f.time = begin + 100000000000;     /* the machine slept: it catches up in batches */
	fake_run(&f, f.time, 1);
	assert_int_equal(f.nsamples, 132);
	f.emit_error = -EPIPE; /* the host has stopped */
	fake_run(&f, f.time, 1);
	f.emit_error = 0;
	assert_int_equal(fake_run(&f, f.time, 100), 0);
	assert_int_equal(f.failed, 0);
	synth->stop(state);
	free(state);
	fake_free(&f);
}
/* What `orientation` does first with its default axis map gives the head frame back. */
static void test_device_frame(void **unused)
{
	struct fake_host f[2];
	(void)unused;
	for (int i = 0; i < 2; i++) {
		fake_init(&f[i], "head");
		void *state = fake_state(synth);
		SET("frame", i ? "device" : "head");
		SET("count", "300");
		SET("speed", "0");
		run(&f[i], state);
		free(state);
	}
	for (int k = 0; k < 300; k++) {
		const struct hp_sample *h = &f[0].samples[k], *d = &f[1].samples[k];
		double q[4];
		const double back[3] = { -d->rotvec[1], d->rotvec[0], -d->rotvec[2] };
		for (int i = 0; i < 3; i++)
			NEAR(back[i], h->rotvec[i], 0);
		NEAR(-d->gyro[1], h->gyro[0], 0);
		NEAR(d->gyro[0], h->gyro[1], 0);
		NEAR(-d->gyro[2], h->gyro[2], 0);
		hp_quat_from_rotvec(d->rotvec, q);
		assert_memory_equal(q, d->quat, sizeof q);
	}
	fake_free(&f[0]);
	fake_free(&f[1]);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_again),      cmocka_unit_test(test_seed),
		cmocka_unit_test(test_gyro_agrees),     cmocka_unit_test(test_amplitudes),
		cmocka_unit_test(test_steps_and_times), cmocka_unit_test(test_real_time),
		cmocka_unit_test(test_device_frame),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
