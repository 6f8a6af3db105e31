/* SPDX-License-Identifier: MIT
 * test_session_source.c - session files as replay sees them: connections, events, samples, damage; and names of files.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "inputs/replay/source.h"
#include "outputs/session/tape.h"
#include "session_make.h"
#include <unistd.h>

static char path[] = "/tmp/headpipe-source-XXXXXX";
static char warnings[2000];

static void warn(void *arg, const char *text)
{
	(void)arg;
	snprintf(warnings + strlen(warnings), sizeof warnings - strlen(warnings), "%s\n", text);
}

static struct report_source *open_source(int want)
{
	char why[REPORT_SOURCE_WHY];
	struct report_source *s;
	struct report_source_ask ask = { .path = path, .device = -1, .warn = warn };
	ask.want = want;
	warnings[0] = 0;
	assert_true(session_source_is(path));
	if (session_source_open(&s, &ask, why, sizeof why) < 0)
		fail_msg("%s", why);
	return s;
}

static void refused(int want, const char *text)
{
	char why[REPORT_SOURCE_WHY];
	struct report_source *s;
	struct report_source_ask ask = { .path = path, .device = -1, .warn = warn };
	ask.want = want;
	assert_true(session_source_open(&s, &ask, why, sizeof why) < 0);
	if (!strstr(why, text))
		fail_msg("got: %s", why);
}

static const uint8_t second_descriptor[] = { 0x05, 0x20, 0x09, 0xe1, 0xa1, 0x01, 0x85, 0x07, 0xc0 };

/* An option changed before anything was connected; a device; it goes; another one comes. */
static void record(bool reports, bool samples)
{
	struct hps_writer *w;
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct hp_stream b = make_stream;
	struct hp_event e = { sizeof e, HP_OPTION, 500, 0, "pose.smoothing=0.5" };
	static const char *const pairs[] = { "filters", "pose,calm", NULL };
	int ch[2], one;
	o.chunk_messages = 7;
	assert_int_equal(hps_create(&w, path, &o), 0);
	hps_metadata(w, "headpipe.session", pairs);
	int events = hps_add_events(w);
	one = hps_add_samples(w, false, NULL);
	ch[0] = reports ? hps_add_reports(w, &make_stream) : 0;
	b.device = "Other";
	b.descriptor = second_descriptor;
	b.descriptor_size = sizeof second_descriptor;
	ch[1] = reports ? hps_add_reports(w, &b) : 0;
	hps_write_event(w, events, &e, 0);
	for (int c = 0; c < 2; c++) {
		e = (struct hp_event){ sizeof e, HP_CONNECTED, 1000 + 100000 * c, 0, c ? "Other" : "WH-1000XM5" };
		hps_write_event(w, events, &e, 900 + 100000 * c);
		for (int i = 0; i < 10; i++) {
			uint8_t data[3] = { 1, (uint8_t)c, (uint8_t)i };
			int64_t t = 2000 + 100000 * c + i * 10;
			struct hp_sample s = make_sample((uint64_t)(10 * c + i));
			s.time_ns = t;
			if (reports)
				hps_write(w, ch[c], t, data, sizeof data);
			if (samples)
				hps_write_sample(w, one, &s);
			if (i == 4) {
				e = (struct hp_event){ sizeof e, HP_REFERENCE_RESET, t, 3, NULL };
				hps_write_event(w, events, &e, 0);
			}
		}
		e = (struct hp_event){ sizeof e, HP_DISCONNECTED, 3000 + 100000 * c, 0, "Input/output error" };
		hps_write_event(w, events, &e, 0);
	}
	assert_int_equal(hps_finish(w), 0);
}

static void expect_event(struct report_source *s, uint32_t type, const char *text)
{
	struct report x;
	assert_int_equal(s->next(s, &x), 1);
	assert_true(!x.data && !x.sample && x.event);
	assert_int_equal(x.event->type, type);
	assert_string_equal(x.event->text ? x.event->text : "", text);
}

static void play(struct report_source *s, bool samples)
{
	struct report x;
	assert_string_equal(s->name, "WH-1000XM5");
	assert_int_equal(s->rate_start_ns, 900);
	assert_int_equal(s->connected_ns, 1000);
	expect_event(s, HP_OPTION, "pose.smoothing=0.5"); /* the first connection is not given */
	for (int c = 0; c < 2; c++) {
		if (c) {
			expect_event(s, HP_CONNECTED, "Other");
			assert_int_equal(s->rate_start_ns, 100900);
			if (!samples)
				assert_string_equal(s->name, "Other");
		}
		if (!samples) {
			assert_int_equal(s->descriptor_size, c ? sizeof second_descriptor : sizeof make_descriptor);
			assert_memory_equal(s->descriptor, c ? second_descriptor : make_descriptor, s->descriptor_size);
		}
		for (int i = 0; i < 10; i++) {
			assert_int_equal(s->next(s, &x), 1);
			assert_int_equal(x.time_ns, 2000 + 100000 * c + i * 10);
			if (samples) {
				assert_true(!x.data && x.sample && !x.event);
				assert_int_equal(x.sample->seq, 10 * c + i);
			} else {
				assert_true(x.data && x.size == 3 && x.data[1] == c && x.data[2] == i);
			}
			/* decoding tells of resets itself */
			if (samples && i == 4)
				expect_event(s, HP_REFERENCE_RESET, "");
		}
		expect_event(s, HP_DISCONNECTED, "Input/output error");
	}
	assert_int_equal(s->next(s, &x), 0);
}

static void connections_and_events(void **state)
{
	(void)state;
	record(true, true);
	for (int want = REPORT_SOURCE_AUTO; want <= REPORT_SOURCE_SAMPLES; want++) {
		struct report_source *s = open_source(want);
		assert_int_equal(s->samples, want == REPORT_SOURCE_SAMPLES);
		if (s->samples)
			assert_string_equal(s->filters, "pose,calm");
		else
			assert_null(s->filters);
		play(s, s->samples);
		if (s->samples) { /* and again, without the first connection */
			assert_int_equal(s->rewind(s), 0);
			expect_event(s, HP_OPTION, "pose.smoothing=0.5");
		}
		assert_string_equal(warnings, "");
		s->close(s);
	}
	record(false, true);
	struct report_source *s = open_source(REPORT_SOURCE_AUTO);
	assert_true(s->samples);
	play(s, true);
	s->close(s);
	refused(REPORT_SOURCE_REPORTS, "no reports were recorded; use source = samples");
	record(true, false);
	refused(REPORT_SOURCE_SAMPLES, "no samples were recorded; use source = reports");
	record(false, false);
	refused(REPORT_SOURCE_AUTO, "there is nothing in /hid/reports or /head/sample that can be played; channels:");
}

/* A bad chunk costs its reports, with a warning; the rest is played. */
static void damage_is_stepped_over(void **state)
{
	(void)state;
	record(true, false);
	FILE *f = fopen(path, "r+b");
	fseek(f, 0, SEEK_END);
	long size = ftell(f);
	uint8_t *data = malloc((size_t)size);
	rewind(f);
	assert_int_equal(fread(data, 1, (size_t)size, f), size);
	struct hps_reader *r;
	struct hps_chunk c;
	char why[300];
	assert_int_equal(hps_open_memory(&r, data, (size_t)size, NULL, why, sizeof why), 0);
	assert_true(hps_chunk_at(r, 2, &c));
	hps_close(r);
	fseek(f, (long)(c.offset + c.length - 3), SEEK_SET);
	fputc(data[c.offset + c.length - 3] ^ 1, f);
	fclose(f);
	free(data);
	struct report_source *s = open_source(REPORT_SOURCE_AUTO);
	struct report x;
	int n = 0;
	while (s->next(s, &x) == 1)
		n += x.data != NULL;
	assert_true(n >= 13 && n < 20);
	assert_non_null(strstr(warnings, "wrong CRC; skipped"));
	s->close(s);
}

struct given {
	int64_t time, place; /* place: of the report or sample in front */
	uint32_t event;
};

static unsigned all_of(struct report_source *s, struct given *g, unsigned most)
{
	struct report x;
	unsigned n = 0;
	int64_t place = 2000;
	while (s->next(s, &x) == 1) {
		assert_true(n < most);
		place = x.event ? place : x.time_ns;
		g[n++] = (struct given){ x.time_ns, place, x.event ? x.event->type : 0 };
	}
	return n;
}

/* A part is what lies between its ends, as if everything had been played and the rest been left out. */
static void a_part(void **state)
{
	(void)state;
	struct given all[60], got[60];
	static const int64_t ends[] = { 0, 1, 10, 40, 45, 90, 91, 50000, 100000, 100040, 100090, 100091, 200000 };
	enum { N = sizeof ends / sizeof ends[0] };
	record(true, true);
	for (int want = REPORT_SOURCE_REPORTS; want <= REPORT_SOURCE_SAMPLES; want++) {
		struct report_source *s = open_source(want);
		unsigned n = all_of(s, all, 60);
		for (size_t a = 0; a < N; a++)
			for (size_t b = a; b < N; b++) {
				int64_t to = b > a ? ends[b] : 0, length = -1;
				unsigned k = 0;
				assert_int_equal(s->rewind(s), 0);
				int rc = s->part(s, ends[a], to, &length);
				if (ends[a] > 100090) {
					assert_int_equal(rc, -ERANGE);
					assert_int_equal(length, 100090);
					continue;
				}
				unsigned m = all_of(s, got, 60);
				bool other = false, any = false;
				for (unsigned i = 0; i < n; i++) {
					int64_t at = all[i].place - 2000;
					bool in = at >= ends[a] && (!to || at <= to);
					other |= !any && !in && all[i].event == HP_CONNECTED;
					any |= in;
					if (!in)
						continue;
					assert_true(k < m);
					assert_int_equal(got[k].time, all[i].time);
					assert_int_equal(got[k++].event, all[i].event);
				}
				assert_int_equal(k, m);
				if (any) {
					assert_int_equal(rc, other);
					if (rc)
						assert_int_equal(s->rate_start_ns, 100900);
					if (rc && !s->samples)
						assert_string_equal(s->name, "Other");
				}
			}
		s->close(s);
	}
}

static void name_is(const char *pattern, unsigned n, const char *want)
{
	char got[300];
	assert_int_equal(tape_name(pattern, 86400 * 365, n, got, sizeof got), 0);
	assert_string_equal(got, want);
}

static void names(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	name_is("a.mcap", 1, "a.mcap");
	name_is("a.mcap", 2, "a-2.mcap");
	name_is("dir.d/a", 3, "dir.d/a-3");
	name_is("dir/.hidden", 2, "dir/.hidden-2");
	name_is("a-%n.mcap", 1, "a-1.mcap");
	name_is("%n/a-%n.mcap", 12, "12/a-12.mcap");
	name_is("a-%Y-%m-%d.mcap", 1, "a-1971-01-01.mcap");
	name_is("a-%Y.mcap", 2, "a-1971-2.mcap");
	name_is("100%%n.mcap", 2, "100%n-2.mcap");
	char got[20];
	assert_int_equal(tape_name("a-very-long-name-%Y-%m.mcap", 0, 1, got, sizeof got), -EINVAL);
	assert_int_equal(tape_name("", 0, 1, got, sizeof got), -EINVAL);
}

int main(void)
{
	close(mkstemp(path));
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(connections_and_events),
		cmocka_unit_test(damage_is_stepped_over),
		cmocka_unit_test(a_part),
		cmocka_unit_test(names),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
