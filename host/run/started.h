/* SPDX-License-Identifier: MIT
 * started.h - when this process began and what it has used since, for figures that leave nothing out: what comes before
 * main() (exec, libraries) belongs to the start as well. */
#ifndef HP_STARTED_H
#define HP_STARTED_H
#include <stdint.h>

/* When the process was forked, on the clock of hp_now(), never later than now. The kernel tells it to 1/100 s; the
 * processor time used so far tells more when nothing had to be waited for, and within that 1/100 s it is believed.
 * Where there is no /proc, it is believed altogether. Meant for the beginning of main(). [any] */
int64_t hp_started_ns(void);
/* Processor time of all threads since then, ns. [any] */
int64_t hp_used_ns(void);
#endif
