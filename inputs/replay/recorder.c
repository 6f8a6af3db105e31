/* SPDX-License-Identifier: MIT
 * recorder.c - the text of hid-recorder(1) to records; lines that were wrapped are put together. */
#include "recorder.h"
#include "lines.h"
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_DEVICE = 1 << 20 };

enum before { NOTHING, COMMENT, BYTES }; /* what a line without a letter may continue */

struct hp_hid_recorder {
	struct text_lines lines; /* current line, without mail quoting and surrounding blanks */
	int fd;
	char *path;
	void (*warn)(void *, const char *);
	void *arg;
	bool warned_line, warned_device;
	int only; /* device whose events are read, or HID_RECORDER_ALL ... */
	/* meaning */
	int device, ndevices; /* current; one more than the largest index that was described */
	bool fresh;           /* a D: was seen since the last R: */
	bool described;       /* the current device has its R: */
	enum before before;
	int error;
	char why[HID_RECORDER_WHY], name[HID_RECORDER_NAME + 1];
	uint8_t bytes[HID_RECORDER_BYTES];
};

/* ---- sentences ------------------------------------------------------------------------------------------- */

__attribute__((format(printf, 4, 5))) static int bad(struct hp_hid_recorder *r, int err, unsigned line, const char *fmt,
                                                     ...)
{
	va_list args;
	int n = line ? snprintf(r->why, sizeof r->why, "%.300s:%u: ", r->path, line)
	             : snprintf(r->why, sizeof r->why, "%.300s: ", r->path);
	va_start(args, fmt);
	vsnprintf(r->why + n, sizeof r->why - (size_t)n, fmt, args);
	va_end(args);
	r->error = -err;
	return -err;
}

/* The user's own words, short and printable. */
static const char *quote(const char *text, size_t n, char out[24])
{
	size_t i;
	for (i = 0; i < n && i < 20; i++)
		out[i] = text[i] >= 0x20 && text[i] < 0x7f ? text[i] : '?';
	snprintf(out + i, 4, "%s", n > 20 ? "..." : "");
	return out;
}

static void skipped(struct hp_hid_recorder *r, bool *once, const char *what)
{
	char text[HID_RECORDER_WHY];
	if (*once || !r->warn)
		return;
	*once = true;
	snprintf(text, sizeof text, "%.300s:%u: %s", r->path, r->lines.line, what);
	r->warn(r->arg, text);
}

/* 1, 0 at the end of the file, or -errno. */
static int next_line(struct hp_hid_recorder *r)
{
	int rc = text_lines_next(&r->lines);
	if (rc < 0)
		return bad(r, -rc, 0, "%s", strerror(-rc));
	return rc;
}

/* ---- bytes ----------------------------------------------------------------------------------------------- */

/* Nothing but bytes: what a mail program wrapped. */
static bool is_bytes(const struct hp_hid_recorder *r)
{
	struct text_words w = { r->lines.text, r->lines.text + r->lines.length };
	const char *text;
	size_t n;
	while (text_word(&w, &text, &n))
		if (!text_bytes_word(text, n, NULL))
			return false;
	return r->lines.length > 0;
}

/* Appends a line's bytes; 0 or -errno. */
static int take_bytes(struct hp_hid_recorder *r, struct text_words *w, char tag, uint32_t want, uint32_t *have)
{
	const char *text;
	char q[24];
	size_t n;
	*have += (uint32_t)text_bytes(w, r->bytes + *have, want - *have); /* as hid-recorder writes them */
	while (text_word(w, &text, &n)) {                                 /* any other way */
		if (!text_bytes_word(text, n, NULL))
			return bad(r, EINVAL, r->lines.line, "`%s` is no byte in an %c: line; a byte is two hex digits",
			           quote(text, n, q), tag);
		if (n / 2 > want - *have)
			return bad(r, EINVAL, r->lines.line, "the %c: line announces %u bytes but has more", tag, want);
		text_bytes_word(text, n, r->bytes + *have);
		*have += (uint32_t)(n / 2);
	}
	return 0;
}

/* `<length> <bytes>`, and the lines after it as long as they are its rest. line: where it began. */
static int announced(struct hp_hid_recorder *r, struct text_words *w, char tag, uint32_t *size)
{
	uint32_t want, have = 0;
	unsigned line = r->lines.line;
	const char *text;
	char q[24];
	size_t n;
	int rc;
	if (!text_word(w, &text, &n))
		return bad(r, EINVAL, line, "the %c: line ends before its length", tag);
	if (!text_number(text, n, 10, HID_RECORDER_BYTES, &want))
		return bad(r, EINVAL, line, "`%s` is no length in an %c: line; it is 0 to %d", quote(text, n, q), tag,
		           HID_RECORDER_BYTES);
	rc = take_bytes(r, w, tag, want, &have);
	while (!rc && have < want) {
		rc = next_line(r);
		if (rc == 0)
			return bad(r, EINVAL, line,
			           "the file ends inside this %c: line, which announces %u bytes and has %u", tag, want,
			           have);
		if (rc < 0)
			return rc;
		r->lines.again = true;
		if (!is_bytes(r))
			return bad(r, EINVAL, line, "the %c: line announces %u bytes but has %u", tag, want, have);
		r->lines.again = false;
		struct text_words more = { r->lines.text, r->lines.text + r->lines.length };
		rc = take_bytes(r, &more, tag, want, &have);
	}
	*size = have;
	return rc;
}

/* ---- records --------------------------------------------------------------------------------------------- */

static int device_line(struct hp_hid_recorder *r, struct text_words *w)
{
	const char *text, *more;
	char q[24];
	size_t n, extra;
	uint32_t device;
	if (!text_word(w, &text, &n))
		return bad(r, EINVAL, r->lines.line, "a D: line needs the index of a device");
	if (!text_number(text, n, 10, MAX_DEVICE, &device) || text_word(w, &more, &extra))
		return bad(r, EINVAL, r->lines.line, "`%s` is no index of a device",
		           quote(text, (size_t)(w->end - text), q));
	r->device = (int)device;
	r->fresh = true;
	r->described = r->device < r->ndevices;
	return 0;
}

static int descriptor_line(struct hp_hid_recorder *r, struct text_words *w, struct hp_hid_record *out)
{
	uint32_t size;
	int rc;
	if (!r->fresh && r->ndevices)
		r->device = r->ndevices; /* a header of its own without a D: is one more device */
	r->fresh = false;
	r->described = true;
	if (r->device >= r->ndevices)
		r->ndevices = r->device + 1;
	out->device = r->device;
	rc = announced(r, w, 'R', &size);
	if (rc)
		return rc;
	out->kind = HID_RECORD_DESCRIPTOR;
	out->data = r->bytes;
	out->size = size;
	return 1;
}

static int ids_line(struct hp_hid_recorder *r, struct text_words *w, struct hp_hid_record *out)
{
	uint32_t id[3];
	const char *text;
	size_t n;
	for (int i = 0; i < 3; i++)
		if (!text_word(w, &text, &n) || !text_number(text, n, 16, 0xffff, &id[i]))
			return bad(r, EINVAL, r->lines.line,
			           "an I: line needs bus, vendor and product, each 0 to ffff");
	out->kind = HID_RECORD_IDS;
	out->bus = (uint16_t)id[0];
	out->vendor = (uint16_t)id[1];
	out->product = (uint16_t)id[2];
	return 1;
}

static int event_line(struct hp_hid_recorder *r, struct text_words *w, struct hp_hid_record *out)
{
	const char *text;
	char q[24];
	size_t n;
	uint32_t size;
	int rc;
	if (!text_word(w, &text, &n))
		return bad(r, EINVAL, r->lines.line, "an E: line needs a time, a length and bytes");
	if (!text_time(text, n, &out->time_ns))
		return bad(r, EINVAL, r->lines.line,
		           "`%s` is no time; a time is seconds.fraction with 1 to 9 digits of fraction",
		           quote(text, n, q));
	rc = announced(r, w, 'E', &size);
	if (rc)
		return rc;
	out->kind = HID_RECORD_EVENT;
	out->data = r->bytes;
	out->size = size;
	return 1;
}

static int name_line(struct hp_hid_recorder *r, struct text_words *w, struct hp_hid_record *out)
{
	size_t n;
	while (w->at < w->end && text_blank(*w->at))
		w->at++;
	n = (size_t)(w->end - w->at);
	if (n > HID_RECORDER_NAME) /* not in the middle of a UTF-8 character */
		for (n = HID_RECORDER_NAME; n && ((unsigned char)w->at[n] & 0xc0) == 0x80;)
			n--;
	memcpy(r->name, w->at, n);
	r->name[n] = 0;
	out->kind = HID_RECORD_NAME;
	out->name = r->name;
	return 1;
}

/* The current line: 1 with *out filled, 0 when there is nothing in it, -errno. */
static int read_line(struct hp_hid_recorder *r, struct hp_hid_record *out)
{
	struct text_words w = { r->lines.text, r->lines.text + r->lines.length };
	enum before before = r->before;
	out->line = r->lines.line;
	out->device = r->device;
	r->before = NOTHING;
	if (!r->lines.length)
		return 0;
	if (r->lines.text[0] == '#') {
		r->before = COMMENT;
		return 0;
	}
	if (r->lines.cut)
		return bad(r, EINVAL, r->lines.line, "the line is longer than %d KiB", TEXT_LINES_MAX / 1024);
	if (r->lines.length < 2 || r->lines.text[1] != ':' || r->lines.text[0] < 'A' || r->lines.text[0] > 'Z') {
		if (before == BYTES && is_bytes(r))
			return bad(r, EINVAL, r->lines.line, "more bytes than the line before announces");
		if (r->lines.length == 1 && !r->lines.ended && strchr("DRNPIE", r->lines.text[0]))
			return bad(r, EINVAL, r->lines.line, "the file ends inside this line");
		if (before != COMMENT)
			skipped(r, &r->warned_line, "skipped a line that hid-recorder does not write");
		r->before = COMMENT; /* the rest of a wrapped comment, or prose */
		return 0;
	}
	w.at += 2;
	switch (r->lines.text[0]) {
	case 'D':
		return device_line(r, &w);
	case 'R':
		r->before = BYTES;
		return descriptor_line(r, &w, out);
	case 'N':
		return name_line(r, &w, out);
	case 'I':
		return ids_line(r, &w, out);
	case 'P':
		return 0;
	case 'B': /* what a BPF program made of the report in the E: line beside it */
		r->before = COMMENT;
		return 0;
	case 'E':
		if (r->only == HID_RECORDER_HEADERS) {
			out->kind = HID_RECORD_EVENT;
			r->before = COMMENT;
			return 1;
		}
		if (r->only != HID_RECORDER_ALL && r->only != r->device) {
			if (!r->described)
				skipped(r, &r->warned_device, "skipped events of a device without an R: line");
			r->before = COMMENT; /* its rest, if it is wrapped */
			return 0;
		}
		r->before = BYTES;
		return event_line(r, &w, out);
	default:
		skipped(r, &r->warned_line, "skipped a line that hid-recorder does not write");
		r->before = COMMENT;
		return 0;
	}
}

int hp_hid_recorder_next(struct hp_hid_recorder *r, struct hp_hid_record *out)
{
	int rc;
	if (r->error)
		return r->error;
	memset(out, 0, sizeof *out);
	do {
		rc = next_line(r);
		if (rc <= 0)
			return rc;
		rc = read_line(r, out);
	} while (rc == 0);
	return rc;
}

/* ---- life ------------------------------------------------------------------------------------------------ */

static void begin(struct hp_hid_recorder *r)
{
	r->fresh = r->described = false;
	r->device = r->ndevices = 0;
	r->before = NOTHING;
	r->error = 0;
	r->why[0] = 0;
}

int hp_hid_recorder_open(struct hp_hid_recorder **out, const char *path, void (*warn)(void *, const char *), void *arg,
                         char *why, size_t why_size)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a pipe without a writer must not hang */
	int err = fd < 0 ? errno : 0;
	*out = NULL;
	if (!err && fstat(fd, &st) < 0)
		err = errno;
	if (!err && !S_ISREG(st.st_mode)) {
		close(fd);
		snprintf(why, why_size, "%.300s: not a regular file", path);
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	}
	struct hp_hid_recorder *r = err ? NULL : calloc(1, sizeof *r);
	if (!err && r)
		err = -text_lines_open(&r->lines, fd);
	if (!err && (!r || !(r->path = strdup(path))))
		err = ENOMEM;
	if (err) {
		snprintf(why, why_size, "%.300s: %s", path, strerror(err));
		if (r)
			text_lines_close(&r->lines);
		if (fd >= 0)
			close(fd);
		free(r);
		return -err;
	}
	r->fd = fd;
	r->warn = warn;
	r->arg = arg;
	r->only = HID_RECORDER_ALL;
	begin(r);
	*out = r;
	return 0;
}

void hp_hid_recorder_select(struct hp_hid_recorder *r, int device)
{
	r->only = device;
}

const char *hp_hid_recorder_why(const struct hp_hid_recorder *r)
{
	return r->why;
}

int hp_hid_recorder_rewind(struct hp_hid_recorder *r)
{
	begin(r);
	int rc = text_lines_rewind(&r->lines);
	return rc < 0 ? bad(r, -rc, 0, "%s", strerror(-rc)) : 0;
}

void hp_hid_recorder_close(struct hp_hid_recorder *r)
{
	if (!r)
		return;
	text_lines_close(&r->lines);
	close(r->fd);
	free(r->path);
	free(r);
}
