/* SPDX-License-Identifier: MIT
 * test_signs.c - the table of docs/signs.md, made by running every output on a head that turned 10 degrees to the
 * right, nodded 10 up and tilted 10 to the right, one at a time, and reading its bytes. UPDATE=1 writes the table anew.
 */
#include "fake_host.h"
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
extern const struct hp_module hp_output_xplane, hp_output_opentrack_shm;

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
static void osc(const char *preset, const struct hp_sample *s, char *out)
{
	static const char *const unity[] = { "rx", "ry", "rz" };
	int which;
	struct fake_host f;
	uint8_t p[512];
	double v[32];
	fake_init(&f, "x");
	void *state = fake_state(&hp_encoder_osc);
	fake_set(&hp_encoder_osc, state, "preset", preset);
	assert_int_equal(hp_encoder_osc.open(state, &f.host), 0);
	int size = hp_encoder_osc.encode(state, s, &f.stream, p, sizeof p);
	assert_true(size > 0);
	int n = osc_floats(p, (size_t)size, v);
	memcpy(&which, (char *)state + hp_encoder_osc.options[0].offset, sizeof which);
	const struct osc_row *row = &osc_rows[which];
	if (row->how == ALL)
		say_all(out, CELL, n - row->first, v + row->first);
	else
		say_named(out, CELL, n - row->first, v + row->first, row->how == RXYZ ? unity : ypr_names);
	hp_encoder_osc.close(state);
	free(state);
	fake_free(&f);
}
#endif

static const struct row {
	const char *output, *sends, *preset;
	void (*say)(const char *preset, const struct hp_sample *, char *);
} rows[] = {
	{ "`opentrack`, `json`, `msgpack`, `csv`, `hds`", "the sample itself, degrees", NULL, opentrack },
	{ "`flightgear`", "view offsets, degrees", NULL, flightgear },
	{ "`xplane`", "pilots_head angles, degrees", NULL, xplane },
	{ "`opentrack_shm`", "radians", NULL, shm },
	{ "`uinput`", "-32767 to 32767", NULL, stick },
#if HP_HAVE_LIBLO
#define OSC_PRESET(name, address, args, who, port, what, ini, words, ...) { "`osc` " #name, words, #name, osc },
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
	    "| output | what it sends | 10 to the right | 10 up | tilted 10 to the right |\n"
	    "|---|---|---|---|---|\n");
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
		add(table, sizeof table, "\n");
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
int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_table) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
