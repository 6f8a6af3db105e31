/* SPDX-License-Identifier: MIT
 * test_curve.c - monotone curves, and the filter `curve` with angles of any size. */
#include "check.h"
#include "fake_host.h"
#include "pose/basis.h"
#include "pose/curve.h"
#include "pose/pose.h"

extern const struct hp_module hp_filter_curve;
static const struct hp_module *const curve = &hp_filter_curve;

static double apart(const double a[4], const double b[4])
{
	double dot = fabs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]);
	return 2 * acos(fmin(dot, 1)) * 180 / 3.14159265358979323846;
}

/* ---- the curve itself ------------------------------------------------------------------------------------------ */

static struct hp_curve read_curve(const char *text)
{
	struct hp_curve c;
	char why[200];
	if (hp_curve_read(&c, text, 180, 180, why, sizeof why) < 0)
		fail_msg("%s: %s", text, why);
	return c;
}
/* Catmull-Rom through 20:0 21:60 22:60 180:60 leaves the range of its points; this must not. */
static void test_monotone(void **unused)
{
	uint64_t r = 6;
	(void)unused;
	for (int i = 0; i < 3000; i++) {
		char text[2000];
		size_t used = 0;
		double x = 0, y = 0, lo, px[33] = { 0 }, py[33] = { 0 };
		int n = 1 + (int)random_below(&r, 32);
		for (int k = 1; k <= n; k++) {
			x += 0.001 + random_real(&r, 0, random_below(&r, 3) ? 5 : 0.01);
			y += random_below(&r, 3) ? random_real(&r, 0, 5) : 0;
			px[k] = floor(x * 1e6) / 1e6;
			py[k] = floor(y * 1e6) / 1e6;
			used += (size_t)snprintf(text + used, sizeof text - used, "%s%.6f:%.6f", k % 2 ? " " : ", ",
			                         px[k], py[k]);
		}
		struct hp_curve c = read_curve(text);
		assert_int_equal(c.n, n + 1);
		for (int k = 0; k <= n; k++)
			assert_true(fabs(hp_curve_at(&c, px[k]) - py[k]) < 1e-9);
		lo = 0;
		for (int k = 0; k <= 2000; k++) {
			double v = hp_curve_at(&c, px[n] * k / 2000);
			if (v < lo - 1e-9 || v > py[n] + 1e-9)
				fail_msg("%s: %g after %g at %g", text, v, lo, px[n] * k / 2000);
			lo = v;
		}
		double from, to;
		assert_false(hp_curve_falls(&c, &from, &to));
		assert_true(hp_curve_at(&c, px[n] + 100) == c.y[n]);
	}
}
/* The smooth part is smooth: no kink at a point, whatever its neighbours. */
static void test_smooth(void **unused)
{
	struct hp_curve c = read_curve("10:5 20:20 40:60 90:180");
	(void)unused;
	for (int i = 1; i < c.n - 1; i++) {
		double h = 1e-6, left = (hp_curve_at(&c, c.x[i]) - hp_curve_at(&c, c.x[i] - h)) / h,
		       right = (hp_curve_at(&c, c.x[i] + h) - hp_curve_at(&c, c.x[i])) / h;
		assert_true(fabs(left - right) < 1e-4);
	}
	/* what comes after a flat piece has its slope all the same: mean of 3 and 1.8 in the middle */
	c = read_curve("10:0 40:90 90:180");
	double h = 1e-6;
	assert_true(fabs((hp_curve_at(&c, 40 + h) - hp_curve_at(&c, 40 - h)) / (2 * h) - 2.4) < 1e-4);
	/* points on a line give the line */
	c = read_curve("10:15 30:45 80:120");
	for (int i = 0; i <= 800; i++)
		assert_true(fabs(hp_curve_at(&c, i * 0.1) - i * 0.15) < 1e-9);
	/* leading points at 0: exactly nothing moves there */
	c = read_curve("5:0 10:0 40:90");
	for (int i = 0; i <= 100; i++)
		assert_true(hp_curve_at(&c, i * 0.1) == 0);
}
static void test_refused(void **unused)
{
	static const struct {
		const char *text, *why;
	} bad[] = {
		{ "10", "`10` is no point" },
		{ "10:", "is no point" },
		{ "10:5x 20:8", "`10:5x` is no point" },
		{ "-10:5", "is no point" },
		{ "1e3:5", "is no point" },
		{ "10;5", "is no point" },
		{ "10:nan", "is no point" },
		{ "10:5 10:6", "`10:6` does not come after" },
		{ "20:5 10:6", "does not come after" },
		{ "0:3", "is not where a curve begins" },
		{ "200:5", "is outside: in is 0 to 180, out is 0 to 180" },
		{ "10:181", "is outside" },
		{ "0:0", "needs a point" },
		{ "99999999999999999999:1", "is no point" },
		{ "1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8 9:9 10:10 11:11 12:12 13:13 14:14 15:15 16:16 17:17 18:18 19:19 "
		  "20:20 "
		  "21:21 22:22 23:23 24:24 25:25 26:26 27:27 28:28 29:29 30:30 31:31 32:32 33:33",
		  "`33:33` is one point too many" },
	};
	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct hp_curve c;
		char why[200] = "";
		assert_int_equal(hp_curve_read(&c, bad[i].text, 180, 180, why, sizeof why), -EINVAL);
		if (!strstr(why, bad[i].why))
			fail_msg("%s: %s", bad[i].text, why);
	}
	struct hp_curve c = read_curve(&" none"[1]);
	assert_int_equal(c.n, 0);
	c = read_curve(" , ");
	assert_int_equal(c.n, 0);
	double from, to;
	c = read_curve("20:30 40:20 50:10 60:40");
	assert_true(hp_curve_falls(&c, &from, &to) && from == 20 && to == 50);
}

/* ---- the filter ------------------------------------------------------------------------------------------------ */

struct run {
	struct fake_host f;
	void *state;
	struct hp_sample s;
	double before[4];
};
static void begin(struct run *r, const char *const *set)
{
	memset(r, 0, sizeof *r);
	fake_init(&r->f, "curve");
	r->state = fake_state(curve);
	for (; *set; set += 2)
		fake_set(curve, r->state, set[0], set[1]);
	const char *key = NULL;
	char why[200];
	assert_int_equal(curve->check(r->state, &key, why, sizeof why), 0);
	assert_int_equal(curve->open(r->state, &r->f.host), 0);
}
#define BEGIN(r, ...) begin(r, (const char *const[]){ __VA_ARGS__, NULL })
static void end(struct run *r)
{
	free(r->state);
	fake_free(&r->f);
}
static void feed(struct run *r, double yaw, double pitch, double roll)
{
	double ypr[3] = { yaw, pitch, roll };
	memcpy(r->before, r->s.quat, sizeof r->before);
	r->s = (struct hp_sample)HP_SAMPLE_INIT;
	r->s.flags = HP_POS;
	memcpy(r->s.pos, (double[]){ 10, -20, 30 }, sizeof r->s.pos);
	hp_frame_quat_from_ypr(ypr, r->s.quat);
	assert_int_equal(curve->filter(r->state, &r->s), HP_KEEP);
	assert_true(hp_sample_finite(&r->s));
	double derived[3];
	hp_quat_to_ypr(r->s.quat, derived);
	if (r->s.flags & HP_YPR && fabs(r->s.ypr[1]) < 89.9)
		for (int i = 0; i < 3; i++)
			assert_true(fabs(hp_frame_wrap(derived[i] - r->s.ypr[i])) < 1e-6);
	hp_sample_derive(&r->s);
}
#define NEAR(a, b) assert_true(fabs((a) - (b)) < 1e-6)

static void test_untouched(void **unused)
{
	struct run r;
	uint64_t rnd = 1;
	(void)unused;
	BEGIN(&r, "yaw", "none");
	struct hp_sample s = check_random_sample(&rnd), before = s;
	curve->filter(r.state, &s);
	assert_memory_equal(&s, &before, sizeof s);
	assert_string_equal(fake_text(&r.f.log), "");
	end(&r);
}
static void test_sides(void **unused)
{
	struct run r;
	(void)unused;
	BEGIN(&r, "yaw", "20:20 60:180", "pitch", "30:90", "pitch_negative", "30:45", "x", "20:40", "z_dead", "10",
	      "y_limit", "15");
	feed(&r, 60, 15, 7);
	NEAR(r.s.ypr[0], 180);
	NEAR(r.s.ypr[1], 45);
	NEAR(r.s.ypr[2], 7);
	NEAR(r.s.pos[0], 20);
	NEAR(r.s.pos[1], -15);
	NEAR(r.s.pos[2], 20 * 1000.0 / 990);
	feed(&r, -20, -15, -7);
	NEAR(r.s.ypr[0], -20);
	NEAR(r.s.ypr[1], -22.5);
	NEAR(r.s.ypr[2], -7);
	for (int i = -89; i <= 90; i++) { /* odd, and pitch ends at 90 without turning the rest over */
		feed(&r, 0, i, 0);
		NEAR(r.s.ypr[0], 0);
		NEAR(r.s.ypr[1], i >= 30 ? 90 : i >= 0 ? i * 3 : i >= -30 ? i * 1.5 : -45);
		NEAR(r.s.ypr[2], 0);
	}
	end(&r);
}
static void test_dead_and_limit(void **unused)
{
	struct run r;
	(void)unused;
	BEGIN(&r, "yaw_dead", "5", "pitch_limit", "40", "roll_dead", "2", "roll", "20:20");
	for (double v = -4.9; v < 4.9; v += 0.5) {
		feed(&r, v, 0, 0);
		assert_true(r.s.ypr[0] == 0);
	}
	feed(&r, 5.001, 60, 2.001);
	assert_true(r.s.ypr[0] > 0 && r.s.ypr[0] < 0.0011);
	NEAR(r.s.ypr[1], 40);
	assert_true(r.s.ypr[2] > 0 && r.s.ypr[2] < 0.0012);
	feed(&r, 180, 0, 20);
	NEAR(fabs(r.s.ypr[0]), 180); /* straight behind stays straight behind */
	NEAR(r.s.ypr[2], 20);
	end(&r);
}
/* A curve of one angle alone works, and a dead zone below a degree as any other. */
static void test_alone(void **unused)
{
	static const char *const keys[3][2] = { { "yaw", "yaw_dead" },
		                                { "pitch", "pitch_dead" },
		                                { "roll", "roll_dead" } };
	(void)unused;
	for (int i = 0; i < 3; i++) {
		struct run r;
		double v[3] = { 0, 0, 0 };
		BEGIN(&r, keys[i][0], "20:40");
		v[i] = 20;
		feed(&r, v[0], v[1], v[2]);
		for (int k = 0; k < 3; k++)
			NEAR(r.s.ypr[k], k == i ? 40 : 0);
		end(&r);
		BEGIN(&r, keys[i][1], "0.5");
		feed(&r, v[0], v[1], v[2]);
		double last = i == 1 ? 90 : 180;
		NEAR(r.s.ypr[i], (20 - 0.5) * last / (last - 0.5));
		end(&r);
	}
}
/* Round and round both ways, with curves that reach straight behind: no jump, and in front it never sticks. */
static void test_round(void **unused)
{
	static const char *const curves[] = { "180:180", "20:10 60:180", "30:20 120:180 180:180", "90:90 180:180" };
	(void)unused;
	for (size_t k = 0; k < sizeof curves / sizeof *curves; k++)
		for (int side = -1; side <= 1; side += 2) {
			struct run r;
			BEGIN(&r, "yaw", curves[k], "yaw_negative", k == 1 ? "10:10 100:180" : "same");
			assert_string_equal(fake_text(&r.f.log), "");
			for (int i = 0; i <= 7200; i++) {
				feed(&r, side * i * 0.1, 10, 5);
				if (i && apart(r.before, r.s.quat) > 0.1 * 9)
					fail_msg("%s at %g: the view turned by %g", curves[k], side * i * 0.1,
					         apart(r.before, r.s.quat));
				if (i % 3600 == 0)
					NEAR(r.s.ypr[0], 0);
			}
			end(&r);
		}
}
/* Over the top: a pitch without a curve goes on through 90 while yaw has one. */
static void test_over_the_top(void **unused)
{
	struct run r;
	(void)unused;
	BEGIN(&r, "yaw", "60:120 180:180");
	for (int i = 0; i <= 130; i++) {
		feed(&r, 30, i, 0);
		if (i)
			assert_true(apart(r.before, r.s.quat) < 1.01);
	}
	assert_int_equal(curve->command(r.state, "recenter"), 0);
	assert_int_equal(curve->command(r.state, "reopen"), -ENOTSUP);
	end(&r);
}
static void test_says_folds(void **unused)
{
	struct run r;
	(void)unused;
	BEGIN(&r, "yaw", "90:90", "roll", "20:30 40:20 180:180");
	/* by check(), so that `headpipe check` has it too; the host hands it on */
	const char *key;
	char why[800] = "";
	assert_int_equal(curve->check(r.state, &key, why, sizeof why), 0);
	assert_non_null(strstr(why, "yaw: the view does not reach straight behind"));
	assert_non_null(strstr(why, "; roll: the curve folds: from 20 to 40 on the positive side"));
	assert_null(strstr(why, "negative"));
	assert_null(strstr(why, "pitch"));
	assert_string_equal(fake_text(&r.f.log), "");
	feed(&r, 200, 0, 0);
	NEAR(r.s.ypr[0], -90); /* first pose */
	for (int i = 180; i <= 225; i++) {
		feed(&r, 180 - 180 + i, 0, 0);
		assert_true(fabs(fabs(r.s.ypr[0]) - 90) < 1e-6);
	}
	/* live: a bad batch leaves the old plan whole */
	fake_set(curve, r.state, "yaw", "nonsense");
	assert_int_equal(curve->changed(r.state), -EINVAL);
	feed(&r, 45, 0, 0);
	NEAR(r.s.ypr[0], 45);
	fake_set(curve, r.state, "yaw", "45:180");
	assert_int_equal(curve->changed(r.state), 0);
	feed(&r, 45, 0, 0);
	NEAR(fabs(r.s.ypr[0]), 180);
	assert_string_equal(fake_text(&r.f.log), "info: roll: the curve folds: from 20 to 40 on the positive side the "
	                                         "view goes back while the head goes on\n");
	fake_set(curve, r.state, "yaw_dead", "45");
	assert_int_equal(curve->check(r.state, &key, why, sizeof why), -EINVAL);
	assert_string_equal(key, "yaw");
	fake_set(curve, r.state, "yaw_dead", "0");
	fake_set(curve, r.state, "pitch_negative", "45:91");
	assert_int_equal(curve->check(r.state, &key, why, sizeof why), -EINVAL);
	assert_string_equal(key, "pitch_negative");
	for (const struct hp_option *o = curve->options; o->key; o++)
		assert_true(o->flags & HP_LIVE);
	end(&r);
}
/* What is said of a pitch over the top is what happens there. */
static void test_says_the_top(void **unused)
{
	static const char *const pitch[] = { "30:45 80:90", "30:45 80:90", "none", "90:90", "45:45 90:90" };
	static const char *const negative[] = { "same", "90:45", "same", "same", "same" };
	(void)unused;
	for (size_t i = 0; i < sizeof pitch / sizeof *pitch; i++) {
		struct run r;
		const char *key, *said;
		char why[800] = "";
		double worst = 0;
		for (int side = -1; side <= 1; side += 2) {
			BEGIN(&r, "yaw", "20:20 60:180", "pitch", pitch[i], "pitch_negative", negative[i]);
			for (int k = 0; k <= 1500; k++) {
				feed(&r, 0, side * k * 0.1, 0);
				if (k > 1300)
					worst = fmax(worst, apart(r.before, r.s.quat));
				hp_frame_quat_from_ypr(r.s.ypr, r.s.quat);
			}
			*why = 0;
			assert_int_equal(curve->check(r.state, &key, why, sizeof why), 0);
			end(&r);
		}
		said = strstr(why, "pitch: the view jumps by ");
		if (!said == (worst > 1) || (said && fabs(atof(said + 25) - worst) > 1))
			fail_msg("pitch = %s: jumps by %g, and `%s` is said", pitch[i], worst, why);
	}
}
static void test_anything(void **unused)
{
	uint64_t rnd = 99;
	struct run r;
	(void)unused;
	BEGIN(&r, "yaw", "20:10 60:180", "pitch", "40:90", "roll_dead", "3", "x", "10:50", "y_limit", "5");
	for (int i = 0; i < 100000; i++) {
		double ypr[3];
		for (int k = 0; k < 3; k++)
			ypr[k] = random_below(&rnd, 2) ? ((double)random_below(&rnd, 17) - 8) * 45
			                               : random_real(&rnd, -400, 400);
		feed(&r, ypr[0], ypr[1], ypr[2]);
		double n = 0;
		for (int k = 0; k < 4; k++)
			n += r.s.quat[k] * r.s.quat[k];
		assert_true(fabs(n - 1) < 1e-9);
	}
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_monotone),     cmocka_unit_test(test_smooth),
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_untouched),
		cmocka_unit_test(test_sides),        cmocka_unit_test(test_dead_and_limit),
		cmocka_unit_test(test_alone),        cmocka_unit_test(test_round),
		cmocka_unit_test(test_over_the_top), cmocka_unit_test(test_says_folds),
		cmocka_unit_test(test_says_the_top), cmocka_unit_test(test_anything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
