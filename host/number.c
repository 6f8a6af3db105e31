/* SPDX-License-Identifier: MIT
 * number.c - %.9g and %.3f of doubles, exactly, without locale, heap or printf.
 *
 * %.9g: one 64 x 64 bit product with a power of ten chosen by the binary exponent gives nine digits and 32 bits of
 * fraction, less than 2 units too small. Only when these bits stand at one half are the exact integers compared
 * (number_exact.c). That a fixed number of digits needs so few bits is the observation of U. Adams, "Ryu revisited:
 * printf floating point conversion" (OOPSLA 2019); digits are split eight at a time inside one register.
 * %.3f: below 2^53 the product of the 53-bit significand with 1000 fits 63 bits, so a shift is exact. */
#include "number.h"
#include "number_digits.h"
#include "number_tables.h"
#include <stdbool.h>
#include <string.h>

/* m * 2^(e-63) with the top bit of m set: 2^e is the highest power of two in the value. */
static inline size_t put_9g(size_t neg, int e, uint64_t m, char *out)
{
	*out = '-';
	out += neg;
	/* the value * 10^(8-x) * 2^32, at most 2 too small; when that has ten digits before the point, a tenth of it */
	int x = e * 315653 >> 20;
	uint64_t scaled = (uint64_t)((unsigned __int128)m * hp_pow_nine[e - HP_NINE_FIRST] >> 64);
	uint64_t tenth = scaled / 10;
	bool ten = scaled >= 1000000000ull << 32;
	scaled = ten ? tenth : scaled;
	x += ten;
	uint64_t rounded = scaled + (1ull << 31);
	uint32_t n = (uint32_t)(rounded >> 32);
	/* the fraction is at one half, or one below it: which side the value itself is on is not known */
	if (__builtin_expect((uint32_t)rounded + 1 <= 1, 0)) {
		n = (uint32_t)(scaled >> 32);
		n += (uint32_t)hp_number_rounds_up(m, e - 63, 8 - x, n);
	}
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
	if (__builtin_expect((unsigned)(x + 4) > 12, 0)) {
		char digits[16];
		memcpy(digits, &eight, 8);
		digits[8] = (char)last;
		return neg + put_exponential(digits, count, x, out);
	}
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

static size_t text_not_finite(uint64_t bits, char *out)
{
	size_t neg = bits >> 63;
	*out = '-';
	memcpy(out + neg, bits << 12 ? "nan" : "inf", 3);
	return neg + 3;
}

/* Zero, denormals and what is not finite. */
static size_t rare_9g(uint64_t bits, char *out)
{
	if (bits << 1 == 0) {
		size_t neg = bits >> 63;
		*out = '-';
		out[neg] = '0';
		return neg + 1;
	}
	if ((bits >> 52 & 0x7ff) == 0x7ff)
		return text_not_finite(bits, out);
	int up = __builtin_clzll(bits << 12);
	return put_9g(bits >> 63, -1023 - up, bits << 12 << up, out);
}

size_t hp_text_9g(double v, char *out)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	unsigned e = bits >> 52 & 0x7ff;
	if (__builtin_expect(e - 1 >= 0x7fe, 0))
		return rare_9g(bits, out);
	return put_9g(bits >> 63, (int)e - 1023, bits << 11 | 1ull << 63, out);
}

size_t hp_text_f3(double v, char *out)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	size_t neg = bits >> 63;
	int e = (int)(bits >> 52 & 0x7ff);
	uint64_t m = bits & ((1ull << 52) - 1);
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
		size_t n = hp_number_integer(m, -shift, out);
		memcpy(out + n, ".000", 4);
		return neg + n + 4;
	}
	uint64_t thousands = m * 1000, q = 0;
	if (shift < 64) {
		q = thousands >> shift;
		uint64_t rest = thousands - (q << shift), half = shift ? 1ull << (shift - 1) : 1;
		q += rest > half || (rest == half && (q & 1) && shift);
	}
	uint64_t whole = q / 1000;
	uint32_t mils = (uint32_t)(q - whole * 1000);
	size_t n;
	if (whole < 100000000)
		n = put_short(digits8((uint32_t)whole), out);
	else
		n = put_u64(whole, out);
	uint32_t hundreds = mils * 41 >> 12, tens = (mils - hundreds * 100) * 103 >> 10;
	uint32_t text = '.' | hundreds << 8 | tens << 16 | (mils - hundreds * 100 - tens * 10) << 24;
	text += 0x30303000;
	memcpy(out + n, &text, 4);
	return neg + n + 4;
}
