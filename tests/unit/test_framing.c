/* SPDX-License-Identifier: MIT
 * test_framing.c - records to frames and back, for every framing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../plain/random.h"
#include "io/framing.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void bytes(void **state)
{
	static const struct {
		enum hp_framing framing;
		const char *want;
		long n;
	} rows[] = {
		{ HP_LINES, "abc\n", 4 },      { HP_LENGTH32, "\0\0\0\3abc", 7 }, { HP_LENGTH32LE, "\3\0\0\0abc", 7 },
		{ HP_LENGTH16, "\0\3abc", 5 }, { HP_LENGTH16LE, "\3\0abc", 5 },   { HP_RAW, "abc", 3 }
	};
	char out[16];
	(void)state;
	assert_int_equal(sizeof rows / sizeof rows[0], HP_FRAMING_COUNT);
	for (size_t i = 0; i < HP_FRAMING_COUNT; i++) {
		assert_int_equal(hp_frame(rows[i].framing, "abc", 3, out, sizeof out), rows[i].n);
		assert_memory_equal(out, rows[i].want, (size_t)rows[i].n);
	}
}

static void refusals(void **state)
{
	static char big[70000], out[70010];
	(void)state;
	memset(big, 'x', sizeof big);
	/* a text that brings its newline keeps one; anything else that breaks a line is refused */
	assert_int_equal(hp_frame(HP_LINES, "{}\n", 3, out, sizeof out), 3);
	assert_int_equal(hp_frame(HP_LINES, "", 0, out, sizeof out), 1);
	assert_int_equal(hp_frame(HP_LINES, "a\tb\xc3\xa9", 5, out, sizeof out), 6);
	assert_int_equal(hp_frame(HP_LINES, "a\nb", 3, out, sizeof out), -EILSEQ);
	assert_int_equal(hp_frame(HP_LINES, "a\n\n", 3, out, sizeof out), -EILSEQ);
	assert_int_equal(hp_frame(HP_LINES, "a\0b", 3, out, sizeof out), -EILSEQ);
	assert_int_equal(hp_frame(HP_LINES, "a\r", 2, out, sizeof out), -EILSEQ);
	assert_int_equal(hp_frame(HP_LENGTH16, big, 65535, out, sizeof out), 65537);
	assert_int_equal(hp_frame(HP_LENGTH16LE, big, 65536, out, sizeof out), -EMSGSIZE);
	assert_int_equal(hp_frame(HP_LENGTH32, big, 65536, out, sizeof out), 65540);
	for (int f = 0; f < HP_FRAMING_COUNT; f++) {
		assert_int_equal(hp_frame((enum hp_framing)f, big, 100, out, 103), -ENOSPC);
		assert_true(hp_frame((enum hp_framing)f, big, 100, out, 104) >= 100);
		assert_int_equal(hp_frame((enum hp_framing)f, big, 0, out, 3), -ENOSPC);
	}
	assert_string_not_equal(hp_framing_error(-EILSEQ), hp_framing_error(-EMSGSIZE));
}

/* A stream of records, read with as few bytes at hand as there may be: nothing comes early, everything comes. */
static void streams(void **state)
{
	uint64_t seed = 7;
	(void)state;
	for (int f = 0; f < HP_RAW; f++) {
		uint8_t records[50][40], stream[50 * 44];
		size_t sizes[50], used = 0, pos = 0;
		for (int i = 0; i < 50; i++) {
			sizes[i] = i == 3 ? 0 : random_next(&seed) % 40;
			for (size_t k = 0; k < sizes[i]; k++)
				records[i][k] =
				    (uint8_t)(f == HP_LINES ? 32 + random_next(&seed) % 90 : random_next(&seed));
			long n =
			    hp_frame((enum hp_framing)f, records[i], sizes[i], stream + used, sizeof stream - used);
			assert_true(n >= 0);
			used += (size_t)n;
		}
		for (int i = 0; i < 50; i++) {
			const uint8_t *record = NULL;
			size_t size = 0, have = 0, n;
			while ((n = hp_unframe((enum hp_framing)f, stream + pos, have, &record, &size)) == 0) {
				assert_true(pos + have < used);
				have++;
			}
			assert_int_equal(n, have);
			assert_int_equal(size, sizes[i]);
			assert_memory_equal(record, records[i], size);
			pos += n;
		}
		assert_int_equal(pos, used);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(bytes), cmocka_unit_test(refusals),
		                            cmocka_unit_test(streams) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
