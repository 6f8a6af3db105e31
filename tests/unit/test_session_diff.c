/* SPDX-License-Identifier: MIT
 * test_session_diff.c - differences of two session files: ranges, fields, exact integers, what is not read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session_make.h"

static struct hps_reader *opened(const struct memory_file *f)
{
	char why[300];
	struct hps_reader *r = NULL;
	assert_int_equal(hps_open_memory(&r, f->data, f->size, NULL, why, sizeof why), 0);
	return r;
}

static const struct hps_field fields[] = { { "t", "ns", HPS_I64 }, { "u", "", HPS_U64 }, { "x", "m", HPS_F64 },
	                                   { "f", "m", HPS_F32 },  { "i", "", HPS_I32 }, { "h", "", HPS_U16 },
	                                   { "b", "", HPS_U8 },    { "c", "", HPS_I8 } };
struct row {
	int64_t t;
	uint64_t u;
	double x;
	float f;
	int32_t i;
	uint16_t h;
	uint8_t b;
	int8_t c;
};

/* The times are multiples of 4 ms; more: bytes behind the fields. */
struct made {
	struct memory_file file;
	struct hps_writer *w;
	int channel;
};

static void begin(struct made *m, enum hps_compression packing)
{
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct hps_sink sink = memory_sink(&m->file);
	o.compression = packing;
	o.chunk_messages = 10;
	assert_int_equal(hps_create_sink(&m->w, &sink, &o), 0);
	m->channel = hps_add_channel(m->w, "/row", "test/Row", fields, 8, NULL);
	assert_true(m->channel > 0);
}

static void put(struct made *m, int64_t number, const struct row *r, const char *more)
{
	uint8_t data[64] = { 0, 1 };
	memcpy(data + 4, r, 36);
	memcpy(data + 40, more, strlen(more));
	assert_int_equal(hps_write(m->w, m->channel, number * 4000000, data, 40 + strlen(more)), 0);
}

static struct row row_of(int64_t i)
{
	return (struct row){ i, (uint64_t)i << 40, (double)i * 0.1, (float)i * 0.5f, (int32_t)-i, (uint16_t)i, 7, -8 };
}

static struct hps_diff *compared(const struct memory_file *x, const struct memory_file *y, struct hps_reader *r[2],
                                 const struct hps_diff_options *o)
{
	struct hps_diff *d;
	r[0] = opened(x);
	r[1] = opened(y);
	assert_int_equal(hps_diff_open(&d, r[0], 0, r[1], 0, o), 0);
	return d;
}

static void done(struct hps_diff *d, struct hps_reader *r[2])
{
	hps_diff_close(d);
	hps_close(r[0]);
	hps_close(r[1]);
}

static struct hps_diff_field field(const struct hps_diff *d, const char *name)
{
	struct hps_diff_field f;
	for (size_t i = 0; hps_diff_field_at(d, i, &f); i++)
		if (!strcmp(f.name, name))
			return f;
	fail_msg("no field %s", name);
	return f;
}

/* 100 rows; in the second file 5 to 9 have another x, 20 is missing, 50 is only there, 60 has bytes behind. */
static void ranges(void **state)
{
	struct made a = { 0 }, b = { 0 };
	struct hps_reader *r[2];
	struct hps_diff_range g;
	struct hps_diff_totals t;
	(void)state;
	begin(&a, HPS_NONE);
	begin(&b, HPS_NONE);
	for (int64_t i = 0; i < 100; i++) {
		struct row x = row_of(i), y = x;
		if (i != 50)
			put(&a, i, &x, "");
		if (i >= 5 && i < 10)
			y.x += 0.25 * (double)i;
		if (i == 8)
			y.c = 8;
		if (i != 20)
			put(&b, i, &y, i == 60 ? "more" : "");
	}
	assert_int_equal(hps_finish(a.w), 0);
	assert_int_equal(hps_finish(b.w), 0);
	struct hps_diff *d = compared(&a.file, &b.file, r, NULL);
	static const struct hps_diff_range want[] = {
		{ 0, HPS_DIFF_CHANGED, 5, 5, 5, 5 * 4000000, 9 * 4000000, false },
		{ 0, HPS_DIFF_ONLY_FIRST, 1, 20, 20, 20 * 4000000, 20 * 4000000, false },
		{ 0, HPS_DIFF_ONLY_SECOND, 1, 50, 49, 50 * 4000000, 50 * 4000000, false },
		{ 0, HPS_DIFF_CHANGED, 1, 59, 59, 60 * 4000000, 60 * 4000000, true },
	};
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		assert_int_equal(hps_diff_next(d, &g), 1);
		assert_int_equal(g.kind, want[i].kind);
		assert_int_equal(g.messages, want[i].messages);
		assert_int_equal(g.first, want[i].first);
		assert_int_equal(g.second, want[i].second);
		assert_int_equal(g.start, want[i].start);
		assert_int_equal(g.end, want[i].end);
		assert_int_equal(g.bytes, want[i].bytes);
		struct hps_diff_field x = field(d, "x"), c = field(d, "c");
		assert_int_equal(x.in_range, i == 0);
		assert_int_equal(c.in_range, i == 0);
		if (!i) {
			assert_string_equal(x.first, "0.5");
			assert_string_equal(x.second, "1.75");
			assert_string_equal(c.first, "-8"); /* as in the range's first message */
			assert_string_equal(c.second, "-8");
		}
	}
	assert_int_equal(hps_diff_next(d, &g), 0);
	assert_int_equal(hps_diff_next(d, &g), 0);
	hps_diff_get_totals(d, &t);
	assert_int_equal(t.changed, 6);
	assert_int_equal(t.bytes, 1);
	assert_int_equal(t.only_first, 1);
	assert_int_equal(t.only_second, 1);
	assert_int_equal(t.compared + t.skipped, 98);
	assert_int_equal(t.skipped, 49); /* chunks with the same borders: up to 20 and behind 50 */
	struct hps_diff_field x = field(d, "x"), c = field(d, "c");
	assert_int_equal(x.differing, 5);
	assert_true(x.worst == 2.25 && x.worst_at == 9 * 4000000);
	assert_int_equal(c.exact, 16);
	done(d, r);
	free(a.file.data);
	free(b.file.data);
}

/* Integers that doubles cannot tell apart; tolerances, also of one field; numbers that are none. */
static void numbers(void **state)
{
	struct made a = { 0 }, b = { 0 };
	struct hps_reader *r[2];
	struct hps_diff_range g;
	(void)state;
	begin(&a, HPS_NONE);
	begin(&b, HPS_NONE);
	for (int64_t i = 0; i < 4; i++) {
		struct row x = row_of(i), y;
		x.u = UINT64_MAX - 1;
		x.t = INT64_MAX - 5;
		y = x;
		y.u += i == 0;
		y.t -= i == 1 ? 3 : 0;
		y.x = i == 2 ? NAN : x.x;
		if (i == 3) {
			x.x = NAN;
			y.x = -NAN; /* other bits, both no number */
			x.f = 0.0f;
			y.f = -0.0f;
		}
		put(&a, i, &x, "");
		put(&b, i, &y, "");
	}
	assert_int_equal(hps_finish(a.w), 0);
	assert_int_equal(hps_finish(b.w), 0);
	struct hps_diff *d = compared(&a.file, &b.file, r, NULL);
	assert_int_equal(hps_diff_next(d, &g), 1);
	assert_int_equal(g.messages, 3);
	assert_string_equal(field(d, "u").first, "18446744073709551614");
	assert_string_equal(field(d, "u").second, "18446744073709551615");
	assert_int_equal(hps_diff_next(d, &g), 0);
	assert_int_equal(field(d, "u").exact, 1);
	assert_int_equal(field(d, "t").exact, 3);
	assert_true(isinf(field(d, "x").worst));
	assert_int_equal(field(d, "f").differing + field(d, "f").within, 0);
	done(d, r);

	static const char *const names[] = { "t", "u" };
	static const double values[] = { 2, 1 };
	struct hps_diff_options o = HPS_DIFF_OPTIONS;
	o.tolerance = 1e300;
	o.nfields = 2;
	o.fields = names;
	o.tolerances = values;
	d = compared(&a.file, &b.file, r, &o);
	assert_int_equal(hps_diff_next(d, &g), 1); /* t is 3 apart */
	assert_int_equal(g.first, 1);
	assert_int_equal(g.messages, 2); /* and no number is far from any */
	assert_int_equal(hps_diff_next(d, &g), 0);
	assert_int_equal(field(d, "u").within, 1);
	assert_int_equal(field(d, "t").differing, 1);
	done(d, r);
	o.tolerance = NAN;
	r[0] = opened(&a.file);
	r[1] = opened(&b.file);
	assert_int_equal(hps_diff_open(&d, r[0], 0, r[1], 0, &o), -EINVAL);
	o.tolerance = -1;
	assert_int_equal(hps_diff_open(&d, r[0], 0, r[1], 0, &o), -EINVAL);
	assert_int_equal(hps_diff_open(&d, r[0], 0, r[0], 0, NULL), -EINVAL);
	assert_int_equal(hps_diff_open(&d, r[0], 0, r[1], 1, NULL), -EINVAL);
	hps_close(r[0]);
	hps_close(r[1]);
	free(a.file.data);
	free(b.file.data);
}

/* What make_session() writes, recorded again: arrival_ns is another one, or one sample is. */
static void again(struct memory_file *f, bool json, enum hps_compression packing, int64_t late, int other)
{
	struct hps_writer *w;
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct hps_sink sink = memory_sink(f);
	o.compression = packing;
	o.chunk_messages = 100;
	assert_int_equal(hps_create_sink(&w, &sink, &o), 0);
	int channel = hps_add_samples(w, json, NULL), events = hps_add_events(w);
	struct hp_event e = { sizeof e, HP_RECENTER, 6000000000, 0, NULL };
	for (int i = 0; i < 1000; i++) {
		struct hp_sample s = make_sample((uint64_t)i);
		s.arrival_ns += late * (i + 1);
		if (i == other)
			s.ypr[1] += 1e-9;
		assert_int_equal(hps_write_sample(w, channel, &s), 0);
	}
	assert_int_equal(hps_write_event(w, events, &e, 0), 0);
	assert_int_equal(hps_finish(w), 0);
}

static void runs(void **state)
{
	struct memory_file one = { 0 }, late = { 0 }, other = { 0 }, text = { 0 };
	struct hps_reader *r[2];
	struct hps_diff_range g;
	struct hps_diff_totals t;
	struct hps_info info;
	(void)state;
	again(&one, false, HPS_NONE, 0, -1);
	again(&late, false, HPS_NONE, 1000, -1);
	again(&other, false, HPS_NONE, 1000, 555);
	again(&text, true, HPS_NONE, 1000, 555);

	struct hps_diff *d = compared(&one, &late, r, NULL);
	assert_int_equal(hps_diff_next(d, &g), 0);
	hps_diff_get_totals(d, &t);
	assert_int_equal(t.skipped, 1000);
	hps_get_info(r[1], &info);
	assert_int_equal(info.chunks_read, 0);
	done(d, r);

	/* the file without its summary gives the same fingerprints */
	struct memory_file cut = late;
	cut.size -= 3;
	d = compared(&one, &cut, r, NULL);
	assert_int_equal(hps_diff_next(d, &g), 0);
	hps_diff_get_totals(d, &t);
	assert_int_equal(t.skipped, 1000);
	done(d, r);

	struct hps_diff_options o = HPS_DIFF_OPTIONS;
	o.all = true;
	d = compared(&one, &late, r, &o);
	assert_int_equal(hps_diff_next(d, &g), 1);
	assert_int_equal(g.messages, 1000);
	assert_int_equal(hps_diff_next(d, &g), 0);
	assert_int_equal(field(d, "arrival_ns").exact, 1000000);
	done(d, r);

	d = compared(&one, &other, r, NULL);
	assert_int_equal(hps_diff_next(d, &g), 1);
	assert_int_equal(g.first, 555);
	assert_int_equal(g.messages, 1);
	assert_true(field(d, "pitch").in_range && !field(d, "yaw").in_range);
	assert_int_equal(hps_diff_next(d, &g), 0);
	hps_diff_get_totals(d, &t);
	assert_int_equal(t.skipped, 900);
	assert_int_equal(t.compared, 100);
	done(d, r);

	/* json against cdr, by fields, to the last bit */
	d = compared(&late, &text, r, NULL);
	assert_int_equal(hps_diff_next(d, &g), 1);
	assert_int_equal(g.first, 555);
	assert_int_equal(g.messages, 1);
	assert_int_equal(hps_diff_next(d, &g), 0);
	done(d, r);
	d = compared(&other, &text, r, &o);
	assert_int_equal(hps_diff_next(d, &g), 0);
	hps_diff_get_totals(d, &t);
	assert_int_equal(t.compared, 1000);
	done(d, r);
	free(one.data);
	free(late.data);
	free(other.data);
	free(text.data);
}

/* A damaged chunk is said once, for the file that has it, and the rest is compared. */
static void damage(void **state)
{
	struct memory_file one = { 0 }, two = { 0 };
	struct hps_reader *r[2];
	struct hps_diff_range g;
	struct hps_diff_totals t;
	struct hps_chunk chunk;
	bool second = false;
	int bad = 0, code;
	(void)state;
	again(&one, false, HPS_NONE, 0, -1);
	again(&two, false, HPS_NONE, 0, 350);
	struct hps_reader *look = opened(&two);
	assert_true(hps_chunk_at(look, 3, &chunk));
	two.data[chunk.offset + 200] ^= 1;
	hps_close(look);
	struct hps_diff *d = compared(&one, &two, r, NULL);
	uint64_t only = 0;
	while ((code = hps_diff_next(d, &g))) {
		bad += code < 0;
		if (code < 0) {
			assert_true(strstr(hps_diff_error(d, &second), "CRC") && second);
			continue;
		}
		assert_int_equal(g.kind, HPS_DIFF_ONLY_FIRST);
		only += g.messages;
	}
	hps_diff_get_totals(d, &t);
	assert_int_equal(bad, 1);
	assert_int_equal(t.bad, 1);
	assert_int_equal(t.only_first, only);
	assert_int_equal(only + t.compared + t.skipped, 1000);
	assert_true(only >= 90 && only <= 100);
	done(d, r);
	free(one.data);
	free(two.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(ranges), cmocka_unit_test(numbers), cmocka_unit_test(runs),
		                            cmocka_unit_test(damage) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
