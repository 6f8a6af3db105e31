/* SPDX-License-Identifier: MIT
 * test_replay.c - the input `replay` on a host whose clock the test moves. */
#include "api/builtin.h"
#include "fake_host.h"
#include "find.h"
#include "recording.h"
#include "table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

extern const struct hp_module hp_input_replay;
static const struct hp_module *const m = &hp_input_replay;

static struct fake_host fake;
static void *state_of;
static char told[1 << 20]; /* what was emitted, one item per line, with the time it came */
static int emits_left;     /* until emit() answers that the run was stopped; < 0: never */

static int emit(const struct hp_host *h, const struct hp_item *item)
{
	char *at = told + strlen(told);
	if (emits_left == 0)
		return -EPIPE;
	emits_left -= emits_left > 0;
	if (strlen(told) < sizeof told - 400) {
		at += sprintf(at, "@%lld", (long long)(fake.time - 1000000000));
		if (item->raw) {
			at += sprintf(at, " raw %lld", (long long)item->raw->time_ns);
			for (uint32_t i = 0; i < item->raw->size && i < 30; i++)
				at += sprintf(at, " %02x", item->raw->data[i]);
		}
		if (item->event)
			at += sprintf(at, " event %u %lld %lld %s", item->event->type, (long long)item->event->time_ns,
			              (long long)item->event->value, item->event->text ? item->event->text : "-");
		for (uint32_t i = 0; i < item->nsamples; i++)
			at +=
			    sprintf(at, " sample %lld %g,%g,%g r%u %g Hz", (long long)item->samples[i].time_ns,
			            item->samples[i].rotvec[0], item->samples[i].rotvec[1], item->samples[i].rotvec[2],
			            item->samples[i].reset_count, item->samples[i].rate_hz);
		sprintf(at, "\n");
	}
	return fake_emit(h, item);
}

static int open_path(const char *path, const char *speed, const char *loop, const char *device)
{
	fake_init(&fake, "head");
	fake.host.emit = emit;
	*told = 0;
	emits_left = -1;
	state_of = fake_state(m);
	fake_set(m, state_of, "path", path);
	fake_set(m, state_of, "speed", speed);
	fake_set(m, state_of, "loop", loop);
	fake_set(m, state_of, "device", device);
	return m->open(state_of, &fake.host);
}

static void finish(void)
{
	m->stop(state_of);
	m->close(state_of);
	free(state_of);
	fake_free(&fake);
}

/* Plays a text to its end, or for at most `limit` turns. */
static void play(const char *text, const char *speed, const char *loop, const char *device, int limit)
{
	assert_int_equal(open_path(RECORDING(text), speed, loop, device), 0);
	assert_int_equal(m->start(state_of), 0);
	fake_run(&fake, INT64_C(1) << 60, limit);
}

static void test_rhythm(void **state)
{
	static const char text[] = TRACKER_R "N: A Tracker\nI: 5 054c 0d58\n"
	                                     "E: 000000.010000 8 01 e8 03 00 00 18 fc 07\n" /* 0.1 0 -0.1 */
	                                     "E: 000000.030000 8 01 00 00 00 00 00 00 07\n"
	                                     "E: 000001.020000 8 01 00 00 00 00 00 00 08\n"
	                                     "E: 000001.025000 1 09\n"
	                                     "E: 000001.030000 3 01 e8 03\n";
	(void)state;
	play(text, "1", "no", "-1", 100);
	/* rate: three reports in the 1.02 s since time zero; the fourth and fifth are in the next window */
	assert_string_equal(told, "@0 event 1 0 0 A Tracker\n"
	                          "@0 raw 10000000 01 e8 03 00 00 18 fc 07 sample 10000000 0.1,0,-0.1 r7 0 Hz\n"
	                          "@20000000 raw 30000000 01 00 00 00 00 00 00 07 sample 30000000 0,0,0 r7 0 Hz\n"
	                          "@1010000000 raw 1020000000 01 00 00 00 00 00 00 08 event 4 1020000000 8 - "
	                          "sample 1020000000 0,0,0 r8 2.94118 Hz\n"
	                          "@1015000000 raw 1025000000 09\n"
	                          "@1020000000 raw 1030000000 01 e8 03 event 4 1030000000 0 - "
	                          "sample 1030000000 0.1,0,0 r0 2.94118 Hz\n");
	assert_int_equal(fake.failed, 1);
	assert_int_equal(fake.fail_error, 0);
	assert_string_equal(fake.fail_text, "");
	assert_string_equal(fake_text(&fake.log), "");
	assert_int_equal(fake.described, 1);
	assert_string_equal(fake.stream.device, "A Tracker");
	assert_int_equal(fake.stream.vendor, 0x054c);
	assert_int_equal(fake.stream.product, 0x0d58);
	assert_int_equal(fake.stream.flags, HP_STREAM_REPLAY);
	assert_int_equal(fake.stream.report_size, 8);
	assert_int_equal(fake.stream.descriptor_size, 52);
	assert_int_equal(fake.stream.descriptor[3], 0xe1);
	assert_true(fake.stream.rate_start_ns == 0);
	assert_int_equal(fake.samples[0].flags, HP_ROTVEC | HP_QUAT_DUE);
	assert_true(fake.samples[0].latency_ms == -1);
	finish();
	/* twice as fast; without a name there is no device label */
	play(TRACKER_R "E: 5.0 1 01\nE: 5.5 1 01\n", "2", "no", "-1", 100);
	assert_string_equal(told, "@0 event 1 0 0 -\n"
	                          "@0 raw 5000000000 01 sample 5000000000 0,0,0 r0 0.2 Hz\n"
	                          "@250000000 raw 5500000000 01 sample 5500000000 0,0,0 r0 0.2 Hz\n");
	assert_null(fake.stream.device);
	finish();
}

static void test_loop(void **state)
{
	(void)state;
	/* the next pass begins one mean interval after the last report */
	play(TRACKER_R "E: 0.1 1 01\nE: 0.2 1 01\nE: 0.3 1 01\n", "1", "yes", "-1", 8);
	assert_non_null(strstr(told, "@300000000 raw 400000000 01 sample 400000000 0,0,0"));
	assert_non_null(strstr(told, "@700000000 raw 800000000 01 sample 800000000 0,0,0"));
	assert_int_equal(fake.failed, 0);
	finish();
	/* nothing to repeat */
	play(TRACKER_R, "0", "yes", "-1", 8);
	assert_int_equal(fake.failed, 1);
	assert_int_equal(fake.fail_error, 0);
	assert_non_null(strstr(fake_text(&fake.log), "warn: the recording has no report of this device"));
	finish();
	/* time runs out after a while; the run ends instead of the clock going wrong */
	play(TRACKER_R "E: 0.1 1 01\nE: 2000000000.0 1 01\n", "0", "yes", "-1", 1000);
	assert_int_equal(fake.failed, 1);
	assert_int_equal(fake.fail_error, 0);
	finish();
}

static void test_batches(void **state)
{
	static char text[1 << 16];
	char *at = text + sprintf(text, "%s", TRACKER_R);
	(void)state;
	for (int i = 0; i < 100; i++)
		at += sprintf(at, "E: %d.5 8 01 00 00 00 00 00 00 00\n", i);
	assert_int_equal(open_path(RECORDING(text), "0", "no", "-1"), 0);
	assert_int_equal(m->start(state_of), 0);
	assert_int_equal(fake.nsamples, 0);
	fake_run(&fake, fake.time, 1);
	assert_int_equal(fake.nsamples, 32);
	fake_run(&fake, fake.time, 1);
	assert_int_equal(fake.nsamples, 64);
	fake_run(&fake, fake.time, 100);
	assert_int_equal(fake.nsamples, 100);
	assert_int_equal(fake.failed, 1);
	assert_int_equal(fake.time, 1000000000);
	finish();
	/* a slow loop catches up, in order */
	assert_int_equal(open_path(recording_path, "1", "no", "-1"), 0);
	assert_int_equal(m->start(state_of), 0);
	fake.time += INT64_C(10000000000);
	fake_run(&fake, fake.time, 1);
	assert_int_equal(fake.nsamples, 11);
	finish();
	/* stop: nothing after it */
	assert_int_equal(open_path(recording_path, "0", "no", "-1"), 0);
	assert_int_equal(m->start(state_of), 0);
	m->stop(state_of);
	assert_int_equal(fake_run(&fake, fake.time, 100), 0);
	finish();
	assert_int_equal(open_path(recording_path, "0", "no", "-1"), 0);
	assert_int_equal(m->start(state_of), 0);
	emits_left = 5;
	fake_run(&fake, fake.time, 100);
	assert_int_equal(fake.nsamples, 5);
	assert_int_equal(fake.failed, 0);
	finish();
}

static void test_devices(void **state)
{
	static const char text[] = "D: 0\n" MOUSE_R "N: Mouse\nI: 3 1 2\nD: 1\n" TRACKER_R "N: Tracker\nI: 5 3 4\n"
	                           "D: 3\n" TRACKER_R "N: Other\nI: 5 5 6\n"
	                           "E: 0.4 1 01\nD: 1\nE: 0.2 1 01\nD: 0\nE: 0.1 3 zz\nD: 1\nE: 0.3 1 01\n";
	(void)state;
	play(text, "1", "no", "-1", 100);
	assert_string_equal(fake.stream.device, "Tracker");
	assert_int_equal(fake.stream.product, 4);
	assert_int_equal(fake.nsamples, 2);
	assert_true(fake.samples[1].time_ns == 300000000);
	assert_int_equal(fake.fail_error, 0);
	finish();
	play(text, "1", "no", "3", 100);
	assert_string_equal(fake.stream.device, "Other");
	assert_int_equal(fake.nsamples, 1);
	finish();
	/* a header that comes late */
	play("D: 0\n" MOUSE_R "E: 0.1 3 00 00 00\nD: 1\n" TRACKER_R "E: 0.2 1 01\n", "1", "no", "-1", 100);
	assert_int_equal(fake.nsamples, 1);
	finish();
	/* the same header again is fine, another one is not */
	play("D: 0\n" TRACKER_R "E: 0.1 1 01\nD: 0\n" TRACKER_R "E: 0.2 1 01\nD: 0\n" MOUSE_R, "1", "no", "-1", 100);
	assert_int_equal(fake.nsamples, 2);
	assert_non_null(strstr(fake.fail_text, ".hid:8: device 0 changes its report descriptor"));
	finish();
}

static void refused(const char *text, const char *device, const char *sentence)
{
	assert_true(open_path(RECORDING(text), "1", "no", device) < 0);
	if (!strstr(fake_text(&fake.log), sentence))
		fail_msg("%s instead of %s", fake_text(&fake.log), sentence);
	assert_non_null(strstr(fake_text(&fake.log), "error: "));
	m->close(state_of);
	free(state_of);
	fake_free(&fake);
}

static void test_refused(void **state)
{
	char both[2000];
	(void)state;
	assert_int_equal(open_path("/nonexistent.hid", "1", "no", "-1"), -ENOENT);
	assert_string_equal(fake_text(&fake.log), "error: /nonexistent.hid: No such file or directory\n");
	m->close(state_of);
	free(state_of);
	fake_free(&fake);
	refused("", "-1", ".hid: no R: line");
	refused("E: 0.1 1 01\n", "-1", ".hid: no R: line");
	refused("R: 2 05\n", "-1", ".hid:1: the file ends inside this R: line");
	refused("\nR: 2 05 01\n", "-1",
	        ".hid:2: the report descriptor does not serve: no rotation vector (usage 0020:0544, three values)");
	refused("R: 2 a1 01\n", "-1",
	        ".hid:1: the report descriptor does not serve: byte 2: the descriptor ends inside a collection");
	snprintf(both, sizeof both, "%s%s", MOUSE_R, MOUSE_R);
	refused(both, "-1", ".hid: none of its 2 devices has a rotation vector (usage 0020:0544)");
	refused(both, "1", ".hid:2: the report descriptor does not serve: no rotation vector");
	refused(both, "2", ".hid: no device 2 in this recording, which has 2");
	refused("\x1f\x8b\x08\n\n\n", "-1", ".hid: no R: line");
}

/* What comes before a fault is delivered; then the section ends with the line. */
static void test_faults(void **state)
{
	static const char *const cases[][2] = {
		{ "E: 0.3 2 01 0g\n", ".hid:4: `0g` is no byte in an E: line; a byte is two hex digits" },
		{ "E: 0.3 3 01 00\nE: 0.4 1 01\n", ".hid:4: the E: line announces 3 bytes but has 2" },
		{ "E: 0.3 2 01 00 00\n", ".hid:4: the E: line announces 2 bytes but has more" },
		{ "E: 0.3 8 01 00", ".hid:4: the file ends inside this E: line, which announces 8 bytes and has 2" },
		{ "E: 0.1 1 01\n", ".hid:4: time goes backwards, from 0.200000000 s to 0.100000000 s" },
		{ "E: 0.", ".hid:4: `0.` is no time" },
		{ "E: 0.2 4097 01\n", ".hid:4: the file ends inside" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char text[1000];
		snprintf(text, sizeof text, "%sE: 0.1 1 01\nE: 0.2 1 01\n%s", TRACKER_R, cases[i][0]);
		play(text, "1", "no", "-1", 100);
		assert_int_equal(fake.nsamples, 2);
		assert_int_equal(fake.failed, 1);
		assert_int_equal(fake.fail_error, EINVAL);
		if (!strstr(fake.fail_text, cases[i][1]))
			fail_msg("%s instead of %s", fake.fail_text, cases[i][1]);
		finish();
	}
	char *text = malloc(20000), *at = text + sprintf(text, "%sE: 0.1 1 01\nE: 0.2 4097", TRACKER_R);
	for (int i = 0; i < 4097; i++)
		at += sprintf(at, " 01");
	play(text, "0", "no", "-1", 100);
	assert_int_equal(fake.nsamples, 1);
	assert_non_null(strstr(fake.fail_text, ".hid:3: a report of 4097 bytes; the limit is 4096"));
	finish();
	free(text);
}

/* A recording that was cut anywhere ends with a sentence, or between two lines; never with a wrong report. */
static void test_cuts(void **state)
{
	static const char text[] = TRACKER_R "E: 000000.100000 8 01 e8 03 00 00 18 fc 07\n"
	                                     "E: 000000.200000 8 01 00 00 00 00 00 00 07\n";
	size_t begin = strlen(TRACKER_R);
	(void)state;
	for (size_t cut = begin + 2; cut < sizeof text; cut++) { /* a lone `E` is refused at the start */
		bool whole = text[cut - 1] == '\n' || text[cut] == '\n';
		assert_int_equal(open_path(recording(text, cut), "0", "no", "-1"), 0);
		assert_int_equal(m->start(state_of), 0);
		fake_run(&fake, fake.time, 100);
		assert_int_equal(fake.failed, 1);
		assert_int_equal(fake.fail_error, whole ? 0 : EINVAL);
		for (size_t i = 0; i < fake.nsamples; i++)
			assert_int_equal(fake.samples[i].reset_count, 7);
		finish();
	}
}

/* The reference's sessions as recordings: the same samples come out. */
static void test_sessions(void **state)
{
	static const char *const names[] = { "s05_reset_recenter_100pps", "s11_multi_report_ids",
		                             "s13_odd_bits_no_ids" };
	static char line[1 << 16];
	char path[512], file[200];
	int n = 0;
	(void)state;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
		snprintf(file, sizeof file, "sessions/%s.session", names[k]);
		if (!find_reference(file, path, sizeof path)) {
			puts("skip: no reference sessions (HEADPIPE_REFERENCE)");
			return;
		}
		FILE *in = fopen(path, "r");
		char *text = malloc(4 << 20), *at = text;
		assert_non_null(in);
		while (fgets(line, sizeof line, in)) {
			char *hex = strchr(line, ' ') + 1;
			int64_t t = 0;
			line[strcspn(line, "\n")] = 0;
			if (!strncmp(line, "R ", 2))
				t = strtoll(hex, &hex, 10);
			else if (strncmp(line, "descriptor ", 11))
				continue;
			hex += *hex == ' ';
			if (!strncmp(line, "R ", 2))
				at += sprintf(at, "E: %lld.%09lld %zu", (long long)(t / 1000000000),
				              (long long)(t % 1000000000), strlen(hex) / 2);
			else
				at += sprintf(at, "R: %zu", strlen(hex) / 2);
			for (; hex[0] && hex[1]; hex += 2)
				at += sprintf(at, " %c%c", hex[0], hex[1]);
			at += sprintf(at, "\n");
		}
		fclose(in);
		play(text, "0", "no", "-1", 100000);
		free(text);
		assert_string_equal(fake.fail_text, "");
		struct table t;
		size_t i = 0;
		snprintf(file, sizeof file, "sessions/%s.expected.tsv.gz", names[k]);
		assert_true(find_reference(file, path, sizeof path));
		assert_true(table_open(&t, path));
		while (table_next(&t)) {
			n++;
			if (*t.cell[2] == '0')
				continue;
			assert_true(i < fake.nsamples);
			const struct hp_sample *s = &fake.samples[i++];
			char *at3 = t.cell[5];
			assert_true(s->time_ns == strtoll(t.cell[1], NULL, 10));
			assert_true(table_same_bits(s->rate_hz, strtod(t.cell[3], NULL)));
			assert_int_equal(s->reset_count, strtoul(t.cell[4], NULL, 10));
			for (int c = 0; c < 3; c++, at3++)
				assert_true(table_same_bits(s->rotvec[c], strtod(at3, &at3)));
		}
		assert_int_equal(i, fake.nsamples);
		/* each report once, also one with a reset; connected comes alone */
		assert_int_equal(fake.raws, fake.emits - 1);
		table_close(&t);
		finish();
	}
	printf("count: replayed session reports %d/%d\n", n, n);
}

static int looks, looks_behind; /* how often it was asked; how many answers are yes */
static bool behind(const struct hp_host *h)
{
	(void)h;
	looks++;
	return looks_behind && looks_behind--;
}
/* At full speed it waits as long as somebody is behind, a millisecond at a time; a recording's rhythm never waits. */
static void test_behind(void **state)
{
	static const char text[] = TRACKER_R "N: T\nE: 000000.010000 8 01 00 00 00 00 00 00 07\n"
	                                     "E: 000000.020000 8 01 00 00 00 00 00 00 07\n";
	(void)state;
	for (int full = 1; full >= 0; full--) {
		assert_int_equal(open_path(RECORDING(text), full ? "0" : "1", "no", "-1"), 0);
		fake.host.behind = behind;
		looks = 0;
		looks_behind = 3;
		assert_int_equal(m->start(state_of), 0);
		int64_t begin = fake.time;
		if (full) {
			fake_run(&fake, begin, 100);
			assert_int_equal(looks, 1);
			assert_int_equal(fake.nsamples, 0);
			fake_run(&fake, begin + 2999999, 100);
			assert_int_equal(looks, 3);
			assert_int_equal(fake.nsamples, 0);
			fake_run(&fake, begin + 3000000, 100);
			assert_int_equal(looks, 4);
		} else {
			fake_run(&fake, INT64_C(1) << 60, 100);
			assert_int_equal(looks, 0);
		}
		assert_int_equal(fake.nsamples, 2);
		finish();
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_behind),  cmocka_unit_test(test_rhythm),   cmocka_unit_test(test_loop),
		cmocka_unit_test(test_batches), cmocka_unit_test(test_devices),  cmocka_unit_test(test_refused),
		cmocka_unit_test(test_faults),  cmocka_unit_test(test_sessions), cmocka_unit_test(test_cuts),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	recording_gone();
	return rc;
}
