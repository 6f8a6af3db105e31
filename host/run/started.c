/* SPDX-License-Identifier: MIT
 * started.c - when this process began: field 22 of /proc/self/stat, and its processor time. */
#include "started.h"
#include "base/clock.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int64_t clock_ns(clockid_t clock)
{
	struct timespec t;
	if (clock_gettime(clock, &t) < 0)
		return 0;
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int64_t hp_used_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Ticks from the start of the machine to the start of the process; 0 = unknown. The name of the program is in brackets
 * and may hold anything, brackets too. */
static long long start_ticks(void)
{
	char text[1024];
	long long ticks = 0;
	FILE *f = fopen("/proc/self/stat", "re");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
	if (f)
		fclose(f);
	text[n] = 0;
	const char *rest = strrchr(text, ')');
	if (!rest ||
	    sscanf(rest + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %lld",
	           &ticks) != 1)
		return 0;
	return ticks;
}

int64_t hp_started_ns(void)
{
	int64_t now = hp_now(), began = now - hp_used_ns();
#ifdef __linux__
	long long ticks = start_ticks(), hz = sysconf(_SC_CLK_TCK);
	if (ticks > 0 && hz > 0) {
		/* counted while the machine sleeps too, hp_now() is not */
		int64_t tick = 1000000000 / hz, from = (int64_t)ticks * tick - (clock_ns(CLOCK_BOOTTIME) - now);
		if (began < from)
			began = from;
		else if (began > from + tick)
			began = from + tick;
	}
#endif
	return began < now ? began : now;
}
