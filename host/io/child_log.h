/* SPDX-License-Identifier: MIT
 * child_log.h - what a child program prints, as lines of the log, with limits. [loop] */
#ifndef HP_CHILD_LOG_H
#define HP_CHILD_LOG_H
#include "base/lines.h"
#include "headpipe.h"

struct hp_child_log {
	const struct hp_host *host;
	struct hp_lines lines;
	int64_t second; /* that the counts below belong to */
	unsigned shown, hidden;
	size_t bytes;
};

int hp_child_log_open(struct hp_child_log *, const struct hp_host *); /* 0 or -ENOMEM */
void hp_child_log_close(struct hp_child_log *);
/* At most 50 lines a second are logged, the others counted. True: it shouts so much that it should wait a second. */
bool hp_child_log_take(struct hp_child_log *, const char *data, size_t n);
/* The program has ended: an unfinished line, and what was left out. */
void hp_child_log_end(struct hp_child_log *);
#endif
