/* SPDX-License-Identifier: MIT
 * writer.c - the loop's side of the writer threads: rings that it fills, who shares a thread, and for how long anybody
 * is waited for. */
#include "base/clock.h"
#include "base/log.h"
#include "writer_lane.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MIN_RING = 64 * 1024 };

static struct hp_lane *left_behind;   /* hp_lanes_lock; what their threads might touch must stay */
static int64_t grace_ns = 5000000000; /* loop */

static void store32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof v);
}

static struct hp_lane *find_lane(dev_t device, ino_t inode)
{
	struct hp_lane *l = device || inode ? hp_lanes : NULL;
	while (l && (l->device != device || l->inode != inode))
		l = l->next;
	return l;
}

static struct hp_lane *new_lane(dev_t device, ino_t inode)
{
	struct hp_lane *l = calloc(1, sizeof *l);
	if (!l)
		return NULL;
	l->device = device;
	l->inode = inode;
	sem_init(&l->work, 0, 0);
	pthread_mutex_init(&l->speech, NULL);
	return l;
}

/* Hangs it behind the others of its lane: a file that is opened again is written after its earlier self. */
static int join_lane(struct hp_sink *s, dev_t device, ino_t inode)
{
	int r = 0;
	pthread_mutex_lock(&hp_lanes_lock);
	s->lane = find_lane(device, inode);
	if (!s->lane) {
		s->lane = new_lane(device, inode);
		r = s->lane ? hp_lane_start(s->lane) : ENOMEM;
		if (r && s->lane)
			hp_lane_free(s->lane);
		if (!r) {
			s->lane->next = hp_lanes;
			hp_lanes = s->lane;
		}
	}
	if (!r) {
		struct hp_sink **end = &s->lane->sinks;
		while (*end)
			end = &(*end)->next;
		*end = s;
	}
	pthread_mutex_unlock(&hp_lanes_lock);
	return r;
}

struct hp_sink *hp_sink_open(const struct hp_sink_ops *ops, void *ctx, size_t ring_bytes, const char *name,
                             const struct stat *place)
{
	struct hp_sink *s = calloc(1, sizeof *s);
	size_t size = MIN_RING;
	while (size < ring_bytes)
		size *= 2;
	if (s) {
		s->ring = malloc(size);
		s->name = strdup(name);
		s->ops = ops;
		s->ctx = ctx;
		s->size = size;
		s->flushed = true;
	}
	int r = s && s->ring && s->name ? join_lane(s, place ? place->st_dev : 0, place ? place->st_ino : 0) : ENOMEM;
	if (!r)
		return s;
	if (s)
		hp_sink_free(s);
	errno = r;
	return NULL;
}

void *hp_sink_reserve(struct hp_sink *s, size_t n)
{
	uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);
	uint64_t tail = atomic_load_explicit(&s->tail, memory_order_acquire);
	uint64_t need = HP_RING_HEADER + ((n + 7) & ~(uint64_t)7), at = head & (s->size - 1);
	uint64_t skip = s->size - at < need ? s->size - at : 0; /* records lie in one piece */
	if (atomic_load_explicit(&s->error, memory_order_relaxed))
		return NULL;
	if (n >= s->size / 2 || head + skip + need - tail > s->size) {
		atomic_fetch_add(&s->lost, 1);
		return NULL;
	}
	if (skip) {
		store32(s->ring + at, HP_RING_WRAP);
		at = 0;
	}
	store32(s->ring + at, (uint32_t)n);
	s->reserved = head + skip + need;
	return s->ring + at + HP_RING_HEADER;
}

static void wake(struct hp_sink *s, bool now)
{
	if (now && !atomic_exchange(&s->lane->urgent, true)) {
		atomic_store(&s->told, true);
		sem_post(&s->lane->work);
	} else if (!atomic_load(&s->told) && !atomic_exchange(&s->told, true)) {
		sem_post(&s->lane->work);
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

void hp_writer_grace(int64_t ns)
{
	grace_ns = ns;
}

static uint64_t waiting(const struct hp_sink *s)
{
	return atomic_load(&s->head) - atomic_load(&s->tail);
}

/* For how long it has got rid of nothing. Only meaningful while something waits. */
static int64_t stands_still(struct hp_lane *l, int64_t now)
{
	uint64_t moved = atomic_load(&l->moved);
	if (!l->seen_ns || moved != l->seen) {
		l->seen = moved;
		l->seen_ns = now;
	}
	return now - l->seen_ns;
}

static bool lane_behind(struct hp_lane *l, int64_t now)
{
	const struct hp_sink *s = l->sinks;
	while (s && waiting(s) <= s->size / 2)
		s = s->next;
	if (!s) {
		l->seen_ns = 0;
		l->stuck = false;
		return false;
	}
	if (stands_still(l, now) < grace_ns) {
		l->stuck = false;
		return true;
	}
	if (!l->stuck)
		hp_log(HP_LOG_WARN, NULL,
		       "%s: takes nothing any more; the run no longer waits for it, and what does not fit is lost",
		       s->name);
	l->stuck = true;
	return false;
}

bool hp_writer_behind(void)
{
	bool behind = false;
	int64_t now = hp_now();
	pthread_mutex_lock(&hp_lanes_lock);
	for (struct hp_lane *l = hp_lanes; l; l = l->next)
		behind |= lane_behind(l, now);
	pthread_mutex_unlock(&hp_lanes_lock);
	return behind;
}

void hp_sink_close(struct hp_sink *s)
{
	/* with the lock, so that the lane cannot end before its semaphore is done with */
	pthread_mutex_lock(&hp_lanes_lock);
	atomic_store(&s->closing, true);
	atomic_store(&s->lane->urgent, true);
	sem_post(&s->lane->work);
	pthread_mutex_unlock(&hp_lanes_lock);
}

/* hp_lanes_lock is held */
static void leave(struct hp_lane *l)
{
	pthread_mutex_lock(&l->speech);
	l->left = true;
	pthread_mutex_unlock(&l->speech);
	for (const struct hp_sink *s = l->sinks; s; s = s->next)
		hp_log(
		    HP_LOG_ERROR, NULL,
		    "%s: has taken nothing for %.3g s; the end does not wait for it, and what it has not taken is lost",
		    s->name, (double)grace_ns / 1e9);
}

int hp_writer_stop(void)
{
	int nleft = 0;
	pthread_mutex_lock(&hp_lanes_lock);
	for (struct hp_lane *l = hp_lanes; l; l = l->next)
		l->seen_ns = 0;
	while (hp_lanes) {
		struct timespec until;
		int64_t now = hp_now(), next = now + grace_ns;
		for (struct hp_lane **at = &hp_lanes; *at;) {
			struct hp_lane *l = *at;
			int64_t still = stands_still(l, now);
			if (still >= grace_ns) {
				leave(l);
				*at = l->next;
				l->next = left_behind;
				left_behind = l;
				nleft++;
				continue;
			}
			if (now + grace_ns - still < next)
				next = now + grace_ns - still;
			at = &l->next;
		}
		if (!hp_lanes)
			break;
		until.tv_sec = (time_t)(next / 1000000000);
		until.tv_nsec = (long)(next % 1000000000);
		pthread_cond_timedwait(&hp_lane_gone, &hp_lanes_lock, &until);
	}
	pthread_mutex_unlock(&hp_lanes_lock);
	return nleft;
}
