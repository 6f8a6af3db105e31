/* SPDX-License-Identifier: MIT
 * pack.c - `headpipe pack`: a session file as columns, for keeping. The archive is an MCAP file too, so its CRCs,
 * `verify`, `recover` and `info` work as for any other; docs/session-format.md has the bytes. */
#include "session/pack/pack.h"
#include "commands/shared/tool.h"
#include "session/reader.h"
#include "session/writer.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct column_channel {
	struct pack_block block;
	size_t room, data_room;
	int out; /* channel of the archive */
	uint32_t *offsets;
	uint8_t *sizes;
	size_t nfields;
	bool sample;
};

/* The numbers of a fixed layout, by the reader's keys. */
static int learn(struct hps_reader *r, size_t index, struct column_channel *c)
{
	const struct hps_channel *ch = hps_channel_at(r, index);
	c->sample = !strcmp(ch->topic, HPS_TOPIC_SAMPLE) && !strcmp(ch->schema, "headpipe/Sample");
	c->offsets = calloc(ch->nfields + 1, sizeof *c->offsets);
	c->sizes = calloc(ch->nfields + 1, 1);
	if (!c->offsets || !c->sizes)
		return -ENOMEM;
	for (size_t i = 0; i < ch->nfields; i++) {
		struct hps_key k;
		if (hps_key_resolve(r, (int)index, hps_channel_field(r, (int)index, i)->name, 0, NULL, &k) < 0)
			continue;
		c->offsets[c->nfields] = k.offset;
		c->sizes[c->nfields++] = (uint8_t)hps_type_size(k.type);
	}
	return 0;
}

static int declare(struct tool_copy *copy, const struct hps_channel *ch)
{
	char topic[300];
	const char **pairs = calloc(2 * ch->nmetadata + 3, sizeof *pairs);
	if (!pairs)
		return -ENOMEM;
	memcpy(pairs, ch->metadata, 2 * ch->nmetadata * sizeof *pairs);
	pairs[2 * ch->nmetadata] = PACK_ENCODING;
	pairs[2 * ch->nmetadata + 1] = ch->encoding;
	snprintf(topic, sizeof topic, PACK_PREFIX "%.280s", ch->topic);
	bool schema = ch->schema[0] || ch->schema_encoding[0];
	int out = hps_add_raw_channel(copy->out, topic, "columns", schema ? ch->schema : NULL, ch->schema_encoding,
	                              ch->schema_data, ch->schema_size, pairs);
	free(pairs);
	return out;
}

static int take(struct column_channel *c, const struct hps_message *m)
{
	struct pack_block *b = &c->block;
	if (!b->time) {
		b->time = malloc(PACK_MESSAGES * sizeof *b->time);
		b->publish = malloc(PACK_MESSAGES * sizeof *b->publish);
		b->sequence = malloc(PACK_MESSAGES * sizeof *b->sequence);
		b->size = malloc(PACK_MESSAGES * sizeof *b->size);
	}
	if (b->total + m->size > c->data_room) {
		size_t room = (b->total + m->size) * 2;
		uint8_t *data = realloc(b->data, room);
		if (!data)
			return -ENOMEM;
		b->data = data;
		c->data_room = room;
	}
	if (!b->time || !b->publish || !b->sequence || !b->size)
		return -ENOMEM;
	b->time[b->n] = m->time;
	b->publish[b->n] = m->publish_time;
	b->sequence[b->n] = m->sequence;
	b->size[b->n++] = m->size;
	if (m->size)
		memcpy(b->data + b->total, m->data, m->size);
	b->total += m->size;
	return 0;
}

/* The order of channels, then a block of each that has messages. */
static int flush(struct tool_copy *copy, int order, uint16_t *list, uint32_t n, struct column_channel *all, size_t nall,
                 int64_t time)
{
	struct hps_out out = { 0 };
	uint8_t *bytes = malloc((size_t)n * 2 + 1);
	int code = bytes ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n && !code; i++)
		hps_put_u16(bytes + 2 * (size_t)i, (uint16_t)all[list[i]].out);
	hps_out_u32(&out, n);
	if (!code)
		code = pack_put_column(&out, bytes, n, 2);
	if (!code)
		code = hps_write(copy->out, order, time, out.data, out.size);
	for (size_t i = 0; i < nall && !code; i++) {
		struct column_channel *c = &all[i];
		if (!c->block.n)
			continue;
		out.size = 0;
		code = pack_put(&out, &c->block, c->offsets, c->sizes, c->nfields, c->sample);
		if (!code)
			code = hps_write(copy->out, c->out, c->block.time[0], out.data, out.size);
		c->block.n = 0;
		c->block.total = 0;
	}
	free(bytes);
	free(out.data);
	return code;
}

struct arguments {
	const char *file, *out;
	int memory;
};

static const struct hp_arg arguments[] = {
	TOOL_FILE(struct arguments),
	TOOL_OUT(struct arguments),
	TOOL_MEMORY(struct arguments),
	HP_ARG_END,
};

static int pack(void *state)
{
	const struct arguments *a = state;
	int code = 0;
	struct hps_reader *r = tool_open_with("pack", a->file, false, a->memory);
	if (!r)
		return 1;
	struct hps_info info;
	struct tool_copy copy;
	hps_get_info(r, &info);
	struct column_channel *all = calloc(info.nchannels + 1, sizeof *all);
	uint16_t *list = malloc(PACK_MESSAGES * sizeof *list);
	if (hps_channel_find(r, PACK_ORDER) >= 0)
		code = tool_fail("pack", a->file, "it is packed already");
	else if (info.damaged || info.refused_chunks) /* an archive with holes is no archive */
		code = tool_fail("pack", a->file, "it is damaged; `headpipe recover` first");
	else if (!all || !list || tool_copy_open(&copy, r, "pack", a->out, 0, NULL))
		code = 1;
	if (code) {
		free(all);
		free(list);
		hps_close(r);
		return code;
	}
	int order = hps_add_raw_channel(copy.out, PACK_ORDER, "columns", NULL, "", NULL, 0, NULL), next = 0;
	struct hps_cursor at = hps_begin(r, -1);
	struct hps_message m;
	uint64_t done = 0;
	uint32_t n = 0;
	size_t bytes = 0;
	int64_t time = info.start;
	code = order < 0 ? order : 0;
	/* in the order of the file, so that unpack can keep the channels' numbers */
	for (size_t i = 0; i < info.nchannels && !code; i++) {
		code = learn(r, i, &all[i]);
		if (!code && (all[i].out = declare(&copy, hps_channel_at(r, i))) < 0)
			code = all[i].out;
	}
	while (!code && (next = hps_next(&at, &m)) != 0) {
		if (next < 0) { /* an archive with holes is no archive */
			tool_fail("pack", a->file, "%s; `headpipe recover` first", hps_reader_error(r));
			break;
		}
		if (++done % 4096 == 0)
			tool_progress(done, info.messages);
		/* a block that unpack would refuse must not be made */
		if (n && (n == PACK_MESSAGES || bytes + m.size > PACK_BYTES / 2)) {
			code = flush(&copy, order, list, n, all, info.nchannels, time);
			n = 0;
			bytes = 0;
		}
		if (!code)
			code = m.size > PACK_BYTES ? -EMSGSIZE : take(&all[m.channel], &m);
		time = n ? time : m.time;
		list[n++] = m.channel;
		bytes += m.size;
	}
	tool_progress(1, 1);
	if (!code && n)
		code = flush(&copy, order, list, n, all, info.nchannels, time);
	if (code)
		tool_fail("pack", a->out, "%s", strerror(-code));
	code = tool_copy_close(&copy, !code && next >= 0) || code || next < 0 || copy.left_out;
	for (size_t i = 0; i < info.nchannels; i++) {
		pack_free(&all[i].block);
		free(all[i].offsets);
		free(all[i].sizes);
	}
	free(all);
	free(list);
	hps_close(r);
	if (!code)
		printf("%s: %" PRIu64 " messages, %" PRIu64 " bytes instead of %" PRIu64 "\n", a->out, info.messages,
		       tool_file_size(a->out), info.file_size);
	return code != 0;
}

const struct hp_command hp_command_pack = {
	.name = "pack",
	.summary = "a session file as columns, small, for keeping",
	.arguments = arguments,
	.help = "Nothing is lost: `headpipe unpack` gives the same messages, attachments and metadata back.\n",
	.state_size = sizeof(struct arguments),
	.run = pack,
};
