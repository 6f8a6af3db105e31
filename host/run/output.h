/* SPDX-License-Identifier: MIT
 * output.h - the end of a sample's way: an output, its encoder, and their failures. [loop] */
#ifndef HP_OUTPUT_H
#define HP_OUTPUT_H
#include "graph/node.h"

/* One sample to one output, past rate limits: derives, encodes, sends, counts. */
void hp_output_put(struct hp_node *, struct hp_sample *);
/* Counts a failure of an output or filter; says it at most once a second. err is positive; what: "sends", "encodings",
 * a plural that loses its s for one. */
void hp_output_trouble(struct hp_node *, int err, const char *what);
/* Samples that went into a ring and are not in the file, so far. Of those that counts.out says. */
uint64_t hp_output_unwritten(const struct hp_node *);
/* At the end: what was not told yet. */
void hp_output_tell_rest(struct hp_node *);
#endif
