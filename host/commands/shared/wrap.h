/* SPDX-License-Identifier: MIT
 * wrap.h - running text for a terminal. */
#ifndef HP_WRAP_H
#define HP_WRAP_H
#include <stdio.h>

/* Text from the current column on, broken between words before column 97; the next lines are indented. Ends with a
 * newline. */
void hp_wrap(FILE *, const char *text, int column, int indent);
#endif
