/* SPDX-License-Identifier: MIT
 * digits.h - shared parts of number.c, exact.c and shortest.c: integers to digits, several per operation.
 * Little-endian machines only, as the rest of headpipe: the first digit is the lowest byte of a word. */
#ifndef HP_NUMBER_DIGITS_H
#define HP_NUMBER_DIGITS_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "headpipe needs a little-endian machine"
#endif

#define ASCII_ZEROS 0x3030303030303030ull

/* Eight decimal digits of n < 10^8, values 0 to 9, the first in the lowest byte: halves, then pairs, then digits, all
 * lanes of a word at once. 10486/2^20 and 103/2^10 are exact enough for /100 below 10^4 and /10 below 100. */
static inline uint64_t digits8(uint32_t n)
{
	uint64_t high = n / 10000, x = high | (uint64_t)(n - high * 10000) << 32;
	uint64_t q = x * 10486 >> 20 & 0x0000007f0000007full;
	x = (x << 16) - q * ((100 << 16) - 1); /* q | (x - q * 100) << 16 */
	q = x * 103 >> 10 & 0x000f000f000f000full;
	return (x << 8) - q * ((10 << 8) - 1);
}

/* Digits without zeros in front, at least one. Touches 8 bytes. */
static inline size_t put_short(uint64_t digits, char *out)
{
	unsigned zeros = (unsigned)__builtin_ctzll(digits | 1ull << 56) / 8;
	digits = (digits | ASCII_ZEROS) >> 8 * zeros;
	memcpy(out, &digits, 8);
	return 8 - zeros;
}

static inline void put_8(uint32_t n, char *out)
{
	uint64_t digits = digits8(n) | ASCII_ZEROS;
	memcpy(out, &digits, 8);
}

/* Any 64-bit number. Touches at most 24 bytes. */
static inline size_t put_u64(uint64_t n, char *out)
{
	uint64_t high = n / 100000000;
	uint32_t low = (uint32_t)(n - high * 100000000);
	if (high == 0)
		return put_short(digits8(low), out);
	size_t size;
	if (high < 100000000) {
		size = put_short(digits8((uint32_t)high), out);
	} else {
		size = put_short(digits8((uint32_t)(high / 100000000)), out);
		put_8((uint32_t)(high % 100000000), out + size);
		size += 8;
	}
	put_8(low, out + size);
	return size + 8;
}

/* d.ddde+xx as %g writes it: count digits (no zeros at the end), x the exponent of the first. Touches count + 6 bytes.
 */
static inline size_t put_exponential(const char *digits, unsigned count, int x, char *out)
{
	char *p = out;
	*p++ = *digits;
	if (count > 1) {
		*p++ = '.';
		memcpy(p, digits + 1, count - 1);
		p += count - 1;
	}
	*p++ = 'e';
	*p++ = x < 0 ? '-' : '+';
	unsigned a = x < 0 ? (unsigned)-x : (unsigned)x;
	if (a >= 100) {
		*p++ = (char)('0' + a / 100);
		a %= 100;
	}
	*p++ = (char)('0' + a / 10);
	*p++ = (char)('0' + a % 10);
	return (size_t)(p - out);
}

/* Is m * 2^e * 10^k above n + 1/2, or equal to it with n odd? Exact for every double. m has its top bit set;
 * n is what the value is known to start with. */
int hp_number_rounds_up(uint64_t m, int e, int k, uint32_t n);
/* Digits of m * 2^up, m < 2^53, up <= 971. Touches at most 24 bytes behind the end. */
size_t hp_number_integer(uint64_t m, int up, char *out);
#endif
