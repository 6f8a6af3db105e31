/* SPDX-License-Identifier: MIT
 * seek.c - jumping by time and by number, with as few chunks read as the index allows. */
#include <errno.h>

#include "reader.h"

bool hps_no_channel(const struct hps_cursor *c)
{
	bool none = c->channel >= 0 && (size_t)c->channel >= c->reader->nchannels;
	if (none)
		hps_error(c->reader, -EINVAL, "there is no channel %d", c->channel);
	return none;
}

static int64_t time_at(const struct hps_slot *s, uint32_t place)
{
	return (int64_t)hps_u64_at(s->records + place + 15);
}

/* Times are mostly even, so the place is guessed and few messages are touched: afterwards the first one at t or later
 * is at *first to *last. */
static void bracket(const struct hps_slot *s, const uint32_t *at, int64_t t, uint32_t *first, uint32_t *last)
{
	uint32_t n = *last;
	if (n < 8)
		return;
	double begin = (double)time_at(s, at[0]), length = (double)time_at(s, at[n - 1]) - begin;
	double guess = length > 0 ? ((double)t - begin) / length * (n - 1) : 0;
	uint32_t g = guess < 0 ? 0 : guess > n - 1 ? n - 1 : (uint32_t)guess;
	if (time_at(s, at[g]) < t) {
		*first = g + 1;
		for (uint32_t by = 1; *first < n; by *= 2) {
			uint32_t far = by < n - 1 - g ? g + by : n - 1;
			if (time_at(s, at[far]) >= t) {
				*last = far;
				return;
			}
			*first = far + 1;
		}
	} else {
		*last = g;
		for (uint32_t by = 1; *last; by *= 2) {
			uint32_t far = by < g ? g - by : 0;
			if (time_at(s, at[far]) < t) {
				*first = far + 1;
				return;
			}
			*last = far;
		}
	}
}

/* In a chunk: the first of the messages at `at` whose time is t or later; n = none. */
static uint32_t first_from(const struct hps_slot *s, const uint32_t *at, uint32_t n, int64_t t)
{
	uint32_t first = 0, last = n;
	if (s->sorted)
		bracket(s, at, t, &first, &last);
	while (s->sorted && first < last) {
		uint32_t mid = first + (last - first) / 2;
		if (time_at(s, at[mid]) < t)
			first = mid + 1;
		else
			last = mid;
	}
	while (first < n && time_at(s, at[first]) < t)
		first++;
	return first;
}

size_t hps_chunk_from(const struct hps_reader *r, size_t low, int64_t t)
{
	size_t high = r->nchunks;
	while (r->ordered && low < high) {
		size_t mid = (low + high) / 2;
		if (r->chunks[mid].end < t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int put(struct hps_cursor *c, size_t chunk, uint32_t at)
{
	c->chunk = (uint32_t)chunk;
	c->at = at;
	c->n = 0;
	return chunk < c->reader->nchunks;
}

int hps_seek_time(struct hps_cursor *c, int64_t t)
{
	struct hps_reader *r = c->reader;
	if (hps_no_channel(c))
		return -EINVAL;
	const struct hps_rchannel *ch = c->channel < 0 ? NULL : &r->channels[c->channel];
	size_t low = hps_chunk_from(r, 0, t), end = ch ? ch->nspans : r->nchunks;
	for (size_t i = ch ? hps_span_at(ch, low) : low; i < end; i++) {
		size_t chunk = ch ? ch->spans[i].chunk : i;
		int code = 0;
		if (r->chunks[chunk].end < t || !r->chunks[chunk].messages)
			continue;
		struct hps_slot *s = hps_load(r, chunk, &code);
		if (!s) {
			put(c, chunk + 1, 0); /* reading on goes behind it */
			return code;
		}
		uint32_t n;
		const uint32_t *at = hps_places(s, c->channel, &n);
		uint32_t first = first_from(s, at, n, t);
		if (first < n)
			return put(c, chunk, first);
	}
	return put(c, r->nchunks, 0);
}

int hps_seek_number(struct hps_cursor *c, uint64_t n)
{
	struct hps_reader *r = c->reader;
	if (hps_no_channel(c))
		return -EINVAL;
	const struct hps_rchannel *ch = c->channel < 0 ? NULL : &r->channels[c->channel];
	size_t low = 0, high = ch ? ch->nspans : r->nchunks;
	c->at = c->n = 0;
	c->chunk = (uint32_t)r->nchunks;
	if (n >= (ch ? ch->pub.messages : r->messages))
		return 0;
	/* the last one whose first message is n or before it */
	while (high - low > 1) {
		size_t mid = (low + high) / 2;
		if ((ch ? ch->spans[mid].first : r->chunks[mid].first) <= n)
			low = mid;
		else
			high = mid;
	}
	c->chunk = ch ? ch->spans[low].chunk : (uint32_t)low;
	c->at = (uint32_t)(n - (ch ? ch->spans[low].first : r->chunks[low].first));
	return 1;
}
