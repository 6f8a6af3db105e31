/* SPDX-License-Identifier: MIT
 * test_profile.c - profiles of opentrack: what Qt writes is read, and becomes the ini that does the same. */
#include "check.h"
#include "profile/profile.h"
#include <errno.h>

static bool has_ewma;
static bool has(const char *filter, const char *key)
{
	if (!strcmp(filter, "ewma"))
		return has_ewma;
	return !strcmp(filter, "accela") && (!key || !strcmp(key, "smoothing") || !strcmp(key, "deadzone"));
}
struct result {
	char *ini, *notes;
	size_t ini_size, notes_size;
	int n;
};
static struct result convert(const char *text, size_t size)
{
	struct result r;
	struct hp_profile p;
	int line;
	char why[200];
	if (hp_profile_read(&p, text, size, &line, why, sizeof why) < 0)
		fail_msg("line %d: %s", line, why);
	FILE *a = open_memstream(&r.ini, &r.ini_size), *b = open_memstream(&r.notes, &r.notes_size);
	assert_true(a && b);
	r.n = hp_profile_convert(&p, "x.ini", has, a, b);
	fclose(a);
	fclose(b);
	hp_profile_free(&p);
	return r;
}
#define CONVERT(text) convert(text, sizeof text - 1)
static void done(struct result *r)
{
	free(r->ini);
	free(r->notes);
}
static void holds(const char *text, const char *want)
{
	if (!strstr(text, want))
		fail_msg("no `%s` in\n%s", want, text);
}
static void lacks(const char *text, const char *want)
{
	if (strstr(text, want))
		fail_msg("there is `%s` in\n%s", want, text);
}

static void test_whole(void **unused)
{
	static char text[8192];
	(void)unused;
	FILE *f = fopen("tests/data/opentrack-profile.ini", "rb");
	assert_non_null(f);
	size_t size = fread(text, 1, sizeof text, f);
	fclose(f);
	struct result r = convert(text, size);
	assert_string_equal(r.ini, "# Made from x.ini, a profile of opentrack, by `headpipe import-profile`.\n\n"
	                           "[input head]\nuse = hid\n\n"
	                           "; `headpipe calibrate` finds these for a tracker that moves the wrong way\n"
	                           "[filter mount]\naxis_map = YXZ\ninvert = XZ\n\n"
	                           "[filter accela]\nsmoothing = 1.25\ndeadzone = 0.05\n\n"
	                           "[filter center]\nmode = full\ntilt = mount\n\n"
	                           "[filter curve]\nuse = curve\nyaw = 10.5:25 39.5:180\npitch = 10:19 40:60\n"
	                           "pitch_negative = 10:0 30:90\n\n"
	                           "[filter neck]\nforward = 12\nup = 0\n\n"
	                           "[filter curve_position]\nuse = curve\ny = 30:75\nz = 30:75\nx = 30:75\n\n"
	                           "[filter target]\nuse = axes\ninvert = yaw\noffset_yaw = 5.5\nscale_roll = 0\n\n"
	                           "[output game]\nuse = opentrack_udp\nto = 192.168.1.20:4243\n");
	static const char *const said[] = { "tracker-dll = pt",
		                            "pitch-invert-sign: which signs",
		                            "keycode-center = ScrollLock: shortcuts are not taken over",
		                            "[accela-sliders] translation-deadzone = 0.1: accela has no such",
		                            "relative-translation-mode = 2: not taken over",
		                            "[tracker-pt]: 2 settings of a part of opentrack" };
	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		holds(r.notes, said[i]);
	lacks(r.notes, "keycode-toggle"); /* set to nothing */
	lacks(r.notes, "yaw-zero-pos");   /* taken over */
	lacks(r.notes, "migration");
	int lines = 0;
	for (const char *c = r.notes; *c; c++)
		lines += *c == '\n';
	assert_int_equal(lines, r.n);
	done(&r);
}
/* Line ends of Windows, a byte order mark, bytes as newer Qt writes them, a curve that changes nothing. */
static void test_forms(void **unused)
{
	(void)unused;
	struct result r = CONVERT("\xef\xbb\xbf[spline-roll]\r\n"
	                          "points=\"@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\xfQList<QPointF>\\0\\0\\0\\0\\x1@"
	                          "C\xc3\x80\\0\\0\\0\\0\\0@\\x14\\0\\0\\0"
	                          "\\0\\0\\0)\"\r\n[spline-yaw]\npoints=@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\xfQList<"
	                          "QPointF>\\0\\0\\0\\0\\x1@f\\x80\\0\\0"
	                          "\\0\\0\\0@f\\x80\\0\\0\\0\\0\\0)\n");
	holds(r.ini, "[filter curve]\nuse = curve\nroll = 39.5:5\n");
	lacks(r.ini, "yaw =");
	done(&r);
	r = CONVERT("[modules]\nfilter-dll=ewma\nprotocol-dll=wine\n[opentrack-ui]\ncentering-mode=2\n"
	            "center-at-startup=false\n");
	holds(r.ini, "[filter center]\nmode = full\ntilt = head\nat_start = no\n");
	holds(r.ini, "use = opentrack_shm\n");
	holds(r.notes, "filter-dll = ewma: no such filter here");
	done(&r);
	has_ewma = true;
	r = CONVERT(
	    "[modules]\nfilter-dll=ewma\n[ewma-filter]\n"
	    "max-smoothing=@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\x18::options::slider_value\\0?\\xe0\\0\\0\\0\\0\\0\\0"
	    "\\0\\0\\0\\0\\0\\0\\0\\0?\\xf0\\0\\0\\0\\0\\0\\0)\n");
	holds(r.ini, "[filter ewma]\nmin = 20ms\nmax = 500ms\ncurve = 0.8\n");
	done(&r);
	has_ewma = false;
	r = CONVERT("[modules]\nprotocol-dll=fg\nfilter-dll=\n[opentrack-ui]\ncentering-mode=0\n[opentrack-mappings]\n"
	            "yaw-max-value=60\npitch-max-output-value=180\n");
	holds(r.ini, "use = flightgear\n");
	holds(r.ini, "yaw = 60:180\n"); /* no points: a straight line to both ends */
	lacks(r.ini, "[filter center]");
	lacks(r.ini, "[filter accela]");
	holds(r.notes, "a pitch ends straight up or down");
	done(&r);
	r = CONVERT("[modules]\nfilter-dll=\\x1b[2J\nprotocol-dll=simconnect\n");
	holds(r.notes, "filter-dll = .[2J: no such filter");
	holds(r.notes, "protocol-dll = simconnect: no such output here");
	holds(r.ini, "use = opentrack_udp\nto = 127.0.0.1:4242\n");
	done(&r);
}
/* What is no value, or no address, is not made one in silence. */
static void test_nonsense(void **unused)
{
	static const char *const bad[] = { "ip1=300", "ip2=-5", "ip3=99999", "ip4=x",   "port=70000", "port=0",
		                           "port=",   "ip1=",   "ip2=1.5",   "ip3=1e1", "port=-1" };
	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		char text[200];
		snprintf(text, sizeof text, "[modules]\nprotocol-dll=udp\n[udp-proto]\nip1=10\nport=4243\n%s\n",
		         bad[i]);
		struct result r = convert(text, strlen(text));
		holds(r.ini, "\nto = 127.0.0.1:4242\n");
		holds(r.notes, ": no address; poses go to 127.0.0.1:4242 instead\n");
		done(&r);
	}
	struct result r =
	    CONVERT("[modules]\nprotocol-dll=udp\n[udp-proto]\nip1=255\nip2=0\nip3=1\nip4=2\nport=65535\n");
	holds(r.ini, "\nto = 255.0.1.2:65535\n");
	lacks(r.notes, "no address");
	done(&r);
	r = CONVERT("[modules]\nfilter-dll=accela\n[opentrack-ui]\nyaw-zero-pos=nan\npitch-zero-pos=1e9\n"
	            "roll-zero-pos=1000\nneck-enable=true\nneck-depth=-1e9\ncenter-at-startup=maybe\n"
	            "centering-mode=99999999999999999\n[accela-sliders]\n"
	            "rotation-deadzone=@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\x18::options::slider_"
	            "value\\0\\x7f\\xf8\\0\\0\\0\\0\\0\\0"
	            "\\0\\0\\0\\0\\0\\0\\0\\0?\\xf0\\0\\0\\0\\0\\0\\0)\n");
	static const char *const said[] = {
		"[opentrack-ui] yaw-zero-pos = nan: not understood; ",
		"[opentrack-ui] pitch-zero-pos = 1e9: not understood; ",
		"roll-zero-pos = 1000: ends at 180 here\n",
		"[opentrack-ui] neck-depth = -1e9: not understood; ",
		"[opentrack-ui] center-at-startup = maybe: not understood; ",
		"[accela-sliders] rotation-deadzone = @Variant(",
	};
	for (size_t i = 0; i < sizeof said / sizeof *said; i++)
		holds(r.notes, said[i]);
	holds(r.ini, "deadzone = 0.03\n");
	done(&r);
	r = CONVERT("[opentrack-ui]\nneck-enable=true\nneck-depth=-1000000000\n");
	holds(r.notes, "neck-depth = -1e+09: ends at -30 here\n");
	holds(r.ini, "forward = -30\n");
	done(&r);
}
static void test_refused(void **unused)
{
	static const struct {
		const char *text, *why;
		int line;
	} bad[] = {
		{ "", "no profile of opentrack", 0 },
		{ "[x]\na=1\n", "no profile of opentrack", 0 },
		{ "[Curves-rx]\npoint-count=1\n", "before 2.3", 0 },
		{ "\n[modules\n", "a section without ]", 2 },
		{ "a=1\n", "a key before the first section", 1 },
		{ "[modules]\na=1\nb\n", "neither a section nor key=value", 3 },
	};
	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct hp_profile p;
		int line = -1;
		char why[200] = "";
		assert_int_equal(hp_profile_read(&p, bad[i].text, strlen(bad[i].text), &line, why, sizeof why),
		                 -EINVAL);
		holds(why, bad[i].why);
		assert_int_equal(line, bad[i].line);
		hp_profile_free(&p);
	}
	/* values that are something else than they should be */
	struct hp_profile p;
	int line;
	char why[200];
	double xy[4];
	static const char text[] = "[modules]\na=maybe\nb=1.5x\nc=-12.25\nd=@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\xfQList<"
	                           "QPointF>\\0\\0\\0\\0\\x3)\n"
	                           "e=@Variant(\\0\\0\\0\\x1a@\\x10\\0\\0\\0\\0\\0\\0)\nf=99999999999999999999\n";
	assert_int_equal(hp_profile_read(&p, text, sizeof text - 1, &line, why, sizeof why), 0);
	assert_true(hp_profile_bool(&p, "modules", "a", true));
	assert_true(hp_profile_number(&p, "modules", "b", 7) == 7);
	assert_true(hp_profile_number(&p, "modules", "c", 7) == -12.25);
	assert_true(hp_profile_number(&p, "modules", "f", 7) == 7);
	assert_int_equal(hp_profile_points(&p, "modules", "d", xy, 2), -1);
	assert_int_equal(hp_profile_points(&p, "modules", "e", xy, 2), -1);
	assert_int_equal(hp_profile_points(&p, "modules", "none", xy, 2), 0);
	hp_profile_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_nonsense),
		cmocka_unit_test(test_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
