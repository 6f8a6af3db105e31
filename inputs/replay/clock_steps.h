/* SPDX-License-Identifier: MIT
 * clock_steps.h - the rhythm of a replay, whose recorded clock may have been set back or may be nonsense. */
#ifndef REPLAY_CLOCK_STEPS_H
#define REPLAY_CLOCK_STEPS_H
#include <stdbool.h>
#include <stdint.h>

/* Sums of times out of a file: what is beyond the numbers stays at their end. */
static inline int64_t replay_plus(int64_t a, int64_t b)
{
	int64_t sum;
	return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

static inline int64_t replay_minus(int64_t a, int64_t b)
{
	int64_t difference;
	return !__builtin_sub_overflow(a, b, &difference) ? difference : a < b ? INT64_MIN : INT64_MAX;
}

struct replay_pace { /* begins as zeros */
	bool begun;
	int64_t before_ns; /* time of the last one              */
	int64_t due_ns;    /* how long after the first it is due */
	uint64_t steps_back;
};

/* The next one's time. Where the clock goes back, no time has passed; behind that the rhythm goes on. Returns the step,
 * negative = back. */
static inline int64_t replay_pace(struct replay_pace *p, int64_t now)
{
	int64_t step = p->begun ? replay_minus(now, p->before_ns) : 0;
	p->begun = true;
	p->before_ns = now;
	if (step > 0)
		p->due_ns = replay_plus(p->due_ns, step);
	p->steps_back += step < 0;
	return step;
}
#endif
