/* SPDX-License-Identifier: MIT
 * bench_pose.c - pose quality in figures: every filter at equal stillness on made-up motion, then on recorded heads.
 * Usage: headpipe-bench-pose [--check FILE | --write FILE] [--heads FOLDER]
 * Without --check or --write: all tables, as docs/pose.md has them. --write: the few figures that a test watches;
 * --check: the same again, exit 1 when one is worse than the file says by more than its spread.
 * More than 400 lines: one table after the other, each with what it is measured by beside it. */
#include "base/alloc.h"
#include "gyros.h"
#include "heads.h"
#include "judge/score.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A filter with its one knob; %s in the text is where its value goes. */
struct candidate {
	const char *name, *ini, *key;
	double low, high; /* range that is searched */
	int stiller;      /* +1: more of it is stiller, -1: less */
	const char *unit;
};
static const struct candidate candidates[] = {
	{ "none", "", NULL, 0, 0, 0, "" },
	{ "accela", "[filter accela]\nsmoothing = %s\n", "smoothing", 0.02, 0.8, 1, "" },
	{ "one_euro, beta .3", "[filter one_euro]\nbeta = 0.3\nmincutoff = %s\n", "mincutoff", 0.01, 20, -1, "" },
	{ "ewma", "[filter ewma]\nmin = 1ms\nmax = %s\n", "max", 0.002, 20, 1, "s" },
	{ "kalman", "[filter kalman]\nstillness = %s\n", "stillness", 0.04, 0.6, 1, "" },
};
enum { NONE, ACCELA, ONE_EURO, EWMA, KALMAN, CANDIDATES };
static const double goal = 0.02; /* degrees, standard deviation at rest */

static void die(const char *what)
{
	fprintf(stderr, "headpipe-bench-pose: %s\n", what);
	exit(2);
}

static struct judge_chain *chain(const char *filters)
{
	struct hp_errors errors = { 0 };
	char ini[2000];
	int n = snprintf(ini, sizeof ini, "[input synth]\n%s[output null]\n", filters);
	struct judge_chain *c = judge_chain_new(ini, (size_t)n, "bench", &errors);
	if (!c)
		die(errors.text);
	return c;
}

static void with_knob(const struct candidate *c, double value, char out[1000])
{
	char text[40];
	snprintf(text, sizeof text, "%.5g%s", value, c->unit);
	const char *at = strstr(c->ini, "%s");
	if (at)
		snprintf(out, 1000, "%.*s%s%s", (int)(at - c->ini), c->ini, text, at + 2);
	else
		snprintf(out, 1000, "%s", c->ini);
}

/* The value that is just still enough for white noise of .1 degree, or the stillest one there is. */
static double tune(const struct candidate *c, double rate, enum judge_gyro gyro)
{
	struct judge_task task = { { .rate = rate, .noise = 0.1, .gyro = gyro, .seed = 77 }, 0, 12 };
	double low = c->low, high = c->high;
	char ini[1000];
	for (int i = 0; i < 14 && c->key; i++) {
		double mid = sqrt(low * high);
		struct judge_figure f;
		with_knob(c, mid, ini);
		struct judge_chain *now = chain(ini);
		judge_stillness(now, &task, &f);
		judge_chain_free(now);
		if ((f.mean > goal) == (c->stiller > 0))
			low = mid;
		else
			high = mid;
	}
	return c->stiller > 0 ? high : low;
}

static struct judge_score score(const char *ini, const struct judge_task *task)
{
	struct judge_score s = { 0 };
	struct judge_chain *c = chain(ini);
	if (judge_score(c, task, &s) < 0)
		die("a filter does not open");
	judge_chain_free(c);
	return s;
}

static const char *const gyro_name[] = { "none", "good", "biased", "wrong axes", "wrong signs" };

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static void own_rate(int repeats)
{
	static const double rates[] = { 25, 50, 100, 250 };
	puts("### At the input's own rate, equal stillness\n\n"
	     "| in | filter | knob | still SD | lag 10 deg/s | lag 60 deg/s | error at 1 deg/s | pan: lag | left | "
	     "overshoot | glance | nod |\n|---|---|---|---|---|---|---|---|---|---|---|---|");
	for (size_t r = 0; r < 4; r++)
		for (int i = 0; i <= CANDIDATES; i++) {
			const struct candidate *c = &candidates[i < CANDIDATES ? i : KALMAN];
			enum judge_gyro gyro = i == CANDIDATES ? JUDGE_GYRO_GOOD : JUDGE_GYRO_NONE;
			char ini[1000], knob[60] = "";
			double value = tune(c, rates[r], gyro);
			with_knob(c, value, ini);
			if (c->key)
				snprintf(knob, sizeof knob, "%s %.3g%s", c->key, value, c->unit);
			struct judge_task task = { { .rate = rates[r], .noise = 0.1, .gyro = gyro, .seed = 1 },
				                   0,
				                   repeats };
			struct judge_score s = score(ini, &task);
			printf("| %.0f Hz | %s%s%s%s | %s | %.3f | %.1f ms | %.1f ms | %.3f | %.1f ms | %.3f | %.3f | "
			       "%.3f | "
			       "%.3f |\n",
			       rates[r], i >= KALMAN ? "**" : "", c->name, i == CANDIDATES ? ", gyro" : "",
			       i >= KALMAN ? "**" : "", knob, s.still.mean, s.lag_walk.mean, s.lag_turn.mean,
			       s.slow.mean, s.pan_lag.mean, s.pan_rest.mean, s.overshoot.mean, s.glance.mean,
			       s.nod.mean);
			fflush(stdout);
		}
}

struct slow_input {
	const char *name, *ini;
	bool gyro, held; /* held: the newest pose is looked at 250 times a second */
};
static const struct slow_input slow_inputs[] = {
	{ "held", "", false, true },
	{ "one_euro, held", "[filter one_euro]\nmincutoff = 0.01\n", false, true },
	{ "**kalman, resample**", "[filter kalman]\n[filter resample]\nlatency = %s\n", false, false },
	{ "**kalman, resample, gyro**", "[filter kalman]\n[filter resample]\nlatency = %s\n", true, false },
};

static void with_latency(const char *ini, double latency, char out[1000])
{
	const char *at = strstr(ini, "%s");
	if (at)
		snprintf(out, 1000, "%.*s%.0fms%s", (int)(at - ini), ini, latency * 1e3, at + 2);
	else
		snprintf(out, 1000, "%s", ini);
}

static void to_250(int repeats)
{
	static const struct {
		double rate, latency;
	} links[] = { { 25, 0 }, { 25, 0.04 }, { 50, 0.04 }, { 100, 0.04 } };
	puts("\n### To 250 poses per second, default settings\n\n"
	     "| in | link | | still SD | lag 60 deg/s | ripple | pan RMS error | overshoot | glance | nod |\n"
	     "|---|---|---|---|---|---|---|---|---|---|");
	for (size_t l = 0; l < 4; l++)
		for (size_t i = 0; i < 4; i++) {
			char ini[1000];
			const struct slow_input *c = &slow_inputs[i];
			with_latency(c->ini, links[l].latency, ini);
			struct judge_task task = { { .rate = links[l].rate,
				                     .latency = links[l].latency,
				                     .noise = 0.1,
				                     .gyro = c->gyro ? JUDGE_GYRO_GOOD : JUDGE_GYRO_NONE,
				                     .seed = 1 },
				                   c->held ? 250 : 0,
				                   repeats };
			struct judge_score s = score(ini, &task);
			printf("| %.0f Hz | %.0f ms | %s | %.3f | %.1f ms | %.1f deg/s | %.2f | %.2f | %.2f | %.2f |\n",
			       links[l].rate, links[l].latency * 1e3, c->name, s.still.mean, s.lag_turn.mean,
			       s.ripple.mean, s.pan_error.mean, s.overshoot.mean, s.glance.mean, s.nod.mean);
			fflush(stdout);
		}
}

static void noises(int repeats)
{
	static const struct {
		const char *name;
		double noise, colour, quantum;
	} kinds[] = {
		{ "white .10", 0.1, 0, 0 },          { "white .03", 0.03, 0, 0 },
		{ "white .01", 0.01, 0, 0 },         { "coloured .10, 50 ms", 0.1, 0.05, 0 },
		{ "steps of .115", 0.01, 0, 0.115 }, { "steps of .0055", 0.002, 0, 0.0055 },
	};
	double accela = tune(&candidates[ACCELA], 100, JUDGE_GYRO_NONE),
	       one_euro = tune(&candidates[ONE_EURO], 100, JUDGE_GYRO_NONE);
	puts("\n### Other noise (degrees), 100 Hz, set as for white noise of .10: still SD / pan RMS error\n\n"
	     "| noise | none | accela | one_euro | **kalman** | **kalman, gyro** |\n|---|---|---|---|---|---|");
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		printf("| %s |", kinds[k].name);
		for (int i = 0; i < 5; i++) {
			static const int which[] = { NONE, ACCELA, ONE_EURO, KALMAN, KALMAN };
			char ini[1000];
			with_knob(&candidates[which[i]], i == 1 ? accela : i == 2 ? one_euro : 0.1, ini);
			struct judge_task task = { { .rate = 100,
				                     .noise = kinds[k].noise,
				                     .colour = kinds[k].colour,
				                     .quantum = kinds[k].quantum,
				                     .gyro = i == 4 ? JUDGE_GYRO_GOOD : JUDGE_GYRO_NONE,
				                     .seed = 1 },
				                   0,
				                   repeats };
			struct judge_score s = score(ini, &task);
			printf(" %.3f / %.3f |", s.still.mean, s.pan_error.mean);
			fflush(stdout);
		}
		putchar('\n');
	}
}

static void gyros(int repeats)
{
	puts("\n### kalman with gyroscopes of all kinds, default settings\n\n"
	     "| in | gyroscope | still SD | pan RMS error | glance | nod |\n|---|---|---|---|---|---|");
	for (int r = 0; r < 2; r++)
		for (int g = JUDGE_GYRO_NONE; g <= JUDGE_GYRO_SIGNS; g++) {
			struct judge_task task = {
				{ .rate = r ? 100 : 25, .noise = 0.1, .gyro = (enum judge_gyro)g, .seed = 1 },
				0,
				repeats
			};
			struct judge_score s = score("[filter kalman]\n", &task);
			printf("| %d Hz | %s | %.3f | %.3f | %.3f | %.3f |\n", r ? 100 : 25, gyro_name[g], s.still.mean,
			       s.pan_error.mean, s.glance.mean, s.nod.mean);
			fflush(stdout);
		}
}

/* From the first sample on, moving all the time: RMS error, and how much worse that is than without a gyroscope. */
static const int gyro_seeds = 4;
struct gyro_chains {
	struct judge_chain *with, *without;
	double none[GYRO_MOTIONS];
};
static struct gyro_chains gyro_chains(void)
{
	struct gyro_chains c = { chain("[filter kalman]\n"), chain("[filter kalman]\ngyro = no\n"), { 0 } };
	for (int m = 0; m < GYRO_MOTIONS; m++)
		c.none[m] = gyro_rms(c.without, (enum gyro_motion)m, NULL, gyro_seeds);
	return c;
}
static void gyro_chains_free(struct gyro_chains *c)
{
	judge_chain_free(c->with);
	judge_chain_free(c->without);
}

static void faulty_gyros(void)
{
	struct gyro_chains c = gyro_chains();
	puts("\n### kalman with faulty gyroscopes, 100 Hz, the first 40 s, always moving: RMS error\n\n"
	     "| gyroscope | sines | against none | turns | against none |\n|---|---|---|---|---|");
	printf("| none | %.3f | | %.3f | |\n", c.none[GYRO_SWAY], c.none[GYRO_TURNS]);
	for (int i = 0; i < GYRO_FAULTS; i++) {
		printf("| %s |", gyro_faults[i].name);
		for (int m = 0; m < GYRO_MOTIONS; m++) {
			double rms = gyro_rms(c.with, (enum gyro_motion)m, &gyro_faults[i], gyro_seeds);
			printf(" %.3f | %+.0f %% |", rms, (rms / c.none[m] - 1) * 100);
		}
		putchar('\n');
		fflush(stdout);
	}
	gyro_chains_free(&c);
}

/* RMS error over several seeds of noise (one is enough without). */
static double head_rms(const struct slow_input *c, const struct head_trace *t, double rate, double latency,
                       double noise)
{
	char ini[1000];
	double sum = 0;
	int n = noise > 0 ? 5 : 1;
	with_latency(c->ini, latency, ini);
	struct judge_chain *now = chain(ini);
	for (int i = 0; i < n; i++) {
		struct judge_tracker k = { .rate = rate,
			                   .latency = latency,
			                   .noise = noise,
			                   .gyro = c->gyro ? JUDGE_GYRO_GOOD : JUDGE_GYRO_NONE,
			                   .seed = (uint64_t)(7 + i) };
		struct head_score s;
		if (head_score(now, t, &k, &s) < 0)
			die("a recording gives no figure");
		sum += s.rms * s.rms / n;
	}
	judge_chain_free(now);
	return sqrt(sum);
}

static void heads(const char *folder)
{
	puts("\n### Recorded heads to 250 poses per second: RMS error, degrees\n\n"
	     "| trace | in | | 0 ms | 0 ms, noise .1 | 40 ms | 40 ms, noise .1 |\n|---|---|---|---|---|---|---|");
	for (int i = 1; i <= 99; i++) {
		char path[1000], why[1100];
		struct head_trace t;
		snprintf(path, sizeof path, "%s/trace%02d.tsv.gz", folder, i);
		FILE *there = fopen(path, "rb");
		if (!there)
			continue;
		fclose(there);
		if (head_trace_read(&t, path, why, sizeof why) < 0)
			die(why);
		for (int rate = 25; rate <= 50; rate += 25)
			for (size_t k = 0; k < 4; k++) {
				const struct slow_input *c = &slow_inputs[k];
				if (k == 1 || (c->gyro && !t.has_gyro))
					continue;
				printf("| %02d | %d Hz | %s | %.3f | %.3f | %.2f | %.2f |\n", i, rate, c->name,
				       head_rms(c, &t, rate, 0, 0), head_rms(c, &t, rate, 0, 0.1),
				       head_rms(c, &t, rate, 0.04, 0), head_rms(c, &t, rate, 0.04, 0.1));
			}
		head_trace_free(&t);
	}
}

/* ---- the figures that a test watches -------------------------------------------------------------------------------
 */

enum { WATCHED = 192 };
struct watched {
	char name[60];
	double value, spread;
};
static struct watched watched[WATCHED];
static int nwatched;

static void watch(const char *what, const char *figure, double value, double spread)
{
	if (nwatched == WATCHED)
		die("too many figures");
	struct watched *w = &watched[nwatched++];
	snprintf(w->name, sizeof w->name, "%s.%s", what, figure);
	w->value = fabs(value);
	w->spread = spread;
}

static void watch_score(const char *what, const char *ini, double rate, double latency, enum judge_gyro gyro,
                        double grid)
{
	struct judge_task task = { { .rate = rate, .latency = latency, .noise = 0.1, .gyro = gyro, .seed = 1 },
		                   grid,
		                   40 };
	struct judge_score s = score(ini, &task);
	watch(what, "still", s.still.mean, s.still.spread);
	watch(what, "lag60", s.lag_turn.mean, s.lag_turn.spread);
	watch(what, "pan", s.pan_error.mean, s.pan_error.spread);
	watch(what, "overshoot", s.overshoot.mean, s.overshoot.spread);
	watch(what, "nod", s.nod.mean, s.nod.spread);
}

/* Error over that without a gyroscope, and whether anything was said. */
static const char against_none[] = "against-none";
static void watch_gyros(void)
{
	static const char *const motion[GYRO_MOTIONS] = { "sines", "turns" };
	struct gyro_chains c = gyro_chains();
	for (int i = 0; i < GYRO_FAULTS; i++)
		for (int m = 0; m < GYRO_MOTIONS; m++) {
			char name[40] = "gyro-";
			double rms = gyro_rms(c.with, (enum gyro_motion)m, &gyro_faults[i], gyro_seeds);
			size_t n = strlen(name);
			snprintf(name + n, sizeof name - n, "%s-%s", gyro_faults[i].name, motion[m]);
			for (char *at = name; (at = strchr(at, ' ')) != NULL;)
				*at = '-';
			watch(name, against_none, rms / c.none[m], 0.02);
			if (gyro_faults[i].faulty)
				watch(name, "unnamed", !*judge_chain_log(c.with), 0);
			else
				watch(name, "complaints", *judge_chain_log(c.with) != 0, 0);
		}
	gyro_chains_free(&c);
}

static void watch_all(const char *folder)
{
	watch_score("kalman-100", "[filter kalman]\n", 100, 0, JUDGE_GYRO_NONE, 0);
	watch_score("kalman-gyro-100", "[filter kalman]\n", 100, 0, JUDGE_GYRO_GOOD, 0);
	watch_score("kalman-wrong-gyro-100", "[filter kalman]\n", 100, 0, JUDGE_GYRO_SWAPPED, 0);
	watch_score("resample-25", "[filter kalman]\n[filter resample]\n", 25, 0, JUDGE_GYRO_GOOD, 0);
	watch_score("resample-25-late", "[filter kalman]\n[filter resample]\nlatency = 40ms\n", 25, 0.04,
	            JUDGE_GYRO_GOOD, 0);
	watch_score("one_euro-100", "[filter one_euro]\n", 100, 0, JUDGE_GYRO_NONE, 0);
	watch_score("accela-100", "[filter accela]\n", 100, 0, JUDGE_GYRO_NONE, 0);
	watch_score("ewma-100", "[filter ewma]\n", 100, 0, JUDGE_GYRO_NONE, 0);
	watch_gyros();
	static const int traces[] = { 1, 3, 7 };
	for (int i = 0; i < 3; i++) {
		char path[1000], why[1100], name[30];
		struct head_trace t;
		snprintf(path, sizeof path, "%s/trace%02d.tsv.gz", folder, traces[i]);
		if (head_trace_read(&t, path, why, sizeof why) < 0)
			die(why);
		const struct slow_input *c = &slow_inputs[t.has_gyro ? 3 : 2];
		snprintf(name, sizeof name, "trace%02d", traces[i]);
		watch(name, "rms", head_rms(c, &t, 25, 0, 0), 0);
		watch(name, "rms-late", head_rms(c, &t, 25, 0.04, 0), 0);
		/* as recorded: a device's fusion that starts upside down must be followed, and not be called a wrong
		 * gyroscope */
		struct judge_chain *alone = chain("[filter kalman]\n");
		watch(name, "farthest", head_worst(alone, &t), 0);
		watch(name, "complaints", *judge_chain_log(alone) ? 1 : 0, 0);
		judge_chain_free(alone);
		head_trace_free(&t);
	}
}

/* Whatever is committed: no gyroscope makes it worse than this times what there is without. */
static const double gyro_most = 1.1;

static int check(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[200], name[61];
	int bad = 0, seen = 0;
	if (!f)
		die("the committed figures cannot be read");
	while (fgets(line, sizeof line, f)) {
		double value, spread;
		if (*line == '#' || sscanf(line, "%60s %lf %lf", name, &value, &spread) != 3)
			continue;
		for (int i = 0; i < nwatched; i++) {
			if (strcmp(watched[i].name, name) != 0)
				continue;
			seen++;
			/* the noise is the same each time: what is beyond the spread is no chance, but the last bits
			 * are another libm's */
			double most = value + fmax(spread, 0.005 * value) + 0.0002;
			const char *figure = strrchr(name, '.');
			if (figure && !strcmp(figure + 1, against_none))
				most = fmin(most, gyro_most);
			if (watched[i].value > most) {
				printf("%s: %.4f, committed %.4f +- %.4f\n", name, watched[i].value, value, spread);
				bad++;
			}
		}
	}
	fclose(f);
	if (seen != nwatched) {
		printf("%d figures, %d of them committed; after a change: make bench-pose UPDATE=1\n", nwatched, seen);
		bad++;
	}
	printf("pose quality: %d figures, %d worse than committed\n", nwatched, bad);
	return bad > 0;
}

static void write_figures(const char *path)
{
	FILE *f = fopen(path, "w");
	if (!f)
		die("the figures cannot be written");
	fputs("# figure, value, standard deviation of that mean; degrees, ms; written by make bench-pose UPDATE=1\n",
	      f);
	for (int i = 0; i < nwatched; i++)
		fprintf(f, "%s %.5f %.5f\n", watched[i].name, watched[i].value, watched[i].spread);
	if (fclose(f))
		die("the figures cannot be written");
}

int main(int argc, char **argv)
{
	const char *folder = "bench/pose/data", *file = NULL;
	bool write = false;
	for (int i = 1; i < argc; i++) {
		if (i + 1 < argc && !strcmp(argv[i], "--heads"))
			folder = argv[++i];
		else if (i + 1 < argc && (!strcmp(argv[i], "--check") || !strcmp(argv[i], "--write"))) {
			write = argv[i][2] == 'w';
			file = argv[++i];
		} else
			die("usage: headpipe-bench-pose [--check FILE | --write FILE] [--heads FOLDER]");
	}
	if (file) {
		watch_all(folder);
		if (!write)
			return check(file);
		write_figures(file);
		return 0;
	}
	own_rate(100);
	to_250(100);
	noises(60);
	gyros(60);
	faulty_gyros();
	heads(folder);
	return 0;
}
