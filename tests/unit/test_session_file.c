/* SPDX-License-Identifier: MIT
 * test_session_file.c - what is written to a session file is what is read from it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "have.h"
#include "session/head.h"
#include "session/record.h"
#include "session_make.h"
#include <math.h>
#include <unistd.h>

static char why[300];

static struct hps_reader *open_bytes(const struct memory_file *f, size_t cache)
{
	struct hps_reader *r = NULL;
	struct hps_reader_options o = HPS_READER_OPTIONS;
	o.cache_bytes = cache;
	if (hps_open_memory(&r, f->data, f->size, &o, why, sizeof why) < 0)
		fail_msg("%s", why);
	return r;
}

/* Everything that make_session() wrote, in its order. */
static void check_contents(struct hps_reader *r, unsigned n)
{
	int reports = hps_channel_find(r, HPS_TOPIC_REPORTS), samples = hps_channel_find(r, HPS_TOPIC_SAMPLE),
	    events = hps_channel_find(r, HPS_TOPIC_EVENTS);
	struct hps_cursor c = hps_begin(r, -1);
	struct hps_message m;
	struct hp_event e;
	int64_t rate_start;
	assert_int_equal(hps_next(&c, &m), 1);
	assert_int_equal(m.channel, events);
	assert_int_equal(hps_get_event(r, &m, &e, &rate_start), 0);
	assert_int_equal(e.type, HP_CONNECTED);
	assert_string_equal(e.text, "WH-1000XM5");
	assert_int_equal(rate_start, 999000000);
	assert_int_equal(e.time_ns, 999000000);
	for (unsigned i = 0; i < n; i++) {
		struct hp_sample want = make_sample(i), got;
		assert_int_equal(hps_next(&c, &m), 1);
		assert_int_equal(m.channel, reports);
		assert_int_equal(m.size, 14);
		assert_int_equal(m.sequence, i);
		assert_int_equal(m.data[1] | m.data[2] << 8, i & 0xffff);
		assert_int_equal(m.time, want.time_ns);
		assert_int_equal(hps_next(&c, &m), 1);
		assert_int_equal(m.channel, samples);
		assert_int_equal(hps_get_sample(r, &m, &got), 0);
		assert_memory_equal(&got, &want, sizeof got);
		if (i % 10 == 9) {
			assert_int_equal(hps_next(&c, &m), 1);
			assert_int_equal(hps_get_event(r, &m, &e, NULL), 0);
			assert_int_equal(e.type, HP_RECENTER);
			assert_int_equal(e.value, i);
			assert_null(e.text);
		}
	}
	assert_int_equal(hps_next(&c, &m), 0);
}

static void check_rest(struct hps_reader *r)
{
	struct hp_stream s;
	assert_int_equal(hps_get_stream(r, hps_channel_find(r, HPS_TOPIC_REPORTS), &s), 0);
	assert_string_equal(s.device, "WH-1000XM5");
	assert_string_equal(s.serial, "42");
	assert_null(s.unique_id);
	assert_int_equal(s.vendor, 0x054c);
	assert_int_equal(s.product, 0x0e5e);
	assert_int_equal(s.report_size, 14);
	assert_int_equal(s.rate_start_ns, 999000000);
	assert_int_equal(s.descriptor_size, sizeof make_descriptor);
	assert_memory_equal(s.descriptor, make_descriptor, sizeof make_descriptor);
	struct hps_attachment a;
	char text[64] = "";
	assert_true(hps_attachment_at(r, 0, &a));
	assert_false(hps_attachment_at(r, 1, &a));
	assert_string_equal(a.name, "pipeline.ini");
	assert_int_equal(a.size, 26);
	assert_int_equal(hps_attachment_read(r, 0, text, sizeof text), 0);
	assert_string_equal(text, "[input head]\nuse = replay\n");
	assert_string_equal(hps_metadata_get(r, "headpipe.session", "point"), "head");
	assert_null(hps_metadata_get(r, "headpipe.session", "no such key"));
	assert_null(hps_metadata_get(r, "other", "point"));
}

static void round_trip(const struct hps_writer_options *o, bool json, unsigned n)
{
	struct memory_file f = { 0 };
	struct hps_info info;
	assert_int_equal(make_session(&f, n, o, json), 0);
	assert_int_equal(f.closed, 1);
	for (int recover = 0; recover < 2; recover++) {
		struct hps_reader *r;
		struct hps_reader_options ro = HPS_READER_OPTIONS;
		ro.recover = recover;
		ro.cache_bytes = recover ? 0 : 1 << 20;
		assert_int_equal(hps_open_memory(&r, f.data, f.size, &ro, why, sizeof why), 0);
		hps_get_info(r, &info);
		assert_int_equal(info.messages, 1 + 2 * n + n / 10);
		assert_true(info.finished);
		assert_true(info.ordered);
		assert_string_equal(info.library, "headpipe");
		assert_int_equal(info.note[0] != 0, recover);
		assert_int_equal(info.start, 999000000);
		assert_int_equal(info.end, make_sample(n - 1).time_ns);
		check_contents(r, n);
		check_rest(r);
		/* fingerprints are the same whether they were stored or computed */
		struct hps_reader *again = open_bytes(&f, 0);
		struct hps_chunk x, y;
		for (size_t i = 0; i < info.chunks; i++) {
			assert_true(hps_chunk_at(r, i, &x) && hps_chunk_at(again, i, &y));
			assert_true(x.fingerprint && x.fingerprint == y.fingerprint);
			assert_int_equal(x.offset, y.offset);
			assert_int_equal(hps_chunk_check(r, i), 0);
		}
		assert_false(hps_chunk_at(r, info.chunks, &x));
		hps_close(again);
		hps_close(r);
	}
	free(f.data);
}

static void what_is_written_is_read(void **state)
{
	(void)state;
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	round_trip(NULL, false, 2000);
	o.chunk_messages = 7;
	round_trip(&o, false, 500);
	o.chunk_messages = 1;
	round_trip(&o, false, 50);
	o.chunk_messages = 0;
	o.chunk_bytes = 10;
	round_trip(&o, false, 50);
	o.chunk_bytes = 0;
	o.chunk_ns = 1000000;
	round_trip(&o, true, 50);
}

static void zstd_round_trip(void **state)
{
	(void)state;
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct memory_file f = { 0 };
	o.compression = HPS_ZSTD;
	if (!HP_HAVE_ZSTD) {
		assert_int_equal(make_session(&f, 10, &o, false), -ENOTSUP);
		print_message("skip: this build has no libzstd\n");
		skip();
	}
	round_trip(&o, false, 2000);
	o.level = 9;
	o.chunk_messages = 3;
	round_trip(&o, false, 100);
	o.compression = HPS_LEAN;
	round_trip(&o, false, 100);
	round_trip(&o, true, 100);
	o.chunk_messages = 0;
	round_trip(&o, false, 2000);
	o.chunk_messages = 1;
	round_trip(&o, false, 50);
	o.chunk_messages = 0;
	o.compression = (enum hps_compression)3;
	assert_int_equal(make_session(&f, 10, &o, false), -EINVAL);
	o.compression = HPS_ZSTD;
	o.level = 20;
	assert_int_equal(make_session(&f, 10, &o, false), -EINVAL);
	free(f.data);
}

static void seeks(void **state)
{
	(void)state;
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct memory_file f = { 0 };
	o.chunk_messages = 13;
	assert_int_equal(make_session(&f, 1000, &o, false), 0);
	for (int cache = 0; cache < 3; cache++) {
		struct hps_reader *r = open_bytes(&f, (size_t)cache * 5000);
		int ch = hps_channel_find(r, HPS_TOPIC_SAMPLE);
		struct hps_cursor c = hps_begin(r, ch), all = hps_begin(r, -1);
		struct hps_message m;
		struct hp_sample s;
		unsigned at = 1;
		for (int i = 0; i < 3000; i++) {
			at = at * 1103515245u + 12345u;
			unsigned n = at / 7 % 1000;
			assert_int_equal(hps_seek_number(&c, n), 1);
			assert_int_equal(hps_next(&c, &m), 1);
			assert_int_equal(hps_get_sample(r, &m, &s), 0);
			assert_int_equal(s.seq, n);
			int64_t t = make_sample(n).time_ns - (int64_t)(at % 4000000);
			assert_int_equal(hps_seek_time(&c, t), 1);
			assert_int_equal(hps_next(&c, &m), 1);
			assert_int_equal(hps_get_sample(r, &m, &s), 0);
			assert_int_equal(s.seq, n);
			assert_int_equal(hps_next(&c, &m), n < 999);
			if (i % 10)
				continue;
			assert_int_equal(hps_seek_number(&all, n), 1);
			assert_int_equal(hps_next(&all, &m), 1);
		}
		assert_int_equal(hps_seek_number(&c, 1000), 0);
		assert_int_equal(hps_next(&c, &m), 0);
		assert_int_equal(hps_seek_time(&c, make_sample(999).time_ns + 1), 0);
		assert_int_equal(hps_next(&c, &m), 0);
		assert_int_equal(hps_seek_time(&c, INT64_MIN), 1);
		assert_int_equal(hps_next(&c, &m), 1);
		assert_int_equal(m.sequence, 0);
		hps_close(r);
	}
	free(f.data);
}

static void keys_are_typed(void **state)
{
	(void)state;
	struct memory_file f = { 0 };
	assert_int_equal(make_session(&f, 100, NULL, false), 0);
	struct hps_reader *r = open_bytes(&f, 0);
	int ch = hps_channel_find(r, HPS_TOPIC_SAMPLE), reports = hps_channel_find(r, HPS_TOPIC_REPORTS);
	struct hps_key yaw, flags, seq, k;
	assert_int_equal(hps_key_resolve(r, ch, "yaw", HPS_F64, "deg", &yaw), 0);
	assert_int_equal(hps_key_resolve(r, ch, "flags", HPS_U32, NULL, &flags), 0);
	assert_int_equal(hps_key_resolve(r, ch, "seq", 0, NULL, &seq), 0);
	assert_int_equal(hps_key_resolve(r, ch, "yaw", HPS_F32, NULL, &k), -EINVAL);
	assert_string_equal(hps_reader_error(r), "/head/sample yaw is float64, not float32");
	assert_int_equal(hps_key_resolve(r, ch, "yaw", HPS_F64, "rad", &k), -EINVAL);
	assert_string_equal(hps_reader_error(r), "/head/sample yaw is in deg, not in rad");
	assert_int_equal(hps_key_resolve(r, ch, "yow", HPS_F64, NULL, &k), -ENOENT);
	assert_non_null(strstr(hps_reader_error(r), "/head/sample has no field yow; it has seq time_ns"));
	assert_int_equal(hps_key_resolve(r, reports, "yaw", HPS_F64, NULL, &k), -EINVAL);
	assert_int_equal(hps_key_resolve(r, 77, "yaw", HPS_F64, NULL, &k), -EINVAL);
	struct hps_cursor c = hps_begin(r, -1);
	struct hps_message m;
	unsigned n = 0;
	while (hps_next(&c, &m) == 1) {
		if (m.channel != ch) { /* a key of another channel never reads */
			assert_true(isnan(hps_get_f64(yaw, &m)) && isnan(hps_get_number(yaw, &m)));
			assert_int_equal(hps_get_u32(flags, &m), 0);
			continue;
		}
		struct hp_sample s = make_sample(n++);
		assert_true(hps_get_f64(yaw, &m) == s.ypr[0]);
		assert_true(hps_get_number(yaw, &m) == s.ypr[0]);
		assert_int_equal(hps_get_u32(flags, &m), s.flags);
		assert_int_equal(hps_get_i64(seq, &m), s.seq);
		assert_true(isnan(hps_get_f64(seq, &m)) && isnan(hps_get_f32(yaw, &m)));
	}
	assert_int_equal(n, 100);
	hps_close(r);
	free(f.data);
}

/* Any numbers in any order, with padding. */
static void layouts(void **state)
{
	(void)state;
	static const struct hps_field fields[] = {
		{ "a", "m", HPS_U8 },    { "b", "", HPS_F64 },  { "c", "", HPS_I16 },
		{ "d", "rad", HPS_F32 }, { "e", "", HPS_BOOL }, { "f", "", HPS_U64 },
		{ "g", "", HPS_I8 },     { "h", "", HPS_I32 },  { "i", "", HPS_U16 },
	};
	static const size_t want[] = { 4, 12, 20, 24, 28, 36, 44, 48, 52 };
	uint32_t at[9];
	assert_int_equal(hps_layout_offsets(fields, 9, at), 54);
	for (int i = 0; i < 9; i++)
		assert_int_equal(at[i], want[i]);
	struct hps_out text = { 0 };
	struct hps_field *back;
	size_t n;
	bool whole;
	hps_layout_schema(&text, fields, 9);
	assert_int_equal(hps_layout_parse(text.data, text.size, &back, &n, &whole), 0);
	assert_int_equal(n, 9);
	assert_true(whole);
	for (int i = 0; i < 9; i++) {
		assert_string_equal(back[i].name, fields[i].name);
		assert_string_equal(back[i].unit, fields[i].unit);
		assert_int_equal(back[i].type, fields[i].type);
	}
	free(back);
	free(text.data);
	static const char nested[] = "# a comment\n"
	                             "int32 K=5\n"
	                             "geometry_msgs/Point p # where\r\n"
	                             "float32[2] v # m/s\n"
	                             "string name\n"
	                             "float64 unreachable\n"
	                             "================\nMSG: geometry_msgs/Point\nfloat64 x\nfloat64 y\n";
	static const char *const names[] = { "p.x", "p.y", "v[0]", "v[1]" };
	assert_int_equal(hps_layout_parse((const uint8_t *)nested, strlen(nested), &back, &n, &whole), 0);
	assert_int_equal(n, 4);
	assert_false(whole);
	for (int i = 0; i < 4; i++)
		assert_string_equal(back[i].name, names[i]);
	assert_string_equal(back[2].unit, "m/s");
	free(back);
	/* arrays of arrays of nothing end soon */
	static const char bomb[] = "A[4096] a\n===\nMSG: A\nA[4096] a\n";
	assert_int_equal(hps_layout_parse((const uint8_t *)bomb, strlen(bomb), &back, &n, &whole), 0);
	assert_int_equal(n, 0);
	free(back);
}

static int drop_odd(void *ctx, uint16_t channel, int64_t time, void *data, size_t n)
{
	(void)channel, (void)time;
	++*(int *)ctx;
	((uint8_t *)data)[1] ^= 0xff;
	return n == 3 ? -EPERM : ((uint8_t *)data)[0] & 1 ? HPS_DROP : HPS_KEEP;
}

static void the_hook_edits_and_drops(void **state)
{
	(void)state;
	struct memory_file f = { 0 };
	struct hps_sink sink = memory_sink(&f);
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct hps_writer *w;
	int calls = 0;
	o.hook = drop_odd;
	o.hook_ctx = &calls;
	assert_int_equal(hps_create_sink(&w, &sink, &o), 0);
	int ch = hps_add_raw_channel(w, "/x", "raw", NULL, NULL, NULL, 0, NULL);
	for (uint8_t i = 0; i < 10; i++)
		assert_int_equal(hps_write(w, ch, i, (uint8_t[]){ i, i }, 2), 0);
	assert_int_equal(hps_write(w, ch, 10, "abc", 3), -EPERM);
	assert_int_equal(hps_finish(w), 0);
	assert_int_equal(calls, 11);
	struct hps_reader *r = open_bytes(&f, 0);
	struct hps_cursor c = hps_begin(r, 0);
	struct hps_message m;
	for (int i = 0; i < 10; i += 2) {
		assert_int_equal(hps_next(&c, &m), 1);
		assert_int_equal(m.data[0], i);
		assert_int_equal(m.data[1], i ^ 0xff);
	}
	assert_int_equal(hps_next(&c, &m), 0);
	hps_close(r);
	free(f.data);
}

static void wrong_calls(void **state)
{
	(void)state;
	struct memory_file f = { 0 };
	struct hps_sink sink = memory_sink(&f);
	struct hps_writer *w;
	sink.struct_size = 0; /* forgotten: there is no write() then */
	assert_int_equal(hps_create_sink(&w, &sink, NULL), -EINVAL);
	sink = memory_sink(&f);
	assert_int_equal(hps_create_sink(&w, &sink, NULL), 0);
	assert_int_equal(hps_write(w, 1, 0, "", 0), -EINVAL);
	assert_int_equal(hps_write(w, 0, 0, "", 0), -EINVAL);
	struct hps_field bad = { "two words", "", HPS_F64 };
	assert_int_equal(hps_add_channel(w, "/x", "x/X", &bad, 1, NULL), -EINVAL);
	assert_int_equal(hps_add_raw_channel(w, "/x", "raw", NULL, NULL, NULL, 0, NULL), 1);
	assert_int_equal(hps_write(w, 1, 0, "", (size_t)HPS_MAX_MESSAGE + 1), -EMSGSIZE);
	assert_int_equal(hps_write(w, 1, -5, "", 0), 0); /* times are signed, messages may be empty */
	assert_int_equal(hps_finish(w), 0);
	struct hps_reader *r = open_bytes(&f, 0);
	struct hps_cursor c = hps_begin(r, 0);
	struct hps_message m;
	assert_int_equal(hps_next(&c, &m), 1);
	assert_int_equal(m.time, -5);
	assert_int_equal(m.size, 0);
	hps_close(r);
	free(f.data);
	assert_int_equal(hps_create(&w, "/nonexistent/x.mcap", NULL), -ENOENT);
	assert_int_equal(hps_open(&r, "/nonexistent/x.mcap", NULL, why, sizeof why), -ENOENT);
	assert_int_equal(hps_open(&r, "/", NULL, why, sizeof why), -EISDIR);
	assert_string_equal(why, "Is a directory");
	assert_int_equal(hps_open(&r, "/dev/null", NULL, why, sizeof why), -EINVAL);
}

/* A file that grows under the reader: what is closed is seen, in order, nothing twice. */
static void live_tail(void **state)
{
	(void)state;
	char path[] = "/tmp/headpipe-tail-XXXXXX";
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct hps_writer *w;
	struct hps_reader *r;
	struct hps_message m;
	struct hp_sample s;
	close(mkstemp(path));
	o.chunk_messages = 10;
	assert_int_equal(hps_create(&w, path, &o), 0);
	int ch = hps_add_samples(w, false, NULL);
	assert_int_equal(hps_open(&r, path, NULL, why, sizeof why), 0);
	struct hps_cursor c = { 0 };
	uint64_t seen = 0;
	for (unsigned i = 0; i < 95; i++) {
		s = make_sample(i);
		assert_int_equal(hps_write_sample(w, ch, &s), 0);
		int more = hps_poll(r);
		assert_int_equal(more, i % 10 == 9);
		if (more && !c.reader)
			c = hps_begin(r, hps_channel_find(r, HPS_TOPIC_SAMPLE));
		while (c.reader && hps_next(&c, &m) == 1) {
			assert_int_equal(hps_get_sample(r, &m, &s), 0);
			assert_int_equal(s.seq, seen++);
		}
	}
	assert_int_equal(seen, 90);
	assert_int_equal(hps_finish(w), 0);
	assert_int_equal(hps_poll(r), 1);
	while (hps_next(&c, &m) == 1) {
		assert_int_equal(hps_get_sample(r, &m, &s), 0);
		assert_int_equal(s.seq, seen++);
	}
	assert_int_equal(seen, 95);
	assert_int_equal(hps_poll(r), 0);
	hps_close(r);
	o.exclusive = true;
	assert_int_equal(hps_create(&w, path, &o), -EEXIST);
	unlink(path);
}

/* Appended fields are in the files that ask for them, and others do not claim to have them. */
static void appended(void **state)
{
	(void)state;
	static const uint32_t asked[] = { 0, HP_ANGVEL, HP_CONFIDENCE, HP_SAMPLE_APPENDED_FLAGS };
	static const struct hp_sample empty = HP_SAMPLE_INIT;
	for (int turn = 0; turn < 8; turn++) {
		bool json = turn >= 4;
		uint32_t flags = asked[turn % 4];
		struct hps_writer *w;
		struct hps_reader *r;
		struct hps_message m;
		struct hp_sample s;
		char path[] = "/tmp/headpipe-appended-XXXXXX";
		close(mkstemp(path));
		assert_int_equal(hps_create(&w, path, NULL), 0);
		int ch = hps_add_samples_with(w, json, flags, NULL);
		for (unsigned i = 0; i < 4; i++) {
			s = make_sample(i);
			s.flags |= i ? HP_SAMPLE_APPENDED_FLAGS : 0;
			/* not in force in the first one, whatever it is */
			for (int k = 0; k < 3; k++)
				s.angvel[k] = i ? i + 0.1 * k : NAN;
			s.confidence = i ? 0.25 * i : NAN;
			assert_int_equal(hps_write_sample(w, ch, &s), 0);
		}
		assert_int_equal(hps_finish(w), 0);
		assert_int_equal(hps_open(&r, path, NULL, why, sizeof why), 0);
		int channel = hps_channel_find(r, HPS_TOPIC_SAMPLE);
		assert_int_equal(hps_sample_flags(r, channel), flags);
		if (!json) {
			const struct hps_channel *c = hps_channel_at(r, channel);
			size_t doubles = (flags & HP_ANGVEL ? 3u : 0) + (flags & HP_CONFIDENCE ? 1u : 0);
			if (flags != HP_SAMPLE_APPENDED_FLAGS) /* there may be more one day */
				assert_int_equal(c->nfields, 28 + doubles);
			if (!flags)
				assert_int_equal(c->message_size, 216);
		}
		struct hps_cursor c = hps_begin(r, channel);
		for (unsigned i = 0; i < 4; i++) {
			assert_int_equal(hps_next(&c, &m), 1);
			assert_int_equal(hps_get_sample(r, &m, &s), 0);
			assert_int_equal(s.flags & HP_SAMPLE_APPENDED_FLAGS, i ? flags : 0);
			bool velocity = i && flags & HP_ANGVEL, confidence = i && flags & HP_CONFIDENCE;
			for (int k = 0; k < 3; k++)
				assert_true(s.angvel[k] == (velocity ? i + 0.1 * k : empty.angvel[k]));
			assert_true(s.confidence == (confidence ? 0.25 * i : empty.confidence));
			struct hp_sample want = make_sample(i);
			assert_memory_equal(&s.seq, &want.seq,
			                    offsetof(struct hp_sample, pad0) - offsetof(struct hp_sample, seq));
		}
		hps_close(r);
		unlink(path);
	}
}

/* The disk is full at any byte: what was closed is there, and the error stays. */
static void full_disk(void **state)
{
	(void)state;
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct memory_file whole = { 0 };
	o.chunk_messages = 10;
	assert_int_equal(make_session(&whole, 40, &o, false), 0);
	for (size_t limit = 1; limit < whole.size; limit += limit < 600 ? 1 : 97) {
		struct memory_file f = { .limit = limit };
		struct hps_reader *r;
		int code = make_session(&f, 40, &o, false);
		assert_int_equal(code, -ENOSPC);
		assert_int_equal(f.closed, 1);
		if (!f.size) { /* not even the head went in */
			free(f.data);
			continue;
		}
		assert_int_equal(hps_open_memory(&r, f.data, f.size, NULL, why, sizeof why), 0);
		struct hps_info info;
		hps_get_info(r, &info);
		struct hps_cursor c = hps_begin(r, -1);
		struct hps_message m;
		uint64_t n = 0;
		int got;
		while ((got = hps_next(&c, &m)) == 1)
			n++;
		assert_int_equal(got, 0);
		assert_int_equal(n, info.messages);
		assert_int_equal(info.damaged_chunks, 0);
		hps_close(r);
		free(f.data);
	}
	free(whole.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(zstd_round_trip),
		cmocka_unit_test(seeks),
		cmocka_unit_test(keys_are_typed),
		cmocka_unit_test(layouts),
		cmocka_unit_test(the_hook_edits_and_drops),
		cmocka_unit_test(wrong_calls),
		cmocka_unit_test(live_tail),
		cmocka_unit_test(appended),
		cmocka_unit_test(full_disk),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
