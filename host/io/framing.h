/* SPDX-License-Identifier: MIT
 * framing.h - records in a stream of bytes: how tcp, file and exec mark where one sample's bytes end.
 * docs/transports.md.
 *
 * lines       the bytes and one newline; for text without control characters, such as json
 * length32    4 bytes of length, big-endian, then the bytes; any encoding up to 4 GiB
 * length32le  the same, little-endian
 * length16    2 bytes of length, big-endian; up to 65535 bytes
 * length16le  the same, little-endian
 * raw         the bytes alone: the reader must know their size
 *
 * Pure functions. [any] */
#ifndef HP_FRAMING_H
#define HP_FRAMING_H
#include <stddef.h>
#include <stdint.h>

/* For HP_OPT_ENUM, in the order of enum hp_framing. */
#define HP_FRAMINGS "lines|length32|length32le|length16|length16le|raw"
#define HP_FRAMING_DOC \
	"how one sample ends in the stream: a newline, a length in front, or not at all (docs/transports.md)"
enum hp_framing { HP_LINES, HP_LENGTH32, HP_LENGTH32LE, HP_LENGTH16, HP_LENGTH16LE, HP_RAW, HP_FRAMING_COUNT };
enum { HP_FRAMING_EXTRA = 4 }; /* bytes a frame is longer than its record, at most */

/* A record of n bytes as a frame at out, cap bytes. Its size, or -EILSEQ: it does not fit on a line, -EMSGSIZE: longer
 * than its length can say, -ENOSPC: cap is too small. */
long hp_frame(enum hp_framing, const void *record, size_t n, void *out, size_t cap);
/* The first frame of the n bytes at data. Bytes it takes, with *record and *size set to what is in it; 0: it is not
 * complete yet; raw: all of it. */
size_t hp_unframe(enum hp_framing, const void *data, size_t n, const uint8_t **record, size_t *size);
/* One clause for an error of hp_frame(). */
const char *hp_framing_error(long error);
#endif
