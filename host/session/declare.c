/* SPDX-License-Identifier: MIT
 * declare.c - the session writer's schemas and channels. */
#include <errno.h>

#include "head.h"
#include "writer.h"

enum { MAX = 65534 };

static char *copy(const char *s)
{
	size_t n = strlen(s) + 1;
	char *c = malloc(n);
	return c ? memcpy(c, s, n) : NULL;
}

/* Index + 1 of a schema with just these contents, an old one or a new one. */
static int schema_id(struct hps_writer *w, const char *name, const char *encoding, const void *data, size_t size)
{
	for (size_t i = 0; i < w->nschemas; i++) {
		const struct hps_wschema *s = &w->schemas[i];
		if (!strcmp(s->name, name) && !strcmp(s->encoding, encoding) && s->size == size &&
		    (!size || !memcmp(s->data, data, size)))
			return (int)i + 1;
	}
	if (w->nschemas >= MAX)
		return -EOVERFLOW;
	struct hps_wschema *all = realloc(w->schemas, (w->nschemas + 1) * sizeof *all);
	if (!all)
		return -ENOMEM;
	w->schemas = all;
	struct hps_wschema s = { copy(name), copy(encoding), malloc(size + 1), size };
	if (!s.name || !s.encoding || !s.data) {
		free(s.name);
		free(s.encoding);
		free(s.data);
		return -ENOMEM;
	}
	if (size)
		memcpy(s.data, data, size);
	all[w->nschemas++] = s;
	return (int)w->nschemas;
}

/* What the reader will see in the schema: does this channel hold samples whose fields stand at the known places, and,
 * for columns, where its numbers are. 0 or -ENOMEM. */
static int look_at(const struct hps_writer *w, struct hps_wchannel *c, const char *schema_encoding, const void *schema,
                   size_t size)
{
	struct hps_field *fields = NULL;
	size_t n = 0;
	bool whole, sample = !strcmp(c->topic, HPS_TOPIC_SAMPLE), lean = w->opts.compression == HPS_LEAN;
	if ((!sample && !lean) || strcmp(c->encoding, "cdr") != 0 || strcmp(schema_encoding, "ros2msg") != 0)
		return 0;
	int r = hps_layout_parse(schema, size, &fields, &n, &whole);
	if (r < 0)
		return r;
	c->samples = sample && hps_sample_fields_first(fields, n);
	if (lean) {
		c->offsets = calloc(n + 1, sizeof *c->offsets);
		c->sizes = calloc(n + 1, sizeof *c->sizes);
		if (!c->offsets || !c->sizes) {
			free(fields);
			return -ENOMEM;
		}
		hps_layout_offsets(fields, n, c->offsets);
		for (size_t i = 0; i < n; i++)
			c->sizes[i] = (uint8_t)hps_type_size(fields[i].type);
		c->nnumbers = n;
	}
	free(fields);
	return 0;
}

int hps_add_raw_channel(struct hps_writer *w, const char *topic, const char *message_encoding, const char *schema,
                        const char *schema_encoding, const void *schema_data, size_t schema_size,
                        const char *const *metadata)
{
	if (w->error)
		return w->error;
	if (w->nchannels >= MAX)
		return -EOVERFLOW;
	if (schema_size > HPS_MAX_MESSAGE)
		return -EMSGSIZE;
	int id = schema ? schema_id(w, schema, schema_encoding, schema_data, schema_size) : 0;
	if (id < 0)
		return id;
	struct hps_wchannel *all = realloc(w->channels, (w->nchannels + 1) * sizeof *all);
	if (!all)
		return -ENOMEM;
	w->channels = all;
	struct hps_wchannel c = { .topic = copy(topic), .encoding = copy(message_encoding), .schema = (uint16_t)id };
	hps_out_map(&c.metadata, metadata);
	if (!c.topic || !c.encoding || c.metadata.failed ||
	    (schema && look_at(w, &c, schema_encoding, schema_data, schema_size) < 0)) {
		free(c.topic);
		free(c.encoding);
		free(c.metadata.data);
		free(c.offsets);
		free(c.sizes);
		return -ENOMEM;
	}
	all[w->nchannels++] = c;
	return (int)w->nchannels;
}

static int add_fields(struct hps_writer *w, const char *topic, const char *schema, const struct hps_field *fields,
                      size_t n, const char *const *metadata)
{
	for (size_t i = 0; i < n; i++)
		if (!hps_type_size(fields[i].type) || !fields[i].name[0] || strpbrk(fields[i].name, " \t\r\n#=") ||
		    (fields[i].unit && strpbrk(fields[i].unit, "\r\n#")))
			return -EINVAL;
	struct hps_out text = { 0 };
	hps_layout_schema(&text, fields, n);
	int id = text.failed ? -ENOMEM
	                     : hps_add_raw_channel(w, topic, "cdr", schema, "ros2msg", text.data, text.size, metadata);
	free(text.data);
	if (id > 0)
		w->channels[id - 1].message_size = hps_layout_offsets(fields, n, NULL);
	return id;
}

int hps_add_fields(struct hps_writer *w, const char *topic, const char *schema, const struct hps_field *fields,
                   size_t size, size_t n, const char *const *metadata)
{
	if (size == sizeof *fields)
		return add_fields(w, topic, schema, fields, n, metadata);
	/* of a program that knows less of a field, or more */
	struct hps_field *own = calloc(n + 1, sizeof *own);
	if (!own)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		memcpy(&own[i], (const uint8_t *)fields + i * size, size < sizeof *own ? size : sizeof *own);
	int id = add_fields(w, topic, schema, own, n, metadata);
	free(own);
	return id;
}

size_t hps_message_size(const struct hps_writer *w, int channel)
{
	return channel < 1 || (size_t)channel > w->nchannels ? 0 : w->channels[channel - 1].message_size;
}

void hps_put_schema(struct hps_out *out, const struct hps_writer *w, size_t index)
{
	const struct hps_wschema *s = &w->schemas[index];
	size_t at = hps_out_begin(out, HPS_OP_SCHEMA);
	hps_out_u16(out, (uint16_t)(index + 1));
	hps_out_string(out, s->name);
	hps_out_string(out, s->encoding);
	hps_out_u32(out, (uint32_t)s->size);
	hps_out_bytes(out, s->data, s->size);
	hps_out_end(out, at);
}

void hps_put_channel(struct hps_out *out, const struct hps_writer *w, size_t index)
{
	const struct hps_wchannel *c = &w->channels[index];
	size_t at = hps_out_begin(out, HPS_OP_CHANNEL);
	hps_out_u16(out, (uint16_t)(index + 1));
	hps_out_u16(out, c->schema);
	hps_out_string(out, c->topic);
	hps_out_string(out, c->encoding);
	hps_out_bytes(out, c->metadata.data, c->metadata.size);
	hps_out_end(out, at);
}
