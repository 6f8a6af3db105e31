/* SPDX-License-Identifier: MIT
 * test_reference_sessions.c - whole recorded sessions of the reference: reports through the tracker, the filter
 * `orientation` and the encoders, every datagram byte for byte. */
#include "../../filters/orientation.h"
#include "../plain/libm_probe.h"
#include "check.h"
#include "fake_host.h"
#include "find.h"
#include "inputs/decode/tracker.h"
#include <dirent.h>

extern const struct hp_module hp_filter_orientation, hp_encoder_json, hp_encoder_opentrack;

struct session {
	struct fake_host host;
	struct orientation *filter;
	void *json;
	struct tracker tracker;
	struct hp_hid_descriptor descriptor;
	struct hp_stream stream;
	char label[512], map[4], invert[4];
	struct table expected;
	bool exact, rate_from_table; /* the fork counts other reports */
	int datagrams, silent, differ;
};

static void bytes_of(const char *hex, uint8_t *out, size_t max, size_t *size)
{
	uint8_t *bytes;
	*size = table_hex(hex, &bytes);
	assert_true(*size <= max);
	memcpy(out, bytes, *size);
	free(bytes);
}

/* `config` of the first line builds the filter, a later one changes options while it runs. */
static void configure(struct session *s, char *pairs)
{
	struct orientation *o = s->filter;
	double source[3] = { o->from[0], o->from[1], o->from[2] }, sign[3] = { o->sign[0], o->sign[1], o->sign[2] };
	for (char *p = strtok(pairs, " "); p; p = strtok(NULL, " ")) {
		char *value = strchr(p, '=');
		assert_non_null(value);
		*value++ = 0;
		if (!strcmp(p, "smoothing"))
			o->smoothing = strtod(value, NULL);
		else if (!strcmp(p, "fast"))
			o->fast_movement = strtod(value, NULL);
		else if (!strcmp(p, "drift"))
			o->drift_correction = strtod(value, NULL);
		else if (!strcmp(p, "axes"))
			assert_true(check_doubles(value, source, 3));
		else if (!strcmp(p, "sign"))
			assert_true(check_doubles(value, sign, 3));
		else
			fail_msg("config %s", p);
	}
	int used = 0, inverted = 0;
	for (int i = 0; i < 3; i++) {
		assert_true((source[i] == 0 || source[i] == 1 || source[i] == 2) && fabs(sign[i]) == 1);
		used |= 1 << (int)source[i];
		s->map[i] = "XYZ"[(int)source[i]];
		if (sign[i] < 0)
			s->invert[inverted++] = "XYZ"[i];
	}
	s->map[3] = s->invert[inverted] = 0;
	if (used == 7) {
		fake_set(&hp_filter_orientation, o, "axis_map", s->map);
		fake_set(&hp_filter_orientation, o, "invert", inverted ? s->invert : "none");
		assert_int_equal(hp_filter_orientation.changed(o), 0);
		return;
	}
	/* one axis used twice: our options refuse it, the reference took it */
	for (int i = 0; i < 3; i++) {
		o->from[i] = (int)source[i];
		o->sign[i] = sign[i];
	}
}

static bool same_datagram(const struct session *s, const uint8_t *got, const uint8_t *want)
{
	double a[6], b[6];
	memcpy(a, got, sizeof a);
	memcpy(b, want, sizeof b);
	for (int i = 0; i < 6; i++)
		if (!libm_equal(a[i], b[i], s->exact))
			return false;
	return true;
}

static void report(struct session *s, int64_t time_ns, const uint8_t *data, size_t size)
{
	struct hp_sample sample;
	bool reset;
	assert_true(table_next(&s->expected));
	char **c = s->expected.cell;
	assert_true(s->expected.n == 10 && strtoll(c[1], NULL, 10) == time_ns);
	int emitted = tracker_report(&s->tracker, time_ns, data, size, &sample, &reset);
	if (emitted != atoi(c[2])) {
		printf("row %s: emitted %d instead of %s\n", c[0], emitted, c[2]);
		s->differ++;
		return;
	}
	if (!emitted) {
		s->silent++;
		return;
	}
	if (s->rate_from_table)
		sample.rate_hz = strtod(c[3], NULL);
	char json[4096];
	uint8_t datagram[48], want[48];
	size_t want_size;
	assert_int_equal(hp_filter_orientation.filter(s->filter, &sample), HP_KEEP);
	assert_int_equal(hp_encoder_opentrack.encode(NULL, &sample, &s->stream, datagram, sizeof datagram), 48);
	int n = hp_encoder_json.encode(s->json, &sample, &s->stream, json, sizeof json);
	bytes_of(c[8], want, sizeof want, &want_size);
	bool ok = want_size == 48 && same_datagram(s, datagram, want);
	/* JSON has nine digits: with another math library only the datagrams' doubles can be compared within bounds */
	if (s->exact)
		ok &= n == (int)strlen(c[9]) && memcmp(json, c[9], (size_t)n) == 0;
	if (!ok)
		printf("row %s: %.*s\n instead of %s\n", c[0], n, json, c[9]);
	s->differ += !ok;
	s->datagrams += 1 + s->exact;
}

/* Plays one session; s->differ tells. */
static void play(struct session *s, const char *path, const char *expected)
{
	static char line[1 << 16];
	FILE *f = fopen(path, "r");
	if (!f || !table_open(&s->expected, expected))
		fail_msg("%s or %s cannot be read", path, expected);
	fake_init(&s->host, "pose");
	s->filter = fake_state(&hp_filter_orientation);
	s->json = fake_state(&hp_encoder_json);
	s->stream = (struct hp_stream){ .struct_size = sizeof s->stream };
	assert_int_equal(hp_filter_orientation.open(s->filter, &s->host.host), 0);
	while (fgets(line, sizeof line, f)) {
		uint8_t bytes[4096];
		size_t size;
		char why[256], *rest = strchr(line, ' ');
		line[strcspn(line, "\r\n")] = 0;
		if (*line == '#' || !*line)
			continue;
		if (rest)
			*rest++ = 0;
		if (!strcmp(line, "descriptor")) {
			bytes_of(rest, bytes, sizeof bytes, &size);
			if (hp_hid_descriptor_parse(&s->descriptor, bytes, size, why, sizeof why) ||
			    tracker_open(&s->tracker, &s->descriptor, why, sizeof why))
				fail_msg("%s: %s", path, why);
		} else if (!strcmp(line, "label_hex")) {
			if (strcmp(rest, "-") != 0) {
				bytes_of(rest, (uint8_t *)s->label, sizeof s->label - 1, &size);
				s->label[size] = 0;
				s->stream.device = s->label;
			}
		} else if (!strcmp(line, "rate_start_ns")) {
			tracker_connect(&s->tracker, strtoll(rest, NULL, 10));
		} else if (!strcmp(line, "config")) {
			configure(s, rest);
		} else if (!strcmp(line, "recenter")) {
			assert_int_equal(hp_filter_orientation.command(s->filter, "recenter"), 0);
		} else if (!strcmp(line, "R")) {
			char *hex;
			int64_t time_ns = strtoll(rest, &hex, 10);
			size = 0;
			if (*hex == ' ')
				bytes_of(hex + 1, bytes, sizeof bytes, &size);
			report(s, time_ns, bytes, size);
		} else {
			fail_msg("%s: line %s", path, line);
		}
	}
	assert_false(table_next(&s->expected));
	fclose(f);
	table_close(&s->expected);
	hp_hid_descriptor_free(&s->descriptor);
	free(s->filter);
	free(s->json);
	fake_free(&s->host);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(a, b);
}

enum { NAME = 128, NAMES = 64 };

/* The names of the sessions in a folder, without .session; sorted. */
static int list(const char *folder, char names[NAMES][NAME])
{
	int n = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *e; dir && (e = readdir(dir));) {
		size_t size = strlen(e->d_name);
		if (size < 9 || size >= NAME || strcmp(e->d_name + size - 8, ".session") != 0 || n == NAMES)
			continue;
		memcpy(names[n], e->d_name, size - 8);
		names[n++][size - 8] = 0;
	}
	if (dir)
		closedir(dir);
	qsort(names, (size_t)n, NAME, by_name);
	return n;
}

static bool play_named(const char *folder, const char *name, bool rate_from_table, int *datagrams, int *silent)
{
	char path[2048], expected[2048];
	struct session s = { .exact = libm_is_reference(), .rate_from_table = rate_from_table };
	snprintf(path, sizeof path, "%s/%.127s.session", folder, name);
	snprintf(expected, sizeof expected, "%s/%.127s.expected.tsv.gz", folder, name);
	play(&s, path, expected);
	if (s.differ)
		printf("%s: %d rows differ\n", name, s.differ);
	*datagrams += s.datagrams;
	*silent += s.silent;
	return s.differ == 0;
}

static void test_sessions(void **state)
{
	(void)state;
	char folder[1024], names[NAMES][NAME];
	if (!find_reference("sessions", folder, sizeof folder)) {
		printf("skip: no sessions; set HEADPIPE_REFERENCE to the folder of the reference vectors\n");
		skip();
	}
	bool exact = libm_is_reference();
	printf("math library: %s\n", exact ? "the reference's bits; comparing bytes"
	                                   : "other last bits than the reference's; comparing angles within 1e-9");
	int n = list(folder, names), equal = 0, datagrams = 0, silent = 0;
	for (int i = 0; i < n; i++)
		equal += play_named(folder, names[i], false, &datagrams, &silent);
	printf("count: sessions %d/%d (%d datagrams, %d reports that rightly gave none)\n", equal, n, datagrams,
	       silent);
	assert_true(n > 0);
	assert_int_equal(equal, n);
}

static void test_fork_sessions(void **state)
{
	(void)state;
	static const struct {
		const char *start, *reason; /* reason: why it does not apply to us; NULL = it does */
	} known[] = {
		{ "f01", "its level mode leaves the drift out and turns the centre the other way" },
		{ "f02", "it permutes the angles of the datagram alone; here a filter does that to the sample" },
		{ "f03", "it switches level mode and permutes angles while running" },
		{ "f04", NULL },
		{ "f05", "it reads fields of other report IDs at wrong places, which is kept there as a known bug" },
	};
	char folder[1024], names[NAMES][NAME];
	if (!find_reference("fork_sessions", folder, sizeof folder)) {
		printf("skip: no fork_sessions\n");
		skip();
	}
	int n = list(folder, names), equal = 0, played = 0, datagrams = 0, silent = 0;
	for (int i = 0; i < n; i++) {
		const char *reason = "unknown";
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			if (!strncmp(names[i], known[k].start, 3))
				reason = known[k].reason;
		if (reason) {
			printf("%s: not applicable: %s\n", names[i], reason);
			continue;
		}
		/* foreign report IDs count for our rate, not for the fork's: that one number comes from the table */
		played++;
		equal += play_named(folder, names[i], true, &datagrams, &silent);
	}
	printf("count: fork sessions %d/%d (%d datagrams), %d not applicable\n", equal, played, datagrams, n - played);
	assert_int_equal(equal, played);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_sessions), cmocka_unit_test(test_fork_sessions) };
	char path[1024];
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	bool there = find_reference("sessions", path, sizeof path);
	printf("reference sessions: %s\n", !there ? "not played, they are not here" : failed ? "differ" : "equal");
	return failed ? failed : there ? 0 : 77;
}
