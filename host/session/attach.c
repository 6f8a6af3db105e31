/* SPDX-License-Identifier: MIT
 * attach.c - files and named texts inside a session file. */
#include <errno.h>
#include <stdio.h>

#include "writer.h"

int hps_attach(struct hps_writer *w, int64_t time, const char *name, const char *media_type, const void *data, size_t n)
{
	if (n > HPS_MAX_MESSAGE)
		return -EMSGSIZE;
	if (hps_flush(w) < 0)
		return w->error;
	struct hps_out out = { 0 };
	size_t at = hps_out_begin(&out, HPS_OP_ATTACHMENT);
	hps_out_u64(&out, (uint64_t)time);
	hps_out_u64(&out, (uint64_t)time);
	hps_out_string(&out, name);
	hps_out_string(&out, media_type);
	hps_out_u64(&out, n);
	hps_out_bytes(&out, data, n);
	hps_out_u32(&out, out.failed ? 0 : hps_crc32(0, out.data + at, out.size - at));
	hps_out_end(&out, at);
	struct hps_out *x = &w->attachment_indexes;
	size_t begin = hps_out_begin(x, HPS_OP_ATTACHMENT_INDEX);
	hps_out_u64(x, w->offset);
	hps_out_u64(x, out.size);
	hps_out_u64(x, (uint64_t)time);
	hps_out_u64(x, (uint64_t)time);
	hps_out_u64(x, n);
	hps_out_string(x, name);
	hps_out_string(x, media_type);
	hps_out_end(x, begin);
	int r = out.failed || x->failed ? (w->error = -ENOMEM) : hps_put_bytes(w, out.data, out.size);
	free(out.data);
	if (r < 0)
		x->size = begin - HPS_HEAD;
	else
		w->nattachments++;
	return r;
}

int hps_metadata(struct hps_writer *w, const char *name, const char *const *pairs)
{
	if (hps_flush(w) < 0)
		return w->error;
	struct hps_out out = { 0 };
	size_t at = hps_out_begin(&out, HPS_OP_METADATA);
	hps_out_string(&out, name);
	size_t map = hps_out_begin_part(&out);
	for (const char *const *p = pairs; p && p[0] && p[1]; p += 2) {
		hps_out_string(&out, p[0]);
		hps_out_string(&out, p[1]);
	}
	char crc[12];
	snprintf(crc, sizeof crc, "%08x", hps_map_crc(pairs));
	hps_out_string(&out, "crc32");
	hps_out_string(&out, crc);
	hps_out_end_part(&out, map);
	hps_out_end(&out, at);
	struct hps_out *x = &w->metadata_indexes;
	size_t begin = hps_out_begin(x, HPS_OP_METADATA_INDEX);
	hps_out_u64(x, w->offset);
	hps_out_u64(x, out.size);
	hps_out_string(x, name);
	hps_out_end(x, begin);
	int r = out.failed || x->failed ? (w->error = -ENOMEM) : hps_put_bytes(w, out.data, out.size);
	free(out.data);
	if (r < 0)
		x->size = begin - HPS_HEAD;
	else
		w->nmetadata++;
	return r;
}
