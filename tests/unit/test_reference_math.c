/* SPDX-License-Identifier: MIT
 * test_reference_math.c - every row of the reference's math vectors through host/pose/pose.c. */
#include "../plain/libm_probe.h"
#include "check.h"
#include "find.h"
#include "pose/pose.h"

static void test_math(void **state)
{
	(void)state;
	char path[1024];
	struct table t;
	if (!find_reference("math_vectors.tsv.gz", path, sizeof path)) {
		printf("skip: no math_vectors.tsv.gz; set HEADPIPE_REFERENCE to the folder of the reference vectors\n");
		skip();
	}
	bool exact = libm_is_reference();
	printf("math library: %s\n", exact ? "the reference's bits; comparing exactly"
	                                   : "other last bits than the reference's; comparing within 1e-9");
	assert_true(table_open(&t, path));
	int rows = 0, equal = 0;
	while (table_next(&t)) {
		const char *op = t.cell[0];
		double in[9], want[4], got[4];
		int n = 4;
		bool libm = true, ok = true;
		assert_int_equal(t.n, 3);
		if (!strcmp(op, "normalize")) {
			ok = check_doubles(t.cell[1], in, 4);
			memcpy(got, in, sizeof got);
			hp_quat_normalize(got);
			libm = false;
		} else if (!strcmp(op, "multiply")) {
			ok = check_doubles(t.cell[1], in, 8);
			hp_quat_multiply(in, in + 4, got);
			libm = false;
		} else if (!strcmp(op, "rv2q")) {
			ok = check_doubles(t.cell[1], in, 3);
			hp_quat_from_rotvec(in, got);
		} else if (!strcmp(op, "q2rv")) {
			ok = check_doubles(t.cell[1], in, n = 4);
			hp_quat_to_rotvec(in, got);
			n = 3;
		} else if (!strcmp(op, "q2euler")) {
			ok = check_doubles(t.cell[1], in, 4);
			hp_quat_to_ypr(in, got);
			n = 3;
		} else if (!strcmp(op, "slerp")) {
			ok = check_doubles(t.cell[1], in, 9);
			hp_quat_slerp(in, in + 4, in[8], got);
		} else {
			fail_msg("unknown operation %s", op);
		}
		if (!ok || !check_doubles(t.cell[2], want, n))
			fail_msg("row %d is not a %s row", rows + 1, op);
		rows++;
		for (int i = 0; i < n; i++)
			ok &= libm_equal(got[i], want[i], exact || !libm);
		if (!ok)
			printf("row %d: %s(%s) gives %a,%a,%a,%a instead of %s\n", rows, op, t.cell[1], got[0], got[1],
			       got[2], n > 3 ? got[3] : 0, t.cell[2]);
		equal += ok;
	}
	table_close(&t);
	printf("count: math %d/%d\n", equal, rows);
	assert_true(rows > 0);
	assert_int_equal(equal, rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_math) };
	char path[1024];
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	bool there = find_reference("math_vectors.tsv.gz", path, sizeof path);
	printf("reference math: %s\n", !there   ? "not compared, the vectors are not here"
	                               : failed ? "differs"
	                                        : "equal");
	return failed ? failed : there ? 0 : 77;
}
