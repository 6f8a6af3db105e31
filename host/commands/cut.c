/* SPDX-License-Identifier: MIT
 * cut.c - `headpipe cut`: a part of a session file as a file of its own. */
#include "commands/shared/tool.h"
#include <inttypes.h>
#include <stdio.h>

/* A replay needs to know what was connected: the last such event before the part comes along. */
static int copy_connection(struct tool_copy *c, int64_t from)
{
	struct hps_cursor at = hps_begin(c->in, -1);
	struct hps_message m;
	while (hps_seek_between(&at, from, INT64_MAX) < 0)
		; /* bad chunks are told when the part itself is read */
	return hps_seek_event_before(&at, HP_CONNECTED) == 1 && hps_next(&at, &m) == 1 ? tool_copy_message(c, &m) : 0;
}

struct cut {
	const char *file, *out;
	int64_t from, to;
	int packing, memory;
};

static const struct hp_arg arguments[] = {
	TOOL_FILE(struct cut),
	TOOL_OUT(struct cut),
	TOOL_FROM(struct cut),
	TOOL_TO(struct cut),
	TOOL_PACKING(struct cut),
	TOOL_MEMORY(struct cut),
	HP_ARG_END,
};

extern const struct hp_command hp_command_cut;

static int cut(void *state)
{
	struct cut *a = state;
	int code = tool_span(&hp_command_cut, a->from, &a->to);
	if (code)
		return code;
	struct hps_reader *r = tool_open_with("cut", a->file, false, a->memory);
	struct tool_part part;
	struct tool_copy c;
	const char *extra[] = { a->from ? "continues" : NULL, a->file, NULL };
	if (!r || tool_part(&part, "cut", a->file, r, a->from, a->to) ||
	    tool_copy_open(&c, r, "cut", a->out, a->packing, extra[0] ? extra : NULL)) {
		hps_close(r);
		return 1;
	}
	struct hps_info info;
	struct hps_cursor at = hps_begin(r, -1);
	struct hps_message m;
	uint64_t kept = 0;
	hps_get_info(r, &info);
	code = a->from ? copy_connection(&c, part.from) : 0;
	int next = 0;
	while (!code && (next = hps_next_between(&at, part.from, part.to, &m)) != 0) {
		if (next < 0) {
			tool_fail("cut", a->file, "%s; skipped", hps_reader_error(r));
			continue;
		}
		code = tool_copy_message(&c, &m);
		if (++kept % 4096 == 0)
			tool_progress(at.chunk, info.chunks);
	}
	tool_progress(1, 1);
	if (!code && !kept && !part.whole)
		code = tool_fail("cut", a->file, "there is nothing in that part of it");
	code = tool_copy_close(&c, !code) || code;
	if (!code)
		printf("%s: %" PRIu64 " of %" PRIu64 " messages\n", a->out, kept - (uint64_t)c.left_out, info.messages);
	code = code || c.left_out || tool_left_out("cut", a->file, r);
	hps_close(r);
	return code;
}

const struct hp_command hp_command_cut = {
	.name = "cut",
	.summary = "copy a part of a session file",
	.arguments = arguments,
	.help = "A part that does not begin at the start says so in its metadata: its replay cannot know the state "
	        "before.\n",
	.state_size = sizeof(struct cut),
	.run = cut,
};
