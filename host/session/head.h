/* SPDX-License-Identifier: MIT
 * head.h - the layout of headpipe's own messages, for the session library's parts. */
#ifndef HP_SESSION_HEAD_H
#define HP_SESSION_HEAD_H
#include "headpipe-session.h"
#include "sample/sample.h"

/* Numbers of /head/sample in the order of a message: first those that all have (HP_SAMPLE_BASE), then the appended
 * ones, of which a channel has those of its flags. */
extern const struct hps_field hps_sample_fields[HP_SAMPLE_FIELDS];
enum {
	HPS_SAMPLE_EXTRA = HP_SAMPLE_FIELDS - HP_SAMPLE_BASE,
	HPS_SAMPLE_MAX = (HPS_SAMPLE_SIZE + 11) / 8 * 8 - 4 + 8 * HPS_SAMPLE_EXTRA, /* bytes of the largest message */
	HPS_SAMPLE_TEXT = HP_SAMPLE_FIELDS * 64                                     /* of the largest JSON text     */
};
/* The appended ones: their flag and where they are in hp_sample. */
struct hps_sample_extra {
	uint32_t flag;
	size_t member;
};
extern const struct hps_sample_extra hps_sample_extra[HPS_SAMPLE_EXTRA];
/* Which of the appended fields a channel has, by name. */
struct hps_carried {
	uint32_t flags;                /* HP_ANGVEL ...: all rows of such a flag are there */
	uint32_t at[HPS_SAMPLE_EXTRA]; /* their place in a cdr message, 0 = not there      */
};

const char *hps_event_name(uint32_t type); /* "recenter", ... */
/* Do a channel's fields begin with those that every sample has? Then they stand at their known places. */
bool hps_sample_fields_first(const struct hps_field *, size_t n);
/* The fields of a channel with these flags. Returns their number. */
size_t hps_sample_layout(uint32_t flags, struct hps_field out[HP_SAMPLE_FIELDS]);
/* Fields and offsets of a channel whose first fields are ours. */
void hps_sample_carried(struct hps_carried *, const struct hps_field *, const uint32_t *offsets, size_t n);
/* Flags of the appended fields that a channel of samples has. */
uint32_t hps_sample_flags(const struct hps_reader *, int channel);
/* The message of a channel with these flags; returns its size. */
size_t hps_sample_pack(const struct hp_sample *, uint32_t flags, uint8_t out[HPS_SAMPLE_MAX]);
void hps_sample_unpack(const uint8_t *in, size_t size, const struct hps_carried *, struct hp_sample *);
/* {"seq":1,"time_ns":...} with these n of the fields (by their place in hps_sample_fields), numbers so that they read
 * back as the same bits. out: 64 bytes per field. Returns the length. */
size_t hps_sample_json(const struct hp_sample *, uint32_t flags, const size_t *fields, size_t n, char *out);
/* Places of the fields of a channel with these flags; returns how many there are. */
size_t hps_sample_places(uint32_t flags, size_t out[HP_SAMPLE_FIELDS]);
/* 0 or -EBADMSG. */
int hps_sample_from_json(const char *text, size_t n, struct hp_sample *);
#endif
