/* SPDX-License-Identifier: MIT
 * verify.c - checks a whole session file: every CRC, and every statement that is made twice. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "reader.h"

struct verify {
	struct hps_reader *r;
	void (*told)(void *, const char *);
	void *ctx;
	int faults;
};

static void fault(struct verify *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void fault(struct verify *v, const char *fmt, ...)
{
	char text[600];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	v->faults++;
	if (v->told)
		v->told(v->ctx, text);
}

/* Does every entry of a message index point at a message of its channel with that time? */
static bool index_agrees(const struct hps_reader *r, const struct hps_slot *s, const uint8_t *entries, size_t n,
                         uint16_t id)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < s->n; i++)
		count += hps_u16_at(s->records + s->in_order[i] + HPS_HEAD) == id;
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
	(void)r;
	return true;
}

/* The message indexes behind a chunk. */
static void check_indexes(struct verify *v, size_t i)
{
	struct hps_reader *r = v->r;
	int code = 0;
	struct hps_slot *s = hps_load(r, i, &code);
	const struct hps_rchunk *c = &r->chunks[i];
	uint64_t at = c->offset + c->length;
	uint32_t told = 0;
	if (!s || c->packing == HPS_PACK_PLAIN)
		return;
	uint32_t want = s->nparts;
	for (;;) {
		uint8_t head[HPS_HEAD + 6];
		if (at + sizeof head > r->size || hps_read_at(r, at, head, sizeof head) < 0 ||
		    head[0] != HPS_OP_MESSAGE_INDEX)
			break;
		uint64_t length = hps_u64_at(head + 1);
		uint32_t bytes = hps_u32_at(head + HPS_HEAD + 2);
		if (length > r->size - at - HPS_HEAD || bytes % 16 || bytes + 6ull > length) {
			fault(v, "the message index at byte %llu is damaged", (unsigned long long)at);
			return;
		}
		uint8_t *entries = malloc(bytes + 1u);
		if (!entries || hps_read_at(r, at + sizeof head, entries, bytes) < 0 ||
		    !index_agrees(r, s, entries, bytes / 16, hps_u16_at(head + HPS_HEAD)))
			fault(v, "the message index at byte %llu does not agree with its chunk",
			      (unsigned long long)at);
		free(entries);
		told += bytes > 0;
		at += HPS_HEAD + length;
	}
	if (told && told != want)
		fault(v, "the chunk at byte %llu has messages of %u channels and indexes of %u",
		      (unsigned long long)c->offset, want, told);
}

/* The CRC over everything in front of DataEnd, which stands right before the summary. */
static void check_data(struct verify *v, void (*progress)(uint64_t, uint64_t))
{
	struct hps_reader *r = v->r;
	uint8_t end[HPS_HEAD + 4], foot[HPS_HEAD + HPS_FOOTER_SIZE + HPS_MAGIC_SIZE];
	if (r->size < sizeof foot || hps_read_at(r, r->size - sizeof foot, foot, sizeof foot) < 0)
		return;
	uint64_t start = hps_u64_at(foot + HPS_HEAD);
	if (start < sizeof end + HPS_MAGIC_SIZE || start > r->size ||
	    hps_read_at(r, start - sizeof end, end, sizeof end) < 0 || end[0] != HPS_OP_DATA_END) {
		fault(v, "there is no end of data in front of the summary");
		return;
	}
	uint32_t want = hps_u32_at(end + HPS_HEAD), have = 0;
	uint64_t size = start - sizeof end;
	uint8_t *block = malloc(1 << 18);
	if (!want) {
		free(block);
		return;
	}
	for (uint64_t at = 0; block && at < size; at += 1 << 18) {
		size_t n = size - at < 1 << 18 ? (size_t)(size - at) : 1 << 18;
		if (hps_read_at(r, at, block, n) < 0)
			break;
		have = hps_crc32(have, block, n);
		if (progress)
			progress(size + at, 2 * size);
	}
	free(block);
	if (have != want)
		fault(v, "the data as a whole has changed: its CRC is %08x and should be %08x", have, want);
}

int hps_verify(struct hps_reader *r, void (*told)(void *, const char *), void (*progress)(uint64_t, uint64_t),
               void *ctx)
{
	struct verify v = { r, told, ctx, 0 };
	struct hps_attachment a;
	const char *name, *const *pairs;
	if (r->note[0])
		fault(&v, "%s", r->note);
	for (size_t i = 0; i < r->nchunks; i++) {
		if (progress)
			progress(i, 2 * r->nchunks);
		int code = hps_chunk_check(r, i);
		if (code < 0)
			fault(&v, "%s", r->error);
		else
			check_indexes(&v, i);
	}
	for (size_t i = 0; hps_attachment_at(r, i, &a); i++) {
		uint8_t none[1];
		if (hps_attachment_read(r, i, none, 0) < 0)
			fault(&v, "%s", r->error);
	}
	for (size_t i = 0; hps_metadata_at(r, i, &name, &pairs); i++)
		if (!pairs)
			fault(&v, "metadata %s is damaged", name);
	if (r->finished)
		check_data(&v, progress);
	if (progress)
		progress(1, 1);
	return v.faults;
}
