/* SPDX-License-Identifier: MIT
 * kind.h - the words for the kinds of modules and sections. */
#ifndef HP_KIND_H
#define HP_KIND_H
#include "headpipe.h"

const char *hp_kind_word(enum hp_kind);       /* "input", "filter", "output", "encoder" */
enum hp_kind hp_kind_from_word(const char *); /* 0 = none of them */
/* The kinds that sections have: an encoder stands in its output's. 0 = none of them. */
enum hp_kind hp_section_kind(const char *word);
#endif
