/* SPDX-License-Identifier: MIT
 * curve.h - a curve through points, "20:10 60:90", that goes nowhere the points do not go: monotone cubic interpolation
 * (F. N. Fritsch and R. E. Carlson, SIAM J. Numer. Anal. 17(2), 1980, pages 238 to 246). Pure. [any] */
#ifndef HP_CURVE_H
#define HP_CURVE_H
#include <stdbool.h>
#include <stddef.h>

enum { HP_CURVE_POINTS = 32 };
struct hp_curve {
	int n;                                                                         /* with 0:0; 0 = no curve */
	double x[HP_CURVE_POINTS + 1], y[HP_CURVE_POINTS + 1], m[HP_CURVE_POINTS + 1]; /* m: slopes          */
};

/* Reads `in:out` pairs with blanks or commas between them. in must rise from point to point and lie in 0 to most_in,
 * out in 0 to most_out; 0:0 is the first point, given or not. An empty text or "none": n = 0. 0; or -EINVAL and why =
 * one clause without full stop. */
int hp_curve_read(struct hp_curve *, const char *text, double most_in, double most_out, char *why, size_t size);
/* The curve at x >= 0; beyond the last point its value there. n must not be 0. */
double hp_curve_at(const struct hp_curve *, double x);
/* The first stretch on which the curve falls, so that two inputs give one output. false: there is none. */
bool hp_curve_falls(const struct hp_curve *, double *from, double *to);
#endif
