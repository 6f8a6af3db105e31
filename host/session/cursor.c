/* SPDX-License-Identifier: MIT
 * cursor.c - reading messages one after another. */
#include <errno.h>

#include "reader.h"

const uint32_t *hps_places(const struct hps_slot *s, int channel, uint32_t *n)
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

void hps_view(const struct hps_reader *r, const uint8_t *p, struct hps_message *m)
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
	m->struct_size = sizeof *m;
}

int hps_next_chunk(struct hps_cursor *c, struct hps_message *m)
{
	struct hps_message all;
	struct hps_reader *r = c->reader;
	int code = 0;
	if (c->channel >= 0 && (size_t)c->channel >= r->nchannels)
		return hps_error(r, -EINVAL, "there is no channel %d", c->channel);
	while (c->chunk < r->nchunks) {
		struct hps_slot *s = r->links[c->chunk].slot;
		if (!s || r->newest != c->chunk + 1)
			s = hps_count_in(r, c->channel, c->chunk) ? hps_load(r, c->chunk, &code) : NULL;
		if (s) {
			uint32_t n;
			const uint32_t *at = hps_places(s, c->channel, &n);
			if (c->at < n && c->channel < 0) {
				hps_view(r, s->records + at[c->at++], &all);
				hps_give(m, &all, sizeof all);
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
				hps_next(c, &all);
				hps_give(m, &all, sizeof all);
				return 1;
			}
		}
		c->chunk++;
		c->at = c->n = 0;
		if (code)
			return code;
	}
	return 0;
}
