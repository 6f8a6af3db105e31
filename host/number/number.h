/* SPDX-License-Identifier: MIT
 * number.h - doubles to text, exactly as C's %.9g and %.3f in the C locale, but locale-free and fast. */
#ifndef HP_NUMBER_H
#define HP_NUMBER_H
#include <stddef.h>

enum { HP_9G_MAX = 24, HP_F3_MAX = 336 }; /* bytes that may be touched at out */

/* Write the text of a finite value at out (no NUL); return its length. Bytes behind it, up to the maximum
 * above, may be overwritten. */
size_t hp_text_9g(double, char *out);
size_t hp_text_f3(double, char *out);
/* Shortest text that reads back as the same double (17 digits at most); for CSV. HP_9G_MAX + 8 bytes. */
size_t hp_text_exact(double, char *out);
#endif
