/* SPDX-License-Identifier: MIT
 * lean_unpack.c - a chunk's columns back to the records they came of. */
#include "lean.h"

#include <errno.h>

#include "model.h"

struct kind {
	uint16_t channel;
	uint32_t size, rows;
	size_t first; /* of its rows among all */
	uint8_t model;
	const uint8_t *widths;
	size_t count;
};
/* Where a message of a kind stands among the records, and what its head says so far. */
struct row {
	uint8_t *at;
	uint64_t time, publish;
};
struct unpack {
	struct hps_in in, other; /* other: records that are kept as they are */
	const uint8_t *order;
	uint32_t count;
	struct kind kinds[HPS_LEAN_SLOTS];
	unsigned nkinds;
	struct row *rows;
	uint64_t *values;
	size_t most; /* rows of the largest kind */
};

static bool heads(struct unpack *u)
{
	if (hps_in_u8(&u->in) != HPS_LEAN_VERSION)
		return false;
	u->other = hps_in_part(&u->in);
	u->count = hps_in_u32(&u->in);
	u->order = hps_in_bytes(&u->in, u->count);
	u->nkinds = hps_in_u8(&u->in);
	if (u->in.bad || u->nkinds > HPS_LEAN_SLOTS)
		return false;
	size_t total = 0;
	for (uint32_t i = 0; i < u->count; i++) {
		if (u->order[i] > u->nkinds)
			return false;
		if (u->order[i])
			u->kinds[u->order[i] - 1].rows++;
	}
	for (unsigned i = 0; i < u->nkinds; i++) {
		u->kinds[i].first = total;
		total += u->kinds[i].rows;
		u->most = u->kinds[i].rows > u->most ? u->kinds[i].rows : u->most;
	}
	return true;
}

static void put_column(const struct row *rows, size_t n, size_t at, unsigned width, const uint64_t *v)
{
	for (size_t i = 0; i < n; i++) {
		uint8_t *p = rows[i].at + at;
		if (width == 8)
			hps_put_u64(p, v[i]);
		else if (width == 4)
			hps_put_u32(p, (uint32_t)v[i]);
		else if (width == 2)
			hps_put_u16(p, (uint16_t)v[i]);
		else
			*p = (uint8_t)v[i];
	}
}

/* The columns of a kind whose rows have their places; times are still relative. */
static bool columns(struct unpack *u, const struct kind *k, struct row *rows)
{
	uint64_t *v = u->values, *work = v + u->most;
	size_t at = HPS_HEAD + HPS_MESSAGE_HEAD;
	if (!hps_lean_get(&u->in, v, k->rows, 4, work))
		return false;
	put_column(rows, k->rows, 11, 4, v);
	if (!hps_lean_get(&u->in, v, k->rows, 8, work))
		return false;
	for (uint32_t i = 0; i < k->rows; i++)
		rows[i].time = v[i];
	if (!hps_lean_get(&u->in, v, k->rows, 8, work))
		return false;
	for (uint32_t i = 0; i < k->rows; i++)
		rows[i].publish = v[i];
	for (size_t c = 0; c < k->count; at += k->widths[c++]) {
		if (!hps_lean_get(&u->in, v, k->rows, k->widths[c], work))
			return false;
		put_column(rows, k->rows, at, k->widths[c], v);
	}
	return true;
}

static bool describe(struct hps_in *in, struct kind *k)
{
	uint64_t sum = 0;
	k->channel = hps_in_u16(in);
	k->size = hps_in_u32(in);
	k->model = hps_in_u8(in);
	k->count = hps_in_u16(in);
	k->widths = hps_in_bytes(in, k->count);
	if (!k->widths || k->count > HPS_LEAN_COLUMNS || k->model >= PACK_MODELS ||
	    (k->model && k->size < HPS_SAMPLE_SIZE))
		return false;
	for (size_t i = 0; i < k->count; i++) {
		uint8_t w = k->widths[i];
		if (w != 1 && w != 2 && w != 4 && w != 8)
			return false;
		sum += w;
	}
	return sum == k->size;
}

/* Kinds are described where their columns are, so their sizes are known one by one: columns go to a block per kind
 * first, and from there to their places. */
static bool kind(struct unpack *u, struct kind *k, uint8_t **block, size_t *left)
{
	if (!describe(&u->in, k))
		return false;
	size_t length = HPS_HEAD + HPS_MESSAGE_HEAD + (size_t)k->size;
	struct row *rows = u->rows + k->first;
	if (k->rows && *left / k->rows < length)
		return false;
	for (uint32_t i = 0; i < k->rows; i++, *block += length, *left -= length) {
		rows[i].at = *block;
		(*block)[0] = HPS_OP_MESSAGE;
		hps_put_u64(*block + 1, HPS_MESSAGE_HEAD + (uint64_t)k->size);
		hps_put_u16(*block + 9, k->channel);
	}
	return columns(u, k, rows);
}

/* Records in their order; times and what is foretold by them. */
static bool join(struct unpack *u, uint8_t *out, size_t n)
{
	uint32_t next[HPS_LEAN_SLOTS] = { 0 };
	uint64_t before = 0;
	for (uint32_t i = 0; i < u->count; i++) {
		if (!u->order[i]) {
			if (u->other.end - u->other.p < HPS_HEAD)
				return false;
			uint64_t length = hps_u64_at(u->other.p + 1);
			const uint8_t *p = length < UINT32_MAX ? hps_in_bytes(&u->other, HPS_HEAD + length) : NULL;
			if (!p || HPS_HEAD + length > n)
				return false;
			memcpy(out, p, HPS_HEAD + (size_t)length);
			out += HPS_HEAD + length;
			n -= HPS_HEAD + (size_t)length;
			continue;
		}
		struct kind *k = &u->kinds[u->order[i] - 1];
		const struct row *r = &u->rows[k->first + next[u->order[i] - 1]++];
		size_t length = HPS_HEAD + HPS_MESSAGE_HEAD + (size_t)k->size;
		if (length > n)
			return false;
		before += r->time;
		memcpy(out, r->at, length);
		hps_put_u64(out + 15, before);
		hps_put_u64(out + 23, before + r->publish);
		pack_model_undo((enum pack_model)k->model, (int64_t)before, out + HPS_HEAD + HPS_MESSAGE_HEAD);
		out += length;
		n -= length;
	}
	return !n && u->other.p == u->other.end;
}

int hps_lean_unpack(const uint8_t *data, size_t size, uint8_t *records, size_t n)
{
	struct unpack u = { .in = { data, data + size, false } };
	if (!heads(&u) || u.count > n / HPS_HEAD + 1)
		return -EBADMSG;
	uint8_t *block = malloc(n + 1), *at = block;
	size_t left = n;
	u.rows = malloc((u.count + 1) * sizeof *u.rows);
	u.values = malloc((3 * u.most + 1) * sizeof *u.values);
	bool memory = block && u.rows && u.values, good = memory;
	for (unsigned i = 0; good && i < u.nkinds; i++)
		good = kind(&u, &u.kinds[i], &at, &left);
	good = good && u.in.p == u.in.end && !u.in.bad && join(&u, records, n);
	free(block);
	free(u.rows);
	free(u.values);
	return good ? 0 : memory ? -EBADMSG : -ENOMEM;
}
