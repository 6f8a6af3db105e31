/* SPDX-License-Identifier: MIT
 * csv.c - one row of text per sample, with every double written so that it reads back as the same double.
 * The column table below is the whole format; docs/csv.md describes it for readers of the files. */
#include "csv.h"
#include "api/builtin.h"
#include "headpipe.h"
#include "number/number.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { COLUMNS_MAX = 64, CELL_MAX = HP_9G_MAX + 8, HEADER_MAX = 4096 };

/* How the cell is made from the field at `offset`. */
enum cell { REAL, INT64, UINT64, UINT32, HEX32, LATENCY, JUMP, WALL };

/* Columns with a stage are those that a filter can change: their name gets the stage in front. A cell whose `need`
 * flag the sample lacks is left empty. */
enum { AS_IS, STAGED };
static const struct column {
	const char *name, *group, *unit; /* unit: behind the name, "" = none */
	uint8_t staged, appended;        /* appended: not in `all` */
	enum cell cell;
	uint32_t need;
	size_t offset;
} columns[] = {
#define COLUMN(member, cell, need, place, name, group, suffix, staged, appended) \
	[place] = { name, #group, suffix, staged, appended, cell, need, offsetof(struct hp_sample, member) },
#define HP_SAMPLE_FIELD(member, kind, cell, session, unit, flag, place, name, group, suffix, staged, meaning) \
	COLUMN(member, cell, flag, place, name, group, suffix, staged, 0)
#include "sample/fields.def"
#define HP_SAMPLE_APPENDED(member, kind, cell, session, unit, flag, place, name, group, suffix, staged, meaning) \
	COLUMN(member, cell, flag, place, name, group, suffix, staged, 1)
#include "sample/fields.def"
#define HP_SAMPLE_COLUMN(member, cell, place, name, group, suffix, meaning) \
	COLUMN(member, cell, 0, place, name, group, suffix, AS_IS, 0)
#include "sample/fields.def"
};
enum { NCOLUMNS = sizeof columns / sizeof *columns };
_Static_assert((int)NCOLUMNS <= (int)COLUMNS_MAX, "room for every column");
static const char groups[] = ""
#define HP_SAMPLE_GROUP(name) ", " #name
#include "sample/fields.def"
    ;
static const char columns_doc[] =
    "which columns, in this order: groups (all"
#define HP_SAMPLE_GROUP(name) ", " #name
#include "sample/fields.def"
    ") and single names such as `time, yaw, qw`; `all` is everything but `estimate`; names are in docs/csv.md";

struct csv {
	const char *path, *columns, *stage;
	int existing;

	const struct hp_host *host;
	struct hp_file *file;
	uint8_t chosen[COLUMNS_MAX]; /* indexes into the table, in the order of the file */
	int nchosen;
	int64_t wall_offset; /* CLOCK_REALTIME minus CLOCK_MONOTONIC, ns */
	uint64_t lost;
	bool broken;
	char row[COLUMNS_MAX * (CELL_MAX + 1)];
};
static const struct hp_option options[] = {
	HP_OPT_PATH(struct csv, path, NULL, "the file to write", HP_LOCAL),
	HP_OPT_STR(struct csv, columns, "all", columns_doc),
	HP_OPT_STR(struct csv, stage, "pose",
	           "word in front of every column that filters change, such as `raw` in raw_yaw_deg"),
	HP_OPT_ENUM(struct csv, existing, "replace", "replace|append|refuse",
	            "what to do when the file is there already; append wants the same header"),
	HP_OPT_END
};

/* ---- columns ------------------------------------------------------------------------------------ */

static bool word_is(const char *word, size_t n, const char *name)
{
	return strlen(name) == n && !memcmp(word, name, n);
}
/* Adds what a word stands for. A column that is there already is not doubled: `angles, yaw` is three columns. */
static bool choose(uint8_t *chosen, int *n, const char *word, size_t size)
{
	bool known = false;
	for (int i = 0; i < NCOLUMNS; i++) {
		if (!word_is(word, size, columns[i].name) && !word_is(word, size, columns[i].group) &&
		    (columns[i].appended || !word_is(word, size, "all")))
			continue;
		known = true;
		if (!memchr(chosen, i, (size_t)*n))
			chosen[(*n)++] = (uint8_t)i;
	}
	return known;
}
/* The list of the option into indexes; their number, or -EINVAL and why. */
static int choose_all(const char *list, uint8_t chosen[COLUMNS_MAX], char *why, size_t size)
{
	static const char separators[] = " \t,";
	int chosen_n = 0;
	for (const char *p = list; *(p += strspn(p, separators));) {
		size_t n = strcspn(p, separators);
		if (!choose(chosen, &chosen_n, p, n)) {
			snprintf(why, size,
			         "`%.*s` is no column and no group of columns; allowed: all%s, or single names "
			         "(headpipe help csv)",
			         n < 40 ? (int)n : 40, p, groups);
			return -EINVAL;
		}
		p += n;
	}
	if (!chosen_n) {
		snprintf(why, size, "names no column");
		return -EINVAL;
	}
	return chosen_n;
}
/* A stage becomes part of a column name: letters, digits, `_`, `-` and `.` keep the header free of quotes. */
static bool stage_good(const char *s)
{
	size_t n = strlen(s);
	return n && n <= 32 && strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") == n;
}
static size_t header(const struct csv *c, char *out, size_t size)
{
	size_t n = 0;
	for (int i = 0; i < c->nchosen; i++) {
		const struct column *col = &columns[c->chosen[i]];
		const char *unit = col->unit;
		n += (size_t)snprintf(out + n, size - n, "%s%s%s%s%s%s", i ? "," : "", col->staged ? c->stage : "",
		                      col->staged ? "_" : "", col->name, *unit ? "_" : "", unit);
	}
	out[n++] = '\n';
	return n;
}

/* ---- cells -------------------------------------------------------------------------------------- */

static size_t text_u64(uint64_t v, char *out)
{
	char reversed[20];
	size_t n = 0;
	do
		reversed[n++] = (char)('0' + v % 10);
	while (v /= 10);
	for (size_t i = 0; i < n; i++)
		out[i] = reversed[n - 1 - i];
	return n;
}
static size_t text_i64(int64_t v, char *out)
{
	if (v >= 0)
		return text_u64((uint64_t)v, out);
	*out = '-';
	return 1 + text_u64(-(uint64_t)v, out + 1);
}
static char *digits(char *out, uint64_t v, int n)
{
	for (int i = n; i--; v /= 10)
		out[i] = (char)('0' + v % 10);
	return out + n;
}
/* 2026-01-31T12:00:00.123456789Z, by the civil calendar rule (days since 1970-01-01 in 400-year cycles). */
static size_t text_wall(int64_t ns, char *out)
{
	int64_t s = ns / 1000000000, part = ns % 1000000000;
	if (part < 0) {
		part += 1000000000;
		s--;
	}
	int64_t day = s / 86400, second = s % 86400;
	if (second < 0) {
		second += 86400;
		day--;
	}
	day += 719468; /* from 0000-03-01 */
	int64_t era = (day >= 0 ? day : day - 146096) / 146097, of_era = day - era * 146097;
	int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	int64_t of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
	char *p = digits(out, (uint64_t)(year + era * 400 + (month >= 10)), 4);
	*p++ = '-';
	p = digits(p, (uint64_t)(month < 10 ? month + 3 : month - 9), 2);
	*p++ = '-';
	p = digits(p, (uint64_t)(of_year - (153 * month + 2) / 5 + 1), 2);
	*p++ = 'T';
	p = digits(p, (uint64_t)(second / 3600), 2);
	*p++ = ':';
	p = digits(p, (uint64_t)(second / 60 % 60), 2);
	*p++ = ':';
	p = digits(p, (uint64_t)(second % 60), 2);
	*p++ = '.';
	p = digits(p, (uint64_t)part, 9);
	*p++ = 'Z';
	return (size_t)(p - out);
}
static size_t cell(const struct csv *c, const struct column *col, const struct hp_sample *s, char *out)
{
	const char *at = (const char *)s + col->offset;
	double real;
	uint32_t u32;
	uint64_t u64;
	int64_t i64, wall;
	if ((s->flags & col->need) != col->need)
		return 0;
	switch (col->cell) {
	case REAL:
	case LATENCY:
		memcpy(&real, at, sizeof real);
		if (col->cell == LATENCY && real < 0) /* unknown */
			return 0;
		return hp_text_exact(real, out);
	case INT64:
		memcpy(&i64, at, sizeof i64);
		return text_i64(i64, out);
	case WALL:
		memcpy(&i64, at, sizeof i64);
		return text_wall(__builtin_add_overflow(i64, c->wall_offset, &wall) ? i64 : wall, out);
	case UINT64:
		memcpy(&u64, at, sizeof u64);
		return text_u64(u64, out);
	case JUMP:
		*out = s->flags & HP_JUMP ? '1' : '0';
		return 1;
	case UINT32:
		memcpy(&u32, at, sizeof u32);
		return text_u64(u32, out);
	case HEX32:
		memcpy(&u32, at, sizeof u32);
		out[0] = '0';
		out[1] = 'x';
		for (int i = 0; i < 8; i++)
			out[2 + i] = "0123456789abcdef"[u32 >> (28 - 4 * i) & 15];
		return 10;
	}
	return 0;
}

/* ---- the file ----------------------------------------------------------------------------------- */

static void read_wall_offset(struct csv *c)
{
	struct timespec wall;
	int64_t before = c->host->now(c->host);
	clock_gettime(CLOCK_REALTIME, &wall);
	c->wall_offset = (int64_t)wall.tv_sec * 1000000000 + wall.tv_nsec - before;
}
/* Whether the header must be written: 1 yes, 0 an equal one is there, -errno the file holds something else. */
static int header_wanted(struct csv *c, const char *want, size_t size)
{
	char have[HEADER_MAX], text[1024];
	struct stat st;
	/* opening a pipe to read from it would wait for a writer */
	FILE *f = c->existing == 1 && !stat(c->path, &st) && S_ISREG(st.st_mode) ? fopen(c->path, "rb") : NULL;
	if (!f)
		return 1;
	size_t n = fread(have, 1, size, f);
	fclose(f);
	if (!n)
		return 1;
	if (n == size && !memcmp(have, want, size))
		return 0;
	snprintf(text, sizeof text,
	         "%.512s: has other columns than this section writes, so nothing is appended; choose another path, or "
	         "the same columns and stage",
	         c->path);
	c->host->log(c->host, HP_LOG_ERROR, text);
	return -EEXIST;
}
static int csv_check(const void *self, const char **key, char *why, size_t size)
{
	const struct csv *c = self;
	uint8_t chosen[COLUMNS_MAX];
	*key = "stage";
	if (!stage_good(c->stage)) {
		snprintf(why, size, "must be 1 to 32 letters, digits, `_`, `-` or `.`");
		return -EINVAL;
	}
	*key = "columns";
	int n = choose_all(c->columns, chosen, why, size);
	return n < 0 ? n : 0;
}
static int csv_open(void *self, const struct hp_host *host)
{
	static const char *const modes[] = { "w", "a", "x" };
	struct csv *c = self;
	char head[HEADER_MAX];
	c->host = host;
	const char *key;
	char why[300];
	if (csv_check(c, &key, why, sizeof why) < 0)
		return -EINVAL; /* only a host that did not ask gets here */
	c->nchosen = choose_all(c->columns, c->chosen, why, sizeof why);
	size_t size = header(c, head, sizeof head);
	int wanted = header_wanted(c, head, size);
	if (wanted < 0)
		return wanted;
	c->file = host->file(host, c->path, modes[c->existing]);
	if (!c->file)
		return errno ? -errno : -EIO;
	read_wall_offset(c);
	return wanted ? host->file_write(c->file, head, size) : 0;
}
/* A full queue (a slow disk, a burst of samples) loses rows one by one and the file goes on; anything else ends it.
 * Either is said once. */
static int trouble(struct csv *c, int error)
{
	char text[1024];
	c->lost++;
	if (error != -ENOBUFS) {
		c->broken = true;
		snprintf(text, sizeof text, "%.512s: %s; no more rows are written", c->path, strerror(-error));
		c->host->fail(c->host, -error, text);
	} else if (c->lost == 1) {
		snprintf(
		    text, sizeof text,
		    "%.512s: the queue to the disk is full: samples come faster than they are written, and rows are "
		    "lost; the end of the run tells how many",
		    c->path);
		c->host->log(c->host, HP_LOG_WARN, text);
	}
	return HP_DROP;
}
static int csv_write(void *self, const struct hp_sample *s)
{
	struct csv *c = self;
	char *p = c->row;
	if (c->broken) {
		c->lost++;
		return HP_DROP;
	}
	for (int i = 0; i < c->nchosen; i++) {
		p += cell(c, &columns[c->chosen[i]], s, p);
		*p++ = ',';
	}
	p[-1] = '\n';
	int r = c->host->file_write(c->file, c->row, (size_t)(p - c->row));
	if (r < 0)
		return trouble(c, r);
	return 0;
}
void hp_csv_set_wall(void *self, int64_t offset_ns)
{
	((struct csv *)self)->wall_offset = offset_ns;
}
static void csv_event(void *self, const struct hp_event *e)
{
	struct csv *c = self;
	if (e->type == HP_CLOCK_STEP)
		read_wall_offset(c);
}
HP_MODULE(csv) = {
	HP_MODULE_HEAD,
	.kind = HP_OUTPUT,
	.traits = HP_OPENS_AGAIN,
	.name = "csv",
	.summary = "one row of text per sample into a file",
	.options = options,
	.state_size = sizeof(struct csv),
	.check = csv_check,
	.open = csv_open,
	.write = csv_write,
	.event = csv_event,
};
