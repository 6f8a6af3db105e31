/* SPDX-License-Identifier: MIT
 * create.c - a session writer from its head to its summary: begins and finishes the file. */
#include <errno.h>
#include <stdio.h>

#include "lean.h"
#include "writer.h"

int hps_create_sink(struct hps_writer **result, const struct hps_sink *sink, const struct hps_writer_options *opts)
{
	struct hps_writer *w = calloc(1, sizeof *w);
	if (!w) {
		if (sink->close)
			sink->close(sink->ctx);
		return -ENOMEM;
	}
	w->sink = (struct hps_sink){ .struct_size = 0 };
	memcpy(&w->sink, sink, sink->struct_size < sizeof w->sink ? sink->struct_size : sizeof w->sink);
	w->opts = (struct hps_writer_options)HPS_WRITER_OPTIONS;
	if (opts)
		memcpy(&w->opts, opts, opts->struct_size < sizeof w->opts ? opts->struct_size : sizeof w->opts);
	if (!w->opts.chunk_messages)
		w->opts.chunk_messages = 1000;
	if (!w->opts.chunk_bytes)
		w->opts.chunk_bytes = 64 << 10;
	if (w->opts.chunk_bytes > HPS_MAX_MESSAGE)
		w->opts.chunk_bytes = HPS_MAX_MESSAGE;
	if (w->opts.chunk_ns <= 0)
		w->opts.chunk_ns = 1000000000;
	if (w->opts.compression != HPS_NONE && !hps_zstd_there())
		hps_fail(w, -ENOTSUP);
	else if (!w->sink.write || w->opts.compression > HPS_LEAN || w->opts.level < 0 || w->opts.level > 19)
		hps_fail(w, -EINVAL);
	struct hps_out head = { 0 };
	hps_out_bytes(&head, hps_magic, sizeof hps_magic);
	size_t at = hps_out_begin(&head, HPS_OP_HEADER);
	hps_out_string(&head, "");
	hps_out_string(&head, w->opts.library ? w->opts.library : "headpipe");
	hps_out_end(&head, at);
	w->opts.library = NULL;
	if (head.failed || !hps_out_room(&w->chunk, HPS_CHUNK_FRONT + w->opts.chunk_bytes + 1024))
		hps_fail(w, -ENOMEM);
	else
		hps_put_bytes(w, head.data, head.size);
	free(head.data);
	w->chunk.size = HPS_CHUNK_FRONT;
	if (w->error) {
		int error = w->error;
		hps_finish(w);
		return error;
	}
	*result = w;
	return 0;
}

int hps_create(struct hps_writer **result, const char *path, const struct hps_writer_options *opts)
{
	struct hps_sink sink;
	if (opts && opts->compression != HPS_NONE && !hps_zstd_there())
		return -ENOTSUP;
	bool exclusive = opts && opts->struct_size > offsetof(struct hps_writer_options, exclusive) && opts->exclusive;
	int r = hps_file_sink(&sink, path, exclusive);
	if (r < 0)
		return r;
	r = hps_create_sink(result, &sink, opts);
	if (r < 0 && exclusive) /* a file of ours without even a head: no room on the disk */
		remove(path);
	return r;
}

int hps_finish(struct hps_writer *w)
{
	hps_flush(w);
	int first = w->error;
	/* after a full disk there may be room for the summary all the same; without it the file is readable too */
	w->error = 0;
	if (w->offset)
		hps_put_summary(w);
	int r = first ? first : w->error;
	if (w->offset && w->opts.fsync && w->sink.sync && !r)
		r = w->sink.sync(w->sink.ctx);
	if (w->sink.close) {
		int c = w->sink.close(w->sink.ctx);
		r = r ? r : c;
	}
	for (size_t i = 0; i < w->nschemas; i++) {
		free(w->schemas[i].name);
		free(w->schemas[i].encoding);
		free(w->schemas[i].data);
	}
	for (size_t i = 0; i < w->nchannels; i++) {
		free(w->channels[i].topic);
		free(w->channels[i].encoding);
		free(w->channels[i].metadata.data);
		free(w->channels[i].index.data);
		free(w->channels[i].offsets);
		free(w->channels[i].sizes);
	}
	free(w->schemas);
	free(w->channels);
	free(w->chunk.data);
	free(w->chunk_indexes.data);
	free(w->attachment_indexes.data);
	free(w->metadata_indexes.data);
	free(w->fingerprints.data);
	free(w->contents.data);
	free(w->counts.data);
	free(w->packed.data);
	free(w->columns.data);
	hps_lean_free(w->lean);
	hps_zstd_pack_free(w);
	free(w);
	return r;
}
