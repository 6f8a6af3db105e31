/* SPDX-License-Identifier: MIT
 * test_opentrack.c - the 48 bytes: golden ones, random ones against the plain form, refusals. */
#include "../plain/text.h"
#include "check.h"
#include <errno.h>

extern const struct hp_module hp_encoder_opentrack;
static const struct hp_stream stream = { .struct_size = sizeof stream };

static int encode(const struct hp_sample *s, void *buf, size_t cap)
{
	return hp_encoder_opentrack.encode(NULL, s, &stream, buf, cap);
}

static void test_golden(void **state)
{
	(void)state;
	/* yaw 90, pitch -1, roll 0.5 */
	static const uint8_t want[48] = { [29] = 0x80, 0x56, 0x40, [38] = 0xf0, 0xbf, [46] = 0xe0, 0x3f };
	struct hp_sample s = HP_SAMPLE_INIT;
	uint8_t got[48];
	memset(got, 0xaa, sizeof got);
	s.ypr[0] = 90;
	s.ypr[1] = -1;
	s.ypr[2] = 0.5;
	s.pos[0] = 7; /* the datagram's place is always 0, as the reference's */
	assert_int_equal(encode(&s, got, sizeof got), 48);
	assert_memory_equal(got, want, sizeof want);
}

static void test_random(void **state)
{
	(void)state;
	uint64_t r = 2;
	for (int i = 0; i < 5000; i++) {
		struct hp_sample s = check_random_sample(&r);
		uint8_t got[64], want[48];
		memset(got, 0xaa, sizeof got);
		plain_opentrack(&s, want);
		assert_int_equal(encode(&s, got, sizeof got), 48);
		assert_memory_equal(got, want, sizeof want);
		for (size_t k = 48; k < sizeof got; k++)
			assert_int_equal(got[k], 0xaa);
	}
}

static void test_refusals(void **state)
{
	(void)state;
	struct hp_sample s = HP_SAMPLE_INIT;
	uint8_t buf[48];
	assert_int_equal(encode(&s, buf, 47), -ENOSPC);
	assert_int_equal(encode(&s, buf, 0), -ENOSPC);
	static const double bad[] = { NAN, INFINITY, -INFINITY };
	for (int i = 0; i < 3; i++)
		for (size_t b = 0; b < 3; b++) {
			s.ypr[i] = bad[b];
			assert_int_equal(encode(&s, buf, sizeof buf), -EDOM);
			s.ypr[i] = 0;
		}
	assert_int_equal(encode(&s, buf, sizeof buf), 48);
}

/* front 1, left 2, up 3 is x 2 (left), y 3 (up), z -1 (back) inside opentrack; without HP_POS nothing of it */
static void test_position(void **state)
{
	(void)state;
	struct hp_sample s = HP_SAMPLE_INIT;
	double v[6];
	memcpy(s.pos, (const double[]){ 1, 2, 3 }, sizeof s.pos);
	memcpy(s.ypr, (const double[]){ 40, 30, 20 }, sizeof s.ypr);
	assert_int_equal(encode(&s, (uint8_t *)v, sizeof v), 48);
	assert_memory_equal(v, ((const double[]){ 0, 0, 0, 40, 30, 20 }), sizeof v);
	s.flags |= HP_POS;
	assert_int_equal(encode(&s, (uint8_t *)v, sizeof v), 48);
	assert_memory_equal(v, ((const double[]){ 2, 3, -1, 40, 30, 20 }), sizeof v);
	s.pos[1] = NAN;
	assert_int_equal(encode(&s, (uint8_t *)v, sizeof v), -EDOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_position),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	printf("opentrack: %zu groups, %d failed\n", sizeof tests / sizeof *tests, failed);
	return failed;
}
