/* SPDX-License-Identifier: MIT
 * plot.h - what `headpipe plot` found out about a recording, and the page it makes of it. */
#ifndef HP_PLOT_H
#define HP_PLOT_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { PLOT_MARKS = 200, PLOT_FINE = 20000 };

/* Lowest and highest value per column, so that nothing short is lost. */
struct plot_curve {
	double *low, *high;
};
struct plot_mark {
	int64_t time;
	uint32_t type;
	char text[80];
};
struct plot {
	int columns;
	struct plot_curve curves[3];
	bool *used; /* columns */
	int64_t first, last, usual, to;
	double low, high;
	struct plot_mark marks[PLOT_MARKS];
	size_t nmarks, more;
	struct {
		int64_t from, to;
	} gaps[PLOT_MARKS];
	size_t ngaps;
	uint64_t samples, odd;
};
extern const char *const plot_names[3];
extern const char *const plot_colours[3]; /* told apart by the colour-blind too */

/* NULL: no memory. */
struct plot *plot_new(int columns);
void plot_free(struct plot *);
/* One page with everything in it: no other file, no network. path: the recording's name. */
void plot_html(FILE *, const struct plot *, const char *path);
#endif
