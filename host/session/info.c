/* SPDX-License-Identifier: MIT
 * info.c - what there is to say about a session as a whole. */
#include "reader.h"

const char *hps_reader_error(const struct hps_reader *r)
{
	return r->error;
}

void hps_fill_info(const struct hps_reader *r, struct hps_info *info)
{
	struct hps_info all = {
		.messages = r->messages,
		.chunks = r->nchunks,
		.file_size = r->size,
		.chunks_read = r->fetched,
		.damaged_chunks = r->damaged,
		.refused_chunks = r->refused,
		.skipped_bytes = r->skipped,
		.damaged = r->damaged_note || r->damaged || r->skipped,
		.finished = r->finished,
		.ordered = r->ordered,
		.library = r->library,
		.profile = r->profile,
		.note = r->note,
		.nchannels = r->nchannels,
		.nattachments = r->nattachments,
		.nmetadata = r->nmetadata,
	};
	bool any = false;
	for (size_t i = 0; i < r->nchunks; i++) {
		const struct hps_rchunk *c = &r->chunks[i];
		if (!c->messages)
			continue;
		all.start = any && all.start < c->start ? all.start : c->start;
		all.end = any && all.end > c->end ? all.end : c->end;
		any = true;
	}
	hps_give(info, &all, sizeof all);
}
