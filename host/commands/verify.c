/* SPDX-License-Identifier: MIT
 * verify.c - `headpipe verify`: every CRC of a session file. */
#include "tool.h"
#include <inttypes.h>
#include <stdio.h>

static void told(void *ctx, const char *text)
{
	printf("%s: %s\n", (const char *)ctx, text);
}

int cmd_verify(int argc, char **argv)
{
	int code = tool_rest(argc, argv, 1, false);
	char why[500];
	struct hps_reader *r;
	struct hps_info info;
	if (code)
		return code;
	if (hps_open(&r, argv[1], NULL, why, sizeof why) < 0)
		return tool_fail("verify", argv[1], "%s", why);
	int faults = hps_verify(r, told, tool_progress, argv[1]);
	hps_get_info(r, &info);
	if (faults)
		printf("%s: %d fault%s; `headpipe recover` makes a good file of what is left\n", argv[1], faults,
		       faults == 1 ? "" : "s");
	else
		printf("%s: good, %" PRIu64 " messages in %" PRIu64 " chunks\n", argv[1], info.messages, info.chunks);
	hps_close(r);
	return faults != 0;
}
