/* SPDX-License-Identifier: MIT
 * cut.c - `headpipe cut`: a part of a session file as a file of its own. */
#include "commands/shared/tool.h"
#include "session/head.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A replay needs to know what was connected: the last such event before the part comes along. */
static int copy_connection(struct tool_copy *c, int64_t from)
{
	struct hps_cursor at = hps_begin(c->in, -1), last = at;
	struct hps_message m;
	struct hp_event e;
	bool found = false;
	int code;
	for (;;) {
		struct hps_cursor here = at;
		code = hps_next(&at, &m);
		if (!code)
			break;
		if (code < 0)
			continue;
		bool event = !hps_get_event(c->in, &m, &e, NULL);
		if (!event && m.time >= from)
			break;
		if (event && e.type == HP_CONNECTED) {
			last = here;
			found = true;
		}
	}
	return found && hps_next(&last, &m) == 1 ? tool_copy_message(c, &m) : 0;
}

struct cut {
	const char *file, *out;
	int64_t from, to;
	int packing;
};

static const struct hp_arg arguments[] = {
	TOOL_FILE(struct cut), TOOL_OUT(struct cut),     TOOL_FROM(struct cut),
	TOOL_TO(struct cut),   TOOL_PACKING(struct cut), HP_ARG_END,
};

extern const struct hp_command hp_command_cut;

static int cut(void *state)
{
	struct cut *a = state;
	int code = tool_span(&hp_command_cut, a->from, &a->to);
	if (code)
		return code;
	int64_t from = a->from, to = a->to;
	struct hps_reader *r = tool_open("cut", a->file, false);
	if (!r)
		return 1;
	struct tool_copy c;
	const char *extra[] = { from ? "continues" : NULL, a->file, NULL };
	if (tool_copy_open(&c, r, "cut", a->out, a->packing, extra[0] ? extra : NULL)) {
		hps_close(r);
		return 1;
	}
	struct hps_info info;
	struct hps_cursor at = hps_begin(r, -1);
	struct hps_message m;
	int64_t start = tool_start(r), now = start;
	uint64_t done = 0, kept = 0, skipped = 0;
	hps_get_info(r, &info);
	code = from ? copy_connection(&c, start + from) : 0;
	int next = 0;
	while (!code && (next = hps_next(&at, &m)) != 0) {
		if (++done % 4096 == 0)
			tool_progress(done, info.messages);
		if (next < 0) {
			skipped++;
			fprintf(stderr, "headpipe cut: %s: %s; skipped\n", a->file, hps_reader_error(r));
			continue;
		}
		/* an event's place is behind the report it came after */
		if (strcmp(hps_channel_at(r, m.channel)->topic, HPS_TOPIC_EVENTS) != 0)
			now = m.time;
		if (now - start < from || now - start > to)
			continue;
		code = tool_copy_message(&c, &m);
		kept++;
	}
	tool_progress(1, 1);
	code = tool_copy_close(&c, !code) || code;
	hps_close(r);
	if (!code)
		printf("%s: %" PRIu64 " of %" PRIu64 " messages\n", a->out, kept, info.messages);
	return code || skipped ? 1 : 0;
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
