/* SPDX-License-Identifier: MIT
 * libm_probe.h - is this the C library whose last bits the reference vectors were made with? */
#ifndef PLAIN_LIBM_PROBE_H
#define PLAIN_LIBM_PROBE_H
#include <stdbool.h>
#include <stdint.h>

/* True when sin, cos, asin, acos and atan2 give the bits of glibc's FMA code on values where other code differs. */
bool libm_is_reference(void);
/* Doubles from trigonometry: the same bits when exact, else within 1e-9 (degrees, or their unit). Nothing else is
 * allowed to use this. */
bool libm_equal(double a, double b, bool exact);
#endif
