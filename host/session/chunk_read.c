/* SPDX-License-Identifier: MIT
 * chunk_read.c - chunks of a session file in memory: read, checked, their messages found; least recently used go
 * first. The order changes on reads only. */
#include <errno.h>

#include "reader.h"

enum { FRONT = HPS_HEAD + 8 + 8 + 8 + 4 + 4 + 8, NAME_MAX_ = 7 }; /* of a chunk record, without the packing's name */

int hps_chunk_head(struct hps_reader *r, struct hps_rchunk *c, uint32_t *crc)
{
	uint8_t h[FRONT + NAME_MAX_];
	size_t n = c->length < sizeof h ? (size_t)c->length : sizeof h;
	if (c->length < FRONT || hps_read_at(r, c->offset, h, n) < 0)
		return -EBADMSG;
	struct hps_in in = { h + HPS_HEAD, h + n, false };
	uint64_t content = hps_u64_at(h + 1);
	c->told_start = hps_in_u64(&in);
	c->told_end = hps_in_u64(&in);
	c->raw = hps_in_u64(&in);
	*crc = hps_in_u32(&in);
	struct hps_in name = hps_in_part(&in);
	c->packed = hps_in_u64(&in);
	size_t len = (size_t)(name.end - name.p);
	/* a record may be longer than what is known of it; headpipe's own are not */
	uint64_t left = c->length - FRONT - len;
	if (in.bad || !hps_packing_by_name(name, &c->packing, c->other) || h[0] != HPS_OP_CHUNK ||
	    content != c->length - HPS_HEAD || c->packed > left || left - c->packed > (r->ours ? 0 : HPS_MORE_MAX))
		return -EBADMSG;
	if (c->packing == HPS_PACK_NONE && c->raw != c->packed)
		return -EBADMSG;
	return 0;
}

/* The chunk's messages, unpacked and checked, into s->block and s->records. */
static int fetch(struct hps_reader *r, const struct hps_rchunk *c, struct hps_slot *s)
{
	struct hps_rchunk head = *c;
	uint32_t crc = 0;
	size_t front = 0;
	int code = 0;
	r->fetched++;
	if (c->packing == HPS_PACK_OTHER)
		return hps_error(r, -ENOTSUP, "the chunk at byte %llu is packed with %s, which is not supported here",
		                 (unsigned long long)c->offset, c->other);
	if (c->length > r->size - c->offset || c->length > SIZE_MAX / 2)
		return hps_error(r, -EBADMSG, "the chunk at byte %llu is longer than the file",
		                 (unsigned long long)c->offset);
	if (c->packing != HPS_PACK_PLAIN) {
		code = hps_chunk_head(r, &head, &crc);
		if (code < 0 || head.told_start != c->told_start || head.told_end != c->told_end ||
		    head.raw != c->raw || head.packed != c->packed || head.packing != c->packing)
			return hps_error(r, -EBADMSG, "the chunk at byte %llu has a broken head",
			                 (unsigned long long)c->offset);
		front = FRONT + strlen(hps_packing_name(c));
	}
	code = hps_allow_chunk(r, c);
	if (code)
		return code;
	if (c->packing != HPS_PACK_NONE && c->packing != HPS_PACK_PLAIN) {
		code = hps_unpack(r, c, c->offset + front, &s->block);
	} else {
		s->block = malloc((size_t)c->raw + 1);
		code = s->block ? hps_read_at(r, c->offset + front, s->block, (size_t)c->raw)
		                : hps_error(r, -ENOMEM, "out of memory");
	}
	if (code)
		return code;
	s->records = s->block;
	if (c->packing != HPS_PACK_PLAIN && !hps_crc_agrees(r, crc, hps_crc32(0, s->records, (size_t)c->raw)))
		return hps_error(r, -EBADMSG, "the chunk at byte %llu is damaged: wrong CRC",
		                 (unsigned long long)c->offset);
	return 0;
}

/* Do the times that the chunk's head tells hold for its messages, which go from low to high as signed numbers? They
 * are unsigned in the file, but headpipe's may be negative. */
static bool times_agree(const struct hps_rchunk *c, const struct hps_slot *s, int64_t low, int64_t high)
{
	if (low >= (int64_t)c->told_start && high <= (int64_t)c->told_end)
		return true;
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t t = hps_u64_at(s->records + s->in_order[i] + HPS_HEAD + 6);
		if (t < c->told_start || t > c->told_end)
			return false;
	}
	return true;
}

/* One look at every record: whole? and where messages begin (in_order), how many of which channel
 * (channels[].counted). take: schemas and channels are new. The times of a PLAIN chunk are found here too. */
static int count(struct hps_reader *r, struct hps_rchunk *c, struct hps_slot *s, bool take)
{
	const uint8_t *p = s->records, *end = p + c->raw;
	int64_t last = INT64_MIN, low = INT64_MAX, high = INT64_MIN;
	uint32_t *places = malloc((c->raw / (HPS_HEAD + HPS_MESSAGE_HEAD) + 1) * sizeof *places), n = 0;
	struct hps_rchannel *ch = NULL;
	uint16_t id = 0;
	s->in_order = places;
	s->sorted = true;
	if (!places)
		return -ENOMEM;
	while (p < end) {
		if (end - p < HPS_HEAD || hps_u64_at(p + 1) > (uint64_t)(end - p - HPS_HEAD))
			return -EBADMSG;
		uint64_t len = hps_u64_at(p + 1);
		if (*p == HPS_OP_MESSAGE) {
			if (len < HPS_MESSAGE_HEAD || len > UINT32_MAX / 2)
				return -EBADMSG;
			if (!ch || hps_u16_at(p + HPS_HEAD) != id) {
				id = hps_u16_at(p + HPS_HEAD);
				size_t index = hps_by_id(r, id);
				r->unknown |= !index;
				if (!index)
					return -EBADMSG;
				ch = &r->channels[index - 1];
			}
			int64_t t = (int64_t)hps_u64_at(p + HPS_HEAD + 6);
			s->sorted &= t >= last;
			last = t;
			low = t < low ? t : low;
			high = t > high ? t : high;
			hps_meet(r, (size_t)(ch - r->channels), 1);
			places[n++] = (uint32_t)(p - s->records);
		} else if (take && (*p == HPS_OP_SCHEMA || *p == HPS_OP_CHANNEL)) {
			struct hps_in in = { p + HPS_HEAD, p + HPS_HEAD + len, false };
			if ((*p == HPS_OP_SCHEMA ? hps_take_schema : hps_take_channel)(r, in) < 0)
				return -EBADMSG;
			ch = NULL; /* the list may have moved */
		}
		p += HPS_HEAD + len;
	}
	s->n = n;
	s->nparts = (uint32_t)r->nmet;
	if (c->packing == HPS_PACK_PLAIN && n) {
		c->told_start = (uint64_t)low;
		c->told_end = (uint64_t)high;
	}
	/* a message outside the chunk's own times would be lost to seeking */
	return !n || times_agree(c, s, low, high) ? 0 : -EBADMSG;
}

static int by_number(const void *a, const void *b)
{
	return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* Lists where messages begin by channel. Uses the counts and clears them. */
static int list(struct hps_reader *r, const struct hps_rchunk *c, struct hps_slot *s)
{
	bool one = s->nparts <= 1;
	s->parts = malloc((s->nparts + 1) * sizeof *s->parts);
	s->by_channel = one ? s->in_order : malloc((s->n + 1) * sizeof *s->by_channel);
	if (!s->parts || !s->by_channel)
		return -ENOMEM;
	uint32_t at = 0, part = 0;
	if (!one)
		qsort(r->met, r->nmet, sizeof *r->met, by_number);
	while (part < s->nparts) {
		struct hps_rchannel *ch = &r->channels[r->met[part]];
		s->parts[part] = (struct hps_part){ r->met[part], at, one ? s->n : 0 };
		part++;
		at += (uint32_t)ch->counted;
		ch->counted = part; /* from here on: which part, + 1 */
	}
	for (uint32_t i = 0; !one && i < s->n; i++) {
		const uint8_t *p = s->records + s->in_order[i];
		struct hps_part *q = &s->parts[r->channels[hps_by_id(r, hps_u16_at(p + HPS_HEAD)) - 1].counted - 1];
		s->by_channel[q->first + q->n++] = s->in_order[i];
	}
	s->bytes = (size_t)c->raw + sizeof *s + (c->raw / (HPS_HEAD + HPS_MESSAGE_HEAD) + (one ? 0 : s->n)) * 4 +
	           s->nparts * sizeof *s->parts;
	return 0;
}

static void slot_free(struct hps_slot *s)
{
	if (!s)
		return;
	if (s->by_channel != s->in_order)
		free(s->by_channel);
	free(s->in_order);
	free(s->parts);
	free(s->block);
	free(s);
}

static void unlink_chunk(struct hps_reader *r, uint32_t chunk)
{
	const struct hps_link *l = &r->links[chunk];
	*(l->newer ? &r->links[l->newer - 1].older : &r->newest) = l->older;
	*(l->older ? &r->links[l->older - 1].newer : &r->oldest) = l->newer;
}

static void link_newest(struct hps_reader *r, uint32_t chunk)
{
	r->links[chunk].newer = 0;
	r->links[chunk].older = r->newest;
	*(r->newest ? &r->links[r->newest - 1].newer : &r->oldest) = chunk + 1;
	r->newest = chunk + 1;
}

static void forget_chunk(struct hps_reader *r, uint32_t chunk)
{
	r->epoch++;
	unlink_chunk(r, chunk);
	r->cached -= r->links[chunk].slot->bytes;
	slot_free(r->links[chunk].slot);
	r->links[chunk].slot = NULL;
}

/* Old chunks go until the rest, the one in use apart, fits. */
static void make_room(struct hps_reader *r)
{
	while (r->oldest != r->newest && r->cached - r->links[r->newest - 1].slot->bytes > r->opts.cache_bytes)
		forget_chunk(r, r->oldest - 1);
}

/* Before a chunk that is large: what is kept beside it must not make both too large. */
static void make_room_for(struct hps_reader *r, const struct hps_rchunk *c)
{
	while (r->newest && r->opts.memory_bytes && r->cached + c->raw + c->packed > r->opts.memory_bytes)
		forget_chunk(r, r->oldest - 1);
}

struct hps_slot *hps_load(struct hps_reader *r, size_t index, int *code)
{
	struct hps_rchunk *c = &r->chunks[index];
	struct hps_slot *s = r->links[index].slot;
	if (s) {
		if (r->newest != index + 1) {
			unlink_chunk(r, (uint32_t)index);
			link_newest(r, (uint32_t)index);
			if (r->cached > r->opts.cache_bytes)
				make_room(r);
		}
		return s;
	}
	s = calloc(1, sizeof *s);
	make_room_for(r, c);
	*code = s ? fetch(r, c, s) : hps_error(r, -ENOMEM, "out of memory");
	if (!*code) {
		*code = count(r, c, s, false);
		if (!*code && s->n != c->messages)
			*code = -EBADMSG;
		/* each channel must have what the index promised, or numbers of messages would be wrong */
		for (size_t i = 0; i < r->nmet && !*code; i++)
			if (hps_count_in(r, r->met[i], index) != r->channels[r->met[i]].counted)
				*code = -EBADMSG;
		if (!*code)
			*code = list(r, c, s);
		if (*code)
			hps_error(r, *code, "the chunk at byte %llu does not hold what its index says",
			          (unsigned long long)c->offset);
	}
	hps_forget_met(r);
	if (*code) {
		slot_free(s);
		if (!c->bad && *code == -EBADMSG)
			r->damaged++;
		if (!c->bad && (*code == -ENOTSUP || *code == -EFBIG))
			r->refused++;
		c->bad |= *code != -ENOMEM;
		return NULL;
	}
	r->links[index].slot = s;
	link_newest(r, (uint32_t)index);
	r->cached += s->bytes;
	make_room(r);
	return s;
}

static bool is_sample(const void *ctx, uint16_t id)
{
	const struct hps_reader *r = ctx;
	size_t i = hps_by_id(r, id);
	return i && r->channels[i - 1].role == HPS_ROLE_SAMPLE;
}

uint64_t hps_content_of(const struct hps_reader *r, const uint8_t *records, size_t n)
{
	return hps_hash_content(records, n, is_sample, r);
}

int hps_load_new(struct hps_reader *r, struct hps_rchunk *c)
{
	struct hps_slot s = { 0 };
	hps_forget_met(r);
	int code = hps_allow_chunk(r, c);
	if (!code)
		code = hps_allow_all(r, c->packed, c->raw);
	if (!code)
		code = fetch(r, c, &s);
	if (!code) {
		code = count(r, c, &s, true);
		c->fingerprint = hps_hash(s.records, (size_t)c->raw);
		if (!code)
			c->content = hps_content_of(r, s.records, (size_t)c->raw);
		if (code)
			hps_error(r, code, "the chunk at byte %llu is broken inside", (unsigned long long)c->offset);
	}
	if (code)
		hps_forget_met(r);
	free(s.block);
	free(s.in_order);
	return code;
}

void hps_cache_free(struct hps_reader *r)
{
	while (r->newest)
		forget_chunk(r, r->newest - 1);
	free(r->links);
}

bool hps_fill_chunk(const struct hps_reader *r, size_t index, struct hps_chunk *out)
{
	if (index >= r->nchunks)
		return false;
	const struct hps_rchunk *c = &r->chunks[index];
	struct hps_chunk all = { 0,
		                 c->offset,
		                 c->length,
		                 c->messages,
		                 c->first,
		                 c->fingerprint,
		                 c->raw,
		                 c->packed,
		                 (int64_t)c->told_start,
		                 (int64_t)c->told_end,
		                 c->content };
	hps_give(out, &all, sizeof all);
	return true;
}

int hps_chunk_check(struct hps_reader *r, size_t index)
{
	int code = 0;
	if (index >= r->nchunks)
		return hps_error(r, -ENOENT, "there are %zu chunks", r->nchunks);
	if (r->links[index].slot) /* read again: the file may have changed since */
		forget_chunk(r, (uint32_t)index);
	return hps_load(r, index, &code) ? 0 : code;
}
