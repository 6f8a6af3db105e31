/* SPDX-License-Identifier: MIT
 * info.c - what there is to say about a session as a whole. */
#include "reader.h"

const char *hps_reader_error(const struct hps_reader *r)
{
	return r->error;
}

void hps_get_info(const struct hps_reader *r, struct hps_info *info)
{
	*info = (struct hps_info){
		.messages = r->messages,
		.chunks = r->nchunks,
		.file_size = r->size,
		.damaged_chunks = r->damaged,
		.finished = r->finished,
		.ordered = r->ordered,
		.library = r->library,
		.profile = r->profile,
		.note = r->note,
		.nchannels = r->nchannels,
		.nattachments = r->nattachments,
		.nmetadata = r->nmetadata,
	};
	for (size_t i = 0; i < r->nchunks; i++) {
		const struct hps_rchunk *c = &r->chunks[i];
		if (!i || c->start < info->start)
			info->start = c->start;
		if (!i || c->end > info->end)
			info->end = c->end;
	}
}
