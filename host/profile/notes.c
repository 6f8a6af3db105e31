/* SPDX-License-Identifier: MIT
 * notes.c - what every part of the conversion needs: opentrack's axes, its keys, numbers, and lines for the list. */
#include "convert.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

const struct hp_convert_axis hp_convert_axes[HP_CONVERT_AXES] = {
	{ "x", "X", "y", true, 30, 75, 1000 },           { "y", "Y", "z", false, 30, 75, 1000 },
	{ "z", "Z", "x", true, 30, 75, 1000 },           { "yaw", "yaw", "yaw", true, 180, 180, 180 },
	{ "pitch", "pitch", "pitch", true, 90, 90, 90 }, { "roll", "roll", "roll", false, 180, 180, 180 },
};

void hp_convert_note(struct hp_convert *o, const char *fmt, ...)
{
	char text[400]; /* what stands in a file is not to give orders to a terminal */
	va_list list;
	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	for (const char *c = text; *c; c++)
		fputc((unsigned char)*c >= ' ' && *c != 127 ? *c : '.', o->notes);
	fputc('\n', o->notes);
	o->nnotes++;
}
const char *hp_convert_key(const char *axis, const char *what, char buf[64])
{
	snprintf(buf, 64, "%s-%s", axis, what);
	return buf;
}
const char *hp_convert_number(double v, char buf[32])
{
	long long n = llround(fmin(fmax(v, -1e9), 1e9) * 1000), whole = llabs(n) / 1000, part = llabs(n) % 1000;
	snprintf(buf, 32, "%s%lld.%03lld", n < 0 ? "-" : "", whole, part);
	size_t end = strlen(buf);
	while (buf[end - 1] == '0')
		buf[--end] = 0;
	if (buf[end - 1] == '.')
		buf[--end] = 0;
	return buf;
}
