/* SPDX-License-Identifier: MIT
 * advice.h - what to tell a person about a gyroscope that is not as it should be. What it says to put into an ini makes
 * the gyroscope turn as the pose does when that is done to the letter. */
#ifndef FILTERS_ADVICE_H
#define FILTERS_ADVICE_H
#include "agree.h"
#include "trim.h"
#include <stddef.h>

enum { ADVICE_SIZE = 400 };
/* Why the gyroscope is not followed. False (no text) while it is open which axes would fit, unless it has been clear
 * for long enough that the two differ. */
bool advice_axes(const struct agree *, bool long_enough, char text[ADVICE_SIZE]);
/* What is taken out of its readings, or why it is given up: late. False when nothing worth a word was found. */
bool advice_trim(const struct trim *, char text[ADVICE_SIZE]);
void advice_late(const struct trim *, char text[ADVICE_SIZE]);
#endif
