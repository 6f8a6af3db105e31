/* SPDX-License-Identifier: MIT
 * lean_column.c - one column of numbers by the method that seems smallest.
 *
 * u8 method, then of LINE first value and step; of TABLE u8 values - 1, the values and a byte each; of SCALED the
 * double and a column of 8 bytes; of the others u8 number of bytes that are not 0 in all values, then the lowest bytes
 * of all values, the second ones, and so on. */
#include "lean.h"

#include <math.h>

enum { TABLE_MAX = 256, HASH = 1024, TRY_AGAIN = 64 };

static uint64_t mask_of(unsigned width)
{
	return width == 8 ? UINT64_MAX : ((uint64_t)1 << 8 * width) - 1;
}

/* Small negative differences are small too. The sign bit is that of the width. */
static inline uint64_t fold(uint64_t v, unsigned shift)
{
	int64_t s = (int64_t)(v << shift) >> shift;
	return ((uint64_t)s << 1 ^ (uint64_t)(s >> 63)) & (UINT64_MAX >> shift);
}

static inline uint64_t unfold(uint64_t v)
{
	return v >> 1 ^ (0 - (v & 1));
}

static inline unsigned bits(uint64_t v)
{
	return 64u - (unsigned)__builtin_clzll(v | 1);
}

static void put_value(struct hps_out *out, uint64_t v, unsigned width)
{
	uint8_t b[8];
	hps_put_u64(b, v);
	hps_out_bytes(out, b, width);
}

static uint64_t get_value(struct hps_in *in, unsigned width)
{
	const uint8_t *p = hps_in_bytes(in, width);
	uint64_t v = 0;
	for (unsigned k = 0; p && k < width; k++)
		v |= (uint64_t)p[k] << 8 * k;
	return v;
}

static bool put_line(struct hps_out *out, const uint64_t *v, size_t n, unsigned width)
{
	uint64_t mask = mask_of(width), step = n > 1 ? v[1] - v[0] : 0;
	for (size_t i = 1; i < n; i++)
		if ((v[i] - v[i - 1] - step) & mask)
			return false;
	hps_out_u8(out, HPS_LEAN_LINE);
	put_value(out, v[0], width);
	put_value(out, step & mask, width);
	return true;
}

/* Worth it when most values come again. */
static bool put_table(struct hps_out *out, const uint64_t *v, size_t n, unsigned width)
{
	uint16_t places[HASH] = { 0 };
	uint64_t values[TABLE_MAX];
	size_t d = 0, most = n / 3 < TABLE_MAX ? n / 3 : TABLE_MAX, before = out->size;
	if (most < 2 || !hps_out_room(out, 2 + most * width + n))
		return false;
	uint8_t *which = out->data + before + 2 + most * width; /* moved to its place at the end */
	for (size_t i = 0; i < n; i++) {
		uint32_t at = (uint32_t)((v[i] ^ v[i] >> 32) * 0x9e3779b97f4a7c15u >> 54);
		while (places[at] && values[places[at] - 1] != v[i])
			at = (at + 1) % HASH;
		if (!places[at]) {
			if (d == most)
				return false;
			values[d++] = v[i];
			places[at] = (uint16_t)d;
		}
		which[i] = (uint8_t)(places[at] - 1);
	}
	hps_out_u8(out, HPS_LEAN_TABLE);
	hps_out_u8(out, (uint8_t)(d - 1));
	for (size_t i = 0; i < d; i++)
		put_value(out, values[i], width);
	memmove(out->data + out->size, which, n);
	out->size += n;
	return true;
}

static double real(uint64_t v)
{
	double d;
	memcpy(&d, &v, sizeof d);
	return d;
}

static bool multiple(double v, double scale, int64_t *k)
{
	double q = v / scale;
	if (!(q > -1e9 && q < 1e9))
		return false;
	*k = (int64_t)(q + (q < 0 ? -0.5 : 0.5));
	double back = (double)*k * scale;
	return !memcmp(&back, &v, sizeof v);
}

static bool all_multiples(const uint64_t *v, size_t n, double scale, uint64_t *k)
{
	for (size_t i = 0; i < n; i++) {
		int64_t one;
		if (!multiple(real(v[i]), scale, &one))
			return false;
		k[i] = (uint64_t)one;
	}
	return true;
}

/* What all values are nearly multiples of, or 0: Euclid's way, where a remainder that is tiny beside the largest value
 * is none. */
static double common_part(const uint64_t *v, size_t n, double *largest)
{
	double g = 0, big = 0;
	*largest = 0;
	for (size_t i = 0; i < n; i++) {
		double a = fabs(real(v[i]));
		if (!(a < 1e18))
			return 0;
		*largest = a > *largest ? a : *largest;
	}
	double tiny = *largest * 1e-10;
	for (size_t i = 0; i < n; i++) {
		double a = fabs(real(v[i])), b = g;
		while (a > tiny) {
			double rest = b > 0 ? b - floor(b / a) * a : 0;
			if (a - rest < tiny)
				rest = 0;
			b = a;
			a = rest;
		}
		double v_i = fabs(real(v[i]));
		big = v_i > big ? v_i : big;
		/* a quotient of one value is exact, remainders of remainders are not */
		g = b > tiny ? big / floor(big / b + 0.5) : b;
		if (g > 0 && g < *largest * 1e-6)
			return 0;
	}
	return g;
}

/* The scale is one whose products, rounded, are the values to the last bit: some neighbour of their quotient. */
static double find_scale(const uint64_t *v, size_t n, uint64_t *k)
{
	double largest, g = common_part(v, n, &largest);
	if (!(g > 1e-300))
		return 0;
	double times = floor(largest / g + 0.5), middle = largest / times, up = middle, down = middle;
	for (int i = 0; i < 4; i++) {
		if (all_multiples(v, n, up, k))
			return up;
		if (all_multiples(v, n, down, k))
			return down;
		up = nextafter(up, INFINITY);
		down = nextafter(down, 0);
	}
	return 0;
}

static bool put_scaled(struct hps_out *out, const uint64_t *v, size_t n, struct hps_lean_memory *m, uint64_t *work)
{
	if (!m->scale || !all_multiples(v, n, m->scale, work)) {
		if (m->tries) {
			m->tries--;
			return false;
		}
		m->scale = find_scale(v, n, work);
		if (!m->scale) {
			m->tries = TRY_AGAIN;
			return false;
		}
	}
	uint64_t scale;
	memcpy(&scale, &m->scale, sizeof scale);
	hps_out_u8(out, HPS_LEAN_SCALED);
	hps_out_u64(out, scale);
	hps_lean_put(out, work, n, 8, NULL, work + n);
	return true;
}

static enum hps_lean_method best(const uint64_t *v, size_t n, unsigned shift)
{
	uint64_t plain = 0, delta = 0, delta2 = 0, other = 0, before = 0, step = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t by = v[i] - before;
		plain += bits(fold(v[i], shift));
		delta += bits(fold(by, shift));
		delta2 += bits(fold(by - step, shift));
		other += bits(v[i] ^ before);
		step = by;
		before = v[i];
	}
	enum hps_lean_method m = HPS_LEAN_PLAIN;
	uint64_t least = plain;
	if (delta < least) {
		m = HPS_LEAN_DELTA;
		least = delta;
	}
	if (delta2 < least) {
		m = HPS_LEAN_DELTA2;
		least = delta2;
	}
	return other < least ? HPS_LEAN_XOR : m;
}

void hps_lean_put(struct hps_out *out, const uint64_t *v, size_t n, unsigned width, struct hps_lean_memory *memory,
                  uint64_t *work)
{
	if (!n || put_line(out, v, n, width) || (memory && put_scaled(out, v, n, memory, work)) ||
	    (width == 8 && put_table(out, v, n, width)))
		return;
	unsigned shift = 64 - 8 * width, used = 1;
	enum hps_lean_method m = best(v, n, shift);
	uint64_t before = 0, step = 0, any = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t by = v[i] - before, w;
		w = m == HPS_LEAN_XOR ? v[i] ^ before
		                      : fold(m == HPS_LEAN_PLAIN   ? v[i]
		                             : m == HPS_LEAN_DELTA ? by
		                                                   : by - step,
		                             shift);
		any |= w;
		work[i] = w;
		step = by;
		before = v[i];
	}
	while (used < 8 && any >> 8 * used)
		used++;
	hps_out_u8(out, (uint8_t)m);
	hps_out_u8(out, (uint8_t)used);
	if (!hps_out_room(out, used * n))
		return;
	for (unsigned k = 0; k < used; k++) {
		uint8_t *p = out->data + out->size;
		for (size_t i = 0; i < n; i++)
			p[i] = (uint8_t)(work[i] >> 8 * k);
		out->size += n;
	}
}

static bool get_planes(struct hps_in *in, uint64_t *v, size_t n, unsigned width, enum hps_lean_method m)
{
	unsigned used = hps_in_u8(in);
	const uint8_t *p = used && used <= width ? hps_in_bytes(in, (uint64_t)used * n) : NULL;
	uint64_t mask = mask_of(width), before = 0, step = 0;
	if (!p)
		return false;
	for (size_t i = 0; i < n; i++)
		v[i] = p[i];
	for (unsigned k = 1; k < used; k++)
		for (size_t i = 0; i < n; i++)
			v[i] |= (uint64_t)p[k * n + i] << 8 * k;
	for (size_t i = 0; i < n; i++) {
		uint64_t w = v[i];
		if (m == HPS_LEAN_XOR)
			w ^= before;
		else if (m == HPS_LEAN_PLAIN)
			w = unfold(w);
		else
			w = before + unfold(w) + (m == HPS_LEAN_DELTA2 ? step : 0);
		w &= mask;
		step = w - before;
		before = v[i] = w;
	}
	return true;
}

static bool get_table(struct hps_in *in, uint64_t *v, size_t n, unsigned width)
{
	uint64_t values[TABLE_MAX];
	size_t d = (size_t)hps_in_u8(in) + 1;
	for (size_t i = 0; i < d; i++)
		values[i] = get_value(in, width);
	const uint8_t *which = hps_in_bytes(in, n);
	for (size_t i = 0; which && i < n; i++) {
		if (which[i] >= d)
			return false;
		v[i] = values[which[i]];
	}
	return which != NULL;
}

static bool get_scaled(struct hps_in *in, uint64_t *v, size_t n, unsigned width, uint64_t *work)
{
	double scale = real(hps_in_u64(in));
	if (in->bad || width != 8 || !in->p || in->p >= in->end || *in->p == HPS_LEAN_SCALED ||
	    !hps_lean_get(in, v, n, 8, work))
		return false;
	for (size_t i = 0; i < n; i++) {
		double d = (double)(int64_t)v[i] * scale;
		memcpy(&v[i], &d, sizeof d);
	}
	return true;
}

bool hps_lean_get(struct hps_in *in, uint64_t *v, size_t n, unsigned width, uint64_t *work)
{
	if (!n)
		return true;
	enum hps_lean_method m = (enum hps_lean_method)hps_in_u8(in);
	switch (m) {
	case HPS_LEAN_LINE: {
		uint64_t value = get_value(in, width), step = get_value(in, width), mask = mask_of(width);
		for (size_t i = 0; i < n; i++, value += step)
			v[i] = value & mask;
		return !in->bad;
	}
	case HPS_LEAN_PLAIN:
	case HPS_LEAN_DELTA:
	case HPS_LEAN_DELTA2:
	case HPS_LEAN_XOR:
		return !in->bad && get_planes(in, v, n, width, m);
	case HPS_LEAN_TABLE:
		return get_table(in, v, n, width) && !in->bad;
	case HPS_LEAN_SCALED:
		return get_scaled(in, v, n, width, work);
	default:
		return false;
	}
}
