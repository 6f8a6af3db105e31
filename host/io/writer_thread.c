/* SPDX-License-Identifier: MIT
 * writer_thread.c - the threads that empty the rings of writer.c into their sinks, one per object of the file system,
 * so that one that blocks holds up nobody but itself.
 *
 * A thread is woken by the first record after it had nothing to do, then gathers for GATHER_NS so that a stream costs
 * it ten wake-ups a second and not one per sample; a ring that is half full, and closing, wake it at once. It ends with
 * its last sink. A thread that hangs in write() cannot be ended. When its time is over it is left behind with all that
 * it might still touch; should it come back, it finds the mark and ends without a word. */
#define _GNU_SOURCE /* sem_clockwait */
#include "writer_lane.h"
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { STACK = 1024 * 1024, GATHER_NS = 100000000 };

pthread_mutex_t hp_lanes_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t hp_lane_gone;
struct hp_lane *hp_lanes;
static _Thread_local struct hp_lane *this_lane; /* of a thread of ours */

static uint32_t load32(const uint8_t *p)
{
	uint32_t v;
	memcpy(&v, p, sizeof v);
	return v;
}

static void break_sink(struct hp_sink *s, int err)
{
	atomic_store(&s->error, err);
}

void hp_writer_moved(void)
{
	if (this_lane)
		atomic_fetch_add_explicit(&this_lane->moved, 1, memory_order_relaxed);
}

bool hp_writer_speak(void)
{
	if (!this_lane)
		return true;
	pthread_mutex_lock(&this_lane->speech);
	if (!this_lane->left)
		return true;
	pthread_mutex_unlock(&this_lane->speech);
	return false;
}

void hp_writer_spoken(void)
{
	if (this_lane)
		pthread_mutex_unlock(&this_lane->speech);
}

/* Only a thread that did not come back in time is; this may be much later. */
static bool is_left(void)
{
	if (!hp_writer_speak())
		return true;
	hp_writer_spoken();
	return false;
}

static void drain(struct hp_sink *s)
{
	uint64_t tail = atomic_load_explicit(&s->tail, memory_order_relaxed);
	uint64_t head = atomic_load(&s->head);
	while (tail < head && !atomic_load(&s->lane->left)) {
		uint64_t at = tail & (s->size - 1);
		uint32_t n = load32(s->ring + at);
		if (n == HP_RING_WRAP) {
			tail += s->size - at;
		} else {
			int r = atomic_load(&s->error) ? 0 : s->ops->consume(s->ctx, s->ring + at + HP_RING_HEADER, n);
			if (r < 0)
				break_sink(s, r);
			s->flushed = false;
			tail += HP_RING_HEADER + ((n + 7u) & ~7u);
		}
		atomic_store_explicit(&s->tail, tail, memory_order_release);
		hp_writer_moved();
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
	hp_writer_moved();
}

void hp_sink_free(struct hp_sink *s)
{
	free(s->ring);
	free(s->name);
	free(s);
}

/* False: it is left behind. */
static bool visit_all(struct hp_lane *l)
{
	struct hp_sink *first = NULL, **walk = &first;
	pthread_mutex_lock(&hp_lanes_lock);
	for (struct hp_sink *s = l->sinks; s; s = s->next) {
		*walk = s;
		walk = &s->walk;
	}
	*walk = NULL;
	pthread_mutex_unlock(&hp_lanes_lock);
	/* only this thread takes any out */
	for (struct hp_sink *s = first, *next; s; s = next) {
		next = s->walk;
		bool last = atomic_load(&s->closing); /* before the drain: then nothing can come after it */
		atomic_store(&s->told, false);
		drain(s);
		if (is_left())
			return false;
		if (!last)
			continue;
		finish(s);
		if (is_left())
			return false;
		pthread_mutex_lock(&hp_lanes_lock);
		struct hp_sink **at = &l->sinks;
		while (*at != s)
			at = &(*at)->next;
		*at = s->next;
		pthread_mutex_unlock(&hp_lanes_lock);
		hp_sink_free(s);
	}
	return true;
}

/* By the monotonic clock: when the wall clock is set back by an hour, files do not fall an hour behind. */
static void gather(struct hp_lane *l)
{
	struct timespec until;
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += GATHER_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (!atomic_load(&l->urgent)) {
		if (sem_clockwait(&l->work, CLOCK_MONOTONIC, &until) < 0 && errno != EINTR)
			return;
	}
}

void hp_lane_free(struct hp_lane *l)
{
	sem_destroy(&l->work);
	pthread_mutex_destroy(&l->speech);
	free(l);
}

static bool is_over(struct hp_lane *l)
{
	pthread_mutex_lock(&hp_lanes_lock);
	bool over = !l->sinks && !is_left();
	if (over) {
		struct hp_lane **at = &hp_lanes;
		while (*at != l)
			at = &(*at)->next;
		*at = l->next;
		this_lane = NULL;
		hp_lane_free(l);
		pthread_cond_broadcast(&hp_lane_gone);
	}
	pthread_mutex_unlock(&hp_lanes_lock);
	return over;
}

static void *run(void *arg)
{
	/* a realtime loop must not make its disk writer realtime as well */
	struct sched_param normal = { 0 };
	struct hp_lane *l = this_lane = arg;
	pthread_setschedparam(pthread_self(), SCHED_OTHER, &normal);
	do {
		while (sem_wait(&l->work) < 0 && errno == EINTR)
			;
		gather(l);
		atomic_store(&l->urgent, false);
	} while (visit_all(l) && !is_over(l));
	return NULL;
}

static void init_cond(void)
{
	pthread_condattr_t a;
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&hp_lane_gone, &a);
	pthread_condattr_destroy(&a);
}

int hp_lane_start(struct hp_lane *l)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_t thread;
	pthread_attr_t a;
	sigset_t all, old;
	pthread_once(&once, init_cond);
	int r = pthread_attr_init(&a);
	if (r)
		return r;
	pthread_attr_setdetachstate(&a, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&a, STACK); /* with lock_memory all of it is resident */
	/* signals belong to the loop */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&thread, &a, run, l);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&a);
	return r;
}
