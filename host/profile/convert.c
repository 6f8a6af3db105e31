/* SPDX-License-Identifier: MIT
 * convert.c - what a profile of opentrack says, as an ini of headpipe's, and a list of what could not be said.
 *
 * opentrack counts yaw to the right, pitch up, roll to the right, and x right, y up, z back (cm); we count yaw left,
 * pitch down, roll right and x front, y left, z up. A curve therefore changes its place and, with a second curve for
 * the negative side, its side. Which signs and axes a tracker has is no business of ours to take over: what opentrack's
 * user turned round there was its tracker, not the head. */
#include "convert.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const UI = "opentrack-ui", *const MAPPINGS = "opentrack-mappings";

/* Ours end there, and what an ending takes away is said. */
static double bounded(struct hp_convert *o, const char *theirs, double v, double most)
{
	if (fabs(v) > most)
		hp_convert_note(o, "%s = %g: ends at %g here", theirs, v, copysign(most, v));
	return fmax(-most, fmin(most, v));
}
/* A number of a list. */
static int choice(struct hp_convert *o, const char *key, int def)
{
	return (int)fmax(-1, fmin(hp_profile_number(o->p, UI, key, def), 1000));
}

/* ---- the other stages ------------------------------------------------------------------------------------------ */

static void set(struct hp_convert *o, const char *filter, const char *key, const char *unit, const char *section,
                const char *theirs, double def, double scale)
{
	char buf[32];
	double v = hp_profile_number(o->p, section, theirs, def);
	if (o->has(filter, key))
		fprintf(o->ini, "%s = %s%s\n", key, hp_convert_number(v * scale, buf), unit);
	else
		hp_convert_note(o, "[%s] %s = %s: %s has no such setting", section, theirs, hp_convert_number(v, buf),
		                filter);
}
static void write_filter(struct hp_convert *o)
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
			hp_convert_note(o, "[%s] max_zoomed_smoothing: smoothing while leaning in has no counterpart",
			                from);
	} else if (ewma && o->has("ewma", NULL)) {
		fprintf(o->ini, "\n[filter ewma]\n");
		set(o, "ewma", "min", "ms", "ewma-filter", "min-smoothing", .02, 1000);
		set(o, "ewma", "max", "ms", "ewma-filter", "max-smoothing", .7, 1000);
		set(o, "ewma", "curve", "", "ewma-filter", "smoothing-scale-curve", .8, 1);
	} else if (*dll) {
		bool kalman = o->has("kalman", NULL);
		hp_convert_note(o, "filter-dll = %s: no such filter here; %s", dll,
		                kalman ? "`kalman` is steadier and has no lag" : "nothing is smoothed");
		if (kalman)
			fprintf(o->ini, "\n[filter kalman]\n");
	}
}
static void write_center(struct hp_convert *o)
{
	int mode = choice(o, "centering-mode", 3);
	bool start = hp_profile_bool(o->p, UI, "center-at-startup", true);
	if (mode == 0 && fputs("\n; opentrack's centering was off\n", o->ini))
		return;
	fprintf(o->ini, "\n[filter center]\nmode = full\ntilt = %s\n", mode == 2 ? "head" : "mount");
	if (!start)
		fprintf(o->ini, "at_start = no\n");
	if (mode == 1)
		hp_convert_note(
		    o, "centering-mode = 1 (each angle by itself): mode = full does the same without its errors at "
		       "large pitch");
}
static void write_neck(struct hp_convert *o)
{
	char buf[32];
	double depth = hp_profile_number(o->p, UI, "neck-depth", 0);
	if (!hp_profile_bool(o->p, UI, "neck-enable", false) || depth == 0)
		return;
	fprintf(o->ini, "\n[filter neck]\nforward = %s\nup = 0\n",
	        hp_convert_number(bounded(o, "neck-depth", depth, 30), buf));
}
/* Axes that are off, zero positions and the signs behind the curves. */
static void write_axes(struct hp_convert *o)
{
	char key[64], buf[32], invert[64] = "", lines[512] = "";
	size_t used = 0;
	for (int i = 0; i < HP_CONVERT_AXES; i++) {
		const struct hp_convert_axis *a = &hp_convert_axes[i];
		int source = choice(o, hp_convert_key(a->name, "source-index", key), i);
		double zero =
		    hp_profile_number(o->p, UI, hp_convert_key(a->name, "zero-pos", key), 0) * (a->mirrored ? -1 : 1);
		bool before = hp_profile_bool(o->p, UI, hp_convert_key(a->name, "invert-sign", key), false);
		bool after = hp_profile_bool(o->p, UI, hp_convert_key(a->name, "invert-sign-post", key), false);
		if (source == 6)
			used += (size_t)snprintf(lines + used, sizeof lines - used, "scale_%s = 0\n", a->ours);
		else if (source != i)
			hp_convert_note(o, "%s-source-index = %d: which axes a tracker has is up to [filter mount]",
			                a->name, source);
		if (before)
			hp_convert_note(o, "%s-invert-sign: which signs a tracker has is up to [filter mount]",
			                a->name);
		if (after) {
			zero = -zero; /* opentrack turns the sum round, we turn the angle round and then add */
			snprintf(invert + strlen(invert), sizeof invert - strlen(invert), "%s%s", *invert ? ", " : "",
			         a->ours);
		}
		if (zero != 0)
			used += (size_t)snprintf(
			    lines + used, sizeof lines - used, "offset_%s = %s\n", a->ours,
			    hp_convert_number(bounded(o, hp_convert_key(a->name, "zero-pos", key), zero, 180), buf));
	}
	if (!*invert && !*lines)
		return;
	fprintf(o->ini, "\n[filter target]\nuse = axes\n");
	if (*invert)
		fprintf(o->ini, "invert = %s\n", invert);
	fputs(lines, o->ini);
}
static void write_output(struct hp_convert *o)
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
		hp_convert_note(
		    o, "protocol-dll = %s: no such output here; poses go to opentrack on this machine instead", dll);
	fprintf(o->ini, "\n[output game]\nuse = %s\n", use ? use : "opentrack_udp");
	if (!strcmp(use ? use : "", "flightgear"))
		hp_convert_note(
		    o, "protocol-dll = %s: FlightGear needs conf/headpipe-flightgear.xml (docs/simulators.md)", dll);
	if (use && strcmp(use, "opentrack_udp") != 0)
		return;
	char to[128] = "127.0.0.1:4242";
	if (use && !hp_profile_address(o->p, to)) {
		hp_convert_note(o, "[udp-proto] %s: no address; poses go to 127.0.0.1:4242 instead", to);
		strcpy(to, "127.0.0.1:4242");
	}
	fprintf(o->ini, "to = %s\n", to);
	if (use)
		hp_convert_note(
		    o, "protocol-dll = %s: opentrack sent its own signs; opentrack_udp sends ours (docs/signs.md)",
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
static void note_rest(struct hp_convert *o)
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
	struct hp_convert o = { p, has, ini, notes, 0 };
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
	bool bent = hp_convert_curves(&o, true, "curve");
	write_neck(&o);
	bent |= hp_convert_curves(&o, false, "curve_position");
	if (bent)
		hp_convert_note(&o, "curves: through the same points; between them opentrack's may swing further");
	write_axes(&o);
	write_output(&o);
	note_rest(&o);
	return o.nnotes;
}
