/* SPDX-License-Identifier: MIT
 * score.h - what filters make of known motion, in figures. */
#ifndef JUDGE_SCORE_H
#define JUDGE_SCORE_H
#include "chain.h"
#include "motion.h"

/* Means over the repeats; spread: standard deviation of the mean. Degrees, ms, deg/s. */
struct judge_figure {
	double mean, spread;
};
struct judge_score {
	struct judge_figure still;     /* standard deviation per axis at rest                                        */
	struct judge_figure lag_walk;  /* at 10 deg/s, ms; negative: ahead                                           */
	struct judge_figure lag_turn;  /* at 60 deg/s                                                                */
	struct judge_figure slow;      /* largest error within a turn of 1 deg/s, noise averaged away                */
	struct judge_figure pan_lag;   /* time shift that fits the pan best                                          */
	struct judge_figure pan_rest;  /* RMS error that this shift leaves                                           */
	struct judge_figure pan_error; /* RMS error without shifting                                                 */
	struct judge_figure overshoot; /* beyond the end of the pan                                                  */
	struct judge_figure glance;    /* RMS error in the 20 degree glance                                          */
	struct judge_figure nod;       /* RMS error while nodding                                                    */
	struct judge_figure ripple;    /* RMS of the output's speed about 60 deg/s                                   */
};
struct judge_task {
	struct judge_tracker tracker;
	double grid; /* poses per second that are looked at, each the newest at its time; 0 = those that come out */
	int repeats;
};
/* 0, or -errno when a filter cannot be opened. */
int judge_score(struct judge_chain *, const struct judge_task *, struct judge_score *);
/* Only the stillness, for tuning. */
int judge_stillness(struct judge_chain *, const struct judge_task *, struct judge_figure *);
/* One motion through the chain; false when it cannot be opened. */
bool judge_play(struct judge_chain *, enum judge_motion, const struct judge_tracker *);
#endif
