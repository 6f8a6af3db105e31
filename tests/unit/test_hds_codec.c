/* SPDX-License-Identifier: MIT
 * test_hds_codec.c - the HDS writer and reader against a plain second implementation, and their edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../plain/hds_plain.h"
#include "hds/decode.h"
#include "headpipe.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct hp_module hp_encoder_hds;

static uint8_t *exact(const uint8_t *at, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);
	if (n)
		memcpy(copy, at, n);
	return copy;
}

/* Every size that is too small says how much it takes and leaves the bytes behind the end alone. */
static void too_small(const struct plain_value *v, const struct plain_bytes *right)
{
	struct hp_hds_writer w;
	size_t step = right->n > 400 ? right->n / 100 : 1;
	for (size_t cap = 0; cap < right->n; cap += step) {
		uint8_t *buf = malloc(cap ? cap : 1);
		hp_hds_begin(&w, buf, cap, 0);
		plain_put(&w, v);
		assert_int_equal(hp_hds_finish(&w), -ENOSPC);
		assert_int_equal(w.need, right->n);
		free(buf);
	}
}

static void round_trips(void **state)
{
	uint64_t seed = 0x9e3779b97f4a7c15u;
	int values = 0;
	size_t total = 0;
	(void)state;
	for (; values < 6000; values++) {
		struct plain_value *v = plain_random_value(&seed, values % 5);
		struct plain_bytes right = { 0 };
		struct hp_hds_writer w;
		struct hp_hds_reader r;
		plain_encode(&right, v);
		uint8_t *buf = malloc(right.n);
		hp_hds_begin(&w, buf, right.n, 0);
		plain_put(&w, v);
		assert_int_equal(hp_hds_finish(&w), right.n);
		assert_memory_equal(buf, right.at, right.n);
		hp_hds_read(&r, buf, right.n, 0);
		struct plain_value *back = plain_take(&r), *second = plain_decode(right.at, right.n, true);
		assert_non_null(back);
		assert_non_null(second);
		assert_true(plain_same(back, v, true));
		assert_true(plain_same(back, second, false));
		if (values % 20 == 0)
			too_small(v, &right);
		total += right.n;
		plain_free(second);
		plain_free(back);
		plain_free(v);
		free(buf);
		free(right.at);
	}
	printf("count: hds random round trips %d/%d, %zu bytes\n", values, values, total);
}

static bool same_offsets(const struct plain_value *a, const struct plain_value *b)
{
	if (a->offset != b->offset)
		return false;
	for (size_t i = 0; i < a->nitems; i++)
		if (!same_offsets(a->items[i], b->items[i]))
			return false;
	return true;
}

/* Damaged bytes: both readers take them or both refuse them, and see the same. */
static void damaged(void **state)
{
	uint64_t seed = 0x123456789abcdefu;
	int taken = 0, refused = 0;
	(void)state;
	while (taken + refused < 60000) {
		struct plain_value *v = plain_random_value(&seed, 3);
		struct plain_bytes b = { 0 };
		plain_encode(&b, v);
		plain_free(v);
		for (int k = 0; k < 12 && b.n < 2000; k++) {
			size_t n = b.n;
			uint8_t *bytes = exact(b.at, n);
			for (unsigned hits = 1 + plain_random(&seed) % 3; n && hits; hits--) {
				uint8_t *at = &bytes[plain_random(&seed) % n];
				unsigned how = plain_random(&seed) % 4;
				/* single bits, any byte, references, terminated forms */
				*at = (uint8_t)(how == 0   ? *at ^ 1u << plain_random(&seed) % 8
				                : how == 1 ? plain_random(&seed)
				                : how == 2
				                    ? 0xa0 + plain_random(&seed) % 6
				                    : (uint8_t) "\xdf\xef\x6f\x9f\x03\x00\x2f\x35"[plain_random(&seed) %
				                                                                   8]);
			}
			bool refs = plain_random(&seed) & 1;
			struct hp_hds_reader r;
			hp_hds_read(&r, bytes, n, refs ? 0 : HP_HDS_NO_REFS);
			struct plain_value *mine = plain_take(&r), *other = plain_decode(bytes, n, refs);
			if (!mine != !other ||
			    (mine && !(plain_same(mine, other, false) && same_offsets(mine, other)))) {
				for (size_t i = 0; i < n; i++)
					printf("%02x", bytes[i]);
				fail_msg(": the readers differ (%s)", r.why ? r.why : "taken");
			}
			*(mine ? &taken : &refused) += 1;
			plain_free(mine);
			plain_free(other);
			free(bytes);
		}
		free(b.at);
	}
	assert_true(taken > 1000 && refused > 1000);
	printf("count: hds damaged inputs, both readers agree %d/%d (%d taken)\n", taken + refused, taken + refused,
	       taken);
}

/* The references that HAP-NodeJS's writer makes: equal data and NaN count again, -0 is taken for 0. */
static void references(void **state)
{
	static const struct {
		const char *bytes;
		size_t n;
		int last; /* index of the value that the last item must be equal to, -1 = refused */
	} rows[] = {
		{ "\xd4\x71\x05\x71\x05\x42hi\xa2", 9, 2 },
		{ "\xd4\x42yo\x42yo\x42hi\xa1", 11, 2 },
		{ "\xd4\x35\x00\x00\xc0\x7f\x35\x00\x00\xc0\x7f\x42hi\xa2", 15, 2 },
		{ "\xd4\x31\xe8\x03\x32\xe8\x03\x00\x00\x42hi\xa1", 13, 1 },
		{ "\xd3\x40\x42hi\xa1", 6, 1 },
		{ "\xd3\x01\x42hi\xa1", 6, -1 },
		{ "\xd2\x42hi\xc1", 5, -1 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct hp_hds_reader r;
		uint8_t *bytes = exact((const uint8_t *)rows[i].bytes, rows[i].n);
		hp_hds_read(&r, bytes, rows[i].n, 0);
		struct plain_value *v = plain_take(&r);
		if (rows[i].last < 0) {
			assert_null(v);
		} else {
			assert_non_null(v);
			assert_true(plain_same(v->items[v->nitems - 1], v->items[rows[i].last], false));
		}
		plain_free(v);
		free(bytes);
	}
	/* OPACK: the index in the next byte; only two of its forms are agreed on */
	static const struct {
		const char *bytes;
		size_t n;
		bool good;
	} opack[] = { { "\xd2\x42hi\xc1\x00", 6, true },
		      { "\xd2\x42hi\xc2\x00\x00", 7, true },
		      { "\xd2\x42hi\xc1\x01", 6, false },
		      { "\xd2\x42hi\xc2\x00\x01", 7, false },
		      { "\xd2\x42hi\xc3\x00\x00\x00", 8, false },
		      { "\xd2\x42hi\xc2\x00", 6, false },
		      { "\xd2\x42hi\xcf", 5, false },
		      { "\xd2\x42hi\xa0", 5, true } };
	for (size_t i = 0; i < sizeof opack / sizeof opack[0]; i++) {
		struct hp_hds_reader r;
		uint8_t *bytes = exact((const uint8_t *)opack[i].bytes, opack[i].n);
		hp_hds_read(&r, bytes, opack[i].n, HP_HDS_OPACK_REFS);
		assert_int_equal(hp_hds_check(&r) == 0, opack[i].good);
		free(bytes);
	}
}

/* The deepest value has depth 32, and the writer and the reader agree on it. */
static void depth(void **state)
{
	(void)state;
	for (size_t arrays = 30; arrays < 40; arrays++) {
		for (int form = 0; form < 4; form++) { /* counted or terminated, around a number or an empty dict */
			uint8_t bytes[100];
			size_t n = 0;
			struct hp_hds_reader r;
			for (size_t i = 0; i < arrays; i++)
				bytes[n++] = form & 1 ? 0xdf : 0xd1;
			bytes[n++] = form & 2 ? 0xe0 : 0x09;
			for (size_t i = 0; form & 1 && i < arrays; i++)
				bytes[n++] = 0x03;
			uint8_t *input = exact(bytes, n);
			hp_hds_read(&r, input, n, 0);
			int rc = hp_hds_check(&r);
			assert_int_equal(rc, arrays <= 32 ? 0 : -ELOOP);
			if (rc)
				assert_int_equal(r.bad_at, 33);
			free(input);
		}
	}
}

/* What the writer says to a wrong use; put: a letter per call. */
static int misuse(const char *put, unsigned flags)
{
	uint8_t buf[8192];
	static const uint8_t uuid[16] = { 1, 2, 3 };
	struct hp_hds_writer w;
	hp_hds_begin(&w, buf, sizeof buf, flags);
	for (; *put; put++) {
		switch (*put) {
		case 'n':
			hp_hds_null(&w);
			break;
		case 'k':
			hp_hds_key(&w, "key");
			break;
		case '8':
			hp_hds_str(&w, "\xed\xa0\x80", 3);
			break;
		case 'u':
			hp_hds_uuid(&w, uuid);
			break;
		case 'd':
			hp_hds_data(&w, "x", 1);
			break;
		case 'h':
			hp_hds_event(&w, "p", "t");
			break;
		case 'r':
			hp_hds_header(&w, "\x01\xe0", 2);
			break;
		case 'w':
			hp_hds_wide(&w, UINT64_MAX, false);
			break;
		case '[':
			hp_hds_array(&w, 1);
			break;
		case '2':
			hp_hds_array(&w, 2);
			break;
		case '0':
			hp_hds_array(&w, 0);
			break;
		case '{':
			hp_hds_dict(&w, 1);
			break;
		case 'e':
			hp_hds_dict(&w, 0);
			break;
		case 'f':
			hp_hds_f64s(&w, (const double[]){ 1, 2 }, 2);
			break;
		case 'X':
			hp_hds_dict(&w, SIZE_MAX);
			break;
		}
	}
	return hp_hds_finish(&w);
}

static void misuses(void **state)
{
	static const struct {
		const char *put;
		int want;
	} rows[] = {
		{ "", -EINVAL },     { "nn", -EINVAL },  { "[", -EINVAL },   { "2n", -EINVAL },  { "2nn", 3 },
		{ "2nnn", -EINVAL }, { "{", -EINVAL },   { "{k", -EINVAL },  { "{kn", 6 },       { "{nn", -EINVAL },
		{ "{un", -EINVAL },  { "{0n", -EINVAL }, { "{en", -EINVAL }, { "{fn", -EINVAL }, { "8", -EILSEQ },
		{ "{8n", -EILSEQ },  { "w", -ERANGE },   { "8w", -EILSEQ },  { "h", -EINVAL },   { "hn", -EINVAL },
		{ "h0", -EINVAL },   { "he", 22 },       { "hen", -EINVAL }, { "nh", -EINVAL },  { "hhe", -EINVAL },
		{ "nr", -EINVAL },   { "re", 3 },        { "rn", -EINVAL },  { "X", -EINVAL },   { "f", 19 },
		{ "{dn", -EINVAL },  { "[[[[[[n", 7 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		int got = misuse(rows[i].put, 0);
		if (got != rows[i].want)
			fail_msg("%s gave %d, not %d", rows[i].put, got, rows[i].want);
	}
	assert_int_equal(misuse("{un", HP_HDS_ANY_KEYS), 19);
	assert_int_equal(misuse("{0n", HP_HDS_ANY_KEYS), -EINVAL);
	/* 32 levels of arrays around a value, and one more; an empty one may stand at the bottom */
	assert_int_equal(misuse("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[n", 0), 33);
	assert_int_equal(misuse("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[0", 0), 33);
	assert_int_equal(misuse("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[n", 0), -ELOOP);
	assert_int_equal(misuse("[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[f", 0), -ELOOP);
	/* strings of every length: the header holds 255 bytes */
	char topic[400];
	uint8_t buf[1024];
	for (size_t n = 0; n < sizeof topic; n++) {
		struct hp_hds_writer w;
		memset(topic, 't', n);
		topic[n < sizeof topic ? n : n - 1] = 0;
		hp_hds_begin(&w, buf, sizeof buf, 0);
		hp_hds_event(&w, "motion", topic);
		hp_hds_dict(&w, 0);
		size_t header = 1 + 9 + 7 + 6 + (n <= 32 ? 1 : n <= 255 ? 2 : 3) + n;
		assert_int_equal(hp_hds_finish(&w), header <= 255 ? (int)header + 2 : -EMSGSIZE);
	}
}

/* The encoder module makes exactly the event that its schema says, written out here in the plain way. */
static struct plain_value *leaf(enum plain_type type, uint64_t bits)
{
	struct plain_value *v = plain_new(type);
	v->bits = bits;
	return v;
}

static void pair(struct plain_value *dict, const char *name, struct plain_value *v)
{
	struct plain_value *key = plain_new(PLAIN_STR);
	plain_set(key, name, strlen(name));
	plain_add(dict, key);
	plain_add(dict, v);
}

static struct plain_value *numbers(const double *at, size_t n)
{
	struct plain_value *v = plain_new(PLAIN_ARRAY);
	for (size_t i = 0; i < n; i++) {
		struct plain_value *d = leaf(PLAIN_F64, 0);
		memcpy(&d->bits, &at[i], 8);
		plain_add(v, d);
	}
	return v;
}

static struct plain_value *text(const char *s)
{
	struct plain_value *v = plain_new(PLAIN_STR);
	plain_set(v, s, strlen(s));
	return v;
}

static void motion(const struct hp_sample *s, struct plain_bytes *out)
{
	struct plain_value *head = plain_new(PLAIN_DICT), *body = plain_new(PLAIN_DICT);
	pair(head, "protocol", text("motion"));
	pair(head, "event", text("sample"));
	pair(body, "seq", leaf(PLAIN_INT, s->seq));
	pair(body, "t_ns", leaf(PLAIN_INT, (uint64_t)s->time_ns));
	pair(body, "q", numbers(s->quat, 4));
	pair(body, "ypr", numbers(s->ypr, 3));
	pair(body, "gyro", s->flags & HP_GYRO ? numbers(s->gyro, 3) : leaf(PLAIN_NULL, 0));
	pair(body, "resets", leaf(PLAIN_INT, s->reset_count));
	struct plain_bytes header = { 0 };
	plain_encode(&header, head);
	plain_byte(out, (unsigned)header.n);
	for (size_t i = 0; i < header.n; i++)
		plain_byte(out, header.at[i]);
	plain_encode(out, body);
	free(header.at);
	plain_free(head);
	plain_free(body);
}

static void motion_events(void **state)
{
	uint64_t seed = 42;
	int count = 0;
	(void)state;
	for (; count < 3000; count++) {
		struct hp_sample s = HP_SAMPLE_INIT;
		struct plain_bytes right = { 0 };
		s.flags = count % 3 ? HP_GYRO : 0;
		s.seq = (uint64_t)plain_random(&seed) >> plain_random(&seed) % 32;
		s.time_ns = (int64_t)((uint64_t)plain_random(&seed) << 30) - (count % 5 ? 0 : INT64_MAX / 2);
		s.reset_count = count % 2 ? plain_random(&seed) : 0;
		for (int i = 0; i < 4; i++)
			s.quat[i] = ((double)plain_random(&seed) - 2147483648.0) / 2147483648.0;
		for (int i = 0; i < 3; i++) {
			s.ypr[i] = (double)plain_random(&seed) / 1e7;
			s.gyro[i] = i ? (double)plain_random(&seed) / 1e9 : -0.0;
		}
		motion(&s, &right);
		uint8_t *buf = malloc(right.n);
		assert_int_equal(hp_encoder_hds.encode(NULL, &s, NULL, buf, right.n), right.n);
		assert_memory_equal(buf, right.at, right.n);
		assert_int_equal(hp_encoder_hds.encode(NULL, &s, NULL, buf, right.n - 1), -ENOSPC);
		free(buf);
		free(right.at);
	}
	struct hp_sample s = HP_SAMPLE_INIT;
	uint8_t buf[512];
	s.seq = (uint64_t)1 << 63;
	assert_int_equal(hp_encoder_hds.encode(NULL, &s, NULL, buf, sizeof buf), -EDOM);
	printf("count: hds motion events %d/%d\n", count, count);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(round_trips), cmocka_unit_test(damaged),
		                            cmocka_unit_test(references),  cmocka_unit_test(depth),
		                            cmocka_unit_test(misuses),     cmocka_unit_test(motion_events) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
