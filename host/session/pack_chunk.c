/* SPDX-License-Identifier: MIT
 * pack_chunk.c - how the writer packs a chunk's records: not, with zstd, or as columns and then with zstd. */
#include <errno.h>

#include "lean.h"
#include "writer.h"

static struct hps_lean_layout layout_of(const void *ctx, uint16_t id)
{
	const struct hps_writer *w = ctx;
	struct hps_lean_layout f = { NULL, NULL, 0, false };
	if (id && id <= w->nchannels) {
		const struct hps_wchannel *c = &w->channels[id - 1];
		f = (struct hps_lean_layout){ c->offsets, c->sizes, c->nnumbers, c->samples };
	}
	return f;
}

/* u32 bytes of the columns, then the columns. 1, 0: not to be had in this way, or a negative errno value. */
static int pack_columns(struct hps_writer *w, const uint8_t *records, size_t n)
{
	if (!w->lean && !(w->lean = hps_lean_new()))
		return -ENOMEM;
	int r = hps_lean_pack(w->lean, records, n, layout_of, w, &w->columns);
	if (r == -E2BIG)
		return 0;
	if (!r)
		r = hps_zstd_pack(w, w->columns.data, w->columns.size, 4);
	if (r < 0)
		return r;
	hps_put_u32(w->packed.data, (uint32_t)w->columns.size);
	return w->packed.size < n;
}

int hps_pack_chunk(struct hps_writer *w, const uint8_t *records, size_t n, const char **name)
{
	int r;
	*name = "";
	if (w->opts.compression == HPS_NONE)
		return 0;
	if (w->opts.compression == HPS_LEAN) {
		r = pack_columns(w, records, n);
		if (r == 1)
			*name = "lean";
		if (r)
			return r < 0 ? r : 0;
	}
	r = hps_zstd_pack(w, records, n, 0);
	if (!r && w->packed.size < n)
		*name = "zstd";
	return r;
}
