/* SPDX-License-Identifier: MIT
 * door.c - which samples of a source with a clock of its own are late, double, or behind a step of that clock. */
#include "door.h"
#include <stdio.h>
#include <string.h>

enum { LATE_RUN = 10 }; /* late ones in a row, each newer than the one before: nobody sends so much out of order */
static const int64_t late_most = 1000000000;   /* ns; what is further back was not on its way for so long */
static const int64_t ahead_most = 60000000000; /* ns that a clock may gain on ours between two samples    */

static int64_t plus(int64_t a, int64_t b)
{
	int64_t sum;
	return !__builtin_add_overflow(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

static int64_t minus(int64_t a, int64_t b)
{
	int64_t difference;
	return !__builtin_sub_overflow(a, b, &difference) ? difference : a < b ? INT64_MIN : INT64_MAX;
}

void hp_door_again(struct hp_door *d)
{
	d->fresh = true;
	d->late_run = 0;
}

static enum hp_door_says take(struct hp_door *d, struct hp_sample *s, int64_t arrival, int64_t given,
                              enum hp_door_says what)
{
	d->last = *s;
	d->seen_ns = s->time_ns;
	d->arrival_ns = arrival;
	d->any = true;
	d->fresh = false;
	d->late_run = 0;
	d->given_ns = s->time_ns = given;
	return what;
}

/* The stream goes on by as much as has passed here. */
static enum hp_door_says set_clock(struct hp_door *d, struct hp_sample *s, int64_t arrival, int64_t *step)
{
	int64_t passed = minus(arrival, d->arrival_ns);
	*step = minus(s->time_ns, d->seen_ns);
	d->steps++;
	return take(d, s, arrival, plus(d->given_ns, passed > 0 ? passed : 1), HP_DOOR_STEP);
}

static bool is_late(struct hp_door *d, int64_t time, int64_t by)
{
	if (d->fresh || by < -late_most)
		return false;
	d->late_run = d->late_run && time > d->late_ns ? d->late_run + 1 : 1;
	d->late_ns = time;
	return d->late_run < LATE_RUN;
}

enum hp_door_says hp_door_judge(struct hp_door *d, struct hp_sample *s, int64_t arrival, int64_t *step)
{
	int64_t by = d->any ? minus(s->time_ns, d->seen_ns) : 0;
	*step = 0;
	if (!d->any) { /* a number that is no time must not become the stream's */
		bool absurd = s->time_ns > INT64_MAX / 2 || s->time_ns < INT64_MIN / 2;
		return take(d, s, arrival, absurd ? arrival : s->time_ns, HP_DOOR_GOOD);
	}
	if (!by && !memcmp(&d->last, s, sizeof *s)) {
		d->duplicates++;
		return HP_DOOR_DUPLICATE;
	}
	if (by < 0) {
		if (is_late(d, s->time_ns, by)) {
			d->late++;
			return HP_DOOR_LATE;
		}
		return set_clock(d, s, arrival, step);
	}
	if (by > ahead_most && minus(by, minus(arrival, d->arrival_ns)) > ahead_most)
		return set_clock(d, s, arrival, step);
	return take(d, s, arrival, plus(d->given_ns, by), HP_DOOR_GOOD);
}

bool hp_door_summary(const struct hp_door *d, char *text, size_t size)
{
	if (!d->late && !d->duplicates && !d->steps)
		return false;
	snprintf(text, size, "%llu late and %llu double samples dropped; the source's clock was set %llu times",
	         (unsigned long long)d->late, (unsigned long long)d->duplicates, (unsigned long long)d->steps);
	return true;
}
