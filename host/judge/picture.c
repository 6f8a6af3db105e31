/* SPDX-License-Identifier: MIT
 * picture.c - the drawing of picture.h. Left: the fastest turn, each view as the steps that a game sees. Right: the
 * stillest stretch, magnified. Below: the marks as a table with the best ones in bold. */
#include "picture.h"
#include "pose/pose.h"
#include "pose/rotation.h"

enum { WIDTH = 1200, TOP = 70, PANEL = 500, TURN = 210, LEFT = 60, GAP = 70, LIVELY = 660, ROW = 24, HEAD = 40 };
static const double lively_s = 1.2, calm_s = 2;
static const char *const colours[JUDGE_RUNS] = { "#0072b2", "#d55e00", "#009e73", "#cc79a7",
	                                         "#e69f00", "#56b4e9", "#8c510a", "#7f3c8d" };

struct panel {
	double x, width, y, height; /* on the page  */
	int64_t from, to;
	double low, high; /* degrees */
	struct quat base;
	struct vec axis; /* along which angles are measured */
};

static void put_text(FILE *f, const char *s)
{
	for (; *s; s++)
		if (*s == '<')
			fputs("&lt;", f);
		else if (*s == '&')
			fputs("&amp;", f);
		else if ((unsigned char)*s >= 0x20)
			fputc(*s, f);
}

static struct quat load(const struct judge_pose *p)
{
	return (struct quat){ p->quat[0], p->quat[1], p->quat[2], p->quat[3] };
}

static double angle(const struct panel *p, const struct judge_pose *pose)
{
	return vec_dot(rotation_between(p->base, load(pose)), p->axis) * QUAT_DEGREES;
}

/* Turn between the ends of a stretch of looks that is n long, degrees; -1 where the truth has a hole. */
static double turned(const struct judge_poses *t, size_t i, size_t n, struct vec *way)
{
	if (t->at[i + n].time_ns - t->at[i].time_ns > (int64_t)((double)n * 1.02e9 / JUDGE_LOOKS))
		return -1;
	*way = rotation_between(load(&t->at[i]), load(&t->at[i + n]));
	return vec_length(*way) * QUAT_DEGREES;
}

/* The fastest tenth of a second, or the stretch in which the head turns least. */
static void find(const struct judge_poses *t, bool lively, struct panel *p)
{
	size_t best = 0, n = lively ? JUDGE_LOOKS / 10 : (size_t)(calm_s * JUDGE_LOOKS);
	double most = -1;
	struct vec way;
	p->axis = (struct vec){ 0, 0, 1 };
	for (size_t i = 0; i + n < t->n; i++) {
		double d = turned(t, i, n, &way), sum = 0;
		if (d < 0)
			continue;
		struct vec part;
		for (size_t k = i; !lively && k + 50 <= i + n; k += 50) { /* there and back is no rest */
			double a = turned(t, k, 50, &part);
			sum += a < 0 ? 1e3 : a;
		}
		double score = lively ? d : 1 / (0.001 + sum);
		if (score > most) {
			most = score;
			best = i;
			if (lively && d > 0)
				p->axis = vec_scale(way, 1 / vec_length(way));
		}
	}
	int64_t length = (int64_t)((lively ? lively_s : calm_s) * 1e9);
	p->from = t->at[best].time_ns - (lively ? length / 2 - 50000000 : 0);
	if (p->from < t->at[0].time_ns)
		p->from = t->at[0].time_ns;
	p->to = p->from + length;
	size_t at = 0;
	p->base = load(judge_pose_at(t, p->from, &at));
}

/* Every run has a base of its own: filters may begin at another heading. */
static void set_base(struct panel *p, const struct judge_run *r)
{
	size_t at = 0;
	const struct judge_pose *b = judge_pose_at(&r->truth, p->from, &at);
	if (b)
		p->base = load(b);
}

static void widen(struct panel *p, const struct judge_poses *poses)
{
	size_t at = 0;
	for (int64_t t = p->from; t <= p->to; t += 4000000) {
		const struct judge_pose *pose = judge_pose_at(poses, t, &at);
		if (!pose)
			continue;
		double a = angle(p, pose);
		p->low = fmin(p->low, a);
		p->high = fmax(p->high, a);
	}
}

static double x_of(const struct panel *p, int64_t t)
{
	return p->x + p->width * (double)(t - p->from) / (double)(p->to - p->from);
}
static double y_of(const struct panel *p, double a)
{
	return p->y + p->height * (p->high - a) / (p->high - p->low);
}

static void line(FILE *f, const struct panel *p, const struct judge_poses *poses, const char *style, const char *name)
{
	size_t at = 0;
	const struct judge_pose *before = NULL;
	fprintf(f, "<path fill=\"none\" %s d=\"", style);
	for (int64_t t = p->from; t <= p->to; t += 4000000) {
		const struct judge_pose *pose = judge_pose_at(poses, t, &at);
		if (!pose || pose == before)
			continue;
		double x = x_of(p, pose->time_ns < p->from ? p->from : pose->time_ns);
		if (before)
			fprintf(f, "H%.1f", x); /* it stays until the next one comes */
		fprintf(f, "%s%.1f %.1f", before ? "L" : "M", x, y_of(p, angle(p, pose)));
		before = pose;
	}
	if (before)
		fprintf(f, "H%.1f", p->x + p->width);
	fputs("\"><title>", f);
	put_text(f, name);
	fputs("</title></path>\n", f);
}

static double grid_step(double range)
{
	double raw = range / 6, ten = pow(10, floor(log10(raw))), by = raw / ten;
	return ten * (by < 1.5 ? 1 : by < 3.5 ? 2 : by < 7.5 ? 5 : 10);
}

static void grid(FILE *f, const struct panel *p, const char *title, int64_t start)
{
	double by = grid_step(p->high - p->low);
	fprintf(f, "<text x=\"%.0f\" y=\"%.0f\" font-weight=\"bold\">%s, at %.1f s</text>\n", p->x, p->y - 8, title,
	        (double)(p->from - start) / 1e9);
	for (double v = ceil(p->low / by) * by; v <= p->high; v += by)
		fprintf(f,
		        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#e4e4e4\"/>"
		        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%.3g°</text>\n",
		        p->x, p->x + p->width, y_of(p, v), y_of(p, v), p->x - 5, y_of(p, v) + 4,
		        fabs(v) < by / 2 ? 0 : v);
	int64_t tick = p->width > 500 ? 200000000 : 500000000;
	for (int64_t t = p->from; t <= p->to; t += tick)
		fprintf(f,
		        "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.0f\" y2=\"%.0f\" stroke=\"#e4e4e4\"/>"
		        "<text x=\"%.1f\" y=\"%.0f\" text-anchor=\"middle\">%.1f s</text>\n",
		        x_of(p, t), x_of(p, t), p->y, p->y + p->height, x_of(p, t), p->y + p->height + 15,
		        (double)(t - p->from) / 1e9);
}

/* How far each view is from the head, along the turn. */
static void draw_errors(FILE *f, struct panel p, const struct judge_run *runs, size_t n)
{
	for (int turn = 0; turn < 2; turn++) {
		for (size_t i = 0; i < n; i++) {
			size_t a = 0, b = 0;
			set_base(&p, &runs[i]);
			if (turn)
				fprintf(f, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.4\" d=\"", colours[i]);
			bool pen = false;
			for (int64_t t = p.from; t <= p.to; t += 4000000) {
				const struct judge_pose *seen = judge_pose_at(&runs[i].out, t, &a),
				                        *truth = judge_pose_at(&runs[i].truth, t, &b);
				if (!seen || !truth)
					continue;
				double e = angle(&p, seen) - angle(&p, truth);
				p.low = turn ? p.low : fmin(p.low, e);
				p.high = turn ? p.high : fmax(p.high, e);
				if (turn)
					fprintf(f, "%c%.1f %.1f", pen ? 'L' : 'M', x_of(&p, t), y_of(&p, e));
				pen = true;
			}
			if (turn)
				fputs("\"/>\n", f);
		}
		if (!turn) {
			double margin = fmax(0.02, (p.high - p.low) * 0.06);
			p.low -= margin;
			p.high += margin;
			grid(f, &p, "How far the view is from the head then", runs[0].truth.at[0].time_ns);
		}
	}
}

static struct panel draw_panel(FILE *f, struct panel p, bool lively, const struct judge_run *runs, size_t n)
{
	char style[100];
	find(&runs[0].truth, lively, &p);
	for (size_t i = 0; i < n; i++) {
		set_base(&p, &runs[i]);
		widen(&p, &runs[i].out);
		widen(&p, &runs[i].truth);
	}
	double margin = fmax(0.02, (p.high - p.low) * 0.06);
	p.low -= margin;
	p.high += margin;
	grid(f, &p, lively ? "The fastest turn" : "The quietest moment, magnified", runs[0].truth.at[0].time_ns);
	fprintf(f,
	        "<clipPath id=\"c%d\"><rect x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/></clipPath>"
	        "<g clip-path=\"url(#c%d)\">\n",
	        lively, p.x, p.y, p.width, p.height, lively);
	set_base(&p, &runs[0]);
	line(f, &p, &runs[0].truth, "stroke=\"#bbbbbb\" stroke-width=\"6\" stroke-linejoin=\"round\"",
	     "the head: measured, smoothed without delay");
	for (size_t i = 0; i < n; i++) {
		set_base(&p, &runs[i]);
		snprintf(style, sizeof style, "stroke=\"%s\" stroke-width=\"1.4\"", colours[i]);
		line(f, &p, &runs[i].out, style, runs[i].name);
	}
	fputs("</g>\n", f);
	return p;
}

static double mark_of(const struct judge_marks *m, int column)
{
	const double all[6] = { m->still, m->lag, m->rest, m->error, m->overshoot, m->ripple };
	return all[column];
}

static void table(FILE *f, double y, const struct judge_run *runs, size_t n)
{
	static const char *const heads[6] = { "trembles",     "comes late",  "error besides",
		                              "error in all", "past a turn", "uneven speed" };
	static const char *const units[6] = { "°", " ms", "°", "°", "°", "°/s" };
	static const int digits[6] = { 3, 1, 2, 2, 2, 1 };
	for (int c = 0; c < 6; c++)
		fprintf(f, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\" fill=\"#555\">%s</text>\n", 560 + c * 124, y,
		        heads[c]);
	for (size_t i = 0; i < n; i++) {
		y += ROW;
		fprintf(f,
		        "<line x1=\"%d\" x2=\"%d\" y1=\"%.0f\" y2=\"%.0f\" stroke=\"%s\" stroke-width=\"4\"/><text "
		        "x=\"%d\" y=\"%.0f\">",
		        LEFT, LEFT + 30, y - 4, y - 4, colours[i], LEFT + 40, y);
		put_text(f, runs[i].name);
		fputs("</text>\n", f);
		for (int c = 0; c < 6; c++) {
			double v = mark_of(&runs[i].marks, c);
			bool best = isfinite(v);
			for (size_t k = 0; k < n; k++)
				if (fabs(mark_of(&runs[k].marks, c)) < fabs(v) * 0.999)
					best = false;
			fprintf(f, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\"%s>", 560 + c * 124, y,
			        best && n > 1 ? " font-weight=\"bold\"" : "");
			if (isfinite(v))
				fprintf(f, "%.*f%s</text>\n", digits[c], v, units[c]);
			else
				fputs("-</text>\n", f);
		}
	}
}

void judge_picture(FILE *f, const char *title, const struct judge_run *runs, size_t n)
{
	int height = TOP + PANEL + HEAD + 30 + (int)n * ROW + 50;
	fprintf(f,
	        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
	        "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"%d\" y=\"28\" "
	        "font-size=\"16\">",
	        WIDTH, height, LEFT);
	put_text(f, title);
	fputs("</text>\n", f);
	struct panel turn =
	    draw_panel(f, (struct panel){ .x = LEFT, .width = LIVELY, .y = TOP, .height = TURN }, true, runs, n);
	turn.y = TOP + TURN + 50;
	turn.height = PANEL - TURN - 50;
	turn.low = turn.high = 0;
	draw_errors(f, turn, runs, n);
	draw_panel(f,
	           (struct panel){
	               .x = LEFT + LIVELY + GAP, .width = WIDTH - 20 - LEFT - LIVELY - GAP, .y = TOP, .height = PANEL },
	           false, runs, n);
	table(f, TOP + PANEL + HEAD + 15, runs, n);
	fprintf(
	    f,
	    "<text x=\"%d\" y=\"%d\" fill=\"#555\">Grey: the head, as measured and smoothed without delay (which only "
	    "looking ahead can do). Lines: what a game sees that looks 250 times per second. Bold: "
	    "best.</text>\n</svg>\n",
	    LEFT, height - 15);
}
