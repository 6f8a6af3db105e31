/* SPDX-License-Identifier: MIT
 * scan.c - walks a session file without its summary: after a crash, while it grows, or to recover it. Every
 * chunk is checked before its messages count; behind a broken place the walk goes on at the next good chunk. */
#include <errno.h>
#include <stdio.h>

#include "reader.h"

enum { SMALL_MAX = 64 << 20, PLAIN_MAX = 1 << 20, BLOCK = 64 << 10, CHUNK_MIN = HPS_HEAD + 40 };

/* Is there the head of a chunk record at p? Its lengths must agree, which garbage practically never does. more: bytes
 * that there may be behind what is known of the record. */
static bool chunk_at(const uint8_t *p, uint64_t left, uint64_t more, uint64_t *length)
{
	uint64_t content = hps_u64_at(p + 1);
	uint32_t name = hps_u32_at(p + 37);
	if (p[0] != HPS_OP_CHUNK || content > left - HPS_HEAD || name > 7 || content < 40u + name)
		return false;
	uint64_t packed = content - 40 - name;
	const uint8_t *size = p + 41 + name;
	uint64_t told = hps_u64_at(size); /* the caller read enough */
	if (told > packed || packed - told > more)
		return false;
	*length = HPS_HEAD + content;
	return true;
}

/* The next place from `from` on that looks like a chunk, or 0. */
static uint64_t find_chunk(struct hps_reader *r, uint64_t from)
{
	uint8_t *b = malloc(BLOCK);
	uint64_t found = 0, length;
	if (!b)
		return 0;
	/* small steps first: behind a damaged chunk the next one is often near */
	for (size_t block = BLOCK / 16; !found && from < r->size && r->size - from >= CHUNK_MIN + 7; block = BLOCK) {
		size_t n = r->size - from < block ? (size_t)(r->size - from) : block;
		r->wasted += n;
		if (hps_read_at(r, from, b, n) < 0)
			break;
		size_t last = n - (CHUNK_MIN + 7), i = 0;
		while (i <= last) {
			const uint8_t *hit = memchr(b + i, HPS_OP_CHUNK, last + 1 - i);
			if (!hit)
				break;
			i = (size_t)(hit - b);
			if (chunk_at(hit, r->size - from - i, 0, &length)) {
				found = from + i;
				break;
			}
			i++;
		}
		from += last + 1;
	}
	free(b);
	return found;
}

/* A chunk that starts at r->scan_at. Good ones are taken in; all are stepped over. */
static int take_chunk(struct hps_reader *r, uint64_t length)
{
	struct hps_rchunk c = { .offset = r->scan_at, .length = length };
	uint32_t crc;
	int code = hps_chunk_head(r, &c, &crc);
	if (!code)
		code = hps_load_new(r, &c);
	r->chunked = true;
	if (code == -ENOTSUP || (code == -EFBIG && r->raw_sum <= r->opts.memory_bytes)) {
		r->refused++;
		snprintf(r->refusal, sizeof r->refusal, "%s", r->error);
		return 0;
	}
	if (code == -EBADMSG) {
		r->damaged++;
		r->wasted += length;
		return 0;
	}
	if (code < 0)
		return code;
	return hps_take_chunk(r, &c);
}

/* Messages outside chunks, one after another, become one chunk without CRC. 1: it is broken. */
static int take_plain(struct hps_reader *r, uint64_t length)
{
	struct hps_rchunk c = { .offset = r->scan_at, .packing = HPS_PACK_PLAIN };
	uint8_t h[HPS_HEAD];
	uint64_t at = r->scan_at;
	do {
		at += length;
		c.length = at - c.offset;
		if (r->size - at < HPS_HEAD || hps_read_at(r, at, h, sizeof h) < 0 || h[0] != HPS_OP_MESSAGE)
			break;
		length = HPS_HEAD + hps_u64_at(h + 1);
	} while (length >= HPS_HEAD && length <= r->size - at && c.length < PLAIN_MAX);
	c.raw = c.packed = c.length;
	int code = hps_load_new(r, &c);
	return code == -EBADMSG ? 1 : code ? code : hps_take_chunk(r, &c);
}

/* Where an attachment is and what it is called. */
static int take_attachment(struct hps_reader *r, uint64_t length)
{
	struct hps_parts p;
	int code = hps_attachment_parts(r, r->scan_at, length, &p);
	if (code == -ENOMEM)
		return code;
	if (code || !hps_attachment_crc(r, r->scan_at, &p)) {
		if (!code)
			hps_parts_free(&p);
		r->skipped += length;
		return 0;
	}
	return hps_take_place(r, true, r->scan_at, length, p.name, p.media_type, (int64_t)p.log_time, p.size);
}

/* The same of a metadata record. */
static int take_metadata(struct hps_reader *r, uint64_t length)
{
	uint8_t head[HPS_HEAD + 4];
	uint64_t left = length - HPS_HEAD;
	if (left < 8 || hps_read_at(r, r->scan_at, head, sizeof head) < 0)
		return 1;
	uint32_t n = hps_u32_at(head + HPS_HEAD);
	char *name = n <= left - 8 && n <= SMALL_MAX ? malloc(n + 1u) : NULL;
	if (!name)
		return n <= left - 8 && n <= SMALL_MAX ? -ENOMEM : 1;
	int code = hps_read_at(r, r->scan_at + sizeof head, name, n);
	name[n] = 0;
	if (code < 0) {
		free(name);
		return code;
	}
	return hps_take_place(r, false, r->scan_at, length, name, NULL, 0, 0);
}

static int take_small(struct hps_reader *r, uint8_t op, uint64_t length)
{
	if (length > SMALL_MAX)
		return 1;
	uint8_t *b = malloc((size_t)length);
	int code = b ? hps_read_at(r, r->scan_at, b, (size_t)length) : -ENOMEM;
	if (!code) {
		struct hps_in in = { b + HPS_HEAD, b + length, false };
		code = op == HPS_OP_SCHEMA ? hps_take_schema(r, in) : hps_take_channel(r, in);
		code = code == -EBADMSG ? 1 : code == 1 ? 0 : code;
	}
	free(b);
	return code;
}

/* Behind the end of the data there is nothing, or a record that may stand there. */
static bool summary_follows(struct hps_reader *r, uint64_t at)
{
	uint8_t op;
	if (at == r->size)
		return true;
	if (hps_read_at(r, at, &op, 1) < 0)
		return false;
	return op == HPS_OP_FOOTER || op == HPS_OP_SCHEMA || op == HPS_OP_CHANNEL || op == HPS_OP_CHUNK_INDEX ||
	       op == HPS_OP_ATTACHMENT_INDEX || op == HPS_OP_STATISTICS || op == HPS_OP_METADATA_INDEX || op >= 0x80;
}

/* The record at scan_at. 0 = understood, 1 = this cannot be, 2 = the end of the data, or a negative errno value. */
static int take_record(struct hps_reader *r, const uint8_t head[HPS_HEAD], uint64_t *length)
{
	uint64_t content = hps_u64_at(head + 1), left = r->size - r->scan_at;
	if (content > left - HPS_HEAD)
		return 1;
	*length = HPS_HEAD + content;
	switch (head[0]) {
	case HPS_OP_HEADER:
		if (r->scan_at != HPS_MAGIC_SIZE)
			return 1;
		hps_take_header(r, *length);
		return 0;
	case HPS_OP_CHUNK: {
		uint8_t b[CHUNK_MIN + 8];
		size_t n = left < sizeof b ? (size_t)left : sizeof b;
		memset(b, 0, sizeof b);
		if (*length < CHUNK_MIN || hps_read_at(r, r->scan_at, b, n) < 0 ||
		    !chunk_at(b, left, r->ours ? 0 : HPS_MORE_MAX, length))
			return 1;
		return take_chunk(r, *length);
	}
	case HPS_OP_MESSAGE: {
		/* beside chunks headpipe writes none: this is the inside of a damaged one */
		int code = r->chunked && r->ours ? 1 : take_plain(r, *length);
		if (!code)
			*length = r->chunks[r->nchunks - 1].length;
		return code;
	}
	case HPS_OP_SCHEMA:
	case HPS_OP_CHANNEL:
		return take_small(r, head[0], *length);
	case HPS_OP_ATTACHMENT:
		return take_attachment(r, *length);
	case HPS_OP_METADATA:
		return take_metadata(r, *length);
	case HPS_OP_DATA_END:
		return content >= 4 && content < 64 && summary_follows(r, r->scan_at + *length) ? 2 : 1;
	case HPS_OP_MESSAGE_INDEX:
		return 0;
	default: /* records of the summary have no place here; private ones are skipped */
		return head[0] >= 0x80 ? 0 : 1;
	}
}

/* Adds to the note what the walk found. */
static void describe(struct hps_reader *r, uint64_t tail, bool ended)
{
	char lost[sizeof r->refusal + 120] = "", before[sizeof r->note];
	size_t n = 0;
	if (r->damaged || r->skipped)
		n = (size_t)snprintf(lost, sizeof lost, "; %llu damaged chunks, %llu bytes that make no sense",
		                     (unsigned long long)r->damaged, (unsigned long long)r->skipped);
	if (r->refused)
		n += (size_t)snprintf(lost + n, sizeof lost - n, "; %llu chunks cannot be read: %s",
		                      (unsigned long long)r->refused, r->refusal);
	if (r->note[0] && !strstr(r->note, "(no summary") && !strstr(r->note, "found by walking")) {
		memcpy(before, r->note, sizeof before);
		hps_note(r, "%.300s%s", before, lost);
		return;
	}
	hps_note(r, "%s; %zu chunks were found by walking the file%s%s",
	         ended ? "the summary was not used"
	               : "the file has no end (no summary): it was cut off or is still being written",
	         r->nchunks, lost, tail ? "; the last record is not complete" : "");
}

/* Forgets the chunks, but not the channels. */
static void again(struct hps_reader *r)
{
	for (size_t i = 0; i < r->nchannels; i++)
		r->channels[i].nspans = r->channels[i].pub.messages = 0;
	for (size_t i = 0; i < r->nattachments + r->nmetadata; i++) {
		struct hps_place *p = i < r->nattachments ? &r->attachments[i] : &r->metadata[i - r->nattachments];
		free(p->name);
		free(p->media_type);
		free(p->map);
	}
	r->nattachments = r->nmetadata = r->nchunks = 0;
	r->messages = r->damaged = r->skipped = r->refused = 0;
	r->packed_sum = r->raw_sum = 0;
	r->chunked = false;
	r->ordered = true;
	r->scan_at = r->look_from = HPS_MAGIC_SIZE;
}

static int walk(struct hps_reader *, bool);

int hps_scan(struct hps_reader *r)
{
	bool first = r->scan_at == HPS_MAGIC_SIZE;
	size_t before = r->nchunks, channels = r->nchannels;
	r->unknown = false;
	int code = walk(r, first);
	/* the chunk that names the channels may be bad, and a later one name them again */
	if (code >= 0 && first && r->unknown && r->nchannels > channels) {
		again(r);
		code = walk(r, true);
	}
	return code < 0 ? code : r->nchunks > before;
}

static int walk(struct hps_reader *r, bool first)
{
	uint8_t head[HPS_HEAD];
	uint64_t tail = 0;
	bool ended = false;
	while (r->scan_at < r->size) {
		uint64_t left = r->size - r->scan_at, length = 0;
		size_t before = r->nchunks;
		int code = left < HPS_HEAD ? 1 : hps_read_at(r, r->scan_at, head, sizeof head);
		if (!code)
			code = take_record(r, head, &length);
		if (code < 0)
			return code;
		tail = 0;
		if (code == 2) {
			ended = true;
			break;
		}
		if (code == 1) {
			/* the length of any record behind the last good chunk may have been wrong */
			if (r->wasted / 4 > r->size + (16 << 20)) {
				hps_harm(r,
				         "the file has too many heads of chunks that are none; what is behind byte "
				         "%llu was not read",
				         (unsigned long long)r->look_from);
				r->skipped += r->size - r->look_from;
				break;
			}
			uint64_t next = find_chunk(r, r->look_from);
			tail = left;
			if (!next)
				break; /* the last record is not complete, or there is nothing behind the damage */
			r->skipped += next - r->look_from;
			r->scan_at = next;
			r->look_from = next + 1;
			continue;
		}
		r->scan_at += length;
		if (r->nchunks > before)
			r->look_from = r->scan_at;
	}
	if (ended && first)
		hps_check_head(r);
	describe(r, tail, ended);
	r->finished = r->finished || ended;
	return 0;
}
