/* SPDX-License-Identifier: MIT
 * verify.c - `headpipe verify`: every CRC of a session file. */
#include "commands/shared/tool.h"
#include <inttypes.h>
#include <stdio.h>

static void told(void *ctx, const char *text)
{
	printf("%s: ", (const char *)ctx);
	tool_text(stdout, text);
	putchar('\n');
}

struct arguments {
	const char *file;
	int memory;
};

static const struct hp_arg arguments[] = {
	TOOL_FILE(struct arguments),
	TOOL_MEMORY(struct arguments),
	HP_ARG_END,
};

static int verify(void *state)
{
	const struct arguments *a = state;
	const char *file = a->file;
	struct hps_reader_options o = HPS_READER_OPTIONS;
	char why[500];
	struct hps_reader *r;
	struct hps_info info;
	o.memory_bytes = (uint64_t)a->memory << 20;
	if (hps_open(&r, file, &o, why, sizeof why) < 0)
		return tool_fail("verify", file, "%s", why);
	int faults = hps_verify(r, told, tool_progress, (void *)(uintptr_t)file);
	hps_get_info(r, &info);
	if (faults)
		printf("%s: %d fault%s; `headpipe recover` makes a good file of what is left\n", file, faults,
		       faults == 1 ? "" : "s");
	else if (info.refused_chunks) {
		printf("%s: not checked: %" PRIu64 " of its chunks cannot be unpacked here%s", file,
		       info.refused_chunks, info.note[0] ? ": " : "");
		tool_text(stdout, info.note);
		putchar('\n');
	} else
		printf("%s: good, %" PRIu64 " messages in %" PRIu64 " chunks%s\n", file, info.messages, info.chunks,
		       info.note[0] ? "; not indexed: `headpipe recover` would add an index" : "");
	hps_close(r);
	return faults || info.refused_chunks;
}

const struct hp_command hp_command_verify = {
	.name = "verify",
	.summary = "check every CRC, length and repeated statement of a session file",
	.arguments = arguments,
	.exits = "0 good, 1 damaged or unreadable, 2 wrong usage",
	.state_size = sizeof(struct arguments),
	.run = verify,
};
