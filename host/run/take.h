/* SPDX-License-Identifier: MIT
 * take.h - what a module hands over, in the sizes of this host: its header may be older or newer. */
#ifndef HP_TAKE_H
#define HP_TAKE_H
#include "graph/node.h"
#include "sample/sample.h"
#include <string.h>

/* Inputs and filters: what is taken of their samples. Before the first of them. */
void hp_take_open(struct hp_node *);
void hp_take_tail(const struct hp_node *, struct hp_sample *, const struct hp_sample *);
/* The next of several samples of this module. */
static inline const struct hp_sample *hp_take_next(const struct hp_node *n, const struct hp_sample *s)
{
	return (const struct hp_sample *)(const void *)((const char *)s + n->program.sample_size);
}
static inline void hp_take_sample(const struct hp_node *n, struct hp_sample *to, const struct hp_sample *from)
{
	memcpy(to, from, offsetof(struct hp_sample, angvel));
	to->flags &= n->program.known_flags;
	if (to->flags & HP_SAMPLE_APPENDED_FLAGS)
		hp_take_tail(n, to, from);
}
/* For structs whose struct_size is below ours. */
void hp_take_raw(struct hp_raw *, const struct hp_raw *);
void hp_take_event(struct hp_event *, const struct hp_event *);
void hp_take_stream(struct hp_stream *, const struct hp_stream *);
#endif
