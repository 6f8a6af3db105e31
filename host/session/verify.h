/* SPDX-License-Identifier: MIT
 * verify.h - inside of hps_verify(): the check of a whole file, in three turns. */
#ifndef HP_SESSION_VERIFY_H
#define HP_SESSION_VERIFY_H
#include "reader.h"

struct hps_found { /* an attachment or metadata record of the data */
	uint64_t offset, length;
};
struct hps_verify {
	struct hps_reader *r;
	void (*told)(void *, const char *);
	void (*progress)(uint64_t, uint64_t);
	void *ctx;
	int faults;
	/* what stands in the data, record by record */
	uint64_t *messages; /* by channel index */
	size_t nmessages;
	uint64_t total, chunks, data_end; /* data_end: first byte behind it, 0 = there is none     */
	int64_t first, last;              /* signed and unsigned: MCAP's times are unsigned,       */
	uint64_t ufirst, ulast;           /* and headpipe's may be negative                        */
	bool partly;                      /* not all chunks could be read, so counts say nothing   */
	struct hps_found *attachments, *metadata;
	size_t nattachments, attachments_room, nmetadata, metadata_room;
};

void hps_fault(struct hps_verify *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same, but no fault where another program wrote the file and nothing was read by what is wrong: known libraries
 * count channels without messages, and give places of metadata that they have not written out yet. */
void hps_doubt(struct hps_verify *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Every record of the data, from the header to its end. */
void hps_verify_data(struct hps_verify *);
/* Everything that the summary says again. */
void hps_verify_summary(struct hps_verify *);
/* Is the schema or channel record what the file says elsewhere? New ones are taken in. False after a fault. */
bool hps_verify_name(struct hps_verify *, uint8_t op, struct hps_in, uint64_t at);
/* The record of this length at offset, in memory; NULL: cannot be read. free() it. */
uint8_t *hps_verify_record(struct hps_reader *, uint64_t offset, uint64_t length);
/* The summary's bytes when there is a footer and its CRC agrees; free() them. 0 with *data NULL: there is none, a note
 * says why when it is odd. */
int hps_read_summary(struct hps_reader *, uint8_t **data, size_t *n, uint64_t *start);
#endif
