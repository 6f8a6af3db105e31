/* SPDX-License-Identifier: MIT
 * test_session_damage.c - truncation at every byte and every flipped bit: an error or a correct value, never anything
 * else. Under AddressSanitizer the size of every allocation is watched too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "have.h"
#include "session_make.h"

static size_t largest; /* allocation since it was cleared; stays 0 without the sanitizer */
void __sanitizer_malloc_hook(const volatile void *p, size_t n);
void __sanitizer_malloc_hook(const volatile void *p, size_t n)
{
	(void)p;
	if (n > largest)
		largest = n;
}

enum { N = 14, CHUNK = 9 };
static struct memory_file good;
struct known {
	char topic[24];
	int64_t time;
	uint32_t size;
	const uint8_t *data;
};
static struct known messages[3 * N];
static size_t nmessages;
static struct hps_reader *original;

static void load(enum hps_compression packing)
{
	char why[300];
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	o.compression = packing;
	o.chunk_messages = CHUNK;
	good = (struct memory_file){ 0 };
	assert_int_equal(make_session(&good, N, &o, false), 0);
	assert_int_equal(hps_open_memory(&original, good.data, good.size, NULL, why, sizeof why), 0);
	struct hps_cursor c = hps_begin(original, -1);
	struct hps_message m;
	for (nmessages = 0; hps_next(&c, &m) == 1; nmessages++) {
		struct known *k = &messages[nmessages];
		snprintf(k->topic, sizeof k->topic, "%s", hps_channel_at(original, m.channel)->topic);
		*k = (struct known){ .time = m.time, .size = m.size, .data = m.data };
		snprintf(k->topic, sizeof k->topic, "%s", hps_channel_at(original, m.channel)->topic);
	}
	assert_int_equal(nmessages, 1 + 2 * N + N / 10);
}

static void unload(void)
{
	hps_close(original);
	free(good.data);
}

static void same_text(const char *got, const char *want)
{
	if (got && strcmp(got, want) != 0)
		fail_msg("got \"%s\" instead of \"%s\"", got, want);
}

/* Opens a damaged copy and reads everything there is. Returns how many messages were found. */
static size_t examine(const uint8_t *data, size_t size, bool recover)
{
	struct hps_reader *r;
	struct hps_reader_options o = HPS_READER_OPTIONS;
	char why[300] = "";
	o.recover = recover;
	/* a block of just that size: the first byte too far is noticed */
	uint8_t *copy = malloc(size ? size : 1);
	memcpy(copy, data, size);
	largest = 0;
	int code = hps_open_memory(&r, copy, size, &o, why, sizeof why);
	size_t found = 0;
	if (code < 0) {
		assert_true(why[0]);
	} else {
		struct hps_cursor c = hps_begin(r, -1);
		struct hps_message m;
		struct hps_info info;
		struct hps_attachment a;
		struct hp_stream s;
		size_t k = 0, turns = 0;
		while ((code = hps_next(&c, &m)) != 0) {
			assert_true(++turns < 1000);
			if (code < 0) {
				assert_true(hps_reader_error(r)[0]);
				continue;
			}
			/* a message of the original, in the same order */
			const char *topic = hps_channel_at(r, m.channel)->topic;
			while (k < nmessages &&
			       (messages[k].time != m.time || messages[k].size != m.size ||
			        strcmp(messages[k].topic, topic) != 0 || memcmp(messages[k].data, m.data, m.size) != 0))
				k++;
			if (k == nmessages)
				fail_msg("a message that was never written: %s at %lld", topic, (long long)m.time);
			k++;
			found++;
		}
		hps_get_info(r, &info);
		if (info.library[0])
			same_text(info.library, "headpipe");
		same_text(info.profile, "");
		for (size_t i = 0; hps_attachment_at(r, i, &a); i++) {
			char text[64] = "";
			same_text(a.name, "pipeline.ini");
			same_text(a.media_type, "text/plain");
			assert_int_equal(a.time, 5);
			if (hps_attachment_read(r, i, text, sizeof text) == 0)
				same_text(text, "[input head]\nuse = replay\n");
		}
		same_text(hps_metadata_get(r, "headpipe.session", "point"), "head");
		same_text(hps_metadata_get(r, "headpipe.session", "wall_start"), "2026-01-02T03:04:05Z");
		if (hps_get_stream(r, hps_channel_find(r, HPS_TOPIC_REPORTS), &s) == 0) {
			same_text(s.device, "WH-1000XM5");
			assert_int_equal(s.product, 0x0e5e);
			assert_int_equal(s.rate_start_ns, 999000000);
			assert_memory_equal(s.descriptor, make_descriptor, sizeof make_descriptor);
		}
		/* jumps may fail, but not lead to another message */
		for (int i = 0; i < 3; i++) {
			int ch = hps_channel_find(r, HPS_TOPIC_SAMPLE);
			struct hp_sample x;
			if (ch < 0)
				break;
			c = hps_begin(r, ch);
			if (hps_seek_time(&c, make_sample(N / 2).time_ns) == 1 && hps_next(&c, &m) == 1) {
				assert_int_equal(hps_get_sample(r, &m, &x), 0);
				assert_true(x.seq >= N / 2);
			}
		}
		hps_close(r);
	}
	/* what the reader itself is made of, and the unpacker's context, do not depend on the file */
	if (largest > 300000)
		fail_msg("an allocation of %zu bytes for a file of %zu", largest, size);
	free(copy);
	return found;
}

static void every_truncation(enum hps_compression packing)
{
	load(packing);
	size_t best = 0;
	for (size_t n = 0; n < good.size; n++) {
		size_t found = examine(good.data, n, false);
		/* more bytes never give fewer messages */
		assert_true(found >= best);
		best = found;
	}
	assert_int_equal(best, nmessages);
	unload();
}

static void every_bit(enum hps_compression packing, bool recover, size_t step)
{
	load(packing);
	uint8_t *copy = malloc(good.size);
	size_t worst = nmessages;
	for (size_t bit = 0; bit < good.size * 8; bit += step) {
		/* head, first chunk and summary to the last bit; between them every 7th byte is enough */
		struct hps_chunk first, last;
		size_t at = bit / 8;
		assert_true(hps_chunk_at(original, 0, &first) && hps_chunk_at(original, 3, &last));
		if (at > first.offset + first.length && at < last.offset && at % 7)
			continue;
		memcpy(copy, good.data, good.size);
		copy[at] ^= (uint8_t)(1 << bit % 8);
		size_t found = examine(copy, good.size, recover);
		if (at >= 8 && found < worst)
			worst = found;
	}
	/* one bit costs at most one chunk */
	if (worst + CHUNK < nmessages)
		fail_msg("one flipped bit lost %zu of %zu messages", nmessages - worst, nmessages);
	free(copy);
	unload();
}

static void truncation_raw(void **state)
{
	(void)state;
	every_truncation(HPS_NONE);
}
static void truncation_zstd(void **state)
{
	(void)state;
	if (!HP_HAVE_ZSTD)
		skip();
	every_truncation(HPS_ZSTD);
	every_truncation(HPS_LEAN);
}
static void bits_raw(void **state)
{
	(void)state;
	every_bit(HPS_NONE, false, 1);
}
static void bits_raw_recover(void **state)
{
	(void)state;
	every_bit(HPS_NONE, true, 3);
}
static void bits_zstd(void **state)
{
	(void)state;
	if (!HP_HAVE_ZSTD)
		skip();
	every_bit(HPS_ZSTD, false, 3);
	every_bit(HPS_LEAN, false, 3);
}

/* Holes of any size anywhere: everything outside the chunks they touch is found. */
static void holes(void **state)
{
	(void)state;
	load(HPS_NONE);
	uint8_t *copy = malloc(good.size);
	unsigned x = 7;
	for (int i = 0; i < 400; i++) {
		x = x * 1103515245u + 12345u;
		size_t at = 40 + (x >> 8) % (good.size - 41);
		x = x * 1103515245u + 12345u;
		size_t n = 1 + (x >> 8) % 3000;
		if (n > good.size - at)
			n = good.size - at;
		memcpy(copy, good.data, good.size);
		memset(copy + at, i % 3 ? 0 : (int)(x >> 5) & 0xff, n);
		examine(copy, good.size, false);
		/* cut out: everything behind moves */
		memmove(copy + at, good.data + at + n, good.size - at - n);
		examine(copy, good.size - n, i % 2);
	}
	free(copy);
	unload();
}

static void other_files(void **state)
{
	(void)state;
	char why[300];
	struct hps_reader *r;
	assert_int_equal(hps_open_memory(&r, "", 0, NULL, why, sizeof why), -EBADMSG);
	assert_string_equal(why, "the file is empty");
	assert_int_equal(hps_open_memory(&r, "D: 0\nR: 3 05 01\n", 16, NULL, why, sizeof why), -EBADMSG);
	assert_non_null(strstr(why, "not an MCAP file"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truncation_raw),   cmocka_unit_test(truncation_zstd), cmocka_unit_test(bits_raw),
		cmocka_unit_test(bits_raw_recover), cmocka_unit_test(bits_zstd),       cmocka_unit_test(holes),
		cmocka_unit_test(other_files),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
