/* SPDX-License-Identifier: MIT
 * plot.c - `headpipe plot`: yaw, pitch and roll over time as an SVG drawing, with events, gaps and losses. */
#include "commands/shared/plot.h"
#include "base/utf8.h"
#include "commands/shared/tool.h"
#include "inputs/replay/source.h"
#include "session/head.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1200, HEIGHT = 480, LEFT = 60, RIGHT = 20, TOP = 40, BOTTOM = 50, COLUMNS = WIDTH - LEFT - RIGHT };

static void put_mark(struct plot *p, int64_t time, const struct hp_event *e)
{
	if (p->nmarks == PLOT_MARKS) {
		p->more++;
		return;
	}
	struct plot_mark *m = &p->marks[p->nmarks++];
	m->time = time;
	m->type = e->type;
	snprintf(m->text, sizeof m->text, "%s%s%.60s", hps_event_name(e->type), e->text ? ": " : "",
	         e->text ? e->text : "");
}

/* Where between the first and the last sample, 0 to 1. */
static double part_of(const struct plot *p, int64_t t)
{
	return ((double)t - (double)p->first) / ((double)p->last - (double)p->first);
}

/* First turn: times, interval, range. Second: columns, gaps, events. */
static int walk(struct hps_reader *r, struct plot *p, const struct tool_part *part)
{
	uint64_t done = 0;
	struct hps_info info;
	hps_get_info(r, &info);
	for (int turn = 0; turn < 2; turn++) {
		struct hps_cursor c = hps_begin(r, -1);
		struct hps_message m;
		struct hp_sample s;
		struct hp_event e;
		int code;
		int64_t before = 0, now = part->start;
		uint64_t n = 0;
		while ((code = hps_next_between(&c, part->from, part->to, &m)) != 0) {
			if (++done % 4096 == 0)
				tool_progress(c.chunk + (turn ? info.chunks : 0), 2 * info.chunks);
			if (code < 0)
				continue;
			if (turn && !hps_get_event(r, &m, &e, NULL))
				put_mark(p, now < p->first ? p->first : now, &e);
			if (hps_get_sample(r, &m, &s) < 0) {
				p->odd += turn && hps_holds_samples(r, m.channel);
				continue;
			}
			now = m.time;
			if (!turn) {
				p->first = now < p->first || !n ? now : p->first;
				p->last = now > p->last || !n ? now : p->last;
				n++;
				for (int i = 0; i < 3; i++) {
					p->low = s.ypr[i] < p->low ? s.ypr[i] : p->low;
					p->high = s.ypr[i] > p->high ? s.ypr[i] : p->high;
				}
				continue;
			}
			double at = p->last > p->first ? part_of(p, now) * (p->columns - 1) : 0;
			int x = at < 0 ? 0 : at > p->columns - 1 ? p->columns - 1 : (int)at;
			for (int i = 0; i < 3; i++) {
				double *low = &p->curves[i].low[x], *high = &p->curves[i].high[x];
				*low = !p->used[x] || s.ypr[i] < *low ? s.ypr[i] : *low;
				*high = !p->used[x] || s.ypr[i] > *high ? s.ypr[i] : *high;
			}
			p->used[x] = true;
			int64_t silence = tool_minus(now, before);
			if (n++ && silence / 5 > p->usual && silence > 50000000 && p->ngaps < PLOT_MARKS) {
				p->gaps[p->ngaps].from = before;
				p->gaps[p->ngaps++].to = now;
			}
			before = now;
		}
		if (!turn)
			p->samples = n;
		p->usual = p->samples > 1 ? tool_minus(p->last, p->first) / (int64_t)(p->samples - 1) : 0;
	}
	tool_progress(1, 1);
	return p->samples ? 0 : -1;
}

static double x_of(const struct plot *p, int64_t t)
{
	return p->last > p->first ? LEFT + part_of(p, t) * (COLUMNS - 1) : LEFT;
}

static double y_of(const struct plot *p, double v)
{
	return TOP + (p->high - v) / (p->high - p->low) * (HEIGHT - TOP - BOTTOM);
}

static void text(FILE *f, const char *s)
{
	for (size_t n; *s; s += n ? n : 1) {
		n = hp_utf8_char(s, strlen(s));
		if (*s == '<')
			fputs("&lt;", f);
		else if (*s == '&')
			fputs("&amp;", f);
		else if (!n)
			fputs(HP_UTF8_UNKNOWN, f);
		else if ((unsigned char)*s >= 0x20)
			fwrite(s, 1, n, f);
	}
}

/* A step of 1, 2 or 5 times a power of ten that gives about n lines. */
static double grid_step(double range, int n)
{
	double raw = range / n, ten = pow(10, floor(log10(raw))), by = raw / ten;
	return ten * (by < 1.5 ? 1 : by < 3.5 ? 2 : by < 7.5 ? 5 : 10);
}

static void grid(FILE *f, const struct plot *p)
{
	double step = grid_step(p->high - p->low, 8), length = ((double)p->last - (double)p->first) / 1e9;
	for (double v = ceil(p->low / step) * step; v <= p->high; v += step)
		fprintf(f,
		        "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>"
		        "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%g°</text>\n",
		        LEFT, WIDTH - RIGHT, y_of(p, v), y_of(p, v), LEFT - 6, y_of(p, v) + 4, v + 0.0);
	if (length <= 0)
		return;
	step = grid_step(length, 10);
	for (double t = 0; t <= length * (1 + 1e-9); t += step) {
		double x = x_of(p, tool_plus(p->first, t < 9e9 ? (int64_t)(t * 1e9) : INT64_MAX));
		fprintf(f,
		        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" class=\"grid\"/>"
		        "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%g s</text>\n",
		        x, x, TOP, HEIGHT - BOTTOM, x, HEIGHT - BOTTOM + 18, t);
	}
}

static void curve(FILE *f, const struct plot *p, int i)
{
	bool pen = false;
	int64_t wide = p->usual < INT64_MAX / 10 ? p->usual * 5 : INT64_MAX / 2;
	int before = 0;
	fprintf(f, "<path class=\"curve\" stroke=\"%s\" d=\"", plot_colours[i]);
	for (int x = 0; x < COLUMNS; x++) {
		if (!p->used[x])
			continue;
		/* a line is not drawn over a gap */
		int64_t between = p->last > p->first ? tool_minus(p->last, p->first) / (COLUMNS - 1) * (x - before) : 0;
		bool gap = pen && x - before > 1 && between > wide + 50000000;
		fprintf(f, "%c%d %.1f", pen && !gap ? 'L' : 'M', LEFT + x, y_of(p, p->curves[i].high[x]));
		if (p->curves[i].low[x] != p->curves[i].high[x])
			fprintf(f, "V%.1f", y_of(p, p->curves[i].low[x]));
		pen = true;
		before = x;
	}
	fprintf(f, "\"><title>%s</title></path>\n", plot_names[i]);
}

static void draw(FILE *f, const struct plot *p, const char *path)
{
	fprintf(f,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
	        "font-size=\"12\">\n<style>.grid{stroke:#ddd}.curve{fill:none;stroke-width:1.2}"
	        ".mark{stroke:#555;stroke-dasharray:3 3}.gap{fill:#f4c7c3}.lost{stroke:#c00}</style>\n"
	        "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"20\" font-size=\"14\">",
	        WIDTH, HEIGHT, LEFT);
	text(f, path);
	fprintf(f, ": %" PRIu64 " samples, %.3f s</text>\n", p->samples, ((double)p->last - (double)p->first) / 1e9);
	for (size_t i = 0; i < p->ngaps; i++) {
		double a = x_of(p, p->gaps[i].from), b = x_of(p, p->gaps[i].to);
		fprintf(f,
		        "<rect class=\"gap\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"><title>gap of %.3f "
		        "s</title></rect>\n",
		        a, TOP, b - a < 1 ? 1 : b - a, HEIGHT - TOP - BOTTOM,
		        ((double)p->gaps[i].to - (double)p->gaps[i].from) / 1e9);
	}
	grid(f, p);
	for (size_t i = 0; i < p->nmarks; i++) {
		double x = x_of(p, p->marks[i].time);
		fprintf(f, "<line class=\"mark%s\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\"><title>",
		        p->marks[i].type == HP_LOST ? " lost" : "", x, x, TOP, HEIGHT - BOTTOM);
		text(f, p->marks[i].text);
		fprintf(f, "</title></line>\n");
	}
	for (int i = 0; i < 3; i++) {
		curve(f, p, i);
		fprintf(f, "<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", LEFT + i * 60, HEIGHT - 10,
		        plot_colours[i], plot_names[i]);
	}
	fprintf(f, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">dashed: events%s, red: gaps</text>\n</svg>\n",
	        WIDTH - RIGHT, HEIGHT - 10, p->more ? " (the first 200)" : "");
}

struct arguments {
	const char *file, *out;
	int64_t from, to;
	int memory;
	bool html;
};

static const struct hp_arg arguments[] = {
	TOOL_FILE(struct arguments),
	HP_ARG("-o", HP_OPT_PATH(struct arguments, out, NULL, "the drawing; - is standard output"),
	       .value = "FILE.svg"),
	HP_ARG("--html",
	       HP_OPT_BOOL(struct arguments, html, "no",
	                   "a page to look at in a browser, with zoom, events and gaps; it needs nothing else")),
	TOOL_FROM(struct arguments),
	TOOL_TO(struct arguments),
	TOOL_MEMORY(struct arguments),
	HP_ARG_END,
};

extern const struct hp_command hp_command_plot;

static int plot(void *state)
{
	struct arguments *a = state;
	const char *out = a->out;
	int code = tool_span(&hp_command_plot, a->from, &a->to);
	if (code)
		return code;
	if (session_source_is(out))
		return tool_fail("plot", out, "this is a session file, which a drawing does not replace");
	struct hps_reader *r = tool_open_with("plot", a->file, false, a->memory);
	struct plot *p = plot_new(a->html ? PLOT_FINE : COLUMNS);
	struct tool_part part;
	bool one;
	if (!r || !p || tool_samples("plot", a->file, r, &one) < 0 ||
	    tool_part(&part, "plot", a->file, r, a->from, a->to)) {
		hps_close(r);
		plot_free(p);
		return 1;
	}
	p->low = -1;
	p->high = 1;
	if (walk(r, p, &part) < 0) {
		code = tool_fail("plot", a->file, "there are no samples in that part of it");
	} else {
		double margin = (p->high - p->low) * 0.05;
		p->low -= margin;
		p->high += margin;
		FILE *f = strcmp(out, "-") ? fopen(out, "w") : stdout;
		if (!f) {
			code = tool_fail("plot", out, "%s", strerror(errno));
		} else {
			(a->html ? plot_html : draw)(f, p, a->file);
			if (ferror(f) || fflush(f))
				code = tool_fail("plot", out, "%s", strerror(errno));
			if (f != stdout)
				fclose(f);
		}
	}
	if (p->odd)
		code = tool_fail("plot", a->file, "%" PRIu64 " samples cannot be read and were left out", p->odd);
	code = tool_left_out("plot", a->file, r) || code;
	hps_close(r);
	plot_free(p);
	return code;
}

const struct hp_command hp_command_plot = {
	.name = "plot",
	.summary = "draw yaw, pitch and roll of a session file",
	.arguments = arguments,
	.state_size = sizeof(struct arguments),
	.run = plot,
};
