/* SPDX-License-Identifier: MIT
 * hds.c - one motion event per sample, in the payload encoding of HomeKit Data Stream. docs/hds.md has the schema. */
#include "hds/encode.h"
#include "headpipe.h"
#include <errno.h>

/* What hp_hds_event(w, "motion", "sample") makes, every time: the length, then the dict. */
static const char header[] = "\x1e\xe2\x48protocol\x46motion\x45"
                             "event\x46sample";

static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	struct hp_hds_writer w;
	(void)self;
	(void)from;
	hp_hds_begin(&w, buf, cap, 0);
	hp_hds_header(&w, header, sizeof header - 1);
	hp_hds_dict(&w, 6);
	hp_hds_key(&w, "seq");
	hp_hds_wide(&w, s->seq, false);
	hp_hds_key(&w, "t_ns");
	hp_hds_int(&w, s->time_ns);
	hp_hds_key(&w, "q");
	hp_hds_f64s(&w, s->quat, 4);
	hp_hds_key(&w, "ypr");
	hp_hds_f64s(&w, s->ypr, 3);
	hp_hds_key(&w, "gyro");
	if (s->flags & HP_GYRO)
		hp_hds_f64s(&w, s->gyro, 3);
	else
		hp_hds_null(&w);
	hp_hds_key(&w, "resets");
	hp_hds_int(&w, s->reset_count);
	int n = hp_hds_finish(&w);
	return n == -ERANGE ? -EDOM : n;
}

HP_MODULE(hds) = {
	HP_MODULE_HEAD,
	.kind = HP_ENCODER,
	.traits = HP_BINARY,
	.name = "hds",
	.summary = "motion events in HomeKit Data Stream's payload encoding",
	.encode = encode,
};
