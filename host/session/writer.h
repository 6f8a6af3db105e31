/* SPDX-License-Identifier: MIT
 * writer.h - inside of a session writer, shared by its source files. */
#ifndef HP_SESSION_WRITER_H
#define HP_SESSION_WRITER_H
#include "record.h"

struct hps_wschema {
	char *name, *encoding;
	uint8_t *data;
	size_t size;
};
struct hps_wchannel {
	char *topic, *encoding;
	struct hps_out metadata; /* the encoded map */
	uint16_t schema;         /* from 1; 0 = none */
	bool json;
	bool samples;        /* cdr messages with headpipe's own fields in front */
	uint32_t carried;    /* flags of the appended fields that a sample message has */
	bool declared;       /* written since the chunk where all are written again */
	uint32_t sequence;   /* of the next message */
	uint64_t messages;   /* that are in the file */
	size_t message_size; /* fixed layout, else 0 */
	uint32_t *offsets;   /* HPS_LEAN: of the numbers in a message, and their sizes */
	uint8_t *sizes;
	size_t nnumbers;
	struct hps_out index; /* time and offset of the messages in the current chunk */
};

struct hps_writer {
	struct hps_sink sink;
	struct hps_writer_options opts;
	int error;       /* the first one, for ever */
	uint64_t offset; /* bytes that are in the file */
	uint32_t crc;    /* of them */
	uint64_t preamble;
	uint32_t preamble_crc; /* of everything before the first chunk */
	struct hps_out chunk;  /* room for the record's head, then messages, then their indexes */
	uint32_t chunk_messages;
	int64_t chunk_start, chunk_end;
	struct hps_wschema *schemas;
	size_t nschemas;
	struct hps_wchannel *channels;
	size_t nchannels;
	uint64_t messages, nchunks;
	uint32_t nattachments, nmetadata;
	int64_t start, end;
	struct hps_out chunk_indexes, attachment_indexes, metadata_indexes, fingerprints, contents;
	struct hps_out counts;  /* of HPS_OP_COUNTS: of chunks without message indexes */
	struct hps_out packed;  /* compressed messages */
	struct hps_out columns; /* HPS_LEAN */
	struct hps_lean *lean;
	void *zstd;
};

/* Room in front of the messages of a chunk: record head, times, sizes, "zstd", length. */
enum { HPS_CHUNK_FRONT = HPS_HEAD + 8 + 8 + 8 + 4 + 4 + 4 + 8 };

/* Keeps the first error of the file, which it returns from then on. */
int hps_fail(struct hps_writer *, int error);
/* Appends to the file; on failure cuts it back and remembers the error. crc: of the bytes, when it is known. */
int hps_put_bytes(struct hps_writer *, const void *, size_t n);
int hps_put_bytes_crc(struct hps_writer *, const void *, size_t n, uint32_t crc);
void hps_put_schema(struct hps_out *, const struct hps_writer *, size_t index);
void hps_put_channel(struct hps_out *, const struct hps_writer *, size_t index);
/* hps_write() with a sequence number and a publish time of their own, for copies. */
int hps_write_as(struct hps_writer *, int channel, uint32_t sequence, int64_t time, int64_t publish, const void *,
                 size_t n);
/* An attachment of another file, with its times, whatever its size. 0, the reader's -EBADMSG, or an error of the file.
 */
int hps_copy_attachment(struct hps_writer *, struct hps_reader *, size_t index);
/* hps_write_sample() with a log time of its own. */
int hps_write_sample_at(struct hps_writer *, int channel, const struct hp_sample *, int64_t time);
/* Everything behind the last chunk. */
int hps_put_summary(struct hps_writer *);
/* Opens path for writing. */
int hps_file_sink(struct hps_sink *, const char *path, bool exclusive);
/* The chunk's records into w->packed, by the file's compression; name: of the packing, "" = left as they are. */
int hps_pack_chunk(struct hps_writer *, const uint8_t *records, size_t n, const char **name);
/* Packs src into w->packed, behind `front` bytes that are left free. 0 or a negative errno value. */
int hps_zstd_pack(struct hps_writer *, const uint8_t *src, size_t n, size_t front);
void hps_zstd_pack_free(struct hps_writer *);
bool hps_zstd_there(void);
#endif
