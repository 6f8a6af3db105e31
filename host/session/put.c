/* SPDX-License-Identifier: MIT
 * put.c - bytes of a session writer on their way into the file, and the first error there, which stays. */
#include "writer.h"

int hps_fail(struct hps_writer *w, int error)
{
	if (!w->error)
		w->error = error;
	return w->error;
}

int hps_put_bytes_crc(struct hps_writer *w, const void *data, size_t n, uint32_t crc)
{
	if (w->error)
		return w->error;
	int r = w->sink.write(w->sink.ctx, data, n);
	if (r < 0) {
		/* a part may be there: the file must end with a whole record */
		if (w->sink.truncate)
			w->sink.truncate(w->sink.ctx, w->offset);
		return hps_fail(w, r);
	}
	w->crc = w->offset ? hps_crc32_join(w->crc, crc, n) : crc;
	w->offset += n;
	return 0;
}

int hps_put_bytes(struct hps_writer *w, const void *data, size_t n)
{
	return hps_put_bytes_crc(w, data, n, hps_crc32(0, data, n));
}
