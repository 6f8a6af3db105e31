/* SPDX-License-Identifier: MIT
 * test_msgpack.c - the msgpack encoder against bytes written by hand, read back with msgpack-c, and the golden
 * datagrams that the documentation's examples decode. */
#include "../plain/text.h"
#include "check.h"
#include "fake_host.h"
#include <msgpack.h>

extern const struct hp_module hp_encoder_msgpack;
static const struct hp_module *const module = &hp_encoder_msgpack;

/* Encodes into a block of exactly the right size, and is refused by one that is a byte too small. */
static void same(void *state, const struct hp_sample *s, const struct hp_stream *from, const char *label)
{
	uint8_t want[1024];
	int size = plain_msgpack(s, label, want);
	uint8_t *got = malloc((size_t)size);
	assert_int_equal(module->encode(state, s, from, got, (size_t)size), size);
	assert_memory_equal(got, want, (size_t)size);
	free(got);
	got = malloc((size_t)size - 1);
	assert_int_equal(module->encode(state, s, from, got, (size_t)size - 1), -ENOSPC);
	free(got);
	assert_int_equal(module->encode(state, s, from, want, 0), -ENOSPC);
}

static void connected(void *state)
{
	module->event(state, &(struct hp_event){ .struct_size = sizeof(struct hp_event), .type = HP_CONNECTED });
}

/* Gives some samples a position. */
static bool place(struct hp_sample *s, uint64_t *r)
{
	if (random_below(r, 3))
		return false;
	s->flags |= HP_POS;
	for (int i = 0; i < 3; i++)
		s->pos[i] = check_random_number(r);
	return true;
}

static void test_random(void **state)
{
	(void)state;
	uint64_t r = 12;
	void *m = fake_state(module);
	static const char *const names[] = { NULL, "", "WH-1000XM5", "\xf0\x9f\x8e\xa7",
		                             "a name of more than thirty-one bytes, "
		                             "as some are" };
	for (int i = 0; i < 3000; i++) {
		struct hp_sample s = check_random_sample(&r);
		if (random_below(&r, 4) == 0)
			s.time_ns = -s.time_ns;
		place(&s, &r);
		struct hp_stream from = { .struct_size = sizeof from, .device = names[random_below(&r, 5)] };
		connected(m);
		same(m, &s, &from, from.device);
	}
	free(m);
}

static double number_at(const msgpack_object *o, uint32_t key, uint32_t i)
{
	const msgpack_object *v = &o->via.map.ptr[key].val;
	assert_int_equal(v->type, MSGPACK_OBJECT_ARRAY);
	assert_true(i < v->via.array.size);
	assert_int_equal(v->via.array.ptr[i].type, MSGPACK_OBJECT_FLOAT64);
	return v->via.array.ptr[i].via.f64;
}

static void test_read_back(void **state)
{
	(void)state;
	static const char *const keys[] = { "seq", "t", "q", "ypr", "gyro", "accel", "reset", "dev", "pos" };
	void *m = fake_state(module);
	struct hp_stream from = { .struct_size = sizeof from, .device = "WH-1000XM5" };
	uint64_t r = 13;
	for (int k = 0; k < 200; k++) {
		struct hp_sample s = check_random_sample(&r);
		bool placed = place(&s, &r);
		char buf[1024];
		int n = module->encode(m, &s, &from, buf, sizeof buf);
		assert_true(n > 0);
		msgpack_unpacked u;
		size_t used = 0;
		msgpack_unpacked_init(&u);
		assert_int_equal(msgpack_unpack_next(&u, buf, (size_t)n, &used), MSGPACK_UNPACK_SUCCESS);
		assert_int_equal(used, n);
		assert_int_equal(u.data.type, MSGPACK_OBJECT_MAP);
		assert_int_equal(u.data.via.map.size, placed ? 9 : 8);
		const msgpack_object_kv *kv = u.data.via.map.ptr;
		for (uint32_t i = 0; i < u.data.via.map.size; i++)
			assert_memory_equal(kv[i].key.via.str.ptr, keys[i], strlen(keys[i]));
		assert_true(kv[0].val.via.u64 == s.seq && kv[1].val.via.i64 == s.time_ns);
		for (uint32_t i = 0; i < 4; i++)
			check_bits("q", &(double){ number_at(&u.data, 2, i) }, &s.quat[i], 1);
		for (uint32_t i = 0; i < 3; i++)
			check_bits("ypr", &(double){ number_at(&u.data, 3, i) }, &s.ypr[i], 1);
		for (uint32_t i = 0; i < 3 && (s.flags & HP_GYRO); i++)
			check_bits("gyro", &(double){ number_at(&u.data, 4, i) }, &s.gyro[i], 1);
		assert_int_equal(kv[4].val.type, s.flags & HP_GYRO ? MSGPACK_OBJECT_ARRAY : MSGPACK_OBJECT_NIL);
		assert_int_equal(kv[5].val.type, s.flags & HP_ACCEL ? MSGPACK_OBJECT_ARRAY : MSGPACK_OBJECT_NIL);
		assert_int_equal(kv[6].val.via.u64, s.reset_count);
		assert_int_equal(kv[7].val.via.str.size, 10);
		for (uint32_t i = 0; i < 3 && placed; i++)
			check_bits("pos", &(double){ number_at(&u.data, 8, i) }, &s.pos[i], 1);
		msgpack_unpacked_destroy(&u);
	}
	free(m);
}

/* Names that are no UTF-8 would make strict decoders refuse the whole map. */
static void test_labels(void **state)
{
	(void)state;
#define BAD "\xef\xbf\xbd"
	static const struct {
		const char *device, *label;
	} names[] = {
		{ "caf\xe9", "caf" BAD },
		{ "\xff\xfe", BAD BAD },
		{ "\xc0\xaf", BAD BAD },                    /* overlong */
		{ "\xed\xa0\x80", BAD BAD BAD },            /* a surrogate */
		{ "\xf4\x90\x80\x80", BAD BAD BAD BAD },    /* beyond U+10FFFF */
		{ "\xe2\x82", BAD BAD },                    /* cut off */
		{ "\xe2\x82\xac\x80", "\xe2\x82\xac" BAD }, /* one byte too many */
		{ "\xf0\x9f\x8e\xa7\xf4\x8f\xbf\xbf", "\xf0\x9f\x8e\xa7\xf4\x8f\xbf\xbf" },
		{ "tab\t\"quote\"", "tab\t\"quote\"" },
	};
	void *m = fake_state(module);
	struct hp_sample s = HP_SAMPLE_INIT;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct hp_stream from = { .struct_size = sizeof from, .device = names[i].device };
		connected(m);
		same(m, &s, &from, names[i].label);
	}
	/* 256 bytes at most, cut between characters: here 85 of three bytes; a longest text of replacements */
	char name[400], want[1024] = "";
	for (int i = 0; i < 100; i++)
		memcpy(name + 3 * i, "\xe2\x82\xac", 4);
	struct hp_stream from = { .struct_size = sizeof from, .device = name };
	memcpy(want, name, 255);
	connected(m);
	same(m, &s, &from, want);
	memset(name, 0xff, sizeof name - 1);
	name[sizeof name - 1] = 0;
	for (int i = 0; i < 256; i++)
		memcpy(want + 3 * i, BAD, 4);
	connected(m);
	uint8_t got[2048], plain[2048];
	int n = plain_msgpack(&s, want, plain);
	assert_int_equal(module->encode(m, &s, &from, got, sizeof got), n);
	assert_memory_equal(got, plain, (size_t)n);
	free(m);
}

static void test_refusals(void **state)
{
	(void)state;
	void *m = fake_state(module);
	struct hp_stream from = { .struct_size = sizeof from };
	struct hp_sample s = HP_SAMPLE_INIT;
	char buf[1024];
	s.flags = HP_ROTVEC | HP_YPR | HP_GYRO | HP_ACCEL;
	double *const all[] = { &s.quat[0], &s.quat[3], &s.ypr[0], &s.ypr[2], &s.gyro[1], &s.accel[2] };
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		*all[i] = i & 1 ? NAN : -INFINITY;
		assert_int_equal(module->encode(m, &s, &from, buf, sizeof buf), -EDOM);
		*all[i] = 0;
	}
	s.flags = HP_ROTVEC | HP_YPR;
	s.gyro[0] = s.accel[1] = NAN; /* not measured: not looked at */
	same(m, &s, &from, NULL);
	free(m);
}

/* tests/golden/msgpack.hex: one datagram per line; tests/docs/wire_formats.sh feeds them to the examples. */
static void test_golden(void **state)
{
	(void)state;
	void *m = fake_state(module);
	struct table t;
	int rows = 0;
	assert_true(table_open(&t, "tests/golden/msgpack.hex"));
	while (table_next(&t)) {
		struct hp_sample s = HP_SAMPLE_INIT;
		struct hp_stream from = { .struct_size = sizeof from, .device = rows == 1 ? NULL : "WH-1000XM5" };
		uint8_t got[1024], *want;
		s.seq = rows == 1 ? 70000 : 5;
		s.time_ns = rows == 1 ? -1500000000 : 1234567890123456789;
		s.flags = HP_ROTVEC | HP_YPR | (rows == 1 ? 0 : HP_GYRO);
		s.quat[0] = s.quat[3] = 0.5;
		s.quat[1] = s.quat[2] = -0.5;
		s.ypr[0] = 12.5;
		s.ypr[1] = -3.25;
		s.ypr[2] = 0.125;
		s.gyro[0] = 0.5;
		s.gyro[2] = -1.75;
		s.reset_count = 200;
		connected(m);
		int n = module->encode(m, &s, &from, got, sizeof got);
		size_t size = table_hex(t.cell[0], &want);
		assert_int_equal(n, size);
		assert_memory_equal(got, want, size);
		free(want);
		rows++;
	}
	table_close(&t);
	assert_int_equal(rows, 2);
	free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),   cmocka_unit_test(test_read_back), cmocka_unit_test(test_labels),
		cmocka_unit_test(test_refusals), cmocka_unit_test(test_golden),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	printf("msgpack: %zu groups, %d failed\n", sizeof tests / sizeof *tests, failed);
	return failed;
}
