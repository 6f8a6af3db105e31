/* SPDX-License-Identifier: MIT
 * span.c - which chunks hold messages of a channel, and how many, by the index. */
#include "reader.h"

size_t hps_span_at(const struct hps_rchannel *ch, size_t chunk)
{
	size_t low = 0, high = ch->nspans;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (ch->spans[mid].chunk < chunk)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

uint64_t hps_count_in(const struct hps_reader *r, int channel, size_t chunk)
{
	if (channel < 0)
		return r->chunks[chunk].messages;
	const struct hps_rchannel *ch = &r->channels[channel];
	size_t i = hps_span_at(ch, chunk);
	if (i >= ch->nspans || ch->spans[i].chunk != chunk)
		return 0;
	return (i + 1 < ch->nspans ? ch->spans[i + 1].first : ch->pub.messages) - ch->spans[i].first;
}
