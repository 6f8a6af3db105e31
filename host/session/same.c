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

/* Does the same stand in both chunks? content: all but arrival times, by another fingerprint. */
static bool same(const struct hps_rchunk *x, const struct hps_rchunk *y, bool content)
{
	if (x->start != y->start || x->end != y->end || x->messages != y->messages)
		return false;
	if (content && x->content && x->content == y->content)
		return true;
	return x->fingerprint && x->fingerprint == y->fingerprint && x->raw == y->raw;
}

uint64_t hps_skip_equal(struct hps_cursor *a, struct hps_cursor *b, bool content)
{
	uint64_t n = 0;
	while (at_begin(a) && at_begin(b)) {
		uint64_t here = hps_count_in(a->reader, a->channel, a->chunk);
		if (!same(&a->reader->chunks[a->chunk], &b->reader->chunks[b->chunk], content) ||
		    here != hps_count_in(b->reader, b->channel, b->chunk))
			break;
		n += here;
		a->chunk++;
		b->chunk++;
		a->n = b->n = 0;
	}
	return n;
}

uint64_t hps_skip_same(struct hps_cursor *a, struct hps_cursor *b)
{
	return hps_skip_equal(a, b, false);
}
