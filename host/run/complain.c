/* SPDX-License-Identifier: MIT
 * complain.c - error lines of a section, with the place in the ini while it is opened. */
#include "complain.h"
#include "base/log.h"
#include "graph/ini.h"
#include "loop.h"

void hp_complain(struct hp_node *n, const char *text)
{
	/* threads that it may have started already do not count */
	if (n->opening && n->run->loop && pthread_equal(pthread_self(), n->run->loop->thread)) {
		n->said = true;
		if (n->again) /* it was told when it failed first */
			return;
		hp_log(HP_LOG_ERROR, n->who, "%s (%s:%d)", text, n->ini->section->file, n->ini->section->line);
	} else {
		hp_log(HP_LOG_ERROR, n->who, "%s", text);
	}
}
