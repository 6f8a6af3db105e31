/* SPDX-License-Identifier: MIT
 * post.c - one queue per input: a ring of fixed slots for reports and samples, a list for events.
 *
 * Every entry has a number, so the two are delivered in the order of the calls. A full ring drops its oldest report or
 * sample and counts it; the loss is told as an HP_LOST event where it happened. Events are rare and never dropped, so
 * they may allocate. One short mutex: any thread may post. */
#include "post.h"
#include "base/log.h"
#include "loop.h"
#include "pipeline.h"
#include "stream.h"
#include "take.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 256, REPORT_MAX = 4096 };

struct slot {
	uint64_t number;
	struct hp_sample sample; /* when has_sample */
	bool has_sample, has_raw;
	bool part; /* a report whose samples stand in slots of their own behind it, with an event between */
	uint32_t raw_size;
	int64_t raw_time_ns;
};
struct note {
	struct note *next;
	uint64_t number;
	struct hp_event event;
	char text[];
};
struct hp_queue {
	pthread_mutex_t lock;
	uint64_t next; /* number of the next entry */
	struct slot slots[SLOTS];
	uint8_t *bytes; /* SLOTS * report_size */
	uint32_t report_size;
	uint32_t head, used;
	struct note *first, **last;
	uint64_t lost, lost_before; /* lost_before: number of the entry that follows the loss */
	/* the loop works on copies, so that no module runs under the lock */
	uint8_t *report;
};

static struct hp_queue *make(struct hp_node *n)
{
	struct hp_queue *q = calloc(1, sizeof *q);
	if (!q)
		return NULL;
	uint32_t known = hp_stream_report_size(n);
	q->report_size = known && known <= REPORT_MAX ? known : REPORT_MAX;
	q->bytes = malloc((size_t)SLOTS * q->report_size);
	q->report = malloc(REPORT_MAX);
	q->last = &q->first;
	if (!q->bytes || !q->report || pthread_mutex_init(&q->lock, NULL)) {
		free(q->bytes);
		free(q->report);
		free(q);
		return NULL;
	}
	return q;
}

static void discard(struct hp_queue *q)
{
	pthread_mutex_destroy(&q->lock);
	free(q->bytes);
	free(q->report);
	free(q);
}

/* Two threads of one module may post first at the same time: one of the two queues is given up. */
static struct hp_queue *queue_of(struct hp_node *n)
{
	struct hp_queue *q = atomic_load(&n->queue), *before = NULL;
	if (q || !(q = make(n)) || atomic_compare_exchange_strong(&n->queue, &before, q))
		return q;
	discard(q);
	return before;
}

static struct slot *take_slot(struct hp_queue *q, uint8_t **bytes)
{
	if (q->used == SLOTS) {
		/* a sample does not stay without its report */
		for (bool part = true; part && q->used; q->used--, q->head = (q->head + 1) % SLOTS)
			part = q->slots[q->head].part;
		q->lost++;
		q->lost_before = q->slots[q->head].number;
	}
	uint32_t i = (q->head + q->used++) % SLOTS;
	struct slot *s = &q->slots[i];
	s->number = q->next++;
	s->has_raw = s->has_sample = s->part = false;
	*bytes = q->bytes + (size_t)i * q->report_size;
	return s;
}

/* A longer report than the stream announced (a device may lie): make room for the longest there is. */
static int widen(struct hp_queue *q)
{
	uint8_t *wide = malloc((size_t)SLOTS * REPORT_MAX);
	if (!wide)
		return -ENOMEM;
	for (size_t i = 0; i < SLOTS; i++)
		memcpy(wide + i * REPORT_MAX, q->bytes + i * q->report_size, q->report_size);
	free(q->bytes);
	q->bytes = wide;
	q->report_size = REPORT_MAX;
	return 0;
}

/* A report, a sample, or both in one slot. */
static struct slot *put_slot(struct hp_queue *q, const struct hp_node *n, const struct hp_raw *raw,
                             const struct hp_sample *sample)
{
	uint8_t *bytes;
	struct slot *s = take_slot(q, &bytes);
	if (raw) {
		s->has_raw = true;
		s->raw_size = raw->size;
		s->raw_time_ns = raw->time_ns;
		if (raw->size)
			memcpy(bytes, raw->data, raw->size);
	}
	if (sample) {
		s->has_sample = true;
		hp_take_sample(n, &s->sample, sample);
	}
	return s;
}

static int put_event(struct hp_queue *q, const struct hp_event *e)
{
	size_t len = e->text ? strlen(e->text) + 1 : 0;
	struct note *n = malloc(sizeof *n + len);
	if (!n)
		return -ENOMEM;
	n->next = NULL;
	n->number = q->next++;
	hp_take_event(&n->event, e);
	n->event.text = NULL;
	if (len)
		n->event.text = memcpy(n->text, e->text, len);
	*q->last = n;
	q->last = &n->next;
	return 0;
}

int hp_post(struct hp_node *n, const struct hp_item *item)
{
	if (item->raw && item->raw->size > REPORT_MAX)
		return -EMSGSIZE;
	struct hp_queue *q = queue_of(n);
	if (!q)
		return -ENOMEM;
	pthread_mutex_lock(&q->lock);
	const struct hp_raw *raw = item->raw;
	const struct hp_sample *sample = item->samples;
	int r = raw && raw->size > q->report_size ? widen(q) : 0;
	/* the event stands between the report and its samples */
	if (!r && raw && (item->event || !item->nsamples)) {
		put_slot(q, n, raw, NULL)->part = item->nsamples > 0;
		raw = NULL;
	}
	if (!r && item->event)
		r = put_event(q, item->event);
	for (uint32_t i = 0; !r && i < item->nsamples; i++, raw = NULL, sample = hp_take_next(n, sample))
		put_slot(q, n, raw, sample);
	pthread_mutex_unlock(&q->lock);
	hp_loop_wake(n->run);
	return r;
}

/* Takes the oldest entry. Returns false when there is none. */
static bool take(struct hp_queue *q, struct slot *s, struct note **note, uint64_t *lost)
{
	bool any = true;
	pthread_mutex_lock(&q->lock);
	const struct slot *oldest = q->used ? &q->slots[q->head] : NULL;
	*note = NULL;
	*lost = 0;
	if (q->first && (!oldest || q->first->number < oldest->number)) {
		*note = q->first;
		q->first = q->first->next;
		if (!q->first)
			q->last = &q->first;
	} else if (oldest) {
		*lost = q->lost && oldest->number >= q->lost_before ? q->lost : 0;
		if (*lost)
			q->lost = 0;
		*s = *oldest;
		if (s->has_raw)
			memcpy(q->report, q->bytes + (size_t)q->head * q->report_size, s->raw_size);
		q->head = (q->head + 1) % SLOTS;
		q->used--;
	} else {
		any = false;
	}
	pthread_mutex_unlock(&q->lock);
	return any;
}

static void tell_loss(struct hp_node *n, uint64_t lost, int64_t time_ns)
{
	struct hp_event e = { .struct_size = sizeof e, .type = HP_LOST, .time_ns = time_ns, .value = (int64_t)lost };
	hp_log(HP_LOG_WARN, n->who, "%llu reports came faster than they could be handled and were dropped",
	       (unsigned long long)lost);
	hp_pipeline_emit(n, &(struct hp_item){ .struct_size = sizeof(struct hp_item), .event = &e });
}

void hp_post_drain(struct hp_node *n)
{
	struct slot s;
	struct note *note;
	uint64_t lost;
	struct hp_queue *q = atomic_load(&n->queue);
	if (!q)
		return;
	/* what comes meanwhile has its own wake-up; the bound keeps one busy thread from starving the loop */
	for (int i = 0; i < 4 * SLOTS && take(q, &s, &note, &lost); i++) {
		struct hp_item item = { .struct_size = sizeof item };
		if (note) {
			item.event = &note->event;
			hp_pipeline_emit(n, &item);
			free(note);
			continue;
		}
		if (lost)
			tell_loss(n, lost, s.has_raw ? s.raw_time_ns : s.sample.time_ns);
		struct hp_raw raw = {
			.struct_size = sizeof raw, .size = s.raw_size, .data = q->report, .time_ns = s.raw_time_ns
		};
		item.raw = s.has_raw ? &raw : NULL;
		item.samples = &s.sample;
		item.nsamples = s.has_sample;
		hp_pipeline_emit(n, &item);
	}
	pthread_mutex_lock(&q->lock);
	bool more = q->used || q->first;
	pthread_mutex_unlock(&q->lock);
	if (more)
		hp_loop_wake(n->run);
}

void hp_post_close(struct hp_node *n)
{
	struct hp_queue *q = atomic_exchange(&n->queue, NULL);
	if (!q)
		return;
	while (q->first) {
		struct note *next = q->first->next;
		free(q->first);
		q->first = next;
	}
	discard(q);
}
