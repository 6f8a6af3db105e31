/* SPDX-License-Identifier: MIT
 * view.c - messages as values: typed keys, samples, events, and what a recording says about its source. */
#include <errno.h>
#include <stdio.h>

#include "head.h"
#include "reader.h"

/* Names of the channel's numbers, as many as fit. */
static void names(const struct hps_rchannel *c, char *buf, size_t size)
{
	size_t n = 0;
	buf[0] = 0;
	for (size_t i = 0; i < c->pub.nfields; i++) {
		int did = snprintf(buf + n, size - n, "%s%s", i ? " " : "", c->fields[i].name);
		if (did < 0 || (size_t)did >= size - n) {
			snprintf(buf + size - 5, 5, " ...");
			return;
		}
		n += (size_t)did;
	}
}

int hps_fill_key(struct hps_reader *r, int channel, const char *name, enum hps_type type, const char *unit,
                 struct hps_key *key)
{
	if (channel < 0 || (size_t)channel >= r->nchannels)
		return hps_error(r, -EINVAL, "there is no channel %d", channel);
	const struct hps_rchannel *c = &r->channels[channel];
	if (!c->pub.nfields)
		return hps_error(r, -EINVAL, "%s (%s) has no fields that can be read by key", c->topic,
		                 c->encoding[0] ? c->encoding : "no encoding");
	for (size_t i = 0; i < c->pub.nfields; i++) {
		const struct hps_field *f = &c->fields[i];
		if (strcmp(f->name, name))
			continue;
		if (type && type != f->type)
			return hps_error(r, -EINVAL, "%s %s is %s, not %s", c->topic, name, hps_type_name(f->type),
			                 hps_type_name(type));
		if (unit && strcmp(unit, f->unit))
			return hps_error(r, -EINVAL, "%s %s is in %s, not in %s", c->topic, name,
			                 f->unit[0] ? f->unit : "no unit", unit[0] ? unit : "no unit");
		struct hps_key all = { 0, c->offsets[i], f->type, (uint16_t)(channel + 1), (uint16_t)channel };
		hps_give(key, &all, sizeof all);
		return 0;
	}
	char have[300];
	names(c, have, sizeof have);
	return hps_error(r, -ENOENT, "%s has no field %.60s; it has %s", c->topic, name, have);
}

double hps_number_at(enum hps_type type, const uint8_t *p)
{
	double d;
	float f;
	switch (type) {
	case HPS_F64:
		memcpy(&d, p, sizeof d);
		return d;
	case HPS_F32:
		memcpy(&f, p, sizeof f);
		return f;
	case HPS_I64:
		return (double)(int64_t)hps_u64_at(p);
	case HPS_U64:
		return (double)hps_u64_at(p);
	case HPS_I32:
		return (int32_t)hps_u32_at(p);
	case HPS_U32:
		return hps_u32_at(p);
	case HPS_I16:
		return (int16_t)hps_u16_at(p);
	case HPS_U16:
		return hps_u16_at(p);
	case HPS_I8:
		return (int8_t)*p;
	case HPS_U8:
	case HPS_BOOL:
		return *p;
	}
	return NAN;
}

static const struct hps_rchannel *channel_of(const struct hps_reader *r, const struct hps_message *m)
{
	return m->channel < r->nchannels ? &r->channels[m->channel] : NULL;
}

static int sample_of(const struct hps_reader *r, const struct hps_message *m, struct hp_sample *s)
{
	const struct hps_rchannel *c = channel_of(r, m);
	if (!c || (c->role != HPS_ROLE_SAMPLE && c->role != HPS_ROLE_SAMPLE_JSON))
		return -EINVAL;
	if (c->role == HPS_ROLE_SAMPLE_JSON)
		return hps_sample_from_json((const char *)m->data, m->size, s);
	if (!m->layout || m->size < HPS_SAMPLE_SIZE)
		return -EBADMSG;
	hps_sample_unpack(m->data, m->size, &c->carried, s);
	return 0;
}

/* A sample does not say its size itself; the program's may be smaller or larger than this one. */
int hps_fill_sample(const struct hps_reader *r, const struct hps_message *m, struct hp_sample *s, size_t size)
{
	if (size == sizeof *s)
		return sample_of(r, m, s);
	struct hp_sample all = HP_SAMPLE_INIT;
	int code = sample_of(r, m, &all);
	if (code < 0)
		return code;
	memcpy(s, &all, size < sizeof all ? size : sizeof all);
	if (size > sizeof all)
		memset((uint8_t *)s + sizeof all, 0, size - sizeof all);
	return 0;
}

uint32_t hps_sample_flags(const struct hps_reader *r, int channel)
{
	const struct hps_rchannel *c = &r->channels[channel];
	struct hps_carried found;
	struct hps_field have[HP_SAMPLE_FIELDS];
	uint32_t at[HP_SAMPLE_FIELDS];
	size_t n = 0;
	char name[80];
	if (c->role != HPS_ROLE_SAMPLE_JSON)
		return c->carried.flags;
	for (size_t i = 0; i < HP_SAMPLE_FIELDS; i++) {
		snprintf(name, sizeof name, "\"%s\"", hps_sample_fields[i].name);
		if (i >= HP_SAMPLE_BASE && !strstr((const char *)c->pub.schema_data, name))
			continue;
		have[n] = hps_sample_fields[i];
		at[n++] = 4;
	}
	hps_sample_carried(&found, have, at, n);
	return found.flags;
}

/* A CDR string at *at, which counts from the message's begin; NULL when it is broken. */
static const char *string_at(const struct hps_message *m, size_t *at)
{
	*at = (*at + 3) / 4 * 4; /* the 4-byte head keeps the alignment */
	if (*at + 4 > m->size)
		return NULL;
	size_t n = hps_u32_at(m->data + *at);
	if (!n || n > m->size - *at - 4 || m->data[*at + 4 + n - 1])
		return NULL;
	const char *s = (const char *)m->data + *at + 4;
	*at += 4 + n;
	return s;
}

int hps_fill_event(const struct hps_reader *r, const struct hps_message *m, struct hp_event *e, int64_t *rate_start_ns)
{
	const struct hps_rchannel *c = channel_of(r, m);
	if (!c || c->role != HPS_ROLE_EVENT)
		return -EINVAL;
	if (m->size < 24 || m->data[0] || m->data[1] != 1)
		return -EBADMSG;
	size_t at = 24;
	const char *name = string_at(m, &at), *text = name ? string_at(m, &at) : NULL;
	if (!text)
		return -EBADMSG;
	struct hp_event all = { 0, hps_u32_at(m->data + 20), m->time, (int64_t)hps_u64_at(m->data + 4),
		                text[0] ? text : NULL };
	hps_give(e, &all, sizeof all);
	if (rate_start_ns)
		*rate_start_ns = (int64_t)hps_u64_at(m->data + 12);
	return 0;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static int decode_descriptor(struct hps_rchannel *c)
{
	const char *hex = hps_channel_metadata(&c->pub, "descriptor");
	if (c->descriptor || !hex)
		return 0;
	size_t n = strlen(hex) / 2;
	if (n > 4096)
		return -EBADMSG;
	uint8_t *bytes = malloc(n + 1);
	if (!bytes)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		int a = digit(hex[2 * i]), b = digit(hex[2 * i + 1]);
		if (a < 0 || b < 0) {
			free(bytes);
			return -EBADMSG;
		}
		bytes[i] = (uint8_t)(a << 4 | b);
	}
	c->descriptor = bytes;
	c->ndescriptor = (uint32_t)n;
	return 0;
}

static long long number(const struct hps_channel *c, const char *key, int base)
{
	const char *s = hps_channel_metadata(c, key);
	return s ? strtoll(s, NULL, base) : 0;
}

int hps_fill_stream(struct hps_reader *r, int channel, struct hp_stream *s)
{
	if (channel < 0 || (size_t)channel >= r->nchannels || r->channels[channel].role != HPS_ROLE_REPORT)
		return hps_error(r, -ENOENT, "there is no %s channel number %d", HPS_TOPIC_REPORTS, channel);
	struct hps_rchannel *c = &r->channels[channel];
	int code = decode_descriptor(c);
	if (code)
		return hps_error(r, code, "the report descriptor of %s is broken", c->topic);
	struct hp_stream all = {
		.device = hps_channel_metadata(&c->pub, "device"),
		.serial = hps_channel_metadata(&c->pub, "serial"),
		.unique_id = hps_channel_metadata(&c->pub, "unique_id"),
		.features = hps_channel_metadata(&c->pub, "features"),
		.descriptor = c->ndescriptor ? c->descriptor : NULL,
		.descriptor_size = c->ndescriptor,
		.vendor = (uint16_t)number(&c->pub, "vendor", 16),
		.product = (uint16_t)number(&c->pub, "product", 16),
		.report_size = (uint32_t)number(&c->pub, "report_size", 10),
		.rate_start_ns = number(&c->pub, "rate_start_ns", 10),
	};
	hps_give(s, &all, sizeof all);
	return 0;
}
