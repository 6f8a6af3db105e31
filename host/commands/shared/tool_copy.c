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

static int copy_attachments(struct tool_copy *c)
{
	struct hps_attachment a;
	for (size_t i = 0; hps_attachment_at(c->in, i, &a); i++) {
		void *data = malloc(a.size + 1);
		int code = data ? hps_attachment_read(c->in, i, data, a.size) : -ENOMEM;
		if (code == -EBADMSG)
			fprintf(stderr, "headpipe %s: %s; left out\n", c->command, hps_reader_error(c->in));
		else if (!code)
			code = hps_attach(c->out, a.time, a.name, a.media_type, data, a.size);
		free(data);
		if (code < 0 && code != -EBADMSG)
			return trouble(c, code);
	}
	return 0;
}

static int copy_metadata(struct tool_copy *c, const char *const *extra)
{
	const char *name, *const *pairs;
	bool given = !extra;
	for (size_t i = 0; hps_metadata_at(c->in, i, &name, &pairs); i++) {
		const char *all[128];
		size_t n = 0;
		bool ours = !strcmp(name, "headpipe.session") && !given;
		for (const char *const *p = pairs; p && p[0] && n < 100; p += 2) {
			bool replaced = !strcmp(p[0], "crc32");
			for (const char *const *e = ours ? extra : NULL; e && e[0]; e += 2)
				replaced |= !strcmp(e[0], p[0]);
			if (replaced)
				continue;
			all[n++] = p[0];
			all[n++] = p[1];
		}
		for (const char *const *e = ours ? extra : NULL; e && e[0] && n < 120; e += 2) {
			all[n++] = e[0];
			all[n++] = e[1];
		}
		all[n] = NULL;
		given |= ours;
		int code = pairs || ours ? hps_metadata(c->out, name, all) : 0;
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
	o.compression = packing ? HPS_ZSTD : HPS_NONE;
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
