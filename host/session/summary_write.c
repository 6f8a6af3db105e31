/* SPDX-License-Identifier: MIT
 * summary_write.c - what a session writer puts behind the last chunk. */
#include <errno.h>

#include "writer.h"

/* One group of summary records and the note where it is. */
struct group {
	enum hps_op op;
	size_t start, size;
};

static void statistics(struct hps_out *out, const struct hps_writer *w)
{
	size_t at = hps_out_begin(out, HPS_OP_STATISTICS);
	hps_out_u64(out, w->messages);
	hps_out_u16(out, (uint16_t)w->nschemas);
	hps_out_u32(out, (uint32_t)w->nchannels);
	hps_out_u32(out, w->nattachments);
	hps_out_u32(out, w->nmetadata);
	hps_out_u32(out, (uint32_t)w->nchunks);
	hps_out_u64(out, (uint64_t)w->start);
	hps_out_u64(out, (uint64_t)w->end);
	size_t map = hps_out_begin_part(out);
	for (size_t i = 0; i < w->nchannels; i++) {
		if (!w->channels[i].messages)
			continue;
		hps_out_u16(out, (uint16_t)(i + 1));
		hps_out_u64(out, w->channels[i].messages);
	}
	hps_out_end_part(out, map);
	hps_out_end(out, at);
}

/* What MCAP leaves without a CRC, and two fingerprints per chunk: of all its bytes and of what is said in it. */
static void guard(struct hps_out *out, const struct hps_writer *w)
{
	size_t at = hps_out_begin(out, HPS_OP_GUARD);
	hps_out_u16(out, 1);
	hps_out_u64(out, w->preamble);
	hps_out_u32(out, w->preamble_crc);
	hps_out_u32(out, (uint32_t)w->fingerprints.size);
	hps_out_bytes(out, w->fingerprints.data, w->fingerprints.size);
	hps_out_u32(out, (uint32_t)w->contents.size);
	hps_out_bytes(out, w->contents.data, w->contents.size);
	hps_out_end(out, at);
}

/* Messages per channel of chunks without message indexes, whose lengths would tell it. */
static void counts(struct hps_out *out, const struct hps_writer *w)
{
	if (!w->counts.size)
		return;
	size_t at = hps_out_begin(out, HPS_OP_COUNTS);
	hps_out_bytes(out, w->counts.data, w->counts.size);
	hps_out_end(out, at);
}

int hps_put_summary(struct hps_writer *w)
{
	struct hps_out out = { 0 };
	struct group groups[8];
	size_t n = 0;
	if (!w->nchunks) {
		w->preamble = w->offset;
		w->preamble_crc = w->crc;
	}
	size_t at = hps_out_begin(&out, HPS_OP_DATA_END);
	hps_out_u32(&out, w->crc);
	hps_out_end(&out, at);
	size_t summary = out.size;

#define GROUP(opcode, ...)                                                               \
	do {                                                                             \
		size_t start = out.size;                                                 \
		__VA_ARGS__;                                                             \
		if (out.size > start)                                                    \
			groups[n++] = (struct group){ opcode, start, out.size - start }; \
	} while (0)
	GROUP(HPS_OP_SCHEMA, for (size_t i = 0; i < w->nschemas; i++) hps_put_schema(&out, w, i));
	GROUP(HPS_OP_CHANNEL, for (size_t i = 0; i < w->nchannels; i++) hps_put_channel(&out, w, i));
	GROUP(HPS_OP_STATISTICS, statistics(&out, w));
	GROUP(HPS_OP_CHUNK_INDEX, hps_out_bytes(&out, w->chunk_indexes.data, w->chunk_indexes.size));
	GROUP(HPS_OP_ATTACHMENT_INDEX, hps_out_bytes(&out, w->attachment_indexes.data, w->attachment_indexes.size));
	GROUP(HPS_OP_METADATA_INDEX, hps_out_bytes(&out, w->metadata_indexes.data, w->metadata_indexes.size));
	GROUP(HPS_OP_GUARD, guard(&out, w));
	GROUP(HPS_OP_COUNTS, counts(&out, w));
#undef GROUP
	size_t offsets = out.size;
	for (size_t i = 0; i < n; i++) {
		at = hps_out_begin(&out, HPS_OP_SUMMARY_OFFSET);
		hps_out_u8(&out, (uint8_t)groups[i].op);
		hps_out_u64(&out, w->offset + groups[i].start);
		hps_out_u64(&out, groups[i].size);
		hps_out_end(&out, at);
	}
	at = hps_out_begin(&out, HPS_OP_FOOTER);
	hps_out_u64(&out, w->offset + summary);
	hps_out_u64(&out, w->offset + offsets);
	hps_out_u32(&out, 0);
	hps_out_end(&out, at);
	hps_out_bytes(&out, hps_magic, sizeof hps_magic);
	/* the summary's CRC covers the footer up to the CRC itself */
	if (!out.failed)
		hps_put_u32(out.data + out.size - 12, hps_crc32(0, out.data + summary, out.size - 12 - summary));
	int r = out.failed ? (w->error = -ENOMEM) : hps_put_bytes(w, out.data, out.size);
	free(out.data);
	return r;
}
