/* SPDX-License-Identifier: MIT
 * chain.h - the filters of an ini, driven outside a run: samples and events go in, what would reach an output is
 * collected. The clock is the samples' time, as in a replay, so the same samples give the same poses. */
#ifndef JUDGE_CHAIN_H
#define JUDGE_CHAIN_H
#include "config/errors.h"
#include "graph/node.h"
#include "headpipe.h"

/* A pose and when it holds. */
struct judge_pose {
	int64_t time_ns;
	double quat[4]; /* w x y z, unit length, head to world */
};
struct judge_poses {
	struct judge_pose *at;
	size_t n, room;
};
void judge_poses_add(struct judge_poses *, int64_t time_ns, const double quat[4]);
void judge_poses_free(struct judge_poses *);

struct judge_chain;
/* The filters between an input and the first output of the ini text. NULL: errors say why. Everything it needs is its
 * own; judge_chain_free() after. */
struct judge_chain *judge_chain_new(const char *ini, size_t size, const char *file, struct hp_errors *);
void judge_chain_free(struct judge_chain *);
/* Names of the filters, "kalman, resample". Owned by the chain. */
const char *judge_chain_names(const struct judge_chain *);
/* Takes out what smooths or predicts, so that poses come out as the tracker measured them, but with the same axes,
 * centre and mapping. Before judge_chain_begin(). */
void judge_chain_plain(struct judge_chain *);
/* Begins anew: every filter is closed and opened again. 0, or -errno with a sentence in judge_chain_log(). */
int judge_chain_begin(struct judge_chain *);
void judge_chain_sample(struct judge_chain *, const struct hp_sample *);
void judge_chain_event(struct judge_chain *, const struct hp_event *);
/* What came out since begin, in order; the chain's. */
const struct judge_poses *judge_chain_poses(const struct judge_chain *);
/* What the filters said since begin: "warn: text\n". */
const char *judge_chain_log(const struct judge_chain *);
#endif
