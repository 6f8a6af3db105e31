/* SPDX-License-Identifier: MIT
 * axis_map.c - the order and the signs of axes as an ini says them; see axis_map.h. */
#include "axis_map.h"
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Index of an axis letter, either case; -1 for anything else. */
static int axis(char c)
{
	const char *p = c ? strchr("XxYyZz", c) : NULL;
	return p ? (int)(p - "XxYyZz") / 2 : -1;
}

int hp_axis_map_read(struct hp_axis_map *m, const char *map, const char *invert, int *wrong, char *why, size_t size)
{
	unsigned seen = map ? 0 : 7;
	size_t n = map ? strlen(map) : 3;
	for (size_t i = 0; map && i < n && i < 3; i++) {
		m->from[i] = axis(map[i]);
		if (m->from[i] >= 0)
			seen |= 1u << m->from[i];
	}
	*wrong = 0;
	if (n != 3 || seen != 7) {
		snprintf(why, size, "must be the letters X, Y and Z in some order, such as YXZ");
		return -EINVAL;
	}
	*wrong = 1;
	if (!invert)
		return 0;
	m->sign[0] = m->sign[1] = m->sign[2] = 1;
	bool none = strcmp(invert, "none") == 0;
	for (const char *p = none ? "" : invert; *p; p++) {
		int i = axis(*p);
		if (i < 0 || m->sign[i] < 0) {
			snprintf(why, size, "must be letters out of X, Y, Z, each at most once, or none");
			return -EINVAL;
		}
		m->sign[i] = -1;
	}
	if (!none && !*invert) {
		snprintf(why, size, "is empty; to invert no axis write none");
		return -EINVAL;
	}
	return 0;
}

void hp_axis_map_of(struct hp_axis_map *m, const unsigned char order[3], const unsigned char *inverted,
                    size_t ninverted)
{
	for (int i = 0; i < 3; i++) {
		m->from[i] = order[i];
		m->sign[i] = 1;
	}
	for (size_t i = 0; i < ninverted; i++)
		m->sign[inverted[i]] = -1;
}

void hp_axis_map_apply(const struct hp_axis_map *m, const double in[3], double out[3])
{
	double v[3] = { in[0], in[1], in[2] };
	for (int i = 0; i < 3; i++)
		out[i] = v[m->from[i]] * m->sign[i];
}

int hp_axis_map_sign(const struct hp_axis_map *m)
{
	bool even = m->from[0] == 0 ? m->from[1] == 1 : m->from[0] == 1 ? m->from[1] == 2 : m->from[1] == 0;
	double signs = m->sign[0] * m->sign[1] * m->sign[2];
	return (signs > 0) == even ? 1 : -1;
}
