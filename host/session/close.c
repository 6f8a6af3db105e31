/* SPDX-License-Identifier: MIT
 * close.c - a session reader and all that belongs to it goes. */
#include <unistd.h>

#include "reader.h"

void hps_close(struct hps_reader *r)
{
	if (!r)
		return;
	hps_cache_free(r);
	for (size_t i = 0; i < r->nchannels; i++) {
		struct hps_rchannel *c = &r->channels[i];
		free(c->topic);
		free(c->encoding);
		free(c->metadata);
		free(c->fields);
		free(c->offsets);
		free(c->descriptor);
		free(c->spans);
	}
	for (size_t i = 0; i < r->nschemas; i++) {
		free(r->schemas[i].name);
		free(r->schemas[i].encoding);
		free(r->schemas[i].data);
	}
	for (size_t i = 0; i < r->nattachments + r->nmetadata; i++) {
		struct hps_place *p = i < r->nattachments ? &r->attachments[i] : &r->metadata[i - r->nattachments];
		free(p->name);
		free(p->media_type);
		free(p->map);
	}
	free(r->attachments);
	free(r->metadata);
	free(r->channels);
	free(r->schemas);
	free(r->chunks);
	free(r->by_id);
	free(r->schema_by_id);
	free(r->met);
	free(r->scratch);
	hps_zstd_unpack_free(r->zstd);
	hps_lz4_unpack_free(r->lz4);
	if (r->fd >= 0)
		close(r->fd);
	free(r);
}
