/* SPDX-License-Identifier: MIT
 * track.h - where the head is between and beyond samples. A correction that a new sample brings is not shown as a step:
 * the difference of old and new prediction, taken at one and the same time, fades. */
#ifndef FILTERS_TRACK_H
#define FILTERS_TRACK_H
#include "pose/rotation.h"
#include <stdbool.h>
#include <stdint.h>

struct knot { /* a sample, as far as the pose goes */
	int64_t time_ns;
	struct quat q;
	struct vec rate; /* rad/s, head axes */
	struct vec pos;  /* cm               */
	bool measured;   /* rate is a gyroscope's: its change is the head's, not an estimate's */
};
struct track {
	/* settings */
	double latency;    /* s from the motion to its report              */
	double lead_limit; /* s                                            */
	double blend;      /* s, time constant of a correction; 0 = a step */
	double rest;       /* rad/s below which prediction fades           */
	/* state */
	struct knot was, now; /* the newest two samples                                    */
	struct vec off;       /* the last correction, rad; it fades from off_ns on         */
	int64_t off_ns;
	struct vec pos_from; /* where the position was at now.time_ns                      */
	double slowing;      /* share of the velocity that is lost per second, 1/s         */
	struct vec change;   /* of a measured velocity, but for slowing down: rad/s^2      */
	double unrest;       /* recent angular acceleration, rad/s^2                       */
};

/* Seconds between two times; right for any two less than 292 years apart, without overflow for others. */
static inline double track_seconds(int64_t time_ns, int64_t from_ns)
{
	return (double)(int64_t)((uint64_t)time_ns - (uint64_t)from_ns) / 1e9;
}
/* Begins anew with a sample that has nothing to do with those before. */
void track_begin(struct track *, const struct knot *);
/* The next sample; sent_ns: the time of the last pose that was sent. */
void track_take(struct track *, const struct knot *, int64_t sent_ns);
/* Other settings: the difference they make to what comes after the last pose that was sent fades as a correction does.
 */
void track_set(struct track *, double lead_limit, double blend, double rest, int64_t sent_ns);
/* The pose at a time after now.time_ns. Positions come without a velocity that could be trusted: the newest one is
 * reached within one interval. */
void track_predict(const struct track *, int64_t time_ns, struct quat *q, struct vec *pos);
/* The pose at a time between was.time_ns and now.time_ns, without overshoot. */
void track_between(const struct track *, int64_t time_ns, struct quat *q, struct vec *pos);
#endif
