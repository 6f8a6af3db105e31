/* SPDX-License-Identifier: MIT
 * record.c - reading and writing the bytes of MCAP records. */
#include "record.h"

const uint8_t hps_magic[HPS_MAGIC_SIZE] = { 0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n' };

const uint8_t *hps_in_bytes(struct hps_in *in, uint64_t n)
{
	if (in->bad || n > (uint64_t)(in->end - in->p)) {
		in->bad = true;
		return NULL;
	}
	const uint8_t *p = in->p;
	in->p += n;
	return p;
}

uint8_t hps_in_u8(struct hps_in *in)
{
	const uint8_t *p = hps_in_bytes(in, 1);
	return p ? *p : 0;
}

uint16_t hps_in_u16(struct hps_in *in)
{
	const uint8_t *p = hps_in_bytes(in, 2);
	return p ? hps_u16_at(p) : 0;
}

uint32_t hps_in_u32(struct hps_in *in)
{
	const uint8_t *p = hps_in_bytes(in, 4);
	return p ? hps_u32_at(p) : 0;
}

uint64_t hps_in_u64(struct hps_in *in)
{
	const uint8_t *p = hps_in_bytes(in, 8);
	return p ? hps_u64_at(p) : 0;
}

struct hps_in hps_in_part(struct hps_in *in)
{
	uint32_t n = hps_in_u32(in);
	const uint8_t *p = hps_in_bytes(in, n);
	return (struct hps_in){ p, p ? p + n : p, in->bad };
}

char *hps_in_string(struct hps_in *in)
{
	struct hps_in part = hps_in_part(in);
	if (part.bad)
		return NULL;
	size_t n = (size_t)(part.end - part.p);
	char *s = malloc(n + 1);
	if (!s)
		return NULL;
	memcpy(s, part.p, n);
	s[n] = 0;
	return s;
}

const char **hps_in_map(struct hps_in *in, size_t *count)
{
	struct hps_in part = hps_in_part(in), walk = part;
	size_t n = 0;
	while (!walk.bad && walk.p < walk.end) {
		hps_in_part(&walk);
		n++;
	}
	if (part.bad || walk.bad || n % 2) {
		in->bad = true;
		return NULL;
	}
	/* each length makes room for the NUL of its text */
	const char **map = malloc((n + 1) * sizeof *map + (size_t)(part.end - part.p));
	if (!map)
		return NULL;
	char *text = (char *)(map + n + 1);
	for (size_t i = 0; i < n; i++) {
		struct hps_in s = hps_in_part(&part);
		size_t len = (size_t)(s.end - s.p);
		memcpy(text, s.p, len);
		text[len] = 0;
		map[i] = text;
		text += len + 1;
	}
	map[n] = NULL;
	*count = n / 2;
	return map;
}

bool hps_out_room(struct hps_out *out, size_t more)
{
	if (out->failed || more > SIZE_MAX / 4 - out->size) {
		out->failed = true;
		return false;
	}
	if (out->size + more <= out->room)
		return true;
	size_t room = out->room ? out->room : 256;
	while (room < out->size + more)
		room *= 2;
	uint8_t *data = realloc(out->data, room);
	if (!data) {
		out->failed = true;
		return false;
	}
	out->data = data;
	out->room = room;
	return true;
}

void hps_out_bytes(struct hps_out *out, const void *p, size_t n)
{
	if (!n || !hps_out_room(out, n))
		return;
	memcpy(out->data + out->size, p, n);
	out->size += n;
}

void hps_out_u8(struct hps_out *out, uint8_t v)
{
	hps_out_bytes(out, &v, 1);
}

void hps_out_u16(struct hps_out *out, uint16_t v)
{
	uint8_t b[2];
	hps_put_u16(b, v);
	hps_out_bytes(out, b, sizeof b);
}

void hps_out_u32(struct hps_out *out, uint32_t v)
{
	uint8_t b[4];
	hps_put_u32(b, v);
	hps_out_bytes(out, b, sizeof b);
}

void hps_out_u64(struct hps_out *out, uint64_t v)
{
	uint8_t b[8];
	hps_put_u64(b, v);
	hps_out_bytes(out, b, sizeof b);
}

void hps_out_string(struct hps_out *out, const char *s)
{
	size_t n = strlen(s);
	if (n > UINT32_MAX)
		n = UINT32_MAX;
	hps_out_u32(out, (uint32_t)n);
	hps_out_bytes(out, s, n);
}

void hps_out_map(struct hps_out *out, const char *const *pairs)
{
	size_t begin = hps_out_begin_part(out);
	for (; pairs && pairs[0] && pairs[1]; pairs += 2) {
		hps_out_string(out, pairs[0]);
		hps_out_string(out, pairs[1]);
	}
	hps_out_end_part(out, begin);
}

size_t hps_out_begin(struct hps_out *out, enum hps_op op)
{
	hps_out_u8(out, (uint8_t)op);
	hps_out_u64(out, 0);
	return out->size;
}

void hps_out_end(struct hps_out *out, size_t begin)
{
	if (!out->failed)
		hps_put_u64(out->data + begin - 8, out->size - begin);
}

size_t hps_out_begin_part(struct hps_out *out)
{
	hps_out_u32(out, 0);
	return out->size;
}

void hps_out_end_part(struct hps_out *out, size_t begin)
{
	if (!out->failed)
		hps_put_u32(out->data + begin - 4, (uint32_t)(out->size - begin));
}

/* Four independent multiply-xor lanes over 32-byte blocks, then a byte-wise tail and a final mix. */
uint64_t hps_hash(const void *data, size_t n)
{
	const uint64_t prime = 0x9e3779b97f4a7c15u;
	const uint8_t *p = data;
	uint64_t lane[4] = { n ^ 1, 2, 3, 4 };
	for (; n >= 32; n -= 32, p += 32) {
		for (int i = 0; i < 4; i++) {
			uint64_t v;
			memcpy(&v, p + 8 * i, 8);
			v = (lane[i] ^ v) * prime;
			lane[i] = v ^ v >> 29;
		}
	}
	for (; n; n--, p++)
		lane[0] = (lane[0] ^ *p) * prime;
	uint64_t h = 0;
	for (int i = 0; i < 4; i++) {
		h = (h ^ lane[i]) * prime;
		h ^= h >> 32;
	}
	return h ? h : 1; /* 0 means "not known" */
}

static inline uint64_t mixed(uint64_t lane, uint64_t v)
{
	v = (lane ^ v) * 0x9e3779b97f4a7c15u;
	return v ^ v >> 29;
}

/* Four lanes, as above; the tail of a message is one word with zeros behind it. */
static inline void mix(uint64_t lane[4], const uint8_t *p, size_t n)
{
	uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3], rest = 0;
	for (; n >= 32; n -= 32, p += 32) {
		a = mixed(a, hps_u64_at(p));
		b = mixed(b, hps_u64_at(p + 8));
		c = mixed(c, hps_u64_at(p + 16));
		d = mixed(d, hps_u64_at(p + 24));
	}
	for (; n >= 8; n -= 8, p += 8) {
		uint64_t turn = mixed(a, hps_u64_at(p));
		a = b;
		b = c;
		c = d;
		d = turn;
	}
	for (size_t i = 0; i < n; i++)
		rest |= (uint64_t)p[i] << 8 * i;
	lane[0] = n ? mixed(a, rest) : a;
	lane[1] = b;
	lane[2] = c;
	lane[3] = d;
}

uint64_t hps_hash_content(const uint8_t *records, size_t n, bool (*is_sample)(const void *, uint16_t), const void *ctx)
{
	enum { ARRIVAL = 20 }; /* place of arrival_ns in a sample's message */
	uint64_t lane[4] = { 5, 6, 7, 8 };
	bool any = false;
	for (size_t at = 0; n - at >= HPS_HEAD;) {
		const uint8_t *p = records + at;
		uint64_t length = hps_u64_at(p + 1);
		at += HPS_HEAD + (size_t)length;
		if (p[0] != HPS_OP_MESSAGE)
			continue;
		uint16_t id = hps_u16_at(p + 9);
		size_t size = (size_t)length - HPS_MESSAGE_HEAD;
		uint8_t head[16];
		hps_put_u16(head, id);
		hps_put_u16(head + 2, 0);
		hps_put_u32(head + 4, (uint32_t)size);
		memcpy(head + 8, p + 15, 8);
		mix(lane, head, sizeof head);
		p += HPS_HEAD + HPS_MESSAGE_HEAD;
		if (size >= HPS_SAMPLE_SIZE && !p[0] && p[1] == 1 && is_sample(ctx, id)) {
			any = true;
			mix(lane, p, ARRIVAL);
			mix(lane, p + ARRIVAL + 8, size - ARRIVAL - 8);
		} else {
			mix(lane, p, size);
		}
	}
	return any ? hps_hash(lane, sizeof lane) : 0;
}

uint32_t hps_map_crc(const char *const *pairs)
{
	uint32_t crc = 0;
	for (; pairs && pairs[0] && pairs[1]; pairs += 2) {
		if (!strcmp(pairs[0], "crc32"))
			continue;
		/* the NULs are part of it: "ab"="c" is not "a"="bc" */
		crc = hps_crc32(crc, pairs[0], strlen(pairs[0]) + 1);
		crc = hps_crc32(crc, pairs[1], strlen(pairs[1]) + 1);
	}
	return crc;
}

const char *hps_map_get(const char *const *map, const char *key)
{
	for (; map && map[0] && map[1]; map += 2)
		if (!strcmp(map[0], key))
			return map[1];
	return NULL;
}
