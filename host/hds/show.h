/* SPDX-License-Identifier: MIT
 * show.h - decoded HDS values for people and scripts; the JSON is described in docs/hds.md. Everything goes to
 * standard output. The readers are left where they stand. */
#ifndef HP_HDS_SHOW_H
#define HP_HDS_SHOW_H
#include "decode.h"

/* Typed JSON of what was checked before (hp_hds_check() on a copy): one line per value, or compact in one line. */
void hp_hds_show_value(const struct hp_hds_reader *, bool compact);
void hp_hds_show_message(const struct hp_hds_message *, const struct hp_hds_reader *body, bool compact);
/* One line per value: offset, first bytes, text. Unchecked input: goes as far as the bytes make sense. */
void hp_hds_show_list(const struct hp_hds_reader *);
#endif
