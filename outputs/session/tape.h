/* SPDX-License-Identifier: MIT
 * tape.h - the two halves of the output `session`: records that the loop puts into the ring (session.c), and
 * the file they end up in on the writer thread (tape.c). */
#ifndef SESSION_TAPE_H
#define SESSION_TAPE_H
#include "headpipe-session.h"
#include "io/writer.h"
#include <time.h>

enum tape_kind { TAPE_SAMPLE = 1, TAPE_RAW, TAPE_EVENT, TAPE_STREAM, TAPE_TICK };

/* Records; every one begins with its kind. */
struct tape_sample {
	uint32_t kind, pad0;
	struct hp_sample sample;
};
struct tape_raw {
	uint32_t kind, size;
	int64_t time_ns;
	uint8_t data[]; /* size bytes */
};
struct tape_event {
	uint32_t kind, type;
	int64_t time_ns, value, rate_start_ns;
	char text[]; /* NUL-terminated */
};
struct tape_stream {
	uint32_t kind, descriptor_size, report_size;
	uint16_t vendor, product;
	int64_t rate_start_ns;
	uint32_t at[4]; /* device, serial, unique_id, features in data; 0 = none */
	uint8_t data[]; /* descriptor, then the texts */
};

/* What the writer thread needs to know; copied. */
struct tape_options {
	const char *pattern; /* path with strftime and %n */
	struct hps_writer_options writer;
	bool json;
	uint32_t appended;                      /* flags of the appended fields to record */
	bool foxglove;                          /* samples once more, as ros.h has them */
	bool epoch;                             /* log times count from 1970 */
	uint64_t max_size;                      /* 0 = no limit */
	int64_t max_time;                       /* 0 = no limit */
	const char *ini;                        /* text of the running configuration */
	const char *point, *filters, *pipeline; /* where it hangs; see docs/session-format.md */
	int64_t wall_offset;                    /* wall clock minus monotonic clock */
	const struct hp_host *host;             /* log and fail */
};
struct tape;

/* Opens the first file. 0 or -errno; the sentence has been logged. */
int tape_open(struct tape **, const struct tape_options *);
extern const struct hp_sink_ops tape_ops; /* ctx is the tape; close frees it */
/* For a tape that never got a ring. */
void tape_abandon(struct tape *);
const char *tape_path(const struct tape *); /* of the first file, until the ring is open */

/* The file name for one moment and number: strftime, and %n. -EINVAL when it gets too long. */
int tape_name(const char *pattern, time_t when, unsigned number, char *out, size_t size);
/* Makes the folders that the path names, as far as they are missing; true: at least one. */
bool tape_folders(const char *path);
#endif
