/* SPDX-License-Identifier: MIT
 * index_read.c - takes in the summary at the end of a session file; when anything about it is wrong, the file
 * is walked instead. */
#include <errno.h>
#include <stdio.h>

#include "reader.h"
#include "verify.h"

struct entry { /* one chunk's messages of one channel, from its index's place */
	uint64_t chunk, count;
	uint16_t id;
};
struct summary {
	struct hps_rchunk *chunks;
	size_t nchunks, chunks_room;
	struct entry *entries; /* in the order of chunks */
	size_t nentries, entries_room;
	const uint8_t *guard;
	size_t guard_size;
	struct hps_in counts;
	uint64_t start;
	uint64_t messages; /* of the statistics; so are the following */
	uint32_t attachments, metadata, told_chunks;
	bool statistics;
};

/* Messages of the message index from at to next. Its length tells: 15 bytes and 16 per message, where nothing may stand
 * behind them. */
static bool index_count(struct hps_reader *r, uint64_t at, uint64_t next, uint64_t begin, uint64_t end, uint16_t id,
                        uint64_t *count)
{
	uint8_t head[HPS_HEAD + 6];
	if (at < begin || next > end || next < at || next - at < sizeof head)
		return false;
	*count = (next - at - sizeof head) / 16;
	if (r->ours)
		return (next - at - sizeof head) % 16 == 0;
	if (hps_read_at(r, at, head, sizeof head) < 0 || head[0] != HPS_OP_MESSAGE_INDEX ||
	    hps_u16_at(head + HPS_HEAD) != id || hps_u32_at(head + HPS_HEAD + 2) / 16 > *count)
		return false;
	*count = hps_u32_at(head + HPS_HEAD + 2) / 16;
	return true;
}

static bool chunk_index(struct hps_reader *r, struct summary *s, struct hps_in in)
{
	struct hps_rchunk c = { 0 };
	c.told_start = hps_in_u64(&in);
	c.told_end = hps_in_u64(&in);
	c.offset = hps_in_u64(&in);
	c.length = hps_in_u64(&in);
	struct hps_in map = hps_in_part(&in);
	uint64_t index_length = hps_in_u64(&in);
	struct hps_in packing = hps_in_part(&in);
	c.packed = hps_in_u64(&in);
	c.raw = hps_in_u64(&in);
	if (in.bad || c.offset < HPS_MAGIC_SIZE || c.length > s->start || c.offset > s->start - c.length ||
	    index_length > s->start - c.length - c.offset || c.packed > c.length ||
	    !hps_packing_by_name(packing, &c.packing, c.other))
		return false;
	uint64_t end = c.offset + c.length + index_length, sum = 0;
	if ((map.end - map.p) % 10)
		return false;
	for (size_t n = (size_t)(map.end - map.p) / 10; n--;) {
		struct entry e = { s->nchunks, 0, hps_in_u16(&map) };
		uint64_t at = hps_in_u64(&map), next = n ? hps_u64_at(map.p + 2) : end;
		if (!index_count(r, at, next, c.offset + c.length, end, e.id, &e.count))
			return false;
		sum += e.count;
		if (!e.count)
			continue;
		if (hps_grow(&s->entries, s->nentries, &s->entries_room, sizeof *s->entries) < 0)
			return false;
		s->entries[s->nentries++] = e;
	}
	c.messages = sum;
	if (hps_grow(&s->chunks, s->nchunks, &s->chunks_room, sizeof *s->chunks) < 0)
		return false;
	s->chunks[s->nchunks++] = c;
	return true;
}

static bool record(struct hps_reader *r, struct summary *s, uint8_t op, struct hps_in in)
{
	switch (op) {
	case HPS_OP_SCHEMA:
		return hps_take_schema(r, in) >= 0;
	case HPS_OP_CHANNEL:
		return hps_take_channel(r, in) >= 0;
	case HPS_OP_CHUNK_INDEX:
		return chunk_index(r, s, in);
	case HPS_OP_STATISTICS:
		s->messages = hps_in_u64(&in);
		hps_in_u16(&in);
		hps_in_u32(&in);
		s->attachments = hps_in_u32(&in);
		s->metadata = hps_in_u32(&in);
		s->told_chunks = hps_in_u32(&in);
		s->statistics = !in.bad;
		return !in.bad;
	case HPS_OP_ATTACHMENT_INDEX: {
		uint64_t offset = hps_in_u64(&in), length = hps_in_u64(&in);
		int64_t time = (int64_t)hps_in_u64(&in);
		hps_in_u64(&in);
		uint64_t size = hps_in_u64(&in);
		char *name = hps_in_string(&in), *type = hps_in_string(&in);
		return hps_take_place(r, true, offset, length, name, type, time, size) == 0;
	}
	case HPS_OP_METADATA_INDEX: {
		uint64_t offset = hps_in_u64(&in), length = hps_in_u64(&in);
		return hps_take_place(r, false, offset, length, hps_in_string(&in), NULL, 0, 0) == 0;
	}
	case HPS_OP_GUARD:
		if (hps_in_u16(&in) == 1) {
			s->guard = in.p;
			s->guard_size = (size_t)(in.end - in.p);
		}
		return !in.bad;
	case HPS_OP_COUNTS:
		s->counts = in;
		return true;
	default:
		return op >= 0x80 || op == HPS_OP_SUMMARY_OFFSET;
	}
}

/* Messages of chunks without message indexes, in the chunks' order: u64 place of the chunk, u16 channel, u32 messages.
 * A file has these or those. */
static bool take_counts(struct summary *s)
{
	if (s->nentries)
		return false;
	for (size_t i = 0; s->counts.p < s->counts.end;) {
		uint64_t offset = hps_in_u64(&s->counts);
		struct entry e = { 0, 0, hps_in_u16(&s->counts) };
		e.count = hps_in_u32(&s->counts);
		while (i < s->nchunks && s->chunks[i].offset != offset)
			i++;
		if (s->counts.bad || i == s->nchunks || !e.count ||
		    hps_grow(&s->entries, s->nentries, &s->entries_room, sizeof *s->entries) < 0)
			return false;
		e.chunk = i;
		s->chunks[i].messages += e.count;
		s->entries[s->nentries++] = e;
	}
	return true;
}

/* CRC of the bytes before the first chunk, and the fingerprints. */
static void check_guard(struct hps_reader *r, struct summary *s)
{
	struct hps_in in = { s->guard, s->guard + s->guard_size, false };
	uint64_t size = hps_in_u64(&in);
	uint32_t crc = hps_in_u32(&in), have = 0;
	struct hps_in prints = hps_in_part(&in);
	bool bad = in.bad, old = in.p == in.end;
	struct hps_in contents = hps_in_part(&in); /* older files end in front of it */
	uint8_t block[4096];
	if (bad) {
		hps_harm(r, "what guards the head of the file is damaged");
		return;
	}
	for (uint64_t at = 0; at < size; at += sizeof block) {
		size_t n = size - at < sizeof block ? (size_t)(size - at) : sizeof block;
		if (hps_read_at(r, at, block, n) < 0)
			break;
		have = hps_crc32(have, block, n);
	}
	if (have != crc) {
		r->library[0] = r->profile[0] = 0;
		r->ours = true;
		hps_harm(r, "the head of the file is damaged (its CRC is wrong); what stands there is not used");
	}
	if ((size_t)(prints.end - prints.p) != 8 * s->nchunks && s->nchunks)
		hps_harm(r, "the fingerprints of the chunks are damaged; they are not used");
	for (size_t i = 0; i < s->nchunks && (size_t)(prints.end - prints.p) == 8 * s->nchunks; i++)
		s->chunks[i].fingerprint = hps_u64_at(prints.p + 8 * i);
	if (!old && (in.bad || (size_t)(contents.end - contents.p) != 8 * s->nchunks))
		hps_harm(r, "the fingerprints of what the chunks say are damaged; they are not used");
	for (size_t i = 0; !in.bad && i < s->nchunks && (size_t)(contents.end - contents.p) == 8 * s->nchunks; i++)
		s->chunks[i].content = hps_u64_at(contents.p + 8 * i);
}

int hps_read_summary(struct hps_reader *r, uint8_t **data, size_t *n, uint64_t *start)
{
	enum { END = HPS_HEAD + HPS_FOOTER_SIZE + HPS_MAGIC_SIZE };
	uint8_t foot[END];
	*data = NULL;
	if (r->size < HPS_MAGIC_SIZE + END || hps_read_at(r, r->size - END, foot, END) < 0)
		return 0;
	uint64_t footer = r->size - END;
	*start = hps_u64_at(foot + HPS_HEAD);
	uint32_t crc = hps_u32_at(foot + HPS_HEAD + 16);
	if (memcmp(foot + END - HPS_MAGIC_SIZE, hps_magic, HPS_MAGIC_SIZE) || foot[0] != HPS_OP_FOOTER ||
	    hps_u64_at(foot + 1) != HPS_FOOTER_SIZE)
		return 0;
	if (!*start) {
		hps_note(r, "the file was written without a summary, so it was walked");
		return 0;
	}
	if (*start < HPS_MAGIC_SIZE || *start > footer) {
		hps_harm(r, "the footer is damaged, so the file was walked");
		return 0;
	}
	*n = (size_t)(footer - *start);
	*data = malloc(*n + 1);
	int code = *data ? hps_read_at(r, *start, *data, *n) : hps_error(r, -ENOMEM, "out of memory");
	uint32_t have = code ? 0 : hps_crc32(hps_crc32(0, *data, *n), foot, HPS_HEAD + 16);
	if (code || (crc && crc != have)) {
		if (!code)
			hps_harm(r, "the summary is damaged (its CRC is wrong), so the file was walked");
		free(*data);
		*data = NULL;
	}
	return code;
}

/* Goes through a good summary's records for a file that is walked. names: schemas and channels, else the guard. */
static void look(struct hps_reader *r, bool names)
{
	uint8_t *data;
	size_t n;
	struct summary s = { 0 };
	if (hps_read_summary(r, &data, &n, &s.start) < 0 || !data)
		return;
	struct hps_in in = { data, data + n, false };
	while (in.p < in.end && !in.bad) {
		uint8_t op = hps_in_u8(&in);
		uint64_t len = hps_in_u64(&in);
		const uint8_t *p = hps_in_bytes(&in, len);
		if (p && names && op == HPS_OP_SCHEMA)
			hps_take_schema(r, (struct hps_in){ p, p + len, false });
		if (p && names && op == HPS_OP_CHANNEL)
			hps_take_channel(r, (struct hps_in){ p, p + len, false });
		if (p && !names && op == HPS_OP_GUARD && len > 2 && hps_u16_at(p) == 1) {
			s.guard = p + 2;
			s.guard_size = (size_t)len - 2;
			check_guard(r, &s);
		}
	}
	free(data);
}

void hps_take_names(struct hps_reader *r)
{
	look(r, true);
}

void hps_check_head(struct hps_reader *r)
{
	look(r, false);
}

/* Undoes what a bad summary left behind. */
static void forget(struct hps_reader *r)
{
	struct hps_reader empty = { .fd = r->fd,
		                    .memory = r->memory,
		                    .size = r->size,
		                    .opts = r->opts,
		                    .ordered = true,
		                    .ours = true,
		                    .damaged_note = r->damaged_note };
	struct hps_reader *old = malloc(sizeof *old);
	memcpy(empty.note, r->note, sizeof empty.note);
	if (!old)
		return;
	*old = *r;
	old->fd = -1;
	*r = empty;
	hps_close(old);
}

static int in_file_order(const void *a, const void *b)
{
	const struct hps_rchunk *x = a, *y = b;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static int by_chunk(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	return x->chunk < y->chunk ? -1 : x->chunk > y->chunk;
}

/* False: not usable; with *code set the file is not to be opened. */
static bool take_in(struct hps_reader *r, struct summary *s, const uint8_t *data, size_t n, int *code)
{
	struct hps_in in = { data, data + n, false };
	while (in.p < in.end) {
		uint8_t op = hps_in_u8(&in);
		uint64_t len = hps_in_u64(&in);
		const uint8_t *p = hps_in_bytes(&in, len);
		if (!p || !record(r, s, op, (struct hps_in){ p, p + len, false }))
			return false;
	}
	if (s->counts.p && !take_counts(s))
		return false;
	bool ordered = true;
	uint64_t sum = 0;
	uint64_t packed = 0, raw = 0;
	for (size_t i = 0; i < s->nchunks; i++) {
		if (!hps_allow_chunk(r, &s->chunks[i])) { /* the others are refused one by one */
			packed += s->chunks[i].packed;
			raw += s->chunks[i].raw;
		}
		sum += s->chunks[i].messages;
		ordered &= !i || s->chunks[i].offset > s->chunks[i - 1].offset;
	}
	/* Indexes are optional, and only the statistics say whether there is more than they tell: chunks without
	 * message indexes, messages outside chunks, attachments. */
	if (!s->statistics || sum != s->messages || s->nchunks != s->told_chunks || r->nattachments != s->attachments ||
	    r->nmetadata != s->metadata)
		return false;
	*code = hps_allow_all(r, packed, raw);
	if (*code)
		return false;
	if (s->guard)
		check_guard(r, s);
	if (!ordered) {
		/* entries say which chunk by number: the numbers are put into offset's place for a moment */
		for (size_t i = 0; i < s->nentries; i++)
			s->entries[i].chunk = s->chunks[s->entries[i].chunk].offset;
		qsort(s->chunks, s->nchunks, sizeof *s->chunks, in_file_order);
		if (s->nentries)
			qsort(s->entries, s->nentries, sizeof *s->entries, by_chunk);
		for (size_t i = 1; i < s->nchunks; i++)
			if (s->chunks[i].offset == s->chunks[i - 1].offset)
				return false;
	}
	size_t e = 0;
	for (size_t i = 0; i < s->nchunks; i++) {
		uint64_t which = ordered ? i : s->chunks[i].offset;
		for (; e < s->nentries && s->entries[e].chunk == which; e++) {
			const struct entry *x = &s->entries[e];
			size_t ch = hps_by_id(r, x->id);
			if (!ch || r->channels[ch - 1].counted)
				return false;
			hps_meet(r, ch - 1, x->count);
		}
		struct hps_rchunk c = s->chunks[i];
		if (hps_take_chunk(r, &c) < 0)
			return false;
	}
	return true;
}

int hps_open_summary(struct hps_reader *r)
{
	uint8_t *data;
	size_t n = 0;
	struct summary s = { 0 };
	int code = hps_read_summary(r, &data, &n, &s.start);
	if (code < 0 || !data)
		return code;
	hps_take_header(r, r->size - HPS_MAGIC_SIZE);
	if (take_in(r, &s, data, n, &code)) {
		code = 1;
		r->finished = true;
	} else if (!code) {
		hps_note(r, "the summary does not tell enough, so the file was walked");
		forget(r);
	}
	free(s.chunks);
	free(s.entries);
	free(data);
	return code;
}
