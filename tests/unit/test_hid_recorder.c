/* SPDX-License-Identifier: MIT
 * test_hid_recorder.c - the text of hid-recorder: what is read, what is refused and with which words. */
#include "find.h"
#include "inputs/replay/recorder.h"
#include "recording.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static char told[2000]; /* warnings, one per line */

static void tell(void *arg, const char *text)
{
	(void)arg;
	snprintf(told + strlen(told), sizeof told - strlen(told), "%s\n", text);
}

/* Everything in a file as text, one record per line; the path of the file is written FILE. */
static const char *dump_file(const char *path, int only)
{
	static char out[1 << 20];
	char *at = out, *end = out + sizeof out - 1000;
	struct hp_hid_recorder *r;
	struct hp_hid_record rec;
	char why[700];
	int rc;
	*out = *told = 0;
	rc = hp_hid_recorder_open(&r, path, tell, NULL, why, sizeof why);
	if (rc < 0) {
		snprintf(out, sizeof out, "open: %s", why + (strncmp(why, path, strlen(path)) ? 0 : strlen(path)));
		return out;
	}
	hp_hid_recorder_select(r, only);
	while ((rc = hp_hid_recorder_next(r, &rec)) == 1 && at < end) {
		at += sprintf(at, "%u: %d ", rec.line, rec.device);
		switch (rec.kind) {
		case HID_RECORD_DESCRIPTOR:
			at += sprintf(at, "R %zu %02x..%02x\n", rec.size, rec.data[0], rec.data[rec.size - 1]);
			break;
		case HID_RECORD_NAME:
			at += sprintf(at, "N %.200s.\n", rec.name);
			break;
		case HID_RECORD_IDS:
			at += sprintf(at, "I %x %04x %04x\n", rec.bus, rec.vendor, rec.product);
			break;
		case HID_RECORD_EVENT:
			at += sprintf(at, "E %lld", (long long)rec.time_ns);
			for (size_t i = 0; i < rec.size && i < 20 && rec.data; i++)
				at += sprintf(at, " %02x", rec.data[i]);
			at += sprintf(at, "\n");
			break;
		}
	}
	if (rc < 0) {
		const char *text = hp_hid_recorder_why(r);
		assert_ptr_not_equal(strstr(text, path), NULL);
		sprintf(at, "FILE%s\n", text + strlen(path));
		assert_int_equal(hp_hid_recorder_next(r, &rec), rc); /* and it stays so */
		assert_string_equal(hp_hid_recorder_why(r), text);
	}
	hp_hid_recorder_close(r);
	return out;
}

static const char *dump(const char *text)
{
	return dump_file(RECORDING(text), HID_RECORDER_ALL);
}

static void test_plain(void **state)
{
	(void)state;
	assert_string_equal(dump("# a comment\n"
	                         "D: 0\n"
	                         "R: 3 05 01 c0\n"
	                         "N: A Device, with  spaces \n"
	                         "P: usb-0000:00:1d.0-1.6.2/input0\n"
	                         "I: 3 056a 0221\n"
	                         "\n"
	                         "E: 000000.000000 2 01 02\n"
	                         "E: 1.5 1 ff\n"
	                         "E: 000012.123456789 0\n"),
	                    "3: 0 R 3 05..c0\n"
	                    "4: 0 N A Device, with  spaces.\n"
	                    "6: 0 I 3 056a 0221\n"
	                    "8: 0 E 0 01 02\n"
	                    "9: 0 E 1500000000 ff\n"
	                    "10: 0 E 12123456789\n");
	assert_string_equal(told, "");
	assert_string_equal(dump(""), "");
	assert_string_equal(dump("E: 0.000001 1 7f"), "1: 0 E 1000 7f\n"); /* no line end at the end */
}

static void test_odd_but_good(void **state)
{
	(void)state;
	/* CRLF, byte order mark, upper case, tabs, trailing blanks, mail quoting */
	assert_string_equal(dump("\xef\xbb\xbfR: 2 05 C0\r\nI: 5 0E6F 26F\r\nE:\t0.1  2\tAB Cd  \r\n\r\n"),
	                    "1: 0 R 2 05..c0\n2: 0 I 5 0e6f 026f\n3: 0 E 100000000 ab cd\n");
	assert_string_equal(dump("> R: 2 05 c0\n>\n> > E: 0.1 1 00\n>E: 0.2 1 01\n"),
	                    "1: 0 R 2 05..c0\n3: 0 E 100000000 00\n4: 0 E 200000000 01\n");
	/* a blank that got lost between two bytes */
	assert_string_equal(dump("E: 0.1 4 01 0203 04\n"), "1: 0 E 100000000 01 02 03 04\n");
	/* wrapped descriptor, report and comment */
	assert_string_equal(
	    dump("> R: 5 01 02\n> 03 04\n> 05\n> # Hat: 1 |\n>  0 0 0\n> , 92 , 31\n> E: 0.1 3 01\n> 02 03\n"),
	    "1: 0 R 5 01..05\n7: 0 E 100000000 01 02 03\n");
	assert_string_equal(told, "");
	/* one and nine digits, and a large number of seconds */
	assert_string_equal(dump("E: 0.1 1 00\nE: 0.000000001 1 00\nE: 4294967295.636954 1 00\n"),
	                    "1: 0 E 100000000 00\n2: 0 E 1 00\n3: 0 E 4294967295636954000 00\n");
	/* lines that hid-recorder does not write are skipped, and that is said once */
	assert_string_equal(dump("Hello,\nhere it is: \nR: 1 c0\nX: 1 2 3\nE: 0.1 1 00\nBye\n"),
	                    "3: 0 R 1 c0..c0\n5: 0 E 100000000 00\n");
	assert_non_null(strstr(told, ":1: skipped a line that hid-recorder does not write\n"));
	assert_int_equal(strlen(told) - strlen(recording_path),
	                 strlen(":1: skipped a line that hid-recorder does not write\n"));
	/* a long name is cut between characters */
	char text[3000] = "N: ";
	for (int i = 0; i < 700; i++)
		strcat(text, "\xc3\xa4");
	const char *path = RECORDING(text);
	struct hp_hid_recorder *r;
	struct hp_hid_record rec;
	char why[100];
	assert_int_equal(hp_hid_recorder_open(&r, path, NULL, NULL, why, sizeof why), 0);
	assert_int_equal(hp_hid_recorder_next(r, &rec), 1);
	assert_int_equal(strlen(rec.name), HID_RECORDER_NAME - 1);
	hp_hid_recorder_close(r);
}

static void test_devices(void **state)
{
	static const char two[] =
	    "D: 0\nR: 1 c0\nN: a\nD: 1\nR: 1 c1\nN: b\nE: 0.1 1 01\nD: 0\nE: 0.2 1 02\nD: 7\nE: 0.3 1 zz\n"
	    "D: 1\nE: 0.4 1 04\n";
	(void)state;
	assert_string_equal(dump_file(RECORDING(two), 1), "2: 0 R 1 c0..c0\n3: 0 N a.\n5: 1 R 1 c1..c1\n6: 1 N b.\n"
	                                                  "7: 1 E 100000000 01\n13: 1 E 400000000 04\n");
	assert_non_null(strstr(told, ":11: skipped events of a device without an R: line\n"));
	assert_non_null(strstr(dump_file(RECORDING(two), HID_RECORDER_ALL), "FILE:11: `zz` is no byte"));
	assert_non_null(
	    strstr(dump_file(RECORDING(two), HID_RECORDER_HEADERS), "7: 1 E 0\n9: 0 E 0\n11: 7 E 0\n13: 1 E 0\n"));
	/* headers without D: are one device each */
	assert_string_equal(dump("R: 1 c0\nN: a\nR: 1 c1\nN: b\nE: 0.1 1 01\n"),
	                    "1: 0 R 1 c0..c0\n2: 0 N a.\n3: 1 R 1 c1..c1\n4: 1 N b.\n5: 1 E 100000000 01\n");
}

static void test_rewind(void **state)
{
	struct hp_hid_recorder *r;
	struct hp_hid_record rec;
	char why[100];
	(void)state;
	assert_int_equal(hp_hid_recorder_open(&r, RECORDING("D: 3\nE: 0.1 1 01\nE: x\n"), NULL, NULL, why, sizeof why),
	                 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(hp_hid_recorder_next(r, &rec), 1);
		assert_int_equal(rec.device, 3);
		assert_int_equal(rec.line, 2);
		assert_int_equal(hp_hid_recorder_next(r, &rec), -EINVAL);
		assert_int_equal(hp_hid_recorder_rewind(r), 0);
	}
	hp_hid_recorder_close(r);
}

static void test_refused(void **state)
{
	static const char *const cases[][2] = {
		{ "E:", "FILE:1: an E: line needs a time, a length and bytes\n" },
		{ "E", "FILE:1: the file ends inside this line\n" },
		{ "E: 1", "FILE:1: `1` is no time; a time is seconds.fraction with 1 to 9 digits of fraction\n" },
		{ "E: 1. 1 00",
		  "FILE:1: `1.` is no time; a time is seconds.fraction with 1 to 9 digits of fraction\n" },
		{ "E: .5 1 00",
		  "FILE:1: `.5` is no time; a time is seconds.fraction with 1 to 9 digits of fraction\n" },
		{ "E: -1.5 1 00",
		  "FILE:1: `-1.5` is no time; a time is seconds.fraction with 1 to 9 digits of fraction\n" },
		{ "E: 1.0123456789 1 00",
		  "FILE:1: `1.0123456789` is no time; a time is seconds.fraction with 1 to 9 digits of fraction\n" },
		{ "E: 99999999999999999999.5 1 00", "FILE:1: `99999999999999999999...` is no time; a time is "
		                                    "seconds.fraction with 1 to 9 digits of fraction\n" },
		{ "E: 1.5", "FILE:1: the E: line ends before its length\n" },
		{ "E: 1.5 two 01 02", "FILE:1: `two` is no length in an E: line; it is 0 to 65535\n" },
		{ "E: 1.5 65536 01", "FILE:1: `65536` is no length in an E: line; it is 0 to 65535\n" },
		{ "E: 1.5 2 01 0g", "FILE:1: `0g` is no byte in an E: line; a byte is two hex digits\n" },
		{ "E: 1.5 2 01 2", "FILE:1: `2` is no byte in an E: line; a byte is two hex digits\n" },
		{ "E: 1.5 2 010", "FILE:1: `010` is no byte in an E: line; a byte is two hex digits\n" },
		{ "E: 1.5 2 01 02 03", "FILE:1: the E: line announces 2 bytes but has more\n" },
		{ "E: 1.5 2 01\nE: 1.6 1 00\n", "FILE:1: the E: line announces 2 bytes but has 1\n" },
		{ "\nE: 1.5 2 01", "FILE:2: the file ends inside this E: line, which announces 2 bytes and has 1\n" },
		{ "E: 1.5 1 01\n02\n", "1: 0 E 1500000000 01\nFILE:2: more bytes than the line before announces\n" },
		{ "R: 3 05 01", "FILE:1: the file ends inside this R: line, which announces 3 bytes and has 2\n" },
		{ "R: 3 05 01\nN: x\n", "FILE:1: the R: line announces 3 bytes but has 2\n" },
		{ "R:", "FILE:1: the R: line ends before its length\n" },
		{ "D:\n", "FILE:1: a D: line needs the index of a device\n" },
		{ "D: one\n", "FILE:1: `one` is no index of a device\n" },
		{ "D: 1 2\n", "FILE:1: `1 2` is no index of a device\n" },
		{ "D: -1\n", "FILE:1: `-1` is no index of a device\n" },
		{ "I: 3 056a\n", "FILE:1: an I: line needs bus, vendor and product, each 0 to ffff\n" },
		{ "I: 3 10000 1\n", "FILE:1: an I: line needs bus, vendor and product, each 0 to ffff\n" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		assert_string_equal(dump(cases[i][0]), cases[i][1]);
	assert_string_equal(dump_file("/nonexistent/x.hid", -1), "open: : No such file or directory");
	assert_string_equal(dump_file("/tmp", -1), "open: : not a regular file");
	assert_string_equal(dump_file("/dev/null", -1), "open: : not a regular file");
}

/* A line may be longer than the buffer only when it is a comment; the file may be longer than anything. */
static void test_large(void **state)
{
	size_t size = 3 << 20;
	char *text = malloc(size + 100);
	(void)state;
	assert_non_null(text);
	memset(text, 'x', size);
	memcpy(text, "# ", 2);
	strcpy(text + size, "\nE: 0.5 1 01\n");
	assert_string_equal(dump_file(recording(text, strlen(text)), -1), "2: 0 E 500000000 01\n");
	memcpy(text, "E: ", 3);
	assert_string_equal(dump_file(recording(text, strlen(text)), -1), "FILE:1: the line is longer than 256 KiB\n");
	/* the longest descriptor */
	char *at = text + sprintf(text, "R: 65535");
	for (int i = 0; i < 65535; i++)
		at += sprintf(at, " %02x", i & 255);
	strcpy(at, "\n");
	assert_string_equal(dump_file(recording(text, strlen(text)), -1), "1: 0 R 65535 00..fe\n");
	/* many lines, over the edges of the buffer */
	struct hp_hid_recorder *r;
	struct hp_hid_record rec;
	char why[100];
	unsigned n = 0;
	at = text;
	for (int i = 0; i < 50000; i++)
		at += sprintf(at, "E: %06d.%06d 3 %02x %02x %02x\n", i / 100, i % 100 * 10000, i & 255, i >> 8, 0xaa);
	assert_int_equal(hp_hid_recorder_open(&r, recording(text, (size_t)(at - text)), NULL, NULL, why, sizeof why),
	                 0);
	while (hp_hid_recorder_next(r, &rec) == 1) {
		assert_int_equal(rec.line, n + 1);
		assert_true(rec.time_ns == n * INT64_C(10000000));
		assert_int_equal(rec.size, 3);
		assert_int_equal(rec.data[0] | rec.data[1] << 8, n);
		n++;
	}
	assert_int_equal(n, 50000);
	hp_hid_recorder_close(r);
	free(text);
}

/* Real and odd recordings: how many records are read, and how it ends. */
static void test_corpus_files(void **state)
{
	static const struct {
		const char *file;
		int devices, events;
		const char *end, *warning;
	} want[] = {
		{ "wacom_inkling_no_events", 1, 0, NULL, NULL },
		{ "pdp_remote_as_mailed", 1, 4, NULL, NULL },
		{ "pdp_remote", 1, 25, NULL, NULL },
		{ "thinkpad_x12_wrapped_r", 1, 28, NULL, NULL },
		{ "thinkpad_x12", 1, 28, NULL, NULL },
		{ "huion_k20_firmware_three_nodes", 3, 6, NULL,
		  ":60: skipped a line that hid-recorder does not write" },
		{ "msmouse", 1, 0, NULL, NULL },
		{ "legion_go_events_only", 0, 37, "FILE:74: `z02` is no byte in an E: line; a byte is two hex digits\n",
		  NULL },
		{ "tenmoons_two_interfaces", 2, 17, NULL, NULL },
		{ "kye_m610x_pen", 1, 200, NULL, NULL },
		{ "derived_pdp_crlf", 1, 25, NULL, NULL },
		{ "derived_pdp_upper_noN", 1, 25, NULL, NULL },
		{ "derived_pdp_bad_lengths", 1, 2, "FILE:6: the E: line announces 12 bytes but has 10\n", NULL },
		{ "derived_pdp_r_length_wrong", 0, 0, "FILE:1: the R: line announces 119 bytes but has 118\n", NULL },
		{ "derived_pdp_time_disorder", 1, 21,
		  "FILE:25: `-00001.000001` is no time; a time is seconds.fraction with 1 to 9 digits of fraction\n",
		  NULL },
		{ "derived_tenmoons_d_unknown", 2, 17, "FILE:29: a D: line needs the index of a device\n", NULL },
	};
	char path[512], file[100];
	size_t n = sizeof want / sizeof *want;
	(void)state;
	for (size_t i = 0; i < n; i++) {
		snprintf(file, sizeof file, "recordings/%s.hid", want[i].file);
		if (!find_hidcorpus(file, path, sizeof path)) {
			puts("skip: no HID corpus (HEADPIPE_HIDCORPUS)");
			return;
		}
		const char *text = dump_file(path, HID_RECORDER_ALL), *end = NULL;
		int devices = 0, events = 0;
		for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
			const char *space = strchr(strchr(at, ' ') + 1, ' ') + 1;
			if (!strncmp(at, "FILE", 4))
				end = at;
			else if (*space == 'R')
				devices++;
			else if (*space == 'E')
				events++;
		}
		if (devices != want[i].devices || events != want[i].events)
			fail_msg("%s: %d devices, %d events\n%s%s", want[i].file, devices, events, end ? end : "",
			         told);
		if (want[i].end ? !end || strcmp(end, want[i].end) : end != NULL)
			fail_msg("%s: %s", want[i].file, end ? end : "no complaint");
		if (want[i].warning ? !strstr(told, want[i].warning) : *told)
			fail_msg("%s: %s", want[i].file, told);
	}
	printf("count: corpus recordings %zu/%zu\n", n, n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),        cmocka_unit_test(test_odd_but_good),
		cmocka_unit_test(test_devices),      cmocka_unit_test(test_rewind),
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_large),
		cmocka_unit_test(test_corpus_files),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);
	recording_gone();
	return rc;
}
