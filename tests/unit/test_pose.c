/* SPDX-License-Identifier: MIT
 * test_pose.c - host/pose/pose.c against the plain formulas, bit for bit, and what derive and finite promise. */
#include "../plain/pose.h"
#include "check.h"
#include "pose/pose.h"

enum { ROUNDS = 20000 };

static void random_quat(uint64_t *r, double q[4])
{
	double scale = random_below(r, 4) ? 1 : ldexp(1, (int)random_below(r, 80) - 45);
	for (int i = 0; i < 4; i++)
		q[i] = random_below(r, 12) ? random_real(r, -1, 1) * scale : 0;
	/* most poses are of unit length, or nearly */
	if (random_below(r, 3))
		plain_normalize(q, q);
}

static void test_formulas(void **state)
{
	(void)state;
	uint64_t r = 4;
	for (int i = 0; i < ROUNDS; i++) {
		double a[4], b[4], got[4], want[4];
		random_quat(&r, a);
		random_quat(&r, b);
		if (random_below(&r, 3) == 0) /* close together: the straight branch of slerp */
			for (int k = 0; k < 4; k++)
				b[k] = a[k] + random_real(&r, -0.01, 0.01);
		memcpy(got, a, sizeof a);
		hp_quat_normalize(got);
		plain_normalize(a, want);
		check_bits("normalize", got, want, 4);
		hp_quat_multiply(a, b, got);
		plain_multiply(a, b, want);
		check_bits("multiply", got, want, 4);
		memcpy(got, a, sizeof a);
		hp_quat_multiply(got, b, got); /* in place */
		check_bits("multiply in place", got, want, 4);
		double t = random_real(&r, -0.2, 1.2);
		hp_quat_slerp(a, b, t, got);
		plain_slerp(a, b, t, want);
		check_bits("slerp", got, want, 4);
		hp_quat_to_rotvec(a, got);
		plain_quat_to_rotvec(a, want);
		check_bits("to_rotvec", got, want, 3);
		hp_quat_to_ypr(a, got);
		plain_quat_to_ypr(a, want);
		check_bits("to_ypr", got, want, 3);
		double v[3], scale = random_below(&r, 4) ? 3 : ldexp(1, (int)random_below(&r, 60) - 50);
		for (int k = 0; k < 3; k++)
			v[k] = random_below(&r, 12) ? random_real(&r, -1, 1) * scale : 0;
		hp_quat_from_rotvec(v, got);
		plain_rotvec_to_quat(v, want);
		check_bits("from_rotvec", got, want, 4);
	}
}

static void test_known(void **state)
{
	(void)state;
	/* a quarter turn to the left: yaw + */
	double q[4], v[3] = { 0, 0, acos(0) }, ypr[3], back[3];
	hp_quat_from_rotvec(v, q);
	hp_quat_to_ypr(q, ypr);
	assert_true(fabs(ypr[0] - 90) < 1e-12 && fabs(ypr[1]) < 1e-12 && fabs(ypr[2]) < 1e-12);
	hp_quat_to_rotvec(q, back);
	assert_true(fabs(back[2] - v[2]) < 1e-15);
	/* nod down: pitch +; tilt right: roll + */
	hp_quat_from_rotvec((double[]){ 0, 0.5, 0 }, q);
	hp_quat_to_ypr(q, ypr);
	assert_true(fabs(ypr[1] - 0.5 * 180 / acos(-1)) < 1e-12);
	hp_quat_from_rotvec((double[]){ 0.5, 0, 0 }, q);
	hp_quat_to_ypr(q, ypr);
	assert_true(fabs(ypr[2] - 0.5 * 180 / acos(-1)) < 1e-12);
	/* nothing to point at */
	double zero[4] = { 0, 0, 0, 0 };
	hp_quat_normalize(zero);
	check_bits("normalize(0)", zero, (double[]){ 1, 0, 0, 0 }, 4);
}

static void test_derive(void **state)
{
	(void)state;
	uint64_t r = 8;
	for (int i = 0; i < ROUNDS / 4; i++) {
		struct hp_sample s = check_random_sample(&r), was;
		random_quat(&r, s.quat);
		s.flags &= ~(unsigned)(HP_ROTVEC | HP_YPR) | (unsigned)random_below(&r, 4);
		was = s;
		hp_sample_derive(&s);
		double rotvec[3], ypr[3];
		plain_quat_to_rotvec(was.quat, rotvec);
		plain_quat_to_ypr(was.quat, ypr);
		check_bits("quat", s.quat, was.quat, 4);
		check_bits("rotvec", s.rotvec, was.flags & HP_ROTVEC ? was.rotvec : rotvec, 3);
		check_bits("ypr", s.ypr, was.flags & HP_YPR ? was.ypr : ypr, 3);
		assert_int_equal(s.flags, was.flags | HP_ROTVEC | HP_YPR);
	}
}

static void test_finite(void **state)
{
	(void)state;
	static const double bad[] = { NAN, -NAN, INFINITY, -INFINITY };
	/* every double of the table, so that no new one is forgotten */
#define PART_F64(member, flag) { offsetof(struct hp_sample, member), flag },
#define PART_I64(...)
#define PART_U64(...)
#define PART_U32(...)
	static const struct {
		size_t offset;
		uint32_t flag;
	} parts[] = {
#define HP_SAMPLE_FIELD(member, kind, cell, name, unit, flag, ...) PART_##kind(member, flag)
#include "sample/fields.def"
#define HP_SAMPLE_APPENDED(member, kind, cell, name, unit, flag, ...) PART_##kind(member, flag)
#include "sample/fields.def"
	};
	struct hp_sample s = HP_SAMPLE_INIT;
	s.flags = HP_ROTVEC | HP_YPR | HP_POS | HP_GYRO | HP_ACCEL | HP_SAMPLE_APPENDED_FLAGS;
	assert_true(hp_sample_finite(&s));
	for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
		double *at = (double *)(void *)((char *)&s + parts[p].offset), old = *at;
		for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
			*at = bad[b];
			assert_false(hp_sample_finite(&s));
			if (parts[p].flag) {
				s.flags ^= parts[p].flag; /* not declared: not looked at */
				assert_true(hp_sample_finite(&s));
				s.flags ^= parts[p].flag;
			}
		}
		*at = 1.7976931348623157e308; /* large is finite, and stays so when several are */
		assert_true(hp_sample_finite(&s));
		*at = p & 1 ? old : -1.7976931348623157e308;
		assert_true(hp_sample_finite(&s));
	}
}

static void test_copy(void **state)
{
	(void)state;
	static const struct {
		uint32_t flags;
		size_t size;
	} cases[] = { { HP_ROTVEC | HP_POS, offsetof(struct hp_sample, angvel) },
		      { HP_ANGVEL, sizeof(struct hp_sample) },
		      { HP_CONFIDENCE, sizeof(struct hp_sample) } };
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct hp_sample from, to = HP_SAMPLE_INIT;
		memset(&from, 0x3f, sizeof from);
		from.flags = cases[c].flags;
		hp_sample_copy(&to, &from);
		assert_memory_equal(&to, &from, cases[c].size);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formulas), cmocka_unit_test(test_known), cmocka_unit_test(test_derive),
		cmocka_unit_test(test_finite),   cmocka_unit_test(test_copy),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	printf("pose: the formulas equal their plain form on %d random inputs, %d groups failed\n", ROUNDS, failed);
	return failed;
}
