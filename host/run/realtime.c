/* SPDX-License-Identifier: MIT
 * realtime.c - asks the system for SCHED_FIFO and locked memory when the ini wants them. */
#include "realtime.h"
#include "base/log.h"
#include "graph/ini.h"
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>

enum { PRIORITY = 20 }; /* above ordinary programs, below audio servers and the kernel's own threads */

void hp_realtime_apply(struct hp_run *run)
{
	struct sched_param p = { .sched_priority = PRIORITY };
	if (run->ini->settings.priority == HP_PRIORITY_REALTIME && sched_setscheduler(0, SCHED_FIFO, &p) < 0)
		hp_log(HP_LOG_WARN, NULL, "priority = realtime: %s; going on with normal priority (see `ulimit -r`)",
		       strerror(errno));
	if (run->ini->settings.lock_memory && mlockall(MCL_CURRENT | MCL_FUTURE) < 0)
		hp_log(HP_LOG_WARN, NULL, "lock_memory = yes: %s; going on without (see `ulimit -l`)", strerror(errno));
}
