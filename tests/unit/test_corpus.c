/* SPDX-License-Identifier: MIT
 * test_corpus.c - real report descriptors against what the Linux kernel finds in them. */
#include "../plain/plain_hid.h"
#include "find.h"
#include "inputs/decode/descriptor.h"
#include "inputs/replay/recorder.h"
#include "table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { NAMES = 128 };

struct entry {
	char name[96];
	bool kernel_ok, ok;
	struct hp_hid_descriptor d;
} entries[NAMES];
static size_t nentries;

/* Where this parser and the kernel differ on purpose, and why. */
static const char *const accepted[][2] = {
	{ "derived_ht_longitem", "the kernel refuses every long item; HID 1.11 says to skip them" },
	{ "derived_ht_longitem_like_body", "the kernel refuses every long item; HID 1.11 says to skip them" },
};

static const char *allowed(const char *name)
{
	for (size_t i = 0; i < sizeof accepted / sizeof *accepted; i++)
		if (!strcmp(name, accepted[i][0]))
			return accepted[i][1];
	return NULL;
}

static struct entry *entry(const char *name)
{
	for (size_t i = 0; i < nentries; i++)
		if (!strcmp(entries[i].name, name))
			return &entries[i];
	fail_msg("no descriptor %s", name);
	return NULL;
}

static void open_corpus(struct table *t, const char *file)
{
	char path[512];
	if (!find_hidcorpus(file, path, sizeof path))
		skip();
	assert_true(table_open(t, path));
	assert_true(table_next(t)); /* names of the columns */
}

static void test_verdicts(void **state)
{
	struct table t;
	int same = 0, differ = 0;
	(void)state;
	open_corpus(&t, "descriptors.tsv");
	while (table_next(&t)) {
		struct entry *e = &entries[nentries++];
		uint8_t *bytes;
		char why[200] = "";
		assert_true(nentries <= NAMES);
		size_t n = table_hex(t.cell[7], &bytes);
		snprintf(e->name, sizeof e->name, "%s", t.cell[0]);
		e->kernel_ok = !strncmp(t.cell[3], "ok", 2);
		e->ok = hp_hid_descriptor_parse(&e->d, bytes, n, why, sizeof why) == 0;
		free(bytes);
		if (e->ok == e->kernel_ok) {
			same++;
			if (!e->ok)
				printf("%s: refused: %s\n", e->name, why);
			continue;
		}
		if (!e->ok || !allowed(e->name))
			fail_msg("%s: kernel %s, here %s", e->name, t.cell[3], e->ok ? "ok" : why);
		printf("%s: accepted, though: %s\n", e->name, allowed(e->name));
		differ++;
	}
	table_close(&t);
	printf("count: corpus descriptors %d/%zu (%d accepted that the kernel refuses)\n", same + differ, nentries,
	       differ);
}

static enum hp_hid_kind kind_of(const char *text)
{
	return *text == 'I' ? HID_INPUT : *text == 'O' ? HID_OUTPUT : HID_FEATURE;
}

/* Usage number i of "a-b,c*n,d"; *total: how many there are. */
static uint32_t listed(const char *text, uint32_t i, uint32_t *total)
{
	uint32_t found = 0, n = 0;
	while (*text) {
		char *end;
		uint32_t first = (uint32_t)strtoul(text, &end, 16), last = first, repeat = 1;
		if (*end == '-')
			last = (uint32_t)strtoul(end + 1, &end, 16);
		if (*end == '*')
			repeat = (uint32_t)strtoul(end + 1, &end, 10);
		uint32_t size = (last - first + 1) * repeat;
		if (i >= n && i < n + size)
			found = first + (i - n) / repeat;
		n += size;
		text = *end ? end + 1 : end;
	}
	*total = n;
	return found;
}

#define SAME(what, have, want)                                                                                       \
	do {                                                                                                         \
		if ((long long)(have) != (long long)(want))                                                          \
			fail_msg("%s %s%s field %s: " what " is %lld, the kernel says %lld", c[0], c[1], c[2], c[3], \
			         (long long)(have), (long long)(want));                                              \
	} while (0)

static void test_fields(void **state)
{
	struct table t;
	int n = 0, by_rule = 0;
	(void)state;
	if (!nentries)
		skip();
	open_corpus(&t, "expected.tsv");
	while (table_next(&t)) {
		char **c = t.cell;
		struct entry *e = entry(c[0]);
		const struct hp_hid_field *f = NULL;
		long want = strtol(c[3], NULL, 10), at = 0;
		assert_true(e->ok);
		/* the kernel drops fields without a usage and numbers the others within their report */
		for (size_t i = 0; i < e->d.nfields && !f; i++) {
			const struct hp_hid_field *g = &e->d.fields[i];
			if (g->kind == kind_of(c[1]) && g->report_id == strtoul(c[2], NULL, 10) && g->nusages &&
			    at++ == want)
				f = g;
		}
		if (!f)
			fail_msg("%s %s%s: no field %ld", c[0], c[1], c[2], want);
		SAME("bit offset", f->bit_offset, strtol(c[4], NULL, 10));
		SAME("bit size", f->bit_size, strtol(c[5], NULL, 10));
		SAME("count", f->count, strtol(c[6], NULL, 10));
		SAME("flags", f->flags, strtol(c[7], NULL, 16));
		SAME("application", f->app_usage, strtoul(c[9], NULL, 16));
		SAME("logical collection", f->logical_usage, strtoul(c[10], NULL, 16));
		SAME("physical collection", f->physical_usage, strtoul(c[11], NULL, 16));
		/* variable: one usage per value, what is more is not used; array: the selectors, of which the kernel
		 * makes at least as many as there are values by repeating the last one */
		uint32_t total, own = 0;
		listed(c[12], 0, &total);
		while (!(f->flags & HID_VARIABLE) && hp_hid_field_usage(f, own))
			own++;
		for (uint32_t i = 0; i < total; i++)
			SAME("usage", hp_hid_field_usage(f, own && i >= own ? own - 1 : i), listed(c[12], i, &total));
		if (own && own != total && (own > total || total != f->count))
			fail_msg("%s %s%s field %s: %u selectors, the kernel has %u", c[0], c[1], c[2], c[3], own,
			         total);
		/* 27 FF FF FF FF after a minimum that is not negative: the kernel's 32-bit field shows -1, the rule
		 * says 4294967295 */
		bool wrap = f->logical_min >= 0 && f->logical_max == 4294967295 && !strcmp(c[14], "-1");
		by_rule += wrap;
		SAME("logical minimum", f->logical_min, strtoll(c[13], NULL, 10));
		SAME("logical maximum", wrap ? -1 : f->logical_max, strtoll(c[14], NULL, 10));
		SAME("physical minimum", f->physical_min, strtoll(c[15], NULL, 10));
		SAME("physical maximum", f->physical_max, strtoll(c[16], NULL, 10));
		SAME("unit", f->unit, strtoul(c[17], NULL, 16));
		SAME("unit exponent", f->unit_exponent, strtol(c[18], NULL, 10));
		SAME("collection", f->collection, strtol(c[19], NULL, 10));
		n++;
	}
	table_close(&t);
	assert_true(n > 0);
	printf("count: corpus fields %d/%d (%d with 4294967295 where a 32-bit integer shows -1)\n", n, n, by_rule);
}

static void test_reports(void **state)
{
	struct table t;
	int n = 0;
	(void)state;
	if (!nentries)
		skip();
	open_corpus(&t, "reports.tsv");
	while (table_next(&t)) {
		char **c = t.cell;
		struct entry *e = entry(c[0]);
		const struct hp_hid_report *r = NULL;
		for (size_t i = 0; i < e->d.nreports; i++)
			if (e->d.reports[i].kind == kind_of(c[1]) && e->d.reports[i].id == strtoul(c[2], NULL, 10))
				r = &e->d.reports[i];
		if (!r)
			fail_msg("%s: no report %s%s", c[0], c[1], c[2]);
		assert_int_equal(r->bits, strtoul(c[3], NULL, 10));
		/* gaps: the fields without a usage, neighbours put together, nothing else */
		char gaps[4096] = "";
		uint32_t from = 0, to = 0;
		for (size_t i = 0; i <= e->d.nfields; i++) {
			const struct hp_hid_field *f = &e->d.fields[i];
			bool gap = i < e->d.nfields && f->kind == r->kind && f->report_id == r->id && !f->nusages;
			if (i < e->d.nfields && !gap)
				continue;
			if (gap && f->bit_offset == to) {
				to += f->bit_size * f->count;
				continue;
			}
			if (to > from)
				snprintf(gaps + strlen(gaps), sizeof gaps - strlen(gaps), "%s%u+%u", *gaps ? "," : "",
				         from, to - from);
			from = gap ? f->bit_offset : 0;
			to = gap ? from + f->bit_size * f->count : 0;
		}
		if (strcmp(gaps, t.n > 4 ? c[4] : ""))
			fail_msg("%s %s%s: gaps are %s, the kernel says %s", c[0], c[1], c[2], gaps, c[4]);
		n++;
	}
	table_close(&t);
	printf("count: corpus reports %d/%d\n", n, n);
}

static void test_collections(void **state)
{
	struct table t;
	int n = 0;
	(void)state;
	if (!nentries)
		skip();
	open_corpus(&t, "collections.tsv");
	while (table_next(&t)) {
		char **c = t.cell;
		struct entry *e = entry(c[0]);
		unsigned long i = strtoul(c[1], NULL, 10);
		assert_true(i < e->d.ncollections);
		const struct hp_hid_collection *k = &e->d.collections[i];
		if (k->parent != strtol(c[2], NULL, 10) || k->type != strtoul(c[3], NULL, 10) ||
		    k->usage != strtoul(c[4], NULL, 16) || k->level != strtoul(c[5], NULL, 10))
			fail_msg("%s collection %lu: parent %d type %u usage %08x level %u", c[0], i, k->parent,
			         k->type, k->usage, k->level);
		n++;
	}
	table_close(&t);
	printf("count: corpus collections %d/%d\n", n, n);
}

/* ---- what recorded reports say ---------------------------------------------------------------------------- */

enum { DEVICES = 8 };
static struct {
	struct hp_hid_recorder *in;
	struct hp_hid_descriptor d[DEVICES];
	struct hp_hid_record event;
	int number; /* of that event, from 1 */
	char name[100];
} play;

static void play_close(void)
{
	hp_hid_recorder_close(play.in);
	for (int i = 0; i < DEVICES; i++)
		hp_hid_descriptor_free(&play.d[i]);
	memset(&play, 0, sizeof play);
}

/* Goes on to an event; false when the recording is refused before it. */
static bool play_to(const char *name, int number)
{
	char path[512], file[200], why[HID_RECORDER_WHY];
	if (strcmp(play.name, name)) {
		play_close();
		snprintf(file, sizeof file, "recordings/%s.hid", name);
		assert_true(find_hidcorpus(file, path, sizeof path));
		assert_int_equal(hp_hid_recorder_open(&play.in, path, NULL, NULL, why, sizeof why), 0);
		snprintf(play.name, sizeof play.name, "%s", name);
	}
	while (play.number < number) {
		struct hp_hid_record *r = &play.event;
		int rc = hp_hid_recorder_next(play.in, r);
		if (rc < 0)
			return false;
		assert_int_equal(rc, 1);
		if (r->kind == HID_RECORD_DESCRIPTOR && r->device < DEVICES) {
			hp_hid_descriptor_free(&play.d[r->device]);
			assert_int_equal(hp_hid_descriptor_parse(&play.d[r->device], r->data, r->size, why, sizeof why),
			                 0);
		}
		play.number += r->kind == HID_RECORD_EVENT;
	}
	return true;
}

/* The event as `bit_off+bits:usage=value` and `bit_off+bits*count=[values]`. */
static const char *event_text(const struct hp_hid_descriptor *d, const struct hp_hid_record *r)
{
	static char text[1 << 16];
	char *at = text;
	*text = 0;
	for (size_t k = 0; k < d->nfields; k++) {
		const struct hp_hid_field *f = &d->fields[k];
		if (f->kind != HID_INPUT || f->report_id != (d->uses_ids ? r->data[0] : 0) || !f->nusages ||
		    f->flags & HID_CONSTANT)
			continue;
		bool array = !(f->flags & HID_VARIABLE);
		if (array)
			at += sprintf(at, "%s%u+%u*%u=[", at == text ? "" : " ", f->bit_offset, f->bit_size, f->count);
		for (uint32_t i = 0; i < f->count; i++) {
			uint32_t bit = f->bit_offset + i * f->bit_size;
			long long v = plain_bits(r->data + d->uses_ids, r->size - d->uses_ids, bit, f->bit_size,
			                         f->logical_min < 0);
			if (array)
				at += sprintf(at, "%s%lld", i ? " " : "", v);
			else
				at += sprintf(at, "%s%u+%u:%08x=%lld", at == text ? "" : " ", bit, f->bit_size,
				              hp_hid_field_usage(f, i), v);
		}
		if (array)
			at += sprintf(at, "]");
	}
	return *text ? text : "no such report";
}

static void test_events(void **state)
{
	struct table t;
	int n = 0, refused = 0;
	(void)state;
	open_corpus(&t, "events.tsv");
	while (table_next(&t)) {
		char **c = t.cell;
		n++;
		/* a negative time is refused here, and with it what follows */
		if (!play_to(c[0], atoi(c[1]))) {
			assert_string_equal(c[0], "derived_pdp_time_disorder");
			refused++;
			continue;
		}
		assert_true(play.event.device < DEVICES);
		const char *have = event_text(&play.d[play.event.device], &play.event);
		if (strcmp(have, c[4]))
			fail_msg("%s event %s: %s; hid-tools says %s", c[0], c[1], have, c[4]);
	}
	table_close(&t);
	play_close();
	printf("count: corpus events %d/%d (%d behind a negative time)\n", n - refused, n, refused);
	assert_int_equal(refused, 4);
}

int main(void)
{
	char path[512];
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),    cmocka_unit_test(test_fields), cmocka_unit_test(test_reports),
		cmocka_unit_test(test_collections), cmocka_unit_test(test_events),
	};
	if (!find_hidcorpus("descriptors.tsv", path, sizeof path)) {
		puts("skip: no HID corpus (HEADPIPE_HIDCORPUS)");
		return 77;
	}
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	for (size_t i = 0; i < nentries; i++)
		hp_hid_descriptor_free(&entries[i].d);
	return rc;
}
