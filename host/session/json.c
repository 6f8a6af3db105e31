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

/* The next field's number behind `"name":`; at moves behind the comma or brace, which is returned; 0 = not this field.
 */
static char field(const char *text, size_t n, size_t *at, const struct hps_field *f, uint64_t *v)
{
	size_t len = strlen(f->name), begin = *at + len + 3;
	if (n - *at < len + 4 || text[*at] != '"' || memcmp(text + *at + 1, f->name, len) ||
	    text[*at + 1 + len] != '"' || text[*at + 2 + len] != ':')
		return 0;
	size_t end = begin;
	while (end < n && text[end] != ',' && text[end] != '}')
		end++;
	if (end >= n || !number(text + begin, end - begin, f->type, v))
		return 0;
	*at = end + 1;
	return text[end];
}

int hps_sample_from_json(const char *text, size_t n, struct hp_sample *s)
{
	uint8_t m[HPS_SAMPLE_MAX] = { 0, 1 };
	uint32_t offset[HP_SAMPLE_FIELDS];
	struct hps_field have[HP_SAMPLE_FIELDS];
	uint32_t have_at[HP_SAMPLE_FIELDS];
	struct hps_carried carried;
	size_t at = 0, count = 0;
	char last = ',';
	hps_layout_offsets(hps_sample_fields, HP_SAMPLE_FIELDS, offset);
	if (!n || text[at++] != '{')
		return -EBADMSG;
	/* our own files have the fields in our order and nothing else; appended ones may be missing */
	for (size_t i = 0; i < HP_SAMPLE_FIELDS && last == ','; i++) {
		const struct hps_field *f = &hps_sample_fields[i];
		uint64_t v;
		char stop = field(text, n, &at, f, &v);
		if (!stop && i < HP_SAMPLE_BASE)
			return -EBADMSG;
		if (!stop)
			continue;
		last = stop;
		have[count] = *f;
		have_at[count++] = offset[i];
		if (hps_type_size(f->type) == 8)
			hps_put_u64(m + offset[i], v);
		else
			hps_put_u32(m + offset[i], (uint32_t)v);
	}
	if (at != n || last != '}' || count < HP_SAMPLE_BASE)
		return -EBADMSG;
	hps_sample_carried(&carried, have, have_at, count);
	hps_sample_unpack(m, sizeof m, &carried, s);
	return 0;
}
