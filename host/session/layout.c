/* SPDX-License-Identifier: MIT
 * layout.c - fixed layouts: numbers with names and units as the text of a ros2msg schema, and back. */
#include <errno.h>

#include "record.h"

static const struct {
	const char *name;
	uint8_t size;
} types[] = {
	{ "", 0 },       { "float64", 8 }, { "float32", 4 }, { "int64", 8 }, { "uint64", 8 }, { "int32", 4 },
	{ "uint32", 4 }, { "int16", 2 },   { "uint16", 2 },  { "int8", 1 },  { "uint8", 1 },  { "bool", 1 },
};
enum {
	NTYPES = sizeof types / sizeof types[0],
	FIELDS_MAX = 4096,
	DEPTH_MAX = 8,
	NAME_ROOM = 256,
	WORK_MAX = 32 << 20 /* bytes looked at: nested arrays of nothing must not take for ever */
};

const char *hps_type_name(enum hps_type t)
{
	return (unsigned)t < NTYPES && t ? types[t].name : "?";
}

size_t hps_type_size(enum hps_type t)
{
	return (unsigned)t < NTYPES ? types[t].size : 0;
}

void hps_layout_schema(struct hps_out *out, const struct hps_field *f, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		hps_out_bytes(out, types[f[i].type].name, strlen(types[f[i].type].name));
		hps_out_bytes(out, " ", 1);
		hps_out_bytes(out, f[i].name, strlen(f[i].name));
		if (f[i].unit && f[i].unit[0]) {
			hps_out_bytes(out, " # ", 3);
			hps_out_bytes(out, f[i].unit, strlen(f[i].unit));
		}
		hps_out_bytes(out, "\n", 1);
	}
}

size_t hps_layout_offsets(const struct hps_field *f, size_t n, uint32_t *out)
{
	size_t at = 0; /* CDR aligns to what comes behind its 4-byte head */
	for (size_t i = 0; i < n; i++) {
		size_t size = types[f[i].type].size;
		at = (at + size - 1) / size * size;
		if (out)
			out[i] = (uint32_t)(4 + at);
		at += size;
	}
	return 4 + at;
}

struct span {
	const char *p;
	size_t n;
};

static bool is(struct span s, const char *word)
{
	return s.n == strlen(word) && !memcmp(s.p, word, s.n);
}

static struct span trim(struct span s)
{
	while (s.n && (*s.p == ' ' || *s.p == '\t' || *s.p == '\r'))
		s.p++, s.n--;
	while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t' || s.p[s.n - 1] == '\r'))
		s.n--;
	return s;
}

/* Takes one line off text. */
static bool next_line(struct span *text, struct span *line)
{
	if (!text->n)
		return false;
	const char *nl = memchr(text->p, '\n', text->n);
	size_t n = nl ? (size_t)(nl - text->p) : text->n;
	*line = (struct span){ text->p, n };
	n += nl ? 1 : 0;
	text->p += n;
	text->n -= n;
	return true;
}

static struct span word(struct span *line)
{
	size_t n = 0;
	while (n < line->n && line->p[n] != ' ' && line->p[n] != '\t')
		n++;
	struct span w = { line->p, n };
	line->p += n;
	line->n -= n;
	*line = trim(*line);
	return w;
}

/* The part of a schema that describes another message: behind "MSG: NAME" up to the next line of '='. */
static bool find_message(struct span all, struct span name, struct span *body)
{
	struct span line;
	while (next_line(&all, &line)) {
		line = trim(line);
		if (line.n < 5 || memcmp(line.p, "MSG: ", 5))
			continue;
		struct span have = trim((struct span){ line.p + 5, line.n - 5 });
		/* "Point", "geometry_msgs/Point" and "geometry_msgs/msg/Point" are the same name */
		bool tail = have.n > name.n && have.p[have.n - name.n - 1] == '/' &&
		            !memcmp(have.p + have.n - name.n, name.p, name.n);
		if (tail || (have.n == name.n && !memcmp(have.p, name.p, name.n))) {
			*body = all;
			return true;
		}
	}
	return false;
}

struct build {
	struct span all;
	struct hps_out fields, text; /* text: names and units, NUL-terminated; fields point into it by offset */
	size_t work;
	bool stop; /* a member whose size is not fixed */
};
struct entry {
	size_t name, unit;
	enum hps_type type;
};

static void add(struct build *b, const char *name, enum hps_type type, struct span unit)
{
	struct entry e = { b->text.size, 0, type };
	hps_out_bytes(&b->text, name, strlen(name) + 1);
	e.unit = b->text.size;
	hps_out_bytes(&b->text, unit.p, unit.n);
	hps_out_u8(&b->text, 0);
	hps_out_bytes(&b->fields, &e, sizeof e);
	if (b->fields.size / sizeof e >= FIELDS_MAX)
		b->stop = true;
}

static void message(struct build *b, struct span body, const char *prefix, int depth);

/* "float64[3] gyro # rad/s" */
static void member(struct build *b, struct span line, const char *prefix, int depth)
{
	struct span unit = { "", 0 };
	const char *hash = memchr(line.p, '#', line.n);
	if (hash) {
		unit = trim((struct span){ hash + 1, line.n - (size_t)(hash + 1 - line.p) });
		line = trim((struct span){ line.p, (size_t)(hash - line.p) });
	}
	if (!line.n)
		return;
	struct span type = word(&line), name = word(&line);
	if (memchr(name.p, '=', name.n) || (line.n && line.p[0] == '='))
		return; /* a constant takes no room */
	unsigned long count = 1;
	bool array = false;
	const char *open = memchr(type.p, '[', type.n);
	if (open) {
		struct span n = { open + 1, type.n - (size_t)(open - type.p) - 1 };
		count = 0;
		while (n.n && *n.p >= '0' && *n.p <= '9' && count <= FIELDS_MAX) {
			count = count * 10 + (unsigned long)(*n.p - '0');
			n.p++, n.n--;
		}
		array = true;
		if (!is(n, "]") || !count || count > FIELDS_MAX) {
			b->stop = true; /* a sequence, bounded or not */
			return;
		}
		type.n = (size_t)(open - type.p);
	}
	enum hps_type t = 0;
	for (unsigned i = 1; i < NTYPES; i++)
		if (is(type, types[i].name))
			t = (enum hps_type)i;
	if (is(type, "byte") || is(type, "char"))
		t = HPS_U8;
	struct span nested = { NULL, 0 };
	b->work += t ? 1 : b->all.n;
	if (!name.n || (!t && (depth >= DEPTH_MAX || !find_message(b->all, type, &nested)))) {
		b->stop = true;
		return;
	}
	for (unsigned long i = 0; i < count && !b->stop; i++) {
		char full[NAME_ROOM];
		int n = array ? snprintf(full, sizeof full, "%s%.*s[%lu]", prefix, (int)(name.n & 0xffff), name.p, i)
		              : snprintf(full, sizeof full, "%s%.*s", prefix, (int)(name.n & 0xffff), name.p);
		b->work += 64;
		if (n < 0 || n + 2 > (int)sizeof full || b->work > WORK_MAX) {
			b->stop = true;
		} else if (t) {
			add(b, full, t, unit);
		} else {
			full[n] = '.';
			full[n + 1] = 0;
			message(b, nested, full, depth + 1);
		}
	}
}

static void message(struct build *b, struct span body, const char *prefix, int depth)
{
	struct span line;
	while (!b->stop && !b->text.failed && !b->fields.failed && next_line(&body, &line)) {
		b->work += line.n + 1;
		line = trim(line);
		if (b->work > WORK_MAX)
			b->stop = true;
		if (line.n >= 3 && !memcmp(line.p, "===", 3))
			return;
		if (line.n)
			member(b, line, prefix, depth);
	}
}

int hps_layout_parse(const uint8_t *text, size_t size, struct hps_field **fields, size_t *n, bool *whole)
{
	struct build b = { .all = { (const char *)text, size } };
	message(&b, b.all, "", 0);
	size_t count = b.fields.size / sizeof(struct entry);
	struct hps_field *f = malloc(count * sizeof *f + b.text.size + 1);
	bool failed = b.fields.failed || b.text.failed || !f;
	if (!failed) {
		char *names = (char *)(f + count);
		if (b.text.size)
			memcpy(names, b.text.data, b.text.size);
		for (size_t i = 0; i < count; i++) {
			struct entry e;
			memcpy(&e, b.fields.data + i * sizeof e, sizeof e);
			f[i] = (struct hps_field){ names + e.name, names + e.unit, e.type };
		}
		*fields = f;
		*n = count;
		*whole = !b.stop;
	} else {
		free(f);
	}
	free(b.fields.data);
	free(b.text.data);
	return failed ? -ENOMEM : 0;
}
