/* SPDX-License-Identifier: MIT
 * axis_map.h - "which of the device's axes becomes x, y and z": the words YXZ and XZ of an ini, read and applied. */
#ifndef HP_AXIS_MAP_H
#define HP_AXIS_MAP_H
#include <stddef.h>

struct hp_axis_map {
	int from[3];    /* out[i] = in[from[i]] * sign[i] */
	double sign[3]; /* 1 or -1 */
};

/* map: the letters X, Y, Z in any order; invert: letters out of X, Y, Z, each at most once, or "none". Either case.
 * NULL: what is in the map already stays. 0; or -EINVAL, with *wrong = 0 (map) or 1 (invert) and why = one clause
 * without full stop. [any] */
int hp_axis_map_read(struct hp_axis_map *, const char *map, const char *invert, int *wrong, char *why, size_t size);
/* The same from lists that the host has read: all three axes in some order; ninverted of them. [any] */
void hp_axis_map_of(struct hp_axis_map *, const unsigned char order[3], const unsigned char *inverted,
                    size_t ninverted);
void hp_axis_map_apply(const struct hp_axis_map *, const double in[3], double out[3]);
/* 1 or -1. -1: a mirror, that is, a change of axes and a rotation the other way round. */
int hp_axis_map_sign(const struct hp_axis_map *);
#endif
