/* SPDX-License-Identifier: MIT
 * exact.c - the rare and the long: exact comparison for %.9g at one half, digits of huge integers for %.3f. */
#include "digits.h"
#include "number.h"
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
