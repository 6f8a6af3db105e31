/* SPDX-License-Identifier: MIT
 * door.h - where the times of a source with a clock of its own come in: the stream's time never goes back, whatever the
 * source's clock does. One per source; belongs to the thread that its samples come on. */
#ifndef HP_DOOR_H
#define HP_DOOR_H
#include "headpipe.h"
#include <stdbool.h>

enum hp_door_says {
	HP_DOOR_GOOD,
	HP_DOOR_STEP,     /* good, and the source's clock was set: by *step               */
	HP_DOOR_LATE,     /* to be dropped: it is older than one that was there before it */
	HP_DOOR_DUPLICATE /* to be dropped: it was there already, time and pose           */
};
struct hp_door { /* begins as zeros */
	bool any, fresh;
	int64_t seen_ns, given_ns; /* of the last good one: on the source's clock, and in the stream          */
	int64_t arrival_ns;        /* when that one came, on the clock of now()                               */
	int64_t late_ns;           /* of the last late one; several that go on are a clock that was set back */
	unsigned late_run;
	struct hp_sample last;
	uint64_t late, duplicates, steps;
};

/* The source has begun anew: its clock may have, too. */
void hp_door_again(struct hp_door *);
/* Judges the next sample by its time_ns, which becomes the stream's time when it is good. arrival: now(). */
enum hp_door_says hp_door_judge(struct hp_door *, struct hp_sample *, int64_t arrival_ns, int64_t *step_ns);
/* "3 late and 2 double samples dropped, the clock was set 1 time"; false: there is nothing to say. */
bool hp_door_summary(const struct hp_door *, char *text, size_t size);
#endif
