/* SPDX-License-Identifier: MIT
 * test_lean.c - chunks as columns: whatever records go in come out, to the last bit; and bytes that are no columns are
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "have.h"
#include "pose/pose.h"
#include "session/lean.h"
#include "session_make.h"

static uint64_t seed = 88172645463325252u;
static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	return seed ^= seed << 17;
}

static uint64_t bits_of(double d)
{
	uint64_t u;
	memcpy(&u, &d, sizeof u);
	return u;
}

enum { KINDS = 12 };
/* Kinds of numbers that suit different methods, and what looks like them and is not. */
static uint64_t value(int kind, size_t i)
{
	static const double odd[] = { 0.0, -0.0, NAN, INFINITY, -INFINITY, 5e-324, 1.7976931348623157e308 };
	switch (kind) {
	case 0:
		return 7;
	case 1:
		return next();
	case 2:
		return i * 1000003 + 5;
	case 3:
		return i * 4000000 + next() % 1000;
	case 4:
		return next() % 9 * 0x123456789abcdefu;
	case 5:
		return 0 - i;
	case 6:
		return next() % 3 ? 0 : ~(uint64_t)0;
	case 7:
		return bits_of((double)(int16_t)next() * 9.587379924285257e-05);
	case 8:
		return bits_of((double)(int8_t)next() * 0.1);
	case 9:
		return bits_of(i == 50 ? -0.0 : (double)(int8_t)next() * 0.1); /* all but one */
	case 10:
		return bits_of(odd[next() % 7]);
	default:
		return bits_of((double)(int64_t)next());
	}
}

static void columns(void **state)
{
	(void)state;
	static const size_t counts[] = { 0, 1, 2, 3, 100, 255, 2000 };
	for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
		for (int kind = 0; kind < KINDS; kind++)
			for (unsigned width = 1; width <= 8; width *= 2) {
				size_t n = counts[c];
				struct hps_lean_memory known = { 0 };
				uint64_t *v = malloc((4 * n + 1) * sizeof *v), *back = v + n, *work = v + 2 * n;
				for (int turn = 0; turn < 3; turn++) { /* what the turns before found out is used */
					struct hps_out out = { 0 };
					for (size_t i = 0; i < n; i++)
						v[i] = value(kind, i) &
						       (width == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * width) - 1);
					hps_lean_put(&out, v, n, width, width == 8 ? &known : NULL, work);
					assert_false(out.failed);
					struct hps_in in = { out.data, out.data + out.size, false };
					assert_true(hps_lean_get(&in, back, n, width, work));
					assert_true(in.p == in.end && !in.bad);
					assert_memory_equal(v, back, n * sizeof *v);
					if (n == 2000 && width == 8 && (kind == 7 || kind == 8)) {
						assert_int_equal(out.data[0], HPS_LEAN_SCALED);
						assert_true(out.size < 3 * n);
					}
					/* every shorter text is none */
					for (size_t less = 0; less < out.size; less += 1 + less / 8) {
						in = (struct hps_in){ out.data, out.data + less, false };
						assert_false(hps_lean_get(&in, back, n, width, work) && !in.bad);
					}
					free(out.data);
				}
				free(v);
			}
}

static void record(struct hps_out *out, enum hps_op op, uint16_t channel, uint32_t sequence, int64_t time,
                   int64_t publish, const void *data, size_t n)
{
	size_t at = hps_out_begin(out, op);
	hps_out_u16(out, channel);
	hps_out_u32(out, sequence);
	hps_out_u64(out, (uint64_t)time);
	hps_out_u64(out, (uint64_t)publish);
	hps_out_bytes(out, data, n);
	hps_out_end(out, at);
}

static const uint32_t offsets[] = { 4, 12, 20, 28, 32 };
static const uint8_t sizes[] = { 8, 8, 8, 4, 2 };
static struct hps_lean_layout layout_of(const void *ctx, uint16_t channel)
{
	(void)ctx;
	struct hps_lean_layout f = { offsets, sizes, channel == 2 ? 5 : 0, channel == 3 };
	return f;
}

/* A sample whose numbers belong together, as a decoder makes them; strange: they do not. */
static size_t sample(uint8_t *m, size_t i, bool strange)
{
	struct hp_sample s = make_sample(i);
	for (int k = 0; k < 3; k++)
		s.rotvec[k] = (double)(int16_t)(next() % 3000) * 9.587379924285257e-05;
	hp_quat_from_rotvec(s.rotvec, s.quat);
	hp_quat_to_ypr(s.quat, s.ypr);
	for (int k = 0; strange && k < 4; k++) {
		uint64_t v = value((int)(next() % KINDS), i);
		memcpy(&s.quat[k], &v, sizeof v);
		v = value((int)(next() % KINDS), i);
		memcpy(&s.rotvec[k % 3], &v, sizeof v);
	}
	memset(m, 0, HPS_SAMPLE_SIZE);
	m[1] = 1;
	memcpy(m + 4, &s.seq, HPS_SAMPLE_SIZE - 4 - 12);
	memcpy(m + HPS_SAMPLE_SIZE - 12, &s.reset_count, 4);
	return HPS_SAMPLE_SIZE;
}

static void records(void **state)
{
	struct hps_lean *lean = hps_lean_new();
	struct hps_out in = { 0 }, out = { 0 };
	uint8_t data[2000];
	(void)state;
	for (int turn = 0; turn < 300; turn++) {
		size_t n = turn < 3 ? (size_t)turn : next() % 400;
		int64_t time = (int64_t)(turn % 7 ? 1000000000u * (unsigned)turn : next());
		in.size = 0;
		for (size_t i = 0; i < n; i++) {
			uint16_t channel = (uint16_t)(next() % 4 + 1);
			size_t size = channel == 1 ? 14 : channel == 2 ? 40 : next() % (turn % 5 ? 8 : 2000);
			for (size_t k = 0; k < size; k++)
				data[k] = (uint8_t)(turn % 2 ? next() : i + k);
			if (channel == 3)
				size = sample(data, i, turn % 3 == 0);
			time = (int64_t)((uint64_t)time + (turn % 11 ? 4000000 + next() % 1000 : next()));
			record(&in, turn % 4 || next() % 9 ? HPS_OP_MESSAGE : HPS_OP_CHANNEL, channel,
			       (uint32_t)(turn % 13 ? i : next()), time, turn % 6 ? time : (int64_t)next(), data, size);
		}
		int code = hps_lean_pack(lean, in.data, in.size, layout_of, NULL, &out);
		if (code == -E2BIG)
			continue;
		assert_int_equal(code, 0);
		assert_true(out.size <= hps_lean_bound(in.size));
		uint8_t *back = malloc(in.size + 1);
		assert_int_equal(hps_lean_unpack(out.data, out.size, back, in.size), 0);
		assert_memory_equal(in.data, back, in.size);
		if (in.size) {
			assert_int_equal(hps_lean_unpack(out.data, out.size, back, in.size - 1), -EBADMSG);
			assert_int_equal(hps_lean_unpack(out.data, out.size - 1, back, in.size), -EBADMSG);
		}
		free(back);
		/* broken columns: any answer, but no crash and nothing beyond the ends */
		for (int flip = 0; flip < 20; flip++) {
			uint8_t *copy = malloc(out.size);
			back = malloc(in.size + 1);
			memcpy(copy, out.data, out.size);
			copy[next() % (flip < 10 && out.size > 100 ? 100 : out.size)] ^= (uint8_t)(1u << next() % 8);
			hps_lean_unpack(copy, out.size, back, in.size);
			free(copy);
			free(back);
		}
	}
	hps_lean_free(lean);
	free(in.data);
	free(out.data);
}

static void told(void *ctx, const char *what)
{
	(void)ctx;
	print_message("%s\n", what);
}

/* The same recording plain and lean: message by message the same, with the index and without, and much smaller. */
static void files(void **state)
{
	struct memory_file plain = { 0 }, lean = { 0 };
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct hps_reader *r[2];
	char why[300];
	(void)state;
	if (!HP_HAVE_ZSTD)
		skip();
	assert_int_equal(make_session(&plain, 3000, &o, false), 0);
	o.compression = HPS_LEAN;
	assert_int_equal(make_session(&lean, 3000, &o, false), 0);
	assert_true(lean.size < plain.size / 4);
	for (int recover = 0; recover < 2; recover++) {
		struct hps_reader_options how = HPS_READER_OPTIONS;
		struct hps_info info;
		struct hps_message x, y;
		how.recover = recover;
		assert_int_equal(hps_open_memory(&r[0], plain.data, plain.size, NULL, why, sizeof why), 0);
		assert_int_equal(hps_open_memory(&r[1], lean.data, lean.size, &how, why, sizeof why), 0);
		hps_get_info(r[1], &info);
		if (!recover) {
			assert_true(info.finished);
			assert_string_equal(info.note, "");
			assert_int_equal(info.chunks_read, 0); /* opened without unpacking anything */
		}
		for (int channel = -1; channel < 3; channel++) {
			struct hps_cursor a = hps_begin(r[0], channel), b = hps_begin(r[1], channel);
			uint64_t n = 0;
			while (hps_next(&a, &x) == 1) {
				assert_int_equal(hps_next(&b, &y), 1);
				assert_true(x.time == y.time && x.publish_time == y.publish_time && x.size == y.size &&
				            x.sequence == y.sequence && x.channel == y.channel && x.layout == y.layout);
				assert_memory_equal(x.data, y.data, x.size);
				n++;
			}
			assert_int_equal(hps_next(&b, &y), 0);
			assert_int_equal(n,
			                 channel < 0 ? info.messages : hps_channel_at(r[1], (size_t)channel)->messages);
		}
		/* one chunk is read for a jump */
		struct hps_cursor c = hps_begin(r[1], hps_channel_find(r[1], HPS_TOPIC_SAMPLE));
		assert_int_equal(hps_seek_number(&c, 2345), 1);
		assert_int_equal(hps_next(&c, &y), 1);
		struct hp_sample s = HP_SAMPLE_INIT, want = make_sample(2345);
		assert_int_equal(hps_get_sample(r[1], &y, &s), 0);
		assert_true(s.seq == 2345 && s.time_ns == want.time_ns && !memcmp(s.quat, want.quat, sizeof s.quat));
		if (!recover)
			assert_int_equal(hps_verify(r[1], told, NULL, NULL), 0);
		hps_close(r[0]);
		hps_close(r[1]);
	}
	free(plain.data);
	free(lean.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(columns), cmocka_unit_test(records),
		                            cmocka_unit_test(files) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
