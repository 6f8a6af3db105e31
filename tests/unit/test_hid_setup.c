/* SPDX-License-Identifier: MIT
 * test_hid_setup.c - start-up settings, marker, identity and recognition of live devices: pure functions, against the
 * reference's vectors and by hand. */
#include "find.h"
#include "hid_descriptors.h"
#include "inputs/hid/hid.h"
#include "table.h"
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h> /* wants the ones above */

static void parse(struct hp_hid_descriptor *d, const uint8_t *data, size_t size)
{
	char why[200];
	memset(d, 0, sizeof *d);
	assert_int_equal(hp_hid_descriptor_parse(d, data, size, why, sizeof why), 0);
}

/* "1:012b;2:..." or "fail": the same text form for what the device holds and for what is sent to it */
static void give(struct hp_hid_features *f, const struct hp_hid_descriptor *d, const char *text)
{
	while (*text >= '0' && *text <= '9') {
		char *end;
		unsigned long id = strtoul(text, &end, 10);
		char hex[8192];
		size_t n = strcspn(end + 1, ";");
		uint8_t *data;
		snprintf(hex, sizeof hex, "%.*s", (int)n, end + 1);
		size_t size = table_hex(hex, &data);
		for (size_t i = 0; i < f->n; i++)
			if (f->at[i].id == id)
				hp_hid_features_set(f, i, d, data, size);
		free(data);
		text = end + 1 + n + (end[1 + n] == ';');
	}
}

/* The interval is where the reference's Linux fork is wrong (it writes milliseconds unscaled): blank it on both sides.
 */
static void blank_interval(struct hp_hid_features *f, const struct hp_hid_descriptor *d)
{
	for (size_t i = 0; i < d->nfields; i++) {
		const struct hp_hid_field *x = &d->fields[i];
		if (x->kind != HID_FEATURE || hp_hid_field_usage(x, 0) != 0x0020030e)
			continue;
		for (size_t k = 0; k < f->n; k++)
			for (uint64_t b = x->bit_offset; f->at[k].id == x->report_id && b < x->bit_offset + x->bit_size;
			     b++)
				f->at[k].data[b / 8] &= (uint8_t) ~(1u << b % 8);
	}
}

static void test_reference_vectors(void **state)
{
	char path[512];
	struct table t;
	int rows = 0;
	(void)state;
	if (!find_reference("feature_init.tsv", path, sizeof path)) {
		print_message("skip: no reference set, feature_init.tsv not checked\n");
		skip();
	}
	assert_true(table_open(&t, path));
	while (table_next(&t)) {
		uint8_t *data;
		size_t size = table_hex(t.cell[1], &data);
		struct hp_hid_descriptor d = { 0 };
		struct hp_hid_features ours, theirs;
		struct hp_hid_setup s;
		char why[200], a[2048], b[2048];
		if (hp_hid_descriptor_parse(&d, data, size, why, sizeof why) < 0) {
			/* what cannot be parsed is never set up; the fork sends nothing there either */
			assert_string_equal(t.cell[3], "-");
		} else {
			assert_int_equal(hp_hid_features_init(&ours, &d), 0);
			assert_int_equal(hp_hid_features_init(&theirs, &d), 0);
			give(&ours, &d, t.cell[2]);
			hp_hid_setup_edit(&s, &ours, &d, 10);
			give(&theirs, &d, t.cell[3]);
			for (size_t i = 0; i < ours.n; i++) {
				/* exactly the reports that they send */
				assert_int_equal(s.changed[ours.at[i].id], theirs.at[i].known);
				ours.at[i].known = theirs.at[i].known;
			}
			blank_interval(&ours, &d);
			blank_interval(&theirs, &d);
			hp_hid_features_text(&ours, a, sizeof a);
			hp_hid_features_text(&theirs, b, sizeof b);
			assert_string_equal(a, b);
			hp_hid_features_free(&ours);
			hp_hid_features_free(&theirs);
		}
		hp_hid_descriptor_free(&d);
		free(data);
		rows++;
	}
	table_close(&t);
	assert_true(rows > 100);
	print_message("count: start-up settings %d/%d\n", rows, rows);
}

/* The interval field alone: report ID 1, one byte or more at its beginning. */
static double interval(const uint8_t *field, size_t size, double ms, unsigned *raw)
{
	uint8_t data[64] = { 0x05, 0x20, 0x09, 0xE1, 0xA1, 0x01, 0x85, 0x01, 0x0A, 0x0E, 0x03 };
	struct hp_hid_descriptor d;
	struct hp_hid_features f;
	struct hp_hid_setup s;
	memcpy(data + 11, field, size);
	data[11 + size] = 0xC0;
	parse(&d, data, 12 + size);
	assert_int_equal(hp_hid_features_init(&f, &d), 0);
	hp_hid_setup_edit(&s, &f, &d, ms);
	assert_true(s.interval);
	*raw = f.at[0].data[0] | (f.at[0].size > 1 ? (unsigned)f.at[0].data[1] << 8 : 0);
	hp_hid_features_free(&f);
	hp_hid_descriptor_free(&d);
	return s.interval_ms;
}

static void test_interval(void **state)
{
	/* 0 to 63 is 10 to 100 ms, in seconds with exponent -3 */
	static const uint8_t android[] = { 0x15, 0x00, 0x25, 0x3F, 0x35, 0x0A, 0x45, 0x64, 0x66, 0x01,
		                           0x10, 0x55, 0x0D, 0x75, 0x06, 0x95, 0x01, 0xB1, 0x02 };
	/* the same, but no unit: milliseconds then, with exponent 0 */
	static const uint8_t no_unit[] = { 0x15, 0x00, 0x25, 0x3F, 0x35, 0x0A, 0x45,
		                           0x64, 0x75, 0x08, 0x95, 0x01, 0xB1, 0x02 };
	/* no physical range: the raw number counts, microseconds here */
	static const uint8_t raw_us[] = { 0x15, 0x00, 0x27, 0xFF, 0xFF, 0x00, 0x00, 0x66, 0x01,
		                          0x10, 0x55, 0x0A, 0x75, 0x10, 0x95, 0x01, 0xB1, 0x02 };
	/* falling: 0 is 100 ms, 63 is 10 ms */
	static const uint8_t falling[] = { 0x15, 0x00, 0x25, 0x3F, 0x35, 0x64, 0x45, 0x0A, 0x66, 0x01,
		                           0x10, 0x55, 0x0D, 0x75, 0x08, 0x95, 0x01, 0xB1, 0x02 };
	static const struct {
		const uint8_t *field;
		size_t size;
		double ms;
		unsigned raw;
		double uses;
	} t[] = {
		{ android, sizeof android, 10, 0, 10 },
		{ android, sizeof android, 1, 0, 10 },
		{ android, sizeof android, 20, 7, 20 },
		{ android, sizeof android, 100, 63, 100 },
		{ android, sizeof android, 5000, 63, 100 },
		{ android, sizeof android, 40, 21, 40 },
		{ android, sizeof android, 10.72, 1, 10 + 90.0 / 63 },
		{ android, sizeof android, 10.71, 0, 10 },
		{ no_unit, sizeof no_unit, 40, 21, 40 },
		{ raw_us, sizeof raw_us, 10, 10000, 10 },
		{ raw_us, sizeof raw_us, 1000, 65535, 65.535 },
		{ falling, sizeof falling, 10, 63, 10 },
		{ falling, sizeof falling, 100, 0, 100 },
		{ falling, sizeof falling, 40, 42, 40 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		unsigned raw;
		double uses = interval(t[i].field, t[i].size, t[i].ms, &raw);
		assert_int_equal(raw, t[i].raw);
		assert_true(fabs(uses - t[i].uses) < 1e-9);
	}
}

static void test_selectors(void **state)
{
	/* one bit per selector instead of a named array; logical minimum 1 in an array */
	static const uint8_t bits[] = { 0x05, 0x20, 0x09, 0xE1, 0xA1, 0x01, 0x85, 0x01, 0x15, 0x00, 0x25, 0x01,
		                        0x75, 0x01, 0x95, 0x02, 0x0A, 0x40, 0x08, 0x0A, 0x41, 0x08, 0xB1, 0x02,
		                        0x75, 0x06, 0x95, 0x01, 0xB1, 0x03, 0x15, 0x01, 0x25, 0x06, 0x75, 0x08,
		                        0x1A, 0x50, 0x08, 0x2A, 0x55, 0x08, 0xB1, 0x00, 0xC0 };
	struct hp_hid_descriptor d;
	struct hp_hid_features f;
	struct hp_hid_setup s;
	(void)state;
	parse(&d, bits, sizeof bits);
	assert_int_equal(hp_hid_features_init(&f, &d), 0);
	f.at[0].data[0] = 0xff;
	hp_hid_setup_edit(&s, &f, &d, 10);
	assert_true(s.reporting && s.power && !s.transport && !s.interval);
	assert_int_equal(f.at[0].data[0], 0xfe); /* first bit off, second on, the padding as it was */
	assert_int_equal(f.at[0].data[1], 2);    /* 0851 is the second of 0850 to 0855, counted from 1 */
	hp_hid_features_free(&f);
	hp_hid_descriptor_free(&d);
	/* the same bits, their usages written as a range */
	static const uint8_t range[] = { 0x05, 0x20, 0x09, 0xE1, 0xA1, 0x01, 0x85, 0x01, 0x15, 0x00, 0x25, 0x01, 0x75,
		                         0x01, 0x95, 0x02, 0x1A, 0x40, 0x08, 0x2A, 0x41, 0x08, 0xB1, 0x02, 0xC0 };
	parse(&d, range, sizeof range);
	assert_int_equal(hp_hid_features_init(&f, &d), 0);
	f.at[0].data[0] = 1;
	hp_hid_setup_edit(&s, &f, &d, 10);
	assert_true(s.reporting);
	assert_int_equal(f.at[0].data[0], 2);
	hp_hid_features_free(&f);
	hp_hid_descriptor_free(&d);
}

static void test_marker(void **state)
{
	static const struct {
		const char *text, *marker;
		int major, minor, transports;
	} t[] = {
		{ "#AndroidHeadTracker#1.0", "#AndroidHeadTracker#1.0", 1, 0, 0 },
		{ "#AndroidHeadTracker#2.0#1", "#AndroidHeadTracker#2.0#1", 2, 0, 1 },
		{ "#AndroidHeadTracker#2.0#\3", "#AndroidHeadTracker#2.0#3", 2, 0, 3 },
		{ "#AndroidHeadTracker#2.1#9", "#AndroidHeadTracker#2.1", 2, 1, 0 },
		{ "x#AndroidHeadTracker#1.0", "#AndroidHeadTracker#1.0", 1, 0, 0 },
		{ "#AndroidHeadTracker#x.0", "", 0, 0, 0 },
		{ "#AndroidHeadTracker#1.", "", 0, 0, 0 },
		{ "#androidheadtracker#1.0", "", 0, 0, 0 },
		{ "", "", 0, 0, 0 },
	};
	struct hp_hid_descriptor d;
	(void)state;
	parse(&d, tracker_v2, sizeof tracker_v2);
	for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
		struct hp_hid_features f;
		uint8_t got[42] = { 2 };
		memcpy(got + 1, t[i].text, strlen(t[i].text));
		assert_int_equal(hp_hid_features_init(&f, &d), 0);
		assert_int_equal(f.n, 2);
		assert_int_equal(f.at[0].id, 2);
		hp_hid_features_set(&f, 0, &d, got, sizeof got);
		assert_string_equal(f.marker, t[i].marker);
		assert_int_equal(f.major, t[i].major);
		assert_int_equal(f.minor, t[i].minor);
		assert_int_equal(f.transports, t[i].transports);
		hp_hid_features_free(&f);
	}
	/* cut short by the device, wrong ID, nothing at all: unknown, no marker */
	for (size_t n = 0; n <= 23; n++) {
		struct hp_hid_features f;
		uint8_t got[24] = "\2#AndroidHeadTracker#1.0";
		assert_int_equal(hp_hid_features_init(&f, &d), 0);
		hp_hid_features_set(&f, 0, &d, got, n);
		assert_string_equal(f.marker, "");
		got[0] = 3;
		hp_hid_features_set(&f, 0, &d, got, 24);
		assert_int_equal(f.answered, n > 0);
		hp_hid_features_free(&f);
	}
	hp_hid_descriptor_free(&d);
}

static void test_unique_text(void **state)
{
	uint8_t u[16] = { 0 };
	char text[48];
	(void)state;
	hp_hid_unique_text(u, text, sizeof text);
	assert_string_equal(text, "");
	memcpy(u + 8, "BT\xac\x80\x0a\1\2\3", 8);
	hp_hid_unique_text(u, text, sizeof text);
	assert_string_equal(text, "BT ac:80:0a:01:02:03");
	u[0] = 0x12;
	hp_hid_unique_text(u, text, sizeof text);
	assert_string_equal(text, "12000000-0000-0000-4254-ac800a010203");
}

static void test_identity(void **state)
{
	struct hp_hid_identity a = { .known = true, .has_unique = true, .unique = { 1 }, .serial = "S", .name = "N" },
	                       b = a;
	(void)state;
	assert_true(hp_hid_identity_same(&a, &b));
	b.unique[3] = 9;
	assert_false(hp_hid_identity_same(&a, &b)); /* the unique ID decides over everything else */
	b.has_unique = false;
	assert_true(hp_hid_identity_same(&a, &b));
	strcpy(b.serial, "s");
	assert_true(hp_hid_identity_same(&a, &b));
	strcpy(b.serial, "other");
	assert_false(hp_hid_identity_same(&a, &b));
	strcpy(b.serial, "");
	assert_true(hp_hid_identity_same(&a, &b));
	b.product = 5;
	assert_false(hp_hid_identity_same(&a, &b));
	b.product = 0;
	strcpy(b.name, "M");
	assert_false(hp_hid_identity_same(&a, &b));
}

static void test_recognize(void **state)
{
	static const uint8_t outside[] = { 0x05, 0x20, 0x09, 0x8A, 0xA1, 0x01, 0x0A, 0x44, 0x05, 0x16, 0x01,
		                           0x80, 0x26, 0xFF, 0x7F, 0x75, 0x10, 0x95, 0x03, 0x81, 0x02, 0xC0 };
	static const uint8_t two_values[] = { 0x05, 0x20, 0x09, 0xE1, 0xA1, 0x01, 0x0A, 0x44, 0x05, 0x16, 0x01,
		                              0x80, 0x26, 0xFF, 0x7F, 0x75, 0x10, 0x95, 0x02, 0x81, 0x02, 0xC0 };
	static const uint8_t broken[] = { 0x05, 0x20, 0x09, 0xE1, 0xA1 };
	char why[200];
	(void)state;
	assert_int_equal(hp_hid_recognize_bytes(tracker_v1, sizeof tracker_v1, why, sizeof why), HID_TRACKER);
	assert_int_equal(hp_hid_recognize_bytes(tracker_v2, sizeof tracker_v2, why, sizeof why), HID_TRACKER);
	assert_int_equal(hp_hid_recognize_bytes(tracker_noids, sizeof tracker_noids, why, sizeof why), HID_TRACKER);
	assert_int_equal(hp_hid_recognize_bytes(other_mouse, sizeof other_mouse, why, sizeof why), HID_OTHER);
	assert_int_equal(hp_hid_recognize_bytes(broken, sizeof broken, why, sizeof why), HID_OTHER);
	assert_int_equal(hp_hid_recognize_bytes(NULL, 0, why, sizeof why), HID_OTHER);
	assert_int_equal(hp_hid_recognize_bytes(outside, sizeof outside, why, sizeof why), HID_MAYBE);
	assert_non_null(strstr(why, "0020:00e1"));
	assert_int_equal(hp_hid_recognize_bytes(two_values, sizeof two_values, why, sizeof why), HID_MAYBE);
	assert_non_null(strstr(why, "rotation"));
}

static void test_text_copy(void **state)
{
	char out[8];
	(void)state;
	hp_hid_text_copy(out, sizeof out,
	                 "a\x01\x7f\xff"
	                 "b");
	assert_string_equal(out, "a???b");
	hp_hid_text_copy(out, sizeof out,
	                 "\xc2\x9b"
	                 "2\xc2\xa0J"); /* a terminal's CSI in one character */
	assert_string_equal(out, "?2\xc2\xa0J");
	hp_hid_text_copy(out, sizeof out, "12345\xc3\xa4\xc3\xb6");
	assert_string_equal(out, "12345\xc3\xa4");
	hp_hid_text_copy(out, sizeof out, "123456\xc3\xa4");
	assert_string_equal(out, "123456"); /* not half a character */
}

static void test_node_check(void **state)
{
	(void)state;
	assert_int_equal(hp_hid_node_check("/nonexistent"), -ENOENT);
	assert_int_equal(hp_hid_node_check("/proc/version"), -ENOTTY);
	assert_true(hp_hid_node_check("/dev/null") < 0); /* a device, but no hidraw node */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reference_vectors), cmocka_unit_test(test_interval),
		cmocka_unit_test(test_selectors),         cmocka_unit_test(test_marker),
		cmocka_unit_test(test_unique_text),       cmocka_unit_test(test_identity),
		cmocka_unit_test(test_recognize),         cmocka_unit_test(test_text_copy),
		cmocka_unit_test(test_node_check),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
