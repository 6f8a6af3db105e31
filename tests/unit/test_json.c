/* SPDX-License-Identifier: MIT
 * test_json.c - the JSON encoder against printf on random samples, its label rules, its refusals, its buffer. */
#include "../plain/text.h"
#include "check.h"
#include "fake_host.h"

extern const struct hp_module hp_encoder_json;
static const struct hp_module *const json = &hp_encoder_json;

static void connected(void *state)
{
	json->event(state, &(struct hp_event){ .struct_size = sizeof(struct hp_event), .type = HP_CONNECTED });
}

/* Encodes with a block of exactly `cap` bytes, so that a sanitizer sees the first byte too far. */
static void same(void *state, const struct hp_sample *s, const struct hp_stream *from)
{
	char want[4096];
	int size = plain_json(s, from->device, want, sizeof want);
	assert_true(size > 0);
	const size_t caps[] = { 4096, (size_t)size };
	for (size_t i = 0; i < 2; i++) {
		char *got = malloc(caps[i]);
		int n = json->encode(state, s, from, got, caps[i]);
		if (n != size || memcmp(got, want, (size_t)size) != 0)
			fail_msg("want %.*s\n got %.*s (%d)", size, want, n > 0 ? n : 0, got, n);
		free(got);
	}
	char *got = malloc((size_t)size - 1);
	assert_int_equal(json->encode(state, s, from, got, (size_t)size - 1), -ENOSPC);
	free(got);
}

static void test_random(void **state)
{
	(void)state;
	uint64_t r = 6;
	void *j = fake_state(json);
	char label[400];
	struct hp_stream from = { .struct_size = sizeof from };
	for (int i = 0; i < 6000; i++) {
		if (i % 8 == 0) {
			size_t n = random_below(&r, 6) ? random_below(&r, 40) : random_below(&r, sizeof label);
			for (size_t k = 0; k < n; k++)
				label[k] = (char)(1 + random_below(&r, 255));
			label[n] = 0;
			from.device = random_below(&r, 4) ? label : NULL;
			connected(j);
		}
		struct hp_sample s = check_random_sample(&r);
		same(j, &s, &from);
	}
	free(j);
}

static void label_is(const char *device, const char *want)
{
	void *j = fake_state(json);
	struct hp_stream from = { .struct_size = sizeof from, .device = device };
	struct hp_sample s = HP_SAMPLE_INIT;
	char got[4096];
	int n = json->encode(j, &s, &from, got, sizeof got - 1);
	assert_true(n > 0);
	got[n] = 0;
	char *start = strstr(got, "\"device\":"), *end = strstr(got, ",\"rotationVector\"");
	assert_non_null(start);
	assert_non_null(end);
	*end = 0;
	assert_string_equal(start + 9, want);
	same(j, &s, &from);
	free(j);
}

static void test_labels(void **state)
{
	(void)state;
	char long_name[600], want[600];
	label_is(NULL, "null");
	label_is("", "\"\"");
	label_is("WH-1000XM5", "\"WH-1000XM5\"");
	label_is("a\"b\\c\td\x01\x1f\x7f", "\"a\\\"b\\\\cd\x7f\"");
	label_is("\xf0\x9f\x8e\xa7 caf\xc3\xa9", "\"\xf0\x9f\x8e\xa7 caf\xc3\xa9\"");
	label_is("\xff\x80", "\"\xff\x80\""); /* what a device sends that is no UTF-8 goes on as it came */
	for (int before = 250; before <= 258; before++) {
		/* a four-byte character across the limit of 256 goes as a whole or not at all */
		memset(long_name, 'x', sizeof long_name);
		memcpy(long_name + before, "\xf0\x9f\x8e\xa7tail", 9);
		int kept = before + 4 <= 256 ? before + 4 : before < 256 ? before : 256;
		if (before + 4 < 256)
			kept = before + 8 < 256 ? before + 8 : 256;
		snprintf(want, sizeof want, "\"%.*s\"", kept, long_name);
		label_is(long_name, want);
	}
	memset(long_name, '"', 599);
	long_name[599] = 0;
	want[0] = '"';
	for (int i = 0; i < 256; i++)
		memcpy(want + 1 + 2 * i, "\\\"", 2);
	memcpy(want + 513, "\"", 2);
	label_is(long_name, want);
}

/* The label is made once per connection: a new name under the same pointer counts from HP_CONNECTED on. */
static void test_reconnect(void **state)
{
	(void)state;
	void *j = fake_state(json);
	char name[16] = "first", got[4096];
	struct hp_stream from = { .struct_size = sizeof from, .device = name }, other = from;
	struct hp_sample s = HP_SAMPLE_INIT;
	same(j, &s, &from);
	strcpy(name, "second");
	assert_true(json->encode(j, &s, &from, got, sizeof got) > 0);
	assert_memory_equal(got, "{\"version\":2,\"device\":\"first\"", 29);
	connected(j);
	same(j, &s, &from);
	other.device = NULL;
	same(j, &s, &other); /* another source */
	same(j, &s, &from);
	free(j);
}

static void test_refusals(void **state)
{
	(void)state;
	void *j = fake_state(json);
	struct hp_stream from = { .struct_size = sizeof from };
	struct hp_sample s = HP_SAMPLE_INIT;
	char got[4096];
	s.flags = HP_ROTVEC | HP_YPR | HP_GYRO | HP_ACCEL;
	double *const all[] = { &s.quat[0],   &s.quat[1],  &s.quat[2],  &s.quat[3],  &s.rotvec[0], &s.rotvec[1],
		                &s.rotvec[2], &s.ypr[0],   &s.ypr[1],   &s.ypr[2],   &s.gyro[0],   &s.gyro[1],
		                &s.gyro[2],   &s.accel[0], &s.accel[1], &s.accel[2], &s.rate_hz,   &s.latency_ms };
	static const double bad[] = { NAN, -NAN, INFINITY, -INFINITY };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		for (size_t b = 0; b < 4; b++) {
			double old = *all[i];
			*all[i] = bad[b];
			assert_int_equal(json->encode(j, &s, &from, got, sizeof got), -EDOM);
			*all[i] = old;
		}
	s.flags = HP_ROTVEC | HP_YPR;
	s.gyro[1] = s.accel[0] = NAN; /* not measured: not looked at */
	same(j, &s, &from);
	free(j);
}

/* One more member, only when asked for; everything in front of it stays. */
static void test_position(void **state)
{
	(void)state;
	void *j = fake_state(json);
	struct hp_stream from = { .struct_size = sizeof from };
	struct hp_sample s = HP_SAMPLE_INIT;
	char got[4096], plain[4096];
	memcpy(s.pos, (const double[]){ 1.5, -2, 1e-7 }, sizeof s.pos);
	s.flags = HP_ROTVEC | HP_YPR | HP_POS;
	int n = json->encode(j, &s, &from, plain, sizeof plain);
	same(j, &s, &from); /* the default says nothing of it */
	fake_set(json, j, "position", "yes");
	int m = json->encode(j, &s, &from, got, sizeof got);
	assert_memory_equal(got, plain, (size_t)n - 1);
	assert_int_equal(m, n + (int)strlen(",\"position\":[1.5,-2,1e-07]"));
	assert_memory_equal(got + n - 1, ",\"position\":[1.5,-2,1e-07]}", (size_t)(m - n + 1));
	s.pos[1] = NAN;
	assert_int_equal(json->encode(j, &s, &from, got, sizeof got), -EDOM);
	s.flags &= ~(uint32_t)HP_POS;
	m = json->encode(j, &s, &from, got, sizeof got);
	assert_int_equal(m, n + (int)strlen(",\"position\":null"));
	assert_memory_equal(got + n - 1, ",\"position\":null}", (size_t)(m - n + 1));
	free(j);
}

/* The longest text there can be, in a buffer that is just large enough. */
static void test_longest(void **state)
{
	(void)state;
	void *j = fake_state(json);
	char name[300];
	memset(name, '\\', 299);
	name[299] = 0;
	struct hp_stream from = { .struct_size = sizeof from, .device = name };
	struct hp_sample s = HP_SAMPLE_INIT;
	s.flags = HP_ROTVEC | HP_YPR | HP_GYRO | HP_ACCEL;
	double *const parts[] = { s.quat, s.rotvec, s.ypr, s.gyro, s.accel };
	for (int i = 0; i < 5; i++)
		for (int k = 0; k < (i ? 3 : 4); k++)
			parts[i][k] = -1.23456789e-308;
	s.rate_hz = s.latency_ms = -1.7976931348623157e308;
	s.reset_count = UINT32_MAX;
	same(j, &s, &from);
	free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),   cmocka_unit_test(test_labels),  cmocka_unit_test(test_reconnect),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_longest), cmocka_unit_test(test_position),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	printf("json: %zu groups against printf, %d failed\n", sizeof tests / sizeof *tests, failed);
	return failed;
}
