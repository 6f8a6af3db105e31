/* SPDX-License-Identifier: MIT
 * test_config.c - ini text to sections, and every sentence about text that is none. */
#include "../plain/plain_ini.h"
#include "config/config.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct hp_config config;
static struct hp_errors errors;

static int fresh(void **unused)
{
	(void)unused;
	hp_config_free(&config);
	hp_errors_free(&errors);
	return 0;
}

static int read_bytes(const char *text, size_t size)
{
	return hp_config_parse(&config, text, size, "t.ini", &errors);
}
static int read_text(const char *text)
{
	return read_bytes(text, strlen(text));
}

static const char *value(size_t section, const char *key)
{
	assert_true(section < config.nsections);
	const struct hp_pair *pair = hp_section_get(&config.sections[section], key);
	return pair ? pair->value : "(none)";
}

/* The text is wrong, and this is all that is said about it. */
static void wrong(const char *text, const char *want)
{
	fresh(NULL);
	assert_int_equal(read_text(text), -1);
	assert_string_equal(errors.text, want);
}

static void good_file(void **unused)
{
	(void)unused;
	assert_int_equal(read_text("; a comment\n"
	                           "# another\n"
	                           "[headpipe]\n"
	                           "\n"
	                           "  [ input\thead ]   ; behind a header\n"
	                           "\tuse = replay\n"
	                           "path=a b.txt\n"
	                           "[filter orientation]# also behind\n"
	                           "[output game]\n"
	                           "to = 127.0.0.1:4242 ; not part of it\n"
	                           "empty =\n"
	                           "also-empty = ; really\n"
	                           "url = a;b #c = d"),
	                 0);
	assert_null(errors.text);
	assert_int_equal(config.nsections, 4);
	assert_string_equal(config.sections[0].kind, "headpipe");
	assert_string_equal(config.sections[0].name, "");
	assert_int_equal(config.sections[0].line, 3);
	assert_string_equal(config.sections[1].kind, "input");
	assert_string_equal(config.sections[1].name, "head");
	assert_int_equal(config.sections[1].line, 5);
	assert_int_equal(config.sections[1].pairs[0].line, 6);
	assert_string_equal(value(1, "use"), "replay");
	assert_string_equal(value(1, "path"), "a b.txt");
	assert_int_equal(config.sections[2].npairs, 0);
	assert_string_equal(value(3, "to"), "127.0.0.1:4242");
	assert_string_equal(value(3, "empty"), "");
	assert_string_equal(value(3, "also-empty"), "");
	assert_string_equal(value(3, "url"), "a;b #c = d");
	assert_string_equal(config.sections[3].file, "t.ini");
	assert_ptr_equal(config.sections[3].file, config.files[0]);
	assert_null(hp_section_get(&config.sections[3], "use"));
}

static void quotes(void **unused)
{
	(void)unused;
	assert_int_equal(read_text("[output x]\n"
	                           "a = \"one ; two\" ; three\n"
	                           "b = sh -c \"x ; y\" ; z\n"
	                           "c = \"say \\\"hi\\\" \\\\ \\n\"\n"
	                           "d = 5\" screen ; note\n"
	                           "e = \"\"\n"
	                           "f = \"  kept  \"\n"
	                           "g = \"a b\" \"c ; d\"\n"
	                           "h = it's ; gone\n"),
	                 0);
	assert_string_equal(value(0, "a"), "one ; two");
	assert_string_equal(value(0, "b"), "sh -c \"x ; y\"");
	assert_string_equal(value(0, "c"), "say \"hi\" \\ \\n");
	assert_string_equal(value(0, "d"), "5\" screen");
	assert_string_equal(value(0, "e"), "");
	assert_string_equal(value(0, "f"), "  kept  ");
	assert_string_equal(value(0, "g"), "\"a b\" \"c ; d\"");
	assert_string_equal(value(0, "h"), "it's");
}

static void line_ends(void **unused)
{
	(void)unused;
	assert_int_equal(read_text("\xef\xbb\xbf[input x]\r\na = 1\r\n\r\n; c\r\nb = 2 ; d\r\nc = 3\r"), 0);
	assert_int_equal(config.nsections, 1);
	assert_string_equal(value(0, "a"), "1");
	assert_string_equal(value(0, "b"), "2");
	assert_string_equal(value(0, "c"), "3");
	assert_int_equal(config.sections[0].pairs[2].line, 6);
	fresh(NULL);
	assert_int_equal(read_text(""), 0);
	assert_int_equal(read_text("\xef\xbb\xbf"), 0);
	assert_int_equal(read_text("\n\n\n"), 0);
	assert_int_equal(config.nsections, 0);
	wrong("[input x]\n\xef\xbb\xbf"
	      "a = 1\n",
	      "t.ini:2: error: `\xef\xbb\xbf"
	      "a`: a key is made of letters, digits, `_` and `-`, and begins with a letter\n");
}

/* Values of every length arrive whole, whatever they are made of, with everything behind them in its place. */
static void long_values(void **unused)
{
	static const char filling[] = "abc ; de\"f\" # :=[x]\t\xc3\xa9;;  ";
	char text[HP_LINE_MAX + 100], want[HP_LINE_MAX];
	(void)unused;
	for (size_t n = 0; n <= HP_LINE_MAX - 6; n += n < 600 ? 1 : 97) {
		for (size_t i = 0; i < n; i++)
			want[i] = filling[(i * 7 + n) % (sizeof filling - 1)];
		for (size_t i = 0; i < n; i++) /* keep UTF-8 whole and quotes out */
			if ((want[i] & 0x80) || want[i] == '"')
				want[i] = '.';
		want[n] = '\0';
		int size = snprintf(text, sizeof text, "[input x]\nk = \"%s\"\nafter = 1\n[filter y]\n", want);
		fresh(NULL);
		assert_int_equal(read_bytes(text, (size_t)size), 0);
		assert_string_equal(value(0, "k"), want);
		assert_string_equal(value(0, "after"), "1");
		assert_int_equal(config.sections[1].line, 4);
	}
}

static void long_lines(void **unused)
{
	static char text[3 * HP_LINE_MAX];
	(void)unused;
	/* exactly the limit, with a Windows line end */
	strcpy(text, "[input x]\nk = ");
	memset(text + 14, 'v', HP_LINE_MAX - 4);
	strcpy(text + 14 + HP_LINE_MAX - 4, "\r\nb = 2\n");
	assert_int_equal(read_text(text), 0);
	assert_int_equal(strlen(value(0, "k")), HP_LINE_MAX - 4);
	assert_string_equal(value(0, "b"), "2");
	/* one more, and a comment that would be a key after a cut */
	strcpy(text, "[input x]\nk = ");
	memset(text + 14, 'v', HP_LINE_MAX - 3);
	strcpy(text + 14 + HP_LINE_MAX - 3, "\nb = 2\n");
	wrong(text, "t.ini:2: error: line is 4097 bytes; the limit is 4096\n");
	assert_string_equal(value(0, "b"), "2");
	strcpy(text, "[input x]\n;");
	memset(text + 11, ' ', 5120);
	strcpy(text + 11 + 5108, "evil = 1\nc = 3\n");
	wrong(text, "t.ini:2: error: line is 5117 bytes; the limit is 4096\n");
	assert_string_equal(value(0, "evil"), "(none)");
	assert_string_equal(value(0, "c"), "3");
	/* what follows a header that cannot be read belongs to nobody */
	strcpy(text, "[input x]\na = 1\n[");
	memset(text + 17, 'y', 5000);
	strcpy(text + 17 + 5000, "]\nb = 2\n");
	wrong(text, "t.ini:3: error: line is 5002 bytes; the limit is 4096\n");
	assert_string_equal(value(0, "b"), "(none)");
}

static void bad_headers(void **unused)
{
	(void)unused;
#define MUST "section must be [headpipe], [input NAME], [filter NAME] or [output NAME]\n"
	wrong("[ouput x]\nto = 1\nto = 2\n", "t.ini:1: error: [ouput x]: " MUST "    did you mean [output x]?\n");
	wrong("[Input head]\n", "t.ini:1: error: [Input head]: " MUST "    did you mean [input head]?\n");
	wrong("[input]\n", "t.ini:1: error: [input]: " MUST "    did you mean [input NAME]?\n");
	wrong("[]\n", "t.ini:1: error: []: " MUST);
	wrong("[orientation]\n", "t.ini:1: error: [orientation]: " MUST);
	wrong("[headpip]\n", "t.ini:1: error: [headpip]: " MUST "    did you mean [headpipe]?\n");
	wrong("[headpipe x]\n", "t.ini:1: error: [headpipe x]: " MUST "    did you mean [headpipe]?\n");
#define NAME "a name begins with a lower-case letter; then come lower-case letters, digits, `_` and `-`\n"
	wrong("[input Head]\n", "t.ini:1: error: [input Head]: " NAME);
	wrong("[input 1st]\n", "t.ini:1: error: [input 1st]: " NAME);
	wrong("[input a b]\n", "t.ini:1: error: [input a b]: " NAME);
	wrong("[input abcdefghijklmnopqrstuvwxyz0123456]\n",
	      "t.ini:1: error: [input abcdefghijklmnopqrstuvwxyz0123456]: the name is 33 bytes; the limit is 32\n");
	wrong("[input x\n", "t.ini:1: error: `[input x` has no `]`\n");
	wrong("[input x ; ]\n", "t.ini:1: error: [input x ;]: " NAME);
	wrong("[input x] to = 1\n", "t.ini:1: error: [input x]: only a comment may stand behind the `]`\n");
	wrong("[input x]\n[input x]\n", "t.ini:2: error: [input x] name already used at line 1\n");
	wrong("[headpipe]\n[headpipe]\n", "t.ini:2: error: [headpipe] already stands at line 1\n");
	fresh(NULL);
	assert_int_equal(read_text("[input x]\n[filter x]\n[output x]\n"), 0);
	assert_int_equal(read_text("[input x]\n"), 0); /* the next file has names of its own */
	assert_int_equal(config.nsections, 4);
	assert_ptr_not_equal(config.sections[0].file, config.sections[3].file);
}

static void bad_pairs(void **unused)
{
	(void)unused;
	wrong("to = 1\n", "t.ini:1: error: `to` stands before the first [section]\n");
	wrong("[input x]\nrate 5\n", "t.ini:2: error: `rate` has no `=`\n");
	wrong("[input x]\npassword hunter2\n", "t.ini:2: error: `password` has no `=`\n");
	wrong("[input x]\nrate ; = 5\n", "t.ini:2: error: `rate` has no `=`\n");
	wrong("[input x]\nto: 5\n", "t.ini:2: error: `to:` has no `=`\n");
	wrong("[input x]\n= 5\n", "t.ini:2: error: ``: no key before the `=`\n");
#define KEY "a key is made of letters, digits, `_` and `-`, and begins with a letter\n"
	wrong("[input x]\na b = 5\n", "t.ini:2: error: `a b`: " KEY);
	wrong("[input x]\na:b = 5\n", "t.ini:2: error: `a:b`: " KEY);
	wrong("[input x]\n1a = 5\n", "t.ini:2: error: `1a`: " KEY);
	wrong("[input x]\nabcdefghijklmnopqrstuvwxyz0123456 = 5\n",
	      "t.ini:2: error: `abcdefghijklmnopqrstuvwxyz0123456`: the key is 33 bytes; the limit is 32\n");
	wrong("[input x]\na = 1\nb = 2\na = 3\n", "t.ini:4: error: [input x] a: already given at line 2\n");
	assert_string_equal(value(0, "a"), "1");
	wrong("[input x]\na = \"b ; c\n", "t.ini:2: error: [input x] a: a quote is not closed\n");
	wrong("[input x]\na = b\x01"
	      "c\n",
	      "t.ini:2: error: [input x] a: control character 0x01\n");
	wrong("[input x]\na = b\rc = 2\r", "t.ini:2: error: [input x] a: control character 0x0d\n");
	wrong("[input x]\na = caf\xe9\n", "t.ini:2: error: [input x] a: not UTF-8 text (byte 0xe9)\n");
	fresh(NULL);
	assert_int_equal(read_text("[input x]\na = caf\xc3\xa9 ; caf\xe9 \x01\n"), 0);
	assert_string_equal(value(0, "a"), "caf\xc3\xa9");
}

static void nul_bytes(void **unused)
{
	static const char nul[] = "[input x]\na = 1\0b = 2\nc = 3\n";
	static const char utf16[] = "\xff\xfe[\0i\0n\0p\0u\0t\0 \0x\0]\0\n\0a\0=\0\x31\0\n\0";
	static const char header[] = "[input x]\n[filter \0y]\nc = 3\n";
	(void)unused;
	assert_int_equal(read_bytes(nul, sizeof nul - 1), -1);
	assert_string_equal(errors.text, "t.ini:2: error: NUL byte\n");
	assert_string_equal(value(0, "a"), "(none)");
	assert_string_equal(value(0, "c"), "3");
	fresh(NULL);
	assert_int_equal(read_bytes(utf16, sizeof utf16 - 1), -1);
	assert_string_equal(errors.text, "t.ini: error: this is UTF-16 text; save it as UTF-8\n");
	fresh(NULL);
	assert_int_equal(read_bytes(header, sizeof header - 1), -1);
	assert_string_equal(errors.text, "t.ini:2: error: NUL byte\n");
	assert_string_equal(value(0, "c"), "(none)");
}

static void limits(void **unused)
{
	static char text[HP_SECTIONS_MAX * 20 + 100];
	size_t n = (size_t)sprintf(text, "[input x]\n");
	(void)unused;
	for (int i = 0; i < HP_PAIRS_MAX + 3; i++)
		n += (size_t)sprintf(text + n, "a%d = 1\n", i);
	wrong(text, "t.ini:258: error: [input x] more than 256 keys\n");
	assert_int_equal(config.sections[0].npairs, HP_PAIRS_MAX);
	n = 0;
	for (int i = 0; i < HP_SECTIONS_MAX + 3; i++)
		n += (size_t)sprintf(text + n, "[input x%d]\n", i);
	wrong(text, "t.ini:1025: error: more than 1024 sections\n");
	assert_int_equal(config.nsections, HP_SECTIONS_MAX);
}

static unsigned noise(unsigned *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 24;
}

/* 10 MB of noise: bounded errors, bounded memory. */
static void garbage(void **unused)
{
	size_t size = 10u << 20;
	char *text = malloc(size);
	unsigned state = 1;
	(void)unused;
	assert_non_null(text);
	for (size_t i = 0; i < size; i++)
		text[i] = (char)noise(&state);
	assert_int_equal(read_bytes(text, size), -1);
	assert_true(errors.count > 1000);
	assert_true(errors.size < HP_ERRORS_MAX * 400);
	size_t lines = 0;
	for (const char *s = errors.text; (s = strstr(s, ": error: ")); s++)
		lines++;
	assert_int_equal(lines, HP_ERRORS_MAX);
	fresh(NULL);
	memset(text, 'x', size);
	assert_int_equal(read_bytes(text, size), -1);
	assert_string_equal(errors.text, "t.ini:1: error: line is 10485760 bytes; the limit is 4096\n");
	free(text);
}

static void files(void **unused)
{
	char folder[] = "/tmp/headpipe-test-XXXXXX", path[64], want[160];
	(void)unused;
	assert_non_null(mkdtemp(folder));
	snprintf(want, sizeof want, "%s: error: this is a directory, not an ini file\n", folder);
	assert_int_equal(hp_config_read(&config, folder, &errors), -1);
	assert_string_equal(errors.text, want);
	fresh(NULL);
	snprintf(path, sizeof path, "%s/a.ini", folder);
	snprintf(want, sizeof want, "%s: error: cannot open it: No such file or directory\n", path);
	assert_int_equal(hp_config_read(&config, path, &errors), -1);
	assert_string_equal(errors.text, want);
	fresh(NULL);
	assert_int_equal(hp_config_read(&config, "/dev/null", &errors), -1);
	assert_string_equal(errors.text, "/dev/null: error: this is a device or socket, not an ini file\n");
	fresh(NULL);
	FILE *f = fopen(path, "w");
	fputs("[input x]\na = 1\n", f);
	fclose(f);
	assert_int_equal(hp_config_read(&config, path, &errors), 0);
	assert_string_equal(value(0, "a"), "1");
	snprintf(want, sizeof want, "%s: error: this file is given twice\n", path);
	assert_int_equal(hp_config_read(&config, path, &errors), -1);
	assert_string_equal(errors.text, want);
	unlink(path);
	rmdir(folder);
}

static void wrong_set(const char *assignment, const char *want)
{
	hp_errors_free(&errors);
	assert_int_equal(hp_config_set(&config, assignment, &errors), -1);
	assert_string_equal(errors.text, want);
}

static void set(void **unused)
{
	(void)unused;
	assert_int_equal(
	    read_text("[input head]\nspeed = 1\n[filter same]\n[output same]\nto = x\n[output game]\nto = y\n"), 0);
	assert_int_equal(hp_config_set(&config, "head.speed= 2 ", &errors), 0);
	assert_int_equal(hp_config_set(&config, "game.to=a=b;c \"d\"", &errors), 0);
	assert_int_equal(hp_config_set(&config, "game.rate=", &errors), 0);
	assert_int_equal(hp_config_set(&config, "output.same.to=z", &errors), 0);
	assert_int_equal(hp_config_set(&config, "filter.same.to=q", &errors), 0);
	assert_int_equal(hp_config_set(&config, "headpipe.log_level=debug", &errors), 0);
	assert_null(errors.text);
	assert_string_equal(value(0, "speed"), "2");
	assert_ptr_equal(config.sections[0].pairs[0].file, hp_command_line);
	assert_int_equal(config.sections[0].pairs[0].line, 0);
	assert_string_equal(value(3, "to"), "a=b;c \"d\"");
	assert_string_equal(value(3, "rate"), "");
	assert_string_equal(value(2, "to"), "z");
	assert_string_equal(value(1, "to"), "q");
	assert_string_equal(config.sections[4].kind, "headpipe");
	assert_string_equal(value(4, "log_level"), "debug");
	wrong_set("same.to=1",
	          "command line: error: -s same.to: two sections are called `same`: [filter same] in t.ini line 3 "
	          "and [output same] in t.ini line 4\n    write the kind too: -s filter.same.KEY=VALUE\n");
	wrong_set("gane.to=1", "command line: error: -s gane.to: no section `gane`\n"
	                       "    did you mean `game`?   sections: head, same, same, game, headpipe\n");
	wrong_set("zzzzzz.to=1", "command line: error: -s zzzzzz.to: no section `zzzzzz`\n"
	                         "    sections: head, same, same, game, headpipe\n");
#define FORM "must be section.key=value\n    for example -s game.to=127.0.0.1:4242\n"
	wrong_set("", "command line: error: -s : " FORM);
	wrong_set("game.to", "command line: error: -s game.to: " FORM);
	wrong_set("to=1.2", "command line: error: -s to: " FORM);
	wrong_set("ouput.game.to=1", "command line: error: -s ouput.game.to: must be section.key=value or "
	                             "kind.section.key=value\n    kinds: input, filter, output\n");
	wrong_set("game.=1", "command line: error: -s game.: no key before the `=`\n");
	wrong_set("game.to=a\nb", "command line: error: -s game.to: control character 0x0a\n");
	wrong_set("game.to=\xff", "command line: error: -s game.to: not UTF-8 text (byte 0xff)\n");
	assert_string_equal(value(3, "to"), "a=b;c \"d\"");
	assert_int_equal(hp_config_parse(&config, "[output game]\n", 14, "u.ini", &errors), 0);
	wrong_set("game.to=1",
	          "command line: error: -s game.to: two sections are called `game`: [output game] in t.ini line 6 "
	          "and [output game] in u.ini line 1\n    give one of them another name\n");
}

static void error_texts(void **unused)
{
	(void)unused;
	hp_error_hint(&errors, "belongs to nothing");
	assert_null(errors.text);
	hp_error(&errors, "a\nb", 7, "x %s", "\x1b[31m\xff\xc2\x9b\xc3\xa9\x7f");
	assert_string_equal(errors.text, "a\\x0ab:7: error: x \\x1b[31m\\xff\\xc2\\x9b\xc3\xa9\\x7f\n");
	for (int i = 1; i < HP_ERRORS_MAX; i++)
		hp_error(&errors, "f", 0, "%d", i);
	hp_error_hint(&errors, "of the last one");
	size_t size = errors.size;
	hp_error(&errors, "f", 0, "one more");
	hp_error_hint(&errors, "of one more");
	assert_int_equal(errors.size, size);
	assert_int_equal(errors.count, HP_ERRORS_MAX + 1);
	assert_non_null(strstr(errors.text, "f: error: 19\n    of the last one\n"));
}

static void error_order(void **unused)
{
	(void)unused;
	hp_error(&errors, "a", 9, "3");
	hp_error(&errors, "a", 0, "5");
	hp_error(&errors, "b", 1, "6");
	hp_error(&errors, "a", 2, "1");
	hp_error_hint(&errors, "of 1");
	hp_error(&errors, "a", 9, "4");
	hp_error(&errors, "a", 3, "2");
	assert_string_equal(errors.text, "a:2: error: 1\n    of 1\na:3: error: 2\na:9: error: 3\na:9: error: 4\n"
	                                 "a: error: 5\nb:1: error: 6\n");
	assert_int_equal(errors.size, strlen(errors.text));
}

/* ---- against the plain reader, on made-up files ------------------------------------------------------------- */

static unsigned long long seed = 88172645463325252ull;
static size_t below(size_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (size_t)(seed >> 11) % n;
}

/* A file of pieces that mean something, and now and then of any bytes. */
static size_t make_file(char *text, size_t room)
{
	static const char *const pieces[] = {
		"[input head]",
		"[filter a]",
		"[output a]",
		"[output b]",
		"[headpipe]",
		"[inptu x]",
		"[ input\tc ] ; d",
		"[",
		"]",
		"\n",
		"\n",
		"\n",
		"\n",
		"\r\n",
		"\n ",
		"\n\t",
		"key",
		"rate",
		"to",
		"Key",
		" = ",
		"=",
		" = ",
		" = ",
		"\"",
		"\"",
		"\\\"",
		"\\\\",
		";",
		" ;",
		" ; ",
		"#",
		" # ",
		" ",
		"  ",
		"\t",
		"a",
		"value",
		"127.0.0.1:1",
		"\xc3\xa9",
		"\xf0\x9f\x8e\xa7",
		"\xff",
		"\x01",
		"\x7f",
		"\xc2\x9b",
		":",
		"[x]",
		", ",
	};
	size_t n = 0, want = below(below(4) ? 400 : room - 300);
	while (n < want) {
		size_t kind = below(200);
		if (kind == 0) {
			text[n++] = (char)below(256);
		} else if (kind == 1) { /* long values and long lines */
			size_t fill = below(below(3) ? 700 : 4300);
			for (size_t i = 0; i < fill && n < want; i++)
				text[n++] = "abcdefgh ;=\t"[below(below(5) ? 8 : 12)];
		} else if (kind < 40) { /* a good pair */
			n += (size_t)sprintf(text + n, "\nk%zu = %zu", below(50), below(1000));
		} else {
			const char *piece = pieces[below(sizeof pieces / sizeof *pieces)];
			memcpy(text + n, piece, strlen(piece));
			n += strlen(piece);
		}
	}
	return n;
}

static void against_plain(void **unused)
{
	static char text[20000], dump[80000];
	int files = 0, pairs = 0, faulty = 0;
	(void)unused;
	for (; files < 6000; files++) {
		size_t size = make_file(text, sizeof text), n = 0;
		int wrong_lines;
		char *want = plain_ini(text, size, &wrong_lines);
		fresh(NULL);
		hp_config_parse(&config, text, size, "t.ini", &errors);
		dump[0] = '\0';
		for (size_t i = 0; i < config.nsections; i++) {
			const struct hp_section *s = &config.sections[i];
			n += (size_t)sprintf(dump + n, "@%d %s %s\n", s->line, s->kind, s->name);
			for (size_t k = 0; k < s->npairs; k++, pairs++)
				n += (size_t)sprintf(dump + n, "%d %s<%s>\n", s->pairs[k].line, s->pairs[k].key,
				                     s->pairs[k].value);
		}
		if (strcmp(dump, want) != 0 || errors.count != wrong_lines) {
			print_error("file %d: %d errors, plain %d\n%.*s\n---- got\n%s---- want\n%s", files,
			            errors.count, wrong_lines, (int)size, text, dump, want);
			fail();
		}
		faulty += wrong_lines != 0;
		free(want);
	}
	print_message("count: ini files as the plain reader %d/6000 (%d pairs, %d files with faults)\n", files, pairs,
	              faulty);
	assert_true(pairs > 6000 && faulty > 1000 && faulty < files);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(good_file, fresh),     cmocka_unit_test_setup(quotes, fresh),
		cmocka_unit_test_setup(line_ends, fresh),     cmocka_unit_test_setup(long_values, fresh),
		cmocka_unit_test_setup(long_lines, fresh),    cmocka_unit_test_setup(bad_headers, fresh),
		cmocka_unit_test_setup(bad_pairs, fresh),     cmocka_unit_test_setup(nul_bytes, fresh),
		cmocka_unit_test_setup(limits, fresh),        cmocka_unit_test_setup(garbage, fresh),
		cmocka_unit_test_setup(files, fresh),         cmocka_unit_test_setup(set, fresh),
		cmocka_unit_test_setup(error_texts, fresh),   cmocka_unit_test_setup(error_order, fresh),
		cmocka_unit_test_setup(against_plain, fresh),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);
	fresh(NULL);
	return failed;
}
