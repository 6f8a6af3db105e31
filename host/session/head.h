/* SPDX-License-Identifier: MIT
 * head.h - the layout of headpipe's own messages, for the session library's parts. */
#ifndef HP_SESSION_HEAD_H
#define HP_SESSION_HEAD_H
#include "headpipe-session.h"

enum { HPS_SAMPLE_FIELDS = 28 };
extern const struct hps_field hps_sample_fields[HPS_SAMPLE_FIELDS]; /* of /head/sample, in order */

const char *hps_event_name(uint32_t type); /* "recenter", ... */
void hps_sample_pack(const struct hp_sample *, uint8_t out[HPS_SAMPLE_SIZE]);
void hps_sample_unpack(const uint8_t *in, struct hp_sample *);
/* {"seq":1,"time_ns":...} with these of the fields (NULL: the first n), numbers so that they read back as the same
 * bits. out: 64 bytes per field. Returns the length. */
size_t hps_sample_json(const struct hp_sample *, const size_t *fields, size_t n, char *out);
/* 0 or -EBADMSG. */
int hps_sample_from_json(const char *text, size_t n, struct hp_sample *);
#endif
