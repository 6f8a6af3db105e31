/* SPDX-License-Identifier: MIT
 * same.c - what two session files have in common, told without reading their messages. */
#include "reader.h"

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

/* Behind the last message of a chunk is the beginning of the next one. */
static bool at_begin(struct hps_cursor *c)
{
	if (c->at && c->chunk < c->reader->nchunks && c->at >= hps_count_in(c->reader, c->channel, c->chunk)) {
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
		n += hps_count_in(a->reader, a->channel, a->chunk);
		a->chunk++;
		b->chunk++;
		a->n = b->n = 0;
	}
	return n;
}
