/* SPDX-License-Identifier: MIT
 * front.h - `headpipe try`: the module under test, with functions in front of its own that print. */
#ifndef HP_TRY_FRONT_H
#define HP_TRY_FRONT_H
#include "graph/node.h"

enum { HP_TRY_HANGS = 10 }; /* seconds without a return */

/* Shared with the parent, which tells where a crash was. To be set before anything else is called. */
struct hp_try_progress {
	uint64_t samples;
	char where[16];
};
extern struct hp_try_progress *hp_try_progress;

/* Empty: outside the module. Inside it, a clock runs whose signal ends the process. */
void hp_try_at(const char *where);
/* The section `try` gets our functions in front of its module's, and `show` behind it prints. want: how many messages
 * are shown. Before the run is opened. */
void hp_try_front(struct hp_run *, uint64_t want);
/* At the end: how many samples and messages. True when some failed. */
bool hp_try_summary(enum hp_kind);
#endif
