/* SPDX-License-Identifier: MIT
 * convert.c - what a profile of opentrack says, as an ini of headpipe's, and a list of what could not be said.
 *
 * opentrack counts yaw to the right, pitch up, roll to the right, and x right, y up, z back (cm); we count yaw left,
 * pitch down, roll right and x front, y left, z up. A curve therefore changes its place and, with a second curve for
 * the negative side, its side. Which signs and axes a tracker has is no business of ours to take over: what opentrack's
 * user turned round there was its tracker, not the head. */
#include "profile.h"
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { AXES = 6, POINTS = 64, CURVE_POINTS = 32 };
static const char *const UI = "opentrack-ui", *const MAPPINGS = "opentrack-mappings";

/* opentrack's axes in its order */
static const struct axis {
	const char *name, *spline, *ours;
	bool mirrored;                      /* its positive side is our negative one */
	double most_in, most_out, ours_out; /* defaults of opentrack; what `curve` takes */
} axes[AXES] = {
	{ "x", "X", "y", true, 30, 75, 1000 },           { "y", "Y", "z", false, 30, 75, 1000 },
	{ "z", "Z", "x", true, 30, 75, 1000 },           { "yaw", "yaw", "yaw", true, 180, 180, 180 },
	{ "pitch", "pitch", "pitch", true, 90, 90, 90 }, { "roll", "roll", "roll", false, 180, 180, 180 },
};

struct out {
	struct hp_profile *p;
	bool (*has)(const char *filter, const char *key);
	FILE *ini, *notes;
	int nnotes;
};
static void note(struct out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void note(struct out *o, const char *fmt, ...)
{
	char text[400]; /* what stands in a file is not to give orders to a terminal */
	va_list list;
	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	for (const char *c = text; *c; c++)
		fputc((unsigned char)*c >= ' ' && *c != 127 ? *c : '.', o->notes);
	fputc('\n', o->notes);
	o->nnotes++;
}
static const char *key_of(const char *axis, const char *what, char buf[64])
{
	snprintf(buf, 64, "%s-%s", axis, what);
	return buf;
}
/* At most three decimals, whatever the language of the system. */
static const char *number(double v, char buf[32])
{
	long long n = llround(fmin(fmax(v, -1e9), 1e9) * 1000), whole = llabs(n) / 1000, part = llabs(n) % 1000;
	snprintf(buf, 32, "%s%lld.%03lld", n < 0 ? "-" : "", whole, part);
	size_t end = strlen(buf);
	while (buf[end - 1] == '0')
		buf[--end] = 0;
	if (buf[end - 1] == '.')
		buf[--end] = 0;
	return buf;
}

/* ---- curves ---------------------------------------------------------------------------------------------------- */

/* As opentrack shows it: points up to max-value, flat to max-output-value; none: a line to both. */
struct curve {
	int n;
	double xy[2 * POINTS];
	double most_out;
};
static int by_x(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}
static void read_curve(struct out *o, const struct axis *a, bool alt, struct curve *c)
{
	char section[64], key[64];
	double most_in = fabs(hp_profile_number(o->p, MAPPINGS, key_of(a->name, "max-value", key), a->most_in));
	double most_out =
	    fabs(hp_profile_number(o->p, MAPPINGS, key_of(a->name, "max-output-value", key), a->most_out));
	snprintf(section, sizeof section, "%sspline-%s", alt ? "alt-" : "", a->spline);
	double xy[2 * POINTS];
	int n = hp_profile_points(o->p, section, "points", xy, POINTS), kept = 0;
	if (n < 0)
		note(o, "[%s] points: not understood; the curve is left straight", section);
	qsort(xy, n > 0 ? (size_t)n : 0, 2 * sizeof *xy, by_x);
	for (int i = 0; i < n; i++) {
		if (xy[2 * i] < 0 || xy[2 * i] - 1e-4 > most_in || xy[2 * i + 1] < 0)
			continue;
		if (kept && xy[2 * i] - c->xy[2 * kept - 2] < 2e-3) /* one above the other: the last counts */
			kept--;
		c->xy[2 * kept] = xy[2 * i];
		c->xy[2 * kept + 1] = fmin(xy[2 * i + 1], fmin(most_out, a->ours_out));
		kept++;
	}
	if (!kept || (kept == 1 && c->xy[0] < 2e-3)) {
		c->xy[0] = most_in;
		c->xy[1] = fmin(most_out, a->ours_out);
		kept = 1;
	}
	if (most_out > a->ours_out)
		note(o, "%s-max-output-value = %g: a pitch ends straight up or down, at %g", a->name, most_out,
		     a->ours_out);
	c->n = kept;
}
/* The line that changes nothing, to where the head gets at most. */
static bool is_plain(const struct curve *c, const struct axis *a)
{
	for (int i = 0; i < c->n; i++)
		if (fabs(c->xy[2 * i] - c->xy[2 * i + 1]) > 1e-9)
			return false;
	return c->xy[2 * c->n - 2] >= a->ours_out - 1e-9;
}
static void write_points(struct out *o, const char *key, const char *suffix, const struct curve *c)
{
	char x[32], y[32];
	fprintf(o->ini, "%s%s =", key, suffix);
	int n = 0;
	for (int i = 0; i < c->n && n < CURVE_POINTS; i++) {
		if (c->xy[2 * i] < 2e-3)
			continue;
		fprintf(o->ini, " %s:%s", number(c->xy[2 * i], x), number(c->xy[2 * i + 1], y));
		n++;
	}
	fputc('\n', o->ini);
	if (n == CURVE_POINTS && c->n > n)
		note(o, "%s: only the first %d points of the curve are taken over", key, CURVE_POINTS);
}
/* opentrack makes 75 cm of 30 unless told otherwise. Nobody who never looked at it, and has no neck, means that. */
static bool is_meant(struct out *o, const struct axis *a)
{
	char section[64], key[64];
	snprintf(section, sizeof section, "spline-%s", a->spline);
	return hp_profile_find(o->p, section, "points") ||
	       hp_profile_find(o->p, MAPPINGS, key_of(a->name, "max-value", key)) ||
	       hp_profile_find(o->p, MAPPINGS, key_of(a->name, "max-output-value", key)) ||
	       hp_profile_bool(o->p, UI, "neck-enable", false);
}
/* The curves of these axes as one section; nothing when all are plain. */
static bool write_curves(struct out *o, int first, const char *section)
{
	bool any = false;
	for (int i = first; i < first + 3; i++) {
		const struct axis *a = &axes[i];
		char key[64];
		if (i < 3 && !is_meant(o, a))
			continue;
		struct curve main, alt;
		bool two = hp_profile_bool(o->p, MAPPINGS, key_of(a->name, "alt-axis-sign", key), false);
		read_curve(o, a, false, &main);
		if (two)
			read_curve(o, a, true, &alt);
		if (is_plain(&main, a) && (!two || is_plain(&alt, a)))
			continue;
		if (!any)
			fprintf(o->ini, "\n[filter %s]\nuse = curve\n", section);
		any = true;
		const struct curve *positive = two && a->mirrored ? &alt : &main;
		write_points(o, a->ours, "", positive);
		if (two)
			write_points(o, a->ours, "_negative", positive == &main ? &alt : &main);
	}
	return any;
}

/* Ours end there, and what an ending takes away is said. */
static double bounded(struct out *o, const char *theirs, double v, double most)
{
	if (fabs(v) > most)
		note(o, "%s = %g: ends at %g here", theirs, v, copysign(most, v));
	return fmax(-most, fmin(most, v));
}
/* A number of a list. */
static int choice(struct out *o, const char *key, int def)
{
	return (int)fmax(-1, fmin(hp_profile_number(o->p, UI, key, def), 1000));
}

/* ---- the other stages ------------------------------------------------------------------------------------------ */

static void set(struct out *o, const char *filter, const char *key, const char *unit, const char *section,
                const char *theirs, double def, double scale)
{
	char buf[32];
	double v = hp_profile_number(o->p, section, theirs, def);
	if (o->has(filter, key))
		fprintf(o->ini, "%s = %s%s\n", key, number(v * scale, buf), unit);
	else
		note(o, "[%s] %s = %s: %s has no such setting", section, theirs, number(v, buf), filter);
}
static void write_filter(struct out *o)
{
	const char *dll = hp_profile_text(o->p, "modules", "filter-dll", "accela");
	bool hamilton = !strcmp(dll, "accela-hamilton"),
	     accela = hamilton || !strcmp(dll, "accela") || !strcmp(dll, "Accela");
	bool ewma = !strcmp(dll, "ewma") || !strcmp(dll, "EWMA");
	if (accela && o->has("accela", NULL)) {
		const char *from = hamilton ? "accela-hamilton-sliders" : "accela-sliders";
		fprintf(o->ini, "\n[filter accela]\n");
		set(o, "accela", "smoothing", "", from, "rotation-sensitivity", 1.5, 1);
		set(o, "accela", "deadzone", "", from, "rotation-deadzone", .03, 1);
		set(o, "accela", "pos_smoothing", "", from, "translation-sensitivity", 1, 1);
		set(o, "accela", "pos_deadzone", "", from, "translation-deadzone", .1, 1);
		if (hamilton && hp_profile_number(o->p, from, "max_zoomed_smoothing", 0) > 0)
			note(o, "[%s] max_zoomed_smoothing: smoothing while leaning in has no counterpart", from);
	} else if (ewma && o->has("ewma", NULL)) {
		fprintf(o->ini, "\n[filter ewma]\n");
		set(o, "ewma", "min", "ms", "ewma-filter", "min-smoothing", .02, 1000);
		set(o, "ewma", "max", "ms", "ewma-filter", "max-smoothing", .7, 1000);
		set(o, "ewma", "curve", "", "ewma-filter", "smoothing-scale-curve", .8, 1);
	} else if (*dll) {
		bool kalman = o->has("kalman", NULL);
		note(o, "filter-dll = %s: no such filter here; %s", dll,
		     kalman ? "`kalman` is steadier and has no lag" : "nothing is smoothed");
		if (kalman)
			fprintf(o->ini, "\n[filter kalman]\n");
	}
}
static void write_center(struct out *o)
{
	int mode = choice(o, "centering-mode", 3);
	bool start = hp_profile_bool(o->p, UI, "center-at-startup", true);
	if (mode == 0) {
		fprintf(o->ini, "\n; opentrack's centering was off\n");
		return;
	}
	fprintf(o->ini, "\n[filter center]\nmode = full\ntilt = %s\n", mode == 2 ? "head" : "mount");
	if (!start)
		fprintf(o->ini, "at_start = no\n");
	if (mode == 1)
		note(o, "centering-mode = 1 (each angle by itself): mode = full does the same without its errors at "
		        "large pitch");
}
static void write_neck(struct out *o)
{
	char buf[32];
	double depth = hp_profile_number(o->p, UI, "neck-depth", 0);
	if (!hp_profile_bool(o->p, UI, "neck-enable", false) || depth == 0)
		return;
	fprintf(o->ini, "\n[filter neck]\nforward = %s\nup = 0\n", number(bounded(o, "neck-depth", depth, 30), buf));
}
/* Axes that are off, zero positions and the signs behind the curves. */
static void write_axes(struct out *o)
{
	char key[64], buf[32], invert[64] = "", lines[512] = "";
	size_t used = 0;
	for (int i = 0; i < AXES; i++) {
		const struct axis *a = &axes[i];
		int source = choice(o, key_of(a->name, "source-index", key), i);
		double zero = hp_profile_number(o->p, UI, key_of(a->name, "zero-pos", key), 0) * (a->mirrored ? -1 : 1);
		bool before = hp_profile_bool(o->p, UI, key_of(a->name, "invert-sign", key), false);
		bool after = hp_profile_bool(o->p, UI, key_of(a->name, "invert-sign-post", key), false);
		if (source == 6)
			used += (size_t)snprintf(lines + used, sizeof lines - used, "scale_%s = 0\n", a->ours);
		else if (source != i)
			note(o, "%s-source-index = %d: which axes a tracker has is up to [filter mount]", a->name,
			     source);
		if (before)
			note(o, "%s-invert-sign: which signs a tracker has is up to [filter mount]", a->name);
		if (after) {
			zero = -zero; /* opentrack turns the sum round, we turn the angle round and then add */
			snprintf(invert + strlen(invert), sizeof invert - strlen(invert), "%s%s", *invert ? ", " : "",
			         a->ours);
		}
		if (zero != 0)
			used += (size_t)snprintf(lines + used, sizeof lines - used, "offset_%s = %s\n", a->ours,
			                         number(bounded(o, key_of(a->name, "zero-pos", key), zero, 180), buf));
	}
	if (!*invert && !*lines)
		return;
	fprintf(o->ini, "\n[filter target]\nuse = axes\n");
	if (*invert)
		fprintf(o->ini, "invert = %s\n", invert);
	fputs(lines, o->ini);
}
static void write_output(struct out *o)
{
	static const struct {
		const char *theirs, *ours;
	} known[] = { { "udp", "opentrack_udp" },
		      { "UDP over network", "opentrack_udp" },
		      { "wine", "opentrack_shm" },
		      { "Wine -- Windows layer for Unix", "opentrack_shm" },
		      { "fg", "flightgear" },
		      { "flightgear", "flightgear" },
		      { "FlightGear", "flightgear" },
		      { "libevdev", "uinput" },
		      { "libevdev joystick receiver", "uinput" },
		      { "joystick", "uinput" } };
	const char *dll = hp_profile_text(o->p, "modules", "protocol-dll", "freetrack"), *use = NULL;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (!strcmp(dll, known[i].theirs))
			use = known[i].ours;
	if (!use)
		note(o, "protocol-dll = %s: no such output here; poses go to opentrack on this machine instead", dll);
	fprintf(o->ini, "\n[output game]\nuse = %s\n", use ? use : "opentrack_udp");
	if (!strcmp(use ? use : "", "flightgear"))
		note(o, "protocol-dll = %s: FlightGear needs conf/headpipe-flightgear.xml (docs/simulators.md)", dll);
	if (use && strcmp(use, "opentrack_udp") != 0)
		return;
	char to[128] = "127.0.0.1:4242";
	if (use && !hp_profile_address(o->p, to)) {
		note(o, "[udp-proto] %s: no address; poses go to 127.0.0.1:4242 instead", to);
		strcpy(to, "127.0.0.1:4242");
	}
	fprintf(o->ini, "to = %s\n", to);
	if (use)
		note(o, "protocol-dll = %s: opentrack sent its own signs; opentrack_udp sends ours (docs/signs.md)",
		     dll);
}

/* ---- what is left ---------------------------------------------------------------------------------------------- */

/* Printable, and not as long as a picture. */
static void print_value(FILE *f, const struct hp_profile_entry *e)
{
	for (size_t i = 0; i < e->size && i < 40; i++)
		fputc(e->value[i] >= ' ' && e->value[i] < 127 ? e->value[i] : '.', f);
	if (e->size > 40)
		fputs("...", f);
}
static void print_name(FILE *f, const char *name)
{
	for (; *name; name++)
		fputc(*name >= ' ' && *name < 127 ? *name : '.', f);
}
static bool is_idle(const struct hp_profile_entry *e)
{
	return !e->size || !strcmp(e->value, "false") || !strcmp(e->value, "-1") || !strcmp(e->value, "0") ||
	       !strcmp(e->value, "@Invalid()");
}
static void note_rest(struct out *o)
{
	for (size_t i = 0; i < o->p->n; i++) {
		struct hp_profile_entry *e = &o->p->at[i];
		if ((e->used && !e->odd) || (!e->used && is_idle(e)) || !strcmp(e->section, "migrations"))
			continue;
		o->nnotes++;
		if (e->odd) {
			fputc('[', o->notes);
			print_name(o->notes, e->section);
			fputs("] ", o->notes);
			print_name(o->notes, e->key);
			fputs(" = ", o->notes);
			print_value(o->notes, e);
			fputs(": not understood; opentrack's default is taken\n", o->notes);
			continue;
		}
		if (!strcmp(e->section, UI) || !strcmp(e->section, "modules") || !strcmp(e->section, MAPPINGS)) {
			print_name(o->notes, e->key);
			fputs(" = ", o->notes);
			print_value(o->notes, e);
			bool shortcut = !strncmp(e->key, "keycode-", 8) || !strncmp(e->key, "guid-", 5) ||
			                !strncmp(e->key, "button-", 7);
			fputs(shortcut ? ": shortcuts are not taken over\n" : ": not taken over\n", o->notes);
			continue;
		}
		size_t n = 0; /* a section of a tracker, a filter or an output that is not in use */
		for (size_t k = i; k < o->p->n; k++)
			if (!strcmp(o->p->at[k].section, e->section) && !o->p->at[k].used) {
				o->p->at[k].used = true;
				n++;
			}
		fputc('[', o->notes);
		print_name(o->notes, e->section);
		fprintf(o->notes, "]: %zu setting%s of a part of opentrack, not taken over\n", n, n == 1 ? "" : "s");
	}
}

int hp_profile_convert(struct hp_profile *p, const char *name, bool (*has)(const char *filter, const char *key),
                       FILE *ini, FILE *notes)
{
	struct out o = { p, has, ini, notes, 0 };
	fputs("# Made from ", ini);
	print_name(ini, name);
	fputs(", a profile of opentrack, by `headpipe import-profile`.\n\n[input head]\nuse = hid\n\n"
	      "; `headpipe calibrate` finds these for a tracker that moves the wrong way\n"
	      "[filter mount]\naxis_map = YXZ\ninvert = XZ\n",
	      ini);
	const char *tracker = hp_profile_text(p, "modules", "tracker-dll", "");
	if (*tracker) {
		fputs("tracker-dll = ", notes);
		print_name(notes, tracker);
		fputs(": the input is the first head tracker that is found; [input head] says which\n", notes);
		o.nnotes++;
	}
	write_filter(&o);
	write_center(&o);
	bool bent = write_curves(&o, 3, "curve");
	write_neck(&o);
	bent |= write_curves(&o, 0, "curve_position");
	if (bent)
		note(&o, "curves: through the same points; between them opentrack's may swing further");
	write_axes(&o);
	write_output(&o);
	note_rest(&o);
	return o.nnotes;
}
