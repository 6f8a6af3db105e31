/* SPDX-License-Identifier: MIT
 * sample_layout.c - which fields a channel of samples has, and where they are in its messages. */
#include "head.h"

const struct hps_field hps_sample_fields[HP_SAMPLE_FIELDS] = {
#define HP_SAMPLE_FIELD(member, kind, cell, name, unit, ...) { #name, unit, HPS_##kind },
#include "sample/fields.def"
#define HP_SAMPLE_APPENDED(member, kind, cell, name, unit, ...) { #name, unit, HPS_##kind },
#include "sample/fields.def"
};
const struct hps_sample_extra hps_sample_extra[HPS_SAMPLE_EXTRA] = {
#define HP_SAMPLE_APPENDED(member, kind, cell, name, unit, flag, ...) { flag, offsetof(struct hp_sample, member) },
#include "sample/fields.def"
};

size_t hps_sample_places(uint32_t flags, size_t out[HP_SAMPLE_FIELDS])
{
	size_t n = 0;
	for (size_t i = 0; i < HP_SAMPLE_FIELDS; i++)
		if (i < HP_SAMPLE_BASE || flags & hps_sample_extra[i - HP_SAMPLE_BASE].flag)
			out[n++] = i;
	return n;
}

size_t hps_sample_layout(uint32_t flags, struct hps_field out[HP_SAMPLE_FIELDS])
{
	size_t places[HP_SAMPLE_FIELDS], n = hps_sample_places(flags, places);
	for (size_t i = 0; i < n; i++)
		out[i] = hps_sample_fields[places[i]];
	return n;
}

bool hps_sample_fields_first(const struct hps_field *f, size_t n)
{
	if (n < HP_SAMPLE_BASE)
		return false;
	for (size_t i = 0; i < HP_SAMPLE_BASE; i++)
		if (f[i].type != hps_sample_fields[i].type || strcmp(f[i].name, hps_sample_fields[i].name) != 0)
			return false;
	return true;
}

void hps_sample_carried(struct hps_carried *c, const struct hps_field *f, const uint32_t *offsets, size_t n)
{
	*c = (struct hps_carried){ .flags = HP_SAMPLE_APPENDED_FLAGS };
	for (size_t i = 0; i < HPS_SAMPLE_EXTRA; i++) {
		const struct hps_field *mine = &hps_sample_fields[HP_SAMPLE_BASE + i];
		for (size_t k = HP_SAMPLE_BASE; k < n; k++)
			if (f[k].type == mine->type && !strcmp(f[k].name, mine->name))
				c->at[i] = offsets[k];
		if (!c->at[i])
			c->flags &= ~hps_sample_extra[i].flag;
	}
}
