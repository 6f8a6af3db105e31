/* SPDX-License-Identifier: MIT
 * opentrack.c - OpenTrack's "UDP over network" datagram: six little-endian doubles x, y, z (cm), yaw, pitch, roll
 * (degrees), 48 bytes. The angles are the sample's own, as the reference sends them; the position, where the tracker has
 * one, is in opentrack's axes (x left, y up, z back), else 0. docs/signs.md says what opentrack makes of them. */
#include "headpipe.h"
#include "pose/basis.h"
#include <endian.h>
#include <errno.h>
#include <string.h>

enum { DATAGRAM = 48 };

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
	double v[6] = { 0, 0, 0, s->ypr[0], s->ypr[1], s->ypr[2] }, blank = 0;
	if (cap < DATAGRAM)
		return -ENOSPC;
	if (s->flags & HP_POS)
		hp_frame_opentrack_position(s, v);
	for (int i = 0; i < 6; i++) {
		blank += v[i] - v[i]; /* 0, or NaN */
		put_le64(out + 8 * i, v[i]);
	}
	if (blank != 0)
		return -EDOM;
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
