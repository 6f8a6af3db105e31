/* SPDX-License-Identifier: MIT
 * test_suggest.c - which word was meant. */
#include "base/suggest.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const keys[] = { "to", "rate", "encoding", "on_loss", "loss_after", "smoothing", "invert" };

static void expect(const char *word, const char *want)
{
	const char *got = hp_suggest(word, keys, sizeof keys / sizeof *keys);
	assert_string_equal(got ? got : "(nothing)", want ? want : "(nothing)");
}

static void near_words(void **unused)
{
	(void)unused;
	expect("tp", "to");
	expect("ot", "to"); /* neighbours swapped: one step */
	expect("rat", "rate");
	expect("raet", "rate");
	expect("smothing", "smoothing");
	expect("smotihng", "smoothing"); /* 8 letters: two steps */
	expect("Smoothing", "smoothing");
	expect("INVERT", "invert");
	expect("lossafter", "loss_after");
	expect("los_aftr_", "loss_after"); /* 9 letters: three steps */
}

static void far_words(void **unused)
{
	char longer[300];
	(void)unused;
	expect("", NULL);
	expect("xy", NULL);
	expect("ra", NULL);       /* two steps, one allowed */
	expect("smoooth", NULL);  /* 7 letters, 4 steps */
	expect("infernal", NULL); /* 8 letters, more than 2 */
	expect("colour", NULL);
	memset(longer, 'a', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	expect(longer, NULL);
	assert_null(hp_suggest("to", NULL, 0));
}

static void closest_wins(void **unused)
{
	static const char *const words[] = { "axis_nap", "axis_map", "axis_maps" };
	static const char *const letters[] = { "b", "c" };
	(void)unused;
	assert_string_equal(hp_suggest("axis_mapp", words, 3), "axis_map");
	assert_string_equal(hp_suggest("axis_nan", words, 3), "axis_nap");
	assert_string_equal(hp_suggest("axis_lap", words, 3), "axis_nap"); /* the first of equals */
	assert_null(hp_suggest("a", letters, 2));                          /* nothing in common */
}

static void parts(void **unused)
{
	static const char *const words[] = { "tcp", "opentrack_udp", "json_udp", "json_tcp" };
	(void)unused;
	assert_string_equal(hp_suggest("opentrack", words, 4), "opentrack_udp");
	assert_string_equal(hp_suggest("JSON", words, 4), "json_udp");
	assert_string_equal(hp_suggest("tcp_server", words, 4), "tcp");
	assert_null(hp_suggest("opentracks", words + 2, 2));
	assert_null(hp_suggest("open", words, 4)); /* within a word */
	expect("on", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(near_words),
		cmocka_unit_test(far_words),
		cmocka_unit_test(closest_wins),
		cmocka_unit_test(parts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
