/* SPDX-License-Identifier: MIT
 * write.c - the session writer: messages into chunks, chunks into the file. */
#include "writer.h"

#include <errno.h>

/* Schemas and channels are written again every so many chunks, so that a file whose first chunk is bad can be read. */
enum { DECLARE_EVERY = 16 };

static bool is_sample(const void *ctx, uint16_t id)
{
	const struct hps_writer *w = ctx;
	return id && id <= w->nchannels && w->channels[id - 1].samples;
}

/* What hps_hash_content() says of the chunk, when it can be another thing than the hash of the whole. */
static uint64_t content_of(const struct hps_writer *w, const uint8_t *records, size_t raw)
{
	for (size_t i = 0; i < w->nchannels; i++)
		if (w->channels[i].samples && w->channels[i].index.size)
			return hps_hash_content(records, raw, is_sample, w);
	return 0;
}

/* The chunk's messages are packed or left; head in front, indexes behind, one write. */
static int close_chunk(struct hps_writer *w)
{
	if (!w->chunk_messages || w->error)
		return w->error;
	uint8_t *records = w->chunk.data + HPS_CHUNK_FRONT, *body = records;
	size_t raw = w->chunk.size - HPS_CHUNK_FRONT, size = raw;
	uint32_t raw_crc = hps_crc32(0, records, raw);
	uint64_t hash = hps_hash(records, raw), content = content_of(w, records, raw);
	const char *packing = "";
	int r = hps_pack_chunk(w, records, raw, &packing);
	if (r < 0)
		return hps_fail(w, r);
	if (packing[0]) {
		size = w->packed.size;
		/* the messages are no longer needed: the packed ones take their place */
		memcpy(records, w->packed.data, size);
		w->chunk.size = HPS_CHUNK_FRONT + size;
	}
	size_t front = HPS_CHUNK_FRONT - (packing[0] ? 0 : 4);
	uint8_t *head = body - front;
	head[0] = HPS_OP_CHUNK;
	hps_put_u64(head + 1, front - HPS_HEAD + size);
	hps_put_u64(head + 9, (uint64_t)w->chunk_start);
	hps_put_u64(head + 17, (uint64_t)w->chunk_end);
	hps_put_u64(head + 25, raw);
	hps_put_u32(head + 33, raw_crc);
	hps_put_u32(head + 37, (uint32_t)strlen(packing));
	memcpy(head + 41, packing, strlen(packing));
	hps_put_u64(head + front - 8, size);

	/* the file's CRC is put together from parts that are known; the big part was just computed */
	uint32_t body_crc = packing[0] ? hps_crc32(0, body, size) : raw_crc;
	size_t indexes = w->chunk.size;
	struct hps_out *ci = &w->chunk_indexes;
	size_t counted = w->counts.size;
	size_t record = hps_out_begin(ci, HPS_OP_CHUNK_INDEX);
	hps_out_u64(ci, (uint64_t)w->chunk_start);
	hps_out_u64(ci, (uint64_t)w->chunk_end);
	hps_out_u64(ci, w->offset);
	hps_out_u64(ci, front + size);
	size_t map = hps_out_begin_part(ci);
	for (size_t i = 0; i < w->nchannels; i++) {
		struct hps_wchannel *c = &w->channels[i];
		if (!c->index.size)
			continue;
		if (w->opts.compression == HPS_LEAN) {
			/* 16 bytes per message would be half the file; the summary says how many there are */
			hps_out_u64(&w->counts, w->offset);
			hps_out_u16(&w->counts, (uint16_t)(i + 1));
			hps_out_u32(&w->counts, (uint32_t)(c->index.size / 16));
			continue;
		}
		hps_out_u16(ci, (uint16_t)(i + 1));
		hps_out_u64(ci, w->offset + front + size + (w->chunk.size - indexes));
		size_t at = hps_out_begin(&w->chunk, HPS_OP_MESSAGE_INDEX);
		hps_out_u16(&w->chunk, (uint16_t)(i + 1));
		hps_out_u32(&w->chunk, (uint32_t)c->index.size);
		hps_out_bytes(&w->chunk, c->index.data, c->index.size);
		hps_out_end(&w->chunk, at);
	}
	hps_out_end_part(ci, map);
	hps_out_u64(ci, w->chunk.size - indexes);
	hps_out_string(ci, packing);
	hps_out_u64(ci, size);
	hps_out_u64(ci, raw);
	hps_out_end(ci, record);
	hps_out_u64(&w->fingerprints, hash);
	hps_out_u64(&w->contents, content);
	if (w->chunk.failed || ci->failed || w->fingerprints.failed || w->contents.failed || w->counts.failed)
		return hps_fail(w, -ENOMEM);
	body = w->chunk.data + HPS_CHUNK_FRONT; /* may have moved */
	head = body - front;
	if (!w->nchunks) {
		w->preamble = w->offset;
		w->preamble_crc = w->crc;
	}
	uint32_t crc = hps_crc32(0, head, front);
	crc = hps_crc32_join(crc, body_crc, size);
	crc = hps_crc32(crc, w->chunk.data + indexes, w->chunk.size - indexes);
	r = hps_put_bytes_crc(w, head, front + w->chunk.size - HPS_CHUNK_FRONT, crc);
	if (r < 0) {
		/* not in the file, so not in its summary */
		ci->size = record - HPS_HEAD;
		w->fingerprints.size -= 8;
		w->contents.size -= 8;
		w->counts.size = counted;
		return r;
	}
	for (size_t i = 0; i < w->nchannels; i++) {
		w->channels[i].messages += w->channels[i].index.size / 16;
		w->channels[i].index.size = 0;
	}
	if (!w->nchunks || w->chunk_start < w->start)
		w->start = w->chunk_start;
	if (!w->nchunks || w->chunk_end > w->end)
		w->end = w->chunk_end;
	w->messages += w->chunk_messages;
	w->nchunks++;
	w->chunk_messages = 0;
	w->chunk.size = HPS_CHUNK_FRONT;
	if (w->nchunks % DECLARE_EVERY == 0)
		for (size_t i = 0; i < w->nchannels; i++)
			w->channels[i].declared = false;
	if (w->opts.fsync && w->sink.sync && (r = w->sink.sync(w->sink.ctx)) < 0)
		return hps_fail(w, r);
	return 0;
}

int hps_flush(struct hps_writer *w)
{
	return close_chunk(w);
}

static bool chunk_is_full(const struct hps_writer *w, int64_t time, size_t n)
{
	if (!w->chunk_messages)
		return false;
	if (w->chunk.size - HPS_CHUNK_FRONT + HPS_HEAD + HPS_MESSAGE_HEAD + n > w->opts.chunk_bytes)
		return true;
	/* a step back begins a chunk too, so that the times of chunks do not overlap */
	return time < w->chunk_start || (uint64_t)time - (uint64_t)w->chunk_start >= (uint64_t)w->opts.chunk_ns;
}

static void declare(struct hps_writer *w, struct hps_wchannel *c)
{
	if (c->schema)
		hps_put_schema(&w->chunk, w, c->schema - 1u);
	hps_put_channel(&w->chunk, w, (size_t)(c - w->channels));
	c->declared = true;
}

int hps_write(struct hps_writer *w, int channel, int64_t time, const void *data, size_t n)
{
	if (channel < 1 || (size_t)channel > w->nchannels)
		return w->error ? w->error : -EINVAL;
	if (n > HPS_MAX_MESSAGE)
		return w->error ? w->error : -EMSGSIZE;
	return hps_write_as(w, channel, w->channels[channel - 1].sequence, time, time, data, n);
}

int hps_write_as(struct hps_writer *w, int channel, uint32_t sequence, int64_t time, int64_t publish, const void *data,
                 size_t n)
{
	if (w->error)
		return w->error;
	if (channel < 1 || (size_t)channel > w->nchannels)
		return -EINVAL;
	if (n > HPS_COPY_MAX)
		return -EMSGSIZE;
	struct hps_wchannel *c = &w->channels[channel - 1];
	if (chunk_is_full(w, time, n) && close_chunk(w) < 0)
		return w->error;
	if (!c->declared)
		declare(w, c);
	struct hps_out *out = &w->chunk;
	if (!hps_out_room(out, HPS_HEAD + HPS_MESSAGE_HEAD + n) || !hps_out_room(&c->index, 16))
		return hps_fail(w, -ENOMEM);
	uint8_t *p = out->data + out->size;
	uint8_t *body = p + HPS_HEAD + HPS_MESSAGE_HEAD;
	if (n)
		memcpy(body, data, n);
	if (w->opts.hook) {
		int r = w->opts.hook(w->opts.hook_ctx, (uint16_t)channel, time, body, n);
		if (r)
			return r < 0 ? r : 0;
	}
	p[0] = HPS_OP_MESSAGE;
	hps_put_u64(p + 1, HPS_MESSAGE_HEAD + n);
	hps_put_u16(p + 9, (uint16_t)channel);
	hps_put_u32(p + 11, sequence);
	c->sequence = sequence + 1;
	hps_put_u64(p + 15, (uint64_t)time);
	hps_put_u64(p + 23, (uint64_t)publish);
	uint8_t *at = c->index.data + c->index.size;
	hps_put_u64(at, (uint64_t)time);
	hps_put_u64(at + 8, out->size - HPS_CHUNK_FRONT);
	c->index.size += 16;
	out->size += HPS_HEAD + HPS_MESSAGE_HEAD + n;
	if (!w->chunk_messages || time < w->chunk_start)
		w->chunk_start = time;
	if (!w->chunk_messages || time > w->chunk_end)
		w->chunk_end = time;
	return ++w->chunk_messages >= w->opts.chunk_messages ? close_chunk(w) : 0;
}

uint64_t hps_written(const struct hps_writer *w)
{
	return w->offset + (w->chunk_messages ? w->chunk.size + 16u * w->chunk_messages : 0);
}
