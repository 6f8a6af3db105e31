/* SPDX-License-Identifier: MIT
 * test_options.c - option tables: values out of text, sentences about bad ones, live changes, sound tables. */
#include "config/options.h"
#include <errno.h>
#include <locale.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct state {
	bool on;
	int count;
	int64_t big;
	double alpha, plain;
	const char *label, *secret, *file;
	int format;
	int64_t wait;
	struct hp_addrs to, from_any;
	struct hp_list axes;
};
static const struct hp_option table[] = {
	HP_OPT_BOOL(struct state, on, "yes", "a switch"),
	HP_OPT_INT(struct state, count, "3", 0, 10, "how many"),
	HP_OPT_INT(struct state, big, "0", 0, 0, "no range"),
	HP_OPT_REAL(struct state, alpha, "0.18", 0.001, 1, "smoothing factor", HP_LIVE),
	HP_OPT_REAL(struct state, plain, "0", 0, 0, "no range", HP_LIVE),
	HP_OPT_STR(struct state, label, "", "a text", HP_LIVE),
	HP_OPT_STR(struct state, secret, "x", "a password", HP_LIVE | HP_SECRET),
	HP_OPT_PATH(struct state, file, "out.csv", "where to"),
	HP_OPT_ENUM(struct state, format, "csv", "csv|tsv|none", "what"),
	HP_OPT_NS(struct state, wait, "20ms", 0.001, 120, "how long"),
	HP_OPT_ADDRS(struct state, to, "127.0.0.1:4242", "receivers", HP_LIVE),
	HP_OPT_ADDRS_AS(struct state, from_any, "from-any", "", "no default"),
	HP_OPT_LIST(struct state, axes, "YXZ", "X|Y|Z", "an order", HP_PERMUTATION | HP_LIVE),
	HP_OPT_GONE("host", "use `to` instead"),
	HP_OPT_END
};

static struct state state;
static struct hp_values values;
static struct hp_config config;
static struct hp_errors errors;
static char why[200];

static int fresh(void **unused)
{
	(void)unused;
	hp_values_free(&values);
	hp_config_free(&config);
	hp_errors_free(&errors);
	memset(&state, 0, sizeof state);
	return 0;
}

static const struct hp_option *row(const char *key)
{
	const struct hp_option *found = hp_option_find(table, key);
	assert_non_null(found);
	return found;
}

static void good(const char *key, const char *text)
{
	const struct hp_option *r = row(key);
	strcpy(why, "");
	int result = hp_option_parse(r, text, "/etc/pipes", (char *)&state + r->offset, &values, why, sizeof why);
	assert_string_equal(why, "");
	assert_int_equal(result, 0);
}

static void bad(const char *key, const char *text, const char *want)
{
	const struct hp_option *r = row(key);
	struct state before = state;
	strcpy(why, "");
	assert_int_equal(hp_option_parse(r, text, "/etc/pipes", (char *)&state + r->offset, &values, why, sizeof why),
	                 -1);
	assert_string_equal(why, want);
	assert_memory_equal(&before, &state, sizeof state);
}

static void bools(void **unused)
{
	(void)unused;
	static const char *const words[] = { "yes", "no", "true", "false", "on", "off" };
	for (int i = 0; i < 6; i++) {
		good("on", words[i]);
		assert_int_equal(state.on, i % 2 == 0);
	}
	bad("on", "", "no value");
	bad("on", "1", "neither yes nor no");
	bad("on", "Yes", "neither yes nor no");
}

/* The indexes as digits. */
static void is_list(const struct hp_list *l, const char *want)
{
	char got[HP_LIST_MAX + 1];
	for (uint32_t i = 0; i < l->n; i++)
		got[i] = (char)('0' + l->at[i]);
	got[l->n] = 0;
	assert_string_equal(got, want);
}

static void list(const struct hp_option *r, const char *text, const char *want)
{
	struct hp_list l = { 9, NULL };
	strcpy(why, "");
	if (!hp_option_parse(r, text, NULL, &l, &values, why, sizeof why))
		is_list(&l, want);
	else
		assert_string_equal(why, want);
}

static void lists(void **unused)
{
	(void)unused;
	static const struct hp_option rows[] = {
		HP_OPT_LIST(struct state, axes, "XYZ", "X|Y|Z", "d", HP_PERMUTATION),
		HP_OPT_LIST(struct state, axes, "none", "X|Y|Z", "d", HP_SET),
		HP_OPT_LIST(struct state, axes, "yaw", "yaw|pitch|roll", "d"),
	};
	list(&rows[0], "YXZ", "102");
	list(&rows[0], " z, x y", "201");
	list(&rows[0], "XY", "must name each of X, Y, Z once");
	list(&rows[0], "XYZX", "`X` stands there twice");
	list(&rows[0], "XYW", "`W` is none of X, Y, Z");
	list(&rows[0], "none", "must name each of X, Y, Z once");
	list(&rows[0], "", "no value");
	list(&rows[1], "zx", "20");
	list(&rows[1], "NONE", "");
	list(&rows[1], " , ", "is empty; write `none`");
	list(&rows[1], "XX", "`X` stands there twice");
	list(&rows[2], "roll,yaw roll", "202");
	list(&rows[2], "yawroll", "`yawroll` is none of yaw, pitch, roll");
	char longest[HP_LIST_MAX * 4 + 8] = "", many[HP_LIST_MAX + 1];
	for (int i = 0; i < HP_LIST_MAX; i++)
		strcat(longest, "yaw ");
	memset(many, '0', HP_LIST_MAX);
	many[HP_LIST_MAX] = 0;
	list(&rows[2], longest, many);
	strcat(longest, "yaw");
	list(&rows[2], longest, "the list is too long");
}

static void ints(void **unused)
{
	(void)unused;
	static const struct {
		const char *text;
		int64_t value;
	} fine[] = { { "0", 0 },
		     { "+7", 7 },
		     { "-7", -7 },
		     { "007", 7 },
		     { "0x2a", 42 },
		     { "0X2A", 42 },
		     { "-0x10", -16 },
		     { "9223372036854775807", INT64_MAX },
		     { "-9223372036854775808", INT64_MIN },
		     { "0x7fffffffffffffff", INT64_MAX } };
	for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
		good("big", fine[i].text);
		assert_true(state.big == fine[i].value);
	}
	static const char *const no[] = { "x",   "-",    "+",   "0x",  "1.0", "1e3", "1 2",
		                          "--1", "0x1g", "1,8", "nan", "0b1", "12a" };
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		bad("big", no[i], "not a whole number");
	bad("big", "9223372036854775808", "out of range");
	bad("big", "-9223372036854775809", "out of range");
	bad("big", "99999999999999999999999999", "out of range");
	bad("big", "", "no value");
	good("count", "10");
	assert_int_equal(state.count, 10);
	bad("count", "11", "out of range");
	bad("count", "-1", "out of range");
	bad("count", "4294967299", "out of range");
	static const struct hp_option narrow[] = { HP_OPT_INT(struct state, count, "0", 0, 0, "d"), HP_OPT_END };
	assert_int_equal(hp_option_parse(narrow, "2147483648", NULL, &state.count, &values, why, sizeof why), -1);
	assert_int_equal(hp_option_parse(narrow, "-2147483648", NULL, &state.count, &values, why, sizeof why), 0);
	assert_int_equal(state.count, INT32_MIN);
}

static void reals(void **unused)
{
	(void)unused;
	static const char *const fine[] = { "0",   "-0",   "0.18",     "+.5",    "5.",
		                            "1e3", "1E-3", "-2.5e+10", "1e-400", "0.1000000000000000055" };
	for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
		good("plain", fine[i]);
		double want = strtod(fine[i], NULL);
		assert_memory_equal(&state.plain, &want, sizeof want);
	}
	static const char *const no[] = { "x", "nan", "NaN", "inf",  "-inf", "1.8x",  "0x10", "1e",      "1e+",
		                          ".", "-",   "1 2", "1..2", "--1",  "1.2.3", "e5",   "infinity" };
	for (size_t i = 0; i < sizeof no / sizeof *no; i++)
		bad("plain", no[i], "not a number");
	bad("plain", "1,8", "not a number; write a point, not a comma");
	bad("plain", "1e400", "out of range");
	bad("plain", "-1e400", "out of range");
	bad("plain", "", "no value");
	good("alpha", "0.001");
	good("alpha", "1");
	bad("alpha", "1.0000001", "out of range");
	bad("alpha", "0", "out of range");
}

static void foreign_locale(void **unused)
{
	(void)unused;
	char folder[] = "/tmp/headpipe-locale-XXXXXX", command[160];
	assert_non_null(mkdtemp(folder));
	snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
	int made = setlocale(LC_ALL, "de_DE.UTF-8") ? 0 : system(command);
	setenv("LOCPATH", folder, 1);
	bool german = made == 0 && setlocale(LC_ALL, "de_DE.UTF-8");
	unsetenv("LOCPATH");
	snprintf(command, sizeof command, "rm -r %s", folder);
	if (system(command) != 0 || !german) {
		print_message("skip: no German locale, and localedef cannot make one\n");
		skip();
	}
	assert_string_equal(localeconv()->decimal_point, ",");
	char text[64];
	good("plain", "0.18");
	assert_true(state.plain == 18.0 / 100);
	bad("plain", "0,18", "not a number; write a point, not a comma");
	hp_option_allowed(row("alpha"), text, sizeof text);
	assert_string_equal(text, "0.001 to 1");
	setlocale(LC_ALL, "C");
}

static void times(void **unused)
{
	(void)unused;
	static const struct hp_option any[] = { HP_OPT_NS(struct state, wait, "0", 0, 0, "d"), HP_OPT_END };
	static const struct {
		const char *text;
		int64_t ns;
	} fine[] = { { "1ns", 1 },
		     { "20us", 20000 },
		     { "20ms", 20000000 },
		     { "20 ms", 20000000 },
		     { "2s", 2000000000 },
		     { "5min", 300000000000 },
		     { "1.5h", 5400000000000 },
		     { "0", 0 },
		     { "0.0", 0 },
		     { "-3ms", -3000000 },
		     { ".5us", 500 },
		     { "1.000000001s", 1000000001 },
		     { "1.0000000010s", 1000000001 },
		     { "0.1s", 100000000 },
		     { "9223372036854775807ns", INT64_MAX },
		     { "9223372036.854775807s", INT64_MAX } };
	for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
		assert_int_equal(hp_option_parse(any, fine[i].text, NULL, &state.wait, &values, why, sizeof why), 0);
		assert_true(state.wait == fine[i].ns);
	}
	bad("wait", "20", "a time needs a unit: ns, us, ms, s, min or h");
	bad("wait", "20m", "not a time; units are ns, us, ms, s, min, h");
	bad("wait", "20 MS", "not a time; units are ns, us, ms, s, min, h");
	bad("wait", "1,5s", "not a time; write a point, not a comma");
	bad("wait", "nan", "not a time");
	bad("wait", "ms", "not a time");
	bad("wait", "1e3ms", "not a time; units are ns, us, ms, s, min, h");
	bad("wait", "0.5ns", "finer than a nanosecond");
	bad("wait", "1.0000000001s", "finer than a nanosecond");
	bad("wait", "9223372036854775808ns", "out of range");
	bad("wait", "99999999999999999999999999999999999999999h", "out of range");
	bad("wait", "3000000h", "out of range");
	bad("wait", "121s", "out of range");
	bad("wait", "0", "out of range");
	bad("wait", "", "no value");
	good("wait", "1ms");
	good("wait", "2min");
	assert_true(state.wait == 120000000000);
}

static void texts(void **unused)
{
	(void)unused;
	good("label", "");
	assert_string_equal(state.label, "");
	good("label", "a b");
	assert_string_equal(state.label, "a b");
	bad("secret", "", "no value");
	good("format", "tsv");
	assert_int_equal(state.format, 1);
	bad("format", "cs", "not one of the choices");
	bad("format", "csv|tsv", "not one of the choices");
	bad("format", "CSV", "not one of the choices");
	bad("format", "", "no value");
}

static void paths(void **unused)
{
	(void)unused;
	static const struct {
		const char *base, *text, *want;
	} fine[] = { { "/etc/pipes", "a.csv", "/etc/pipes/a.csv" },
		     { "/etc/pipes", "../a b.csv", "/etc/pipes/../a b.csv" },
		     { "/etc/pipes", ".//./a", "/etc/pipes/a" },
		     { NULL, "./a", "./a" },
		     { "/", "a", "/a" },
		     { "conf", "a", "conf/a" },
		     { ".", "a", "a" },
		     { NULL, "a", "a" },
		     { "/etc/pipes", "/a", "/a" },
		     { "/etc/pipes", "~/a", "/home/somebody/a" },
		     { "/etc/pipes", "~", "/home/somebody" } };
	setenv("HOME", "/home/somebody", 1);
	for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
		assert_int_equal(
		    hp_option_parse(row("file"), fine[i].text, fine[i].base, &state.file, &values, why, sizeof why), 0);
		assert_string_equal(state.file, fine[i].want);
	}
	bad("file", "", "no value");
	bad("file", "~root/a", "only ~/ is known, not the home of another user");
	char *longest = malloc(5001);
	memset(longest, 'a', 5000);
	longest[5000] = '\0';
	bad("file", longest, "the path is too long");
	free(longest);
}

static void addr(uint32_t i, const char *host, uint16_t port)
{
	assert_true(i < state.to.n);
	assert_string_equal(state.to.at[i].host, host);
	assert_int_equal(state.to.at[i].port, port);
}

static void addresses(void **unused)
{
	(void)unused;
	good("to", "10.0.0.2:5005");
	assert_int_equal(state.to.n, 1);
	addr(0, "10.0.0.2", 5005);
	good("to", "127.0.0.1:1, [::1]:65535 :7,name-x.local:8\thost_9");
	assert_int_equal(state.to.n, 5);
	addr(0, "127.0.0.1", 1);
	addr(1, "::1", 65535);
	addr(2, "127.0.0.1", 7);
	addr(3, "name-x.local", 8);
	addr(4, "host_9", 4242); /* the port of the default */
	good("to", "[fe80::1%eth0]");
	addr(0, "fe80::1%eth0", 4242);
	good("to", "10.0.0.7 , [::]");
	addr(0, "10.0.0.7", 4242);
	addr(1, "::", 4242);
	good("from-any", "");
	assert_int_equal(state.from_any.n, 0);
	assert_null(state.from_any.at);
	good("from-any", "a:1");
	bad("from-any", "localhost", "`localhost` has no port");
	bad("from-any", "[::1]", "`::1` has no port");
#define PORT "port must be 1 to 65535"
	static const char *const ports[] = { "a:0",  "a:65536", "a:99999",  "a:",     "a:x", "a:-1",
		                             "a:+1", "a:1.0",   "a:000080", "[::1]:", ":",   "a:0x50" };
	for (size_t i = 0; i < sizeof ports / sizeof *ports; i++)
		bad("to", ports[i], PORT);
	bad("to", "", "no value");
	bad("to", ",", "an address is missing at a comma");
	bad("to", "a:1,", "an address is missing at a comma");
	bad("to", "a:1,,b:2", "an address is missing at a comma");
	bad("to", ", a:1", "an address is missing at a comma");
	bad("to", "::1:4242", "`::1:4242`: an IPv6 address stands in brackets, like [::1]:4242");
	bad("to", "[::1", "`[::1` is not [IPv6]:port");
	bad("to", "[::1]4242", "`[::1]4242` is not [IPv6]:port");
	bad("to", "[a]:1", "`a` is not an IPv6 address");
	bad("to", "[]:1", "`` is not an IPv6 address");
	bad("to", "[::1%]:1", "`::1%` is not an IPv6 address");
	bad("to", "4242", "`4242` is not an address; a port alone is written :4242");
	bad("to", "300.1.1.1:4242", "`300.1.1.1` is not an IPv4 address");
	bad("to", "127.0.1:4242", "`127.0.1` is not an IPv4 address");
	bad("to", "udp://a:1", "`udp://a:1` is a URL; an address is host:port");
	bad("to", "a/b:1", "`a/b` is not a host name");
	char many[64 * 4 + 8] = "", name[300];
	for (int i = 0; i < 64; i++)
		strcat(many, "a:1 ");
	good("to", many);
	assert_int_equal(state.to.n, 64);
	strcat(many, "b:2");
	bad("to", many, "more than 64 addresses");
	memset(name, 'n', sizeof name);
	strcpy(name + 255, ":1");
	good("to", name);
	assert_int_equal(strlen(state.to.at[0].host), 255);
	strcpy(name + 255, "n:1");
	bad("to", name, "a host name has at most 255 bytes");
	memset(name, 'n', 299);
	name[299] = '\0';
	bad("to", name, "a host name has at most 255 bytes");
}

static int fill(const char *pairs, const struct hp_option *other)
{
	char text[600];
	fresh(NULL);
	int size = snprintf(text, sizeof text, "[output x]\n%s", pairs);
	assert_int_equal(hp_config_parse(&config, text, (size_t)size, "conf/t.ini", &errors), 0);
	return hp_options_fill(table, &state, &config.sections[0], "mod", &other, 1, &values, &errors);
}

static void wrong(const char *pairs, const char *want)
{
	assert_int_equal(fill(pairs, NULL), -1);
	assert_string_equal(errors.text, want);
}

static void filling(void **unused)
{
	(void)unused;
	assert_int_equal(fill("alpha = 0.5\nfile = a\nuse = mod\nrate = 3\nto = :9\n", NULL), 0);
	assert_null(errors.text);
	assert_true(state.on);
	assert_int_equal(state.count, 3);
	assert_true(state.alpha == 0.5);
	assert_string_equal(state.file, "conf/a");
	assert_string_equal(state.label, "");
	assert_string_equal(state.secret, "x");
	assert_int_equal(state.format, 0);
	assert_true(state.wait == 20000000);
	addr(0, "127.0.0.1", 9);
	/* -s: relative to where the command is given, not to the file */
	assert_int_equal(hp_config_set(&config, "x.file=b", &errors), 0);
	assert_int_equal(hp_options_fill(table, &state, &config.sections[0], "mod", NULL, 0, &values, &errors), 0);
	assert_string_equal(state.file, "b");
	assert_int_equal(hp_config_set(&config, "x.alpha=2", &errors), 0);
	assert_int_equal(hp_options_fill(table, &state, &config.sections[0], "mod", NULL, 0, &values, &errors), -1);
	assert_string_equal(errors.text, "command line: error: [output x] alpha = 2: out of range\n"
	                                 "    alpha: smoothing factor, 0.001 to 1, default 0.18\n");
}

static void sentences(void **unused)
{
	(void)unused;
#define TAKES                                                                                                         \
	"mod takes: on, count, big, alpha, plain, label, secret, file, format, wait, to, from-any, axes   (headpipe " \
	"help "                                                                                                       \
	"mod)\n"
	wrong("alpha = 1.8\n", "conf/t.ini:2: error: [output x] alpha = 1.8: out of range\n"
	                       "    alpha: smoothing factor, 0.001 to 1, default 0.18\n");
	wrong("\nalpha =\n", "conf/t.ini:3: error: [output x] alpha = : no value\n"
	                     "    alpha: smoothing factor, 0.001 to 1, default 0.18\n");
	wrong("alpha = 0.5 # calm\n", "conf/t.ini:2: error: [output x] alpha = 0.5 # calm: not a number\n"
	                              "    alpha: smoothing factor, 0.001 to 1, default 0.18\n"
	                              "    a comment behind a value begins with ` ;`\n");
	wrong("format = cvs\n", "conf/t.ini:2: error: [output x] format = cvs: not one of the choices\n"
	                        "    did you mean `csv`?   choices: csv, tsv, none\n");
	wrong("format = parquet\n", "conf/t.ini:2: error: [output x] format = parquet: not one of the choices\n"
	                            "    choices: csv, tsv, none\n");
	wrong("on = Yes\n", "conf/t.ini:2: error: [output x] on = Yes: neither yes nor no\n"
	                    "    did you mean `yes`?\n    on: a switch, yes or no, default yes\n");
	wrong("to = 127.0.0.1:99999\n",
	      "conf/t.ini:2: error: [output x] to = 127.0.0.1:99999: port must be 1 to 65535\n"
	      "    to: receivers, address:port[, ...], default 127.0.0.1:4242\n");
	wrong("wait = 5\n", "conf/t.ini:2: error: [output x] wait = 5: a time needs a unit: ns, us, ms, s, min or h\n"
	                    "    wait: how long, 1ms to 2min, default 20ms\n");
	wrong("tp = 127.0.0.1:1\n", "conf/t.ini:2: error: [output x] tp = 127.0.0.1:1: no such option\n"
	                            "    did you mean `to`?   " TAKES);
	wrong("encodin = json\n", "conf/t.ini:2: error: [output x] encodin = json: no such option\n"
	                          "    did you mean `encoding`?   " TAKES);
	wrong("volume = 11\n", "conf/t.ini:2: error: [output x] volume = 11: no such option\n    " TAKES);
	wrong("secrt = hunter2\n", "conf/t.ini:2: error: [output x] secrt = (hidden): no such option\n"
	                           "    did you mean `secret`?   " TAKES);
	wrong("secret =\n", "conf/t.ini:2: error: [output x] secret = (hidden): no value\n    secret: a password\n");
	wrong("host = a\n", "conf/t.ini:2: error: [output x] host = (hidden): this option is gone: use `to` instead\n");
}

static void other_tables(void **unused)
{
	(void)unused;
	static const struct hp_option scale[] = { HP_OPT_REAL_AS(struct state, plain, "scale", "1", 0, 9, "scales"),
		                                  HP_OPT_END };
	static const struct hp_option needed[] = { HP_OPT_PATH(struct state, file, NULL, "the recording"), HP_OPT_END };
	static const struct hp_option none[] = { HP_OPT_END };
	assert_int_equal(fill("scale = 2\n", scale), 0);
	assert_int_equal(fill("scael = 2\n", scale), -1);
	assert_non_null(strstr(errors.text, "did you mean `scale`?   mod takes: on, count,"));
	assert_non_null(strstr(errors.text, ", from-any, axes, scale   (headpipe help mod)"));
	fresh(NULL);
	assert_int_equal(hp_config_parse(&config, "[input a]\nrate = 5\n[headpipe]\nuse = 1\n", 37, "t.ini", &errors),
	                 0);
	assert_int_equal(hp_options_fill(needed, &state, &config.sections[0], "mod", NULL, 0, &values, &errors), -1);
	assert_string_equal(errors.text, "t.ini:1: error: [input a] file is missing\n    file: the recording, a path\n"
	                                 "t.ini:2: error: [input a] rate = 5: no such option\n"
	                                 "    `rate` belongs into an [output NAME] section\n");
	hp_errors_free(&errors);
	assert_int_equal(hp_options_fill(none, &state, &config.sections[1], "headpipe", NULL, 0, &values, &errors), -1);
	assert_string_equal(errors.text, "t.ini:4: error: [headpipe] use = 1: no such option\n"
	                                 "    headpipe has no options of its own   (headpipe help headpipe)\n");
}

static void allowed(const char *key, const char *want)
{
	char text[100];
	hp_option_allowed(row(key), text, sizeof text);
	assert_string_equal(text, want);
}

static void words(void **unused)
{
	(void)unused;
	allowed("on", "yes or no");
	allowed("count", "0 to 10");
	allowed("big", "a whole number");
	allowed("alpha", "0.001 to 1");
	allowed("plain", "a number");
	allowed("label", "text");
	allowed("file", "a path");
	allowed("format", "csv|tsv|none");
	allowed("wait", "1ms to 2min");
	allowed("to", "address:port[, ...]");
	assert_null(hp_option_find(table, "host"));
	assert_null(hp_option_find(NULL, "host"));
	assert_true(hp_option_is_host_key("use", HP_FILTER));
	assert_false(hp_option_is_host_key("rate", HP_FILTER));
	assert_true(hp_option_is_host_key("rate", HP_OUTPUT));
	assert_true(hp_option_is_host_key("rate", HP_ENCODER));
	assert_false(hp_option_is_host_key("to", HP_OUTPUT));
}

static int calls, answer;
static int changed(void *self)
{
	calls++;
	assert_ptr_equal(self, &state);
	return answer;
}

static int change(const struct hp_change *changes, size_t n)
{
	calls = 0;
	return hp_options_change(table, &state, changes, n, NULL, changed, &values, why, sizeof why);
}

static void live(void **unused)
{
	(void)unused;
	static const struct hp_change both[] = {
		{ "alpha", "0.25" }, { "label", "new" }, { "to", "a:1 b:2" }, { "axes", "ZXY" }
	};
	static const struct hp_change not_live[] = { { "alpha", "0.75" }, { "count", "4" } };
	static const struct hp_change out[] = { { "label", "newer" }, { "alpha", "7" } };
	static const struct hp_change unknown[] = { { "alpha", "0.75" }, { "beta", "4" } };
	static const struct hp_change twice[] = { { "label", "1" }, { "label", "2" } };
	static const struct hp_change secret[] = { { "secret", "" } };
	assert_int_equal(fill("label = old\n", NULL), 0);
	size_t blocks = values.nblocks;
	answer = 0;
	assert_int_equal(change(both, 4), 0);
	is_list(&state.axes, "201");
	assert_int_equal(calls, 1);
	assert_true(state.alpha == 0.25);
	assert_string_equal(state.label, "new");
	assert_int_equal(state.to.n, 2);
	assert_int_equal(values.nblocks, blocks); /* the old texts are gone: no growth over a long run */
	struct state before = state;
	answer = -EBUSY;
	static const struct hp_change refused[] = {
		{ "alpha", "0.5" }, { "label", "no" }, { "to", "c:3" }, { "axes", "XYZ" }
	};
	assert_int_equal(change(refused, 4), -EBUSY);
	assert_int_equal(calls, 1);
	assert_memory_equal(&before, &state, sizeof state);
	assert_string_equal(state.label, "new");
	addr(1, "b", 2);
	is_list(&state.axes, "201");
	assert_string_equal(why, "refused by the module: Device or resource busy");
	answer = 0;
	assert_int_equal(change(not_live, 2), -EPERM);
	assert_string_equal(why, "count: cannot change while running");
	assert_int_equal(change(out, 2), -EINVAL);
	assert_string_equal(why, "alpha = 7: out of range (0.001 to 1)");
	assert_int_equal(change(unknown, 2), -ENOENT);
	assert_string_equal(why, "beta: no such option");
	assert_int_equal(change(twice, 2), -EINVAL);
	assert_string_equal(why, "label: given twice");
	assert_int_equal(change(secret, 1), -EINVAL);
	assert_string_equal(why, "secret: no value");
	assert_int_equal(calls, 0);
	assert_memory_equal(&before, &state, sizeof state);
	assert_int_equal(values.nblocks, blocks);
	assert_int_equal(change(NULL, 0), 0);
	for (int i = 0; i < 1000; i++)
		assert_int_equal(change(i % 2 ? both : both + 1, i % 2 ? 4 : 1), 0);
	assert_int_equal(values.nblocks, blocks);
}

static void unsound(const struct hp_option *rows, enum hp_kind kind, const char *want)
{
	const char *got = hp_options_check(rows, sizeof(struct state), kind, why, sizeof why);
	assert_string_equal(got ? got : "(sound)", want);
}

static void tables(void **unused)
{
	(void)unused;
	unsound(table, HP_OUTPUT, "(sound)");
	unsound(NULL, HP_OUTPUT, "(sound)");
	unsound(hp_host_options, (enum hp_kind)0, "(sound)");
	unsound(hp_host_input_options, (enum hp_kind)0, "(sound)");
	unsound(hp_host_output_options, (enum hp_kind)0, "(sound)");
#define ROW(...) ((const struct hp_option[]){ __VA_ARGS__, HP_OPT_END })
	unsound(ROW(HP_OPT_REAL(struct state, alpha, "0.5", 0, 1, "d")), HP_FILTER, "(sound)");
	unsound(ROW(HP_OPT_REAL(struct state, alpha, "5", 0, 1, "d")), HP_FILTER, "default of `alpha`: out of range");
	unsound(ROW(HP_OPT_REAL(struct state, alpha, "x", 0, 1, "d")), HP_FILTER, "default of `alpha`: not a number");
	unsound(ROW(HP_OPT_ADDRS(struct state, to, "localhost", "d")), HP_OUTPUT,
	        "default of `to`: `localhost` has no port");
	unsound(ROW(HP_OPT_REAL(struct state, alpha, "0", 1, 0, "d")), HP_FILTER, "option `alpha`: min is above max");
	unsound(ROW(HP_OPT_REAL(struct state, alpha, "0", 0, 0, "")), HP_FILTER, "option `alpha`: no doc text");
	unsound(ROW(HP_OPT_REAL_AS(struct state, alpha, "Al", "0", 0, 0, "d")), HP_FILTER,
	        "option `Al`: a key is lower-case letters, digits, `_` and `-`, at most 32");
	unsound(ROW(HP_OPT_REAL_AS(struct state, alpha, "rate", "0", 0, 0, "d")), HP_FILTER, "(sound)");
	unsound(ROW(HP_OPT_REAL_AS(struct state, alpha, "rate", "0", 0, 0, "d")), HP_ENCODER,
	        "option `rate`: this key belongs to the host");
	unsound(ROW(HP_OPT_REAL_AS(struct state, alpha, "use", "0", 0, 0, "d")), HP_INPUT,
	        "option `use`: this key belongs to the host");
	unsound(ROW(HP_OPT_ENUM(struct state, format, "a", "a||b", "d")), HP_OUTPUT, "option `format`: bad choices");
	unsound(ROW(HP_OPT_ENUM(struct state, format, "a", "a|b|a", "d")), HP_OUTPUT, "option `format`: bad choices");
	unsound(ROW(HP_OPT_ENUM(struct state, format, "a", NULL, "d")), HP_OUTPUT, "option `format`: bad choices");
	unsound(ROW(HP_OPT_ENUM(struct state, format, "c", "a|b", "d")), HP_OUTPUT,
	        "default of `format`: not one of the choices");
	unsound(ROW(HP_OPT_REAL(struct state, alpha, "0.5", 0, 1, "d", 0, "s", 0.2, 0.8)), HP_FILTER, "(sound)");
	unsound(ROW(HP_OPT_REAL(struct state, alpha, "0.5", 0, 1, "d", 0, "s", 0.2, 2)), HP_FILTER,
	        "option `alpha`: the sensible range is not inside of the range");
	unsound(ROW(HP_OPT_REAL(struct state, alpha, "0.5", 0, 1, "d", 0, "s", 0.8, 0.2)), HP_FILTER,
	        "option `alpha`: the sensible range is not inside of the range");
	unsound(ROW(HP_OPT_LIST(struct state, axes, "XY", "X|Y|Z", "d", HP_SET)), HP_FILTER, "(sound)");
	unsound(ROW(HP_OPT_LIST(struct state, axes, "XY", "X|Y|Z", "d", HP_PERMUTATION)), HP_FILTER,
	        "default of `axes`: must name each of X, Y, Z once");
	unsound(ROW(HP_OPT_LIST(struct state, axes, "XY", NULL, "d")), HP_FILTER, "option `axes`: bad choices");
	unsound(ROW(HP_OPT_BOOL(struct state, on, "yes", "d"), HP_OPT_BOOL(struct state, on, "no", "d")), HP_OUTPUT,
	        "option `on` stands there twice");
	unsound(ROW({ .def = "1", .doc = "d", .type = HP_INT, .size = 4 }), HP_OUTPUT, "option 1: no key");
	unsound(ROW({ .key = "k", .def = "1", .doc = "d", .type = (enum hp_type)99, .size = 4 }), HP_OUTPUT,
	        "option `k`: unknown type");
	unsound(ROW({ .key = "k", .def = "1", .doc = "d", .type = HP_INT, .size = 2 }), HP_OUTPUT,
	        "option `k`: the field has the wrong size for its type");
	unsound(
	    ROW({ .key = "k", .def = "1", .doc = "d", .type = HP_INT, .offset = sizeof(struct state) - 3, .size = 4 }),
	    HP_OUTPUT, "option `k`: the field lies outside of the state");
	unsound(ROW({ .key = "k", .def = "1", .doc = "d", .type = HP_INT, .offset = UINT32_MAX, .size = 4 }), HP_OUTPUT,
	        "option `k`: the field lies outside of the state");
	unsound(ROW(HP_OPT_PATH(struct state, file, "~/x.csv", "d")), HP_OUTPUT, "(sound)");
	struct hp_option *endless = calloc(300, sizeof *endless);
	char keys[300][8];
	for (int i = 0; i < 300; i++) {
		snprintf(keys[i], sizeof keys[i], "k%d", i);
		endless[i] = (struct hp_option){ .key = keys[i], .def = "1", .doc = "d", .type = HP_INT, .size = 4 };
	}
	unsound(endless, HP_OUTPUT, "no HP_OPT_END within 256 options");
	free(endless);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(bools, fresh),        cmocka_unit_test_setup(ints, fresh),
		cmocka_unit_test_setup(reals, fresh),        cmocka_unit_test_setup(foreign_locale, fresh),
		cmocka_unit_test_setup(times, fresh),        cmocka_unit_test_setup(texts, fresh),
		cmocka_unit_test_setup(paths, fresh),        cmocka_unit_test_setup(addresses, fresh),
		cmocka_unit_test_setup(filling, fresh),      cmocka_unit_test_setup(sentences, fresh),
		cmocka_unit_test_setup(other_tables, fresh), cmocka_unit_test_setup(words, fresh),
		cmocka_unit_test_setup(live, fresh),         cmocka_unit_test_setup(tables, fresh),
		cmocka_unit_test_setup(lists, fresh),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fresh(NULL);
	return failed;
}
