/* SPDX-License-Identifier: MIT
 * request.h - wishes that change how the pipeline works: a new centre, another value of a live option. [loop] */
#ifndef HP_REQUEST_H
#define HP_REQUEST_H
#include "graph/node.h"

/* The user wants a new centre: the filters get the command, then everybody the event. */
void hp_recenter(struct hp_run *);
/* The command alone, to the filters below one input. */
void hp_recenter_filters(struct hp_node *input);
/* "section.key=value" of a section of this input, or "filter.section.key=value" where kinds share a name. 0, or
 * -errno with a sentence in why. */
int hp_request_option(struct hp_node *input, const char *text, char *why, size_t why_size);
/* request() of the contract: "recenter", or text as above, for what belongs to the input of this section. -EPERM unless
 * the section says `may_request = yes`; every refusal is logged, at most one line a second. */
int hp_request(struct hp_node *, const char *text);
#endif
