/* SPDX-License-Identifier: MIT
 * hds_vectors.c - reads the HDS vector files into trees. */
#include "hds_vectors.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint8_t *plain_unhex(const char *hex, size_t *n)
{
	size_t size = strlen(hex) / 2;
	/* exact, so that AddressSanitizer sees the first byte too far */
	uint8_t *at = malloc(size ? size : 1);
	for (size_t i = 0; i < size; i++) {
		char two[3] = { hex[2 * i], hex[2 * i + 1], 0 };
		at[i] = (uint8_t)strtoul(two, NULL, 16);
	}
	*n = size;
	return at;
}

static const char *text(json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

/* "rep": [text or hex, times] */
static void repeat(struct plain_value *v, json_t *rep, bool hex)
{
	const char *one = json_string_value(json_array_get(rep, 0));
	size_t times = (size_t)json_integer_value(json_array_get(rep, 1)), n = strlen(one);
	uint8_t *unit = hex ? plain_unhex(one, &n) : NULL;
	uint8_t *at = malloc(n * times + 1);
	for (size_t i = 0; i < times; i++)
		memcpy(at + i * n, unit ? (const void *)unit : one, n);
	plain_set(v, at, n * times);
	free(at);
	free(unit);
}

static void uuid(struct plain_value *v, const char *s)
{
	char digits[33];
	size_t n = 0;
	for (; *s; s++)
		if (*s != '-' && n < 32)
			digits[n++] = *s;
	digits[n] = 0;
	uint8_t *at = plain_unhex(digits, &n);
	plain_set(v, at, n);
	free(at);
}

static struct plain_value *value(json_t *o)
{
	static const struct {
		const char *name;
		enum plain_type type;
	} types[] = { { "null", PLAIN_NULL },   { "bool", PLAIN_BOOL },   { "int", PLAIN_INT },
		      { "int8", PLAIN_INT8 },   { "int16", PLAIN_INT16 }, { "int32", PLAIN_INT32 },
		      { "int64", PLAIN_INT64 }, { "f32", PLAIN_F32 },     { "f64", PLAIN_F64 },
		      { "date", PLAIN_DATE },   { "str", PLAIN_STR },     { "data", PLAIN_DATA },
		      { "uuid", PLAIN_UUID },   { "array", PLAIN_ARRAY }, { "dict", PLAIN_DICT } };
	const char *t = text(o, "t");
	json_t *v = json_object_get(o, "v"), *rep = json_object_get(o, "rep"), *item;
	size_t k = 0, i;
	while (k < sizeof types / sizeof types[0] && strcmp(types[k].name, t))
		k++;
	if (k == sizeof types / sizeof types[0]) {
		printf("a vector of the unknown type %s\n", t);
		exit(1);
	}
	struct plain_value *out = plain_new(types[k].type);
	switch (out->type) {
	case PLAIN_BOOL:
		out->bits = json_is_true(v);
		break;
	case PLAIN_INT:
	case PLAIN_INT8:
	case PLAIN_INT16:
	case PLAIN_INT32:
	case PLAIN_INT64:
		out->negative = json_string_value(v)[0] == '-';
		out->bits = strtoull(json_string_value(v) + out->negative, NULL, 10);
		if (out->bits > (uint64_t)INT64_MAX + out->negative)
			out->type = PLAIN_WIDE;
		else if (out->negative)
			out->bits = -out->bits;
		break;
	case PLAIN_F32:
	case PLAIN_F64:
	case PLAIN_DATE:
		out->bits = strtoull(text(o, "bits"), NULL, 16);
		break;
	case PLAIN_STR:
		if (rep)
			repeat(out, rep, false);
		else
			plain_set(out, json_string_value(v), json_string_length(v));
		break;
	case PLAIN_DATA:
		if (rep) {
			repeat(out, rep, true);
		} else {
			uint8_t *at = plain_unhex(text(o, "hex"), &i);
			plain_set(out, at, i);
			free(at);
		}
		break;
	case PLAIN_UUID:
		uuid(out, json_string_value(v));
		break;
	case PLAIN_ARRAY:
		if (rep)
			for (json_int_t n = json_integer_value(json_array_get(rep, 1)); n > 0; n--)
				plain_add(out, value(json_array_get(rep, 0)));
		else
			json_array_foreach(v, i, item) plain_add(out, value(item));
		break;
	case PLAIN_DICT:
		json_array_foreach(v, i, item)
		{
			plain_add(out, value(json_array_get(item, 0)));
			plain_add(out, value(json_array_get(item, 1)));
		}
		break;
	default:
		break;
	}
	return out;
}

int plain_rows(const char *path, void (*row)(const struct plain_row *, void *), void *arg)
{
	FILE *f = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	int count = 0;
	if (!f)
		return -1;
	while (getline(&line, &room, f) > 1) {
		json_error_t error;
		struct plain_row r = { .json = json_loads(line, JSON_ALLOW_NUL, &error) };
		if (!r.json) {
			printf("%s:%d: %s\n", path, count + 1, error.text);
			exit(1);
		}
		r.id = text(r.json, "id") ? text(r.json, "id") : text(r.json, "class");
		json_t *v = json_object_get(r.json, "value");
		if (v && strcmp(text(v, "t"), "message") == 0) {
			r.kind = text(v, "kind");
			r.protocol = text(v, "protocol");
			r.topic = text(v, "topic");
			r.msg_id = text(v, "id") ? strtoll(text(v, "id"), NULL, 10) : 0;
			r.status = text(v, "status") ? strtoll(text(v, "status"), NULL, 10) : 0;
			v = json_object_get(v, "body");
		}
		r.value = v ? value(v) : NULL;
		r.bytes = text(r.json, "hex") ? plain_unhex(text(r.json, "hex"), &r.n) : NULL;
		row(&r, arg);
		count++;
		plain_free(r.value);
		free(r.bytes);
		json_decref(r.json);
	}
	free(line);
	fclose(f);
	return count;
}

static uint32_t turn(uint32_t v, int n)
{
	return v >> n | v << (32 - n);
}

static void block(uint32_t h[8], const uint8_t *p)
{
	static const uint32_t k[64] = {
		0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
		0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
		0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
		0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
		0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
		0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
		0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
		0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
	};
	uint32_t w[64], s[8];
	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)p[4 * i] << 24 | (uint32_t)p[4 * i + 1] << 16 | (uint32_t)p[4 * i + 2] << 8 |
		       p[4 * i + 3];
	for (int i = 16; i < 64; i++)
		w[i] = w[i - 16] + w[i - 7] + (turn(w[i - 15], 7) ^ turn(w[i - 15], 18) ^ w[i - 15] >> 3) +
		       (turn(w[i - 2], 17) ^ turn(w[i - 2], 19) ^ w[i - 2] >> 10);
	memcpy(s, h, sizeof s);
	for (int i = 0; i < 64; i++) {
		uint32_t a = s[7] + (turn(s[4], 6) ^ turn(s[4], 11) ^ turn(s[4], 25)) +
		             ((s[4] & s[5]) ^ (~s[4] & s[6])) + k[i] + w[i];
		uint32_t b =
		    (turn(s[0], 2) ^ turn(s[0], 13) ^ turn(s[0], 22)) + ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
		memmove(s + 1, s, 7 * sizeof s[0]);
		s[4] += a;
		s[0] = a + b;
	}
	for (int i = 0; i < 8; i++)
		h[i] += s[i];
}

/* FIPS 180-4; the long vectors carry only this sum. */
void plain_sha256(const uint8_t *p, size_t n, char hex[65])
{
	uint32_t h[8] = {
		0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
	};
	uint8_t last[128] = { 0 };
	size_t whole = n / 64 * 64, rest = n - whole, end = rest < 56 ? 64 : 128;
	for (size_t i = 0; i < whole; i += 64)
		block(h, p + i);
	if (rest)
		memcpy(last, p + whole, rest);
	last[rest] = 0x80;
	for (size_t i = 0; i < 8; i++)
		last[end - 1 - i] = (uint8_t)((uint64_t)n * 8 >> 8 * i);
	for (size_t i = 0; i < end; i += 64)
		block(h, last + i);
	for (int i = 0; i < 8; i++)
		snprintf(hex + 8 * i, 9, "%08x", (unsigned)h[i]);
}
