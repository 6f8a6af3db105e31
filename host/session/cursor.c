/* SPDX-License-Identifier: MIT
 * cursor.c - reading messages one after another, and jumping by time and by number. */
#include <errno.h>

#include "reader.h"

struct hps_cursor hps_begin(struct hps_reader *r, int channel)
{
	return (struct hps_cursor){ .reader = r, .channel = channel };
}

/* Where the cursor's messages begin in a loaded chunk, and how many there are. */
static const uint32_t *places(const struct hps_slot *s, int channel, uint32_t *n)
{
	if (channel < 0) {
		*n = s->n;
		return s->in_order;
	}
	for (uint32_t i = 0; i < s->nparts; i++) {
		if (s->parts[i].channel == channel) {
			*n = s->parts[i].n;
			return s->by_channel + s->parts[i].first;
		}
	}
	*n = 0;
	return NULL;
}

/* Of a cursor that reads all channels. */
static void view(const struct hps_reader *r, const uint8_t *p, struct hps_message *m)
{
	uint32_t size = (uint32_t)(hps_u64_at(p + 1) - HPS_MESSAGE_HEAD);
	const uint8_t *data = p + HPS_HEAD + HPS_MESSAGE_HEAD;
	uint16_t index = (uint16_t)(hps_by_id(r, hps_u16_at(p + 9)) - 1);
	const struct hps_channel *c = &r->channels[index].pub;
	m->data = data;
	m->size = size;
	m->sequence = hps_u32_at(p + 11);
	m->time = (int64_t)hps_u64_at(p + 15);
	m->publish_time = (int64_t)hps_u64_at(p + 23);
	m->channel = index;
	m->layout = c->nfields && size >= c->message_size && data[0] == 0 && data[1] == 1 ? (uint16_t)(index + 1) : 0;
	m->pad0 = 0;
}

/* Is there a message of this channel in chunk i? Looked up without reading it. */
static bool has(const struct hps_reader *r, uint32_t chunk, int channel)
{
	if (channel < 0)
		return r->chunks[chunk].messages > 0;
	const struct hps_rchannel *ch = &r->channels[channel];
	size_t low = 0, high = ch->nspans;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (ch->spans[mid].chunk < chunk)
			low = mid + 1;
		else
			high = mid;
	}
	return low < ch->nspans && ch->spans[low].chunk == chunk;
}

int hps_next_chunk(struct hps_cursor *c, struct hps_message *m)
{
	struct hps_reader *r = c->reader;
	int code = 0;
	if (c->channel >= 0 && (size_t)c->channel >= r->nchannels)
		return hps_error(r, -EINVAL, "there is no channel %d", c->channel);
	while (c->chunk < r->nchunks) {
		struct hps_slot *s = r->links[c->chunk].slot;
		if (!s || r->newest != c->chunk + 1)
			s = has(r, c->chunk, c->channel) ? hps_load(r, c->chunk, &code) : NULL;
		if (s) {
			uint32_t n;
			const uint32_t *at = places(s, c->channel, &n);
			if (c->at < n && c->channel < 0) {
				view(r, s->records + at[c->at++], m);
				return 1;
			}
			if (c->at < n) {
				const struct hps_channel *ch = &r->channels[c->channel].pub;
				c->now = &r->epoch;
				c->epoch = r->epoch;
				c->places = at;
				c->records = s->records;
				c->n = n;
				c->index = (uint16_t)c->channel;
				/* two bytes are looked at, which no shorter message may be asked for */
				c->least = ch->nfields ? (uint32_t)ch->message_size : UINT32_MAX;
				c->layout = ch->nfields ? (uint16_t)(c->channel + 1) : 0;
				return hps_next(c, m);
			}
		}
		c->chunk++;
		c->at = c->n = 0;
		if (code)
			return code;
	}
	return 0;
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

int hps_seek_time(struct hps_cursor *c, int64_t t)
{
	struct hps_reader *r = c->reader;
	size_t low = 0, high = r->nchunks;
	if (c->channel >= 0 && (size_t)c->channel >= r->nchannels)
		return hps_error(r, -EINVAL, "there is no channel %d", c->channel);
	c->n = 0;
	while (r->ordered && low < high) {
		size_t mid = (low + high) / 2;
		if (r->chunks[mid].end < t)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < r->nchunks; low++) {
		int code = 0;
		if (r->chunks[low].end < t || !has(r, (uint32_t)low, c->channel))
			continue;
		struct hps_slot *s = hps_load(r, low, &code);
		if (!s) {
			c->chunk = (uint32_t)low + 1; /* reading on goes behind it */
			c->at = 0;
			return code;
		}
		uint32_t n, first = 0, last;
		const uint32_t *at = places(s, c->channel, &n);
		last = n;
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
		if (first < n) {
			c->chunk = (uint32_t)low;
			c->at = first;
			return 1;
		}
	}
	c->chunk = (uint32_t)r->nchunks;
	c->at = 0;
	return 0;
}

int hps_seek_number(struct hps_cursor *c, uint64_t n)
{
	struct hps_reader *r = c->reader;
	if (c->channel >= 0 && (size_t)c->channel >= r->nchannels)
		return hps_error(r, -EINVAL, "there is no channel %d", c->channel);
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

bool hps_same_channels(const struct hps_reader *a, const struct hps_reader *b)
{
	if (a->nchannels != b->nchannels)
		return false;
	for (size_t i = 0; i < a->nchannels; i++) {
		const struct hps_channel *x = &a->channels[i].pub, *y = &b->channels[i].pub;
		if (x->id != y->id || strcmp(x->topic, y->topic) != 0 || strcmp(x->encoding, y->encoding) != 0 ||
		    x->schema_size != y->schema_size || memcmp(x->schema_data, y->schema_data, x->schema_size) != 0)
			return false;
	}
	return true;
}

/* How many messages the cursor sees in the chunk it stands in; known without reading it. */
static uint64_t seen(const struct hps_cursor *c)
{
	const struct hps_reader *r = c->reader;
	if (c->channel < 0)
		return r->chunks[c->chunk].messages;
	const struct hps_rchannel *ch = &r->channels[c->channel];
	size_t low = 0, high = ch->nspans;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (ch->spans[mid].chunk < c->chunk)
			low = mid + 1;
		else
			high = mid;
	}
	if (low >= ch->nspans || ch->spans[low].chunk != c->chunk)
		return 0;
	return (low + 1 < ch->nspans ? ch->spans[low + 1].first : ch->pub.messages) - ch->spans[low].first;
}

/* Behind the last message of a chunk is the beginning of the next one. */
static bool at_begin(struct hps_cursor *c)
{
	if (c->at && c->chunk < c->reader->nchunks && c->at >= seen(c)) {
		c->chunk++;
		c->at = c->n = 0;
	}
	return !c->at && c->chunk < c->reader->nchunks;
}

uint64_t hps_skip_same(struct hps_cursor *a, struct hps_cursor *b)
{
	uint64_t n = 0;
	while (at_begin(a) && at_begin(b)) {
		const struct hps_rchunk *x = &a->reader->chunks[a->chunk], *y = &b->reader->chunks[b->chunk];
		if (!x->fingerprint || x->fingerprint != y->fingerprint || x->raw != y->raw || x->start != y->start ||
		    x->end != y->end)
			break;
		n += seen(a);
		a->chunk++;
		b->chunk++;
		a->n = b->n = 0;
	}
	return n;
}
