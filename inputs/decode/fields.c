/* SPDX-License-Identifier: MIT
 * fields.c - what is asked of a descriptor that has been read: usages of a field, the longest report. */
#include "descriptor.h"

#include <stdlib.h>
#include <string.h>

void hp_hid_descriptor_free(struct hp_hid_descriptor *d)
{
	free(d->fields);
	free(d->collections);
	free(d->reports);
	free(d->memory);
	memset(d, 0, sizeof *d);
}

uint32_t hp_hid_field_usage(const struct hp_hid_field *f, uint32_t i)
{
	for (size_t k = 0; k < f->nusages; k++) {
		const struct hp_hid_usages *u = &f->usages[k];
		uint32_t n = u->first == u->last ? u->repeat : u->last - u->first + 1;
		if (i < n)
			return u->first == u->last ? u->first : u->first + i;
		i -= n;
	}
	return f->nusages && f->flags & HID_VARIABLE ? f->usages[f->nusages - 1].last : 0;
}

size_t hp_hid_descriptor_longest(const struct hp_hid_descriptor *d, enum hp_hid_kind kind)
{
	size_t longest = 0;
	for (size_t i = 0; i < d->nreports; i++) {
		size_t bytes = (d->reports[i].bits + 7) / 8 + d->uses_ids;
		if (d->reports[i].kind == kind && bytes > longest)
			longest = bytes;
	}
	return longest;
}
