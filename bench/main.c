/* SPDX-License-Identifier: MIT
 * main.c - the bench program.
 *
 *   headpipe-bench            a table
 *   headpipe-bench --json     one JSON object per row
 *   headpipe-bench --markdown the table of docs/performance.md
 *   headpipe-bench --count    nothing is timed: every counted row does COUNTED operations, for callgrind
 *   headpipe-bench --counted  the names of these rows, and how many operations each then does
 *   headpipe-bench --counts FILE with the others: instructions per operation from this file (bench/count.sh)
 *   headpipe-bench ROW...     only these rows
 *
 * All rows take turns, in a new order each round, and ours and the plain form of a row follow each other, so that a
 * machine that slows down for a while slows down both. Compare ratios of one run, not nanoseconds of two. */
#include "../tests/plain/random.h"
#include "base/clock.h"
#include "bench.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REPEATS = 31, COUNTED = 1000 };

struct bench_row bench_rows[BENCH_ROWS];
size_t bench_nrows;
volatile uint64_t bench_sink;
int64_t bench_self_ns;

static struct result {
	double ours[REPEATS], plain[REPEATS], best, median, plain_median, mallocs, instructions;
} results[BENCH_ROWS];
static FILE *out;

/* Rows that are compared are timed one right after the other, so that both have the same minute of the machine. */
static const struct pair {
	const char *row, *over, *says;
} pairs[] = {
	{ "e2e_bound", "udp_floor_bound", "end to end over the floor, receiver bound" },
	{ "e2e_unbound", "udp_floor_unbound", "end to end over the floor, nobody there" },
};

static size_t index_of(const char *name)
{
	size_t i = 0;
	while (i < bench_nrows && strcmp(bench_rows[i].name, name) != 0)
		i++;
	return i; /* bench_nrows: not among them */
}

void bench_die(const char *what)
{
	fprintf(stderr, "headpipe-bench: %s\n", what);
	exit(1);
}

struct bench_row *bench_add(struct bench_row row)
{
	if (bench_nrows == BENCH_ROWS)
		bench_die("too many rows");
	bench_rows[bench_nrows] = row;
	return &bench_rows[bench_nrows++];
}

static double timed(void (*run)(long), const struct bench_row *row)
{
	/* untimed first: the caches hold what the row before needed */
	run(row->batch / 2 + 1);
	if (row->between)
		row->between();
	bench_self_ns = 0;
	int64_t start = hp_now();
	run(row->batch);
	int64_t took = hp_now() - start;
	double ns = (double)(bench_self_ns ? bench_self_ns : took) / (double)row->batch;
	if (row->between)
		row->between();
	return ns;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

/* Sorts. */
static double median(double *v)
{
	qsort(v, REPEATS, sizeof *v, ascending);
	return v[REPEATS / 2];
}

/* The row that this one is compared with, or the other way round; bench_nrows = none. */
static size_t partner(size_t row, bool as_first)
{
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		size_t a = index_of(pairs[i].row), b = index_of(pairs[i].over);
		if (a < bench_nrows && b < bench_nrows && row == (as_first ? a : b))
			return as_first ? b : a;
	}
	return bench_nrows;
}

static void round_of(size_t i, int k)
{
	const struct bench_row *row = &bench_rows[i];
	results[i].ours[k] = timed(row->run, row);
	if (row->plain)
		results[i].plain[k] = timed(row->plain, row);
}

static void measure(void)
{
	for (size_t i = 0; i < bench_nrows; i++) {
		const struct bench_row *row = &bench_rows[i];
		timed(row->run, row); /* warm */
		if (row->plain)
			timed(row->plain, row);
		uint64_t before = bench_mallocs();
		bench_counting = 1;
		row->run(row->batch);
		bench_counting = 0;
		results[i].mallocs = (double)(bench_mallocs() - before) / (double)row->batch;
		if (row->between)
			row->between();
	}
	size_t order[BENCH_ROWS];
	uint64_t random = 1;
	for (size_t i = 0; i < bench_nrows; i++)
		order[i] = i;
	for (int k = 0; k < REPEATS; k++) {
		/* a new order each round, so that no row always runs in the wake of the same other one */
		for (size_t i = bench_nrows; i-- > 1;) {
			size_t j = random_below(&random, i + 1), was = order[i];
			order[i] = order[j];
			order[j] = was;
		}
		for (size_t i = 0; i < bench_nrows; i++) {
			size_t over = partner(order[i], true);
			if (partner(order[i], false) < bench_nrows)
				continue; /* its turn comes with the row that is compared with it */
			if (over < bench_nrows)
				round_of(over, k);
			round_of(order[i], k);
		}
	}
	for (size_t i = 0; i < bench_nrows; i++) {
		double sorted[REPEATS]; /* the rounds stay in their order, for ratios */
		memcpy(sorted, results[i].ours, sizeof sorted);
		results[i].median = median(sorted);
		results[i].best = sorted[0];
		if (bench_rows[i].plain)
			results[i].plain_median = median(results[i].plain);
	}
}

/* Rows that must be emptied between batches do all COUNTED operations in whole ones. */
static void count(bool only_say)
{
	for (size_t i = 0; i < bench_nrows; i++) {
		const struct bench_row *row = &bench_rows[i];
		long batch = row->batch < COUNTED ? row->batch : COUNTED, done = 0;
		if (!row->counted)
			continue;
		for (; done < COUNTED; done += batch) {
			if (only_say)
				continue;
			row->run(batch);
			if (row->between)
				row->between();
		}
		if (only_say)
			fprintf(out, "%s %ld\n", row->name, done);
	}
}

/* FILE has lines `row instructions`; # begins a comment. */
static void read_counts(const char *path)
{
	char line[256], name[64];
	double n;
	FILE *f = fopen(path, "r");
	if (!f)
		bench_die(strerror(errno));
	while (fgets(line, sizeof line, f))
		if (*line != '#' && sscanf(line, "%63s %lf", name, &n) == 2)
			for (size_t i = 0; i < bench_nrows; i++)
				if (!strcmp(bench_rows[i].name, name))
					results[i].instructions = n;
	fclose(f);
}

/* "12.3", or the word for a number that is not there. */
static const char *number(double v, bool there, const char *without, char *text, size_t size)
{
	if (!there)
		return without;
	snprintf(text, size, v < 100 ? "%.1f" : "%.0f", v);
	return text;
}

static void print_json(void)
{
	for (size_t i = 0; i < bench_nrows; i++) {
		const struct bench_row *row = &bench_rows[i];
		const struct result *r = &results[i];
		char plain[32], instructions[32];
		fprintf(
		    out,
		    "{\"row\":\"%s\",\"best_ns\":%.2f,\"median_ns\":%.2f,\"plain_ns\":%s,\"mallocs\":%g,\"bytes\":%.1f,"
		    "\"instructions\":%s}\n",
		    row->name, r->best, r->median,
		    number(r->plain_median, row->plain != NULL, "null", plain, sizeof plain), r->mallocs, row->bytes,
		    number(r->instructions, r->instructions > 0, "null", instructions, sizeof instructions));
	}
}

/* The median of the rounds' ratios, and their middle half. */
static void print_ratio(const struct pair *p)
{
	size_t a = index_of(p->row), b = index_of(p->over);
	double ratio[REPEATS];
	if (a == bench_nrows || b == bench_nrows)
		return;
	for (int k = 0; k < REPEATS; k++)
		ratio[k] = results[a].ours[k] / results[b].ours[k];
	double middle = median(ratio);
	fprintf(out, "%s: %s / %s = %.2f (%.2f to %.2f)\n", p->says, p->row, p->over, middle, ratio[REPEATS / 4],
	        ratio[REPEATS - 1 - REPEATS / 4]);
}

static void print_table(bool markdown)
{
	fprintf(out,
	        markdown ? "| row | best ns | median ns | plain ns | ratio | mallocs | bytes | instructions | what |\n"
	                   "|---|---|---|---|---|---|---|---|---|\n"
	                 : "%-22s %9s %9s %9s %7s %8s %7s %8s  %s\n",
	        "row", "best ns", "median", "plain", "ratio", "mallocs", "bytes", "instr.", "what");
	for (size_t i = 0; i < bench_nrows; i++) {
		const struct bench_row *row = &bench_rows[i];
		const struct result *r = &results[i];
		char t[6][32];
		bool both = row->plain != NULL;
		fprintf(out,
		        markdown ? "| `%s` | %s | %s | %s | %s | %g | %s | %s | %s |\n"
		                 : "%-22s %9s %9s %9s %7s %8g %7s %8s  %s\n",
		        row->name, number(r->best, true, "", t[0], 32), number(r->median, true, "", t[1], 32),
		        number(r->plain_median, both, "-", t[2], 32),
		        number(both ? r->plain_median / r->median : 0, both, "-", t[3], 32), r->mallocs,
		        number(row->bytes, row->bytes > 0, "-", t[4], 32),
		        number(r->instructions, r->instructions > 0, "-", t[5], 32), row->what);
	}
	fputc('\n', out);
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		print_ratio(&pairs[i]);
}

/* The console row draws on stdout; results go to the real one. */
static void keep_stdout(void)
{
	int fd = dup(STDOUT_FILENO), nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out || nothing < 0 || dup2(nothing, STDOUT_FILENO) < 0)
		bench_die("no output");
	close(nothing);
}

static void keep_only(char **names, int n)
{
	size_t kept = 0;
	for (size_t i = 0; i < bench_nrows; i++)
		for (int k = 0; k < n; k++)
			if (!strcmp(bench_rows[i].name, names[k])) {
				bench_rows[kept++] = bench_rows[i];
				break;
			}
	if (!kept)
		bench_die("no such row");
	bench_nrows = kept;
}

int main(int argc, char **argv)
{
	bool json = false, markdown = false, counting = false, saying = false;
	const char *counts = NULL;
	int names = 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--json"))
			json = true;
		else if (!strcmp(argv[i], "--markdown"))
			markdown = true;
		else if (!strcmp(argv[i], "--count"))
			counting = true;
		else if (!strcmp(argv[i], "--counted"))
			saying = true;
		else if (!strcmp(argv[i], "--counts") && i + 1 < argc)
			counts = argv[++i];
		else if (*argv[i] == '-')
			bench_die("usage: headpipe-bench [--json | --markdown | --count | --counted] [--counts FILE] "
			          "[ROW...]");
		else
			argv[names++] = argv[i];
	}
	keep_stdout();
	bench_make_data();
	bench_rows_decode();
	bench_rows_number();
	bench_rows_filter();
	bench_rows_mapping();
	bench_rows_pose();
	bench_rows_encode();
	bench_rows_udp();
	bench_rows_graph();
	bench_rows_files();
	bench_rows_post();
	bench_rows_hid();
	if (names)
		keep_only(argv, names);
	if (counting || saying) {
		count(saying);
	} else {
		if (counts)
			read_counts(counts);
		measure();
		if (json)
			print_json();
		else
			print_table(markdown);
	}
	bench_end_files(); /* first: the end of any pipeline waits for all files */
	bench_end_post();
	bench_end_hid();
	bench_end_graph();
	bench_end_udp();
	bench_free_data();
	return fclose(out) ? 1 : 0;
}
