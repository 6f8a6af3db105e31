/* SPDX-License-Identifier: MIT
 * curve.c - monotone cubic interpolation; see curve.h. */
#include "curve.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A decimal number without exponent and sign, whatever the language of the system. NULL: none here. */
static const char *number(const char *p, double *v)
{
	double whole = 0, scale = 1;
	int digits = 0;
	for (; *p >= '0' && *p <= '9'; p++, digits++)
		whole = whole * 10 + (*p - '0');
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++, digits++) {
			whole = whole * 10 + (*p - '0');
			scale *= 10;
		}
	*v = whole / scale;
	return digits && digits <= 15 ? p : NULL;
}
static int bad(char *why, size_t size, const char *word, const char *what)
{
	size_t n = strcspn(word, " \t,");
	snprintf(why, size, "`%.*s` %s", n < 40 ? (int)n : 40, word, what);
	return -EINVAL;
}
/* A slope per point: the mean of those beside it, held back so far that no piece leaves the range of its two points. */
static void slopes(struct hp_curve *c)
{
	double d[HP_CURVE_POINTS + 1];
	int last = c->n - 1;
	for (int i = 0; i < last; i++)
		d[i] = (c->y[i + 1] - c->y[i]) / (c->x[i + 1] - c->x[i]);
	c->m[0] = d[0];
	c->m[last] = d[last - 1];
	for (int i = 1; i < last; i++)
		c->m[i] = d[i - 1] * d[i] <= 0 ? 0 : (d[i - 1] + d[i]) / 2;
	for (int i = 0; i < last; i++) {
		if (d[i] == 0) /* so are the slopes at its ends */
			continue;
		double a = c->m[i] / d[i], b = c->m[i + 1] / d[i], s = a * a + b * b;
		if (s > 9) {
			double t = 3 / sqrt(s);
			c->m[i] = t * a * d[i];
			c->m[i + 1] = t * b * d[i];
		}
	}
}

int hp_curve_read(struct hp_curve *c, const char *text, double most_in, double most_out, char *why, size_t size)
{
	memset(c, 0, sizeof *c);
	const char *p = text + strspn(text, " \t,");
	if (!*p || !strcmp(p, "none"))
		return 0;
	c->n = 1;
	while (*p) {
		double x, y;
		char what[96];
		const char *word = p;
		p = number(p, &x);
		p = p && *p == ':' ? number(p + 1, &y) : NULL;
		if (!p || (*p && !strchr(" \t,", *p)))
			return bad(why, size, word, "is no point; allowed: in:out, such as 20:10 60:90, without signs");
		snprintf(what, sizeof what, "is outside: in is 0 to %g, out is 0 to %g", most_in, most_out);
		if (x > most_in || y > most_out)
			return bad(why, size, word, what);
		p += strspn(p, " \t,");
		if (x == 0 && c->n == 1 && y == 0)
			continue;
		if (x == 0)
			return bad(why, size, word, "is not where a curve begins: at 0 it is 0");
		if (x - c->x[c->n - 1] < 1e-6)
			return bad(why, size, word, "does not come after the point before it: in must rise");
		if (c->n > HP_CURVE_POINTS)
			return bad(why, size, word, "is one point too many; at most 32");
		c->x[c->n] = x;
		c->y[c->n++] = y;
	}
	if (c->n < 2) {
		snprintf(why, size, "needs a point besides 0:0");
		return -EINVAL;
	}
	slopes(c);
	return 0;
}

double hp_curve_at(const struct hp_curve *c, double x)
{
	int i = 0;
	if (x >= c->x[c->n - 1])
		return c->y[c->n - 1];
	while (x >= c->x[i + 1])
		i++;
	double h = c->x[i + 1] - c->x[i], t = (x - c->x[i]) / h, u = 1 - t;
	return (1 + 2 * t) * u * u * c->y[i] + t * t * (3 - 2 * t) * c->y[i + 1] +
	       h * t * u * (u * c->m[i] - t * c->m[i + 1]);
}

bool hp_curve_falls(const struct hp_curve *c, double *from, double *to)
{
	for (int i = 1; i < c->n; i++)
		if (c->y[i] < c->y[i - 1]) {
			*from = c->x[i - 1];
			while (i + 1 < c->n && c->y[i + 1] < c->y[i])
				i++;
			*to = c->x[i];
			return true;
		}
	return false;
}
