/* SPDX-License-Identifier: MIT
 * flightgear.c - records for FlightGear's generic protocol, little-endian doubles.
 *
 * Rotation only (conf/headpipe-flightgear.xml), 24 bytes: heading, pitch, roll offsets of the view in degrees.
 * With translation (conf/headpipe-flightgear-6dof.xml), 52 bytes: x, y, z offsets in metres, the three angles, and an
 * int32 that is always 1; the layout of OpenTrack's headtracker.xml. The offsets are absolute places in the aircraft,
 * so 0 0 0 is not the pilot's seat: base_x, base_y and base_z say where the seat's eye point is. */
#include "headpipe.h"
#include "pose/basis.h"
#include <errno.h>
#include <string.h>

struct flightgear {
	bool translation;
	double base_x, base_y, base_z;
};
#define BASE(f, doc) HP_OPT_REAL(struct flightgear, f, "0", -1000, 1000, doc)
static const struct hp_option options[] = {
	HP_OPT_BOOL(struct flightgear, translation, "no",
	            "send the position as well; needs conf/headpipe-flightgear-6dof.xml in FlightGear"),
	BASE(base_x, "eye point of the aircraft's view, metres to the right; added to the position"),
	BASE(base_y, "eye point, metres up"), BASE(base_z, "eye point, metres back"), HP_OPT_END
};

static uint8_t *put_u64(uint8_t *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		*p++ = (uint8_t)(v >> 8 * i);
	return p;
}
static uint8_t *put_double(uint8_t *p, double v)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return put_u64(p, bits);
}
static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	const struct flightgear *f = self;
	double hpr[3], xyz[3];
	uint8_t *p = buf;
	(void)from;
	if (cap < (f->translation ? 52 : 24))
		return -ENOSPC;
	if (f->translation) {
		const double base[3] = { f->base_x, f->base_y, f->base_z };
		hp_frame_sim_position(s, xyz);
		for (int i = 0; i < 3; i++)
			p = put_double(p, base[i] + xyz[i] / 100);
	}
	hp_frame_flightgear_angles(s, hpr);
	for (int i = 0; i < 3; i++)
		p = put_double(p, hpr[i]);
	if (f->translation)
		for (int i = 0; i < 4; i++)
			*p++ = i == 0; /* status: 1 */
	return (int)(p - (uint8_t *)buf);
}
HP_MODULE(flightgear) = {
	HP_MODULE_HEAD,
	.kind = HP_ENCODER,
	.traits = HP_BINARY,
	.name = "flightgear",
	.summary = "FlightGear's view by its generic protocol; rotation, on request position",
	.options = options,
	.state_size = sizeof(struct flightgear),
	.encode = encode,
};
