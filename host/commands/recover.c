/* SPDX-License-Identifier: MIT
 * recover.c - `headpipe recover`: every good chunk of a damaged session file into a whole one, and what is lost. */
#include "commands/shared/tool.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Missing messages show in the sequence numbers of a channel. */
struct missing {
	uint32_t next;
	bool begun;
	uint64_t lost;
};

static void look(struct missing *x, const struct hps_message *m, const char *topic)
{
	uint32_t gap = m->sequence - x->next;
	if ((x->begun || m->sequence) && gap && gap < UINT32_MAX / 2) {
		printf("  %s: messages %" PRIu32 " to %" PRIu32 " are missing, before %.3f s\n", topic, x->next,
		       m->sequence - 1, (double)m->time / 1e9);
		x->lost += gap;
	}
	x->begun = true;
	x->next = m->sequence + 1;
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

static int recover(void *state)
{
	const struct arguments *a = state;
	int code = 0;
	struct hps_reader *r = tool_open_with("recover", a->file, true, a->memory);
	if (!r)
		return 1;
	struct hps_info info;
	struct tool_copy c;
	hps_get_info(r, &info);
	struct missing *missing = calloc(info.nchannels + 1, sizeof *missing);
	if (!missing || tool_copy_open(&c, r, "recover", a->out, a->packing, NULL)) {
		free(missing);
		hps_close(r);
		return 1;
	}
	struct hps_cursor at = hps_begin(r, -1);
	struct hps_message m;
	uint64_t kept = 0, lost = 0;
	int next = 0;
	printf("%s: %s\n", a->file, info.note[0] ? info.note : "no damage was met");
	while (!code && (next = hps_next(&at, &m)) != 0) {
		if (next < 0)
			continue;
		if (++kept % 4096 == 0)
			tool_progress(kept, info.messages);
		look(&missing[m.channel], &m, hps_channel_at(r, m.channel)->topic);
		code = tool_copy_message(&c, &m);
	}
	tool_progress(1, 1);
	for (size_t i = 0; i < info.nchannels; i++)
		lost += missing[i].lost;
	/* a good file without messages is one too */
	if (!code && !kept && !info.nattachments && !info.nmetadata && (info.damaged || !info.finished))
		code = tool_fail("recover", a->file, "there is no whole chunk in it");
	code = tool_copy_close(&c, !code) || code;
	if (!code)
		printf("%s: %" PRIu64 " messages in %zu channels recovered; %" PRIu64 " known to be missing, %" PRIu64
		       " chunks damaged%s\n",
		       a->out, kept - (uint64_t)c.left_out, info.nchannels, lost, info.damaged_chunks,
		       strstr(info.note, "not complete") ? ", the end was cut off" : "");
	if (!code && info.refused_chunks)
		code = tool_fail("recover", a->file, "left out: %" PRIu64 " chunks that cannot be unpacked here",
		                 info.refused_chunks);
	free(missing);
	hps_close(r);
	return code || c.left_out;
}

const struct hp_command hp_command_recover = {
	.name = "recover",
	.summary = "make a whole session file out of a damaged or unfinished one",
	.arguments = arguments,
	.help = "Takes every good chunk, writes a new summary, and says what was lost.\n",
	.state_size = sizeof(struct arguments),
	.run = recover,
};
