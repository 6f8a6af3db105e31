/* SPDX-License-Identifier: MIT
 * show.c - decoded HDS values as typed JSON or as a list, on standard output. */
#include "show.h"
#include "base/alloc.h"
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

/* ---- text of single values -------------------------------------------------------------------------------------- */

/* The decoder let only UTF-8 pass. */
static void print_string(const uint8_t *s, size_t n)
{
	json_t *text = hp_need(json_stringn((const char *)s, n));
	json_dumpf(text, stdout, JSON_ENCODE_ANY);
	json_decref(text);
}

static void print_hex(const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%02x", at[i]);
}

/* JSON knows no NaN and no infinity: those are strings. */
static void print_real(double v, int digits)
{
	if (isfinite(v))
		printf("%.*g", digits, v);
	else
		printf(isnan(v) ? "\"nan\"" : v > 0 ? "\"inf\"" : "\"-inf\"");
}

/* 2001-01-01 plus that many seconds, in whole seconds; nothing when it is beyond the years 1 to 9999. */
static void print_date(double v)
{
	char text[32];
	struct tm tm;
	time_t t;
	if (!(v > -6e10 && v < 2.5e11))
		return;
	t = (time_t)floor(v) + 978307200;
	if (gmtime_r(&t, &tm) && strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &tm))
		printf("%s", text);
}

static void print_uuid(const uint8_t *at)
{
	for (int i = 0; i < 16; i++)
		printf("%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", at[i]);
}

/* The names of docs/hds.md: an integer that is wider than it needs to be carries its width. */
static const char *type_name(const struct hp_hds_item *item)
{
	static const char *const names[] = { "",     "null", "bool", "int",  "f32",   "f64",
		                             "date", "str",  "data", "uuid", "array", "dict" };
	static const char *const widths[] = { "int8", "int16", "int32", "int64" };
	static const int64_t below[] = { 39, 128, 32768, 2147483648 };
	if (item->type != HP_HDS_INT || item->tag < 0x30)
		return names[item->type];
	int width = item->tag - 0x30;
	bool fits = item->i < below[width] && item->i >= (width ? -below[width] : -1);
	return fits ? widths[width] : names[item->type];
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

struct json {
	bool compact;
	int indent;
	bool in_dict[HP_HDS_DEPTH + 2], first[HP_HDS_DEPTH + 2]; /* by depth of the container */
};

static void new_line(const struct json *j, int depth)
{
	if (j->compact)
		return;
	printf("\n%*s", j->indent + 2 * depth, "");
}

static void json_value(const struct hp_hds_item *item)
{
	uint32_t bits32;
	uint64_t bits;
	switch (item->type) {
	case HP_HDS_BOOL:
		printf(",\"v\":%s", item->b ? "true" : "false");
		break;
	case HP_HDS_INT: /* as text: many JSON readers lose digits beyond 2^53 */
		printf(",\"v\":\"%lld\"", (long long)item->i);
		break;
	case HP_HDS_F32:
		memcpy(&bits32, &item->f32, sizeof bits32);
		printf(",\"bits\":\"%08x\",\"v\":", (unsigned)bits32);
		print_real((double)item->f32, 9);
		break;
	case HP_HDS_F64:
	case HP_HDS_DATE:
		memcpy(&bits, &item->f64, sizeof bits);
		printf(",\"bits\":\"%016llx\",\"v\":", (unsigned long long)bits);
		print_real(item->f64, 17);
		if (item->type == HP_HDS_DATE) {
			printf(",\"date\":\"");
			print_date(item->f64);
			putchar('"');
		}
		break;
	case HP_HDS_STR:
		printf(",\"v\":");
		print_string(item->at, item->n);
		break;
	case HP_HDS_DATA:
		printf(",\"hex\":\"");
		print_hex(item->at, item->n);
		putchar('"');
		break;
	case HP_HDS_UUID:
		printf(",\"v\":\"");
		print_uuid(item->at);
		putchar('"');
		break;
	case HP_HDS_NULL:
	case HP_HDS_ARRAY:
	case HP_HDS_DICT:
	case HP_HDS_END:
		break;
	}
}

/* The value that r stands before. It was checked before: nothing fails here. */
static void json_unit(struct hp_hds_reader r, bool compact, int indent)
{
	struct json j = { .compact = compact, .indent = indent };
	struct hp_hds_item item;
	while (hp_hds_next(&r, &item) > 0) {
		if (item.type == HP_HDS_END) {
			if (!j.first[item.depth])
				new_line(&j, item.depth);
			printf("]}%s", item.depth && j.in_dict[item.depth - 1] ? "]" : "");
			continue;
		}
		bool value = item.depth && j.in_dict[item.depth - 1] && !item.key;
		if (item.depth) {
			if (!value) {
				printf(j.first[item.depth - 1] ? "" : ",");
				new_line(&j, item.depth);
			}
			j.first[item.depth - 1] = false;
		}
		printf("%s{\"t\":\"%s\",\"at\":%zu", item.key ? "[" : value ? "," : "", type_name(&item), item.offset);
		if (item.ref)
			printf(",\"ref\":true");
		json_value(&item);
		if (item.type == HP_HDS_ARRAY || item.type == HP_HDS_DICT) {
			printf(",\"v\":[");
			j.in_dict[item.depth] = item.type == HP_HDS_DICT;
			j.first[item.depth] = true;
		} else {
			printf("}%s", value ? "]" : "");
		}
	}
}

void hp_hds_show_value(const struct hp_hds_reader *value, bool compact)
{
	json_unit(*value, compact, 0);
	putchar('\n');
}

void hp_hds_show_message(const struct hp_hds_message *m, const struct hp_hds_reader *body, bool compact)
{
	static const char *const kinds[] = { "", "event", "request", "response" };
	const char *line = compact ? "" : "\n  ";
	struct hp_hds_reader header;
	printf("{\"t\":\"message\",\"kind\":\"%s\",\"protocol\":", kinds[m->kind]);
	print_string(m->protocol, m->protocol_size);
	printf(",\"topic\":");
	print_string(m->topic, m->topic_size);
	if (m->kind != HP_HDS_EVENT)
		printf(",\"id\":\"%lld\"", (long long)m->id);
	if (m->kind == HP_HDS_RESPONSE)
		printf(",\"status\":\"%lld\"", (long long)m->status);
	printf(",\"size\":%zu,%s\"header\":", 1 + m->header_size + m->body_size, line);
	hp_hds_read(&header, m->header, m->header_size, body->flags);
	header.shift = 1;
	json_unit(header, compact, 2);
	printf(",%s\"body\":", line);
	json_unit(*body, compact, 2);
	printf("%s}\n", compact ? "" : "\n");
}

/* ---- list ------------------------------------------------------------------------------------------------------- */

/* One line per value: offset, its first bytes, the value. Goes as far as the bytes make sense. */
void hp_hds_show_list(const struct hp_hds_reader *start)
{
	struct hp_hds_reader r = *start;
	struct hp_hds_item item;
	while (hp_hds_next(&r, &item) > 0) {
		const uint8_t *at = r.data + (item.offset - r.shift);
		size_t show = item.size > 9 ? 8 : item.size;
		if (item.type == HP_HDS_END && !item.size)
			continue;
		printf("%6zu  ", item.offset);
		print_hex(at, show);
		printf("%s%*s", item.size > 9 ? ".." : "",
		       (int)(20 - 2 * show) - (item.size > 9 ? 2 : 0) + 2 * item.depth, "");
		if (item.type == HP_HDS_END) {
			printf("end\n");
			continue;
		}
		printf("%s%s%s", item.key ? "key " : "", type_name(&item), item.ref ? " (reference)" : "");
		switch (item.type) {
		case HP_HDS_BOOL:
			printf(" %s", item.b ? "true" : "false");
			break;
		case HP_HDS_INT:
			printf(" %lld", (long long)item.i);
			break;
		case HP_HDS_F32:
			printf(" %.9g", (double)item.f32);
			break;
		case HP_HDS_F64:
			printf(" %.17g", item.f64);
			break;
		case HP_HDS_DATE:
			printf(" %.17g ", item.f64);
			print_date(item.f64);
			break;
		case HP_HDS_STR:
			putchar(' ');
			print_string(item.at, item.n);
			break;
		case HP_HDS_DATA:
			printf(" %zu bytes ", item.n);
			print_hex(item.at, item.n < 32 ? item.n : 32);
			printf(item.n > 32 ? ".." : "");
			break;
		case HP_HDS_UUID:
			putchar(' ');
			print_uuid(item.at);
			break;
		case HP_HDS_ARRAY:
		case HP_HDS_DICT:
			if ((item.tag & 15) == 15)
				printf(" until its end mark");
			else
				printf(" of %d", item.tag & 15);
			break;
		case HP_HDS_NULL:
		case HP_HDS_END:
			break;
		}
		putchar('\n');
	}
}
