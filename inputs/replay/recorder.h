/* SPDX-License-Identifier: MIT
 * recorder.h - reads the text of hid-recorder(1), line by line, in bounded memory.
 *
 * Lines: `#` comment, `D:` device index, `R:` report descriptor, `N:` name, `P:` physical path, `I:` bus vendor
 * product, `E:` one input report. Mail quoting (`> `), CRLF, blanks, upper-case hex and lines wrapped by a mail
 * program are read; docs/decode.md lists what is refused. */
#ifndef HID_RECORDER_H
#define HID_RECORDER_H
#include <stddef.h>
#include <stdint.h>

enum {
	HID_RECORDER_BYTES = 65535, /* of a descriptor or a report   */
	HID_RECORDER_NAME = 1023,   /* bytes of a name that are kept */
	HID_RECORDER_WHY = 600
};

enum hp_hid_record_kind { HID_RECORD_DESCRIPTOR, HID_RECORD_NAME, HID_RECORD_IDS, HID_RECORD_EVENT };

/* One line of interest. Pointers are valid until the next call. */
struct hp_hid_record {
	enum hp_hid_record_kind kind;
	int device;          /* index: the last D:, or one more for every R: without a D: of its own */
	unsigned line;       /* from 1 */
	int64_t time_ns;     /* event */
	const uint8_t *data; /* descriptor, event */
	size_t size;
	const char *name;              /* name, NUL-terminated */
	uint16_t bus, vendor, product; /* ids */
};

struct hp_hid_recorder;

/* Opens a regular file. Returns 0, or -errno with one sentence in why ("FILE: ..."). warn is told, at most once
 * per kind, what was skipped; it may be NULL. */
int hp_hid_recorder_open(struct hp_hid_recorder **out, const char *path, void (*warn)(void *arg, const char *text),
                         void *arg, char *why, size_t why_size);
enum { HID_RECORDER_ALL = -1, HID_RECORDER_HEADERS = -2 };
/* Reads events of this device only; others are skipped without a look at their bytes. HID_RECORDER_ALL: of every
 * device. HID_RECORDER_HEADERS: an event is only said to be there, without time and bytes. */
void hp_hid_recorder_select(struct hp_hid_recorder *r, int device);
/* 1 with *out filled, 0 at the end, or -errno with a sentence in hp_hid_recorder_why(); after that it stays so. */
int hp_hid_recorder_next(struct hp_hid_recorder *r, struct hp_hid_record *out);
/* "FILE:LINE: what is wrong" after next() failed. */
const char *hp_hid_recorder_why(const struct hp_hid_recorder *r);
/* Back to the first line. 0 or -errno. */
int hp_hid_recorder_rewind(struct hp_hid_recorder *r);
/* NULL is fine. */
void hp_hid_recorder_close(struct hp_hid_recorder *r);
#endif
