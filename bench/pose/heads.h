/* SPDX-License-Identifier: MIT
 * heads.h - recorded head motion as truth: thinned out to what a slow tracker would report, and compared with every row
 * of the recording. */
#ifndef BENCH_POSE_HEADS_H
#define BENCH_POSE_HEADS_H
#include "judge/score.h"

struct head_row {
	double time; /* s from the first row */
	double quat[4], gyro[3];
};
struct head_trace {
	struct head_row *row;
	size_t n;
	bool has_gyro;
};
/* A file of rows time_s qw qx qy qz [gx gy gz ...] with one header line, plain or gzip. 0, or -1 with why. */
int head_trace_read(struct head_trace *, const char *path, char *why, size_t size);
void head_trace_free(struct head_trace *);
/* The pose between two rows. */
void head_trace_pose(const struct head_trace *, double time, double quat[4]);

struct head_score {
	double rms, p99; /* error of the pose that is seen, 250 times a second, degrees */
};
/* The largest distance between what comes out and the row that went in, degrees; the chain's log is left to be read. */
double head_worst(struct judge_chain *, const struct head_trace *);
/* tracker.rate 0 = every row. */
int head_score(struct judge_chain *, const struct head_trace *, const struct judge_tracker *, struct head_score *);
#endif
