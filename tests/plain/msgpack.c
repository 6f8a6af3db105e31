/* SPDX-License-Identifier: MIT
 * msgpack.c (plain) - the MessagePack map written byte by byte from the format's specification. */
#include "text.h"
#include <string.h>

/* n bytes of v, the highest first */
static uint8_t *big_endian(uint8_t *p, uint64_t v, int n)
{
	for (int i = n - 1; i >= 0; i--)
		*p++ = (uint8_t)(v >> 8 * i);
	return p;
}

static uint8_t *put_unsigned(uint8_t *p, uint64_t v)
{
	if (v < 128)
		return big_endian(p, v, 1);
	int n = v < 256 ? 1 : v < 65536 ? 2 : v < 4294967296 ? 4 : 8;
	*p++ = (uint8_t)(n == 1 ? 0xcc : n == 2 ? 0xcd : n == 4 ? 0xce : 0xcf);
	return big_endian(p, v, n);
}

static uint8_t *put_signed(uint8_t *p, int64_t v)
{
	if (v >= 0)
		return put_unsigned(p, (uint64_t)v);
	if (v >= -32)
		return big_endian(p, (uint64_t)v, 1);
	int n = v >= -128 ? 1 : v >= -32768 ? 2 : v >= -2147483648 ? 4 : 8;
	*p++ = (uint8_t)(n == 1 ? 0xd0 : n == 2 ? 0xd1 : n == 4 ? 0xd2 : 0xd3);
	return big_endian(p, (uint64_t)v, n);
}

static uint8_t *put_text(uint8_t *p, const char *text)
{
	size_t n = strlen(text);
	if (n < 32) {
		*p++ = (uint8_t)(0xa0 | n);
	} else {
		*p++ = n < 256 ? 0xd9 : 0xda;
		p = big_endian(p, n, n < 256 ? 1 : 2);
	}
	memcpy(p, text, n);
	return p + n;
}

static uint8_t *put_numbers(uint8_t *p, const char *key, const double *v, int n, bool there)
{
	p = put_text(p, key);
	if (!there) {
		*p++ = 0xc0;
		return p;
	}
	*p++ = (uint8_t)(0x90 | n);
	for (int i = 0; i < n; i++) {
		uint64_t bits;
		memcpy(&bits, &v[i], sizeof bits);
		*p++ = 0xcb;
		p = big_endian(p, bits, 8);
	}
	return p;
}

int plain_msgpack(const struct hp_sample *s, const char *device, uint8_t *out)
{
	uint8_t *p = out;
	*p++ = s->flags & HP_POS ? 0x89 : 0x88;
	p = put_unsigned(put_text(p, "seq"), s->seq);
	p = put_signed(put_text(p, "t"), s->time_ns);
	p = put_numbers(p, "q", s->quat, 4, true);
	p = put_numbers(p, "ypr", s->ypr, 3, true);
	p = put_numbers(p, "gyro", s->gyro, 3, s->flags & HP_GYRO);
	p = put_numbers(p, "accel", s->accel, 3, s->flags & HP_ACCEL);
	p = put_unsigned(put_text(p, "reset"), s->reset_count);
	p = put_text(p, "dev");
	if (device)
		p = put_text(p, device);
	else
		*p++ = 0xc0;
	if (s->flags & HP_POS)
		p = put_numbers(p, "pos", s->pos, 3, true);
	return (int)(p - out);
}
