/* SPDX-License-Identifier: MIT
 * csv.h - the output `csv` without a run around it, for `headpipe export`. */
#ifndef HP_CSV_H
#define HP_CSV_H
#include <stdint.h>

/* After open, before the first row: CLOCK_REALTIME minus CLOCK_MONOTONIC of the machine that recorded, in ns, instead
 * of this one's, so that the same recording gives the same bytes. state: of hp_output_csv. */
void hp_csv_set_wall(void *state, int64_t offset_ns);
#endif
