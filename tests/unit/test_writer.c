/* SPDX-License-Identifier: MIT
 * test_writer.c - the writer thread's rings: order, wrapping, overload, breaking, closing while busy. */
#include "io/writer.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct sink_log { /* written on the writer thread, read after hp_writer_stop() */
	uint64_t records, bytes, next, flushes, closes, lost;
	int break_at, flush_error;
	bool wrong;
	sem_t *gate; /* every record waits here, when there is one */
	sem_t *seen; /* posted after every record                  */
};

/* Records carry their number and a pattern that depends on it and on their size. */
static void fill(uint8_t *at, uint64_t number, size_t size)
{
	memcpy(at, &number, sizeof number);
	for (size_t i = sizeof number; i < size; i++)
		at[i] = (uint8_t)(number * 31 + i);
}
static size_t size_of(uint64_t number)
{
	return 8 + (size_t)((number * 2654435761u >> 7) % 3000);
}

static int consume(void *ctx, const void *record, size_t size)
{
	struct sink_log *l = ctx;
	uint64_t number;
	static _Thread_local uint8_t expected[70000];
	if (l->gate)
		sem_wait(l->gate);
	memcpy(&number, record, sizeof number);
	if (number < l->next || (uintptr_t)record % 8)
		l->wrong = true;
	fill(expected, number, size);
	if (memcmp(expected, record, size))
		l->wrong = true;
	l->next = number + 1;
	l->records++;
	l->bytes += size;
	if (l->seen)
		sem_post(l->seen);
	return l->break_at && (int)l->records == l->break_at ? -ENOSPC : 0;
}
static int flush(void *ctx)
{
	struct sink_log *l = ctx;
	l->flushes++;
	return l->flush_error;
}
static void closed(void *ctx, uint64_t lost)
{
	struct sink_log *l = ctx;
	l->closes++;
	l->lost = lost;
}
static const struct hp_sink_ops ops = { consume, flush, closed };

static int push(struct hp_sink *s, uint64_t number, size_t size)
{
	static uint8_t record[70000];
	fill(record, number, size);
	return hp_sink_push(s, record, size);
}

/* A ring of 64 KiB, millions of bytes: every position of the wrap comes up. */
static void wraps(void **unused)
{
	struct sink_log l = { 0 };
	uint64_t taken = 0, refused = 0;
	(void)unused;
	struct hp_sink *s = hp_sink_open(&ops, &l, 1, "test", NULL);
	assert_non_null(s);
	for (uint64_t i = 0; i < 20000; i++) {
		int r = push(s, i, size_of(i));
		if (r == 0) {
			taken++;
		} else {
			assert_int_equal(r, -ENOBUFS);
			refused++;
			i--; /* the same record once there is room: nothing is missing in the end */
			sched_yield();
		}
	}
	assert_int_equal(hp_sink_lost(s), refused);
	hp_sink_close(s);
	hp_writer_stop();
	assert_int_equal(l.records, taken);
	assert_int_equal(l.records, 20000);
	assert_false(l.wrong);
	assert_int_equal(l.closes, 1);
	assert_int_equal(l.lost, refused);
	assert_true(l.flushes >= 1);
}

static void overload(void **unused)
{
	sem_t gate;
	struct sink_log l = { .gate = &gate };
	int taken = 0;
	(void)unused;
	sem_init(&gate, 0, 0);
	struct hp_sink *s = hp_sink_open(&ops, &l, 65536, "test", NULL);
	/* nobody reads: 64 KiB hold 64 records of 1016 + 8 bytes */
	for (int i = 0; i < 100; i++)
		if (!push(s, (uint64_t)i, 1016))
			taken++;
	assert_int_equal(taken, 64);
	assert_int_equal(hp_sink_lost(s), 36);
	assert_int_equal(hp_sink_error(s), 0);
	for (int i = 0; i < 100; i++)
		sem_post(&gate);
	hp_sink_close(s); /* while the thread is busy with it */
	hp_writer_stop();
	assert_int_equal(l.records, 64);
	assert_int_equal(l.lost, 36);
	assert_false(l.wrong);
	sem_destroy(&gate);
}

static void sizes(void **unused)
{
	struct sink_log l = { 0 };
	(void)unused;
	struct hp_sink *s = hp_sink_open(&ops, &l, 65536, "test", NULL);
	assert_int_equal(push(s, 0, 32767), 0);
	assert_int_equal(push(s, 1, 32768), -ENOBUFS); /* never fits: a record is below half of the ring */
	uint8_t *at = hp_sink_reserve(s, 16);          /* in place, and taken back by reserving anew */
	assert_non_null(at);
	at = hp_sink_reserve(s, 9);
	assert_non_null(at);
	fill(at, 2, 9);
	hp_sink_commit(s);
	hp_sink_close(s);
	hp_writer_stop();
	assert_int_equal(l.records, 2);
	assert_int_equal(l.bytes, 32767 + 9);
	assert_int_equal(l.lost, 1);
	assert_false(l.wrong);
}

/* A single record reaches the sink without a second one and without a close. */
static void one_record_is_enough(void **unused)
{
	sem_t seen;
	struct sink_log l = { .seen = &seen };
	(void)unused;
	sem_init(&seen, 0, 0);
	struct hp_sink *s = hp_sink_open(&ops, &l, 65536, "test", NULL);
	for (uint64_t i = 0; i < 5; i++) {
		assert_int_equal(push(s, i, 100), 0);
		while (sem_wait(&seen) < 0)
			;
	}
	hp_sink_close(s);
	hp_writer_stop();
	assert_int_equal(l.records, 5);
	sem_destroy(&seen);
}

static void breaks(void **unused)
{
	sem_t seen;
	struct sink_log l = { .break_at = 3, .seen = &seen }, f = { .flush_error = -EIO };
	(void)unused;
	sem_init(&seen, 0, 0);
	struct hp_sink *s = hp_sink_open(&ops, &l, 65536, "test", NULL);
	for (uint64_t i = 0; i < 10; i++)
		push(s, i, 100);
	for (int i = 0; i < 3; i++)
		sem_wait(&seen);
	while (!hp_sink_error(s))
		sched_yield();
	assert_int_equal(hp_sink_error(s), -ENOSPC);
	assert_int_equal(push(s, 10, 100), -ENOSPC);
	assert_null(hp_sink_reserve(s, 100));
	assert_int_equal(hp_sink_lost(s), 0); /* broken is another thing than lost */
	hp_sink_close(s);
	/* one that only fails when it is flushed, beside it */
	s = hp_sink_open(&ops, &f, 65536, "test", NULL);
	push(s, 0, 100);
	while (!hp_sink_error(s))
		sched_yield();
	assert_int_equal(hp_sink_error(s), -EIO);
	hp_sink_close(s);
	hp_writer_stop();
	assert_int_equal(l.records, 3); /* nothing is consumed after the fault */
	assert_int_equal(l.closes, 1);
	assert_int_equal(f.closes, 1);
	sem_destroy(&seen);
}

/* Many sinks at once, opened and closed while others are busy, and the thread started again and again. */
static void many(void **unused)
{
	static struct sink_log logs[40];
	struct hp_sink *open[8] = { 0 };
	uint64_t pushed[40] = { 0 };
	int of[8] = { 0 }, next = 0;
	(void)unused;
	memset(logs, 0, sizeof logs);
	for (int turn = 0; turn < 4000; turn++) {
		int i = turn % 8;
		if (!open[i] && next < 40) {
			of[i] = next++;
			open[i] = hp_sink_open(&ops, &logs[of[i]], 1, "test", NULL);
			assert_non_null(open[i]);
		}
		if (!open[i])
			continue;
		if (push(open[i], pushed[of[i]], 8 + (size_t)(turn % 50)) == 0)
			pushed[of[i]]++;
		if (turn % 101 == 0) {
			hp_sink_close(open[i]);
			open[i] = NULL;
		}
	}
	for (int i = 0; i < 8; i++)
		if (open[i])
			hp_sink_close(open[i]);
	hp_writer_stop();
	hp_writer_stop(); /* harmless */
	for (int i = 0; i < next; i++) {
		assert_int_equal(logs[i].records, pushed[i]);
		assert_int_equal(logs[i].closes, 1);
		assert_false(logs[i].wrong);
	}
	assert_true(next > 20);
}

/* One that hangs holds up nobody: not another sink, not the waiting inputs, not the end. What comes back after the end
 * touches nothing any more. */
static void hangs(void **unused)
{
	static struct sink_log stuck, good; /* the thread that is left behind may look at it for ever */
	static sem_t gate;
	struct stat place = { .st_dev = 1, .st_ino = 2 };
	(void)unused;
	sem_init(&gate, 0, 0);
	stuck = (struct sink_log){ .gate = &gate };
	hp_writer_grace(50000000);
	struct hp_sink *s = hp_sink_open(&ops, &stuck, 65536, "stuck", &place);
	struct hp_sink *same = hp_sink_open(&ops, &stuck, 65536, "same", &place);
	struct hp_sink *g = hp_sink_open(&ops, &good, 65536, "good", NULL);
	uint64_t n = 0;
	while (push(s, n, 1000) == 0)
		n++;
	assert_true(hp_writer_behind());
	for (uint64_t i = 0; i < 1000; i++)
		while (push(g, i, 1000) < 0)
			sched_yield();
	while (hp_writer_behind()) /* until its time is over */
		sched_yield();
	sem_post(&gate); /* it goes on: waited for again, until it hangs again */
	hp_sink_close(s);
	hp_sink_close(same);
	hp_sink_close(g);
	assert_int_equal(hp_writer_stop(), 1);
	assert_int_equal(good.records, 1000);
	assert_int_equal(good.closes, 1);
	for (uint64_t i = 0; i < n; i++)
		sem_post(&gate);
	hp_writer_grace(5000000000);
	assert_int_equal(hp_writer_stop(), 0);
	assert_int_equal(stuck.closes, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wraps),  cmocka_unit_test(overload),
		cmocka_unit_test(sizes),  cmocka_unit_test(one_record_is_enough),
		cmocka_unit_test(breaks), cmocka_unit_test(many),
		cmocka_unit_test(hangs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
