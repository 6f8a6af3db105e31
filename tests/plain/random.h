/* SPDX-License-Identifier: MIT
 * random.h - a small seeded generator for the randomized tests (splitmix64), the same numbers on every machine. */
#ifndef PLAIN_RANDOM_H
#define PLAIN_RANDOM_H
#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}
static inline uint64_t random_below(uint64_t *state, uint64_t n)
{
	return random_next(state) % n;
}
static inline double random_real(uint64_t *state, double lo, double hi)
{
	return lo + (hi - lo) * ((double)(random_next(state) >> 11) / 9007199254740992.0);
}
#endif
