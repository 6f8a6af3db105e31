/* SPDX-License-Identifier: MIT
 * bench.h - one harness for all measurements: rows of "do it n times", ours and the plain form beside it. */
#ifndef BENCH_H
#define BENCH_H
#include "headpipe.h"
#include "inputs/decode/descriptor.h"

struct bench_row {
	const char *name, *what;
	void (*run)(long n);   /* n operations                                                        */
	void (*plain)(long n); /* the same by the tests' plain implementation, or NULL                */
	void (*between)(void); /* untimed, after each batch of either; or NULL                        */
	long batch;            /* operations that are timed together                                  */
	double bytes;          /* in or out per operation; 0 = none                                   */
	bool counted;          /* `make bench-count` counts its instructions                          */
};
enum { BENCH_ROWS = 96, BENCH_RING = 256 };

/* Filled by the groups below, in this order. */
extern struct bench_row bench_rows[BENCH_ROWS];
extern size_t bench_nrows;
struct bench_row *bench_add(struct bench_row);

void bench_rows_decode(void);
void bench_rows_number(void);
void bench_rows_filter(void);
void bench_rows_mapping(void);
void bench_rows_pose(void);
void bench_rows_encode(void);
void bench_rows_udp(void);
void bench_rows_graph(void);
void bench_rows_files(void);
void bench_rows_post(void);
void bench_rows_hid(void);
void bench_end_udp(void);
void bench_end_graph(void);
void bench_end_files(void);
void bench_end_post(void);
void bench_end_hid(void);

/* What all rows work on: a periodic head motion at 100 reports/s, as a tracker with 16-bit fields sends it. Made at
 * start, the same in every run. */
struct bench_data {
	struct hp_hid_descriptor descriptor;
	uint8_t report[BENCH_RING][14];
	struct hp_sample raw[BENCH_RING];      /* decoded                                     */
	struct hp_sample filtered[BENCH_RING]; /* after `orientation`; with gyro              */
	struct hp_stream stream;
};
extern struct bench_data bench_data;
void bench_make_data(void);
void bench_free_data(void);

/* Results go here, so that the compiler cannot leave the work out. */
extern volatile uint64_t bench_sink;
/* Set by a row that measures by itself: the sum of its operations, ns. */
extern int64_t bench_self_ns;
/* Ends the program with a sentence: a bench that cannot do its work must not report numbers. */
void bench_die(const char *what) __attribute__((noreturn));

/* malloc, calloc, realloc and friends are counted while this is set. */
extern volatile int bench_counting;
uint64_t bench_mallocs(void);
#endif
