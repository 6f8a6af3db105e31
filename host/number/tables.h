/* SPDX-License-Identifier: MIT
 * tables.h - powers of ten for number.c (written by tables.py). */
#ifndef HP_NUMBER_TABLES_H
#define HP_NUMBER_TABLES_H
#include <stdint.h>

enum { HP_NINE_FIRST = -1074, HP_NINE_LAST = 1023, HP_POW_FIRST = -324, HP_POW_LAST = 292 };

/* For values 2^e <= v < 2^(e+1): floor(10^(8-x) * 2^(33+e)) with x = floor(log10(2^e)); [e - HP_NINE_FIRST]. */
extern const uint64_t hp_pow_nine[HP_NINE_LAST - HP_NINE_FIRST + 1];
/* floor(10^-k * 2^r) + 1 with r so that it has 126 bits: upper and lower 63 bits; [2 * (k - HP_POW_FIRST)]. */
extern const uint64_t hp_pow_126[2 * (HP_POW_LAST - HP_POW_FIRST + 1)];
#endif
