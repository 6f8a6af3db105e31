/* SPDX-License-Identifier: MIT
 * edit.c - a calibration into the text of an ini: only the lines that change do. */
#include "calibrate.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Degrees with one decimal, whatever the language of the system. */
static const char *tenths(double degrees, char buf[32])
{
	long n = lround(degrees * 10);
	snprintf(buf, 32, "%s%ld.%ld", n < 0 ? "-" : "", labs(n) / 10, labs(n) % 10);
	return buf;
}
enum { KEYS = 7 };
static const char *const keys[KEYS] = { "axis_map", "invert", "gyro_map", "gyro_invert", "yaw", "pitch", "roll" };
static void value(const struct hp_cal_answer *a, int i, char buf[32])
{
	const char *const words[4] = { a->axis_map, a->invert, a->gyro_map, a->gyro_invert };
	if (i < 4)
		snprintf(buf, 32, "%s", words[i]);
	else
		tenths(a->tilt[i - 4], buf);
}
static bool is_default(int i, const char *text)
{
	return (i >= 2 && i < 4 && !strcmp(text, "same")) || (i >= 4 && !strcmp(text, "0.0"));
}
void hp_cal_section(const struct hp_cal_answer *a, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "[filter mount]\n");
	for (int i = 0; i < KEYS; i++) {
		char text[32];
		value(a, i, text);
		if (!is_default(i, text) && n < size)
			n += (size_t)snprintf(buf + n, size - n, "%s = %s\n", keys[i], text);
	}
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

struct line {
	const char *text;
	size_t size; /* without its end */
	const char *next;
};
static bool next_line(const char **at, struct line *l)
{
	if (!**at)
		return false;
	l->text = *at;
	const char *end = strchr(*at, '\n');
	l->next = end ? end + 1 : *at + strlen(*at);
	l->size = (size_t)((end ? end : l->next) - *at);
	if (l->size && l->text[l->size - 1] == '\r')
		l->size--;
	*at = l->next;
	return true;
}
static const char *skip(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}
/* "[filter mount]": kind and name. */
static bool header(const struct line *l, char kind[16], char name[40])
{
	const char *end = l->text + l->size, *p = skip(l->text, end);
	char text[64];
	if (p == end || *p != '[' || !memchr(p, ']', (size_t)(end - p)))
		return false;
	snprintf(text, sizeof text, "%.*s", (int)((const char *)memchr(p, ']', (size_t)(end - p)) - p - 1), p + 1);
	*kind = *name = 0;
	sscanf(text, "%15s %39s", kind, name);
	return true;
}
/* `key = value ; comment`: true when it is this key; where its value begins and ends. */
static bool key_line(const struct line *l, const char *key, const char **value_at, const char **value_end)
{
	const char *end = l->text + l->size, *p = skip(l->text, end);
	size_t n = strlen(key);
	if ((size_t)(end - p) <= n || memcmp(p, key, n))
		return false;
	p = skip(p + n, end);
	if (p == end || *p != '=')
		return false;
	p = skip(p + 1, end);
	*value_at = p;
	const char *stop = p;
	while (stop < end && !(*stop == ';' && stop > p && (stop[-1] == ' ' || stop[-1] == '\t')))
		stop++;
	while (stop > p && (stop[-1] == ' ' || stop[-1] == '\t'))
		stop--;
	*value_end = stop;
	return true;
}

/* A section: its header line, and where its last line that says something ends. */
struct section {
	const char *from, *body, *said, *end;
	char kind[16], name[40], use[64];
};
static bool next_section(const char **at, struct section *s)
{
	struct line l;
	memset(s, 0, sizeof *s);
	while (!s->from && next_line(at, &l))
		if (header(&l, s->kind, s->name)) {
			s->from = l.text;
			s->body = s->said = l.next;
		}
	if (!s->from)
		return false;
	snprintf(s->use, sizeof s->use, "%s", s->name);
	for (;;) {
		const char *before = *at, *v, *e;
		char kind[16], name[40];
		if (!next_line(at, &l) || header(&l, kind, name)) {
			*at = s->end = before;
			return true;
		}
		const char *p = skip(l.text, l.text + l.size);
		if (p < l.text + l.size && *p != ';' && *p != '#')
			s->said = l.next;
		if (key_line(&l, "use", &v, &e))
			snprintf(s->use, sizeof s->use, "%.*s", (int)(e - v), v);
	}
}

/* ---- the edit -------------------------------------------------------------------------------------------------- */

/* The section with these keys set: where they stand, else behind its last line. skip_default: unless that says what is
 * so anyway. */
static void set_keys(FILE *f, const struct section *s, int n, const char *const *key, const char (*text)[32],
                     const bool *needless)
{
	bool done[KEYS] = { false };
	const char *at = s->body, *v, *e;
	struct line l;
	fwrite(s->from, 1, (size_t)(s->body - s->from), f);
	while (at < s->said && next_line(&at, &l)) {
		int i = 0;
		while (i < n && !key_line(&l, key[i], &v, &e))
			i++;
		if (i == n) {
			fwrite(l.text, 1, (size_t)(l.next - l.text), f);
			continue;
		}
		done[i] = true;
		fwrite(l.text, 1, (size_t)(v - l.text), f);
		fputs(text[i], f);
		fwrite(e, 1, (size_t)(l.next - e), f);
	}
	if (s->said > s->from && s->said[-1] != '\n')
		fputc('\n', f);
	for (int i = 0; i < n; i++)
		if (!done[i] && !needless[i])
			fprintf(f, "%s = %s\n", key[i], text[i]);
	fwrite(s->said, 1, (size_t)(s->end - s->said), f);
}

char *hp_cal_edit(const char *ini, const struct hp_cal_answer *a, const char **why)
{
	static const char *const order_keys[2] = { "axis_map", "invert" };
	static const char order[2][32] = { "XYZ", "none" };
	static const bool needed[2] = { false, false };
	char text[KEYS][32], *out = NULL;
	bool needless[KEYS], has_mount = false, has_input = false, placed = false;
	size_t size;
	struct section s;
	for (int i = 0; i < KEYS; i++) {
		value(a, i, text[i]);
		needless[i] = is_default(i, text[i]);
	}
	const char *at = ini;
	while (next_section(&at, &s)) {
		has_mount |= !strcmp(s.kind, "filter") && !strcmp(s.use, "mount");
		has_input |= !strcmp(s.kind, "input");
	}
	*why = "out of memory";
	if (!has_input) {
		*why = "it has no [input ...]";
		return NULL;
	}
	FILE *f = open_memstream(&out, &size);
	if (!f)
		return NULL;
	const char *last = at = ini;
	while (next_section(&at, &s)) {
		fwrite(last, 1, (size_t)(s.from - last), f);
		last = s.end;
		bool filter = !strcmp(s.kind, "filter");
		if (filter && !strcmp(s.use, "mount")) {
			set_keys(f, &s, KEYS, keys, (const char(*)[32])text, needless);
		} else if (filter && !strcmp(s.use, "orientation")) {
			set_keys(f, &s, 2, order_keys, order, needed);
		} else if (!strcmp(s.kind, "input") && !has_mount && !placed) {
			char section[512];
			hp_cal_section(a, section, sizeof section);
			fwrite(s.from, 1, (size_t)(s.said - s.from), f);
			fprintf(f, "%s\n%s", s.said[-1] == '\n' ? "" : "\n", section);
			fwrite(s.said, 1, (size_t)(s.end - s.said), f);
			placed = true;
		} else {
			fwrite(s.from, 1, (size_t)(s.end - s.from), f);
		}
	}
	fputs(last, f);
	bool bad = ferror(f);
	if (fclose(f) || bad) {
		free(out);
		return NULL;
	}
	*why = NULL;
	return out;
}
