/* SPDX-License-Identifier: MIT
 * hds.c - `headpipe hds decode`: shows what HDS payload bytes say. */
#include "commands/shared/command.h"
#include "hds/show.h"
#include "io/framing.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 64 << 20 }; /* bytes of input */

struct request {
	int action, refs;
	int framing; /* of the enum, -1: one unit; while it is read, one more */
	const char *file;
	bool hex, compact, list, message, value;
	enum { EITHER, MESSAGE, VALUE } unit;
	unsigned flags;
};

/* ---- input ------------------------------------------------------------------------------------------------------ */

static int digit(int c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
	                              : -1;
}

/* Hexadecimal text to bytes, in place; white space and colons between the digits are passed over. -1: not that. */
static long unhex(uint8_t *at, size_t n, const char *name)
{
	size_t out = 0;
	int high = -1;
	for (size_t i = 0; i < n; i++) {
		int c = at[i], d = digit(c);
		if (isspace(c) || c == ':')
			continue;
		if (d < 0) {
			fprintf(stderr,
			        "headpipe: %s: byte %zu is no hexadecimal digit (0-9, a-f; white space and colons "
			        "are passed over)\n",
			        name, i);
			return -1;
		}
		if (high < 0) {
			high = d;
			continue;
		}
		at[out++] = (uint8_t)(high << 4 | d);
		high = -1;
	}
	if (high >= 0) {
		fprintf(stderr, "headpipe: %s: half a byte at the end: the number of digits is odd\n", name);
		return -1;
	}
	return (long)out;
}

/* The whole input; NULL after a message. Freed by the caller. */
static uint8_t *load(const struct request *q, const char *name, size_t *size)
{
	FILE *f = strcmp(q->file, "-") ? fopen(q->file, "rb") : stdin;
	uint8_t *at = NULL;
	size_t n = 0, room = 0;
	if (!f) {
		fprintf(stderr, "headpipe: %s: %s\n", name, strerror(errno));
		return NULL;
	}
	for (;;) {
		if (n == room) {
			room = room ? room * 2 : 65536;
			uint8_t *more = n < LIMIT ? realloc(at, room) : NULL;
			if (!more) {
				fprintf(stderr, "headpipe: %s: larger than 64 MiB\n", name);
				goto bad;
			}
			at = more;
		}
		size_t got = fread(at + n, 1, room - n, f);
		n += got;
		if (!got)
			break;
	}
	if (ferror(f)) {
		fprintf(stderr, "headpipe: %s: %s\n", name, strerror(errno));
		goto bad;
	}
	if (f != stdin)
		fclose(f);
	long bytes = q->hex ? unhex(at, n, name) : (long)n;
	if (bytes < 0) {
		free(at);
		return NULL;
	}
	*size = (size_t)bytes;
	return at;
bad:
	if (f != stdin)
		fclose(f);
	free(at);
	return NULL;
}

/* ---- command ---------------------------------------------------------------------------------------------------- */

static int malformed(const char *name, const char *unit, const struct hp_hds_reader *r)
{
	fflush(stdout);
	fprintf(stderr, "headpipe: %s: not a valid HDS %s: offset %zu: %s\n", name, unit, r->bad_at, r->why);
	return 1;
}

static int show(const struct request *q, const char *name, const uint8_t *at, size_t size)
{
	struct hp_hds_reader value, body, r;
	struct hp_hds_message m;
	int as_value = -1, as_message = -1;
	hp_hds_read(&value, at, size, q->flags);
	struct hp_hds_reader start = value;
	if (q->unit != MESSAGE)
		as_value = hp_hds_check(&value);
	if (q->unit != VALUE) {
		as_message = hp_hds_open(&body, &m, at, size, q->flags);
		r = body;
		if (as_message == 0)
			as_message = hp_hds_check(&r);
	}
	bool message = q->unit == MESSAGE || (q->unit == EITHER && (as_message == 0 || as_value < 0));
	if (q->list) {
		struct hp_hds_reader header;
		if (message && size) {
			printf("%6d  %02x%18sheader of %d bytes\n", 0, at[0], "", at[0]);
			size_t n = at[0] < size - 1 ? at[0] : size - 1;
			hp_hds_read(&header, at + 1, n, q->flags);
			header.shift = 1;
			hp_hds_show_list(&header);
			if (body.error == 0)
				hp_hds_show_list(&body);
		} else if (!message) {
			hp_hds_show_list(&start);
		}
	}
	if (message && as_message < 0)
		return malformed(name, "message", &r);
	if (!message && as_value < 0)
		return malformed(name, "value", &value);
	if (q->list)
		return 0;
	if (message) {
		hp_hds_show_message(&m, &body, q->compact);
	} else {
		hp_hds_show_value(&start, q->compact);
	}
	return 0;
}

/* One unit, or the records of a stream one after the other. */
static int show_all(const struct request *q, const char *name, const uint8_t *at, size_t size)
{
	if (q->framing < 0)
		return show(q, name, at, size);
	size_t pos = 0, n = 0;
	for (unsigned long count = 1; pos < size; count++, pos += n) {
		const uint8_t *record;
		size_t length;
		char label[4200];
		n = hp_unframe((enum hp_framing)q->framing, at + pos, size - pos, &record, &length);
		snprintf(label, sizeof label, "%s, record %lu at byte %zu", name, count, pos);
		if (!n) {
			fflush(stdout);
			fprintf(stderr, "headpipe: %s: the input ends inside it\n", label);
			return 1;
		}
		int status = show(q, label, record, length);
		if (status)
			return status;
	}
	return 0;
}

static const struct hp_arg arguments[] = {
	HP_ARG("ACTION", HP_OPT_ENUM(struct request, action, NULL, "decode",
	                             "what is done with the bytes; there is nothing else")),
	HP_ARG("FILE", HP_OPT_STR(struct request, file, "", "the bytes; - or nothing: standard input")),
	HP_ARG("--hex", HP_OPT_BOOL(struct request, hex, "no", "the input is hexadecimal text")),
	HP_ARG("--json",
	       HP_OPT_BOOL(struct request, compact, "no", "typed JSON in one line; without it, one line per value"),
	       .group = "form"),
	HP_ARG("--list",
	       HP_OPT_BOOL(struct request, list, "no",
	                   "one line per value with offset, first bytes and text, as far as the bytes make sense"),
	       .group = "form"),
	HP_ARG("--message",
	       HP_OPT_BOOL(struct request, message, "no", "length, header and body; without it and --value: what fits"),
	       .group = "unit"),
	HP_ARG("--value", HP_OPT_BOOL(struct request, value, "no", "a single value"), .group = "unit"),
	HP_ARG("--refs",
	       HP_OPT_ENUM(struct request, refs, "hap", "hap|opack|reject",
	                   "how back-references count: as HAP-NodeJS writes them, as OPACK does, or not at all")),
	HP_ARG("--framing",
	       HP_OPT_ENUM(struct request, framing, "none", "none|" HP_FRAMINGS,
	                   "the input is a stream of records as tcp, file and exec write them"),
	       .value = "NAME"),
	HP_ARG_END,
};

static int hds(void *state)
{
	static const unsigned rules[] = { 0, HP_HDS_OPACK_REFS, HP_HDS_NO_REFS };
	struct request q = *(const struct request *)state;
	q.unit = q.message ? MESSAGE : q.value ? VALUE : EITHER;
	q.flags = rules[q.refs];
	q.framing--;
	if (!q.file)
		q.file = "-";
	const char *name = strcmp(q.file, "-") ? q.file : "standard input";
	size_t size;
	uint8_t *at = load(&q, name, &size);
	if (!at)
		return 1;
	/* exactly as long as it is: a memory checker then sees a read beyond the end */
	uint8_t *exact = realloc(at, size ? size : 1);
	int status = show_all(&q, name, exact ? exact : at, size);
	free(exact ? exact : at);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "headpipe: standard output: %s\n", strerror(errno));
		return 1;
	}
	return status;
}

const struct hp_command hp_command_hds = {
	.name = "hds",
	.summary = "show what HomeKit Data Stream payload bytes say",
	.arguments = arguments,
	.exits = "0 the bytes are valid, 1 they are not or cannot be read, 2 wrong usage",
	.state_size = sizeof(struct request),
	.run = hds,
};
