/* SPDX-License-Identifier: MIT
 * test_center.c - the filter `center`: each mode as its formula, the cases that users meet, and what must never happen.
 */
#include "check.h"
#include "fake_host.h"
#include "pose/basis.h"
#include "pose/pose.h"
#include "pose/quat.h"

extern const struct hp_module hp_filter_center;
static const struct hp_module *const center = &hp_filter_center;

static struct quat rot(double yaw, double pitch, double roll)
{
	double ypr[3] = { yaw, pitch, roll }, q[4];
	hp_frame_quat_from_ypr(ypr, q);
	return quat_load(q);
}
static double apart(struct quat a, struct quat b)
{
	struct quat d = quat_multiply(quat_conj(a), b);
	return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w)) * QUAT_DEGREES;
}

struct run {
	struct fake_host f;
	void *state;
	struct hp_sample s;
	int64_t t;
	uint32_t resets;
	double pos[3], gyro[3];
};
static void begin(struct run *r, const char *const *set)
{
	memset(r, 0, sizeof *r);
	fake_init(&r->f, "center");
	r->state = fake_state(center);
	for (; *set; set += 2)
		fake_set(center, r->state, set[0], set[1]);
	r->t = 1000000000;
	assert_int_equal(center->open(r->state, &r->f.host), 0);
}
#define BEGIN(r, ...) begin(r, (const char *const[]){ __VA_ARGS__, NULL })
static void end(struct run *r)
{
	free(r->state);
	fake_free(&r->f);
}
static struct quat feed(struct run *r, struct quat q)
{
	r->s = (struct hp_sample)HP_SAMPLE_INIT;
	r->s.flags = HP_GYRO | HP_POS;
	r->s.time_ns = r->t;
	r->s.reset_count = r->resets;
	memcpy(r->s.pos, r->pos, sizeof r->pos);
	memcpy(r->s.gyro, r->gyro, sizeof r->gyro);
	quat_store(q, r->s.quat);
	r->t += 10000000;
	assert_int_equal(center->filter(r->state, &r->s), HP_KEEP);
	assert_true(hp_sample_finite(&r->s));
	hp_sample_derive(&r->s);
	return quat_load(r->s.quat);
}
static void expect(const struct run *r, double yaw, double pitch, double roll, double within)
{
	if (fabs(r->s.ypr[0] - yaw) > within || fabs(r->s.ypr[1] - pitch) > within || fabs(r->s.ypr[2] - roll) > within)
		fail_msg("%g %g %g instead of %g %g %g", r->s.ypr[0], r->s.ypr[1], r->s.ypr[2], yaw, pitch, roll);
}
static void recenter(struct run *r)
{
	assert_int_equal(center->command(r->state, "recenter"), 0);
}

/* q0^-1 * q, q * q0^-1 seen along the turn of q0, heading alone, heading and pitch: against the formulas. */
static void test_formulas(void **unused)
{
	uint64_t rnd = 3;
	static const char *const how[4][4] = { { "mode", "full", "tilt", "head" },
		                               { "mode", "full", "tilt", "mount" },
		                               { "mode", "yaw", "tilt", "head" },
		                               { "mode", "level", "tilt", "head" } };
	(void)unused;
	for (int i = 0; i < 4000; i++) {
		struct run r;
		double yaw0 = random_real(&rnd, -180, 180), pitch0 = random_real(&rnd, -80, 80),
		       roll0 = random_real(&rnd, -80, 80);
		struct quat q0 = rot(yaw0, pitch0, roll0);
		struct quat q =
		    rot(random_real(&rnd, -180, 180), random_real(&rnd, -89, 89), random_real(&rnd, -180, 180));
		const char *const *h = how[i % 4];
		BEGIN(&r, h[0], h[1], h[2], h[3], "settle", "0s");
		struct quat at = feed(&r, q0), want;
		struct hp_sample first = r.s;
		memcpy(r.gyro, (double[]){ 1, 2, 3 }, sizeof r.gyro);
		struct quat out = feed(&r, q);
		switch (i % 4) {
		case 0:
			assert_true(apart(at, rot(0, 0, 0)) < 1e-6);
			assert_true(apart(out, quat_multiply(quat_conj(q0), q)) < 1e-6);
			assert_true(r.s.gyro[0] == 1 && r.s.gyro[1] == 2 && r.s.gyro[2] == 3);
			break;
		case 1:
			want = quat_multiply(
			    quat_multiply(quat_about_z(-quat_turn_about_z(q0)), quat_multiply(q, quat_conj(q0))),
			    quat_about_z(quat_turn_about_z(q0)));
			assert_true(apart(at, rot(0, 0, 0)) < 1e-6);
			assert_true(apart(out, want) < 1e-6);
			break;
		case 2:
			assert_true(fabs(first.ypr[0]) < 1e-6 && fabs(first.ypr[1] - pitch0) < 1e-6 &&
			            fabs(first.ypr[2] - roll0) < 1e-6);
			assert_true(apart(out, quat_multiply(rot(-yaw0, 0, 0), q)) < 1e-6);
			break;
		case 3: {
			assert_true(fabs(first.ypr[0]) < 1e-6 && fabs(first.ypr[1]) < 1e-6);
			/* the ears keep their height over the horizon */
			struct vec ear = quat_rotate(q, (struct vec){ 0, 1, 0 });
			struct vec now = quat_rotate(out, (struct vec){ 0, 1, 0 });
			assert_true(fabs(ear.z - now.z) < 1e-9);
			break;
		}
		}
		/* gyro goes along: the next pose by it is the next pose that comes out */
		struct quat step = quat_from_rotvec((struct vec){ 0.01, 0.02, 0.03 });
		struct quat by_gyro = quat_multiply(
		    out, quat_from_rotvec((struct vec){ r.s.gyro[0] * 0.01, r.s.gyro[1] * 0.01, r.s.gyro[2] * 0.01 }));
		assert_true(apart(feed(&r, quat_multiply(q, step)), by_gyro) < 1e-6);
		end(&r);
	}
}
/* A sensor that is mounted 20 degrees nose down; recenter; 60 degrees about the vertical. The reference
 * gives 55.5, 9.3, -17.5, and so does tilt = head. */
static void test_tilted_mount(void **unused)
{
	static const char *const modes[] = { "full", "level" };
	struct run r;
	(void)unused;
	for (int m = 0; m < 2; m++)
		for (int heading = -180; heading < 180; heading += 45) {
			BEGIN(&r, "mode", modes[m]);
			for (int i = 0; i < 100; i++)
				feed(&r, quat_multiply(rot(heading + 10, 0, 0), rot(0, 20, 0)));
			recenter(&r);
			feed(&r, quat_multiply(rot(heading, 0, 0), rot(0, 20, 0)));
			expect(&r, 0, 0, 0, 1e-6);
			assert_true(r.s.flags & HP_JUMP);
			feed(&r, quat_multiply(rot(heading + 60, 0, 0), rot(0, 20, 0)));
			expect(&r, 60, 0, 0, 1e-6);
			assert_false(r.s.flags & HP_JUMP);
			feed(&r, quat_multiply(rot(heading + 90, 0, 10), rot(0, 20, 0)));
			expect(&r, 90, 0, 10, 1e-6);
			end(&r);
		}
	BEGIN(&r, "tilt", "head", "settle", "0s");
	feed(&r, rot(0, 20, 0));
	feed(&r, quat_multiply(rot(60, 0, 0), rot(0, 20, 0)));
	expect(&r, 55.5, 9.3, -17.5, 0.06);
	end(&r);
}
/* At 90 degrees of yaw a roll of 10 about the nose is one, whichever mode, wherever the centre was taken. */
static void test_roll_at_90(void **unused)
{
	static const char *const how[4][4] = { { "mode", "full", "tilt", "head" },
		                               { "mode", "full", "tilt", "mount" },
		                               { "mode", "yaw", "tilt", "head" },
		                               { "mode", "level", "tilt", "head" } };
	(void)unused;
	for (int i = 0; i < 4; i++)
		for (int at = -90; at <= 90; at += 90) {
			struct run r;
			BEGIN(&r, how[i][0], how[i][1], how[i][2], how[i][3], "settle", "0s");
			feed(&r, rot(at + 0.001, 0, 0));
			feed(&r, rot(at + 90, 0, 10));
			expect(&r, 90, 0, 10, 0.01);
			feed(&r, rot(at + 90, 30, 0)); /* turned by 90, recentred or not, a nod stays a nod */
			expect(&r, 90, 30, 0, 0.01);
			recenter(&r);
			feed(&r, rot(at + 90, 0, 0));
			feed(&r, rot(at + 90, 30, 0));
			expect(&r, 0, 30, 0, 0.01);
			end(&r);
		}
}
/* The device restarts: its counter goes up and its yaw jumps from 100 to 0, or it first sends zeros. */
static void test_restart(void **unused)
{
	static const char *const what[] = { "keep", "recenter", "ignore" };
	(void)unused;
	for (int i = 0; i < 3; i++)
		for (int zeros = 0; zeros < 3; zeros++) {
			struct run r;
			BEGIN(&r, "on_reset", what[i]);
			for (int k = 0; k < 100; k++)
				feed(&r, rot(70, 0, 0));
			r.pos[0] = 3;
			feed(&r, rot(100, 5, 0));
			expect(&r, 30, 5, 0, 1e-6);
			double before[3] = { r.s.pos[0], r.s.pos[1], r.s.pos[2] };
			r.resets = 1;
			r.pos[0] = 0;
			double now = zeros == 2 ? -140 : 0;
			for (int k = 0; k < zeros * 10; k++)
				feed(&r, rot(0, 0, 0));
			if (i == 0) {
				feed(&r, rot(now, 5, 0));
				expect(&r, 30, 5, 0, 0.01);
				for (int k = 0; k < 3; k++)
					assert_true(fabs(r.s.pos[k] - before[k]) < 1e-9);
				feed(&r, rot(now + 20, 5, 0));
				expect(&r, 50, 5, 0, 0.01);
			} else if (i == 1) {
				feed(&r, rot(now, 5, 0));
				expect(&r, 0, 0, 0, 0.01);
				for (int k = 0; k < 60; k++)
					feed(&r, rot(now, 5, 0));
				feed(&r, rot(now + 20, 5, 0));
				expect(&r, 20, 0, 0, 0.01);
			} else if (!zeros) {
				feed(&r, rot(now, 5, 0));
				expect(&r, -70, 5, 0, 0.01);
				assert_true(r.s.flags & HP_JUMP);
			}
			const char *said =
			    strstr(fake_text(&r.f.log), "started anew (its reset counter went from 0 to 1)");
			assert_non_null(said);
			assert_non_null(strstr(said, what[i]));
			assert_null(strstr(said + 10, "started anew")); /* once */
			if (!zeros)
				assert_non_null(strstr(said, "changed by -100 degrees"));
			end(&r);
		}
}
/* Not on the first sample of a device that says nothing yet; after `settle` of those that say something. */
static void test_start(void **unused)
{
	struct run r;
	(void)unused;
	BEGIN(&r, "settle", "200ms");
	for (int i = 0; i < 500; i++) {
		feed(&r, rot(0, 0, 0));
		expect(&r, 0, 0, 0, 0);
	}
	for (int i = 0; i <= 20; i++) { /* its fusion turns up: the view rests until it has */
		feed(&r, rot(40 + i, 90 - 4 * i, 180 - 9 * i));
		expect(&r, 0, 0, 0, 1e-6);
	}
	feed(&r, rot(70, 10, 0));
	expect(&r, 10, 0, 0, 1e-6);
	end(&r);
	BEGIN(&r, "at_start", "no");
	r.pos[1] = 7;
	feed(&r, rot(40, 5, 3));
	expect(&r, 40, 5, 3, 1e-6);
	assert_true(r.s.pos[1] == 7);
	recenter(&r);
	r.pos[1] = 8;
	feed(&r, rot(40, 5, 3));
	expect(&r, 0, 0, 0, 1e-6);
	assert_true(r.s.pos[1] == 0);
	assert_int_equal(center->command(r.state, "reopen"), -ENOTSUP);
	end(&r);
}
/* Positions are seen along the centre's heading. */
static void test_position(void **unused)
{
	struct run r;
	(void)unused;
	BEGIN(&r, "settle", "0s");
	r.pos[0] = 100;
	feed(&r, rot(90, 0, 0));
	assert_true(r.s.pos[0] == 0);
	r.pos[1] = 5; /* the head looks along y: that is 5 cm to the front */
	feed(&r, rot(90, 0, 0));
	assert_true(fabs(r.s.pos[0] - 5) < 1e-9 && fabs(r.s.pos[1]) < 1e-9 && r.s.pos[2] == 0);
	end(&r);
}
/* A position that is measured only after the centre was taken is its middle then. */
static void test_late_position(void **unused)
{
	struct run r;
	(void)unused;
	BEGIN(&r, "settle", "0s");
	for (int i = 0; i < 4; i++) {
		struct hp_sample s = HP_SAMPLE_INIT;
		s.time_ns = r.t + i * 10000000;
		s.flags = i > 1 ? HP_POS : 0;
		s.pos[0] = 100 + i;
		quat_store(rot(30, 0, 0), s.quat);
		assert_int_equal(center->filter(r.state, &s), HP_KEEP);
		if (i > 1)
			assert_true(fabs(sqrt(s.pos[0] * s.pos[0] + s.pos[1] * s.pos[1]) - (i - 2)) < 1e-9);
	}
	end(&r);
}
/* Off by default; when on, at its speed, and not the last degree. */
static void test_follow(void **unused)
{
	static const char *const modes[] = { "full", "level", "yaw" };
	struct run r;
	(void)unused;
	BEGIN(&r, "settle", "0s");
	feed(&r, rot(1, 0, 0));
	for (int i = 0; i < 6000; i++)
		feed(&r, rot(31, 0, 0));
	expect(&r, 30, 0, 0, 1e-9);
	end(&r);
	for (int m = 0; m < 4; m++) {
		BEGIN(&r, "settle", "0s", "follow", "0.06", "mode", modes[m % 3], "tilt", m == 3 ? "head" : "mount");
		feed(&r, rot(1, 0, 0));
		for (int i = 0; i < 10000; i++)
			feed(&r, rot(31, 0, 0));
		expect(&r, 24, 0, 0, 0.01);
		for (int i = 0; i < 100000; i++)
			feed(&r, rot(31, 0, 0));
		expect(&r, 1, 0, 0, 0.01);
		end(&r);
	}
	for (int m = 0; m < 4; m++) { /* no step goes further than to the last degree, however fast it follows */
		BEGIN(&r, "settle", "0s", "follow", "10", "mode", modes[m % 3], "tilt", m == 3 ? "head" : "mount");
		feed(&r, rot(1, 0, 0));
		for (int i = 0; i < 200; i++) {
			feed(&r, rot(2.05, 0, 0));
			assert_true(r.s.ypr[0] > 1 - 1e-9);
		}
		expect(&r, 1, 0, 0, 1e-9);
		end(&r);
	}
}
/* Any pose, straight up and upside down included, any clock, any live change: always a finite unit pose. */
static void test_anything(void **unused)
{
	uint64_t rnd = 77;
	struct run r;
	(void)unused;
	BEGIN(&r, "settle", "100ms", "follow", "1");
	static const char *const modes[] = { "full", "yaw", "level" };
	for (int i = 0; i < 200000; i++) {
		if (!random_below(&rnd, 100)) {
			fake_set(center, r.state, "mode", modes[random_below(&rnd, 3)]);
			fake_set(center, r.state, "tilt", random_below(&rnd, 2) ? "head" : "mount");
			assert_int_equal(center->changed(r.state), 0);
		}
		if (!random_below(&rnd, 50))
			recenter(&r);
		if (!random_below(&rnd, 500))
			assert_int_equal(center->reset(r.state), 0);
		if (!random_below(&rnd, 50))
			r.resets++;
		if (!random_below(&rnd, 20))
			r.t = (int64_t)(random_next(&rnd) >> 2) - ((int64_t)1 << 60);
		struct quat q = rot((double)random_below(&rnd, 8) * 45, ((double)random_below(&rnd, 5) - 2) * 45,
		                    (double)random_below(&rnd, 8) * 45);
		struct quat out = feed(&r, random_below(&rnd, 2) ? q : rot(random_real(&rnd, -180, 180), 89.9999, 3));
		double n = out.w * out.w + out.x * out.x + out.y * out.y + out.z * out.z;
		assert_true(fabs(n - 1) < 1e-9);
	}
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formulas),      cmocka_unit_test(test_tilted_mount),
		cmocka_unit_test(test_roll_at_90),    cmocka_unit_test(test_restart),
		cmocka_unit_test(test_start),         cmocka_unit_test(test_position),
		cmocka_unit_test(test_late_position), cmocka_unit_test(test_follow),
		cmocka_unit_test(test_anything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
