/* SPDX-License-Identifier: MIT
 * writer_lane.h - what the two sides of the writer threads share: writer.c fills rings on the loop, writer_thread.c
 * empties them.
 *
 * A record in a ring is [u32 size][u32 0][bytes, padded to 8]; WRAP in place of a size means "go on at the start". The
 * producer moves head, the thread moves tail. */
#ifndef HP_WRITER_LANE_H
#define HP_WRITER_LANE_H
#include "writer.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/types.h>

enum { HP_RING_HEADER = 8 };
#define HP_RING_WRAP 0xffffffffu

/* One thread, and the sinks that lead to one object of the file system. */
struct hp_lane {
	struct hp_lane *next;
	dev_t device; /* with inode: what it writes to; both 0: nobody else can get here */
	ino_t inode;
	struct hp_sink *sinks;  /* hp_lanes_lock */
	sem_t work;             /* posted when the thread has something new to look at  */
	atomic_bool urgent;     /* do not gather                                         */
	_Atomic uint64_t moved; /* grows with all that it gets rid of                    */
	pthread_mutex_t speech; /* held while it uses what belongs to the run            */
	atomic_bool left;       /* set under speech: nothing belongs to it any more                */
	bool stuck;             /* loop: it was said that nobody waits for it            */
	uint64_t seen;          /* loop: `moved` at seen_ns                              */
	int64_t seen_ns;        /* loop: since when it has not moved; 0 = not behind     */
};

struct hp_sink {
	struct hp_sink *next;
	struct hp_lane *lane;
	char *name;
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
	struct hp_sink *walk; /* thread: the next one of this visit */
};

extern pthread_mutex_t hp_lanes_lock;
extern pthread_cond_t
    hp_lane_gone;                /* one has ended; its clock is the monotonic one, from the first hp_lane_start() on */
extern struct hp_lane *hp_lanes; /* hp_lanes_lock */

/* Its thread, which ends with its last sink and frees the lane then. 0 or an errno value. hp_lanes_lock is held. */
int hp_lane_start(struct hp_lane *);
void hp_lane_free(struct hp_lane *);
void hp_sink_free(struct hp_sink *);
#endif
