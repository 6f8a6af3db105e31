/* SPDX-License-Identifier: MIT
 * test_session_seek.c - what the index finds is what a plain walk over all messages finds: random sessions, in order
 * and not; and how many chunks are read for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "have.h"
#include "session_make.h"

enum { MOST = 600 };

struct seen { /* one message by the plain walk */
	int64_t time;
	uint32_t sequence, event; /* event: its type, 0 = none */
	uint16_t channel;
};
struct walk {
	struct seen m[MOST];
	unsigned n, channels;
	int events; /* index of /events, or -1 */
};

static uint32_t state;
static uint32_t rnd(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state % n;
}

enum order { EVEN, JITTER, BACK, TWO_CLOCKS, WILD, ORDERS };

/* Up to 400 messages of reports, samples, events and a second device's reports, in chunks of a few. */
static void make_random(struct memory_file *f, enum order order, bool zstd)
{
	struct hps_writer *w;
	struct hps_sink sink = memory_sink(f);
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	o.chunk_messages = 1 + rnd(20);
	o.chunk_ns = rnd(2) ? 0 : 1 + rnd(500);
	o.compression = !zstd ? HPS_NONE : rnd(2) ? HPS_ZSTD : HPS_LEAN;
	assert_int_equal(hps_create_sink(&w, &sink, &o), 0);
	int reports = hps_add_reports(w, &make_stream), samples = hps_add_samples(w, false, NULL),
	    events = hps_add_events(w), second = hps_add_reports(w, NULL);
	int64_t t = 1000 + rnd(100), base = t;
	for (unsigned i = 0, n = rnd(400); i < n; i++) {
		struct hp_sample s = make_sample(i);
		static const uint32_t types[] = { HP_CONNECTED, HP_GAP, HP_RECENTER };
		struct hp_event e = { sizeof e, types[rnd(3)], 0, i, "x" };
		t += rnd(12);
		s.time_ns = order == EVEN || order == TWO_CLOCKS ? t
		            : order == JITTER                    ? t + rnd(60)
		            : order == WILD                      ? base + rnd(3000)
		                                                 : t;
		if (order == BACK && !rnd(40))
			t -= rnd(800);
		e.time_ns = order == TWO_CLOCKS ? 900000 + (int64_t)rnd(1000) : s.time_ns;
		uint32_t kind = rnd(10);
		if (kind < 5)
			hps_write(w, reports, s.time_ns, "abc", 3);
		else if (kind < 8)
			hps_write_sample(w, samples, &s);
		else if (kind == 8)
			hps_write_event(w, events, &e, 0);
		else
			hps_write(w, second, s.time_ns, "abc", 3);
	}
	assert_int_equal(hps_finish(w), 0);
}

static struct hps_reader *open_bytes(const struct memory_file *f, bool recover)
{
	char why[300];
	struct hps_reader *r;
	struct hps_reader_options o = HPS_READER_OPTIONS;
	o.recover = recover;
	o.cache_bytes = rnd(3) ? 1 << 20 : 0;
	if (hps_open_memory(&r, f->data, f->size, &o, why, sizeof why) < 0)
		fail_msg("%s", why);
	return r;
}

static void walk_all(struct hps_reader *r, struct walk *w)
{
	struct hps_cursor c = hps_begin(r, -1);
	struct hps_message m;
	struct hp_event e;
	struct hps_info info;
	hps_get_info(r, &info);
	*w = (struct walk){ .events = hps_channel_find(r, HPS_TOPIC_EVENTS), .channels = (unsigned)info.nchannels };
	while (hps_next(&c, &m) == 1) {
		assert_true(w->n < MOST);
		bool event = !hps_get_event(r, &m, &e, NULL);
		w->m[w->n++] = (struct seen){ m.time, m.sequence, event ? e.type : 0, m.channel };
	}
}

static bool same(const struct seen *s, const struct hps_message *m)
{
	return s->time == m->time && s->sequence == m->sequence && s->channel == m->channel;
}

static void check_between(struct hps_reader *r, const struct walk *w, int channel, int64_t from, int64_t to)
{
	struct hps_cursor c = hps_begin(r, channel);
	struct hps_message m;
	int64_t now = 0;
	for (unsigned i = w->n; i--;) /* what stands in front of everything belongs to the first */
		if (w->m[i].channel != w->events)
			now = w->m[i].time;
	bool any = false;
	for (unsigned i = 0; i < w->n; i++)
		any |= w->m[i].channel != w->events;
	for (unsigned i = 0; i < w->n; i++) {
		if (channel >= 0 && w->m[i].channel != channel)
			continue;
		if (channel >= 0 || w->m[i].channel != w->events) {
			now = w->m[i].time;
			any = true;
		}
		if (any && (now < from || now > to))
			continue;
		assert_int_equal(hps_next_between(&c, from, to, &m), 1);
		assert_true(same(&w->m[i], &m));
		if (!rnd(8)) { /* asked twice it stays, and reading on goes on */
			struct hps_cursor again = c;
			int one = hps_seek_between(&c, from, to), two = hps_seek_between(&c, from, to);
			assert_int_equal(one, two);
			c = again;
		}
	}
	assert_int_equal(hps_next_between(&c, from, to, &m), 0);
	assert_int_equal(hps_next(&c, &m), 0);
}

static void check_seek(struct hps_reader *r, const struct walk *w, int channel, int64_t t)
{
	struct hps_cursor c = hps_begin(r, channel);
	struct hps_message m;
	unsigned i = 0;
	while (i < w->n && (w->m[i].time < t || (channel >= 0 && w->m[i].channel != channel)))
		i++;
	assert_int_equal(hps_seek_time(&c, t), i < w->n);
	assert_int_equal(hps_next(&c, &m), i < w->n);
	if (i < w->n)
		assert_true(same(&w->m[i], &m));
}

static void check_recorded(struct hps_reader *r, const struct walk *w)
{
	int64_t first, last, want_first = 0, want_last = 0;
	bool any = false;
	for (unsigned i = 0; i < w->n; i++) {
		if (w->m[i].channel == w->events)
			continue;
		want_first = !any || w->m[i].time < want_first ? w->m[i].time : want_first;
		want_last = !any || w->m[i].time > want_last ? w->m[i].time : want_last;
		any = true;
	}
	assert_int_equal(hps_recorded(r, &first, &last), any);
	if (any) {
		assert_int_equal(first, want_first);
		assert_int_equal(last, want_last);
	}
}

static void check_before(struct hps_reader *r, const struct walk *w, unsigned place, uint32_t type)
{
	struct hps_cursor c = hps_begin(r, -1);
	struct hps_message m;
	unsigned i = place;
	while (i && w->m[i - 1].event != type)
		i--;
	if (rnd(2))
		hps_seek_number(&c, place);
	else
		for (unsigned k = 0; k < place; k++)
			hps_next(&c, &m);
	assert_int_equal(hps_seek_event_before(&c, type), i > 0);
	assert_int_equal(hps_next(&c, &m), i > 0 || place < w->n);
	if (i || place < w->n)
		assert_true(same(&w->m[i ? i - 1 : place], &m));
}

static void random_sessions(void **ctx)
{
	(void)ctx;
	static struct walk w;
	for (unsigned seed = 1; seed <= 400; seed++) {
		struct memory_file f = { 0 };
		state = seed * 2654435761u | 1;
		make_random(&f, (enum order)(seed % ORDERS), HP_HAVE_ZSTD && seed % 7 == 0);
		struct hps_reader *r = open_bytes(&f, seed % 3 == 0);
		walk_all(r, &w);
		check_recorded(r, &w);
		for (int k = 0; k < 12; k++) {
			int channel = (int)rnd(w.channels + 1) - 1;
			/* often just at a message's time */
			int64_t from = w.n && rnd(2) ? w.m[rnd(w.n)].time : 900 + (int64_t)rnd(3500);
			int64_t to = rnd(4) ? from + rnd(rnd(2) ? 40 : 2000) : INT64_MAX;
			check_between(r, &w, channel, k ? from : INT64_MIN, to);
			check_seek(r, &w, channel, from);
			if (w.n)
				check_before(r, &w, rnd(w.n + 1), rnd(2) ? HP_CONNECTED : HP_LOST);
		}
		hps_close(r);
		free(f.data);
	}
}

static uint64_t chunks_read(const struct hps_reader *r)
{
	struct hps_info info;
	hps_get_info(r, &info);
	return info.chunks_read;
}

/* 2000 chunks in order, one connection at the beginning, as a recording is. */
static void few_chunks(void **ctx)
{
	(void)ctx;
	struct memory_file f = { 0 };
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct hps_message m;
	struct hps_info info;
	int64_t first, last;
	o.chunk_messages = 20;
	assert_int_equal(make_session(&f, 20000, &o, false), 0);
	static const unsigned at[] = { 0, 1, 9999, 10000, 19000, 19999 };
	for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
		struct hps_reader *r = open_bytes(&f, false);
		struct hps_cursor c = hps_begin(r, -1);
		hps_get_info(r, &info);
		assert_true(info.chunks >= 2000 && info.ordered);
		assert_int_equal(info.chunks_read, 0); /* the index is enough to open it */
		assert_int_equal(hps_recorded(r, &first, &last), 1);
		assert_int_equal(last, make_sample(19999).time_ns);
		assert_int_equal(hps_next_between(&c, make_sample(at[i]).time_ns, INT64_MAX, &m), 1);
		if (!at[i]) /* the connection in front of it comes along */
			assert_int_equal(hps_next(&c, &m), 1);
		assert_int_equal(m.time, make_sample(at[i]).time_ns);
		assert_true(chunks_read(r) <= 3);
		hps_close(r);
		/* a stretch in the middle costs its own chunks and one at each end */
		r = open_bytes(&f, false);
		c = hps_begin(r, hps_channel_find(r, HPS_TOPIC_SAMPLE));
		unsigned n = 0, want = at[i] < 19900 ? 100 : 20000 - at[i];
		while (hps_next_between(&c, make_sample(at[i]).time_ns, make_sample(at[i] + 99).time_ns, &m) == 1)
			n++;
		assert_int_equal(n, want);
		assert_true(chunks_read(r) <= want * 21 / 10 / 20 + 2);
		hps_close(r);
		r = open_bytes(&f, false);
		c = hps_begin(r, 0);
		assert_int_equal(hps_next_between(&c, last + 1, INT64_MAX, &m), 0);
		assert_int_equal(hps_next_between(&c, 0, first - 1, &m), 0);
		assert_int_equal(chunks_read(r), 0);
		hps_close(r);
	}
	free(f.data);
}

/* A bad chunk is told once, and the rest of the stretch comes all the same. */
static void bad_chunk(void **ctx)
{
	(void)ctx;
	struct memory_file f = { 0 };
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct hps_chunk k;
	struct hps_message m;
	o.chunk_messages = 20;
	assert_int_equal(make_session(&f, 1000, &o, false), 0);
	struct hps_reader *r = open_bytes(&f, false);
	assert_true(hps_chunk_at(r, 50, &k));
	hps_close(r);
	f.data[k.offset + k.length - 1] ^= 1;
	r = open_bytes(&f, false);
	struct hps_cursor c = hps_begin(r, -1);
	unsigned n = 0, bad = 0;
	int code;
	while ((code = hps_next_between(&c, k.start - 100000000, k.end + 100000000, &m)) != 0) {
		n += code == 1;
		bad += code < 0;
	}
	assert_int_equal(bad, 1);
	assert_true(n > 80 && n < 120);
	/* where it is not wanted nobody looks at it */
	c = hps_begin(r, -1);
	while ((code = hps_next_between(&c, k.end + 1, INT64_MAX, &m)) == 1)
		;
	assert_int_equal(code, 0);
	hps_close(r);
	free(f.data);
}

static void wrong_arguments(void **ctx)
{
	(void)ctx;
	struct memory_file f = { 0 };
	struct hps_message m;
	int64_t first = 7, last = 7;
	assert_int_equal(make_session(&f, 10, NULL, false), 0);
	struct hps_reader *r = open_bytes(&f, false);
	struct hps_cursor c = hps_begin(r, 17);
	assert_int_equal(hps_next_between(&c, 0, INT64_MAX, &m), -EINVAL);
	assert_string_equal(hps_reader_error(r), "there is no channel 17");
	c = hps_begin(r, 0);
	assert_int_equal(hps_seek_event_before(&c, HP_CONNECTED), -EINVAL);
	hps_close(r);
	free(f.data);
	/* nothing but events, and nothing at all */
	f = (struct memory_file){ 0 };
	assert_int_equal(make_session(&f, 0, NULL, false), 0);
	r = open_bytes(&f, false);
	c = hps_begin(r, -1);
	assert_int_equal(hps_recorded(r, &first, &last), 0);
	assert_int_equal(hps_next_between(&c, 5, 6, &m), 1);
	assert_int_equal(hps_next_between(&c, 5, 6, &m), 0);
	assert_int_equal(hps_seek_event_before(&c, HP_CONNECTED), 1);
	assert_int_equal(hps_next(&c, &m), 1);
	hps_close(r);
	free(f.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_sessions),
		cmocka_unit_test(few_chunks),
		cmocka_unit_test(bad_chunk),
		cmocka_unit_test(wrong_arguments),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
