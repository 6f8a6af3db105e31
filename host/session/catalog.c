/* SPDX-License-Identifier: MIT
 * catalog.c - what a session reader has found in the file: schemas, channels, chunks. */
#include <errno.h>
#include <stdio.h>

#include "head.h"
#include "reader.h"

static const struct hps_rschema *schema_by_id(const struct hps_reader *r, uint16_t id)
{
	size_t at = id < r->schema_by_id_size ? r->schema_by_id[id] : 0;
	return at ? &r->schemas[at - 1] : NULL;
}

/* Notes which element of a list has this number. */
static int index_id(uint16_t **by_id, size_t *size, uint16_t id, size_t index)
{
	if (id >= *size) {
		size_t n = id + *size + 16u;
		uint16_t *p = realloc(*by_id, n * sizeof *p);
		if (!p)
			return -ENOMEM;
		memset(p + *size, 0, (n - *size) * sizeof *p);
		*by_id = p;
		*size = n;
	}
	(*by_id)[id] = (uint16_t)(index + 1);
	return 0;
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
	bool room = !hps_grow(&r->schemas, r->nschemas, &r->schemas_room, sizeof *r->schemas) &&
	            !index_id(&r->schema_by_id, &r->schema_by_id_size, s.id, r->nschemas);
	if (!room || !s.name || !s.encoding || !s.data) {
		free(s.name);
		free(s.encoding);
		free(s.data);
		if (room)
			r->schema_by_id[s.id] = 0;
		return in.bad ? -EBADMSG : -ENOMEM;
	}
	if (s.size)
		memcpy(s.data, data.p, s.size);
	s.data[s.size] = 0;
	r->schemas[r->nschemas++] = s;
	return 0;
}

static enum hps_role role(const struct hps_rchannel *c)
{
	bool cdr = !strcmp(c->encoding, "cdr");
	if (!strcmp(c->topic, HPS_TOPIC_REPORTS) && !strcmp(c->encoding, "raw"))
		return HPS_ROLE_REPORT;
	if (!strcmp(c->topic, HPS_TOPIC_SAMPLE) && cdr && hps_sample_fields_first(c->fields, c->pub.nfields))
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
	}
	c->pub.struct_size = sizeof c->pub;
	c->pub.topic = c->topic;
	c->pub.encoding = c->encoding;
	c->pub.metadata = c->metadata;
	c->role = role(c);
	c->aside = !strcmp(c->topic, HPS_TOPIC_EVENTS);
	if (c->role == HPS_ROLE_SAMPLE)
		hps_sample_carried(&c->carried, c->fields, c->offsets, c->pub.nfields);
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
		code = hps_grow(&r->met, r->nchannels, &r->met_room, sizeof *r->met);
	if (!code)
		code = index_id(&r->by_id, &r->by_id_size, c.pub.id, r->nchannels);
	if (code) {
		channel_free(&c);
		return code;
	}
	r->channels[r->nchannels++] = c;
	return 0;
}

void hps_meet(struct hps_reader *r, size_t index, uint64_t messages)
{
	if (!r->channels[index].counted)
		r->met[r->nmet++] = (uint16_t)index;
	r->channels[index].counted += messages;
}

void hps_forget_met(struct hps_reader *r)
{
	for (size_t i = 0; i < r->nmet; i++)
		r->channels[r->met[i]].counted = 0;
	r->nmet = 0;
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
	c->events = 0;
	for (size_t i = 0; i < r->nmet; i++) {
		struct hps_rchannel *ch = &r->channels[r->met[i]];
		if (hps_grow(&ch->spans, ch->nspans, &ch->room, sizeof *ch->spans) < 0)
			return hps_error(r, -ENOMEM, "out of memory");
		ch->spans[ch->nspans++] = (struct hps_span){ ch->pub.messages, (uint32_t)r->nchunks };
		ch->pub.messages += ch->counted;
		c->messages += ch->counted;
		c->events += ch->aside ? ch->counted : 0;
	}
	hps_forget_met(r);
	/* times are unsigned in the file and signed here: with some on both sides of 2^63 it may hold any */
	c->start = (int64_t)c->told_start;
	c->end = (int64_t)c->told_end;
	if (c->start > c->end) {
		c->start = INT64_MIN;
		c->end = INT64_MAX;
	}
	if (!c->messages)
		c->start = c->end = r->nchunks ? c[-1].end : INT64_MIN;
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

const struct hps_field *hps_channel_field(const struct hps_reader *r, int channel, size_t index)
{
	if (channel < 0 || (size_t)channel >= r->nchannels || index >= r->channels[channel].pub.nfields)
		return NULL;
	return &r->channels[channel].fields[index];
}

bool hps_holds_samples(const struct hps_reader *r, int channel)
{
	if (channel < 0 || (size_t)channel >= r->nchannels)
		return false;
	enum hps_role role = r->channels[channel].role;
	return role == HPS_ROLE_SAMPLE || role == HPS_ROLE_SAMPLE_JSON;
}

const char *hps_channel_metadata(const struct hps_channel *c, const char *key)
{
	return hps_map_get(c->metadata, key);
}
