/* SPDX-License-Identifier: MIT
 * stream.c - what a source is: described by any thread, in force from the event on that follows it in the stream. */
#include "stream.h"
#include "take.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

struct hp_described {
	pthread_mutex_t lock; /* next, next_memory */
	struct hp_stream next;
	void *next_memory; /* its texts; NULL = nothing new */
	void *memory;      /* texts of n->stream */
};

int hp_stream_open(struct hp_node *n)
{
	n->described = calloc(1, sizeof *n->described);
	if (!n->described)
		return -ENOMEM;
	pthread_mutex_init(&n->described->lock, NULL);
	return 0;
}

void hp_stream_close(struct hp_node *n)
{
	struct hp_described *d = n->described;
	if (!d)
		return;
	pthread_mutex_destroy(&d->lock);
	free(d->next_memory);
	free(d->memory);
	free(d);
	n->described = NULL;
	n->stream = (struct hp_stream){ .struct_size = sizeof n->stream, .source = n->stream.source };
}

/* Strings and blobs of a stream live in one block, so that a new description replaces the old at once. */
static size_t stream_copy(struct hp_stream *s, char *memory)
{
	const char **texts[] = { &s->device, &s->serial, &s->unique_id, &s->features };
	size_t at = 0;
	for (size_t i = 0; i < 4; i++) {
		size_t len = *texts[i] ? strlen(*texts[i]) + 1 : 0;
		if (len && memory)
			*texts[i] = memcpy(memory + at, *texts[i], len);
		at += len;
	}
	if (s->descriptor && memory)
		s->descriptor = memcpy(memory + at, s->descriptor, s->descriptor_size);
	return at + s->descriptor_size;
}

void hp_stream_describe(const struct hp_host *h, const struct hp_stream *given)
{
	struct hp_node *n = hp_node_of(h);
	struct hp_described *d = n->described;
	struct hp_stream s;
	hp_take_stream(&s, given);
	s.source = n->stream.source;
	if (!s.descriptor)
		s.descriptor_size = 0;
	char *memory = malloc(stream_copy(&s, NULL) + 1);
	if (!memory)
		return;
	stream_copy(&s, memory);
	pthread_mutex_lock(&d->lock);
	free(d->next_memory);
	d->next = s;
	d->next_memory = memory;
	pthread_mutex_unlock(&d->lock);
}

void hp_stream_take(struct hp_node *n)
{
	struct hp_described *d = n->described;
	void *old = NULL;
	pthread_mutex_lock(&d->lock);
	if (d->next_memory) {
		old = d->memory;
		n->stream = d->next;
		d->memory = d->next_memory;
		d->next_memory = NULL;
	}
	pthread_mutex_unlock(&d->lock);
	free(old);
}

uint32_t hp_stream_report_size(struct hp_node *n)
{
	struct hp_described *d = n->described;
	pthread_mutex_lock(&d->lock);
	uint32_t size = d->next_memory ? d->next.report_size : n->stream.report_size;
	pthread_mutex_unlock(&d->lock);
	return size;
}
