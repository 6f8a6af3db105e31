/* SPDX-License-Identifier: MIT
 * read.c - the ini format of Qt's QSettings as far as opentrack uses it: sections, keys with % escapes, values with C
 * escapes and quotes, and @Variant(...) with a type and big-endian doubles in it (points of curves, sliders). */
#include "profile.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int hex(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}
static void trim(char **from, char **end)
{
	while (*from < *end && strchr(" \t\r", **from))
		(*from)++;
	while (*end > *from && strchr(" \t\r", (*end)[-1]))
		(*end)--;
}
/* %20 and \ in names: blanks and parts of a path. In place. */
static char *unescape_name(char *from, char *end)
{
	char *to = from;
	for (const char *p = from; p < end; p++) {
		if (*p == '%' && end - p > 2 && hex(p[1]) >= 0 && hex(p[2]) >= 0) {
			*to++ = (char)(hex(p[1]) << 4 | hex(p[2]));
			p += 2;
		} else {
			*to++ = *p == '\\' ? '/' : *p;
		}
	}
	*to = 0;
	return from;
}
/* In place; the result is never longer. Returns its end. */
static char *unescape_value(char *from, char *end)
{
	char *to = from;
	bool binary = end - from > 9 && (!memcmp(from, "@Variant(", 9) || !memcmp(from, "\"@Variant", 9));
	for (const char *p = from; p < end; p++) {
		unsigned char c = (unsigned char)*p;
		if (c == '"')
			continue; /* quotes only keep blanks and signs together */
		if (binary && (c == 0xc2 || c == 0xc3) && end - p > 1 && ((unsigned char)p[1] & 0xc0) == 0x80) {
			*to++ =
			    (char)((c & 3) << 6 | ((unsigned char)*++p & 0x3f)); /* newer Qt writes bytes as UTF-8 */
			continue;
		}
		if (c != '\\' || end - p < 2) {
			*to++ = (char)c;
			continue;
		}
		static const char letters[] = "abfnrtv", means[] = "\a\b\f\n\r\t\v";
		const char *letter = strchr(letters, *++p);
		unsigned v = 0;
		if (*p == 'x') {
			while (p + 1 < end && hex(p[1]) >= 0)
				v = v << 4 | (unsigned)hex(*++p);
			*to++ = (char)v;
		} else if (*p >= '0' && *p <= '7') {
			v = (unsigned)(*p - '0');
			while (p + 1 < end && p[1] >= '0' && p[1] <= '7')
				v = v << 3 | (unsigned)(*++p - '0');
			*to++ = (char)v;
		} else {
			*to++ = letter ? means[letter - letters] : *p;
		}
	}
	*to = 0;
	return to;
}

static int read_line(struct hp_profile *p, char *line, char *end, const char **section, int number, char *why,
                     size_t size)
{
	trim(&line, &end);
	if (line == end || *line == ';' || *line == '#')
		return 0;
	if (*line == '[') {
		if (end[-1] != ']') {
			snprintf(why, size, "a section without ]");
			return -EINVAL;
		}
		*section = unescape_name(line + 1, end - 1);
		return 0;
	}
	char *equals = memchr(line, '=', (size_t)(end - line));
	if (!equals || !*section) {
		snprintf(why, size, equals ? "a key before the first section" : "neither a section nor key=value");
		return -EINVAL;
	}
	char *key_end = equals, *value = equals + 1;
	trim(&line, &key_end);
	trim(&value, &end);
	if (p->n % 64 == 0) {
		struct hp_profile_entry *grown = realloc(p->at, (p->n + 64) * sizeof *grown);
		if (!grown)
			return -ENOMEM;
		p->at = grown;
	}
	char *value_end = unescape_value(value, end);
	p->at[p->n++] = (struct hp_profile_entry){ .section = *section,
		                                   .key = unescape_name(line, key_end),
		                                   .value = value,
		                                   .size = (size_t)(value_end - value),
		                                   .line = number };
	return 0;
}
static bool is_known(const struct hp_profile *p)
{
	static const char *const known[] = { "opentrack-ui", "opentrack-mappings", "modules" };
	for (size_t i = 0; i < p->n; i++) {
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			if (!strcmp(p->at[i].section, known[k]))
				return true;
		if (!strncmp(p->at[i].section, "spline-", 7))
			return true;
	}
	return false;
}
int hp_profile_read(struct hp_profile *p, const char *text, size_t size, int *line, char *why, size_t why_size)
{
	memset(p, 0, sizeof *p);
	*line = 0;
	if (size > HP_PROFILE_BYTES) {
		snprintf(why, why_size, "longer than a profile ever is (1 MB)");
		return -EINVAL;
	}
	p->memory = malloc(size + 1);
	if (!p->memory)
		return -ENOMEM;
	if (size)
		memcpy(p->memory, text, size);
	p->memory[size] = 0;
	char *from = p->memory, *end = p->memory + size;
	const char *section = NULL;
	if (size >= 3 && !memcmp(from, "\xef\xbb\xbf", 3))
		from += 3;
	while (from < end) {
		char *stop = memchr(from, '\n', (size_t)(end - from));
		char *next = stop ? stop + 1 : end;
		++*line;
		int r = read_line(p, from, stop ? stop : end, &section, *line, why, why_size);
		if (r < 0)
			return r;
		from = next;
	}
	*line = 0;
	if (is_known(p))
		return 0;
	for (size_t i = 0; i < p->n; i++)
		if (!strncmp(p->at[i].section, "Curves", 6)) {
			snprintf(why, why_size,
			         "a profile of FaceTrackNoIR or of an opentrack before 2.3; open it in a newer "
			         "opentrack and save it there");
			return -EINVAL;
		}
	snprintf(why, why_size,
	         "no profile of opentrack: it has neither [opentrack-ui] nor [modules] nor [spline-...]");
	return -EINVAL;
}
void hp_profile_free(struct hp_profile *p)
{
	free(p->at);
	free(p->memory);
	memset(p, 0, sizeof *p);
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static struct hp_profile_entry *find(struct hp_profile *p, const char *section, const char *key)
{
	struct hp_profile_entry *found = NULL; /* of two, the last counts */
	for (size_t i = 0; i < p->n; i++)
		if (!strcmp(p->at[i].section, section) && !strcmp(p->at[i].key, key)) {
			p->at[i].used = true;
			found = &p->at[i];
		}
	return found;
}
const struct hp_profile_entry *hp_profile_find(struct hp_profile *p, const char *section, const char *key)
{
	return find(p, section, key);
}
const char *hp_profile_text(struct hp_profile *p, const char *section, const char *key, const char *def)
{
	const struct hp_profile_entry *e = hp_profile_find(p, section, key);
	return e && strlen(e->value) == e->size ? e->value : def;
}
bool hp_profile_bool(struct hp_profile *p, const char *section, const char *key, bool def)
{
	struct hp_profile_entry *e = find(p, section, key);
	if (!e)
		return def;
	bool yes = !strcmp(e->value, "true") || !strcmp(e->value, "1");
	e->odd = !yes && strcmp(e->value, "false") != 0 && strcmp(e->value, "0") != 0;
	return e->odd ? def : yes;
}

static double big_endian(const char *p)
{
	uint64_t bits = 0;
	double v;
	for (int i = 0; i < 8; i++)
		bits = bits << 8 | (unsigned char)p[i];
	memcpy(&v, &bits, sizeof v);
	return v;
}
static uint32_t word(const char *p)
{
	return (uint32_t)(unsigned char)p[0] << 24 | (uint32_t)(unsigned char)p[1] << 16 |
	       (uint32_t)(unsigned char)p[2] << 8 | (unsigned char)p[3];
}
/* What a @Variant of a type of one's own (127) holds: behind its name with a NUL. NULL: it is no such thing. */
static const char *variant(const struct hp_profile_entry *e, const char *type, size_t *size)
{
	const size_t head = 9 + 4 + 4;
	if (e->size < head + 1 || memcmp(e->value, "@Variant(", 9) || e->value[e->size - 1] != ')')
		return NULL;
	size_t length = word(e->value + 13), n = strlen(type);
	if (word(e->value + 9) != 0x7f || length > e->size - head - 1 || length < n + 1)
		return NULL;
	const char *name = e->value + head;
	if (name[length - 1] || memcmp(name + length - 1 - n, type, n)) /* with or without its name space */
		return NULL;
	*size = e->size - head - 1 - length;
	return name + length;
}
static bool number(const struct hp_profile_entry *e, double *to)
{
	size_t size;
	const char *slider = variant(e, "slider_value", &size);
	if (slider) {
		*to = size >= 8 ? big_endian(slider) : NAN;
		return isfinite(*to);
	}
	double v = 0, scale = 1, sign = *e->value == '-' ? -1 : 1; /* whatever the language of the system */
	const char *t = e->value + (*e->value == '-');
	if (!*t || strlen(t) > 18 || strlen(e->value) != e->size)
		return false;
	for (; *t >= '0' && *t <= '9'; t++)
		v = v * 10 + (*t - '0');
	if (*t == '.')
		for (t++; *t >= '0' && *t <= '9'; t++) {
			v = v * 10 + (*t - '0');
			scale *= 10;
		}
	*to = sign * v / scale;
	return !*t;
}
double hp_profile_number(struct hp_profile *p, const char *section, const char *key, double def)
{
	struct hp_profile_entry *e = find(p, section, key);
	double v;
	if (!e)
		return def;
	e->odd = !number(e, &v);
	return e->odd ? def : v;
}
int hp_profile_points(struct hp_profile *p, const char *section, const char *key, double *xy, int room)
{
	const struct hp_profile_entry *e = hp_profile_find(p, section, key);
	size_t size;
	if (!e || !e->size || !strcmp(e->value, "@Invalid()"))
		return 0;
	const char *list = variant(e, "QList<QPointF>", &size);
	if (!list || size < 4)
		return -1;
	uint32_t n = word(list);
	if (n > (uint32_t)room || size < 4 + (size_t)n * 16)
		return -1;
	for (uint32_t i = 0; i < 2 * n; i++) {
		xy[i] = big_endian(list + 4 + 8 * i);
		if (!isfinite(xy[i]))
			return -1;
	}
	return (int)n;
}
/* Digits alone, 0 to most; -1: it is something else. */
static int small(const char *text, int most)
{
	int v = 0;
	if (!*text || strlen(text) > 5)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -1;
		v = 10 * v + (*text - '0');
	}
	return v <= most ? v : -1;
}
bool hp_profile_address(struct hp_profile *p, char to[128])
{
	static const char *const keys[4] = { "ip1", "ip2", "ip3", "ip4" }, *const def[4] = { "192", "168", "0", "2" };
	const char *text[4], *port = hp_profile_text(p, "udp-proto", "port", "4242");
	bool good = small(port, 65535) > 0;
	for (int i = 0; i < 4; i++) {
		text[i] = hp_profile_text(p, "udp-proto", keys[i], def[i]);
		good &= small(text[i], 255) >= 0;
	}
	if (good)
		snprintf(to, 128, "%d.%d.%d.%d:%d", small(text[0], 255), small(text[1], 255), small(text[2], 255),
		         small(text[3], 255), small(port, 65535));
	else
		snprintf(to, 128, "%.20s.%.20s.%.20s.%.20s:%.20s", text[0], text[1], text[2], text[3], port);
	return good;
}
