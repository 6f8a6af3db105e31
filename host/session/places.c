/* SPDX-License-Identifier: MIT
 * places.c - attachments and metadata records of a session file: where they are, and what is in them. */
#include <errno.h>
#include <stdio.h>

#include "reader.h"

int hps_take_place(struct hps_reader *r, bool attachment, uint64_t offset, uint64_t length, char *name,
                   char *media_type, int64_t time, uint64_t size)
{
	struct hps_place **list = attachment ? &r->attachments : &r->metadata;
	size_t *n = attachment ? &r->nattachments : &r->nmetadata;
	size_t *room = attachment ? &r->attachments_room : &r->metadata_room;
	if (hps_grow(list, *n, room, sizeof **list) || !name || (attachment && !media_type)) {
		free(name);
		free(media_type);
		return -ENOMEM;
	}
	(*list)[(*n)++] = (struct hps_place){ offset, length, name, media_type, time, size, NULL, false };
	return 0;
}

bool hps_fill_attachment(const struct hps_reader *r, size_t index, struct hps_attachment *a)
{
	if (index >= r->nattachments)
		return false;
	const struct hps_place *p = &r->attachments[index];
	struct hps_attachment all = { 0, p->name, p->media_type, p->time, p->size };
	hps_give(a, &all, sizeof all);
	return true;
}

static void read_metadata(struct hps_reader *r, struct hps_place *p)
{
	p->looked = true;
	if (p->length > r->size || p->length < HPS_HEAD)
		return;
	uint8_t *data = malloc((size_t)p->length);
	if (data && !hps_read_at(r, p->offset, data, (size_t)p->length) && data[0] == HPS_OP_METADATA) {
		struct hps_in in = { data + HPS_HEAD, data + p->length, false };
		struct hps_in name = hps_in_part(&in);
		size_t n;
		bool same = !name.bad && (size_t)(name.end - name.p) == strlen(p->name) &&
		            !memcmp(name.p, p->name, strlen(p->name));
		p->map = same ? hps_in_map(&in, &n) : NULL;
		const char *crc = hps_map_get(p->map, "crc32");
		char want[12];
		snprintf(want, sizeof want, "%08x", p->map ? hps_map_crc(p->map) : 0);
		/* ours always carries the pair; from others there is nothing to check */
		bool ours = !strncmp(p->name, "headpipe", 8);
		if (crc ? strcmp(crc, want) : ours) {
			free(p->map);
			p->map = NULL;
		}
	}
	free(data);
}

bool hps_metadata_at(struct hps_reader *r, size_t index, const char **name, const char *const **pairs)
{
	if (index >= r->nmetadata)
		return false;
	if (!r->metadata[index].looked)
		read_metadata(r, &r->metadata[index]);
	*name = r->metadata[index].name;
	*pairs = r->metadata[index].map;
	return true;
}

const char *hps_metadata_get(struct hps_reader *r, const char *name, const char *key)
{
	for (size_t i = 0; i < r->nmetadata; i++) {
		if (strcmp(r->metadata[i].name, name))
			continue;
		if (!r->metadata[i].looked)
			read_metadata(r, &r->metadata[i]);
		return hps_map_get(r->metadata[i].map, key);
	}
	return NULL;
}
