/* SPDX-License-Identifier: MIT
 * writer.h - writer threads: everything that goes to a disk is handed to one through bounded rings, so that a slow disk
 * never stalls the loop. One thread per object of the file system, so that one that blocks stops no other; it sleeps
 * when nothing comes. */
#ifndef HP_WRITER_H
#define HP_WRITER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

struct hp_sink;

/* What happens to the records; all called on its writer thread. */
struct hp_sink_ops {
	/* One record, in the order of the pushes; the memory is the ring's, aligned to 8 bytes. -errno breaks the sink.
	 */
	int (*consume)(void *ctx, const void *record, size_t size);
	/* Nothing more is waiting just now: let it reach the file. May be NULL. -errno breaks the sink. */
	int (*flush)(void *ctx);
	/* The end, after the last record; ctx is done with. lost: records the ring had no room for. */
	void (*close)(void *ctx, uint64_t lost);
};

/* ring_bytes is rounded up to a power of two, at least 64 KiB. name: for messages; copied. place: what it writes to;
 * sinks with the same device and inode share a thread and are served in the order in which they were opened; NULL: a
 * thread of its own. NULL: errno. [loop] */
struct hp_sink *hp_sink_open(const struct hp_sink_ops *, void *ctx, size_t ring_bytes, const char *name,
                             const struct stat *place);
/* Room for one record of size bytes in the ring, to be filled in place and then committed; NULL: no room (counted as
 * lost) or broken. One producer per sink. No lock, no allocation. [loop] */
void *hp_sink_reserve(struct hp_sink *, size_t size);
void hp_sink_commit(struct hp_sink *);
/* reserve, copy, commit. 0; -ENOBUFS: no room, counted; another -errno: broken. [loop] */
int hp_sink_push(struct hp_sink *, const void *record, size_t size);
uint64_t hp_sink_lost(const struct hp_sink *);
/* 0, or the -errno that broke it. [loop] */
int hp_sink_error(const struct hp_sink *);
/* After so much time without any progress a sink is not waited for: neither by hp_writer_behind() nor at the end. ns;
 * 5 s when never called. [loop] */
void hp_writer_grace(int64_t ns);
/* True while more than half of any sink's ring waits to be written. For inputs that can wait. [loop] */
bool hp_writer_behind(void);
/* Everything pushed so far is consumed, then ops->close() is called; the handle is gone at once. [loop] */
void hp_sink_close(struct hp_sink *);
/* Waits until every closed sink is done, and for each as long as it makes progress. Those that hang are named and left
 * behind with their thread, ctx and ring; close() is not called for them. Returns how many threads that were. [loop] */
int hp_writer_stop(void);

/* For consume(), flush() and close(). */

/* A part of a record is written: it goes on. */
void hp_writer_moved(void);
/* Everything of the run, so hp_host and what is behind it, may only be used between these two, and only when the first
 * one says true: the run may have left this thread behind while it hung in a write. Do not block in between. */
bool hp_writer_speak(void);
void hp_writer_spoken(void);
#endif
