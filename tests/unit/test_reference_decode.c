/* SPDX-License-Identifier: MIT
 * test_reference_decode.c - the reference's own numbers: scaled values, descriptors, reports of whole sessions. */
#include "../plain/plain_hid.h"
#include "find.h"
#include "inputs/decode/tracker.h"
#include "table.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Three values of one field through the plan, the first being value `at` of the packed bytes. */
static bool through_plan(const struct hp_hid_field *like, uint32_t at, const uint8_t *data, size_t size, int exponent,
                         double v[3])
{
	static const struct hp_hid_usages rotation = { 0x200544, 0x200544, 1 };
	struct hp_hid_field f = *like;
	struct hp_hid_descriptor d = { 0 };
	struct hp_hid_plan plan;
	struct hp_hid_values out;
	char why[100];
	f.kind = HID_INPUT;
	f.flags = HID_VARIABLE;
	f.bit_offset = at * f.bit_size;
	f.count = 3;
	f.usages = &rotation;
	f.nusages = 1;
	d.fields = &f;
	d.nfields = 1;
	if (hp_hid_plan_compile(&plan, &d, why, sizeof why))
		return false;
	/* no descriptor can ask for more than a nibble; the table does */
	bool scaled = f.logical_min != f.logical_max && (f.physical_min || f.physical_max);
	for (int i = 0; i < 3 && scaled && (exponent < -8 || exponent > 7); i++)
		plan.report[0].scale[i] = pow(10.0, exponent);
	assert_int_equal(hp_hid_plan_decode(&plan, data, size, &out), 1);
	memcpy(v, out.v, 3 * sizeof *v);
	return true;
}

static void test_values(void **state)
{
	char path[512];
	struct table t;
	int rows = 0, same = 0;
	(void)state;
	if (!find_reference("decode_vectors.tsv.gz", path, sizeof path))
		skip();
	assert_true(table_open(&t, path));
	while (table_next(&t)) {
		char **c = t.cell;
		uint8_t *data;
		size_t size = table_hex(c[0], &data);
		struct hp_hid_field f = { 0 };
		f.bit_size = (uint32_t)strtoul(c[1], NULL, 10);
		uint32_t count = (uint32_t)strtoul(c[2], NULL, 10);
		f.logical_min = strtoll(c[3], NULL, 10);
		f.logical_max = strtoll(c[4], NULL, 10);
		f.physical_min = strtoll(c[5], NULL, 10);
		f.physical_max = strtoll(c[6], NULL, 10);
		int exponent = atoi(c[7]);
		f.unit_exponent = exponent < -8 || exponent > 7 ? 0 : exponent;
		uint32_t values = (uint32_t)strtoul(c[8], NULL, 10);
		char *next = c[9];
		double three[3] = { 0 };
		bool ok = f.bit_size >= 1 && f.bit_size <= 63 ? values == count : values == 0;
		if (!values && f.bit_size < 64)
			ok &= f.bit_size ? count == 0 : !through_plan(&f, 0, data, size, exponent, three);
		for (uint32_t i = 0; i < values && ok; i++) {
			double want = strtod(next, &next);
			next += *next == ',';
			int64_t raw = plain_bits(data, size, (uint64_t)i * f.bit_size, f.bit_size, f.logical_min < 0);
			double plain =
			    plain_scale(raw, f.logical_min, f.logical_max, f.physical_min, f.physical_max, exponent);
			if (i % 3 == 0)
				assert_true(through_plan(&f, i, data, size, exponent, three));
			ok = table_same_bits(plain, want) && table_same_bits(three[i % 3], want);
			if (!ok)
				printf("row %d value %u: plain %a plan %a reference %a\n", rows + 1, i, plain,
				       three[i % 3], want);
		}
		rows++;
		same += ok;
		free(data);
	}
	table_close(&t);
	printf("count: decode %d/%d\n", same, rows);
	assert_int_equal(same, rows);
	assert_true(rows > 0);
}

/* ---- descriptors ----------------------------------------------------------------------------------------- */

/* The reference's parser keeps what is whole of a descriptor that ends inside an item; a truncated descriptor is
 * refused here, as the kernel does. */
static const char refused_by_rule[] = "long_item_truncated";

static char *put(char *at, const char *end, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static char *put(char *at, const char *end, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	int n = vsnprintf(at, (size_t)(end - at), fmt, args);
	va_end(args);
	return n < end - at ? at + n : (char *)end - 1;
}

static const char *kind_text(enum hp_hid_kind k)
{
	return k == HID_INPUT ? "input" : k == HID_OUTPUT ? "output" : "feature";
}

/* One line in the reference's form: a run of equal usages is one field. The page of padding is not compared. */
static char *field_line(char *at, const char *end, const struct hp_hid_field *f, uint32_t first, uint32_t count)
{
	bool array = !(f->flags & HID_VARIABLE), pad = f->flags & HID_CONSTANT || (array && !f->nusages);
	uint32_t usage = pad ? 0 : hp_hid_field_usage(f, first);
	if (usage & 0xffff)
		at = put(at, end, "%s %u %04X:%04X", kind_text(f->kind), f->report_id, usage >> 16, usage & 0xffff);
	else
		at = put(at, end, "%s %u pad", kind_text(f->kind), f->report_id);
	at = put(at, end, " %u x %u @%u %lld..%lld %lld..%lld e%d u%08X array=%d const=%d", count, f->bit_size,
	         f->bit_offset + first * f->bit_size, (long long)f->logical_min, (long long)f->logical_max,
	         (long long)f->physical_min, (long long)f->physical_max, f->unit_exponent, f->unit, array, pad);
	for (uint32_t i = 0; array && !pad && hp_hid_field_usage(f, i); i++)
		at = put(at, end, "%s%04X", i ? "," : " ", hp_hid_field_usage(f, i) & 0xffff);
	return put(at, end, "\n");
}

static void ours(char *at, const char *end, const struct hp_hid_descriptor *d)
{
	at = put(at, end, "ids=%d\n", d->uses_ids);
	for (size_t k = 0; k < d->nfields; k++) {
		const struct hp_hid_field *f = &d->fields[k];
		if (f->flags & HID_CONSTANT || !(f->flags & HID_VARIABLE)) {
			at = field_line(at, end, f, 0, f->count);
			continue;
		}
		for (uint32_t i = 0, n; i < f->count; i += n) {
			for (n = 1; i + n < f->count && hp_hid_field_usage(f, i + n) == hp_hid_field_usage(f, i);)
				n++;
			at = field_line(at, end, f, i, n);
		}
	}
}

/* The reference's F rows in the same form. */
static char *theirs(char *at, const char *end, char **c)
{
	if (*c[0] == 'D')
		return put(at, end, "ids=%s\n", c[2] + strlen("uses_ids="));
	if (!strcmp(c[6], "0000"))
		at = put(at, end, "%s %s pad", c[3], c[4]);
	else
		at = put(at, end, "%s %s %s:%s", c[3], c[4], c[5], c[6]);
	return put(at, end, " %s x %s @%s %s..%s %s..%s e%s u%s array=%s const=%s%s%s\n", c[7], c[8], c[9], c[10],
	           c[11], c[12], c[13], c[14], c[15], c[16], c[17], *c[18] == '-' ? "" : " ",
	           *c[18] == '-' ? "" : c[18]);
}

static int check_descriptor(const char *name, const char *hex, char **report_rows, int nrows, const char *want)
{
	static char have[1 << 16];
	struct hp_hid_descriptor d;
	uint8_t *data;
	char why[200];
	size_t size = table_hex(hex, &data);
	int rc = hp_hid_descriptor_parse(&d, data, size, why, sizeof why);
	free(data);
	if (rc) {
		printf("%s: refused: %s\n", name, why);
		assert_string_equal(name, refused_by_rule);
		return 0;
	}
	assert_string_not_equal(name, refused_by_rule);
	ours(have, have + sizeof have, &d);
	if (strcmp(have, want))
		fail_msg("%s\nhave\n%swant\n%s", name, have, want);
	for (int i = 0; i < nrows; i++) {
		char text[200] = "";
		for (size_t k = 0; k < d.nreports; k++)
			if (!strncmp(report_rows[i], kind_text(d.reports[k].kind),
			             strlen(kind_text(d.reports[k].kind))) &&
			    (uint8_t)atoi(strchr(report_rows[i], '\t') + 1) == d.reports[k].id)
				snprintf(text, sizeof text, "%s\t%u\t%u\t%u", kind_text(d.reports[k].kind),
				         d.reports[k].id, (d.reports[k].bits + 7) / 8,
				         (d.reports[k].bits + 7) / 8 + d.uses_ids);
		assert_string_equal(text, report_rows[i]);
	}
	hp_hid_descriptor_free(&d);
	return 1;
}

static void test_descriptors(void **state)
{
	static char want[1 << 16], name[100];
	char path[512], *rows[16];
	struct table hex, parsed;
	int n = 0, same = 0, nrows = 0, found = 0;
	(void)state;
	if (!find_reference("descriptors.hex.tsv", path, sizeof path))
		skip();
	assert_true(table_open(&hex, path));
	while (table_next(&hex)) {
		char *end = want + sizeof want, *at = want;
		assert_true(find_reference("descriptors.parsed.tsv", path, sizeof path));
		assert_true(table_open(&parsed, path));
		snprintf(name, sizeof name, "%s", hex.cell[0]);
		*want = 0;
		nrows = found = 0;
		while (table_next(&parsed)) {
			char **c = parsed.cell;
			if (strcmp(c[1], name))
				continue;
			found = 1;
			if (*c[0] != 'R') {
				at = theirs(at, end, c);
				continue;
			}
			rows[nrows] = malloc(200);
			snprintf(rows[nrows++], 200, "%s\t%s\t%s\t%s", c[2], c[3], c[4], c[5]);
			assert_true(nrows < 16);
		}
		table_close(&parsed);
		assert_true(found);
		same += check_descriptor(name, hex.cell[1], rows, nrows, want);
		n++;
		while (nrows)
			free(rows[--nrows]);
	}
	table_close(&hex);
	printf("count: descriptors %d/%d (1 truncated one refused)\n", same, n);
	assert_int_equal(same, n - 1);
}

/* Mutated descriptors: anything goes, as long as what comes out is sound. */
static void test_fuzzed(void **state)
{
	char path[512];
	struct table t;
	int n = 0, accepted = 0;
	(void)state;
	if (!find_reference("descriptor_fuzz.tsv.gz", path, sizeof path))
		skip();
	assert_true(table_open(&t, path));
	while (table_next(&t)) {
		struct hp_hid_descriptor d;
		struct tracker tracker;
		struct hp_sample s;
		uint8_t *data;
		char why[200] = "";
		bool reset;
		if (*t.cell[0] != 'H')
			continue;
		size_t size = table_hex(t.cell[2], &data);
		n++;
		if (hp_hid_descriptor_parse(&d, data, size, why, sizeof why)) {
			assert_true(strlen(why) > 8);
			free(data);
			continue;
		}
		accepted++;
		if (tracker_open(&tracker, &d, why, sizeof why) == 0)
			tracker_report(&tracker, 0, data, size, &s, &reset);
		for (size_t i = 0; i < d.nfields; i++) {
			assert_true(d.fields[i].collection < (int64_t)d.ncollections);
			hp_hid_field_usage(&d.fields[i], d.fields[i].count);
		}
		hp_hid_descriptor_free(&d);
		free(data);
	}
	table_close(&t);
	printf("%d mutated descriptors, %d accepted\n", n, accepted);
	assert_true(n > 0);
}

/* ---- sessions -------------------------------------------------------------------------------------------- */

static void same_vector(const char *file, const char *idx, const char *what, bool has, const double have[3],
                        const char *want)
{
	if (!has) {
		if (strcmp(want, "null"))
			fail_msg("%s report %s: no %s, the reference has %s", file, idx, what, want);
		return;
	}
	char *at = (char *)want;
	for (int i = 0; i < 3; i++) {
		double v = strtod(at, &at);
		at += *at == ',';
		if (!strcmp(want, "null") || !table_same_bits(v, have[i]))
			fail_msg("%s report %s: %s[%d] is %a, the reference says %s", file, idx, what, i, have[i],
			         want);
	}
}

/* Plays one session; rate: compare the report rate too. */
static int session(const char *name, bool rate)
{
	char path[512], file[200], why[200];
	struct table expected;
	struct hp_hid_descriptor d = { 0 };
	struct tracker tracker;
	int n = 0;
	snprintf(file, sizeof file, "%s.session", name);
	assert_true(find_reference(file, path, sizeof path));
	FILE *in = fopen(path, "r");
	static char line[1 << 16];
	assert_non_null(in);
	snprintf(file, sizeof file, "%s.expected.tsv.gz", name);
	assert_true(find_reference(file, path, sizeof path));
	assert_true(table_open(&expected, path));
	while (fgets(line, sizeof line, in)) {
		uint8_t *data;
		line[strcspn(line, "\n")] = 0;
		if (!strncmp(line, "descriptor ", 11)) {
			size_t size = table_hex(line + 11, &data);
			assert_int_equal(hp_hid_descriptor_parse(&d, data, size, why, sizeof why), 0);
			assert_int_equal(tracker_open(&tracker, &d, why, sizeof why), 0);
			free(data);
		} else if (!strncmp(line, "rate_start_ns ", 14)) {
			tracker_connect(&tracker, strtoll(line + 14, NULL, 10));
		} else if (!strncmp(line, "R ", 2)) {
			struct hp_sample s = HP_SAMPLE_INIT;
			bool reset;
			char *hex;
			int64_t t = strtoll(line + 2, &hex, 10);
			size_t size = table_hex(hex + (*hex == ' '), &data);
			int got = tracker_report(&tracker, t, data, size, &s, &reset);
			struct plain_pose plain = plain_report(&d, data, size);
			assert_true(table_next(&expected));
			char **c = expected.cell;
			assert_true(t == strtoll(c[1], NULL, 10));
			assert_int_equal(got, *c[2] == '1');
			assert_int_equal(got, plain.has_rotation);
			if (rate && !table_same_bits(tracker.rate_hz, strtod(c[3], NULL)))
				fail_msg("%s report %s: rate %a, the reference says %s", name, c[0], tracker.rate_hz,
				         c[3]);
			if (got) {
				assert_int_equal(s.reset_count, strtoul(c[4], NULL, 10));
				assert_int_equal(s.reset_count, plain.reset);
				same_vector(name, c[0], "rotvec", s.flags & HP_ROTVEC, s.rotvec, c[5]);
				same_vector(name, c[0], "gyro", s.flags & HP_GYRO, s.gyro, c[6]);
				same_vector(name, c[0], "accel", s.flags & HP_ACCEL, s.accel, c[7]);
				same_vector(name, c[0], "plain rotvec", true, plain.rotation, c[5]);
				same_vector(name, c[0], "plain gyro", plain.has_gyro, plain.gyro, c[6]);
				same_vector(name, c[0], "plain accel", plain.has_accel, plain.accel, c[7]);
			}
			free(data);
			n++;
		}
	}
	assert_false(table_next(&expected));
	table_close(&expected);
	fclose(in);
	hp_hid_descriptor_free(&d);
	return n;
}

static void test_sessions(void **state)
{
	static const char *const names[] = { "s01_still_100pps",          "s02_slow_pan_50pps",
		                             "s03_fast_shake_1000pps",    "s04_gimbal_25pps",
		                             "s05_reset_recenter_100pps", "s06_orientation_only_50pps",
		                             "s07_accel_100pps",          "s08_gaps_25pps",
		                             "s09_config_changes_100pps", "s10_xm5_zero_gyro_25pps",
		                             "s11_multi_report_ids",      "s12_scalar_axes_100pps",
		                             "s13_odd_bits_no_ids",       "s14_random_bytes" };
	char file[200], path[512];
	int n = 0, sessions = 0;
	(void)state;
	if (!find_reference("sessions", path, sizeof path))
		skip();
	for (size_t i = 0; i < sizeof names / sizeof *names; i++, sessions++) {
		snprintf(file, sizeof file, "sessions/%s", names[i]);
		n += session(file, true);
	}
	printf("count: session reports %d/%d (%d sessions)\n", n, n, sessions);
	/* the Linux fork decodes like this too; it does not count reports of foreign IDs for the rate */
	n = session("fork_sessions/f01_level", true) + session("fork_sessions/f02_outsource_outsign", true) +
	    session("fork_sessions/f03_live_control", true) + session("fork_sessions/f04_malformed_reports", false);
	printf("count: fork session reports %d/%d\n", n, n);
}

int main(void)
{
	char path[512];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_descriptors),
		cmocka_unit_test(test_fuzzed),
		cmocka_unit_test(test_sessions),
	};
	if (!find_reference("decode_vectors.tsv.gz", path, sizeof path)) {
		puts("skip: no reference vectors (HEADPIPE_REFERENCE)");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
