/* SPDX-License-Identifier: MIT
 * opentrack.c - OpenTrack's "UDP over network" datagram: six little-endian doubles x, y, z (cm), yaw, pitch, roll
 * (degrees), 48 bytes. The angles are the sample's own, as the reference sends them; the position, where the tracker
 * has one, is in opentrack's axes (x left, y up, z back), else 0. docs/signs.md says what opentrack makes of them. */
#include "headpipe.h"
#include "pose/basis.h"
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <string.h>

enum { DATAGRAM = 48, ANGLES = 24 };

static void put_le64(uint8_t *out, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	bits = htole64(bits);
	memcpy(out, &bits, sizeof bits);
}

/* A function of its own, so that a sample without a position pays for no stack frame. */
__attribute__((noinline)) static int put_position(const struct hp_sample *s, uint8_t *out)
{
	double p[3];
	hp_frame_opentrack_position(s, p);
	if (isnan((p[0] - p[0]) + (p[1] - p[1]) + (p[2] - p[2])))
		return -EDOM;
	for (int i = 0; i < 3; i++)
		put_le64(out + 8 * i, p[i]);
	return DATAGRAM;
}

static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	(void)self;
	(void)from;
	uint8_t *out = buf;
	const double *a = s->ypr;
	if (cap < DATAGRAM)
		return -ENOSPC;
	if (isnan((a[0] - a[0]) + (a[1] - a[1]) + (a[2] - a[2]))) /* an infinite or missing angle; else 0 */
		return -EDOM;
	for (int i = 0; i < 3; i++)
		put_le64(out + ANGLES + 8 * i, a[i]);
	if (s->flags & HP_POS)
		return put_position(s, out);
	memset(out, 0, ANGLES);
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
