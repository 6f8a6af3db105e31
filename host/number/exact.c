/* SPDX-License-Identifier: MIT
 * exact.c - the rare and the long: exact comparison for %.9g at one half, digits of huge integers for %.3f,
 * and the shortest text of a double. */
#include "number.h"
#include "digits.h"
#include "tables.h"
#include <stdbool.h>

/* A natural number of up to 2112 bits; the largest needed has 1024 + 64. */
enum { LIMBS = 66 };
struct big {
	int n;
	uint32_t at[LIMBS]; /* lowest first; at[n-1] != 0 */
};

static void big_set(struct big *b, uint64_t v)
{
	b->n = 0;
	for (; v; v >>= 32)
		b->at[b->n++] = (uint32_t)v;
}

static void big_times(struct big *b, uint32_t f)
{
	uint64_t carry = 0;
	for (int i = 0; i < b->n; i++) {
		carry += (uint64_t)b->at[i] * f;
		b->at[i] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry)
		b->at[b->n++] = (uint32_t)carry;
}

static void big_times_pow5(struct big *b, int k)
{
	for (; k >= 13; k -= 13)
		big_times(b, 1220703125); /* 5^13 */
	for (; k > 0; k--)
		big_times(b, 5);
}

static void big_up(struct big *b, int bits)
{
	int limbs = bits / 32;
	big_times(b, 1u << bits % 32);
	memmove(b->at + limbs, b->at, sizeof *b->at * (size_t)b->n);
	memset(b->at, 0, sizeof *b->at * (size_t)limbs);
	b->n += limbs;
}

static int big_compare(const struct big *a, const struct big *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (int i = a->n - 1; i >= 0; i--)
		if (a->at[i] != b->at[i])
			return a->at[i] < b->at[i] ? -1 : 1;
	return 0;
}

int hp_number_rounds_up(uint64_t m, int e, int k, uint32_t n)
{
	/* value / 2 against (2n + 1), both times what makes them integers: m * 5^k * 2^two against half */
	int zeros = __builtin_ctzll(m), two = e + zeros + k + 1, order;
	m >>= zeros;
	uint64_t half = 2ull * n + 1;
	if (k >= 0 && k <= 27 && two <= 0 && two > -90) {
		/* the usual ties: dyadic fractions. m < 2^53 and 5^27 < 2^63 */
		uint64_t five = 1;
		for (int i = 0; i < k; i++)
			five *= 5;
		unsigned __int128 a = (unsigned __int128)m * five, b = (unsigned __int128)half << -two;
		order = a < b ? -1 : a > b;
	} else {
		struct big a, b;
		big_set(&a, m);
		big_set(&b, half);
		big_times_pow5(k >= 0 ? &a : &b, k >= 0 ? k : -k);
		big_up(two >= 0 ? &a : &b, two >= 0 ? two : -two);
		order = big_compare(&a, &b);
	}
	return order > 0 || (order == 0 && (n & 1));
}

size_t hp_number_integer(uint64_t m, int up, char *out)
{
	if (up <= 11)
		return put_u64(m << up, out);
	struct big b;
	big_set(&b, m);
	big_up(&b, up);
	/* eight digits at a time from the low end, then the other way round */
	uint32_t groups[40];
	int n = 0;
	while (b.n) {
		uint64_t rest = 0;
		for (int i = b.n - 1; i >= 0; i--) {
			rest = rest << 32 | b.at[i];
			b.at[i] = (uint32_t)(rest / 100000000);
			rest %= 100000000;
		}
		groups[n++] = (uint32_t)rest;
		while (b.n && b.at[b.n - 1] == 0)
			b.n--;
	}
	size_t size = put_short(digits8(groups[--n]), out);
	while (n--) {
		put_8(groups[n], out + size);
		size += 8;
	}
	return size;
}

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
