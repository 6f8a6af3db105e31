/* SPDX-License-Identifier: MIT
 * reach.h - whether a recording is as long as `from` says. */
#ifndef REPLAY_REACH_H
#define REPLAY_REACH_H
#include "source.h"

/* 0, or -errno with one sentence in why: it cannot be opened, or -ERANGE. from: ns after its start. Reads up to there
 * where the format cannot seek. */
int replay_reaches(const struct report_source_ask *, int64_t from, char *why, size_t size);
/* Writes the sentence about it; length: ns from its start to its end. Returns -ERANGE. */
int replay_behind_end(const char *path, int64_t from, int64_t length, char *why, size_t size);
#endif
