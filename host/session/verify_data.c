/* SPDX-License-Identifier: MIT
 * verify_data.c - goes along the records of a session file's data, one behind the other, as their lengths say: the
 * header first, the end of data last, nothing that has no place there, and everything that the reader knows of. */
#include "verify.h"

typedef unsigned long long ull;

/* Is there a chunk in the reader's list that begins here, or messages outside chunks in which this byte lies? */
static bool known_chunk(const struct hps_reader *r, uint64_t at)
{
	size_t low = 0, high = r->nchunks;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (r->chunks[mid].offset <= at)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return false;
	const struct hps_rchunk *c = &r->chunks[low - 1];
	return c->packing == HPS_PACK_PLAIN ? at - c->offset < c->length : at == c->offset;
}

static void add(struct hps_found **list, size_t *n, size_t *room, uint64_t at, uint64_t length)
{
	if (!hps_grow(list, *n, room, sizeof **list))
		(*list)[(*n)++] = (struct hps_found){ at, length };
}

/* Metadata: its strings fill it. */
static void check_metadata(struct hps_verify *v, uint64_t at, uint64_t length)
{
	uint8_t *data = hps_verify_record(v->r, at, length);
	struct hps_in in = { data ? data + HPS_HEAD : NULL, data ? data + length : NULL, !data };
	size_t n;
	hps_in_part(&in);
	const char **map = hps_in_map(&in, &n);
	if (in.bad || (v->r->ours && in.p != in.end))
		hps_fault(v, "the metadata at byte %llu is damaged", (ull)at);
	free(map);
	free(data);
}

static void check_header(struct hps_verify *v, uint64_t at, uint64_t length)
{
	uint8_t *data = hps_verify_record(v->r, at, length < 1 << 20 ? length : 0);
	struct hps_in in = { data ? data + HPS_HEAD : NULL, data ? data + length : NULL, !data };
	hps_in_part(&in);
	hps_in_part(&in);
	if (in.bad || (v->r->ours && in.p != in.end))
		hps_fault(v, "the header is damaged");
	free(data);
}

/* One record. False: it cannot be gone on behind it, or it is the last one. */
static bool check_record(struct hps_verify *v, const uint8_t *head, uint64_t at, uint64_t length)
{
	struct hps_reader *r = v->r;
	switch (head[0]) {
	case HPS_OP_HEADER:
		if (at != HPS_MAGIC_SIZE)
			hps_fault(v, "a second header stands at byte %llu", (ull)at);
		check_header(v, at, length);
		return true;
	case HPS_OP_SCHEMA:
	case HPS_OP_CHANNEL: {
		uint8_t *data = hps_verify_record(r, at, length);
		if (data)
			hps_verify_name(v, head[0], (struct hps_in){ data + HPS_HEAD, data + length, false }, at);
		free(data);
		return true;
	}
	case HPS_OP_CHUNK:
		v->chunks++;
		if (!known_chunk(r, at) && !r->refused)
			hps_fault(v, "the chunk at byte %llu is not in the index", (ull)at);
		return true;
	case HPS_OP_MESSAGE:
		if (!known_chunk(r, at))
			hps_fault(v, "the message at byte %llu, outside of chunks, does not count in the statistics",
			          (ull)at);
		return true;
	case HPS_OP_ATTACHMENT:
		add(&v->attachments, &v->nattachments, &v->attachments_room, at, length);
		return true;
	case HPS_OP_METADATA:
		add(&v->metadata, &v->nmetadata, &v->metadata_room, at, length);
		check_metadata(v, at, length);
		return true;
	case HPS_OP_MESSAGE_INDEX:
		return true;
	case HPS_OP_DATA_END:
		v->data_end = at + length;
		return false;
	default:
		if (head[0] <= HPS_OP_SUMMARY_OFFSET || (r->ours && head[0] < HPS_OP_GUARD))
			hps_fault(v, "the record at byte %llu, of kind %u, has no place in the data", (ull)at, head[0]);
		return true;
	}
}

/* The CRC over everything in front of the end of data. */
static void check_crc(struct hps_verify *v, uint64_t at)
{
	uint8_t stored[4];
	uint32_t have = 0;
	if (hps_read_at(v->r, at + HPS_HEAD, stored, 4) < 0 || hps_crc_of(v->r, 0, at, &have) < 0) {
		hps_fault(v, "%s", v->r->error);
		return;
	}
	uint32_t want = hps_u32_at(stored);
	if (!hps_crc_agrees(v->r, want, have))
		hps_fault(v, "the data as a whole has changed: its CRC is %08x and should be %08x", have, want);
}

void hps_verify_data(struct hps_verify *v)
{
	struct hps_reader *r = v->r;
	uint64_t at = HPS_MAGIC_SIZE, length;
	uint8_t head[HPS_HEAD];
	for (bool more = true; more; at += length) {
		if (hps_read_at(r, at, head, sizeof head) < 0) {
			hps_fault(v, "there is no end of data");
			return;
		}
		if (at == HPS_MAGIC_SIZE && head[0] != HPS_OP_HEADER)
			hps_fault(v, "the first record is not the header");
		if (hps_u64_at(head + 1) > r->size - at - HPS_HEAD) {
			hps_fault(v, "the record at byte %llu is longer than the file", (ull)at);
			return;
		}
		length = HPS_HEAD + hps_u64_at(head + 1);
		if (head[0] == HPS_OP_DATA_END && length < HPS_HEAD + 4) {
			hps_fault(v, "the end of data at byte %llu is damaged: its length is %llu", (ull)at,
			          (ull)length - HPS_HEAD);
			return;
		}
		more = check_record(v, head, at, length);
	}
	check_crc(v, at - length);
}
