/* SPDX-License-Identifier: MIT
 * tool_copy.c - from one session file into another, for cut, recover, pack. */
#include "session/writer.h"
#include "tool.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int trouble(struct tool_copy *c, int code)
{
	return tool_fail(c->command, c->path, "%s", code == -ENOTSUP ? "this build has no libzstd" : strerror(-code));
}

/* What cannot be copied is told and left out; only what the new file cannot take ends it. */
static int copy_attachments(struct tool_copy *c)
{
	struct hps_attachment a;
	for (size_t i = 0; hps_attachment_at(c->in, i, &a); i++) {
		int code = hps_copy_attachment(c->out, c->in, i);
		if (code == -EBADMSG) {
			tool_fail(c->command, c->path, "%s; left out", hps_reader_error(c->in));
			c->left_out++;
		} else if (code < 0) {
			return trouble(c, code);
		}
	}
	return 0;
}

static bool has(const char *const *pairs, const char *key)
{
	for (; pairs && pairs[0]; pairs += 2)
		if (!strcmp(pairs[0], key))
			return true;
	return false;
}

/* The pairs but those of `extra`, which come behind them, and the guard, which the writer makes anew. */
static int copy_pairs(struct tool_copy *c, const char *name, const char *const *pairs, const char *const *extra)
{
	size_t n = 0, room = 1;
	for (const char *const *p = pairs; p && *p; p++)
		room++;
	for (const char *const *p = extra; p && *p; p++)
		room++;
	const char **all = calloc(room, sizeof *all);
	if (!all)
		return -ENOMEM;
	for (const char *const *p = pairs; p && p[0]; p += 2) {
		if (has(extra, p[0]) || !strcmp(p[0], "crc32"))
			continue;
		all[n++] = p[0];
		all[n++] = p[1];
	}
	for (const char *const *p = extra; p && *p; p++)
		all[n++] = *p;
	int code = hps_metadata(c->out, name, all);
	free(all);
	return code;
}

static int copy_metadata(struct tool_copy *c, const char *const *extra)
{
	const char *name, *const *pairs;
	bool given = !extra;
	for (size_t i = 0; hps_metadata_at(c->in, i, &name, &pairs); i++) {
		bool ours = !strcmp(name, "headpipe.session") && !given;
		given |= ours;
		if (!pairs) {
			tool_fail(c->command, c->path, "metadata %.100s is damaged; left out", name);
			c->left_out++;
		}
		int code = pairs || ours ? copy_pairs(c, name, pairs, ours ? extra : NULL) : 0;
		if (code < 0)
			return trouble(c, code);
	}
	int code = given ? 0 : hps_metadata(c->out, "headpipe.session", extra);
	return code < 0 ? trouble(c, code) : 0;
}

int tool_copy_open(struct tool_copy *c, struct hps_reader *in, const char *command, const char *path, int packing,
                   const char *const *extra)
{
	struct hps_writer_options o = HPS_WRITER_OPTIONS;
	struct hps_info info;
	*c = (struct tool_copy){ .in = in, .command = command, .path = path };
	hps_get_info(in, &info);
	o.compression = (enum hps_compression)packing;
	o.exclusive = true;
	o.library = "headpipe " HP_VERSION;
	c->nmap = info.nchannels;
	c->map = calloc(c->nmap + 1, sizeof *c->map);
	int code = c->map ? hps_create(&c->out, path, &o) : -ENOMEM;
	if (code < 0) {
		trouble(c, code);
		free(c->map);
		return 1;
	}
	if (copy_attachments(c) || copy_metadata(c, extra)) {
		tool_copy_close(c, false);
		return 1;
	}
	return 0;
}

int tool_copy_message(struct tool_copy *c, const struct hps_message *m)
{
	int *to = &c->map[m->channel];
	if (!*to) {
		const struct hps_channel *ch = hps_channel_at(c->in, m->channel);
		const char **pairs = calloc(2 * ch->nmetadata + 1, sizeof *pairs);
		if (!pairs)
			return trouble(c, -ENOMEM);
		memcpy(pairs, ch->metadata, 2 * ch->nmetadata * sizeof *pairs);
		bool schema = ch->schema_encoding[0] || ch->schema[0];
		*to = hps_add_raw_channel(c->out, ch->topic, ch->encoding, schema ? ch->schema : NULL,
		                          ch->schema_encoding, ch->schema_data, ch->schema_size, pairs);
		free(pairs);
	}
	int code = *to < 0 ? *to : hps_write_as(c->out, *to, m->sequence, m->time, m->publish_time, m->data, m->size);
	if (code == -EMSGSIZE) {
		c->left_out++;
		tool_fail(c->command, c->path, "a message of %u bytes is too long for the new file; left out", m->size);
		return 0;
	}
	return code < 0 ? trouble(c, code) : 0;
}

int tool_copy_close(struct tool_copy *c, bool keep)
{
	int code = hps_finish(c->out);
	free(c->map);
	if (!keep)
		unlink(c->path);
	return keep && code < 0 ? trouble(c, code) : 0;
}
