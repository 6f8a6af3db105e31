/* SPDX-License-Identifier: MIT
 * curves.c - the curves of an opentrack profile as sections of the filter `curve`. */
#include "convert.h"
#include <math.h>
#include <stdlib.h>

enum { POINTS = 64, CURVE_POINTS = 32 };
static const char *const UI = "opentrack-ui", *const MAPPINGS = "opentrack-mappings";

/* As opentrack shows it: points up to max-value, flat to max-output-value; none: a line to both. */
struct curve {
	int n;
	double xy[2 * POINTS];
	double most_out;
};
static int by_x(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}
static void read_curve(struct hp_convert *o, const struct hp_convert_axis *a, bool alt, struct curve *c)
{
	char section[64], key[64];
	double most_in = fabs(hp_profile_number(o->p, MAPPINGS, hp_convert_key(a->name, "max-value", key), a->most_in));
	double most_out =
	    fabs(hp_profile_number(o->p, MAPPINGS, hp_convert_key(a->name, "max-output-value", key), a->most_out));
	snprintf(section, sizeof section, "%sspline-%s", alt ? "alt-" : "", a->spline);
	double xy[2 * POINTS];
	int n = hp_profile_points(o->p, section, "points", xy, POINTS), kept = 0;
	if (n < 0)
		hp_convert_note(o, "[%s] points: not understood; the curve is left straight", section);
	qsort(xy, n > 0 ? (size_t)n : 0, 2 * sizeof *xy, by_x);
	for (int i = 0; i < n; i++) {
		if (xy[2 * i] < 0 || xy[2 * i] - 1e-4 > most_in || xy[2 * i + 1] < 0)
			continue;
		if (kept && xy[2 * i] - c->xy[2 * kept - 2] < 2e-3) /* one above the other: the last counts */
			kept--;
		c->xy[2 * kept] = xy[2 * i];
		c->xy[2 * kept + 1] = fmin(xy[2 * i + 1], fmin(most_out, a->ours_out));
		kept++;
	}
	if (!kept || (kept == 1 && c->xy[0] < 2e-3)) {
		c->xy[0] = most_in;
		c->xy[1] = fmin(most_out, a->ours_out);
		kept = 1;
	}
	if (most_out > a->ours_out)
		hp_convert_note(o, "%s-max-output-value = %g: a pitch ends straight up or down, at %g", a->name,
		                most_out, a->ours_out);
	c->n = kept;
}
/* The line that changes nothing, to where the head gets at most. */
static bool is_plain(const struct curve *c, const struct hp_convert_axis *a)
{
	for (int i = 0; i < c->n; i++)
		if (fabs(c->xy[2 * i] - c->xy[2 * i + 1]) > 1e-9)
			return false;
	return c->xy[2 * c->n - 2] >= a->ours_out - 1e-9;
}
static void write_points(struct hp_convert *o, const char *key, const char *suffix, const struct curve *c)
{
	char x[32], y[32];
	fprintf(o->ini, "%s%s =", key, suffix);
	int n = 0;
	for (int i = 0; i < c->n && n < CURVE_POINTS; i++) {
		if (c->xy[2 * i] < 2e-3)
			continue;
		fprintf(o->ini, " %s:%s", hp_convert_number(c->xy[2 * i], x), hp_convert_number(c->xy[2 * i + 1], y));
		n++;
	}
	fputc('\n', o->ini);
	if (n == CURVE_POINTS && c->n > n)
		hp_convert_note(o, "%s: only the first %d points of the curve are taken over", key, CURVE_POINTS);
}
/* opentrack makes 75 cm of 30 unless told otherwise. Nobody who never looked at it, and has no neck, means that. */
static bool is_meant(struct hp_convert *o, const struct hp_convert_axis *a)
{
	char section[64], key[64];
	snprintf(section, sizeof section, "spline-%s", a->spline);
	return hp_profile_find(o->p, section, "points") ||
	       hp_profile_find(o->p, MAPPINGS, hp_convert_key(a->name, "max-value", key)) ||
	       hp_profile_find(o->p, MAPPINGS, hp_convert_key(a->name, "max-output-value", key)) ||
	       hp_profile_bool(o->p, UI, "neck-enable", false);
}
bool hp_convert_curves(struct hp_convert *o, bool angles, const char *section)
{
	bool any = false;
	int first = angles ? 3 : 0;
	for (int i = first; i < first + 3; i++) {
		const struct hp_convert_axis *a = &hp_convert_axes[i];
		char key[64];
		if (i < 3 && !is_meant(o, a))
			continue;
		struct curve main, alt;
		bool two = hp_profile_bool(o->p, MAPPINGS, hp_convert_key(a->name, "alt-axis-sign", key), false);
		read_curve(o, a, false, &main);
		if (two)
			read_curve(o, a, true, &alt);
		if (is_plain(&main, a) && (!two || is_plain(&alt, a)))
			continue;
		if (!any)
			fprintf(o->ini, "\n[filter %s]\nuse = curve\n", section);
		any = true;
		const struct curve *positive = two && a->mirrored ? &alt : &main;
		write_points(o, a->ours, "", positive);
		if (two)
			write_points(o, a->ours, "_negative", positive == &main ? &alt : &main);
	}
	return any;
}
