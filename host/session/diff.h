/* SPDX-License-Identifier: MIT
 * diff.h - inside of a comparison of two channels: the two sides, what is compared, and the ranges. */
#ifndef HP_SESSION_DIFF_H
#define HP_SESSION_DIFF_H
#include "head.h"
#include "reader.h"

/* One channel. A sample's JSON is turned into the message that it would be as cdr. */
struct hps_diff_side {
	struct hps_cursor cursor;
	struct hps_message m;
	bool need, have;              /* m is used up; m is there */
	uint64_t number;              /* of m, or of the next one, in its channel */
	const struct hps_field *list; /* fields of a message */
	const uint32_t *offsets;
	size_t nlist, size; /* size: bytes of a message as far as fields are known */
	bool json;
	uint32_t flags;
	struct hps_field own[HP_SAMPLE_FIELDS]; /* json */
	uint32_t own_offsets[HP_SAMPLE_FIELDS];
	uint8_t packed[HPS_SAMPLE_MAX];
	const uint8_t *body; /* of m, for reading fields; NULL = its bytes are all there is */
	uint32_t bytes;      /* at body */
};

enum hps_diff_how { HPS_DIFF_REAL, HPS_DIFF_SIGNED, HPS_DIFF_UNSIGNED }; /* what a field is compared as */
struct hps_diff_plan {
	uint32_t at[2]; /* places in the two messages */
	enum hps_type type[2];
	uint8_t how, width; /* width: 8 or 4 when equal bytes of both are equal values, else 0 */
	bool leave;         /* not compared */
	int only;
	const char *name, *unit;
	double tolerance;
	uint64_t whole_tolerance; /* for integers */
	uint64_t differing, within, exact;
	double worst;
	int64_t worst_at;
};

/* A range and what is to be said about it. */
struct hps_diff_run {
	struct hps_diff_range range;
	bool *marks;       /* by plan: the field differs */
	uint8_t *first[2]; /* fields of its first message; only when there are any */
	bool fields;
};

struct hps_diff {
	struct hps_diff_side side[2];
	struct hps_diff_totals totals;
	struct hps_diff_plan *plans;
	size_t nplans;
	uint32_t *now; /* plans that differ in this message */
	size_t nnow;
	bool whole, content, alike; /* alike: equal bytes are equal messages */
	bool failed_second;
	struct hps_diff_run runs[2];
	struct hps_diff_run *open, *shown; /* the one that grows, the one that was given last */
};

/* Fields of both sides, matched by name. 0 or -ENOMEM. */
int hps_diff_prepare(struct hps_diff *, const struct hps_diff_options *);
/* Does the message on the first side say the same as that on the second? Lists the fields in which it does not. */
bool hps_diff_same(struct hps_diff *, bool *bytes);
/* The body of a side's message. */
void hps_diff_body(struct hps_diff_side *);
#endif
