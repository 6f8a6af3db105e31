/* SPDX-License-Identifier: MIT
 * test_hds_vectors.c - the HDS codec against vectors made by other implementations: the committed few, and all of
 * them where the shared set is at hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../plain/hds_vectors.h"
#include "find.h"
#include "hds/decode.h"
#include <errno.h>
#include <string.h>

static void put_row(struct hp_hds_writer *w, const struct plain_row *r)
{
	if (r->kind && strcmp(r->kind, "event") == 0)
		hp_hds_event(w, r->protocol, r->topic);
	else if (r->kind && strcmp(r->kind, "request") == 0)
		hp_hds_request(w, r->protocol, r->topic, r->msg_id);
	else if (r->kind)
		hp_hds_response(w, r->protocol, r->topic, r->msg_id, r->status);
	plain_put(w, r->value);
}

/* The row through the writer into an exact buffer; NULL with the error in *n when it is refused. */
static uint8_t *encode(const struct plain_row *r, int *n)
{
	struct hp_hds_writer w;
	hp_hds_begin(&w, NULL, 0, HP_HDS_ANY_KEYS);
	put_row(&w, r);
	*n = hp_hds_finish(&w);
	if (*n != -ENOSPC)
		return NULL;
	size_t need = w.need;
	uint8_t *buf = malloc(need);
	hp_hds_begin(&w, buf, need, HP_HDS_ANY_KEYS);
	put_row(&w, r);
	*n = hp_hds_finish(&w);
	assert_int_equal(*n, need);
	return buf;
}

static bool view_is(const uint8_t *at, size_t n, const char *text)
{
	return n == strlen(text) && memcmp(at, text, n) == 0;
}

/* Bytes to a tree, checking the header of a message against the row. NULL = rejected. */
static struct plain_value *decode(const struct plain_row *r, const uint8_t *at, size_t n, bool message, unsigned flags)
{
	struct hp_hds_reader reader;
	struct hp_hds_message m;
	if (!message) {
		hp_hds_read(&reader, at, n, flags);
		return plain_take(&reader);
	}
	if (hp_hds_open(&reader, &m, at, n, flags) < 0)
		return NULL;
	if (r) {
		static const char *const kinds[] = { "", "event", "request", "response" };
		assert_string_equal(kinds[m.kind], r->kind);
		assert_true(view_is(m.protocol, m.protocol_size, r->protocol));
		assert_true(view_is(m.topic, m.topic_size, r->topic));
		assert_true(m.id == r->msg_id && m.status == r->status);
	}
	return plain_take(&reader);
}

static bool rejected(const uint8_t *at, size_t n, bool message)
{
	struct hp_hds_reader r;
	struct hp_hds_message m;
	int rc = 0;
	uint8_t *exact = malloc(n ? n : 1);
	if (n)
		memcpy(exact, at, n);
	if (message)
		rc = hp_hds_open(&r, &m, exact, n, 0);
	else
		hp_hds_read(&r, exact, n, 0);
	if (rc == 0)
		rc = hp_hds_check(&r);
	if (rc < 0) { /* says where and why, and sticks */
		struct hp_hds_item item;
		assert_non_null(r.why);
		assert_true(r.bad_at <= n);
		assert_int_equal(hp_hds_next(&r, &item), rc);
	}
	free(exact);
	return rc < 0;
}

/* Prefixes of a right input are wrong: all of a short one, a thousand of a long one. */
static int cut(const uint8_t *at, size_t n, bool message)
{
	size_t step = n > 3000 ? n / 1000 : 1;
	int count = 0;
	for (size_t k = 0; k < n; k += step, count++)
		if (!rejected(at, k, message))
			fail_msg("cut to %zu of %zu bytes it was accepted", k, n);
	return count;
}

struct tally {
	int good, all, cuts, skipped;
};

/* One row both ways. */
static void both(const struct plain_row *r, void *arg)
{
	struct tally *t = arg;
	int n;
	t->all++;
	uint8_t *bytes = encode(r, &n);
	if (!bytes) {
		printf("%s: refused (%d)\n", r->id, n);
		return;
	}
	bool equal = r->bytes && (size_t)n == r->n && memcmp(bytes, r->bytes, r->n) == 0;
	if (!r->bytes) { /* too long for the file: its length, sum, head and tail */
		char sum[65], hex[3];
		const char *head = json_string_value(json_object_get(r->json, "head_hex"));
		const char *tail = json_string_value(json_object_get(r->json, "tail_hex"));
		size_t ntail = strlen(tail) / 2;
		plain_sha256(bytes, (size_t)n, sum);
		equal = n == json_integer_value(json_object_get(r->json, "len")) &&
		        strcmp(sum, json_string_value(json_object_get(r->json, "sha256"))) == 0;
		for (size_t i = 0; equal && i < strlen(head) / 2; i++) {
			snprintf(hex, sizeof hex, "%02x", bytes[i]);
			equal = memcmp(hex, head + 2 * i, 2) == 0;
		}
		for (size_t i = 0; equal && i < ntail; i++) {
			snprintf(hex, sizeof hex, "%02x", bytes[(size_t)n - ntail + i]);
			equal = memcmp(hex, tail + 2 * i, 2) == 0;
		}
	}
	struct plain_value *back = decode(r, bytes, (size_t)n, r->kind != NULL, 0);
	if (!equal)
		printf("%s: other bytes\n", r->id);
	else if (!back || !plain_same(back, r->value, true))
		printf("%s: decodes to something else\n", r->id);
	else
		t->good++;
	t->cuts += cut(bytes, (size_t)n, r->kind != NULL);
	plain_free(back);
	free(bytes);
}

static void only_decode(const struct plain_row *r, void *arg)
{
	struct tally *t = arg;
	const char *refs = json_string_value(json_object_get(r->json, "refs"));
	bool any = strcmp(refs, "none") == 0 || strstr(refs, "hapnode-w");
	if (!any && !strstr(refs, "opack")) {
		t->skipped++;
		return;
	}
	t->all++;
	struct plain_value *back = decode(r, r->bytes, r->n, false, any ? 0 : HP_HDS_OPACK_REFS);
	if (!back || !plain_same(back, r->value, true))
		printf("%s: decodes to something else\n", r->id);
	else
		t->good++;
	plain_free(back);
	t->cuts += cut(r->bytes, r->n, false);
	/* rows with references are refused when references are */
	back = decode(r, r->bytes, r->n, false, HP_HDS_NO_REFS);
	if (strncmp(json_string_value(json_object_get(r->json, "class")), "ref:", 4) == 0)
		assert_null(back);
	plain_free(back);
}

static void only_reject(const struct plain_row *r, void *arg)
{
	struct tally *t = arg;
	const char *unit = json_string_value(json_object_get(r->json, "unit"));
	t->all++;
	if (rejected(r->bytes, r->n, strcmp(unit, "message") == 0))
		t->good++;
	else
		printf("%s: was accepted\n", r->id);
}

static void only_refuse(const struct plain_row *r, void *arg)
{
	struct tally *t = arg;
	int n;
	t->all++;
	uint8_t *bytes = encode(r, &n);
	if (!bytes && n < 0)
		t->good++;
	else
		printf("%s: was encoded\n", r->id);
	free(bytes);
}

static const struct {
	const char *name;
	void (*row)(const struct plain_row *, void *);
} files[] = { { "values", both },        { "messages", both },      { "large", both },
	      { "decode", only_decode }, { "errors", only_reject }, { "encode_errors", only_refuse } };
enum { NFILES = sizeof files / sizeof files[0] };

/* golden: the committed part, without the long rows */
static void run(const char *label, bool golden)
{
	bool right = true;
	for (size_t i = 0; i < NFILES; i++) {
		struct tally t = { 0 };
		char path[4096], name[64];
		snprintf(name, sizeof name, "%s.jsonl", files[i].name);
		if (golden)
			snprintf(path, sizeof path, "tests/golden/hds/%s", name);
		else if (!find_data("HEADPIPE_HDS", "hds", name, path, sizeof path))
			path[0] = 0;
		if (golden && strcmp(files[i].name, "large") == 0)
			continue;
		if (plain_rows(path, files[i].row, &t) <= 0)
			fail_msg("%s: no rows", path);
		printf("count: %s %s %d/%d", label, files[i].name, t.good, t.all);
		if (t.skipped)
			printf(" (%d of another reference rule passed over)", t.skipped);
		printf(t.cuts ? ", %d truncations rejected\n" : "\n", t.cuts);
		right = right && t.good == t.all;
	}
	assert_true(right);
}

static void committed(void **state)
{
	(void)state;
	run("hds golden", true);
}

static void shared(void **state)
{
	char path[4096];
	(void)state;
	if (!find_data("HEADPIPE_HDS", "hds", "values.jsonl", path, sizeof path)) {
		printf("skip: the shared HDS vectors are not here (set HEADPIPE_HDS)\n");
		return;
	}
	run("hds", false);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(committed), cmocka_unit_test(shared) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
