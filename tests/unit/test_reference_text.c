/* SPDX-License-Identifier: MIT
 * test_reference_text.c - the reference's number texts, JSON objects and datagrams, all rows; and the small golden set
 * in tests/golden, which is there on every machine. */
#include "check.h"
#include "fake_host.h"
#include "find.h"
#include "number/number.h"

extern const struct hp_module hp_encoder_json, hp_encoder_opentrack;

static bool missing(const char *file, char *path, size_t size)
{
	if (find_reference(file, path, size))
		return false;
	printf("skip: no %s; set HEADPIPE_REFERENCE to the folder of the reference vectors\n", file);
	return true;
}

static void numbers(const char *path, const char *name, size_t (*text)(double, char *), const char *counted)
{
	struct table t;
	int rows = 0, equal = 0;
	assert_true(table_open(&t, path));
	while (table_next(&t)) {
		char got[HP_F3_MAX + 1];
		double v;
		uint8_t *bytes;
		size_t nbytes = table_hex(t.cell[1], &bytes);
		assert_true(t.n == 3 && nbytes == sizeof v);
		memcpy(&v, bytes, sizeof v);
		free(bytes);
		size_t n = text(v, got);
		bool ok = n == strlen(t.cell[2]) && memcmp(got, t.cell[2], n) == 0;
		if (!ok)
			printf("%s %a: %.*s instead of %s\n", name, v, (int)n, got, t.cell[2]);
		equal += ok;
		rows++;
	}
	table_close(&t);
	if (counted)
		printf("count: %s %d/%d\n", counted, equal, rows);
	assert_true(rows > 0);
	assert_int_equal(equal, rows);
}

/* Rows with finite numbers must give their bytes; with `refused`, every row holds one that is not. */
static void objects(const char *path, bool refused, const char *counted)
{
	struct table t;
	int rows = 0, equal = 0, datagrams = 0, with_finite_angles = 0;
	void *json = fake_state(&hp_encoder_json);
	assert_true(table_open(&t, path));
	while (table_next(&t)) {
		struct check_json_row r;
		char got[4096];
		uint8_t datagram[48];
		if (!check_json_row(&t, &r))
			fail_msg("%s: row %d is not a sample", path, rows + 1);
		hp_encoder_json.event(
		    json, &(struct hp_event){ .struct_size = sizeof(struct hp_event), .type = HP_CONNECTED });
		int n = hp_encoder_json.encode(json, &r.sample, &r.stream, got, sizeof got);
		bool ok = refused ? n == -EDOM : n == (int)strlen(r.json) && memcmp(got, r.json, (size_t)n) == 0;
		if (!ok)
			printf("row %d: %.*s (%d)\n instead of %s\n", rows + 1, n > 0 ? n : 0, got, n, r.json);
		equal += ok;
		n = hp_encoder_opentrack.encode(NULL, &r.sample, &r.stream, datagram, sizeof datagram);
		bool angles = isfinite(r.sample.ypr[0]) && isfinite(r.sample.ypr[1]) && isfinite(r.sample.ypr[2]);
		with_finite_angles += angles;
		datagrams +=
		    angles ? n == 48 && r.datagram_size == 48 && memcmp(datagram, r.datagram, 48) == 0 : n == -EDOM;
		rows++;
	}
	table_close(&t);
	free(json);
	if (counted && refused)
		printf("count: %s %d/%d refused with EDOM (of their datagrams %d/%d as they must)\n", counted, equal,
		       rows, datagrams, rows);
	else if (counted)
		printf("count: %s %d/%d (datagrams %d/%d)\n", counted, equal, rows, datagrams, rows);
	assert_true(rows > 0);
	assert_true(refused || with_finite_angles == rows);
	assert_int_equal(equal, rows);
	assert_int_equal(datagrams, rows);
}

static void test_golden(void **state)
{
	(void)state;
	numbers("tests/golden/format9g.tsv", "%.9g", hp_text_9g, NULL);
	numbers("tests/golden/fixed3.tsv", "%.3f", hp_text_f3, NULL);
	objects("tests/golden/json.tsv", false, NULL);
	objects("tests/golden/json_nonfinite.tsv", true, NULL);
}

static void test_9g(void **state)
{
	(void)state;
	char path[1024];
	if (missing("format9g.tsv.gz", path, sizeof path))
		skip();
	numbers(path, "%.9g", hp_text_9g, "9g");
}

static void test_fixed3(void **state)
{
	(void)state;
	char path[1024];
	if (missing("fixed3.tsv", path, sizeof path))
		skip();
	numbers(path, "%.3f", hp_text_f3, "fixed3");
}

static void test_json(void **state)
{
	(void)state;
	char path[1024];
	if (missing("json_vectors.tsv.gz", path, sizeof path))
		skip();
	objects(path, false, "json");
}

static void test_nonfinite(void **state)
{
	(void)state;
	char path[1024];
	if (missing("json_nonfinite.tsv", path, sizeof path))
		skip();
	objects(path, true, "json_nonfinite");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden), cmocka_unit_test(test_9g),        cmocka_unit_test(test_fixed3),
		cmocka_unit_test(test_json),   cmocka_unit_test(test_nonfinite),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	printf("reference text: %zu groups, %d failed\n", sizeof tests / sizeof *tests, failed);
	return failed;
}
