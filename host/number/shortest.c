/* SPDX-License-Identifier: MIT
 * shortest.c - the shortest text that reads back as the same double. */
#include "digits.h"
#include "number.h"
#include "tables.h"
#include <stdbool.h>

/* The product with a 126-bit power, cut to the integer, its last bit set when anything was cut ("round to odd"). */
static uint64_t round_to_odd(const uint64_t g[2], uint64_t c)
{
	uint64_t low = (uint64_t)((unsigned __int128)g[1] * c >> 64);
	unsigned __int128 high = (unsigned __int128)g[0] * c;
	uint64_t z = ((uint64_t)high >> 1) + low, mask = (1ull << 63) - 1;
	return ((uint64_t)(high >> 64) + (z >> 63)) | ((z & mask) + mask) >> 63;
}

/* The shortest decimal that reads back as c * 2^q, the nearest of them when there are several: R. Giulietti, "The
 * Schubfach way to render doubles" (2020). Returns the digits as a number, which may end with zeros; *k: its exponent.
 */
static uint64_t shortest(uint64_t c, int q, int *k)
{
	bool even = !(c & 1), regular = c != 1ull << 52 || q == -1074;
	*k = regular ? q * 315653 >> 20 : (q * 631305 - 261663) >> 21; /* floor(log10(2^q)); of 3/4 * 2^q */
	int h = q + (-*k * 217706 >> 16) + 2;                          /* floor(log2(10^-k)) */
	const uint64_t *g = &hp_pow_126[2 * (*k - HP_POW_FIRST)];
	uint64_t value = round_to_odd(g, c << 2 << h);
	uint64_t low = round_to_odd(g, ((c << 2) - (regular ? 2 : 1)) << h) + !even;
	uint64_t high = round_to_odd(g, ((c << 2) + 2) << h) - !even;
	uint64_t s = value >> 2;
	if (s >= 10) {
		uint64_t tens = s / 10 * 10;
		bool down = low <= tens << 2, up = (tens + 10) << 2 <= high;
		if (down != up)
			return down ? tens : tens + 10;
	}
	bool down = low <= s << 2, up = (s + 1) << 2 <= high;
	if (down != up)
		return down ? s : s + 1;
	uint64_t middle = (s << 2) + 2;
	return value < middle || (value == middle && !(s & 1)) ? s : s + 1;
}

size_t hp_text_exact(double v, char *out)
{
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	int e = (int)(bits >> 52 & 0x7ff);
	uint64_t c = bits & ((1ull << 52) - 1);
	if (e == 0x7ff || bits << 1 == 0)
		return hp_text_9g(v, out);
	size_t neg = bits >> 63;
	*out = '-';
	out += neg;
	int k;
	uint64_t n = e ? shortest(c | 1ull << 52, e - 1075, &k) : shortest(c, -1074, &k);
	char digits[32];
	unsigned count = (unsigned)put_u64(n, digits);
	int x = k + (int)count - 1;
	while (digits[count - 1] == '0')
		count--;
	if (x < -4 || x >= 17)
		return neg + put_exponential(digits, count, x, out);
	if (x < 0) {
		memcpy(out, "0.000000", 8);
		memcpy(out + 1 - x, digits, 17);
		return neg + 1 + (unsigned)-x + count;
	}
	unsigned before = (unsigned)x + 1;
	memset(out, '0', before);
	if (count <= before) {
		memcpy(out, digits, count);
		return neg + before;
	}
	memcpy(out, digits, before);
	out[before] = '.';
	memcpy(out + before + 1, digits + before, count - before);
	return neg + count + 1;
}
