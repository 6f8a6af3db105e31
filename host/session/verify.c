/* SPDX-License-Identifier: MIT
 * verify.c - checks a whole session file: every CRC, every length, and every statement that is made twice. */
#include "verify.h"
#include <errno.h>

/* Does every entry of a message index point at a message of its channel with that time? */
static bool index_agrees(const struct hps_slot *s, const uint8_t *entries, size_t n, uint16_t id, int channel)
{
	uint32_t count;
	hps_places(s, channel, &count);
	if (count != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		uint64_t time = hps_u64_at(entries + 16 * i), place = hps_u64_at(entries + 16 * i + 8);
		uint32_t low = 0, high = s->n;
		while (low < high) {
			uint32_t mid = (low + high) / 2;
			if (s->in_order[mid] < place)
				low = mid + 1;
			else
				high = mid;
		}
		if (low >= s->n || s->in_order[low] != place)
			return false;
		const uint8_t *m = s->records + place;
		if (hps_u16_at(m + HPS_HEAD) != id || hps_u64_at(m + 15) != time)
			return false;
	}
	return true;
}

/* The message indexes behind a chunk. */
static void check_indexes(struct hps_verify *v, size_t i, const struct hps_slot *s)
{
	struct hps_reader *r = v->r;
	const struct hps_rchunk *c = &r->chunks[i];
	uint64_t at = c->offset + c->length;
	uint32_t told = 0, want = s->nparts;
	for (;;) {
		uint8_t head[HPS_HEAD + 6];
		if (at + sizeof head > r->size || hps_read_at(r, at, head, sizeof head) < 0 ||
		    head[0] != HPS_OP_MESSAGE_INDEX)
			break;
		uint64_t length = hps_u64_at(head + 1);
		uint32_t bytes = hps_u32_at(head + HPS_HEAD + 2);
		if (length > r->size - at - HPS_HEAD || bytes % 16 || bytes + 6ull > length ||
		    (r->ours && bytes + 6ull != length)) {
			hps_fault(v, "the message index at byte %llu is damaged", (unsigned long long)at);
			return;
		}
		uint16_t id = hps_u16_at(head + HPS_HEAD);
		uint8_t *entries = malloc(bytes + 1u);
		if (!entries || hps_read_at(r, at + sizeof head, entries, bytes) < 0 ||
		    !index_agrees(s, entries, bytes / 16, id, hps_by_id(r, id) ? (int)hps_by_id(r, id) - 1 : 65535))
			hps_fault(v, "the message index at byte %llu does not agree with its chunk",
			          (unsigned long long)at);
		free(entries);
		told += bytes > 0;
		at += HPS_HEAD + length;
	}
	if (told && told != want)
		hps_fault(v, "the chunk at byte %llu has messages of %u channels and indexes of %u",
		          (unsigned long long)c->offset, want, told);
}

/* Schemas and channels inside a chunk, and how many messages of which channel and when. */
static void count_chunk(struct hps_verify *v, const struct hps_rchunk *c, const struct hps_slot *s)
{
	const uint8_t *p = s->records, *end = p + c->raw;
	for (; end - p >= HPS_HEAD; p += HPS_HEAD + hps_u64_at(p + 1)) {
		struct hps_in in = { p + HPS_HEAD, p + HPS_HEAD + hps_u64_at(p + 1), false };
		if (*p == HPS_OP_SCHEMA || *p == HPS_OP_CHANNEL)
			hps_verify_name(v, *p, in, c->offset);
		if (*p != HPS_OP_MESSAGE)
			continue;
		size_t index = hps_by_id(v->r, hps_u16_at(in.p)) - 1;
		uint64_t t = hps_u64_at(in.p + 6);
		if (index < v->nmessages)
			v->messages[index]++;
		v->first = !v->total || (int64_t)t < v->first ? (int64_t)t : v->first;
		v->last = !v->total || (int64_t)t > v->last ? (int64_t)t : v->last;
		v->ufirst = !v->total || t < v->ufirst ? t : v->ufirst;
		v->ulast = !v->total || t > v->ulast ? t : v->ulast;
		v->total++;
	}
}

static void check_chunks(struct hps_verify *v)
{
	struct hps_reader *r = v->r;
	for (size_t i = 0; i < r->nchunks; i++) {
		if (v->progress)
			v->progress(i, 2 * r->nchunks);
		int code = hps_chunk_check(r, i);
		const struct hps_slot *s = code ? NULL : hps_load(r, i, &code);
		if (!s) {
			v->partly = true;
			if (code != -ENOTSUP && code != -EFBIG)
				hps_fault(v, "%s", r->error);
			else if (v->told)
				v->told(v->ctx, r->error);
			continue;
		}
		if (r->chunks[i].packing != HPS_PACK_PLAIN)
			check_indexes(v, i, s);
		count_chunk(v, &r->chunks[i], s);
		const struct hps_rchunk *c = &r->chunks[i];
		if ((c->fingerprint && c->fingerprint != hps_hash(s->records, (size_t)c->raw)) ||
		    (c->content && c->content != hps_content_of(r, s->records, (size_t)c->raw)))
			hps_fault(v, "the fingerprint of the chunk at byte %llu is not what the summary says",
			          (unsigned long long)c->offset);
	}
}

int hps_verify(struct hps_reader *r, void (*told)(void *, const char *), void (*progress)(uint64_t, uint64_t),
               void *ctx)
{
	struct hps_verify v = { .r = r, .told = told, .progress = progress, .ctx = ctx };
	struct hps_attachment a;
	const char *name, *const *pairs;
	if (r->note[0] && (r->damaged_note || !r->finished || r->damaged || r->skipped))
		hps_fault(&v, "%s", r->note);
	bool holes = r->damaged || r->skipped; /* that a walk has met */
	v.partly = r->damaged || r->skipped || r->refused;
	v.nmessages = r->nchannels;
	v.messages = calloc(v.nmessages + 1, sizeof *v.messages);
	if (!v.messages)
		return -ENOMEM;
	check_chunks(&v);
	for (size_t i = 0; hps_attachment_at(r, i, &a); i++) {
		uint8_t none[1];
		if (hps_attachment_read(r, i, none, 0) < 0)
			hps_fault(&v, "%s", r->error);
	}
	for (size_t i = 0; hps_metadata_at(r, i, &name, &pairs); i++)
		if (!pairs)
			hps_fault(&v, "metadata %s is damaged", name);
	if (r->finished && !holes) {
		hps_verify_data(&v);
		hps_verify_summary(&v);
	}
	if (progress)
		progress(1, 1);
	free(v.messages);
	free(v.attachments);
	free(v.metadata);
	return v.faults;
}
