/* SPDX-License-Identifier: MIT
 * test_signs.c - the table of docs/signs.md, made by running every output on a head that turned 10 degrees to the
 * right, nodded 10 up and tilted 10 to the right, one at a time, and reading its bytes; and the same outputs against
 * what their receivers really do (tests/data/receivers). UPDATE=1 writes the table anew.
 */
#include "fake_host.h"
#include "find.h"
#include "have.h"
#include "pose/basis.h"
#include "pose/pose.h"
#include <arpa/inet.h>
#include <fcntl.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct hp_module hp_encoder_opentrack, hp_encoder_json, hp_encoder_flightgear, hp_encoder_osc;
extern const struct hp_module hp_output_xplane, hp_output_opentrack_shm, hp_filter_axes;

static void add(char *out, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static void add(char *out, size_t size, const char *fmt, ...)
{
	size_t n = strlen(out);
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(out + n, size - n, fmt, ap);
	va_end(ap);
}
/* "yaw -10": what is not zero, by name */
static void say_named(char *out, size_t size, int n, const double *v, const char *const *names)
{
	for (int i = 0; i < n; i++)
		if (fabs(v[i]) > 1e-6)
			add(out, size, "%s%s %+.4g", *out ? ", " : "", names[i], v[i]);
}
/* "(0.996, 0, 0, -0.087)" */
static void say_all(char *out, size_t size, int n, const double *v)
{
	for (int i = 0; i < n; i++)
		add(out, size, "%s%.3g", i ? ", " : "(", fabs(v[i]) < 1e-9 ? 0 : v[i]);
	add(out, size, ")");
}
static const char *const ypr_names[] = { "yaw", "pitch", "roll" };
enum { CELL = 160 };

static void opentrack(const char *unused, const struct hp_sample *s, char *out)
{
	const struct hp_module *m = &hp_encoder_opentrack;
	struct hp_stream from = { .struct_size = sizeof from };
	double v[6];
	(void)unused;
	void *state = fake_state(m);
	assert_int_equal(m->encode(state, s, &from, v, sizeof v), 48);
	say_named(out, CELL, 3, v + 3, ypr_names);
	free(state);
}
/* conf/opentrack.ini: the filter axes in front of the same datagram */
static void opentrack_inverted(const char *unused, const struct hp_sample *s, char *out)
{
	struct hp_sample turned = *s;
	struct fake_host f;
	fake_init(&f, "x");
	void *state = fake_state(&hp_filter_axes);
	fake_set(&hp_filter_axes, state, "invert", "yaw, pitch, roll");
	if (hp_filter_axes.open)
		assert_int_equal(hp_filter_axes.open(state, &f.host), 0);
	assert_int_equal(hp_filter_axes.filter(state, &turned), HP_KEEP);
	hp_sample_derive(&turned);
	opentrack(unused, &turned, out);
	if (hp_filter_axes.close)
		hp_filter_axes.close(state);
	free(state);
	fake_free(&f);
}
static void json(const char *unused, const struct hp_sample *s, char *out)
{
	const struct hp_module *m = &hp_encoder_json;
	struct fake_host f;
	char text[4096];
	double v[3];
	(void)unused;
	fake_init(&f, "x");
	void *state = fake_state(m);
	if (m->open)
		assert_int_equal(m->open(state, &f.host), 0);
	int n = m->encode(state, s, &f.stream, text, sizeof text - 1);
	assert_true(n > 0);
	text[n] = 0;
	const char *at = strstr(text, "\"yprDegrees\":[");
	assert_non_null(at);
	assert_int_equal(sscanf(at + 14, "%lf,%lf,%lf", &v[0], &v[1], &v[2]), 3);
	say_named(out, CELL, 3, v, ypr_names);
	if (m->close)
		m->close(state);
	free(state);
	fake_free(&f);
}
static void flightgear(const char *unused, const struct hp_sample *s, char *out)
{
	static const char *const names[] = { "heading", "pitch", "roll" };
	double v[3];
	(void)unused;
	void *state = fake_state(&hp_encoder_flightgear);
	assert_int_equal(hp_encoder_flightgear.encode(state, s, NULL, v, sizeof v), 24);
	say_named(out, CELL, 3, v, names);
	free(state);
}
static void xplane(const char *unused, const struct hp_sample *s, char *out)
{
	static const char *const names[] = { "psi", "the", "phi" };
	const struct hp_module *m = &hp_output_xplane;
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof a;
	struct fake_host f;
	double v[3];
	(void)unused;
	fake_init(&f, "x");
	int sim = socket(AF_INET, SOCK_DGRAM, 0);
	assert_int_equal(bind(sim, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(getsockname(sim, (struct sockaddr *)&a, &size), 0);
	void *state = fake_state(m);
	struct hp_addr addr = { "127.0.0.1", ntohs(a.sin_port) };
	const struct hp_addrs to = { 1, &addr };
	memcpy((char *)state + m->options[0].offset, &to, sizeof to);
	assert_int_equal(m->open(state, &f.host), 0);
	assert_int_equal(m->write(state, s), 0);
	for (int i = 0; i < 3; i++) {
		uint8_t p[600];
		float value;
		assert_int_equal(recv(sim, p, sizeof p, 0), 509);
		assert_non_null(strstr((char *)p + 9, names[i]));
		memcpy(&value, p + 5, 4);
		v[i] = (double)value;
	}
	say_named(out, CELL, 3, v, names);
	m->close(state);
	free(state);
	close(sim);
	fake_free(&f);
}
static void shm(const char *unused, const struct hp_sample *s, char *out)
{
	const struct hp_module *m = &hp_output_opentrack_shm;
	struct fake_host f;
	char name[64];
	(void)unused;
	snprintf(name, sizeof name, "/headpipe-signs-%d", (int)getpid());
	fake_init(&f, "x");
	void *state = fake_state(m);
	fake_set(m, state, "name", name);
	assert_int_equal(m->open(state, &f.host), 0);
	assert_int_equal(m->write(state, s), 0);
	int fd = shm_open(name, O_RDONLY, 0);
	const double *v = mmap(NULL, 72, PROT_READ, MAP_SHARED, fd, 0);
	assert_true(v != MAP_FAILED);
	say_named(out, CELL, 3, v + 3, ypr_names);
	munmap((void *)(uintptr_t)v, 72);
	close(fd);
	m->close(state);
	free(state);
	shm_unlink(name);
	fake_free(&f);
}
static void stick(const char *unused, const struct hp_sample *s, char *out)
{
	static const char *const names[] = { "RX", "RY", "RZ" };
	static const double range[] = { 180, 90, 180 }; /* defaults; test_uinput checks the events themselves */
	double v[3];
	(void)unused;
	hp_frame_sim_angles(s, v);
	for (int i = 0; i < 3; i++)
		v[i] = (double)lround(v[i] / range[i] * 32767);
	say_named(out, CELL, 3, v, names);
}
#if HP_HAVE_LIBLO
static float big_float(const uint8_t *p)
{
	uint32_t bits = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	float f;
	memcpy(&f, &bits, 4);
	return f;
}
/* Every float of the datagram, in order: of one message or of all in a bundle. */
static int osc_floats(const uint8_t *p, size_t size, double *v)
{
	int n = 0;
	if (!memcmp(p, "#bundle", 8)) {
		for (size_t at = 16; at + 4 <= size;) {
			size_t length = (size_t)p[at + 2] << 8 | p[at + 3];
			n += osc_floats(p + at + 4, length, v + n);
			at += 4 + length;
		}
		return n;
	}
	size_t at = strlen((const char *)p) / 4 * 4 + 4;
	const char *types = (const char *)p + at + 1;
	at += strlen((const char *)p + at) / 4 * 4 + 4;
	for (; *types; types++) {
		if (*types == 'f')
			v[n++] = (double)big_float(p + at);
		at += *types == 's' ? strlen((const char *)p + at) / 4 * 4 + 4 : 4;
	}
	return n;
}
enum osc_words { YPR, RXYZ, ALL };
static const struct osc_row {
	int first; /* number that is shown first */
	enum osc_words how;
} osc_rows[] = {
#define OSC_PRESET(name, address, args, who, port, what, ini, words, first, how, ...) { first, how },
#include "outputs/encoders/osc_presets.def"
};
/* Every float that a preset sends for a sample; returns how many. */
static int osc_sends(const char *preset, const struct hp_sample *s, double v[32], int *which)
{
	struct fake_host f;
	uint8_t p[512];
	fake_init(&f, "x");
	void *state = fake_state(&hp_encoder_osc);
	fake_set(&hp_encoder_osc, state, "preset", preset);
	assert_int_equal(hp_encoder_osc.open(state, &f.host), 0);
	int size = hp_encoder_osc.encode(state, s, &f.stream, p, sizeof p);
	assert_true(size > 0);
	int n = osc_floats(p, (size_t)size, v);
	memcpy(which, (char *)state + hp_encoder_osc.options[0].offset, sizeof *which);
	hp_encoder_osc.close(state);
	free(state);
	fake_free(&f);
	return n;
}
static void osc(const char *preset, const struct hp_sample *s, char *out)
{
	static const char *const unity[] = { "rx", "ry", "rz" };
	int which;
	double v[32];
	int n = osc_sends(preset, s, v, &which);
	const struct osc_row *row = &osc_rows[which];
	if (row->how == ALL)
		say_all(out, CELL, n - row->first, v + row->first);
	else
		say_named(out, CELL, n - row->first, v + row->first, row->how == RXYZ ? unity : ypr_names);
}
#endif

static const struct row {
	const char *output, *sends, *preset;
	void (*say)(const char *preset, const struct hp_sample *, char *);
	const char *rests; /* what its signs rest on */
} rows[] = {
	{ "`opentrack`, `json`, `msgpack`, `csv`, `hds`", "the sample itself, degrees", NULL, opentrack,
	  "the reference's bytes; OpenTrack takes the next row" },
	{ "`opentrack` below `axes`, `invert = yaw, pitch, roll`", "as OpenTrack counts, degrees", NULL,
	  opentrack_inverted, "opentrack's module, run; its senders' source" },
	{ "`flightgear`", "view offsets, degrees", NULL, flightgear, "seen in FlightGear 2020.3" },
	{ "`xplane`", "pilots_head angles, degrees", NULL, xplane,
	  "documentation: X-Plane's list of datarefs, which gives no sign for phi (option `roll`)" },
	{ "`opentrack_shm`", "radians", NULL, shm, "opentrack's source" },
	{ "`uinput`", "-32767 to 32767", NULL, stick, "read back with evtest" },
#if HP_HAVE_LIBLO
#define OSC_PRESET(name, address, args, who, port, what, ini, words, first, how, shown, rests) \
	{ "`osc` " #name, words, #name, osc, rests },
#include "outputs/encoders/osc_presets.def"
#endif
};
static void test_table(void **unused)
{
	/* right, up, right in the words of the sample's frame */
	static const double heads[3][3] = { { -10, 0, 0 }, { 0, -10, 0 }, { 0, 0, 10 } };
	static const char begin[] = "<!-- table: made by `make test UPDATE=1` -->\n", end[] = "<!-- end of table -->\n";
	static char table[16384], page[65536];
	(void)unused;
	add(table, sizeof table,
	    "| output | what it sends | 10 to the right | 10 up | tilted 10 to the right | rests on |\n"
	    "|---|---|---|---|---|---|\n");
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		add(table, sizeof table, "| %s | %s |", rows[i].output, rows[i].sends);
		for (int k = 0; k < 3; k++) {
			struct hp_sample s = HP_SAMPLE_INIT;
			char cell[CELL] = "", same[CELL] = "";
			hp_frame_quat_from_ypr(heads[k], s.quat);
			hp_sample_derive(&s);
			rows[i].say(rows[i].preset, &s, cell);
			if (rows[i].say == opentrack) { /* one row for all that send the sample as it is */
				json(NULL, &s, same);
				assert_string_equal(cell, same);
			}
			add(table, sizeof table, " %s |", cell);
		}
		add(table, sizeof table, " %s |\n", rows[i].rests);
	}
	if (!HP_HAVE_LIBLO) {
		print_message("skip: no liblo, the table lacks rows and is not compared\n");
		return;
	}
	FILE *f = fopen("docs/signs.md", "r");
	assert_non_null(f);
	size_t n = fread(page, 1, sizeof page - 1, f);
	fclose(f);
	page[n] = 0;
	char *from = strstr(page, begin), *to = strstr(page, end);
	assert_non_null(from);
	assert_non_null(to);
	from += strlen(begin);
	if (getenv("UPDATE") && *getenv("UPDATE")) {
		f = fopen("docs/signs.md", "w");
		assert_non_null(f);
		fprintf(f, "%.*s%s%s", (int)(from - page), page, table, to);
		fclose(f);
		return;
	}
	if ((size_t)(to - from) != strlen(table) || memcmp(from, table, strlen(table)))
		fail_msg("docs/signs.md is not what the outputs send:\n%s", table);
}

/* ---- against the receivers ------------------------------------------------------------------------------------- */

struct judged {
	char receiver[40];
	int inputs;
	double worst; /* degrees */
};
static struct judged *judged_of(struct judged *all, const char *receiver)
{
	while (all->receiver[0] && strcmp(all->receiver, receiver))
		all++;
	snprintf(all->receiver, sizeof all->receiver, "%s", receiver);
	return all;
}
static void pronounce(const struct judged *all, int least)
{
	for (; all->receiver[0]; all++) {
		printf("count: signs of %s: %d inputs, largest error %.4f degrees\n", all->receiver, all->inputs,
		       all->worst);
		assert_true(all->inputs >= least);
		assert_true(all->worst <= 0.1);
	}
}
#if HP_HAVE_LIBLO
/* Of a rotation matrix; the largest of the four is computed first, so that none is lost to rounding. */
static void quat_of(const double m[3][3], double q[4])
{
	double four[4] = { 1 + m[0][0] + m[1][1] + m[2][2], 1 + m[0][0] - m[1][1] - m[2][2],
		           1 - m[0][0] + m[1][1] - m[2][2], 1 - m[0][0] - m[1][1] + m[2][2] };
	const double w[3] = { m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1] };
	int b = 0;
	for (int i = 1; i < 4; i++)
		b = four[i] > four[b] ? i : b;
	q[b] = sqrt(four[b]) / 2;
	for (int i = 0; i < 4; i++)
		if (i != b)
			q[i] = (!b || !i ? w[b + i - 1] : m[b - 1][i - 1] + m[i - 1][b - 1]) / (4 * q[b]);
	hp_quat_normalize(q);
}
/* Between two rotations, degrees. */
static double apart(const double a[4], const double b[4])
{
	double less = 0, more = 0;
	for (int i = 0; i < 4; i++) {
		less += (a[i] - b[i]) * (a[i] - b[i]);
		more += (a[i] + b[i]) * (a[i] + b[i]);
	}
	return 4 * asin(fmin(1, sqrt(fmin(less, more)) / 2)) * 180 / 3.14159265358979323846;
}
/* The head for which the receiver does what this input made it do, through the preset: it must be this input again. */
static void judge_input(struct judged *all, const char *receiver, const char *input, const double head[3][3])
{
	static const struct {
		const char *receiver, *preset;
	} known[] = { { "iem_scenerotator", "iem" },
		      { "sparta_rotator", "sparta" },
		      { "sparta_binauraliser", "sparta_binauraliser" },
		      { "ambix_rotator", "ambix" } };
	struct hp_sample s = HP_SAMPLE_INIT;
	double in[4], want[4], sent[32], got[4];
	size_t k = 0;
	int which;
	while (strcmp(known[k].receiver, receiver))
		assert_true(++k < sizeof known / sizeof *known);
	quat_of(head, s.quat);
	hp_sample_derive(&s);
	int n = osc_sends(known[k].preset, &s, sent, &which);
	assert_int_equal(sscanf(input, "%lf %lf %lf %lf", &in[0], &in[1], &in[2], &in[3]), n);
	if (n == 3) {
		hp_frame_quat_from_ypr(in, want);
		hp_frame_quat_from_ypr(sent, got);
	} else {
		memcpy(want, in, sizeof want);
		memcpy(got, sent, sizeof got);
		hp_quat_normalize(want);
	}
	struct judged *j = judged_of(all, receiver);
	j->inputs++;
	j->worst = fmax(j->worst, apart(got, want));
}
static void judge_rotations(const char *path)
{
	struct judged all[16] = { { .inputs = 0 } };
	char line[400];
	double head[3][3];
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof line, f)); /* the names of the columns */
	for (int row = 0; fgets(line, sizeof line, f); row++) {
		char *rest = line, *receiver = strsep(&rest, "\t"), *input = strsep(&rest, "\t"),
		     *source = strsep(&rest, "\t");
		double from[3];
		assert_non_null(rest);
		assert_int_equal(sscanf(source, "%lf %lf %lf", &from[0], &from[1], &from[2]), 3);
		assert_true(from[row % 3] == 1); /* front, left, up, in this order */
		/* heard at R^T * source: the rows of R are what the three axes became */
		assert_int_equal(sscanf(rest, "%lf %lf %lf", &head[row % 3][0], &head[row % 3][1], &head[row % 3][2]),
		                 3);
		if (row % 3 == 2)
			judge_input(all, receiver, input, (const double(*)[3])head);
	}
	fclose(f);
	assert_true(all[0].inputs && all[3].inputs);
	pronounce(all, 50);
}
static void test_rotations(void **unused)
{
	char path[500];
	(void)unused;
	judge_rotations("tests/data/receivers/rotations.tsv");
	if (find_reference("receivers/rotations.tsv", path, sizeof path))
		judge_rotations(path);
	else
		printf("the original of tests/data/receivers is not here, its copy was compared\n");
}
#endif
static void test_seen(void **unused)
{
	static const struct {
		const char *receiver;
		void (*say)(const char *, const struct hp_sample *, char *);
	} known[] = { { "flightgear", flightgear },
		      { "opentrack", opentrack_inverted },
		      { "opentrack_shm", shm },
		      { "uinput", stick } };
	struct judged all[16] = { { .inputs = 0 } };
	char line[400];
	(void)unused;
	FILE *f = fopen("tests/data/receivers/seen.tsv", "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof line, f));
	while (fgets(line, sizeof line, f)) {
		char receiver[40], name[20], said[CELL] = "", got_name[20];
		double head[3], value, per, got;
		struct hp_sample s = HP_SAMPLE_INIT;
		size_t k = 0;
		assert_int_equal(sscanf(line, "%39s %lf %lf %lf %19s %lf %lf", receiver, &head[0], &head[1], &head[2],
		                        name, &value, &per),
		                 7);
		while (strcmp(known[k].receiver, receiver))
			assert_true(++k < sizeof known / sizeof *known);
		hp_frame_quat_from_ypr(head, s.quat);
		hp_sample_derive(&s);
		known[k].say(NULL, &s, said);
		assert_null(strchr(said, ',')); /* this and nothing else */
		assert_int_equal(sscanf(said, "%19s %lf", got_name, &got), 2);
		assert_string_equal(got_name, name);
		struct judged *j = judged_of(all, receiver);
		j->inputs++;
		j->worst = fmax(j->worst, fabs(got - value) * per);
	}
	fclose(f);
	assert_true(all[3].inputs);
	pronounce(all, 3);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (!strncmp(rows[i].rests, "documentation", 13))
			printf("signs of %s rest on %s\n", rows[i].output, rows[i].rests);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
#if HP_HAVE_LIBLO
		cmocka_unit_test(test_rotations),
#endif
		cmocka_unit_test(test_seen),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
