/* SPDX-License-Identifier: MIT
 * lean_pack.c - a chunk's records to columns, one set for each kind of message. */
#include "lean.h"

#include <errno.h>

#include "model.h"

struct slot {
	uint16_t channel;
	uint32_t size, rows; /* size: bytes of data */
	size_t first;        /* place of its first row among all */
};
struct row {
	const uint8_t *data;
	uint64_t before; /* time of the message in front of it, of whatever kind */
};

/* What columns of one kind of message were like in the chunks before. */
struct known {
	uint16_t channel;
	uint32_t size;
	struct hps_lean_memory of[HPS_LEAN_COLUMNS];
};

struct hps_lean {
	struct slot slots[HPS_LEAN_SLOTS];
	unsigned nslots;
	struct row *rows;
	uint8_t *kinds; /* by record: slot + 1, or 0 */
	uint64_t *values;
	uint8_t *data; /* one slot's messages, changed by the model */
	size_t rows_room, kinds_room, values_room, data_room;
	struct known *known[HPS_LEAN_SLOTS];
};

struct hps_lean *hps_lean_new(void)
{
	return calloc(1, sizeof(struct hps_lean));
}

void hps_lean_free(struct hps_lean *l)
{
	if (!l)
		return;
	for (int i = 0; i < HPS_LEAN_SLOTS; i++)
		free(l->known[i]);
	free(l->rows);
	free(l->kinds);
	free(l->values);
	free(l->data);
	free(l);
}

static bool grow(void *block, size_t *room, size_t want, size_t size)
{
	void **p = block;
	if (want <= *room)
		return true;
	free(*p);
	*p = malloc((want + want / 2 + 64) * size);
	*room = *p ? want + want / 2 + 64 : 0;
	return *p != NULL;
}

static int slot_of(struct hps_lean *l, uint16_t channel, uint32_t size)
{
	for (unsigned i = 0; i < l->nslots; i++)
		if (l->slots[i].channel == channel && l->slots[i].size == size)
			return (int)i;
	if (l->nslots == HPS_LEAN_SLOTS || size > HPS_LEAN_COLUMNS)
		return -1;
	l->slots[l->nslots] = (struct slot){ .channel = channel, .size = size };
	return (int)l->nslots++;
}

static struct known *known_of(struct hps_lean *l, const struct slot *s)
{
	int i = 0;
	while (i < HPS_LEAN_SLOTS - 1 && l->known[i] &&
	       (l->known[i]->channel != s->channel || l->known[i]->size != s->size))
		i++;
	if (!l->known[i])
		l->known[i] = calloc(1, sizeof **l->known);
	if (l->known[i] && (l->known[i]->channel != s->channel || l->known[i]->size != s->size)) {
		memset(l->known[i], 0, sizeof *l->known[i]);
		l->known[i]->channel = s->channel;
		l->known[i]->size = s->size;
	}
	return l->known[i];
}

/* Which records are there, in which kinds; the bytes of those that are in no kind go to out. False: out of memory. */
static bool sort(struct hps_lean *l, const uint8_t *records, size_t n, uint32_t *count, struct hps_out *out)
{
	size_t most = n / HPS_HEAD + 1, at = 0, total = 0, next[HPS_LEAN_SLOTS];
	uint64_t before = 0;
	l->nslots = 0;
	*count = 0;
	if (!grow(&l->kinds, &l->kinds_room, most, 1))
		return false;
	size_t part = hps_out_begin_part(out);
	for (size_t length; at < n; at += length) {
		const uint8_t *p = records + at;
		length = HPS_HEAD + (size_t)hps_u64_at(p + 1);
		int slot = -1;
		if (*p == HPS_OP_MESSAGE)
			slot = slot_of(l, hps_u16_at(p + 9), (uint32_t)(length - HPS_HEAD - HPS_MESSAGE_HEAD));
		l->kinds[(*count)++] = (uint8_t)(slot + 1);
		if (slot < 0)
			hps_out_bytes(out, p, length);
		else
			l->slots[slot].rows++;
	}
	hps_out_end_part(out, part);
	for (unsigned i = 0; i < l->nslots; i++) {
		next[i] = l->slots[i].first = total;
		total += l->slots[i].rows;
	}
	if (!grow(&l->rows, &l->rows_room, total, sizeof *l->rows))
		return false;
	at = 0;
	for (uint32_t i = 0; i < *count; i++) {
		const uint8_t *p = records + at;
		if (l->kinds[i]) {
			l->rows[next[l->kinds[i] - 1]++] = (struct row){ p, before };
			before = hps_u64_at(p + 15);
		}
		at += HPS_HEAD + (size_t)hps_u64_at(p + 1);
	}
	return true;
}

/* A number where the layout has one, a byte everywhere else. */
static size_t widths_of(const struct hps_lean_layout *f, uint32_t size, uint8_t *widths)
{
	size_t count = 0, next = 0;
	for (uint32_t at = 0; at < size; at += widths[count - 1]) {
		while (next < f->n && f->offsets[next] < at)
			next++;
		bool number = next < f->n && f->offsets[next] == at && f->sizes[next] <= size - at;
		widths[count++] = number ? f->sizes[next] : 1;
	}
	return count;
}

/* The model whose misses have the fewest bits, tried on a few messages. */
static enum pack_model model_of(const struct hps_lean *l, const struct slot *s)
{
	uint64_t sum[PACK_MODELS] = { 0 };
	uint8_t one[HPS_SAMPLE_SIZE];
	enum pack_model best = PACK_NO_MODEL;
	for (int m = 0; m < PACK_MODELS; m++) {
		for (uint32_t i = 0; i < s->rows; i += s->rows / 4 + 1) {
			const uint8_t *p = l->rows[s->first + i].data;
			memcpy(one, p + HPS_HEAD + HPS_MESSAGE_HEAD, sizeof one);
			pack_model_apply((enum pack_model)m, (int64_t)hps_u64_at(p + 15), one);
			for (size_t at = 36; at < 116; at += 8) {
				int64_t v = (int64_t)hps_u64_at(one + at);
				sum[m] += 64u - (unsigned)__builtin_clzll((uint64_t)(v ^ v >> 63) | 1);
			}
		}
		best = sum[m] < sum[best] ? (enum pack_model)m : best;
	}
	return best;
}

static bool put_slot(struct hps_lean *l, const struct slot *s, const struct hps_lean_layout *layout,
                     struct hps_out *out)
{
	uint8_t widths[HPS_LEAN_COLUMNS];
	size_t count = widths_of(layout, s->size, widths), n = s->rows;
	struct known *known = known_of(l, s);
	const struct row *rows = l->rows + s->first;
	if (!known || !grow(&l->values, &l->values_room, 3 * n, sizeof *l->values) ||
	    !grow(&l->data, &l->data_room, n * s->size + 1, 1))
		return false;
	uint64_t *v = l->values, *work = v + n;
	enum pack_model model = layout->samples && s->size >= HPS_SAMPLE_SIZE ? model_of(l, s) : PACK_NO_MODEL;
	hps_out_u16(out, s->channel);
	hps_out_u32(out, s->size);
	hps_out_u8(out, (uint8_t)model);
	hps_out_u16(out, (uint16_t)count);
	hps_out_bytes(out, widths, count);
	for (size_t i = 0; i < n; i++)
		v[i] = hps_u32_at(rows[i].data + 11);
	hps_lean_put(out, v, n, 4, NULL, work);
	for (size_t i = 0; i < n; i++)
		v[i] = hps_u64_at(rows[i].data + 15) - rows[i].before;
	hps_lean_put(out, v, n, 8, NULL, work);
	for (size_t i = 0; i < n; i++)
		v[i] = hps_u64_at(rows[i].data + 23) - hps_u64_at(rows[i].data + 15);
	hps_lean_put(out, v, n, 8, NULL, work);
	for (size_t i = 0; i < n; i++) {
		uint8_t *to = l->data + i * s->size;
		memcpy(to, rows[i].data + HPS_HEAD + HPS_MESSAGE_HEAD, s->size);
		pack_model_apply(model, (int64_t)hps_u64_at(rows[i].data + 15), to);
	}
	const uint8_t *column = l->data;
	for (size_t k = 0; k < count; column += widths[k++]) {
		const uint8_t *p = column;
		for (size_t i = 0; i < n; i++, p += s->size)
			v[i] = widths[k] == 8   ? hps_u64_at(p)
			       : widths[k] == 4 ? hps_u32_at(p)
			       : widths[k] == 2 ? hps_u16_at(p)
			                        : *p;
		hps_lean_put(out, v, n, widths[k], widths[k] == 8 ? &known->of[k] : NULL, work);
	}
	return true;
}

int hps_lean_pack(struct hps_lean *l, const uint8_t *records, size_t n,
                  struct hps_lean_layout (*layout_of)(const void *ctx, uint16_t channel), const void *ctx,
                  struct hps_out *out)
{
	uint32_t count;
	out->size = 0;
	hps_out_u8(out, HPS_LEAN_VERSION);
	if (!sort(l, records, n, &count, out))
		return -ENOMEM;
	hps_out_u32(out, count);
	hps_out_bytes(out, l->kinds, count);
	hps_out_u8(out, (uint8_t)l->nslots);
	for (unsigned i = 0; i < l->nslots; i++) {
		struct hps_lean_layout layout = layout_of(ctx, l->slots[i].channel);
		if (!put_slot(l, &l->slots[i], &layout, out))
			return -ENOMEM;
	}
	return out->failed ? -ENOMEM : out->size > hps_lean_bound(n) ? -E2BIG : 0;
}
