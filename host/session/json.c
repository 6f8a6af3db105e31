/* SPDX-License-Identifier: MIT
 * json.c - a /head/sample message in JSON, as the writer makes it, back to a sample. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>

#include "head.h"
#include "record.h"

/* A number of the message; whatever the program's locale, the point is a point. */
static bool number(const char *s, size_t n, enum hps_type type, uint64_t *bits)
{
	char text[64], *end;
	if (!n || n >= sizeof text)
		return false;
	memcpy(text, s, n);
	text[n] = 0;
	if (type != HPS_F64) {
		errno = 0;
		*bits = text[0] == '-' ? (uint64_t)strtoll(text, &end, 10) : strtoull(text, &end, 10);
		return !errno && end == text + n;
	}
	const char *point = localeconv()->decimal_point;
	char *dot = strchr(text, '.');
	if (dot && point[0] && !point[1])
		*dot = point[0];
	double d = strtod(text, &end);
	memcpy(bits, &d, sizeof d);
	return end == text + n && d - d == 0;
}

int hps_sample_from_json(const char *text, size_t n, struct hp_sample *s)
{
	uint8_t m[HPS_SAMPLE_SIZE] = { 0, 1 };
	uint32_t offset[HPS_SAMPLE_FIELDS];
	size_t field = 0, at = 0;
	hps_layout_offsets(hps_sample_fields, HPS_SAMPLE_FIELDS, offset);
	if (!n || text[at++] != '{')
		return -EBADMSG;
	/* our own files have the fields in our order and nothing else */
	for (; field < HPS_SAMPLE_FIELDS; field++) {
		const struct hps_field *f = &hps_sample_fields[field];
		size_t len = strlen(f->name);
		if (n - at < len + 4 || text[at] != '"' || memcmp(text + at + 1, f->name, len) ||
		    text[at + 1 + len] != '"' || text[at + 2 + len] != ':')
			return -EBADMSG;
		at += len + 3;
		size_t begin = at;
		while (at < n && text[at] != ',' && text[at] != '}')
			at++;
		uint64_t v;
		if (at >= n || text[at] != (field + 1 < HPS_SAMPLE_FIELDS ? ',' : '}') ||
		    !number(text + begin, at - begin, f->type, &v))
			return -EBADMSG;
		at++;
		if (hps_type_size(f->type) == 8)
			hps_put_u64(m + offset[field], v);
		else
			hps_put_u32(m + offset[field], (uint32_t)v);
	}
	if (at != n)
		return -EBADMSG;
	hps_sample_unpack(m, s);
	return 0;
}
