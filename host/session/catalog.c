/* SPDX-License-Identifier: MIT
 * catalog.c - a reader's schemas, channels, chunks, attachments and metadata. */
#include <errno.h>
#include <stdio.h>

#include "head.h"
#include "reader.h"

static const struct hps_rschema *schema_by_id(const struct hps_reader *r, uint16_t id)
{
	for (size_t i = 0; i < r->nschemas; i++)
		if (r->schemas[i].id == id)
			return &r->schemas[i];
	return NULL;
}

int hps_take_schema(struct hps_reader *r, struct hps_in in)
{
	struct hps_rschema s = { .id = hps_in_u16(&in) };
	if (in.bad || !s.id)
		return -EBADMSG;
	if (schema_by_id(r, s.id))
		return 1;
	s.name = hps_in_string(&in);
	s.encoding = hps_in_string(&in);
	struct hps_in data = hps_in_part(&in);
	s.size = (size_t)(data.end - data.p);
	s.data = data.bad ? NULL : malloc(s.size + 1);
	struct hps_rschema *all = realloc(r->schemas, (r->nschemas + 1) * sizeof *all);
	if (all)
		r->schemas = all;
	if (!all || !s.name || !s.encoding || !s.data) {
		free(s.name);
		free(s.encoding);
		free(s.data);
		return in.bad ? -EBADMSG : -ENOMEM;
	}
	if (s.size)
		memcpy(s.data, data.p, s.size);
	s.data[s.size] = 0;
	all[r->nschemas++] = s;
	return 0;
}

static bool has_sample_fields(const struct hps_rchannel *c)
{
	if (c->pub.nfields < HPS_SAMPLE_FIELDS)
		return false;
	for (size_t i = 0; i < HPS_SAMPLE_FIELDS; i++)
		if (c->fields[i].type != hps_sample_fields[i].type ||
		    strcmp(c->fields[i].name, hps_sample_fields[i].name))
			return false;
	return true;
}

static enum hps_role role(const struct hps_rchannel *c)
{
	bool cdr = !strcmp(c->encoding, "cdr");
	if (!strcmp(c->topic, HPS_TOPIC_REPORTS) && !strcmp(c->encoding, "raw"))
		return HPS_ROLE_REPORT;
	if (!strcmp(c->topic, HPS_TOPIC_SAMPLE) && cdr && has_sample_fields(c))
		return HPS_ROLE_SAMPLE;
	if (!strcmp(c->topic, HPS_TOPIC_SAMPLE) && !strcmp(c->encoding, "json"))
		return HPS_ROLE_SAMPLE_JSON;
	if (!strcmp(c->topic, HPS_TOPIC_EVENTS) && cdr && !strcmp(c->pub.schema, "headpipe/Event"))
		return HPS_ROLE_EVENT;
	return HPS_ROLE_OTHER;
}

/* Schema, numbers and role of a channel whose texts are set. */
static int describe(struct hps_rchannel *c, const struct hps_rschema *s)
{
	bool whole = false;
	c->pub.schema = s ? s->name : "";
	c->pub.schema_encoding = s ? s->encoding : "";
	c->pub.schema_data = s ? s->data : (const uint8_t *)"";
	c->pub.schema_size = s ? s->size : 0;
	if (s && !strcmp(c->encoding, "cdr") && !strcmp(s->encoding, "ros2msg")) {
		if (hps_layout_parse(s->data, s->size, &c->fields, &c->pub.nfields, &whole) < 0)
			return -ENOMEM;
		c->offsets = malloc((c->pub.nfields + 1) * sizeof *c->offsets);
		if (!c->offsets)
			return -ENOMEM;
		c->pub.message_size = hps_layout_offsets(c->fields, c->pub.nfields, c->offsets);
		c->pub.fields = c->fields;
	}
	c->pub.topic = c->topic;
	c->pub.encoding = c->encoding;
	c->pub.metadata = c->metadata;
	c->role = role(c);
	return 0;
}

static void channel_free(struct hps_rchannel *c)
{
	free(c->topic);
	free(c->encoding);
	free(c->metadata);
	free(c->fields);
	free(c->offsets);
}

static int index_id(struct hps_reader *r, uint16_t id, size_t index)
{
	if (id >= r->by_id_size) {
		size_t n = id + 16u;
		uint16_t *p = realloc(r->by_id, n * sizeof *p);
		if (!p)
			return -ENOMEM;
		memset(p + r->by_id_size, 0, (n - r->by_id_size) * sizeof *p);
		r->by_id = p;
		r->by_id_size = n;
	}
	r->by_id[id] = (uint16_t)(index + 1);
	return 0;
}

int hps_take_channel(struct hps_reader *r, struct hps_in in)
{
	struct hps_rchannel c = { .pub.id = hps_in_u16(&in) };
	uint16_t schema = hps_in_u16(&in);
	const struct hps_rschema *s = schema_by_id(r, schema);
	if (in.bad || (schema && !s) || r->nchannels >= 65534)
		return -EBADMSG;
	if (hps_by_id(r, c.pub.id))
		return 1;
	c.topic = hps_in_string(&in);
	c.encoding = hps_in_string(&in);
	c.metadata = hps_in_map(&in, &c.pub.nmetadata);
	int code = in.bad ? -EBADMSG : !c.topic || !c.encoding || !c.metadata ? -ENOMEM : describe(&c, s);
	if (!code)
		code = hps_grow(&r->channels, r->nchannels, &r->channels_room, sizeof *r->channels);
	if (!code)
		code = index_id(r, c.pub.id, r->nchannels);
	if (code) {
		channel_free(&c);
		return code;
	}
	r->channels[r->nchannels++] = c;
	return 0;
}

int hps_take_place(struct hps_reader *r, bool attachment, uint64_t offset, uint64_t length, char *name,
                   char *media_type, int64_t time, uint64_t size)
{
	struct hps_place **list = attachment ? &r->attachments : &r->metadata;
	size_t *n = attachment ? &r->nattachments : &r->nmetadata;
	struct hps_place *all = realloc(*list, (*n + 1) * sizeof *all);
	if (!all || !name || (attachment && !media_type)) {
		*list = all ? all : *list;
		free(name);
		free(media_type);
		return -ENOMEM;
	}
	*list = all;
	all[(*n)++] = (struct hps_place){ offset, length, name, media_type, time, size, NULL, false };
	return 0;
}

int hps_take_chunk(struct hps_reader *r, const struct hps_rchunk *chunk)
{
	if (r->nchunks >= UINT32_MAX - 1 || hps_grow(&r->chunks, r->nchunks, &r->chunks_room, sizeof *r->chunks) < 0 ||
	    hps_grow(&r->links, r->nchunks, &r->links_room, sizeof *r->links) < 0)
		return hps_error(r, -ENOMEM, "out of memory");
	r->links[r->nchunks] = (struct hps_link){ NULL, 0, 0 };
	struct hps_rchunk *c = &r->chunks[r->nchunks];
	*c = *chunk;
	c->first = r->messages;
	c->messages = 0;
	for (size_t i = 0; i < r->nchannels; i++) {
		struct hps_rchannel *ch = &r->channels[i];
		if (!ch->counted)
			continue;
		if (hps_grow(&ch->spans, ch->nspans, &ch->room, sizeof *ch->spans) < 0)
			return hps_error(r, -ENOMEM, "out of memory");
		ch->spans[ch->nspans++] = (struct hps_span){ ch->pub.messages, (uint32_t)r->nchunks };
		ch->pub.messages += ch->counted;
		c->messages += ch->counted;
		ch->counted = 0;
	}
	if (r->nchunks && (c->start < c[-1].start || c->end < c[-1].end))
		r->ordered = false;
	r->messages += c->messages;
	r->nchunks++;
	return 0;
}

const struct hps_channel *hps_channel_at(const struct hps_reader *r, size_t index)
{
	return index < r->nchannels ? &r->channels[index].pub : NULL;
}

int hps_channel_find(const struct hps_reader *r, const char *topic)
{
	for (size_t i = 0; i < r->nchannels; i++)
		if (!strcmp(r->channels[i].topic, topic))
			return (int)i;
	return -1;
}

static const char *map_get(const char *const *map, const char *key)
{
	for (; map && map[0] && map[1]; map += 2)
		if (!strcmp(map[0], key))
			return map[1];
	return NULL;
}

const char *hps_channel_metadata(const struct hps_channel *c, const char *key)
{
	return map_get(c->metadata, key);
}

bool hps_attachment_at(const struct hps_reader *r, size_t index, struct hps_attachment *a)
{
	if (index >= r->nattachments)
		return false;
	const struct hps_place *p = &r->attachments[index];
	*a = (struct hps_attachment){ p->name, p->media_type, p->time, p->size };
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
		const char *crc = map_get(p->map, "crc32");
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
		return map_get(r->metadata[i].map, key);
	}
	return NULL;
}
