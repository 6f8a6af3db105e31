/* SPDX-License-Identifier: MIT
 * picture.h - what filters make of a recording, as an SVG for people: the liveliest moment, the quietest, and the
 * marks. */
#ifndef JUDGE_PICTURE_H
#define JUDGE_PICTURE_H
#include "recording.h"
#include <stdio.h>

enum { JUDGE_RUNS = 8 };
/* title: plain UTF-8 text. n: at most JUDGE_RUNS. */
void judge_picture(FILE *, const char *title, const struct judge_run *, size_t n);
#endif
