/* SPDX-License-Identifier: MIT
 * advice.c - the sentences of advice.h. */
#include "advice.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double ratio_least = 0.8, ratio_most = 1.25; /* of lengths: else the unit is another one     */
static const double scale_word = 0.02, late_word = 0.003; /* what is worth a word: of 1; s                */

static const char *const differs = "the gyroscope does not turn as the pose does, so the pose is followed without it; ";

/* As the filter `mount` takes them: letters of the gyroscope's axes, and which to turn round after that. */
static void axes_text(const int axes[3], char map[4], char invert[8])
{
	int n = 0;
	for (int i = 0; i < 3; i++) {
		map[i] = (char)('X' + abs(axes[i]) - 1);
		if (axes[i] < 0)
			invert[n++] = (char)('X' + i);
	}
	map[3] = invert[n] = 0;
	if (!n)
		strcpy(invert, "none");
}

bool advice_axes(const struct agree *a, bool long_enough, char text[ADVICE_SIZE])
{
	int axes[3] = { 1, 2, 3 };
	char map[4], invert[8];
	enum agree_fit fit = agree_axes(a, axes);
	double ratio = agree_ratio(a);
	axes_text(axes, map, invert);
	bool straight = axes[0] == 1 && axes[1] == 2 && axes[2] == 3,
	     right_size = ratio > ratio_least && ratio < ratio_most;
	bool unknown = fit == AGREE_FITS_NOT || (fit == AGREE_FITS && straight && right_size);
	if (unknown && !long_enough)
		return false;
	if (unknown)
		snprintf(text, ADVICE_SIZE,
		         "%sno order and signs of its axes would fit; `headpipe calibrate` shows what the device does",
		         differs);
	else if (!right_size && straight)
		snprintf(text, ADVICE_SIZE, "%sits readings would fit if they were %.3g times as large", differs,
		         ratio);
	else if (!right_size)
		snprintf(text, ADVICE_SIZE,
		         "%sits readings would fit if they were %.3g times as large and in another order; "
		         "`headpipe calibrate` finds which",
		         differs, ratio);
	else if (fit == AGREE_FITS)
		snprintf(text, ADVICE_SIZE,
		         "%sits axes would fit in another order: a filter mount right above with gyro_map = %s, "
		         "gyro_invert = %s does that",
		         differs, map, invert);
	else if (straight)
		snprintf(
		    text, ADVICE_SIZE,
		    "%sit would fit if the pose turned the other way round: a filter mount right above with axis_map = "
		    "YXZ, invert = XZ does that, and `headpipe calibrate` finds how the device sits",
		    differs);
	else
		snprintf(text, ADVICE_SIZE,
		         "%sit would fit if the pose turned the other way round and its axes were in another order: a "
		         "filter "
		         "mount right above with axis_map = XYZ, invert = XYZ, gyro_map = %s, gyro_invert = %s does "
		         "that, and "
		         "`headpipe calibrate` finds how the device sits",
		         differs, map, invert);
	return true;
}

/* "1.05 times as large about x, .9 about y", or one number for all; empty when there is nothing worth a word. */
static void scales_text(const struct trim *t, char *text, size_t size)
{
	double by[3], least = INFINITY, most = -INFINITY;
	size_t n = 0;
	*text = 0;
	for (int i = 0; i < 3; i++) {
		by[i] = 1 / (1 + t->axis[i].fault[TRIM_SCALE]);
		least = fmin(least, by[i]);
		most = fmax(most, by[i]);
	}
	if (most - least < scale_word && fmin(fabs(least - 1), fabs(most - 1)) >= scale_word) {
		snprintf(text, size, "%.2f times as large as the pose says", (least + most) / 2);
		return;
	}
	for (int i = 0; i < 3; i++)
		if (fabs(by[i] - 1) >= scale_word)
			n += (size_t)snprintf(text + n, size - n, "%s%.2f times as large about %c", n ? ", " : "",
			                      by[i], 'x' + i);
}

bool advice_trim(const struct trim *t, char text[ADVICE_SIZE])
{
	char scales[120], late[40] = "";
	double delay = trim_delay(t);
	scales_text(t, scales, sizeof scales);
	if (fabs(delay) >= late_word)
		snprintf(late, sizeof late, "%.0f ms %s", fabs(delay) * 1e3, delay > 0 ? "late" : "early");
	if (!*scales && !*late)
		return false;
	snprintf(text, ADVICE_SIZE, "the gyroscope's readings are %s%s%s; that is taken out", scales,
	         *scales && *late ? ", " : "", late);
	return true;
}

void advice_late(const struct trim *t, char text[ADVICE_SIZE])
{
	snprintf(text, ADVICE_SIZE,
	         "the gyroscope turns some %.0f ms later than the pose does, so the pose is followed without it",
	         trim_delay(t) * 1e3);
}
