/* SPDX-License-Identifier: MIT
 * json_sample.h - one JSON object to a sample; the keys are in docs/transports.md. */
#ifndef HP_JSON_SAMPLE_H
#define HP_JSON_SAMPLE_H
#include "headpipe.h"

enum { HP_JSON_DEVICE_MAX = 256 };
struct hp_json_sample {
	struct hp_sample sample;         /* time_ns is 0 unless has_time; arrival_ns, seq and source are the host's */
	bool has_time;                   /* the object said time_ns                                                 */
	bool has_reset_count;            /* ... reset_count                                                         */
	char device[HP_JSON_DEVICE_MAX]; /* UTF-8; "" = the object did not name one                                 */
};

/* Reads n bytes of text. 0, or -EINVAL with why: one clause without full stop. Allocates (JSON library). [any] */
int hp_json_to_sample(const char *text, size_t n, struct hp_json_sample *, char *why, size_t why_size);
#endif
