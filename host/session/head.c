/* SPDX-License-Identifier: MIT
 * head.c - headpipe's own channels: samples, reports and events to messages. */
#include <errno.h>
#include <stdio.h>

#include "head.h"
#include "number/number.h"
#include "writer.h"

/* A sample message is the sample's own bytes, the 8-byte fields first. */
enum { BLOCK = offsetof(struct hp_sample, reset_count) - offsetof(struct hp_sample, seq), TEXT_MAX = 4000 };
_Static_assert(HPS_SAMPLE_SIZE == 4 + BLOCK + 12, "layout of a sample message");
_Static_assert(HPS_SAMPLE_MAX == HPS_SAMPLE_SIZE + 4 + 8 * HPS_SAMPLE_EXTRA, "appended fields are aligned to 8");

static const char event_schema[] = "uint32 CONNECTED=1\n"
                                   "uint32 DISCONNECTED=2\n"
                                   "uint32 GAP=3\n"
                                   "uint32 REFERENCE_RESET=4\n"
                                   "uint32 RECENTER=5\n"
                                   "uint32 OPTION=6\n"
                                   "uint32 CLOCK_STEP=7\n"
                                   "uint32 LOST=8\n"
                                   "int64 value\n"
                                   "int64 rate_start_ns # ns\n"
                                   "uint32 type\n"
                                   "string name\n"
                                   "string text\n";

const char *hps_event_name(uint32_t type)
{
	static const char *const names[] = { "connected", "disconnected", "gap",        "reference reset",
		                             "recenter",  "option",       "clock step", "lost" };
	return type >= 1 && type <= sizeof names / sizeof names[0] ? names[type - 1] : "event";
}

static void json_schema(struct hps_out *out, uint32_t flags)
{
	char line[160];
	struct hps_field fields[HP_SAMPLE_FIELDS];
	size_t n_fields = hps_sample_layout(flags, fields);
	static const char head[] = "{\"type\":\"object\",\"title\":\"headpipe.Sample\",\"properties\":{";
	hps_out_bytes(out, head, sizeof head - 1);
	for (size_t i = 0; i < n_fields; i++) {
		const struct hps_field *f = &fields[i];
		int n = snprintf(line, sizeof line, "%s\"%s\":{\"type\":\"%s\",\"description\":\"%s\"}", i ? "," : "",
		                 f->name, f->type == HPS_F64 ? "number" : "integer", f->unit);
		hps_out_bytes(out, line, (size_t)n);
	}
	hps_out_bytes(out, "}}", 2);
}

int hps_add_samples(struct hps_writer *w, bool json, const char *const *metadata)
{
	return hps_add_samples_with(w, json, 0, metadata);
}

int hps_add_samples_with(struct hps_writer *w, bool json, uint32_t flags, const char *const *metadata)
{
	struct hps_field fields[HP_SAMPLE_FIELDS];
	size_t n = hps_sample_layout(flags, fields);
	struct hps_out schema = { 0 };
	if (json)
		json_schema(&schema, flags);
	int id = !json           ? hps_add_channel(w, HPS_TOPIC_SAMPLE, "headpipe/Sample", fields, n, metadata)
	         : schema.failed ? -ENOMEM
	                         : hps_add_raw_channel(w, HPS_TOPIC_SAMPLE, "json", "headpipe.Sample", "jsonschema",
	                                               schema.data, schema.size, metadata);
	free(schema.data);
	if (id > 0) {
		w->channels[id - 1].json = json;
		w->channels[id - 1].carried = flags & HP_SAMPLE_APPENDED_FLAGS;
	}
	return id;
}

int hps_add_events(struct hps_writer *w)
{
	return hps_add_raw_channel(w, HPS_TOPIC_EVENTS, "cdr", "headpipe/Event", "ros2msg", event_schema,
	                           sizeof event_schema - 1, NULL);
}

int hps_add_reports(struct hps_writer *w, const struct hp_stream *s)
{
	char number[4][24];
	const char *pairs[24];
	size_t n = 0;
	char *hex = NULL;
	if (s) {
		const char *const names[] = { "device",    s->device,    "serial",   s->serial,
			                      "unique_id", s->unique_id, "features", s->features };
		for (size_t i = 0; i < 8; i += 2) {
			if (!names[i + 1])
				continue;
			pairs[n++] = names[i];
			pairs[n++] = names[i + 1];
		}
		snprintf(number[0], sizeof number[0], "%04x", s->vendor);
		snprintf(number[1], sizeof number[1], "%04x", s->product);
		snprintf(number[2], sizeof number[2], "%u", (unsigned)s->report_size);
		snprintf(number[3], sizeof number[3], "%lld", (long long)s->rate_start_ns);
		static const char *const keys[] = { "vendor", "product", "report_size", "rate_start_ns" };
		for (int i = 0; i < 4; i++) {
			pairs[n++] = keys[i];
			pairs[n++] = number[i];
		}
		if (s->descriptor && s->descriptor_size) {
			hex = malloc((size_t)s->descriptor_size * 2 + 1);
			if (!hex)
				return -ENOMEM;
			for (uint32_t i = 0; i < s->descriptor_size; i++)
				snprintf(hex + 2 * (size_t)i, 3, "%02x", s->descriptor[i]);
			pairs[n++] = "descriptor";
			pairs[n++] = hex;
		}
	}
	pairs[n] = NULL;
	int id = hps_add_raw_channel(w, HPS_TOPIC_REPORTS, "raw", NULL, "", NULL, 0, pairs);
	free(hex);
	return id;
}

size_t hps_sample_pack(const struct hp_sample *s, uint32_t flags, uint8_t out[HPS_SAMPLE_MAX])
{
	/* what a message does not have it does not claim either */
	uint32_t there = s->flags & (~HP_SAMPLE_APPENDED_FLAGS | flags);
	size_t at = HPS_SAMPLE_SIZE + 4;
	hps_put_u32(out, 0x00000100); /* CDR, little endian */
	memcpy(out + 4, &s->seq, BLOCK);
	hps_put_u32(out + 4 + BLOCK, there);
	hps_put_u32(out + 8 + BLOCK, s->source);
	hps_put_u32(out + 12 + BLOCK, s->reset_count);
	if (!(flags & HP_SAMPLE_APPENDED_FLAGS))
		return HPS_SAMPLE_SIZE;
	memset(out + HPS_SAMPLE_SIZE, 0, HPS_SAMPLE_MAX - HPS_SAMPLE_SIZE);
	for (size_t i = 0; i < HPS_SAMPLE_EXTRA; i++) {
		if (!(flags & hps_sample_extra[i].flag))
			continue;
		if (there & hps_sample_extra[i].flag)
			memcpy(out + at, (const char *)s + hps_sample_extra[i].member, 8);
		at += 8;
	}
	return at;
}

void hps_sample_unpack(const uint8_t *in, size_t size, const struct hps_carried *c, struct hp_sample *s)
{
	static const struct hp_sample empty = HP_SAMPLE_INIT;
	memcpy(&s->seq, in + 4, BLOCK);
	s->flags = hps_u32_at(in + 4 + BLOCK) & (~HP_SAMPLE_APPENDED_FLAGS | c->flags);
	s->source = hps_u32_at(in + 8 + BLOCK);
	s->reset_count = hps_u32_at(in + 12 + BLOCK);
	s->pad0 = 0;
	memcpy(&s->angvel, &empty.angvel, sizeof *s - offsetof(struct hp_sample, angvel));
	for (size_t i = 0; i < HPS_SAMPLE_EXTRA && s->flags & HP_SAMPLE_APPENDED_FLAGS; i++)
		if (s->flags & hps_sample_extra[i].flag && c->at[i] && size >= c->at[i] + 8u)
			memcpy((char *)s + hps_sample_extra[i].member, in + c->at[i], 8);
}

size_t hps_sample_json(const struct hp_sample *s, uint32_t flags, const size_t *fields, size_t n, char *out)
{
	uint8_t m[HPS_SAMPLE_MAX];
	uint32_t offset[HP_SAMPLE_FIELDS];
	struct hp_sample claimed = *s;
	/* every field has its place, whichever are asked for */
	claimed.flags &= ~HP_SAMPLE_APPENDED_FLAGS | flags;
	hps_sample_pack(&claimed, HP_SAMPLE_APPENDED_FLAGS, m);
	hps_layout_offsets(hps_sample_fields, HP_SAMPLE_FIELDS, offset);
	char *p = out;
	*p++ = '{';
	for (size_t k = 0; k < n; k++) {
		size_t i = fields[k], len = strlen(hps_sample_fields[i].name);
		const struct hps_field *f = &hps_sample_fields[i];
		if (k)
			*p++ = ',';
		*p++ = '"';
		memcpy(p, f->name, len);
		p += len;
		*p++ = '"';
		*p++ = ':';
		uint64_t v = hps_type_size(f->type) == 8 ? hps_u64_at(m + offset[i]) : hps_u32_at(m + offset[i]);
		double d;
		memcpy(&d, &v, sizeof d);
		if (f->type == HPS_F64 && d - d != 0) { /* JSON has no such numbers */
			memcpy(p, "null", 4);
			p += 4;
		} else if (f->type == HPS_F64)
			p += hp_text_exact(d, p);
		else if (f->type == HPS_I64)
			p += sprintf(p, "%lld", (long long)(int64_t)v);
		else
			p += sprintf(p, "%llu", (unsigned long long)v);
	}
	*p++ = '}';
	return (size_t)(p - out);
}

int hps_write_sample_at(struct hps_writer *w, int channel, const struct hp_sample *s, int64_t time)
{
	if (channel < 1 || (size_t)channel > w->nchannels)
		return -EINVAL;
	uint32_t flags = w->channels[channel - 1].carried;
	if (w->channels[channel - 1].json) {
		char text[HPS_SAMPLE_TEXT];
		size_t places[HP_SAMPLE_FIELDS], n = hps_sample_places(flags, places);
		return hps_write(w, channel, time, text, hps_sample_json(s, flags, places, n, text));
	}
	uint8_t m[HPS_SAMPLE_MAX];
	return hps_write(w, channel, time, m, hps_sample_pack(s, flags, m));
}

int hps_write_sized_sample(struct hps_writer *w, int channel, const struct hp_sample *s, size_t size)
{
	if (size == sizeof *s)
		return hps_write_sample_at(w, channel, s, s->time_ns);
	/* of a program that knows fewer fields, or more */
	struct hp_sample all = HP_SAMPLE_INIT;
	memcpy(&all, s, size < sizeof all ? size : sizeof all);
	return hps_write_sample_at(w, channel, &all, all.time_ns);
}

/* A CDR string: aligned to 4, length with the NUL, bytes. at counts from behind the 4-byte head. */
static size_t put_string(uint8_t *m, size_t at, const char *s, size_t n)
{
	while (at % 4)
		m[4 + at++] = 0;
	hps_put_u32(m + 4 + at, (uint32_t)n + 1);
	memcpy(m + 8 + at, s, n);
	m[8 + at + n] = 0;
	return at + 4 + n + 1;
}

int hps_write_event(struct hps_writer *w, int channel, const struct hp_event *e, int64_t rate_start_ns)
{
	uint8_t m[TEXT_MAX + 100];
	const char *name = hps_event_name(e->type), *text = e->text ? e->text : "";
	hps_put_u32(m, 0x00000100);
	hps_put_u64(m + 4, (uint64_t)e->value);
	hps_put_u64(m + 12, (uint64_t)rate_start_ns);
	hps_put_u32(m + 20, e->type);
	size_t n = put_string(m, 20, name, strlen(name));
	n = put_string(m, n, text, strnlen(text, TEXT_MAX));
	return hps_write(w, channel, e->time_ns, m, 4 + n);
}
