/* SPDX-License-Identifier: MIT
 * verify_summary.c - what the summary of a session file says again: statistics, indexes, schemas and channels, where
 * its groups are. All of it must be what the data says. */
#include "verify.h"
#include <stdio.h>

typedef unsigned long long ull;

enum { END = HPS_HEAD + HPS_FOOTER_SIZE + HPS_MAGIC_SIZE };

static void differs(struct hps_verify *v, const char *what, ull told, ull is)
{
	if (told != is)
		hps_fault(v, "the statistics say %s %llu, and it is %llu", what, told, is);
}

static void check_counts(struct hps_verify *v, struct hps_in map)
{
	struct hps_reader *r = v->r;
	uint64_t told = 0;
	uint8_t named[65536 / 8] = { 0 };
	while (map.p < map.end && !map.bad) {
		uint16_t id = hps_in_u16(&map);
		uint64_t n = hps_in_u64(&map);
		size_t index = hps_by_id(r, id);
		uint64_t is = index && index <= v->nmessages ? v->messages[index - 1] : 0;
		told += n;
		if (!map.bad && n != is)
			hps_fault(v, "the statistics say messages of channel %u: %llu, and it is %llu", id, (ull)n,
			          (ull)is);
		/* other libraries may count what they left out; ours has no such channel, and nobody has one twice */
		if (!map.bad && ((r->ours && !index) || named[id / 8] & 1 << id % 8))
			hps_fault(v, "the statistics count messages of channel %u, which %s", id,
			          index ? "they have counted before" : "does not exist");
		named[id / 8] |= (uint8_t)(1 << id % 8);
	}
	/* a map may leave out all channels, but not some of them */
	if (map.bad)
		hps_fault(v, "the statistics are damaged: the counts of channels");
	else if (told && told != v->total)
		hps_fault(v, "the statistics leave out messages of a channel: %llu of %llu", (ull)told, (ull)v->total);
}

static void check_statistics(struct hps_verify *v, struct hps_in in)
{
	struct hps_reader *r = v->r;
	uint64_t messages = hps_in_u64(&in);
	uint16_t schemas = hps_in_u16(&in);
	uint32_t channels = hps_in_u32(&in), attachments = hps_in_u32(&in);
	uint32_t metadata = hps_in_u32(&in), chunks = hps_in_u32(&in);
	uint64_t start = hps_in_u64(&in), end = hps_in_u64(&in);
	struct hps_in map = hps_in_part(&in);
	if (in.bad || (r->ours && in.p != in.end)) {
		hps_fault(v, "the statistics are damaged");
		return;
	}
	/* other libraries count what they were told of, whether it is in the file or not */
	differs(v, "schemas", schemas, !r->ours && schemas > r->nschemas ? schemas : r->nschemas);
	differs(v, "channels", channels, !r->ours && channels > r->nchannels ? channels : r->nchannels);
	differs(v, "attachments", attachments, v->nattachments);
	differs(v, "metadata", metadata, v->nmetadata);
	differs(v, "chunks", chunks, v->chunks);
	if (v->partly)
		return;
	differs(v, "messages", messages, v->total);
	if (v->total && !(start == (uint64_t)v->first && end == (uint64_t)v->last)) {
		differs(v, "first time", start, v->ufirst);
		differs(v, "last time", end, v->ulast);
	} else if (!v->total) {
		differs(v, "first time", start, 0);
		differs(v, "last time", end, 0);
	}
	check_counts(v, map);
}

/* What an entry of the chunk index says of the chunk, and of the message indexes behind it. */
static void check_chunk_index(struct hps_verify *v, struct hps_in in)
{
	struct hps_reader *r = v->r;
	uint8_t head[HPS_HEAD + 2], packing = 0;
	char other[8] = "";
	uint32_t crc;
	uint64_t start = hps_in_u64(&in), end = hps_in_u64(&in);
	uint64_t offset = hps_in_u64(&in), length = hps_in_u64(&in);
	struct hps_in map = hps_in_part(&in);
	uint64_t told = hps_in_u64(&in);
	struct hps_in name = hps_in_part(&in);
	uint64_t packed = hps_in_u64(&in), raw = hps_in_u64(&in);
	struct hps_rchunk c = { .offset = offset, .length = length };
	if (!in.bad && (hps_chunk_head(r, &c, &crc) < 0 || c.told_start != start || c.told_end != end ||
	                c.packed != packed || c.raw != raw || !hps_packing_by_name(name, &packing, other) ||
	                packing != c.packing || memcmp(other, c.other, sizeof other) != 0)) {
		hps_fault(v, "the chunk index for byte %llu does not agree with the chunk there", (ull)offset);
		return;
	}
	if (in.bad || (r->ours && in.p != in.end)) {
		hps_fault(v, "an entry of the chunk index is damaged");
		return;
	}
	uint64_t at = offset + length, begin = at;
	while (!hps_read_at(r, at, head, sizeof head) && head[0] == HPS_OP_MESSAGE_INDEX &&
	       hps_u64_at(head + 1) <= r->size - at - HPS_HEAD)
		at += HPS_HEAD + hps_u64_at(head + 1);
	if (told != at - begin)
		hps_fault(
		    v,
		    "the chunk index says %llu bytes of message indexes behind the chunk at byte %llu, and it is %llu",
		    (ull)told, (ull)offset, (ull)(at - begin));
	if ((map.end - map.p) % 10)
		hps_fault(v, "an entry of the chunk index is damaged");
	while (map.p < map.end && !map.bad) {
		uint16_t id = hps_in_u16(&map);
		uint64_t place = hps_in_u64(&map);
		if (!map.bad && (place < begin || place >= at || hps_read_at(r, place, head, sizeof head) < 0 ||
		                 head[0] != HPS_OP_MESSAGE_INDEX || hps_u16_at(head + HPS_HEAD) != id))
			hps_fault(v,
			          "the chunk index says a message index of channel %u at byte %llu, and there is none",
			          id, (ull)place);
	}
}

static bool found(const struct hps_found *list, size_t n, uint64_t offset, uint64_t length)
{
	size_t low = 0, high = n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (list[mid].offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && list[low].offset == offset && list[low].length == length;
}

static bool same_bytes(struct hps_in a, struct hps_in b)
{
	size_t n = (size_t)(a.end - a.p);
	return !a.bad && !b.bad && n == (size_t)(b.end - b.p) && !memcmp(a.p, b.p, n);
}

static void check_attachment_index(struct hps_verify *v, struct hps_in in)
{
	struct hps_reader *r = v->r;
	uint64_t offset = hps_in_u64(&in), length = hps_in_u64(&in);
	const uint8_t *times = hps_in_bytes(&in, 16);
	uint64_t size = hps_in_u64(&in);
	struct hps_in name = hps_in_part(&in), type = hps_in_part(&in);
	bool good = !in.bad && (!r->ours || in.p == in.end) && found(v->attachments, v->nattachments, offset, length);
	/* its head is as long as the index's texts, or it is another one */
	uint64_t head = HPS_HEAD + 16 + 4 + (uint64_t)(name.end - name.p) + 4 + (uint64_t)(type.end - type.p) + 8;
	uint8_t *data = good && head <= length ? hps_verify_record(r, offset, head) : NULL;
	struct hps_in at = { data ? data + HPS_HEAD : NULL, data ? data + head : NULL, !data };
	const uint8_t *is = hps_in_bytes(&at, 16);
	good &= is && !memcmp(is, times, 16) && same_bytes(hps_in_part(&at), name) &&
	        same_bytes(hps_in_part(&at), type) && hps_in_u64(&at) == size && !at.bad;
	if (!good)
		hps_doubt(v, "the attachment index for byte %llu does not agree with the data", (ull)offset);
	free(data);
}

static void check_metadata_index(struct hps_verify *v, struct hps_in in)
{
	struct hps_reader *r = v->r;
	uint64_t offset = hps_in_u64(&in), length = hps_in_u64(&in);
	struct hps_in name = hps_in_part(&in);
	bool good = !in.bad && (!r->ours || in.p == in.end) && found(v->metadata, v->nmetadata, offset, length);
	uint8_t *data = good ? hps_verify_record(r, offset, length) : NULL;
	struct hps_in at = { data ? data + HPS_HEAD : NULL, data ? data + length : NULL, !data };
	if (!good || !same_bytes(hps_in_part(&at), name))
		hps_doubt(v, "the metadata index for byte %llu does not agree with the data", (ull)offset);
	free(data);
}

/* Where a group of the summary is: records of one kind, all of them. */
static void check_group(struct hps_verify *v, struct hps_in in, const uint8_t *data, size_t n, uint64_t start)
{
	uint8_t op = hps_in_u8(&in);
	uint64_t from = hps_in_u64(&in), length = hps_in_u64(&in);
	bool good = !in.bad && (!v->r->ours || in.p == in.end) && from >= start && from - start <= n &&
	            length <= n - (from - start);
	bool begins = false;
	struct hps_in all = { data, data + n, false };
	while (good && all.p < all.end) {
		uint64_t place = start + (uint64_t)(all.p - data);
		bool inside = place >= from && place - from < length, same = hps_in_u8(&all) == op;
		uint64_t size = hps_in_u64(&all);
		begins |= place == from || !length;
		good = hps_in_bytes(&all, size) && inside == same &&
		       (!inside || HPS_HEAD + size <= length - (place - from));
	}
	if (!good || !begins)
		hps_fault(v, "the summary says that records of kind %u are at byte %llu, %llu bytes, and they are not",
		          op, (ull)from, (ull)length);
}

/* Behind the end of data the summary begins, or the footer. */
static void check_places(struct hps_verify *v, uint64_t start, uint64_t offsets, uint64_t first_offset)
{
	uint64_t footer = v->r->size - END, want = start ? start : footer;
	if (v->data_end && v->data_end != want)
		hps_fault(v, "the data ends at byte %llu, and the %s begins at byte %llu", (ull)v->data_end,
		          start ? "summary" : "footer", (ull)want);
	if (offsets != first_offset && !(offsets == footer && !first_offset))
		hps_fault(v, "the footer says that the offsets of the summary begin at byte %llu, and it is %llu",
		          (ull)offsets, (ull)first_offset);
}

static void check_all(struct hps_verify *v, const uint8_t *data, size_t n, uint64_t start, uint64_t offsets)
{
	uint64_t first_offset = 0, chunks = 0, attachments = 0, metadata = 0;
	struct hps_in in = { data, data + n, false };
	while (in.p < in.end && !in.bad) {
		uint64_t at = start + (uint64_t)(in.p - data);
		uint8_t op = hps_in_u8(&in);
		uint64_t length = hps_in_u64(&in);
		const uint8_t *p = hps_in_bytes(&in, length);
		struct hps_in one = { p, p ? p + length : NULL, !p };
		if (!p)
			break;
		switch (op) {
		case HPS_OP_SCHEMA:
		case HPS_OP_CHANNEL:
			hps_verify_name(v, op, one, at);
			break;
		case HPS_OP_STATISTICS:
			check_statistics(v, one);
			break;
		case HPS_OP_CHUNK_INDEX:
			chunks++;
			check_chunk_index(v, one);
			break;
		case HPS_OP_ATTACHMENT_INDEX:
			attachments++;
			check_attachment_index(v, one);
			break;
		case HPS_OP_METADATA_INDEX:
			metadata++;
			check_metadata_index(v, one);
			break;
		case HPS_OP_SUMMARY_OFFSET:
			first_offset = first_offset ? first_offset : at;
			check_group(v, one, data, n, start);
			break;
		default:
			if (op <= HPS_OP_DATA_END || (v->r->ours && op < HPS_OP_GUARD))
				hps_fault(v, "the record at byte %llu, of kind %u, has no place in the summary",
				          (ull)at, op);
		}
	}
	if (in.bad)
		hps_fault(v, "the last record of the summary is longer than the summary");
	/* an index is there for all or for none */
	if (chunks && chunks != v->chunks)
		hps_fault(v, "the chunk index has %llu entries for %llu chunks", (ull)chunks, (ull)v->chunks);
	if (attachments && attachments != v->nattachments)
		hps_fault(v, "the attachment index has %llu entries for %zu attachments", (ull)attachments,
		          v->nattachments);
	if (metadata && metadata != v->nmetadata)
		hps_fault(v, "the metadata index has %llu entries for %zu metadata records", (ull)metadata,
		          v->nmetadata);
	check_places(v, start, offsets, first_offset);
}

void hps_verify_summary(struct hps_verify *v)
{
	struct hps_reader *r = v->r;
	uint8_t foot[END], *data = NULL;
	size_t n = 0;
	uint64_t start = 0;
	if (r->size < END || hps_read_at(r, r->size - END, foot, END) < 0 || foot[0] != HPS_OP_FOOTER ||
	    hps_u64_at(foot + 1) != HPS_FOOTER_SIZE || memcmp(foot + END - HPS_MAGIC_SIZE, hps_magic, HPS_MAGIC_SIZE)) {
		hps_fault(v, "the footer is damaged");
		return;
	}
	uint64_t offsets = hps_u64_at(foot + HPS_HEAD + 8);
	uint32_t crc = hps_u32_at(foot + HPS_HEAD + 16);
	if (!hps_u64_at(foot + HPS_HEAD)) {
		if (crc && crc != hps_crc32(0, foot, HPS_HEAD + 16))
			hps_fault(v, "the footer is damaged: wrong CRC");
		check_places(v, 0, offsets, 0);
		return;
	}
	if (hps_read_summary(r, &data, &n, &start) < 0 || !data) {
		hps_fault(v, "the summary is damaged");
		return;
	}
	check_all(v, data, n, start, offsets);
	free(data);
}
