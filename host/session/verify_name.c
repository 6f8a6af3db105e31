/* SPDX-License-Identifier: MIT
 * verify_name.c - for the check of a whole file: a fault in words, a record in memory, and whether a schema or channel
 * is the same wherever the file has it. */
#include "verify.h"
#include <stdarg.h>
#include <stdio.h>

typedef unsigned long long ull;

void hps_fault(struct hps_verify *v, const char *fmt, ...)
{
	char text[900];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	v->faults++;
	if (v->told)
		v->told(v->ctx, text);
}

void hps_doubt(struct hps_verify *v, const char *fmt, ...)
{
	char text[900];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	bool walked = !v->r->ours && v->r->note[0];
	if (!walked)
		hps_fault(v, "%s", text);
	else if (v->told)
		v->told(v->ctx, text);
}

uint8_t *hps_verify_record(struct hps_reader *r, uint64_t offset, uint64_t length)
{
	if (length < HPS_HEAD || length > r->size || offset > r->size - length)
		return NULL;
	uint8_t *data = malloc((size_t)length);
	if (data && hps_read_at(r, offset, data, (size_t)length) < 0) {
		free(data);
		data = NULL;
	}
	return data;
}

static bool same_text(struct hps_in part, const char *text)
{
	size_t n = strlen(text);
	return (size_t)(part.end - part.p) >= n && !memcmp(part.p, text, n) &&
	       ((size_t)(part.end - part.p) == n || !part.p[n]);
}

static bool same_schema(const struct hps_reader *r, uint16_t id, struct hps_in in)
{
	const struct hps_rschema *s = &r->schemas[r->schema_by_id[id] - 1];
	struct hps_in name = hps_in_part(&in), encoding = hps_in_part(&in), data = hps_in_part(&in);
	return !in.bad && same_text(name, s->name) && same_text(encoding, s->encoding) &&
	       (size_t)(data.end - data.p) == s->size && !memcmp(data.p, s->data, s->size);
}

static bool same_channel(const struct hps_reader *r, uint16_t id, struct hps_in in)
{
	const struct hps_rchannel *c = &r->channels[hps_by_id(r, id) - 1];
	uint16_t schema = hps_in_u16(&in);
	size_t at = schema && schema < r->schema_by_id_size ? r->schema_by_id[schema] : 0, n = 0;
	struct hps_in topic = hps_in_part(&in), encoding = hps_in_part(&in);
	const char **map = hps_in_map(&in, &n);
	bool same = map && !in.bad && same_text(topic, c->topic) && same_text(encoding, c->encoding) &&
	            n == c->pub.nmetadata && (schema == 0 ? !c->pub.schema[0] : at > 0);
	if (same && at)
		same = c->pub.schema_data == r->schemas[at - 1].data;
	for (size_t i = 0; same && i < 2 * n; i++)
		same = !strcmp(map[i], c->metadata[i]);
	free(map);
	return same;
}

bool hps_verify_name(struct hps_verify *v, uint8_t op, struct hps_in in, uint64_t at)
{
	struct hps_reader *r = v->r;
	bool channel = op == HPS_OP_CHANNEL;
	int code = (channel ? hps_take_channel : hps_take_schema)(r, in);
	uint16_t id = hps_in_u16(&in);
	if (code < 0) {
		hps_fault(v, "the %s %u at byte %llu is damaged", channel ? "channel" : "schema", id, (ull)at);
		return false;
	}
	if (code == 1 && !(channel ? same_channel : same_schema)(r, id, in)) {
		hps_fault(v, "the %s %u at byte %llu is another one than elsewhere in the file",
		          channel ? "channel" : "schema", id, (ull)at);
		return false;
	}
	return true;
}
