/* SPDX-License-Identifier: MIT
 * recording.h - filters judged on a recording. The truth is made of the same data: what the tracker measured, smoothed
 * without delay, which only looking ahead can do. Poses are looked at JUDGE_LOOKS times a second, as a game does: each
 * is the newest one at its time. */
#ifndef JUDGE_RECORDING_H
#define JUDGE_RECORDING_H
#include "chain.h"

enum { JUDGE_LOOKS = 250 };

/* What came from the tracker, in order: a sample, or an event (type != 0). */
struct judge_item {
	struct hp_sample sample;
	struct hp_event event;
};
struct judge_recording {
	struct judge_item *at;
	size_t n, room;
};
void judge_recording_add(struct judge_recording *, const struct judge_item *);
void judge_recording_free(struct judge_recording *);

/* Degrees, ms, deg/s; NAN = the recording does not show it. */
struct judge_marks {
	double still;     /* how much the view trembles while the head rests: standard deviation per axis        */
	double lag;       /* by how much it comes late, ms; negative: early                                      */
	double rest;      /* RMS error when that lag is taken out                                                */
	double error;     /* RMS error as it is                                                                  */
	double overshoot; /* by how much it goes beyond the end of a turn, on average                            */
	double ripple;    /* RMS by which its speed differs from the head's                                      */
	double still_s;   /* s of rest that `still` is from                                                      */
	double quietest;  /* without any: deg/s, the top speed of the quietest half second, which it is from     */
	int turns;        /* that `overshoot` is from                                                            */
};
struct judge_run {
	char name[300];
	struct judge_poses out, truth; /* truth: at the looks from first to last */
	struct judge_marks marks;
	char *log; /* what the filters said */
};
/* Runs the recording through the chain and judges it.
 * 0, or -1 with why: one sentence without full stop. Free with judge_run_free(). */
int judge_recording_run(const struct judge_recording *, const char *ini, size_t size, const char *name,
                        struct judge_run *, struct hp_errors *, char *why, size_t why_size);
void judge_run_free(struct judge_run *);
/* The newest pose at a time, NULL before the first; *at helps to find the next one. */
const struct judge_pose *judge_pose_at(const struct judge_poses *, int64_t time_ns, size_t *at);
#endif
