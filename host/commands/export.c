/* SPDX-License-Identifier: MIT
 * export.c - `headpipe export`: a session file as CSV, JSON lines, or hid-recorder text. */
#include "commands/shared/tool.h"
#include "config/options.h"
#include "number/number.h"
#include "outputs/csv.h"
#include "session/head.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct hp_module hp_output_csv;

/* ---- CSV: the output `csv` itself, with a host that writes to a FILE ------------------------------------------ */

struct csv_host {
	struct hp_host host;
	FILE *out;
	const char *path;
	int error; /* of writing */
};

static void csv_log(const struct hp_host *h, enum hp_level level, const char *text)
{
	(void)h, (void)level;
	fprintf(stderr, "headpipe export: %s\n", text);
}

/* The module says what cannot be written any more; the command itself tells of it. */
static void csv_fail(const struct hp_host *h, int error, const char *text)
{
	(void)text;
	((struct csv_host *)(uintptr_t)h)->error = error;
}

static int64_t csv_now(const struct hp_host *h)
{
	(void)h;
	return 0;
}

static struct hp_file *csv_file(const struct hp_host *h, const char *path, const char *mode)
{
	(void)path, (void)mode;
	return (struct hp_file *)(uintptr_t)h;
}

static int csv_file_write(struct hp_file *f, const void *data, size_t n)
{
	struct csv_host *c = (struct csv_host *)f;
	errno = 0;
	return fwrite(data, 1, n, c->out) == n ? 0 : errno ? -errno : -EIO;
}

/* Fields by the session's own names become the columns' names. */
static void csv_columns(const char *fields, char *out, size_t size)
{
	static const char *const names[][2] = {
#define HP_SAMPLE_FIELD(member, kind, cell, name, unit, flag, place, column, ...)    { #name, column },
#define HP_SAMPLE_APPENDED(member, kind, cell, name, unit, flag, place, column, ...) { #name, column },
#include "sample/fields.def"
	};
	size_t used = 0;
	out[0] = 0;
	for (const char *p = fields; *(p += strspn(p, ", ")) && used + 40 < size;) {
		size_t n = strcspn(p, ", ");
		const char *name = p;
		size_t len = n;
		for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
			if (strlen(names[i][0]) == n && !memcmp(p, names[i][0], n)) {
				name = names[i][1];
				len = strlen(name);
			}
		used += (size_t)snprintf(out + used, size - used, "%s%.*s", used ? "," : "", (int)(len < 33 ? len : 33),
		                         name);
		p += n;
	}
}

/* ---- rows --------------------------------------------------------------------------------------------------- */

/* The next message of the part: 1, 0 at the end, negative for a bad chunk (told). */
static int next(struct hps_reader *r, struct hps_cursor *c, const struct tool_part *p, struct hps_message *m)
{
	int code = hps_next_between(c, p->from, p->to, m);
	if (code < 0)
		tool_fail("export", "bad chunk", "%s; skipped", hps_reader_error(r));
	return code;
}

/* What there is to say at the end: samples that are whole but say nothing that is understood, or none at all. */
static int ended(const char *path, const struct tool_part *part, uint64_t rows, uint64_t odd, int bad)
{
	if (odd)
		return tool_fail("export", path, "%" PRIu64 " samples cannot be read and were left out", odd);
	return rows || part->whole || bad ? bad : tool_fail("export", path, "there are no samples in that part of it");
}

static int export_csv(struct hps_reader *r, const char *path, const struct tool_part *part, const char *fields,
                      FILE *out)
{
	struct csv_host h = { .out = out, .path = path };
	struct hps_message m;
	struct hp_sample s;
	struct hp_values values = { 0 };
	struct hp_errors errors = { 0 };
	char columns[1024];
	bool one;
	int channel = tool_samples("export", path, r, &one), code, bad = 0;
	if (channel < 0)
		return 1;
	const char *wall = hps_metadata_get(r, "headpipe.session", "wall_start_ns");
	const char *mono = hps_metadata_get(r, "headpipe.session", "monotonic_start_ns");
	h.host = (struct hp_host){ .struct_size = sizeof h.host,
		                   .abi = HP_ABI,
		                   .name = "export",
		                   .log = csv_log,
		                   .fail = csv_fail,
		                   .now = csv_now,
		                   .file = csv_file,
		                   .file_write = csv_file_write };
	csv_columns(fields ? fields : hps_sample_flags(r, channel) ? "all,estimate" : "all", columns, sizeof columns);
	const struct hp_module *csv = &hp_output_csv;
	struct hp_pair pairs[] = { { (char *)"path", (char *)"-", "export", 0 },
		                   { (char *)"columns", columns, "export", 0 } };
	struct hp_section section = { (char *)"output", (char *)"export", "export", 0, pairs, 2 };
	void *state = calloc(1, csv->state_size);
	const char *key = NULL;
	char why[400] = "";
	bool good = state && !hp_options_fill(csv->options, state, &section, "csv", NULL, 0, &values, &errors);
	if (good && csv->check && csv->check(state, &key, why, sizeof why) < 0) {
		fprintf(stderr, "headpipe export: --fields %s: %s\n", fields, why);
		good = false;
	}
	if (!good || csv->open(state, &h.host) < 0) {
		if (errors.text)
			fputs(errors.text, stderr);
		hp_errors_free(&errors);
		hp_values_free(&values);
		free(state);
		return 2;
	}
	hp_csv_set_wall(state, wall && mono ? tool_minus(strtoll(wall, NULL, 10), strtoll(mono, NULL, 10)) : 0);
	struct hps_cursor c = hps_begin(r, one ? channel : -1);
	struct hps_info info;
	uint64_t done = 0, odd = 0;
	hps_get_info(r, &info);
	while (!h.error && (code = next(r, &c, part, &m)) != 0) {
		bad |= code < 0;
		if (code != 1 || !hps_holds_samples(r, m.channel))
			continue;
		if (++done % 4096 == 0)
			tool_progress(c.chunk, info.chunks);
		if (hps_get_sample(r, &m, &s) < 0)
			odd++;
		else
			csv->write(state, &s);
	}
	tool_progress(1, 1);
	if (csv->close)
		csv->close(state);
	hp_values_free(&values);
	free(state);
	bad = ended(path, part, done, odd, bad);
	errno = h.error;
	return bad;
}

/* One JSON object per sample, with the session's field names. */
static int export_json(struct hps_reader *r, const char *path, const struct tool_part *part, const char *fields,
                       FILE *out)
{
	struct hps_message m;
	struct hp_sample s;
	size_t chosen[HP_SAMPLE_FIELDS], n = 0;
	uint64_t rows = 0, odd = 0;
	bool one;
	int channel = tool_samples("export", path, r, &one), code, bad = 0;
	if (channel < 0)
		return 1;
	for (const char *p = fields ? fields : ""; *(p += strspn(p, ", "));) {
		size_t len = strcspn(p, ", "), i = 0;
		while (i < HP_SAMPLE_FIELDS &&
		       (strlen(hps_sample_fields[i].name) != len || memcmp(hps_sample_fields[i].name, p, len) != 0))
			i++;
		if (i == HP_SAMPLE_FIELDS || n == HP_SAMPLE_FIELDS) {
			fprintf(stderr, "headpipe export: --fields: no field %.*s; there are:", (int)len, p);
			for (i = 0; i < HP_SAMPLE_FIELDS; i++)
				fprintf(stderr, " %s", hps_sample_fields[i].name);
			fputc('\n', stderr);
			return 2;
		}
		chosen[n++] = i;
		p += len;
	}
	uint32_t flags = hps_sample_flags(r, channel);
	if (!fields)
		n = hps_sample_places(flags, chosen);
	struct hps_cursor c = hps_begin(r, one ? channel : -1);
	while (!ferror(out) && (code = next(r, &c, part, &m)) != 0) {
		char text[HPS_SAMPLE_TEXT];
		bad |= code < 0;
		if (code != 1 || !hps_holds_samples(r, m.channel))
			continue;
		bool good = !hps_get_sample(r, &m, &s);
		odd += !good;
		if (good) {
			size_t len = hps_sample_json(&s, flags, chosen, n, text);
			text[len] = '\n';
			fwrite(text, 1, len + 1, out);
			rows++;
		}
	}
	return ended(path, part, rows, odd, bad);
}

/* hid-recorder's header for the device that this channel's reports are of. */
static void recorder_header(const struct hp_stream *s, int device, FILE *out)
{
	fprintf(out, "D: %d\nR: %u", device, (unsigned)s->descriptor_size);
	for (uint32_t i = 0; i < s->descriptor_size; i++)
		fprintf(out, " %02x", s->descriptor[i]);
	fprintf(out, "\nN: ");
	tool_text(out, s->device ? s->device : "unknown"); /* a name must not begin lines of its own */
	fputc('\n', out);
	if (s->vendor || s->product)
		fprintf(out, "I: 5 %04x %04x\n", s->vendor, s->product);
}

static int export_recorder(struct hps_reader *r, const char *path, const struct tool_part *part, bool fine, FILE *out)
{
	struct hps_message m;
	struct hps_cursor c = hps_begin(r, -1);
	struct hp_stream s;
	int channel = -1, device = -1, code, bad = 0;
	int64_t before = 0, t = 0;
	uint64_t n = 0, back = 0;
	while (!ferror(out) && (code = next(r, &c, part, &m)) != 0) {
		bad |= code < 0;
		if (code < 0 || hps_get_stream(r, m.channel, &s) < 0)
			continue;
		if (m.channel != channel) {
			if (!s.descriptor)
				return tool_fail("export", path, "the reports' descriptor is not in the file");
			recorder_header(&s, ++device, out);
			channel = m.channel;
		}
		/* the text knows no step back: time stands still there, and goes on in the rhythm behind it */
		t = tool_plus(t, n && m.time > before ? tool_minus(m.time, before) : 0);
		back += n && m.time < before;
		before = m.time;
		n++;
		fprintf(out, fine ? "E: %06" PRId64 ".%09" PRId64 " %u" : "E: %06" PRId64 ".%06" PRId64 " %u",
		        t / 1000000000, fine ? t % 1000000000 : t % 1000000000 / 1000, m.size);
		for (uint32_t i = 0; i < m.size; i++)
			fprintf(out, " %02x", m.data[i]);
		fputc('\n', out);
	}
	if (back)
		fprintf(stderr,
		        "headpipe export: %s: note: the clock goes back %" PRIu64
		        " times; the text's stands still there\n",
		        path, back);
	return n ? bad : tool_fail("export", path, "there are no reports (" HPS_TOPIC_REPORTS ") in that part of it");
}

struct arguments {
	const char *file, *out, *fields;
	bool csv, json, recorder, fine;
	int64_t from, to;
	int memory;
};

static const struct hp_arg arguments[] = {
	TOOL_FILE(struct arguments),
	HP_ARG("--csv", HP_OPT_BOOL(struct arguments, csv, NULL, "a table, as the output `csv` writes it"),
	       .group = "form"),
	HP_ARG("--json", HP_OPT_BOOL(struct arguments, json, NULL, "one JSON object per sample and line"),
	       .group = "form"),
	HP_ARG("--hid-recorder",
	       HP_OPT_BOOL(struct arguments, recorder, NULL, "the untouched reports as hid-recorder's text"),
	       .group = "form"),
	HP_ARG("--nanoseconds",
	       HP_OPT_BOOL(struct arguments, fine, "no", "hid-recorder's times with nine digits, not six")),
	HP_ARG("-o", HP_OPT_PATH(struct arguments, out, "", "a new file, else standard output")),
	TOOL_FROM(struct arguments),
	TOOL_TO(struct arguments),
	HP_ARG(
	    "--fields",
	    HP_OPT_STR(struct arguments, fields, "", "with commas: columns of `csv`, or the session's own field names"),
	    .value = "NAMES"),
	TOOL_MEMORY(struct arguments),
	HP_ARG_END,
};

extern const struct hp_command hp_command_export;

static int export(void *state)
{
	struct arguments *a = state;
	const char *out = a->out;
	int code = tool_span(&hp_command_export, a->from, &a->to);
	if (code)
		return code;
	if (a->fields && a->recorder)
		return hp_usage_error(&hp_command_export, "--fields is for --csv and --json; a report is one whole");
	if (a->fine && !a->recorder)
		return hp_usage_error(&hp_command_export, "--nanoseconds is for --hid-recorder");
	struct tool_part part;
	struct hps_reader *r = tool_open_with("export", a->file, false, a->memory);
	if (!r || tool_part(&part, "export", a->file, r, a->from, a->to)) {
		hps_close(r);
		return 1;
	}
	FILE *f = out ? fopen(out, "wx") : stdout;
	if (!f) {
		code = tool_fail("export", out, "%s", strerror(errno));
	} else {
		code = a->csv    ? export_csv(r, a->file, &part, a->fields, f)
		       : a->json ? export_json(r, a->file, &part, a->fields, f)
		                 : export_recorder(r, a->file, &part, a->fine, f);
		bool wrote = !ferror(f) && !fflush(f);
		if (!wrote && errno != EPIPE)
			code = tool_fail("export", out ? out : "standard output", "%s", strerror(errno));
		if (out) {
			/* what is not whole, or nothing, is not left lying in the way */
			if (!wrote || !ftell(f))
				unlink(out);
			fclose(f);
		}
	}
	code = code ? code : tool_left_out("export", a->file, r);
	hps_close(r);
	return code;
}

const struct hp_command hp_command_export = {
	.name = "export",
	.summary = "a session file as text",
	.arguments = arguments,
	.state_size = sizeof(struct arguments),
	.run = export,
};
