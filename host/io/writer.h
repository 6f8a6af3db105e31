/* SPDX-License-Identifier: MIT
 * writer.h - the writer thread: everything that goes to a disk is handed to it through bounded rings, so that a slow
 * disk never stalls the loop. One thread for the whole program; it sleeps when nothing comes. */
#ifndef HP_WRITER_H
#define HP_WRITER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hp_sink;

/* What happens to the records; all called on the writer thread. */
struct hp_sink_ops {
	/* One record, in the order of the pushes; the memory is the ring's, aligned to 8 bytes. -errno breaks the sink.
	 */
	int (*consume)(void *ctx, const void *record, size_t size);
	/* Nothing more is waiting just now: let it reach the file. May be NULL. -errno breaks the sink. */
	int (*flush)(void *ctx);
	/* The end, after the last record; ctx is done with. lost: records the ring had no room for. */
	void (*close)(void *ctx, uint64_t lost);
};

/* ring_bytes is rounded up to a power of two, at least 64 KiB. Starts the thread when it is the first. NULL: errno.
 * [loop] */
struct hp_sink *hp_sink_open(const struct hp_sink_ops *, void *ctx, size_t ring_bytes);
/* Room for one record of size bytes in the ring, to be filled in place and then committed; NULL: no room (counted as
 * lost) or broken. One producer per sink. No lock, no allocation. [loop] */
void *hp_sink_reserve(struct hp_sink *, size_t size);
void hp_sink_commit(struct hp_sink *);
/* reserve, copy, commit. 0; -ENOBUFS: no room, counted; another -errno: broken. [loop] */
int hp_sink_push(struct hp_sink *, const void *record, size_t size);
uint64_t hp_sink_lost(const struct hp_sink *);
/* 0, or the -errno that broke it. [loop] */
int hp_sink_error(const struct hp_sink *);
/* True while more than half of any sink's ring waits to be written. For inputs that can wait. [loop] */
bool hp_writer_behind(void);
/* Everything pushed so far is consumed, then ops->close() is called; the handle is gone at once. [loop] */
void hp_sink_close(struct hp_sink *);
/* Waits until every closed sink is done and ends the thread. [loop] */
void hp_writer_stop(void);
#endif
