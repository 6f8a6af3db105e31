/* SPDX-License-Identifier: MIT
 * test_pack.c - columns, blocks and models of archives: whatever goes in comes out, to the last bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pose/pose.h"
#include "session/head.h"
#include "session/model.h"
#include "session/pack/pack.h"
#include "session_make.h"

static uint64_t seed = 88172645463325252u;
static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

/* Kinds of numbers that suit different methods. */
static uint64_t value(int kind, size_t i)
{
	switch (kind) {
	case 0:
		return 7; /* all the same */
	case 1:
		return next(); /* nothing to be found */
	case 2:
		return i * 1000003 + 5; /* a clock */
	case 3:
		return i * 4000000 + next() % 1000; /* a clock that jitters */
	case 4:
		return next() % 9 * 0x123456789abcdefu; /* few different ones */
	case 5:
		return 0 - i; /* downwards, through the end of the range */
	default:
		return next() % 3 ? 0 : ~(uint64_t)0;
	}
}

static void columns(void **state)
{
	(void)state;
	static const size_t counts[] = { 0, 1, 2, 3, 100, 5000 };
	for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
		for (int kind = 0; kind < 7; kind++)
			for (unsigned width = 1; width <= 8; width *= 2) {
				size_t n = counts[c];
				uint8_t *in = malloc(n * width + 1), *back = malloc(n * width + 1);
				struct hps_out out = { 0 };
				for (size_t i = 0; i < n; i++) {
					uint64_t v = value(kind, i);
					memcpy(in + i * width, &v, width);
				}
				assert_int_equal(pack_put_column(&out, in, n, width), 0);
				struct hps_in r = { out.data, out.data + out.size, false };
				assert_int_equal(pack_get_column(&r, back, n, width), 0);
				assert_true(r.p == r.end);
				assert_memory_equal(in, back, n * width);
				if (kind != 1 && n == 5000 && width == 8) /* it is packed, not only stored */
					assert_true(out.size < n * width / 3);
				/* cut short it is refused */
				for (size_t cut = 0; cut < out.size && n && cut < 40; cut++) {
					r = (struct hps_in){ out.data, out.data + cut, false };
					assert_int_equal(pack_get_column(&r, back, n, width), -EBADMSG);
				}
				free(in);
				free(back);
				free(out.data);
			}
}

/* size: of every message, 0 = any */
static void fill(struct pack_block *b, uint32_t n, uint32_t size)
{
	*b = (struct pack_block){ n, calloc(n + 1, 8), calloc(n + 1, 8), calloc(n + 1, 4), calloc(n + 1, 4), NULL, 0 };
	for (uint32_t i = 0; i < n; i++) {
		b->time[i] = (int64_t)(i * 1000000) - 5;
		b->publish[i] = i % 7 ? b->time[i] : b->time[i] + 3;
		b->sequence[i] = i + (i > 10);
		b->size[i] = size ? size : (uint32_t)(next() % 50);
		b->total += b->size[i];
	}
	b->data = malloc(b->total + 1);
	for (uint32_t i = 0; i < n && size; i++) {
		struct hp_sample s = make_sample(i);
		s.time_ns = b->time[i];
		double v[3] = { 0.01 * i, -0.3, 1e-5 * (double)(next() % 1000) };
		memcpy(s.rotvec, v, sizeof v);
		hp_quat_from_rotvec(v, s.quat);
		hp_quat_to_ypr(s.quat, s.ypr);
		uint8_t m[HPS_SAMPLE_MAX];
		hps_sample_pack(&s, size == HPS_SAMPLE_MAX ? HP_SAMPLE_APPENDED_FLAGS : 0, m);
		memcpy(b->data + (size_t)i * size, m, size);
	}
	for (size_t i = 0; i < b->total && !size; i++)
		b->data[i] = (uint8_t)(next() % 5);
}

static size_t there_and_back(const struct pack_block *b, bool sample)
{
	struct hps_out out = { 0 };
	struct pack_block c;
	uint32_t offsets[HP_SAMPLE_FIELDS];
	uint8_t sizes[HP_SAMPLE_FIELDS];
	hps_layout_offsets(hps_sample_fields, HP_SAMPLE_FIELDS, offsets);
	for (size_t i = 0; i < HP_SAMPLE_FIELDS; i++)
		sizes[i] = (uint8_t)hps_type_size(hps_sample_fields[i].type);
	size_t n = b->n && b->size[0] == HPS_SAMPLE_MAX ? HP_SAMPLE_FIELDS : HP_SAMPLE_BASE;
	assert_int_equal(pack_put(&out, b, offsets, sizes, n, sample), 0);
	struct hps_in in = { out.data, out.data + out.size, false };
	assert_int_equal(pack_get(&in, &c, PACK_BYTES), 0);
	assert_int_equal(c.n, b->n);
	assert_int_equal(c.total, b->total);
	assert_memory_equal(c.time, b->time, b->n * 8);
	assert_memory_equal(c.publish, b->publish, b->n * 8);
	assert_memory_equal(c.sequence, b->sequence, b->n * 4);
	assert_memory_equal(c.size, b->size, b->n * 4);
	assert_memory_equal(c.data, b->data, b->total);
	pack_free(&c);
	/* every flipped bit: refused, or other values, but nothing worse */
	for (size_t i = 0; i < out.size; i += 1 + out.size / 300) {
		out.data[i] ^= (uint8_t)(1 << i % 8);
		in = (struct hps_in){ out.data, out.data + out.size, false };
		pack_get(&in, &c, PACK_BYTES);
		pack_free(&c);
		out.data[i] ^= (uint8_t)(1 << i % 8);
	}
	size_t size = out.size;
	free(out.data);
	return size;
}

static void blocks(void **state)
{
	(void)state;
	for (uint32_t n = 0; n < 400; n = n * 3 + 1) {
		struct pack_block b;
		fill(&b, n, 0);
		there_and_back(&b, false);
		there_and_back(&b, true);
		pack_free(&b);
		fill(&b, n, HPS_SAMPLE_SIZE);
		there_and_back(&b, true);
		pack_free(&b);
		fill(&b, n, HPS_SAMPLE_MAX); /* with the appended fields */
		there_and_back(&b, true);
		pack_free(&b);
	}
	/* a model is worth something: the same samples without it */
	struct pack_block b;
	fill(&b, 2000, HPS_SAMPLE_SIZE);
	size_t with = there_and_back(&b, true), without = there_and_back(&b, false);
	assert_true(with * 3 < without * 2);
	pack_free(&b);
}

/* Any bytes at all, numbers that are none among them. */
static void models(void **state)
{
	(void)state;
	static const double odd[] = {
		0, -0.0, 1, -1, 1e300, -1e-300, INFINITY, -INFINITY, NAN, 1e-12, 3.14159265358979, 5e-324
	};
	for (int turn = 0; turn < 20000; turn++) {
		uint8_t m[HPS_SAMPLE_SIZE], copy[HPS_SAMPLE_SIZE];
		for (size_t i = 0; i + 4 <= sizeof m; i += 4) {
			uint32_t v = (uint32_t)next();
			memcpy(m + i, &v, 4);
		}
		for (size_t at = 36; at < 116 && turn % 2; at += 8) {
			double d = odd[next() % (sizeof odd / sizeof odd[0])];
			memcpy(m + at, &d, 8);
		}
		memcpy(copy, m, sizeof m);
		enum pack_model model = (enum pack_model)(turn % PACK_MODELS);
		int64_t time = (int64_t)next();
		pack_model_apply(model, time, m);
		pack_model_undo(model, time, m);
		assert_memory_equal(m, copy, sizeof m);
	}
}

/* Predictions miss by a few last bits only, or there would be no point to them. */
static void predictions(void **state)
{
	(void)state;
	for (int turn = 0; turn < 5000; turn++) {
		struct hp_sample s = HP_SAMPLE_INIT;
		uint8_t m[HPS_SAMPLE_MAX];
		for (int i = 0; i < 3; i++)
			s.rotvec[i] = ((double)(next() % 20001) - 10000) / 10000 * 1.5;
		hp_quat_from_rotvec(s.rotvec, s.quat);
		hp_quat_to_ypr(s.quat, s.ypr);
		s.time_ns = 1000;
		s.arrival_ns = 1010;
		hps_sample_pack(&s, 0, m);
		pack_model_apply(PACK_FROM_ROTVEC, 1000, m);
		for (size_t at = 36; at < 116; at += 8) {
			int64_t off = (int64_t)hps_u64_at(m + at);
			if (at >= 68 && at < 92)
				continue; /* the rotation vector itself */
			if (off > 4096 || off < -4096)
				fail_msg("at %zu: off by %lld last bits", at, (long long)off);
		}
		assert_int_equal(hps_u64_at(m + 12), 0);
		assert_int_equal(hps_u64_at(m + 20), 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns),
		cmocka_unit_test(blocks),
		cmocka_unit_test(models),
		cmocka_unit_test(predictions),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
