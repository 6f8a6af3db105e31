/* SPDX-License-Identifier: MIT
 * check.h - what the tests of poses and encoders share: bits of doubles, random samples, rows of the reference. */
#ifndef CHECK_H
#define CHECK_H
#include "../plain/random.h"
#include "headpipe.h"
#include "table.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h wants the four above */
#include <cmocka.h>

static inline void check_bits(const char *what, const double *got, const double *want, int n)
{
	for (int i = 0; i < n; i++)
		if (memcmp(&got[i], &want[i], sizeof *got) != 0)
			fail_msg("%s[%d]: got %a, want %a", what, i, got[i], want[i]);
}

/* Doubles separated by commas; false unless there are exactly n. */
static inline bool check_doubles(const char *text, double *out, int n)
{
	for (int i = 0; i < n; i++) {
		char *end;
		out[i] = strtod(text, &end);
		if (end == text || *end != (i < n - 1 ? ',' : 0))
			return false;
		text = end + 1;
	}
	return true;
}

/* A row of json_vectors.tsv or json_nonfinite.tsv. label: "" for none. */
struct check_json_row {
	struct hp_sample sample;
	struct hp_stream stream;
	char label[512];
	uint8_t datagram[64];
	size_t datagram_size;
	const char *json;
};
static inline bool check_json_row(const struct table *t, struct check_json_row *r)
{
	static const struct hp_sample fresh = HP_SAMPLE_INIT;
	char **c = (char **)(uintptr_t)t->cell;
	if (t->n != 11)
		return false;
	*r = (struct check_json_row){ .sample = fresh, .stream = { .struct_size = sizeof r->stream }, .json = c[10] };
	struct hp_sample *s = &r->sample;
	if (strcmp(c[0], "-") != 0) {
		uint8_t *bytes;
		size_t n = table_hex(c[0], &bytes), used = 0;
		/* a C string holds no NUL; JSON drops it as every control character */
		for (size_t i = 0; i < n && used < sizeof r->label - 1; i++)
			if (bytes[i])
				r->label[used++] = (char)bytes[i];
		free(bytes);
		r->stream.device = r->label;
	}
	s->flags = HP_ROTVEC | HP_YPR;
	bool ok =
	    check_doubles(c[1], s->rotvec, 3) && check_doubles(c[2], s->quat, 4) && check_doubles(c[3], s->ypr, 3);
	if (strcmp(c[4], "null") != 0) {
		s->flags |= HP_GYRO;
		ok &= check_doubles(c[4], s->gyro, 3);
	}
	if (strcmp(c[5], "null") != 0) {
		s->flags |= HP_ACCEL;
		ok &= check_doubles(c[5], s->accel, 3);
	}
	s->reset_count = (uint32_t)strtoul(c[6], NULL, 10);
	ok &= check_doubles(c[7], &s->rate_hz, 1) && check_doubles(c[8], &s->latency_ms, 1);
	uint8_t *bytes;
	r->datagram_size = table_hex(c[9], &bytes);
	if (r->datagram_size > sizeof r->datagram)
		r->datagram_size = 0;
	memcpy(r->datagram, bytes, r->datagram_size);
	free(bytes);
	return ok;
}

/* A finite double of any size, sometimes zero, often of everyday size. */
static inline double check_random_number(uint64_t *r)
{
	switch (random_below(r, 8)) {
	case 0:
		return 0;
	case 1:
		return -0.0;
	case 2: {
		for (;;) {
			uint64_t bits = random_next(r);
			double v;
			memcpy(&v, &bits, sizeof v);
			if (isfinite(v))
				return v;
		}
	}
	case 3:
		return random_real(r, -180, 180);
	case 4:
		return (double)random_below(r, 1000) / 8 - 60;
	default:
		return random_real(r, -1, 1);
	}
}

/* A sample with everything an encoder may look at; gyro and accel come and go. */
static inline struct hp_sample check_random_sample(uint64_t *r)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	s.flags = HP_ROTVEC | HP_YPR | (random_below(r, 3) ? HP_GYRO : 0) | (random_below(r, 3) ? 0 : HP_ACCEL);
	s.seq = random_next(r) >> random_below(r, 64);
	s.time_ns = (int64_t)(random_next(r) >> random_below(r, 63));
	s.reset_count = (uint32_t)(random_next(r) >> (32 + random_below(r, 32)));
	for (int i = 0; i < 4; i++)
		s.quat[i] = check_random_number(r);
	for (int i = 0; i < 3; i++) {
		s.rotvec[i] = check_random_number(r);
		s.ypr[i] = check_random_number(r);
		s.gyro[i] = check_random_number(r);
		s.accel[i] = check_random_number(r);
	}
	s.rate_hz = check_random_number(r);
	s.latency_ms = random_below(r, 2) ? -1 : check_random_number(r);
	return s;
}
#endif
