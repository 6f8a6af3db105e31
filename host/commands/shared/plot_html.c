/* SPDX-License-Identifier: MIT
 * plot_html.c - a recording as one page for a browser: curves to zoom into, events, gaps. The numbers stand in the page
 * as JSON; the script draws them. */
#include "base/utf8.h"
#include "plot.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const plot_names[3] = { "yaw", "pitch", "roll" };
const char *const plot_colours[3] = { "#0072b2", "#d55e00", "#009e73" };

struct plot *plot_new(int columns)
{
	struct plot *p = calloc(1, sizeof *p);
	size_t n = (size_t)columns;
	if (!p)
		return NULL;
	p->columns = columns;
	p->used = calloc(n, sizeof *p->used);
	bool good = p->used;
	for (int i = 0; i < 3; i++) {
		p->curves[i].low = calloc(n, sizeof(double));
		p->curves[i].high = calloc(n, sizeof(double));
		good = good && p->curves[i].low && p->curves[i].high;
	}
	if (good)
		return p;
	plot_free(p);
	return NULL;
}

void plot_free(struct plot *p)
{
	if (!p)
		return;
	for (int i = 0; i < 3; i++) {
		free(p->curves[i].low);
		free(p->curves[i].high);
	}
	free(p->used);
	free(p);
}

/* A JSON text that may stand in a page: what could end the script or is no character is written as a number. */
static void text(FILE *f, const char *s)
{
	fputc('"', f);
	for (size_t n; *s; s += n ? n : 1) {
		unsigned char c = (unsigned char)*s;
		n = hp_utf8_char(s, strlen(s));
		if (!n)
			fputs(HP_UTF8_UNKNOWN, f);
		else if (c < 0x20 || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' || c == 0x7f)
			fprintf(f, "\\u%04x", c);
		else
			fwrite(s, 1, n, f);
	}
	fputc('"', f);
}

static double seconds(const struct plot *p, int64_t t)
{
	return ((double)t - (double)p->first) / 1e9;
}

static void data(FILE *f, const struct plot *p, const char *path)
{
	double length = seconds(p, p->last);
	fprintf(f, "{\"file\":");
	text(f, path);
	fprintf(f, ",\"samples\":%" PRIu64 ",\"seconds\":%.9g,\"columns\":%d,\"at\":[", p->samples, length, p->columns);
	const char *comma = "";
	for (int x = 0; x < p->columns; x++) {
		if (!p->used[x])
			continue;
		fprintf(f, "%s%d", comma, x);
		comma = ",";
	}
	fprintf(f, "],\"curves\":[");
	for (int i = 0; i < 3; i++) {
		fprintf(f, "%s{\"name\":\"%s\",\"colour\":\"%s\",\"low\":[", i ? "," : "", plot_names[i],
		        plot_colours[i]);
		for (int high = 0; high < 2; high++) {
			const double *v = high ? p->curves[i].high : p->curves[i].low;
			comma = "";
			fprintf(f, "%s", high ? "],\"high\":[" : "");
			for (int x = 0; x < p->columns; x++) {
				if (!p->used[x])
					continue;
				fprintf(f, "%s%.6g", comma, v[x]);
				comma = ",";
			}
		}
		fprintf(f, "]}");
	}
	fprintf(f, "],\"more\":%zu,\"gaps\":[", p->more);
	for (size_t i = 0; i < p->ngaps; i++)
		fprintf(f, "%s[%.9g,%.9g]", i ? "," : "", seconds(p, p->gaps[i].from), seconds(p, p->gaps[i].to));
	fprintf(f, "],\"events\":[");
	for (size_t i = 0; i < p->nmarks; i++) {
		fprintf(f, "%s[%.9g,", i ? "," : "", seconds(p, p->marks[i].time));
		text(f, p->marks[i].text);
		fprintf(f, "]");
	}
	fprintf(f, "]}");
}

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>headpipe session</title>\n<style>\n"
    "body{font:14px sans-serif;margin:1em;color:#222;background:#fff}canvas{width:100%;height:60vh;border:1px solid "
    "#ccc;"
    "cursor:crosshair;touch-action:none}\n"
    "#read{min-height:1.4em;font-variant-numeric:tabular-nums}label{margin-right:1em}td{padding:0 1em 0 0}"
    "tr[data-t]{cursor:pointer}tr[data-t]:hover{background:#eee}\n</style></head><body>\n"
    "<h1 id=\"title\"></h1>\n<p id=\"keys\">Wheel: zoom. Drag: move. Double click: everything. </p>\n"
    "<canvas id=\"c\"></canvas>\n<p id=\"read\"></p>\n<table id=\"events\"></table>\n"
    "<script type=\"application/json\" id=\"data\">";

static const char script[] =
    "</script>\n<script>\n\"use strict\";\n"
    "const d = JSON.parse(document.getElementById(\"data\").textContent), c = document.getElementById(\"c\"), g = "
    "c.getContext(\"2d\");\n"
    "const step = d.columns > 1 ? d.seconds / (d.columns - 1) : 0, t = d.at.map((x) => x * step), all = [0, d.seconds "
    "|| "
    "1];\n"
    "const usual = d.samples > 1 ? d.seconds / (d.samples - 1) : 0, wide = Math.max(5 * usual, 0.05, 1.5 * step);\n"
    "let [a, b] = all, hover = null;\nconst shown = [true, true, true];\n"
    "document.getElementById(\"title\").textContent = `${d.file}: ${d.samples} samples, ${d.seconds.toFixed(3)} s`;\n"
    "function first(x) { let l = 0, h = t.length; while (l < h) { const m = (l + h) >> 1; if (t[m] < x) l = m + 1; "
    "else h = m; "
    "} return l; }\n"
    "function nice(range, n) { const raw = range / n, ten = 10 ** Math.floor(Math.log10(raw)), by = raw / ten; return "
    "ten * (by < "
    "1.5 ? 1 : by < 3.5 ? 2 : by < 7.5 ? 5 : 10); }\n"
    "function draw() {\n"
    "  const w = (c.width = c.clientWidth * devicePixelRatio), h = (c.height = c.clientHeight * devicePixelRatio), k = "
    "devicePixelRatio;\n"
    "  const left = 50 * k, bottom = h - 22 * k, from = Math.max(0, first(a) - 1), to = Math.min(t.length, first(b) + "
    "1);\n"
    "  let low = Infinity, high = -Infinity;\n"
    "  d.curves.forEach((u, n) => { if (shown[n]) for (let i = from; i < to; i++) { low = Math.min(low, u.low[i]); "
    "high = "
    "Math.max(high, u.high[i]); } });\n"
    "  if (!(high - low > 1e-9)) { low = (Number.isFinite(low) ? low : 0) - 1; high = low + 2; }\n"
    "  const edge = (high - low) * 0.05; low -= edge; high += edge;\n"
    "  const X = (s) => left + ((s - a) / (b - a)) * (w - left), Y = (v) => ((high - v) / (high - low)) * bottom;\n"
    "  g.clearRect(0, 0, w, h); g.font = `${12 * k}px sans-serif`; g.lineWidth = k;\n"
    "  g.fillStyle = \"#f4c7c3\"; for (const [x, y] of d.gaps) g.fillRect(X(x), 0, Math.max(k, X(y) - X(x)), bottom);\n"
    "  g.strokeStyle = \"#ddd\"; g.fillStyle = \"#222\"; g.textAlign = \"right\";\n"
    "  const line = (x0, y0, x1, y1) => { g.beginPath(); g.moveTo(x0, y0); g.lineTo(x1, y1); g.stroke(); };\n"
    "  for (let s = nice(high - low, 8), v = Math.ceil(low / s) * s; v <= high; v += s) { line(left, Y(v), w, Y(v)); "
    "g.fillText(`${+v.toPrecision(6)}\\u00b0`, left - 4 * k, Y(v) + 4 * k); }\n"
    "  g.textAlign = \"center\";\n"
    "  for (let s = nice(b - a, 10), v = Math.ceil(a / s) * s; v <= b; v += s) { line(X(v), 0, X(v), bottom); "
    "g.fillText(`${+v.toPrecision(9)} s`, X(v), h - 6 * k); }\n"
    "  g.save(); g.beginPath(); g.rect(left, 0, w - left, bottom); g.clip();\n"
    "  g.setLineDash([3 * k, 3 * k]); g.strokeStyle = \"#555\"; for (const [x] of d.events) line(X(x), 0, X(x), "
    "bottom); "
    "g.setLineDash([]);\n"
    "  d.curves.forEach((u, n) => {\n"
    "    if (!shown[n]) return;\n"
    "    g.strokeStyle = u.colour; g.beginPath();\n"
    "    for (let i = from, before = -Infinity; i < to; i++) {\n"
    "      const x = X(t[i]); if (t[i] - before > wide) g.moveTo(x, Y(u.high[i])); else g.lineTo(x, Y(u.high[i]));\n"
    "      if (u.low[i] !== u.high[i]) g.lineTo(x, Y(u.low[i])); before = t[i];\n"
    "    }\n"
    "    g.stroke();\n"
    "  });\n"
    "  if (hover !== null) { g.strokeStyle = \"#999\"; line(X(hover), 0, X(hover), bottom); }\n"
    "  g.restore();\n}\n"
    "function time(e) { const r = c.getBoundingClientRect(); return a + ((e.clientX - r.left - 50) / (r.width - 50)) * "
    "(b - a); }\n"
    "function show(x, y) { const span = Math.max(1e-3, y - x); a = x; b = x + span; draw(); }\n"
    "c.addEventListener(\"wheel\", (e) => { e.preventDefault(); const at = time(e), by = Math.exp(e.deltaY * 0.0015); "
    "show(at - "
    "(at - a) * by, at + (b - at) * by); }, { passive: false });\n"
    "let drag = null;\n"
    "c.addEventListener(\"pointerdown\", (e) => { drag = time(e); c.setPointerCapture(e.pointerId); });\n"
    "c.addEventListener(\"pointerup\", () => { drag = null; });\n"
    "c.addEventListener(\"pointermove\", (e) => {\n"
    "  if (drag !== null) { const by = drag - time(e); show(a + by, b + by); return; }\n"
    "  hover = time(e); const i = Math.min(t.length - 1, first(hover - step / 2));\n"
    "  document.getElementById(\"read\").textContent = i < 0 ? \"\" : `${t[i].toFixed(3)} s: ` + d.curves.map((u) => "
    "`${u.name} "
    "${u.high[i]}\\u00b0`).join(\", \");\n"
    "  draw();\n});\n"
    "c.addEventListener(\"dblclick\", () => show(...all));\naddEventListener(\"resize\", draw);\n"
    "d.curves.forEach((u, n) => {\n"
    "  const l = document.createElement(\"label\"), i = document.createElement(\"input\");\n"
    "  i.type = \"checkbox\"; i.checked = true; i.onchange = () => { shown[n] = i.checked; draw(); };\n"
    "  l.style.color = u.colour; l.append(i, u.name); document.getElementById(\"keys\").append(l);\n});\n"
    "const rows = [...d.events.map(([x, what]) => [x, what]), ...d.gaps.map(([x, y]) => [x, `gap of ${(y - "
    "x).toFixed(3)} "
    "s`])].sort((x, y) => x[0] - y[0]);\n"
    "if (d.more) rows.push([d.seconds, `and ${d.more} events more`]);\n"
    "for (const [x, what] of rows) {\n"
    "  const r = document.getElementById(\"events\").insertRow(); r.dataset.t = x;\n"
    "  r.insertCell().textContent = `${x.toFixed(3)} s`; r.insertCell().textContent = what;\n"
    "  r.onclick = () => { hover = x; show(x - Math.min(2, d.seconds / 10), x + Math.min(2, d.seconds / 10)); };\n}\n"
    "draw();\n</script>\n</body></html>\n";

void plot_html(FILE *f, const struct plot *p, const char *path)
{
	fputs(head, f);
	data(f, p, path);
	fputs(script, f);
}
