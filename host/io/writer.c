/* SPDX-License-Identifier: MIT
 * writer.c - one thread that empties single-producer rings of framed records into their sinks.
 *
 * A record is [u32 size][u32 0][bytes, padded to 8]; WRAP in place of a size means "go on at the start". The producer
 * moves head, the thread moves tail. The thread is woken by the first record after it had nothing to do, then gathers
 * for GATHER_NS so that a stream costs it ten wake-ups a second and not one per sample; a ring that is half full, and
 * closing, wake it at once. */
#define _GNU_SOURCE /* sem_clockwait */
#include "writer.h"
#include "base/clock.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_RING = 64 * 1024, HEADER = 8 };
#define WRAP      0xffffffffu
#define GATHER_NS 100000000

struct hp_sink {
	struct hp_sink *next;
	const struct hp_sink_ops *ops;
	void *ctx;
	uint8_t *ring;
	uint64_t size;               /* power of two */
	_Atomic uint64_t head, tail; /* bytes since the start; never wrap in practice */
	uint64_t reserved;           /* producer: head after the commit */
	_Atomic uint64_t lost;
	atomic_int error;
	atomic_bool told; /* the thread knows that something waits          */
	atomic_bool closing;
	bool flushed;         /* thread: nothing consumed since the last flush  */
	bool last;            /* thread: it was closing before the last drain   */
	struct hp_sink *walk; /* thread: the next one of this visit */
};

static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct hp_sink *sinks;
static pthread_t thread;
static bool running;
static atomic_bool stopping;
static sem_t work;         /* posted when the thread has something new to look at  */
static atomic_bool urgent; /* do not gather                                         */

static uint32_t load32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static void store32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof v);
}

/* ---- the thread ----------------------------------------------------------------------------------------------- */

static void break_sink(struct hp_sink *s, int err)
{
	atomic_store(&s->error, err);
}

static void drain(struct hp_sink *s)
{
	uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);
	uint64_t head = atomic_load(&s->head);
	while (tail < head) {
		uint64_t at = tail & (s->size - 1);
		uint32_t n = load32(s->ring + at);
		if (n == WRAP) {
			tail += s->size - at;
		} else {
			int r = atomic_load(&s->error) ? 0 : s->ops->consume(s->ctx, s->ring + at + HEADER, n);
			if (r < 0)
				break_sink(s, r);
			s->flushed = false;
			tail += HEADER + ((n + 7u) & ~7u);
		}
		atomic_store_explicit(&s->tail, tail, memory_order_release);
		if (tail == head)
			head = atomic_load_explicit(&s->head, memory_order_acquire);
	}
	if (s->flushed || !s->ops->flush || atomic_load(&s->error))
		return;
	int r = s->ops->flush(s->ctx);
	s->flushed = true;
	if (r < 0)
		break_sink(s, r);
}

static void finish(struct hp_sink *s)
{
	s->ops->close(s->ctx, atomic_load(&s->lost));
	free(s->ring);
	free(s);
}

static void visit_all(void)
{
	struct hp_sink *done = NULL, *first = NULL, **walk = &first;
	pthread_mutex_lock(&list_lock);
	for (struct hp_sink *s = sinks; s; s = s->next) {
		*walk = s;
		walk = &s->walk;
	}
	*walk = NULL;
	pthread_mutex_unlock(&list_lock);
	/* only this thread takes any out */
	for (struct hp_sink *s = first; s; s = s->walk) {
		s->last = atomic_load(&s->closing); /* before the drain: then nothing can come after it */
		atomic_store(&s->told, false);
		drain(s);
	}
	pthread_mutex_lock(&list_lock);
	for (struct hp_sink **at = &sinks; *at;) {
		struct hp_sink *s = *at;
		if (s->last) {
			*at = s->next;
			s->next = done;
			done = s;
		} else {
			at = &s->next;
		}
	}
	pthread_mutex_unlock(&list_lock);
	while (done) {
		struct hp_sink *next = done->next;
		finish(done);
		done = next;
	}
}

/* By the monotonic clock: when the wall clock is set back by an hour, files do not fall an hour behind. */
static void gather(void)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += GATHER_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (!atomic_load(&urgent)) {
		if (sem_clockwait(&work, CLOCK_MONOTONIC, &until) < 0 && errno != EINTR)
			return;
	}
}

static void *run(void *arg)
{
	/* a realtime loop must not make its disk writer realtime as well */
	struct sched_param normal = { 0 };
	(void)arg;
	pthread_setschedparam(pthread_self(), SCHED_OTHER, &normal);
	for (;;) {
		while (sem_wait(&work) < 0 && errno == EINTR)
			;
		gather();
		atomic_store(&urgent, false);
		visit_all();
		if (atomic_load(&stopping)) {
			pthread_mutex_lock(&list_lock);
			bool empty = !sinks;
			pthread_mutex_unlock(&list_lock);
			if (empty)
				return NULL;
			sem_post(&work);
			atomic_store(&urgent, true);
		}
	}
}

static int start_thread(void)
{
	sigset_t all, old;
	if (running)
		return 0;
	atomic_store(&stopping, false);
	atomic_store(&urgent, false);
	if (sem_init(&work, 0, 0) < 0)
		return errno;
	/* signals belong to the loop */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int r = pthread_create(&thread, NULL, run, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	running = !r;
	return r;
}

/* ---- the loop's side ------------------------------------------------------------------------------------------ */

struct hp_sink *hp_sink_open(const struct hp_sink_ops *ops, void *ctx, size_t ring_bytes)
{
	struct hp_sink *s = calloc(1, sizeof *s);
	size_t size = MIN_RING;
	while (size < ring_bytes)
		size *= 2;
	if (s)
		s->ring = malloc(size);
	int r = s && s->ring ? start_thread() : ENOMEM;
	if (r) {
		if (s)
			free(s->ring);
		free(s);
		errno = r;
		return NULL;
	}
	s->ops = ops;
	s->ctx = ctx;
	s->size = size;
	s->flushed = true;
	pthread_mutex_lock(&list_lock);
	/* behind the others: a file that is opened again is written after its earlier self */
	struct hp_sink **end = &sinks;
	while (*end)
		end = &(*end)->next;
	*end = s;
	pthread_mutex_unlock(&list_lock);
	return s;
}

void *hp_sink_reserve(struct hp_sink *s, size_t n)
{
	uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&s->tail, memory_order_acquire);
	uint64_t need = HEADER + ((n + 7) & ~(uint64_t)7), at = head & (s->size - 1);
	uint64_t skip = s->size - at < need ? s->size - at : 0; /* records lie in one piece */
	if (atomic_load_explicit(&s->error, memory_order_relaxed))
		return NULL;
	if (n >= s->size / 2 || head + skip + need - tail > s->size) {
		atomic_fetch_add(&s->lost, 1);
		return NULL;
	}
	if (skip) {
		store32(s->ring + at, WRAP);
		at = 0;
	}
	store32(s->ring + at, (uint32_t)n);
	s->reserved = head + skip + need;
	return s->ring + at + HEADER;
}

static void wake(struct hp_sink *s, bool now)
{
	if (now && !atomic_exchange(&urgent, true)) {
		atomic_store(&s->told, true);
		sem_post(&work);
	} else if (!atomic_load(&s->told) && !atomic_exchange(&s->told, true)) {
		sem_post(&work);
	}
}

void hp_sink_commit(struct hp_sink *s)
{
	/* in one order with `told`: either the thread sees the record, or this side sees that it must wake it */
	atomic_store(&s->head, s->reserved);
	wake(s, s->reserved - atomic_load_explicit(&s->tail, memory_order_relaxed) > s->size / 2);
}

int hp_sink_push(struct hp_sink *s, const void *record, size_t n)
{
	void *to = hp_sink_reserve(s, n);
	if (!to) {
		int err = atomic_load(&s->error);
		return err ? err : -ENOBUFS;
	}
	memcpy(to, record, n);
	hp_sink_commit(s);
	return 0;
}

uint64_t hp_sink_lost(const struct hp_sink *s)
{
	return atomic_load(&s->lost);
}

int hp_sink_error(const struct hp_sink *s)
{
	return atomic_load(&s->error);
}

bool hp_writer_behind(void)
{
	bool behind = false;
	pthread_mutex_lock(&list_lock);
	for (const struct hp_sink *s = sinks; s && !behind; s = s->next)
		behind = atomic_load(&s->head) - atomic_load(&s->tail) > s->size / 2;
	pthread_mutex_unlock(&list_lock);
	return behind;
}

void hp_sink_close(struct hp_sink *s)
{
	atomic_store(&s->closing, true);
	atomic_store(&urgent, true);
	sem_post(&work);
}

void hp_writer_stop(void)
{
	if (!running)
		return;
	atomic_store(&stopping, true);
	atomic_store(&urgent, true);
	sem_post(&work);
	pthread_join(thread, NULL);
	sem_destroy(&work);
	running = false;
}
