/* SPDX-License-Identifier: MIT
 * session_make.h - session files in memory for tests. */
#ifndef SESSION_MAKE_H
#define SESSION_MAKE_H
#include "headpipe-session.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory_file {
	uint8_t *data;
	size_t size, limit; /* limit: the disk is full there; 0 = never */
	int closed;
};

static inline int memory_write(void *ctx, const void *p, size_t n)
{
	struct memory_file *f = ctx;
	size_t fits = f->limit && f->size + n > f->limit ? f->limit - f->size : n;
	f->data = realloc(f->data, f->size + fits + 1);
	memcpy(f->data + f->size, p, fits);
	f->size += fits;
	return fits < n ? -ENOSPC : 0;
}
static inline int memory_truncate(void *ctx, uint64_t size)
{
	((struct memory_file *)ctx)->size = (size_t)size;
	return 0;
}
static inline int memory_close(void *ctx)
{
	((struct memory_file *)ctx)->closed++;
	return 0;
}
static inline struct hps_sink memory_sink(struct memory_file *f)
{
	return (struct hps_sink){ sizeof(struct hps_sink), f, memory_write, NULL, memory_truncate, memory_close };
}

/* A sample whose every field differs from its neighbours'. */
static inline struct hp_sample make_sample(uint64_t i)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	s.flags = HP_ROTVEC | HP_YPR | (i % 3 ? HP_GYRO : 0);
	s.source = 0;
	s.seq = i;
	s.time_ns = 1000000000 + (int64_t)i * 4000000;
	s.arrival_ns = s.time_ns + 50000;
	double *v = s.quat;
	for (int k = 0; k < 4; k++)
		v[k] = 0.5 + 1e-3 * (double)i + k;
	for (int k = 0; k < 3; k++) {
		s.rotvec[k] = 0.001 * (double)i + k;
		s.ypr[k] = 0.1 * (double)i - k;
		s.gyro[k] = 1.0 / (double)(i + 1) + k;
	}
	s.rate_hz = 250;
	s.reset_count = (uint32_t)(i / 10);
	return s;
}

static const uint8_t make_descriptor[] = { 0x05, 0x20, 0x09, 0xe1, 0xa1, 0x01, 0xc0 };
static const struct hp_stream make_stream = { .struct_size = sizeof(struct hp_stream),
	                                      .device = "WH-1000XM5",
	                                      .serial = "42",
	                                      .descriptor = make_descriptor,
	                                      .descriptor_size = sizeof make_descriptor,
	                                      .vendor = 0x054c,
	                                      .product = 0x0e5e,
	                                      .rate_start_ns = 999000000,
	                                      .report_size = 14,
	                                      .features = "2=0207" };

/* n samples, each behind its report, events in between, an attachment and metadata. 0 or the writer's error. */
static inline int make_session(struct memory_file *f, unsigned n, const struct hps_writer_options *opts, bool json)
{
	struct hps_writer *w;
	struct hps_sink sink = memory_sink(f);
	static const char *const pairs[] = { "point", "head", "wall_start", "2026-01-02T03:04:05Z", NULL };
	int r = hps_create_sink(&w, &sink, opts);
	if (r < 0)
		return r;
	hps_attach(w, 5, "pipeline.ini", "text/plain", "[input head]\nuse = replay\n", 26);
	hps_metadata(w, "headpipe.session", pairs);
	int reports = hps_add_reports(w, &make_stream), samples = hps_add_samples(w, json, NULL),
	    events = hps_add_events(w);
	struct hp_event e = { sizeof e, HP_CONNECTED, 999000000, 0, "WH-1000XM5" };
	hps_write_event(w, events, &e, 999000000);
	for (unsigned i = 0; i < n; i++) {
		struct hp_sample s = make_sample(i);
		uint8_t report[14] = { 1, (uint8_t)i, (uint8_t)(i >> 8), 3, 4, 5 };
		hps_write(w, reports, s.time_ns, report, sizeof report);
		hps_write_sample(w, samples, &s);
		if (i % 10 == 9) {
			e = (struct hp_event){ sizeof e, HP_RECENTER, s.time_ns, i, NULL };
			hps_write_event(w, events, &e, 0);
		}
	}
	return hps_finish(w);
}
#endif
