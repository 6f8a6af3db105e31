/* SPDX-License-Identifier: MIT
 * outflow.c - frames into a non-blocking descriptor. SIGPIPE is ignored by the program. */
#include "outflow.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int hp_outflow_init(struct hp_outflow *o, size_t cap)
{
	*o = (struct hp_outflow){ .fd = -1, .buffer = malloc(cap), .cap = cap };
	return o->buffer ? 0 : -ENOMEM;
}

void hp_outflow_free(struct hp_outflow *o)
{
	free(o->buffer);
	*o = (struct hp_outflow){ .fd = -1 };
}

void hp_outflow_start(struct hp_outflow *o, int fd)
{
	o->fd = fd;
	o->at = o->used = 0;
}

/* Bytes taken, 0 when the kernel takes none now, or -errno. */
static long push(int fd, const void *data, size_t n)
{
	ssize_t done;
	do
		done = write(fd, data, n);
	while (done < 0 && errno == EINTR);
	return done >= 0 ? (long)done : errno == EAGAIN || errno == EWOULDBLOCK ? 0 : -errno;
}

static void store(struct hp_outflow *o, const uint8_t *data, size_t n)
{
	size_t end = (o->at + o->used) % o->cap, first = n < o->cap - end ? n : o->cap - end;
	memcpy(o->buffer + end, data, first);
	memcpy(o->buffer, data + first, n - first);
	o->used += n;
}

int hp_outflow_flush(struct hp_outflow *o)
{
	while (o->used) {
		size_t piece = o->used < o->cap - o->at ? o->used : o->cap - o->at;
		long n = push(o->fd, o->buffer + o->at, piece);
		if (n <= 0)
			return (int)n;
		o->at = (o->at + (size_t)n) % o->cap;
		o->used -= (size_t)n;
	}
	return 0;
}

static int put(struct hp_outflow *o, const uint8_t *frame, size_t n, int may_wait)
{
	int r = hp_outflow_flush(o);
	if (r < 0)
		return r;
	if (n > o->cap - o->used)
		return -ENOBUFS;
	long done = 0;
	if (!o->used) {
		done = push(o->fd, frame, n);
		if (done < 0)
			return (int)done;
	}
	if (!done && !may_wait)
		return -ENOBUFS;
	store(o, frame + done, n - (size_t)done);
	return 0;
}

int hp_outflow_put(struct hp_outflow *o, const void *frame, size_t n)
{
	return put(o, frame, n, 1);
}

int hp_outflow_put_now(struct hp_outflow *o, const void *frame, size_t n)
{
	return put(o, frame, n, 0);
}
