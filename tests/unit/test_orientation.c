/* SPDX-License-Identifier: MIT
 * test_orientation.c - the filter `orientation` against its plain form, bit for bit, through motion of every kind,
 * option changes and recentring; its options' refusals; what it does with samples that have no rotation vector. */
#include "../plain/pose.h"
#include "check.h"
#include "config/options.h"
#include "fake_host.h"
#include "pose/pose.h"

extern const struct hp_module hp_filter_orientation;
static const struct hp_module *const module = &hp_filter_orientation;

struct pair {
	struct fake_host host;
	void *state;
	struct plain_orientation plain;
	uint64_t r;
	int64_t time_ns;
	double at[3];
};

static void pair_open(struct pair *p, uint64_t seed)
{
	memset(p, 0, sizeof *p);
	fake_init(&p->host, "pose");
	p->state = fake_state(module);
	assert_int_equal(module->open(p->state, &p->host.host), 0);
	plain_orientation_init(&p->plain);
	p->r = seed;
	p->time_ns = (int64_t)random_below(&p->r, 1000000000000);
}

static void pair_close(struct pair *p)
{
	free(p->state);
	fake_free(&p->host);
}

enum { STILL, SLOW, FAST, JUMPS, EXACT, KINDS };

/* One sample of a kind of motion through both; the outputs must agree. */
static void pair_step(struct pair *p, int kind)
{
	struct hp_sample s = HP_SAMPLE_INIT, want;
	static const double size[KINDS] = { 1e-5, 0.02, 0.4, 3.5, 0 }, speed[KINDS] = { 0.03, 0.3, 6, 30, 0 };
	p->time_ns += random_below(&p->r, 20) ? (int64_t)random_below(&p->r, 20000000)
	                                      : (int64_t)random_below(&p->r, 3000000000) - 200000000;
	s.time_ns = p->time_ns;
	s.flags = HP_ROTVEC;
	for (int i = 0; i < 3; i++)
		p->at[i] += random_real(&p->r, -size[kind], size[kind]);
	if (kind == EXACT && random_below(&p->r, 4) == 0)
		for (int i = 0; i < 3; i++) /* zeros, and turns about one axis alone */
			p->at[i] = random_below(&p->r, 2) ? 0 : (double)random_below(&p->r, 5) - 2;
	for (int i = 0; i < 3; i++) {
		if (fabs(p->at[i]) > 4)
			p->at[i] = 0;
		s.rotvec[i] = p->at[i];
		s.gyro[i] = random_real(&p->r, -speed[kind], speed[kind]);
		s.accel[i] = random_real(&p->r, -10, 10);
	}
	hp_quat_from_rotvec(s.rotvec, s.quat);
	if (random_below(&p->r, 6))
		s.flags |= HP_GYRO;
	if (random_below(&p->r, 2))
		s.flags |= HP_ACCEL;
	want = s;
	plain_orientation(&p->plain, &want);
	assert_int_equal(module->filter(p->state, &s), HP_KEEP);
	check_bits("quat", s.quat, want.quat, 4);
	check_bits("rotvec", s.rotvec, want.rotvec, 3);
	check_bits("ypr", s.ypr, want.ypr, 3);
	check_bits("gyro", s.gyro, want.gyro, 3);
	check_bits("accel", s.accel, want.accel, 3);
	assert_int_equal(s.flags, want.flags);
	assert_int_equal(s.time_ns, want.time_ns);
	assert_int_equal(s.reset_count, want.reset_count);
}

static void pair_recenter(struct pair *p)
{
	assert_int_equal(module->command(p->state, "recenter"), 0);
	p->plain.recenter = true;
}

static void test_motion(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 8; seed++) {
		struct pair p;
		pair_open(&p, seed);
		for (int run = 0; run < 60; run++) {
			int kind = (int)random_below(&p.r, KINDS);
			for (int i = 0; i < 40; i++) {
				if (random_below(&p.r, 60) == 0)
					pair_recenter(&p);
				pair_step(&p, kind);
			}
		}
		pair_close(&p);
	}
}

static void test_options_change_while_running(void **state)
{
	(void)state;
	static const char *const maps[] = { "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX", "zyx" };
	static const char *const inverts[] = { "none", "X", "Y", "Z", "XY", "ZX", "YZ", "XYZ", "zy" };
	struct pair p;
	pair_open(&p, 77);
	for (int run = 0; run < 300; run++) {
		const char *map = maps[random_below(&p.r, 7)], *invert = inverts[random_below(&p.r, 9)];
		char text[3][40];
		p.plain.smoothing = random_real(&p.r, 0.001, 1);
		p.plain.fast_movement = random_below(&p.r, 3) ? random_real(&p.r, 0.01, 5) : 1000;
		p.plain.drift_correction = random_below(&p.r, 3) ? random_real(&p.r, 0, 10) : 0;
		snprintf(text[0], sizeof text[0], "%.17g", p.plain.smoothing);
		snprintf(text[1], sizeof text[1], "%.17g", p.plain.fast_movement);
		snprintf(text[2], sizeof text[2], "%.17g", p.plain.drift_correction);
		for (int i = 0; i < 3; i++) {
			p.plain.source[i] = (map[i] | 0x20) - 'x';
			p.plain.sign[i] = 1;
		}
		for (const char *c = invert; strcmp(invert, "none") && *c; c++)
			p.plain.sign[(*c | 0x20) - 'x'] = -1;
		fake_set(module, p.state, "axis_map", map);
		fake_set(module, p.state, "invert", invert);
		fake_set(module, p.state, "smoothing", text[0]);
		fake_set(module, p.state, "fast_movement", text[1]);
		fake_set(module, p.state, "drift_correction", text[2]);
		assert_int_equal(module->changed(p.state), 0);
		for (int i = 0; i < 12; i++)
			pair_step(&p, (int)random_below(&p.r, KINDS));
	}
	pair_close(&p);
}

static void test_refusals(void **state)
{
	(void)state;
	static const struct {
		const char *key, *value, *why;
	} bad[] = {
		{ "axis_map", "XXZ", "`X` stands there twice" },
		{ "axis_map", "XY", "must name each of X, Y, Z once" },
		{ "axis_map", "XYZX", "`X` stands there twice" },
		{ "axis_map", "123", "`1` is none of X, Y, Z" },
		{ "axis_map", "", "no value" },
		{ "invert", "W", "`W` is none of X, Y, Z" },
		{ "invert", "XX", "`X` stands there twice" },
		{ "invert", "", "no value" },
	};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct hp_values values = { 0 };
		struct hp_list list;
		char why[128] = "";
		const struct hp_option *row = hp_option_find(module->options, bad[i].key);
		assert_int_equal(hp_option_parse(row, bad[i].value, NULL, &list, &values, why, sizeof why), -1);
		assert_string_equal(why, bad[i].why);
		hp_values_free(&values);
	}
}

/* A source that knows only a quaternion: the rotation vector comes from it. */
static void test_without_rotvec(void **state)
{
	(void)state;
	struct pair p;
	pair_open(&p, 11);
	for (int i = 0; i < 500; i++) {
		struct hp_sample s = HP_SAMPLE_INIT, want;
		p.time_ns += 10000000;
		s.time_ns = p.time_ns;
		for (int k = 0; k < 4; k++)
			s.quat[k] = random_real(&p.r, -1, 1);
		hp_quat_normalize(s.quat);
		s.rotvec[0] = NAN; /* not declared: must not be looked at */
		want = s;
		plain_quat_to_rotvec(want.quat, want.rotvec);
		plain_orientation(&p.plain, &want);
		assert_int_equal(module->filter(p.state, &s), HP_KEEP);
		check_bits("quat", s.quat, want.quat, 4);
		check_bits("rotvec", s.rotvec, want.rotvec, 3);
		check_bits("ypr", s.ypr, want.ypr, 3);
		assert_int_equal(s.flags, HP_ROTVEC | HP_YPR);
	}
	pair_close(&p);
}

/* Turn left by 90 degrees, recenter there, nod 30 down: yaw 0, pitch 30, roll 0. */
static void test_recenter_at_any_heading(void **state)
{
	(void)state;
	struct pair p;
	pair_open(&p, 1);
	fake_set(module, p.state, "axis_map", "XYZ");
	fake_set(module, p.state, "invert", "none");
	fake_set(module, p.state, "smoothing", "1");
	assert_int_equal(module->changed(p.state), 0);
	double left[4], nod[4], both[4];
	hp_quat_from_rotvec((double[]){ 0, 0, acos(0) }, left);
	hp_quat_from_rotvec((double[]){ 0, acos(-1) / 6, 0 }, nod);
	hp_quat_multiply(left, nod, both);
	struct hp_sample s = HP_SAMPLE_INIT;
	assert_int_equal(module->filter(p.state, &s), HP_KEEP);
	memcpy(s.quat, left, sizeof left);
	s.flags = 0;
	assert_int_equal(module->filter(p.state, &s), HP_KEEP);
	assert_true(fabs(s.ypr[0] - 90) < 1e-9 && fabs(s.ypr[1]) < 1e-9 && fabs(s.ypr[2]) < 1e-9);
	assert_int_equal(module->command(p.state, "recenter"), 0);
	memcpy(s.quat, left, sizeof left);
	s.flags = 0;
	assert_int_equal(module->filter(p.state, &s), HP_KEEP);
	assert_true(fabs(s.ypr[0]) < 1e-9 && fabs(s.ypr[1]) < 1e-9 && fabs(s.ypr[2]) < 1e-9);
	memcpy(s.quat, both, sizeof both);
	s.flags = 0;
	assert_int_equal(module->filter(p.state, &s), HP_KEEP);
	assert_true(fabs(s.ypr[0]) < 1e-9 && fabs(s.ypr[1] - 30) < 1e-9 && fabs(s.ypr[2]) < 1e-9);
	pair_close(&p);
}

/* After reset() the next sample is the first one again, with the options as they are. */
static void test_reset(void **state)
{
	(void)state;
	struct pair p;
	pair_open(&p, 21);
	for (int i = 0; i < 50; i++)
		pair_step(&p, FAST);
	assert_int_equal(module->reset(p.state), 0);
	struct plain_orientation was = p.plain;
	plain_orientation_init(&p.plain);
	assert_memory_equal(was.source, p.plain.source, sizeof was.source);
	for (int i = 0; i < 50; i++)
		pair_step(&p, FAST);
	pair_close(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_motion),
		cmocka_unit_test(test_options_change_while_running),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_without_rotvec),
		cmocka_unit_test(test_recenter_at_any_heading),
		cmocka_unit_test(test_reset),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	printf("orientation: %zu groups against the plain filter, %d failed\n", sizeof tests / sizeof *tests, failed);
	return failed;
}
