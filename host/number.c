/* SPDX-License-Identifier: MIT
 * number.c - %.9g and %.3f of doubles, exactly, without locale, heap or printf.
 *
 * %.9g: one 64 x 64 bit product with a power of ten chosen by the binary exponent gives nine digits and 33 bits of
 * fraction, less than 2 units too small. Only when these bits stand at one half are the exact integers compared
 * (number_exact.c). That a fixed number of digits needs so few bits is the observation of U. Adams, "Ryu revisited:
 * printf floating point conversion" (OOPSLA 2019); digits are split eight at a time inside one register.
 * %.3f: below 2^53 the product of the 53-bit significand with 1000 fits 63 bits, so a shift is exact. */
#include "number.h"
#include "number_digits.h"
#include "number_tables.h"
#include <stdbool.h>
#include <string.h>

/* How nine digits are laid out for a decimal exponent of -4 to 8: where they start, how many stand before the point. */
static const struct layout {
	uint64_t keep, dot;        /* the first eight digits: those that stay in place; the point, or 0 */
	uint8_t keep_last, dot_at; /* the same for the ninth                                          */
	uint8_t start, grow;       /* bytes of "0.000" before the digits; bytes that the point or these add */
} layouts[13] = {
	{ ~0ull, 0, 0xff, 0, 5, 5 },
	{ ~0ull, 0, 0xff, 0, 4, 4 },
	{ ~0ull, 0, 0xff, 0, 3, 3 },
	{ ~0ull, 0, 0xff, 0, 2, 2 },
	{ 0xff, 0x2e00, 0, 0, 0, 1 },
	{ 0xffff, 0x2e0000, 0, 0, 0, 1 },
	{ 0xffffff, 0x2e000000, 0, 0, 0, 1 },
	{ 0xffffffff, 0x2e00000000, 0, 0, 0, 1 },
	{ 0xffffffffff, 0x2e0000000000, 0, 0, 0, 1 },
	{ 0xffffffffffff, 0x2e000000000000, 0, 0, 0, 1 },
	{ 0xffffffffffffff, 0x2e00000000000000, 0, 0, 0, 1 },
	{ ~0ull, 0, 0, 0x2e, 0, 1 },
	{ ~0ull, 0, 0xff, 0, 0, 1 },
};

static size_t text_not_finite(uint64_t bits, char *out)
{
	size_t neg = bits >> 63;
	*out = '-';
	memcpy(out + neg, bits << 12 ? "nan" : "inf", 3);
	return neg + 3;
}

size_t hp_text_9g(double v, char *out)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	size_t neg = bits >> 63;
	int e = (int)(bits >> 52 & 0x7ff);
	uint64_t m = bits << 11 | 1ull << 63; /* the significand, its top bit at 63 */
	*out = '-';
	out += neg;
	if (e == 0) {
		if (bits << 1 == 0) {
			*out = '0';
			return neg + 1;
		}
		int up = __builtin_clzll(bits << 12);
		m = bits << 12 << up;
		e = -1023 - up;
	} else if (e == 0x7ff) {
		return text_not_finite(bits, out - neg);
	} else {
		e -= 1023;
	}

	/* v * 10^(8-x) * 2^33, at most 2 too small; when that has ten digits before the point, a tenth of it */
	int x = e * 315653 >> 20;
	uint64_t scaled = (uint64_t)((unsigned __int128)m * hp_pow_nine[e - HP_NINE_FIRST] >> 64);
	uint64_t tenth = scaled / 10;
	bool ten = scaled >= 1000000000ull << 33;
	scaled = ten ? tenth : scaled;
	x += ten;
	uint64_t fraction = scaled & ((1ull << 33) - 1);
	uint32_t n = (uint32_t)(scaled >> 33);
	if (__builtin_expect(fraction - ((1ull << 32) - 1) <= 1, 0))
		n += hp_number_rounds_up(m, e - 63, 8 - x, n);
	else
		n += (uint32_t)(fraction >> 32);
	if (__builtin_expect(n == 1000000000, 0)) {
		n = 100000000;
		x++;
	}

	uint32_t first = n / 100000000;
	uint64_t rest = digits8(n - first * 100000000);
	uint64_t eight = first | rest << 8, last = rest >> 56;
	unsigned count = last ? 9 : 8 - (unsigned)__builtin_clzll(eight) / 8; /* without zeros at the end */
	eight |= ASCII_ZEROS;
	last |= '0';
	if (__builtin_expect((unsigned)(x + 4) > 12, 0)) {
		char digits[16];
		memcpy(digits, &eight, 8);
		digits[8] = (char)last;
		return neg + put_exponential(digits, count, x, out);
	}
	/* "0.000", then over it the digits, those behind the point moved by one */
	const struct layout *l = &layouts[x + 4];
	uint64_t moved = eight & ~l->keep;
	uint64_t lo = (eight & l->keep) | moved << 8 | l->dot;
	uint64_t hi = (last & l->keep_last) | (last & (uint8_t)~l->keep_last) << 8 | moved >> 56 | l->dot_at;
	memcpy(out, "0.000000", 8);
	memcpy(out + l->start, &lo, 8);
	memcpy(out + l->start + 8, &hi, 8);
	int before = x + 1;
	return neg + ((int)count > before ? count + l->grow : (unsigned)before);
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
