/* SPDX-License-Identifier: MIT
 * outflow.h - frames into a non-blocking socket or pipe, each one whole or not at all, without ever waiting. What the
 * kernel does not take at once stays in a fixed buffer; hp_outflow_flush() goes on when the descriptor is writable. */
#ifndef HP_OUTFLOW_H
#define HP_OUTFLOW_H
#include <stddef.h>
#include <stdint.h>

struct hp_outflow {
	int fd; /* the owner's; -1 = none */
	uint8_t *buffer;
	size_t cap, at, used; /* a ring */
};

/* Memory for cap bytes; 0 or -ENOMEM. The fd starts as -1. */
int hp_outflow_init(struct hp_outflow *, size_t cap);
void hp_outflow_free(struct hp_outflow *);
/* A new descriptor (non-blocking), nothing waiting. */
void hp_outflow_start(struct hp_outflow *, int fd);
/* 0: written or waiting in the buffer; -ENOBUFS: no room, nothing of it was taken; another -errno: the other side is
 * gone. No allocation. */
int hp_outflow_put(struct hp_outflow *, const void *frame, size_t n);
/* As put, but only when the kernel takes the frame now; just the rest of a frame that it took in part waits. */
int hp_outflow_put_now(struct hp_outflow *, const void *frame, size_t n);
/* 0 or -errno: the other side is gone. */
int hp_outflow_flush(struct hp_outflow *);
#endif
