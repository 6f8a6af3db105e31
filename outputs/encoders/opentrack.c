/* SPDX-License-Identifier: MIT
 * opentrack.c - OpenTrack's "UDP over network" datagram: six little-endian doubles x, y, z (cm), yaw, pitch, roll
 * (degrees), 48 bytes. A head tracker knows no place, so x, y and z are 0. docs/wire-formats.md has the signs. */
#include "headpipe.h"
#include <endian.h>
#include <errno.h>
#include <string.h>

enum { DATAGRAM = 48, ANGLES = 24 };

static void put_le64(uint8_t *out, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	bits = htole64(bits);
	memcpy(out, &bits, sizeof bits);
}

static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	(void)self;
	(void)from;
	uint8_t *out = buf;
	const double *a = s->ypr;
	if (cap < DATAGRAM)
		return -ENOSPC;
	if ((a[0] - a[0]) + (a[1] - a[1]) + (a[2] - a[2]) != 0)
		return -EDOM;
	memset(out, 0, ANGLES);
	for (int i = 0; i < 3; i++)
		put_le64(out + ANGLES + 8 * i, a[i]);
	return DATAGRAM;
}

HP_MODULE(opentrack) = {
	HP_MODULE_HEAD,
	.kind = HP_ENCODER,
	.traits = HP_BINARY,
	.name = "opentrack",
	.summary = "OpenTrack's UDP datagram: six doubles x y z yaw pitch roll, 48 bytes",
	.encode = encode,
};
