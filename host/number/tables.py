#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tables.c: the powers of ten behind number.c. Run as: python3 host/number/tables.py > host/number/tables.c"""


def floor_log2(num, den):
    """Largest n with 2**n <= num / den."""
    n = num.bit_length() - den.bit_length()
    over = den << n <= num if n >= 0 else den <= num << -n
    return n if over else n - 1


def floor_power(ten, two):
    """floor(10**ten * 2**two) for any signs."""
    num = 10 ** max(ten, 0) << max(two, 0)
    den = 10 ** max(-ten, 0) << max(-two, 0)
    return num // den


def floor_log10_pow2(e):
    """floor(log10(2**e))"""
    if e >= 0:
        return len(str(1 << e)) - 1
    return -len(str((1 << -e) - 1)) if e else 0


def nine():
    for e in range(-1074, 1024):
        x = floor_log10_pow2(e)
        assert x == (e * 315653) >> 20
        yield floor_power(8 - x, 33 + e)


def shortest():
    for k in range(-324, 293):
        num, den = 10 ** max(-k, 0), 10 ** max(k, 0)
        g = floor_power(-k, 125 - floor_log2(num, den)) + 1
        yield g >> 63
        yield g & ((1 << 63) - 1)


def rows(values):
    values = ["0x%016x" % v for v in values]
    for i in range(0, len(values), 5):
        print("\t" + ", ".join(values[i : i + 5]) + ",")


print("""/* SPDX-License-Identifier: MIT
 * tables.c - powers of ten for number.c and shortest.c. Written by tables.py; do not edit. More than 400 lines:
 * numbers. */
/* clang-format off */
#include "tables.h"

const uint64_t hp_pow_nine[HP_NINE_LAST - HP_NINE_FIRST + 1] = {""")
rows(nine())
print("};\n\nconst uint64_t hp_pow_126[2 * (HP_POW_LAST - HP_POW_FIRST + 1)] = {")
rows(shortest())
print("};")
