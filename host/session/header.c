/* SPDX-License-Identifier: MIT
 * header.c - the first record of a session file: which profile it follows and who wrote it. */
#include <stdio.h>

#include "reader.h"

void hps_take_header(struct hps_reader *r, uint64_t length)
{
	uint8_t b[4096];
	size_t n = length < sizeof b ? (size_t)length : sizeof b;
	if (n < HPS_HEAD || hps_read_at(r, HPS_MAGIC_SIZE, b, n) < 0 || b[0] != HPS_OP_HEADER)
		return;
	struct hps_in in = { b + HPS_HEAD, b + n, false };
	struct hps_in p = hps_in_part(&in), l = hps_in_part(&in);
	if (in.bad)
		return;
	snprintf(r->profile, sizeof r->profile, "%.*s", (int)(p.end - p.p), (const char *)p.p);
	snprintf(r->library, sizeof r->library, "%.*s", (int)(l.end - l.p), (const char *)l.p);
	r->ours = !strncmp(r->library, "headpipe", 8);
}
