/* SPDX-License-Identifier: MIT
 * stretch.c - a part of a recording by time: what lies in it, whatever the order of the file, where a recording begins
 * and ends, and what was connected before. Chunks that the index rules out are not read. */
#include <errno.h>

#include "reader.h"

static size_t channel_at(const struct hps_reader *r, const uint8_t *p)
{
	return hps_by_id(r, hps_u16_at(p + HPS_HEAD)) - 1;
}

static int64_t time_of(const uint8_t *p)
{
	return (int64_t)hps_u64_at(p + HPS_HEAD + 6);
}

/* Can something in the cursor's chunk lie between? Behind the last one that does, events may. */
static bool wanted(const struct hps_cursor *c, int64_t from, int64_t to)
{
	const struct hps_reader *r = c->reader;
	const struct hps_rchunk *k = &r->chunks[c->chunk];
	if (k->end >= from && k->start <= to)
		return hps_count_in(r, c->channel, c->chunk) > 0;
	return c->channel < 0 && c->inside && k->events > 0;
}

static void step(struct hps_cursor *c, size_t chunk)
{
	c->chunk = (uint32_t)chunk;
	c->at = c->n = 0;
}

/* Behind a chunk in which nothing lies between. */
static void leave(struct hps_cursor *c, int64_t from, int64_t to)
{
	const struct hps_reader *r = c->reader;
	const struct hps_rchunk *k = &r->chunks[c->chunk];
	bool over = r->ordered && k->start > to;
	if (k->messages)
		c->inside = 0;
	step(c, over ? r->nchunks : hps_chunk_from(r, c->chunk + 1, from));
}

/* Earliest and latest time in a chunk of what is no event; the first one in the file's order. False: there is none, or
 * the chunk is bad. */
struct times {
	int64_t first, low, high;
};
static bool chunk_times(struct hps_reader *r, size_t chunk, struct times *t)
{
	int code = 0;
	const struct hps_rchunk *k = &r->chunks[chunk];
	bool found = false;
	if (!k->messages || k->events == k->messages)
		return false;
	const struct hps_slot *s = hps_load(r, chunk, &code);
	for (uint32_t i = 0; s && i < s->n; i++) {
		const uint8_t *p = s->records + s->in_order[i];
		if (r->channels[channel_at(r, p)].aside)
			continue;
		int64_t now = time_of(p);
		if (!found)
			*t = (struct times){ now, now, now };
		found = true;
		t->low = now < t->low ? now : t->low;
		t->high = now > t->high ? now : t->high;
	}
	return found;
}

/* The time of the first message in the file's order that is no event. */
static bool first_of_file(struct hps_reader *r, int64_t *first)
{
	struct times t;
	for (size_t i = 0; i < r->nchunks && !r->begun; i++)
		if ((r->begun = chunk_times(r, i, &t)))
			r->begin = t.first;
	*first = r->begin;
	return r->begun;
}

int hps_seek_between(struct hps_cursor *c, int64_t from, int64_t to)
{
	struct hps_reader *r = c->reader;
	int64_t first;
	if (hps_no_channel(c))
		return -EINVAL;
	/* events in front of everything belong to the first message; where there is none they lie everywhere */
	if (c->channel < 0 && !c->chunk && !c->at)
		c->inside = !first_of_file(r, &first) || (first >= from && first <= to);
	while (c->chunk < r->nchunks) {
		if (!wanted(c, from, to)) {
			leave(c, from, to);
			continue;
		}
		int code = 0;
		uint32_t n;
		const struct hps_slot *s = hps_load(r, c->chunk, &code);
		if (!s) {
			step(c, c->chunk + 1u);
			return code;
		}
		for (const uint32_t *at = hps_places(s, c->channel, &n); c->at < n; c->at++) {
			const uint8_t *p = s->records + at[c->at];
			if (c->channel >= 0 || !r->channels[channel_at(r, p)].aside)
				c->inside = time_of(p) >= from && time_of(p) <= to;
			if (c->inside)
				return 1;
		}
		step(c, c->chunk + 1u);
	}
	return 0;
}

int hps_recorded(struct hps_reader *r, int64_t *first, int64_t *last)
{
	struct times t;
	bool found = false;
	/* a growing file may get an earlier one, so what was found is not kept */
	for (size_t i = 0; i < r->nchunks; i++) {
		if ((found && r->chunks[i].start >= *first) || !chunk_times(r, i, &t))
			continue;
		if (!r->begun) { /* all chunks in front of it have nothing but events */
			r->begin = t.first;
			r->begun = true;
		}
		*first = found && *first < t.low ? *first : t.low;
		found = true;
	}
	if (!found || !last)
		return found;
	found = false;
	for (size_t i = r->nchunks; i--;) {
		if ((found && r->chunks[i].end <= *last) || !chunk_times(r, i, &t))
			continue;
		*last = found && *last > t.high ? *last : t.high;
		found = true;
	}
	return found;
}

/* The last chunk with events in front of `end`; false: there is none. */
static bool chunk_with_events(const struct hps_reader *r, size_t end, size_t *chunk)
{
	bool found = false;
	for (size_t i = 0; i < r->nchannels; i++) {
		const struct hps_rchannel *ch = &r->channels[i];
		size_t span = ch->role == HPS_ROLE_EVENT ? hps_span_at(ch, end) : 0;
		if (!span || (found && ch->spans[span - 1].chunk < *chunk))
			continue;
		*chunk = ch->spans[span - 1].chunk;
		found = true;
	}
	return found;
}

int hps_seek_event_before(struct hps_cursor *c, uint32_t type)
{
	struct hps_reader *r = c->reader;
	struct hps_message m;
	struct hp_event e;
	size_t chunk = 0, end = c->chunk + (c->at > 0);
	if (c->channel >= 0)
		return hps_error(r, -EINVAL, "events are looked for in all channels, not in channel %d", c->channel);
	for (; chunk_with_events(r, end, &chunk); end = chunk) {
		int code = 0;
		const struct hps_slot *s = hps_load(r, chunk, &code);
		uint32_t n = s && chunk == c->chunk && c->at < s->n ? c->at : s ? s->n : 0;
		while (n--) {
			hps_view(r, s->records + s->in_order[n], &m);
			if (r->channels[m.channel].role != HPS_ROLE_EVENT || hps_get_event(r, &m, &e, NULL) < 0 ||
			    e.type != type)
				continue;
			step(c, chunk);
			c->at = n;
			return 1;
		}
	}
	return 0;
}
