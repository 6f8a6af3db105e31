/* SPDX-License-Identifier: MIT
 * number.c - %.9g and %.3f of doubles, exactly, without locale, heap or printf.
 *
 * %.9g: one 64 x 64 bit product with a power of ten chosen by the binary exponent gives nine digits and 32 bits of
 * fraction, less than 2 units too small. Only when these bits stand at one half are the exact integers compared
 * (exact.c). That a fixed number of digits needs so few bits is the observation of U. Adams, "Ryu revisited:
 * printf floating point conversion" (OOPSLA 2019); digits are split eight at a time inside one register.
 * %.3f: below 2^53 the product of the 53-bit significand with 1000 fits 63 bits, so a shift is exact. */
#include "number.h"
#include "digits.h"
#include "tables.h"
#include <stdbool.h>
#include <string.h>

static size_t text_not_finite(uint64_t bits, char *out)
{
	size_t neg = bits >> 63;
	*out = '-';
	memcpy(out + neg, bits << 12 ? "nan" : "inf", 3);
	return neg + 3;
}

/* The seldom taken ways are functions of their own, called last, so that the usual one saves no registers. */
#define SELDOM __attribute__((noinline))

SELDOM static size_t exponential(uint64_t eight, char last, unsigned count, int x, size_t neg, char *out)
{
	char digits[16];
	memcpy(digits, &eight, 8);
	digits[8] = last;
	return neg + put_exponential(digits, count, x, out);
}

/* Nine digits n, the first of which stands for 10^x. out is behind the sign; returns the length with it. */
static inline size_t lay_out(uint32_t n, int x, size_t neg, char *out)
{
	if (__builtin_expect(n == 1000000000, 0)) {
		n = 100000000;
		x++;
	}
	uint32_t first = n / 100000000;
	uint64_t rest = digits8(n - first * 100000000);
	uint64_t eight = first | rest << 8, last = rest >> 56;
	unsigned count = (63u ^ (unsigned)__builtin_clzll(eight)) / 8 + 1; /* without zeros at the end */
	count = last ? 9 : count;
	eight |= ASCII_ZEROS;
	last |= '0';
	if (__builtin_expect((unsigned)(x + 4) > 12, 0))
		return exponential(eight, (char)last, count, x, neg, out);
	/* all nine digits, behind "0.000" when x < 0; then, over them, the point behind digit x and the rest again.
	 * When no point is wanted there, both go behind the end. */
	int small = x >> 31, start = (1 - x) & small, at = small ? 8 : x;
	unsigned shift = 8 * (unsigned)at;
	uint64_t behind = eight >> (shift & 63) >> 8 | last << ((56 - shift) & 63);
	memcpy(out, "0.000000", 8);
	char *p = out + start;
	memcpy(p, &eight, 8);
	p[8] = (char)last;
	p += at + 1;
	*p = '.';
	memcpy(p + 1, &behind, 8);
	int before = x + 1, grow = small ? start : 1;
	return neg + (unsigned)((int)count > before ? (int)count + grow : before);
}

/* The fraction is at one half, or one below it: which side the value is on takes exact integers. */
SELDOM static size_t near_half(uint64_t m, int e, int x, uint64_t scaled, size_t neg, char *out)
{
	uint32_t n = (uint32_t)(scaled >> 32);
	return lay_out(n + (uint32_t)hp_number_rounds_up(m, e - 63, 8 - x, n), x, neg, out);
}

/* The magnitude m * 2^(e-63) with the top bit of m set: 2^e is the highest power of two in it. */
static inline size_t put_9g(uint64_t m, int e, size_t neg, char *out)
{
	/* the value * 10^(8-x) * 2^32, at most 2 too small; when that has ten digits before the point, a tenth of it */
	int x = e * 315653 >> 20;
	uint64_t scaled = (uint64_t)((unsigned __int128)m * hp_pow_nine[e - HP_NINE_FIRST] >> 64);
	if (scaled >= 1000000000ull << 32) {
		scaled /= 10;
		x++;
	}
	uint64_t rounded = scaled + (1ull << 31);
	if (__builtin_expect((uint32_t)rounded + 1 <= 1, 0))
		return near_half(m, e, x, scaled, neg, out);
	return lay_out((uint32_t)(rounded >> 32), x, neg, out);
}

/* Zero, denormals and what is not finite. */
SELDOM static size_t rare_9g(uint64_t bits, char *out)
{
	size_t neg = bits >> 63;
	if (bits << 1 == 0) {
		*out = '-';
		out[neg] = '0';
		return neg + 1;
	}
	if ((bits >> 52 & 0x7ff) == 0x7ff)
		return text_not_finite(bits, out);
	int up = __builtin_clzll(bits << 12);
	*out = '-';
	return put_9g(bits << 12 << up, -1023 - up, neg, out + neg);
}

size_t hp_text_9g(double v, char *out)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	unsigned e = bits >> 52 & 0x7ff;
	size_t neg = bits >> 63;
	if (__builtin_expect(e - 1 >= 0x7fe, 0))
		return rare_9g(bits, out);
	*out = '-';
	return put_9g(bits << 11 | 1ull << 63, (int)e - 1023, neg, out + neg);
}

/* Magnitudes of 10^5 and more, below 2^-11, and what is not finite. m: the significand with its hidden bit. */
SELDOM static size_t rare_f3(uint64_t bits, char *out)
{
	int e = (int)(bits >> 52 & 0x7ff);
	size_t neg = bits >> 63, n;
	uint64_t m = bits & ((1ull << 52) - 1), q = 0;
	if (e == 0x7ff)
		return text_not_finite(bits, out);
	if (e)
		m |= 1ull << 52;
	else
		e = 1;
	*out = '-';
	out += neg;
	int shift = 1075 - e; /* v = m / 2^shift */
	if (shift < 0) {
		n = hp_number_integer(m, -shift, out);
		memcpy(out + n, ".000", 4);
		return neg + n + 4;
	}
	if (shift == 0)
		q = m * 1000;
	else if (shift < 64)
		q = (m * 1000 + (1ull << (shift - 1)) - 1 + (m * 1000 >> shift & 1)) >> shift;
	n = put_u64(q / 1000, out);
	uint32_t mils = (uint32_t)(q % 1000),
	         text = '.' | (mils / 100) << 8 | (mils / 10 % 10) << 16 | (mils % 10) << 24;
	text += 0x30303000;
	memcpy(out + n, &text, 4);
	return neg + n + 4;
}

size_t hp_text_f3(double v, char *out)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	size_t neg = bits >> 63;
	unsigned shift = 1075 - (unsigned)(bits >> 52 & 0x7ff); /* v = m / 2^shift */
	uint64_t thousands = ((bits & ((1ull << 52) - 1)) | 1ull << 52) * 1000;
	if (__builtin_expect(shift - 1 >= 63, 0))
		return rare_f3(bits, out);
	/* to the nearest, ties to even: one half, less the last unit unless the number is odd */
	uint64_t q = (thousands + (1ull << (shift - 1)) - 1 + (thousands >> shift & 1)) >> shift;
	if (__builtin_expect(q >= 100000000, 0))
		return rare_f3(bits, out);
	*out = '-';
	out += neg;
	/* five digits before the point, of which at least one is shown, and three behind */
	uint64_t digits = digits8((uint32_t)q);
	unsigned zeros = (unsigned)__builtin_ctzll(digits | 1ull << 32) / 8;
	digits |= ASCII_ZEROS;
	uint64_t before = digits >> 8 * zeros;
	uint32_t behind = (uint32_t)(digits >> 40 << 8) | '.';
	memcpy(out, &before, 8);
	memcpy(out + 5 - zeros, &behind, 4);
	return neg + 9 - zeros;
}
