/* SPDX-License-Identifier: MIT
 * left_out.c - what a command could not read of a session file is said, and makes its exit status 1. */
#include "tool.h"
#include <inttypes.h>
#include <stdio.h>

int tool_left_out(const char *command, const char *path, struct hps_reader *r)
{
	struct hps_info info;
	char what[200] = "";
	int n = 0;
	hps_get_info(r, &info);
	if (info.damaged_chunks)
		n = snprintf(what, sizeof what, "%" PRIu64 " damaged chunks", info.damaged_chunks);
	if (info.refused_chunks)
		n += snprintf(what + n, sizeof what - (size_t)n, "%s%" PRIu64 " chunks that cannot be unpacked here",
		              n ? " and " : "", info.refused_chunks);
	if (info.skipped_bytes)
		n += snprintf(what + n, sizeof what - (size_t)n, "%s%" PRIu64 " bytes that make no sense",
		              n ? " and " : "", info.skipped_bytes);
	return n ? tool_fail(command, path, "left out: %s", what) : 0;
}
