/* SPDX-License-Identifier: MIT
 * unpack.c - `headpipe unpack`: the session file that `headpipe pack` made columns of. */
#include "commands/shared/tool.h"
#include "session/pack/pack.h"
#include "session/reader.h"
#include "session/writer.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct packed_channel {
	struct pack_block block;
	uint32_t at; /* next message of the block */
	size_t byte; /* and where its data begins */
	int out;
};
struct unpack {
	struct tool_copy copy;
	struct packed_channel *all;
	size_t nall;
	uint8_t *list; /* u16 per message: number of the archive's channel */
	uint32_t n;
	uint64_t written, written_bytes;
	size_t held, held_messages; /* in the blocks since the last order */
	uint16_t *blocks;           /* their channels                           */
	size_t nblocks;
	uint64_t most; /* bytes that all of it may become          */
	bool too_much;
};
/* A turn of `pack` ends before it has more than half a block's limit, and one message comes on top. */
enum { TURN_BYTES = PACK_BYTES / 2 + PACK_BYTES, RATIO_MAX = 1000 };

/* The original channel, as its packed one says. */
static int restore_channel(struct unpack *u, size_t index)
{
	const struct hps_channel *ch = hps_channel_at(u->copy.in, index);
	const char *encoding = hps_channel_metadata(ch, PACK_ENCODING);
	const char **pairs = calloc(2 * ch->nmetadata + 1, sizeof *pairs);
	size_t n = 0;
	if (!pairs || !encoding || strncmp(ch->topic, PACK_PREFIX, sizeof PACK_PREFIX - 1) != 0) {
		free(pairs);
		return encoding ? -ENOMEM : -EBADMSG;
	}
	for (size_t i = 0; i < 2 * ch->nmetadata; i += 2) {
		if (!strcmp(ch->metadata[i], PACK_ENCODING))
			continue;
		pairs[n++] = ch->metadata[i];
		pairs[n++] = ch->metadata[i + 1];
	}
	bool schema = ch->schema[0] || ch->schema_encoding[0];
	int out =
	    hps_add_raw_channel(u->copy.out, ch->topic + sizeof PACK_PREFIX - 1, encoding, schema ? ch->schema : NULL,
	                        ch->schema_encoding, ch->schema_data, ch->schema_size, pairs);
	free(pairs);
	return out;
}

/* Everything that the last order message announced must be there by now. */
static int write_out(struct unpack *u)
{
	int code = 0;
	for (uint32_t i = 0; i < u->n && !code; i++) {
		size_t index = hps_by_id(u->copy.in, hps_u16_at(u->list + 2 * (size_t)i));
		struct packed_channel *c = index ? &u->all[index - 1] : NULL;
		if (!c || !c->out || c->at >= c->block.n)
			return -EBADMSG;
		uint32_t k = c->at++;
		code = hps_write_as(u->copy.out, c->out, c->block.sequence[k], c->block.time[k], c->block.publish[k],
		                    c->block.data + c->byte, c->block.size[k]);
		c->byte += c->block.size[k];
		u->written++;
		u->written_bytes += c->block.size[k];
		if (u->written_bytes > u->most) {
			u->too_much = true;
			return -EBADMSG;
		}
	}
	for (size_t i = 0; i < u->nblocks; i++) {
		struct packed_channel *c = &u->all[u->blocks[i]];
		if (!code && c->at != c->block.n)
			code = -EBADMSG;
		pack_free(&c->block);
		c->at = 0;
	}
	u->n = 0;
	u->nblocks = u->held = u->held_messages = 0;
	return code;
}

static int take_order(struct unpack *u, const struct hps_message *m)
{
	int code = write_out(u);
	struct hps_in in = { m->data, m->data + m->size, false };
	uint32_t n = hps_in_u32(&in);
	if (code || in.bad || n > PACK_MESSAGES)
		return code ? code : -EBADMSG;
	u->n = n;
	return pack_get_column(&in, u->list, n, 2);
}

static int take_block(struct unpack *u, const struct hps_message *m)
{
	struct packed_channel *c = &u->all[m->channel];
	struct hps_in in = { m->data, m->data + m->size, false };
	if (c->block.time) /* one block of a channel between two orders */
		return -EBADMSG;
	c->at = 0;
	c->byte = 0;
	u->blocks[u->nblocks++] = m->channel;
	int code = pack_get(&in, &c->block, TURN_BYTES - u->held);
	u->held += c->block.total;
	u->held_messages += c->block.n;
	return code || u->held_messages > PACK_MESSAGES ? code ? code : -EBADMSG : 0;
}

struct arguments {
	const char *file, *out;
	int packing, memory;
};

static const struct hp_arg arguments[] = {
	TOOL_FILE(struct arguments),
	TOOL_OUT(struct arguments),
	TOOL_PACKING(struct arguments),
	TOOL_MEMORY(struct arguments),
	HP_ARG_END,
};

static int unpack(void *state)
{
	const struct arguments *a = state;
	int code = 0, next = 0;
	struct hps_reader *r = tool_open_with("unpack", a->file, false, a->memory);
	if (!r)
		return 1;
	struct hps_info info;
	struct unpack u = { .nall = 0 };
	hps_get_info(r, &info);
	int order = hps_channel_find(r, PACK_ORDER);
	if (order < 0)
		code = tool_fail("unpack", a->file, "it is not a packed session file");
	else if (tool_copy_open(&u.copy, r, "unpack", a->out, a->packing, NULL))
		code = 1;
	if (code) {
		hps_close(r);
		return code;
	}
	u.nall = info.nchannels;
	u.all = calloc(u.nall + 1, sizeof *u.all);
	u.list = malloc(PACK_MESSAGES * 2);
	u.blocks = calloc(u.nall + 1, sizeof *u.blocks);
	/* columns that never change take next to nothing, but not all of them are of that kind */
	u.most = (a->memory ? (uint64_t)a->memory << 20 : 1 << 30) + RATIO_MAX * info.file_size;
	code = u.all && u.list && u.blocks ? 0 : -ENOMEM;
	for (size_t i = 0; i < u.nall && !code; i++)
		if ((int)i != order && (u.all[i].out = restore_channel(&u, i)) < 0)
			code = u.all[i].out;
	struct hps_cursor at = hps_begin(r, -1);
	struct hps_message m;
	uint64_t done = 0;
	while (!code && (next = hps_next(&at, &m)) != 0) {
		if (next < 0) {
			tool_fail("unpack", a->file, "%s", hps_reader_error(r));
			break;
		}
		tool_progress(++done, info.messages + 1);
		code = m.channel == order ? take_order(&u, &m) : take_block(&u, &m);
	}
	if (!code && next >= 0)
		code = write_out(&u);
	tool_progress(1, 1);
	if (code)
		tool_fail("unpack", a->file, "%s",
		          u.too_much         ? "it unpacks to more than a thousand times its size: this is no recording"
		          : code == -EBADMSG ? "the archive is damaged"
		                             : strerror(-code));
	bool failed = code || next < 0;
	failed |= tool_copy_close(&u.copy, !failed) != 0 || u.copy.left_out;
	for (size_t i = 0; i < u.nall; i++)
		pack_free(&u.all[i].block);
	free(u.all);
	free(u.list);
	free(u.blocks);
	hps_close(r);
	if (!failed)
		printf("%s: %" PRIu64 " messages, %" PRIu64 " bytes\n", a->out, u.written, tool_file_size(a->out));
	return failed;
}

const struct hp_command hp_command_unpack = {
	.name = "unpack",
	.summary = "a packed session file back",
	.arguments = arguments,
	.help = "Gives the messages, attachments and metadata that `headpipe pack` was given.\n",
	.state_size = sizeof(struct arguments),
	.run = unpack,
};
