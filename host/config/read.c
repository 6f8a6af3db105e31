/* SPDX-License-Identifier: MIT
 * read.c - ini files through inih, one checked line at a time.
 *
 * inih splits lines into section, key and value, but it cuts lines at 199 bytes, reads the rest as a new line,
 * does not tell line numbers, takes indentation for a continuation and passes duplicates and empty sections over.
 * So the lines that inih gets are ours: counted, checked, free of comments, one header or pair each. A value
 * travels between two marks that no accepted text contains (so that inih trims nothing), with another mark for
 * `;`, in as many continuation lines as it needs; after each pair its length is compared with what was sent. */
#include "base/alloc.h"
#include "base/suggest.h"
#include "config.h"
#include "grammar.h"
#include "kind.h"
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { EDGE = 1, SEMICOLON = 2 };

struct reader {
	FILE *f; /* or the text below */
	const char *text;
	size_t size;
	struct hp_config *config;
	struct hp_errors *errors;
	const char *file;
	int line;
	size_t first; /* index of this file's first section */
	bool usable;  /* the last section of config is open for pairs */
	bool headed;  /* there was a header, good or bad */
	bool full;    /* too many sections: only errors are looked for */
	char buf[HP_LINE_MAX + 2];
	size_t length;     /* of the line, also when it did not fit */
	char *value;       /* of the current pair, in buf */
	size_t sent, want; /* bytes of it that inih got, and that there are */
	const char *key;   /* in buf; NULL = no pair on its way */
	struct hp_pair *pair;
};

static int next_byte(struct reader *r)
{
	if (r->f)
		return getc_unlocked(r->f);
	if (r->size == 0)
		return EOF;
	r->size--;
	return (unsigned char)*r->text++;
}

/* One line without its end into buf; false at the end of the file. Of a longer line only the length is kept. */
static bool read_line(struct reader *r)
{
	size_t n = 0;
	int c, last = 0;
	while ((c = next_byte(r)) != EOF && c != '\n') {
		if (n < sizeof r->buf)
			r->buf[n] = (char)c;
		n++;
		last = c;
	}
	if (c == EOF && n == 0)
		return false;
	if (n && last == '\r')
		n--;
	r->line++;
	if (r->line == 1 && n >= 3 && memcmp(r->buf, "\xef\xbb\xbf", 3) == 0) {
		n -= 3;
		memmove(r->buf, r->buf + 3, sizeof r->buf - 3);
	}
	r->length = n;
	r->buf[n <= HP_LINE_MAX ? n : HP_LINE_MAX] = '\0';
	return true;
}

/* A message about the line at hand, with what is known of where it stands. */
static void line_error(struct reader *r, const char *what)
{
	hp_error(r->errors, r->file, r->line, "%s", what);
}

static void header_error(struct reader *r, const char *inside)
{
	static const char *const kinds[] = { "input", "filter", "output", "headpipe" };
	char shown[HP_SHOWN_MAX], why[HP_WHY_MAX], kind[HP_NAME_MAX + 1] = "";
	size_t n = strcspn(inside, " \t");
	const char *name = inside + n + strspn(inside + n, " \t");
	hp_error(r->errors, r->file, r->line,
	         "[%s]: section must be [headpipe], [input NAME], [filter NAME] or [output NAME]",
	         hp_shown(inside, strlen(inside), shown));
	if (n <= HP_NAME_MAX)
		memcpy(kind, inside, n);
	const char *meant = hp_suggest(kind, kinds, 4);
	if (meant && strcmp(meant, "headpipe") == 0)
		hp_error_hint(r->errors, "did you mean [headpipe]?");
	else if (meant)
		hp_error_hint(r->errors, "did you mean [%s %s]?", meant,
		              *name && !hp_bad_name(name, why) ? name : "NAME");
}

/* [kind name]: checks it and opens the section. true: inih should get it. */
static bool header(struct reader *r, char *line)
{
	struct hp_config *config = r->config;
	char why[HP_WHY_MAX], shown[HP_SHOWN_MAX];
	char *end = strchr(line, ']');
	r->usable = false;
	r->headed = true;
	if (!end) {
		hp_cut_comment(line);
		hp_trim(line);
		hp_error(r->errors, r->file, r->line, "`%s` has no `]`", hp_shown(line, strlen(line), shown));
		return false;
	}
	char *behind = end + 1 + strspn(end + 1, " \t");
	*end = '\0';
	char *inside = line + 1;
	hp_trim(inside);
	if (hp_bad_text(inside, why)) {
		line_error(r, why);
		return false;
	}
	if (*behind && *behind != ';' && *behind != '#') {
		hp_error(r->errors, r->file, r->line, "[%s]: only a comment may stand behind the `]`",
		         hp_shown(inside, strlen(inside), shown));
		return false;
	}
	size_t n = strcspn(inside, " \t");
	char *name = inside + n + strspn(inside + n, " \t");
	bool host = strcmp(inside, "headpipe") == 0;
	if (!host) {
		bool named = inside[n] != '\0';
		inside[n] = '\0';
		bool known = hp_section_kind(inside);
		if (named)
			inside[n] = ' ';
		if (!known || !*name) {
			header_error(r, inside);
			return false;
		}
		if (hp_bad_name(name, why)) {
			hp_error(r->errors, r->file, r->line, "[%s]: %s", hp_shown(inside, strlen(inside), shown), why);
			return false;
		}
		inside[n] = '\0';
	}
	for (size_t i = r->first; i < config->nsections; i++) {
		const struct hp_section *other = &config->sections[i];
		if (strcmp(other->kind, inside) != 0 || strcmp(other->name, host ? "" : name) != 0)
			continue;
		if (host)
			hp_error(r->errors, r->file, r->line, "[headpipe] already stands at line %d", other->line);
		else
			hp_error(r->errors, r->file, r->line, "[%s %s] name already used at line %d", inside, name,
			         other->line);
		return false;
	}
	if (config->nsections - r->first >= HP_SECTIONS_MAX) {
		if (!r->full)
			hp_error(r->errors, r->file, r->line, "more than %d sections", HP_SECTIONS_MAX);
		r->full = true;
		return false;
	}
	hp_config_add(config, inside, host ? "" : name, r->file, r->line);
	r->usable = true;
	return true;
}

/* key = value: checks it. true: inih should get it; key and value are set. */
static bool pair(struct reader *r, char *line)
{
	char why[HP_WHY_MAX], shown[HP_SHOWN_MAX], title[HP_NAME_MAX + 16];
	char *equals = strchr(line, '=');
	char *comment = strpbrk(line, ";");
	while (comment && comment[-1] != ' ' && comment[-1] != '\t')
		comment = strpbrk(comment + 1, ";");
	if (!equals || (comment && comment < equals)) {
		/* the first word only: the rest may be a password */
		hp_error(r->errors, r->file, r->line, "`%s` has no `=`", hp_shown(line, strcspn(line, " \t"), shown));
		return false;
	}
	*equals = '\0';
	char *value = equals + 1;
	hp_trim(line);
	if (hp_bad_text(line, why)) {
		line_error(r, why);
		return false;
	}
	if (hp_bad_key(line, why)) {
		hp_error(r->errors, r->file, r->line, "`%s`: %s", hp_shown(line, strlen(line), shown), why);
		return false;
	}
	if (!r->headed) {
		hp_error(r->errors, r->file, r->line, "`%s` stands before the first [section]", line);
		return false;
	}
	hp_cut_comment(value);
	hp_trim(value);
	const char *wrong = hp_bad_text(value, why) ? why : hp_unquote(value) ? NULL : "a quote is not closed";
	if (!r->usable) {
		if (wrong)
			hp_error(r->errors, r->file, r->line, "%s: %s", line, wrong);
		return false; /* its section was refused; one error is enough */
	}
	struct hp_section *section = &r->config->sections[r->config->nsections - 1];
	hp_section_title(section, title, sizeof title);
	if (wrong) {
		hp_error(r->errors, r->file, r->line, "%s %s: %s", title, line, wrong);
		return false;
	}
	const struct hp_pair *other = hp_section_get(section, line);
	if (other) {
		hp_error(r->errors, r->file, r->line, "%s %s: already given at line %d", title, line, other->line);
		return false;
	}
	if (section->npairs >= HP_PAIRS_MAX) {
		hp_error(r->errors, r->file, r->line, "%s more than %d keys", title, HP_PAIRS_MAX);
		r->usable = false;
		return false;
	}
	r->key = line;
	r->value = value;
	r->want = strlen(value);
	r->sent = 0;
	return true;
}

/* A piece of the value between its marks. */
static void put_value(struct reader *r, char *out, size_t room)
{
	size_t n = r->want - r->sent < room - 3 ? r->want - r->sent : room - 3;
	*out++ = EDGE;
	for (size_t i = 0; i < n; i++)
		out[i] = r->value[r->sent + i] == ';' ? SEMICOLON : r->value[r->sent + i];
	r->sent += n;
	out[n] = EDGE;
	out[n + 1] = '\0';
}

/* Did all of the last pair come back? */
static void check_pair(struct reader *r)
{
	if (!r->key)
		return;
	if (!r->pair || strlen(r->pair->value) != r->want)
		hp_error(r->errors, r->file, r->line,
		         "the inih library on this system did not read this line as it should");
	r->key = NULL;
	r->pair = NULL;
}

/* A header that cannot be read: what follows it belongs to nobody. */
static void not_a_header(struct reader *r, const char *line)
{
	if (*line != '[')
		return;
	r->usable = false;
	r->headed = true;
}

/* inih's "fgets": the next header or pair, or the next piece of a value. */
static char *feed(char *out, int size, void *stream)
{
	struct reader *r = stream;
	size_t room = (size_t)size - 2; /* never full: a build of inih that grows its line would ask for more */
	if (r->key && r->sent < r->want) {
		out[0] = ' ';
		put_value(r, out + 1, room - 1);
		return out;
	}
	check_pair(r);
	while (read_line(r)) {
		if (r->line == 1 && r->length >= 2 &&
		    (!memcmp(r->buf, "\xff\xfe", 2) || !memcmp(r->buf, "\xfe\xff", 2))) {
			hp_error(r->errors, r->file, 0, "this is UTF-16 text; save it as UTF-8");
			return NULL;
		}
		char *line = r->buf + strspn(r->buf, " \t");
		if (memchr(r->buf, '\0', r->length < HP_LINE_MAX ? r->length : HP_LINE_MAX)) {
			line_error(r, "NUL byte");
			not_a_header(r, line);
		} else if (r->length > HP_LINE_MAX) {
			hp_error(r->errors, r->file, r->line, "line is %zu bytes; the limit is %d", r->length,
			         HP_LINE_MAX);
			not_a_header(r, line);
		} else if (*line == '[') {
			if (header(r, line)) {
				const struct hp_section *section = &r->config->sections[r->config->nsections - 1];
				hp_section_title(section, out, room);
				return out;
			}
		} else if (*line && *line != ';' && *line != '#' && pair(r, line)) {
			size_t n = (size_t)snprintf(out, room, "%s=", r->key);
			put_value(r, out + n, room - n);
			return out;
		}
	}
	return NULL;
}

/* inih's handler: a value, or the next piece of it. */
static int store(void *user, const char *title, const char *key, const char *value)
{
	struct reader *r = user;
	struct hp_section *section = &r->config->sections[r->config->nsections - 1];
	char want[HP_NAME_MAX + 16];
	size_t n = strlen(value);
	hp_section_title(section, want, sizeof want);
	want[strlen(want) - 1] = '\0';
	if (!r->key || strcmp(title, want + 1) != 0 || strcmp(key, r->key) != 0 || n < 2 || value[0] != EDGE ||
	    value[n - 1] != EDGE)
		return 1; /* check_pair() notices what is missing */
	if (!r->pair)
		r->pair = hp_section_add(section, key, "", r->file, r->line);
	size_t old = strlen(r->pair->value);
	char *whole = hp_need(realloc(r->pair->value, old + n - 1));
	for (size_t i = 1; i < n - 1; i++)
		whole[old++] = (char)(value[i] == SEMICOLON ? ';' : value[i]);
	whole[old] = '\0';
	r->pair->value = whole;
	return 1;
}

static int parse(struct reader *r, struct hp_config *config, const char *file, struct hp_errors *errors)
{
	int before = errors->count;
	hp_grow(&config->files, config->nfiles, sizeof *config->files);
	r->file = config->files[config->nfiles++] = hp_text(file, strlen(file));
	r->config = config;
	r->errors = errors;
	r->first = config->nsections;
	ini_parse_stream(feed, r, store, r);
	check_pair(r);
	return errors->count == before ? 0 : -1;
}

int hp_config_parse(struct hp_config *config, const char *text, size_t size, const char *file, struct hp_errors *errors)
{
	struct reader r = { .text = text, .size = size };
	return parse(&r, config, file, errors);
}

/* By whatever name: its outputs would be there twice. */
static bool given_before(const struct hp_config *config, const char *path)
{
	struct stat a, b;
	for (size_t i = 0; i < config->nfiles; i++)
		if (!strcmp(config->files[i], path) ||
		    (!stat(config->files[i], &a) && !stat(path, &b) && S_ISREG(a.st_mode) && a.st_dev == b.st_dev &&
		     a.st_ino == b.st_ino))
			return true;
	return false;
}

int hp_config_read(struct hp_config *config, const char *path, struct hp_errors *errors)
{
	struct reader r = { 0 };
	struct stat st;
	hp_errors_file(errors, path);
	if (given_before(config, path)) {
		hp_error(errors, path, 0, "this file is given twice");
		return -1;
	}
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0) {
		hp_error(errors, path, 0, "cannot open it: %s", strerror(errno));
	} else if (S_ISDIR(st.st_mode)) {
		hp_error(errors, path, 0, "this is a directory, not an ini file");
	} else if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) {
		hp_error(errors, path, 0, "this is a device or socket, not an ini file");
	} else if (!(r.f = fdopen(fd, "r"))) {
		hp_error(errors, path, 0, "cannot open it: %s", strerror(errno));
	} else {
		int result = parse(&r, config, path, errors);
		if (ferror(r.f)) {
			hp_error(errors, path, 0, "cannot read it: %s", strerror(errno));
			result = -1;
		}
		fclose(r.f);
		return result;
	}
	if (fd >= 0)
		close(fd);
	return -1;
}
