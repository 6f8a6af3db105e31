/* SPDX-License-Identifier: MIT
 * convert.h - what the parts of the conversion share: where the ini and the list of what could not be said go. */
#ifndef HP_PROFILE_CONVERT_H
#define HP_PROFILE_CONVERT_H
#include "profile.h"

enum { HP_CONVERT_AXES = 6 };
/* opentrack's axes in its order */
extern const struct hp_convert_axis {
	const char *name, *spline, *ours;
	bool mirrored;                      /* its positive side is our negative one */
	double most_in, most_out, ours_out; /* defaults of opentrack; what `curve` takes */
} hp_convert_axes[HP_CONVERT_AXES];

struct hp_convert {
	struct hp_profile *p;
	bool (*has)(const char *filter, const char *key);
	FILE *ini, *notes;
	int nnotes;
};

/* One line of the list, at most 400 bytes. */
void hp_convert_note(struct hp_convert *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "yaw-max-value" from "yaw" and "max-value". Returns buf. */
const char *hp_convert_key(const char *axis, const char *what, char buf[64]);
/* At most three decimals, whatever the language of the system. Returns buf. */
const char *hp_convert_number(double v, char buf[32]);
/* curves.c: the curves of the three angles, or of the three ways, as one [filter SECTION]; false: all are straight, and
 * nothing is written. */
bool hp_convert_curves(struct hp_convert *, bool angles, const char *section);
#endif
