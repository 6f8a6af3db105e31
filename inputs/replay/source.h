/* SPDX-License-Identifier: MIT
 * source.h - where `replay` gets a device's input reports from, whatever the file format; session files also
 * hold samples and events. */
#ifndef REPORT_SOURCE_H
#define REPORT_SOURCE_H
#include "headpipe.h"

enum { REPORT_SOURCE_WHY = 800, REPORT_MAX = 4096 };

/* One input report, with its ID byte where there are IDs. */
struct report {
	int64_t time_ns;     /* in the recording; its clock may have been set back */
	const uint8_t *data; /* valid until the next call of the source */
	size_t size;         /* at most REPORT_MAX */
	/* or, with data NULL, one of these; valid as long */
	const struct hp_sample *sample;
	const struct hp_event *event; /* HP_CONNECTED: the device below has been set anew */
};

/* An open recording, one device chosen. A format puts this first in its own struct. */
struct report_source {
	/* 1 with *out filled, 0 at the end, or -errno with a finished sentence in why ("FILE:LINE: ..."). */
	int (*next)(struct report_source *, struct report *out);
	int (*rewind)(struct report_source *); /* to the first report; 0 or -errno with why */
	/* Right after opening or rewinding: only what lies so long after the recording's start is given (to 0 = up to
	 * the end), without reading the rest. 1 = the device below is another one there, 0, -ERANGE with *length when
	 * `from` lies behind the end, or -errno with why. NULL: the caller leaves out what lies outside. */
	int (*part)(struct report_source *, int64_t from, int64_t to, int64_t *length);
	void (*close)(struct report_source *); /* frees it */
	/* the device, owned by the source; NULL or 0 = unknown */
	const char *name, *serial, *unique_id;
	uint16_t vendor, product;
	const uint8_t *descriptor;
	uint32_t descriptor_size;
	bool samples;          /* it gives samples, not reports: there need not be a descriptor */
	const char *filters;   /* those the samples went through already, as hp_replayed_bypass() wants them, or NULL */
	int64_t connected_ns;  /* time of the first HP_CONNECTED, which next() does not give */
	int64_t rate_start_ns; /* when the window that measures the report rate opened, in the recording's time */
	uint64_t left_out;     /* reports, samples and chunks that could not be read so far; told */
	char why[REPORT_SOURCE_WHY];
};

struct report_source_ask {
	const char *path;
	int device; /* index in the recording; -1 = the first with a rotation vector */
	enum { REPORT_SOURCE_AUTO, REPORT_SOURCE_REPORTS, REPORT_SOURCE_SAMPLES } want; /* of a session file */
	void (*warn)(void *arg, const char *text); /* what was skipped; may be NULL */
	void *arg;
};

/* A session file. 0, or -errno with one sentence in why. */
int session_source_open(struct report_source **out, const struct report_source_ask *ask, char *why, size_t why_size);
/* Whether the file at path begins as a session file does. */
bool session_source_is(const char *path);
/* hid-recorder text. 0, or -errno with one sentence in why. */
int recorder_source_open(struct report_source **out, const struct report_source_ask *ask, char *why, size_t why_size);
/* Whichever of the two it is. */
int report_source_open(struct report_source **out, const struct report_source_ask *ask, char *why, size_t why_size);
#endif
