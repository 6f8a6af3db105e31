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

int hps_attachment_read(struct hps_reader *r, size_t index, void *buf, size_t size)
{
	if (index >= r->nattachments)
		return hps_error(r, -ENOENT, "there are %zu attachments", r->nattachments);
	const struct hps_place *p = &r->attachments[index];
	if (p->length > r->size || p->length < HPS_HEAD + 4)
		return hps_error(r, -EBADMSG, "attachment %s: impossible length", p->name);
	uint8_t *data = malloc((size_t)p->length);
	if (!data)
		return hps_error(r, -ENOMEM, "out of memory");
	int code = hps_read_at(r, p->offset, data, (size_t)p->length);
	struct hps_in in = { data + HPS_HEAD, data + p->length, false };
	if (!code && (data[0] != HPS_OP_ATTACHMENT || hps_u64_at(data + 1) != p->length - HPS_HEAD))
		code = hps_error(r, -EBADMSG, "attachment %s: not where the index says", p->name);
	if (!code) {
		hps_in_bytes(&in, 16);
		struct hps_in name = hps_in_part(&in), type = hps_in_part(&in);
		uint64_t n = hps_in_u64(&in);
		const uint8_t *body = hps_in_bytes(&in, n);
		size_t covered = (size_t)(in.p - (data + HPS_HEAD));
		uint32_t crc = hps_in_u32(&in);
		(void)name, (void)type;
		if (in.bad || n != p->size)
			code = hps_error(r, -EBADMSG, "attachment %s: broken record", p->name);
		else if (!hps_crc_agrees(r, crc, hps_crc32(0, data + HPS_HEAD, covered)))
			code = hps_error(r, -EBADMSG, "attachment %s: wrong CRC", p->name);
		else if (n)
			memcpy(buf, body, n < size ? (size_t)n : size);
	}
	free(data);
	return code;
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
