/* SPDX-License-Identifier: MIT
 * clock.h - CLOCK_MONOTONIC in nanoseconds. [any] */
#ifndef HP_CLOCK_H
#define HP_CLOCK_H
#include <stdint.h>
#include <time.h>

static inline int64_t hp_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
#endif
