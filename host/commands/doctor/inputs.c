/* SPDX-License-Identifier: MIT
 * inputs.c - listens to the inputs of an ini that are no devices of this machine: each runs by itself for a while, as
 * `run` would have it, with nothing below but an ear, so that nothing is sent or written anywhere. What it says for
 * itself (a broker that refuses, a program that ends) becomes a finding. */
#include "base/log.h"
#include "config/errors.h"
#include "doctor.h"
#include "graph/graph.h"
#include "graph/ini.h"
#include "run/life.h"
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 8 };

struct line {
	enum hp_level level;
	char text[300];
};
struct ear {
	struct hp_module module; /* `null` with our functions in front */
	const struct hp_host *host;
	struct hp_timer *end;
	struct hp_node *input;
	double seconds;
	uint64_t samples;
	int64_t first_ns, last_ns, longest_ns; /* time of samples; the longest pause between two */
	bool opened, moved, over;              /* over: the time is, the input had not ended */
	double quat[4], pos[3];                /* of the first sample */
	char device[128];                      /* "" = none was connected */

	pthread_mutex_t lock; /* of what follows: modules have threads that speak */
	struct line lines[LINES];
	size_t nlines, more;
	bool warned;
};

/* ---- what it hears -------------------------------------------------------------------------------- */

/* As for a device, above the noise of a headset on a table: 0.002 rad, 1 mm. */
static bool differs(const struct ear *e, const struct hp_sample *s)
{
	double dot = 0;
	for (int i = 0; i < 4; i++)
		dot += e->quat[i] * s->quat[i];
	for (int i = 0; i < 3 && s->flags & HP_POS; i++)
		if (fabs(s->pos[i] - e->pos[i]) > 0.1)
			return true;
	return fabs(dot) < cos(0.002 / 2);
}

static int take(void *self, const struct hp_sample *s)
{
	struct ear *e = self;
	if (!e->samples++) {
		e->first_ns = s->time_ns;
		memcpy(e->quat, s->quat, sizeof e->quat);
		memcpy(e->pos, s->pos, sizeof e->pos);
	} else if (s->time_ns - e->last_ns > e->longest_ns) {
		e->longest_ns = s->time_ns - e->last_ns;
	}
	e->last_ns = s->time_ns;
	e->moved |= differs(e, s);
	return 0;
}

static void happens(void *self, const struct hp_event *ev)
{
	struct ear *e = self;
	const char *device = e->host->stream(e->host)->device;
	if (ev->type == HP_CONNECTED && device)
		snprintf(e->device, sizeof e->device, "%s", device);
}

static void time_is_over(void *self)
{
	struct ear *e = self;
	e->over = true;
	hp_life_stop(e->input->run);
}

static int ear_open(void *self, const struct hp_host *host)
{
	struct ear *e = self;
	e->host = host;
	e->end = host->timer(host, time_is_over, e);
	return e->end ? 0 : -ENOMEM;
}

static int ear_start(void *self)
{
	struct ear *e = self;
	return e->host->timer_at(e->end, e->host->now(e->host) + (int64_t)(e->seconds * 1e9));
}

/* The same words, whatever the numbers in them, and as far as both go: what repeats itself is told once. */
static bool alike(const char *a, const char *b)
{
	for (;;) {
		a += strspn(a, "0123456789");
		b += strspn(b, "0123456789");
		if (!*a || !*b)
			return true;
		if (*a++ != *b++)
			return false;
	}
}

/* "headpipe: warning: input head: text"; those of others are not of interest here. [any] */
static void said(void *arg, enum hp_level level, const char *line)
{
	struct ear *e = arg;
	const char *text = strstr(line, e->input->who);
	if (!text || strncmp(text + strlen(e->input->who), ": ", 2))
		return;
	text += strlen(e->input->who) + 2;
	pthread_mutex_lock(&e->lock);
	bool known = false;
	e->warned |= level >= HP_LOG_WARN;
	for (size_t i = 0; i < e->nlines; i++)
		known |= alike(e->lines[i].text, text);
	if (known || e->nlines == LINES) {
		e->more += !known;
	} else {
		e->lines[e->nlines].level = level;
		snprintf(e->lines[e->nlines++].text, sizeof e->lines->text, "%s", text);
	}
	pthread_mutex_unlock(&e->lock);
}

/* ---- what it says about it -------------------------------------------------------------------------- */

static const char *cure_for(const char *module)
{
	static const struct {
		const char *module, *cure;
	} cures[] = {
		{ "exec", "run the command by hand: it must print one JSON object per line, and flush each" },
		{ "mqtt", "watch the topic: `mosquitto_sub -v -t TOPIC` at the same broker must show JSON objects that "
		          "are not retained" },
		{ "replay", "`headpipe info FILE` tells what is in a recording" },
	};
	for (size_t i = 0; i < sizeof cures / sizeof *cures; i++)
		if (!strcmp(cures[i].module, module))
			return cures[i].cure;
	return "";
}

static void tell_arrivals(struct hp_findings *f, const struct ear *e)
{
	const char *name = e->input->name;
	double span = ((double)e->last_ns - (double)e->first_ns) / 1e9, gap_ms = (double)e->longest_ns / 1e6;
	unsigned long long n = e->samples;
	if (!n) {
		if (!e->warned) /* else that is what to look at */
			hp_cure(f, "%s", cure_for(e->input->module->name));
		if (e->over)
			hp_find(f, HP_WRONG, "samples", "%s: nothing has arrived in %g s", name, e->seconds);
		else
			hp_find(f, HP_WRONG, "samples", "%s: it ended without a single sample", name);
		return;
	}
	if (span > 0)
		hp_find(f, gap_ms > 250 ? HP_NOTE : HP_OK, "samples", "%s: %.0f samples/s, longest gap %.0f ms%s", name,
		        (double)(n - 1) / span, gap_ms, e->over ? "" : "; it has ended");
	else
		hp_find(f, HP_NOTE, "samples", "%s: %llu sample%s, all of one time%s", name, n, n == 1 ? "" : "s",
		        e->over ? "" : "; it has ended");
	if (e->moved) {
		hp_find(f, HP_OK, "values", "%s: the pose moves", name);
	} else {
		hp_cure(f, "move your head while the doctor listens (--for 10), and run it again");
		hp_find(f, HP_NOTE, "values", "%s: it sends, but the pose was constant while listening", name);
	}
}

static void tell(struct hp_findings *f, const struct ear *e)
{
	static const enum hp_finding_state state[] = { HP_OK, HP_OK, HP_NOTE, HP_WRONG };
	const char *name = e->input->name;
	for (size_t i = 0; i < e->nlines; i++)
		hp_find(f, state[e->lines[i].level], "input", "%s: %s", name, e->lines[i].text);
	if (e->more)
		hp_find(f, HP_NOTE, "input", "%s: and %zu more lines like these", name, e->more);
	if (*e->device)
		hp_find(f, HP_OK, "source", "%s: %s", name, e->device);
	if (e->opened)
		tell_arrivals(f, e);
}

/* ---- the run --------------------------------------------------------------------------------------- */

/* A configuration with nothing in it but this input and an ear below it; what it is made of stays the other's. */
struct alone {
	struct hp_config config;
	struct hp_section sections[3];
	struct hp_pair pairs[HP_PAIRS_MAX + 1], use;
	char *file;
};

static struct hp_config *alone(struct alone *a, const struct hp_node *input)
{
	static char output[] = "output", ear[] = "ear", key[] = "use", null[] = "null";
	static char constant[] = "constant_after", never[] = "0s";
	const struct hp_section *of = input->ini->section;
	const struct hp_config *all = input->run->ini->config;
	struct hp_config *c = &a->config;
	c->sections = a->sections;
	for (size_t i = 0; i < all->nsections; i++)
		if (!strcmp(all->sections[i].kind, "headpipe"))
			a->sections[c->nsections++] = all->sections[i];
	struct hp_section *in = &a->sections[c->nsections++], *out = &a->sections[c->nsections++];
	*in = *of;
	in->pairs = a->pairs;
	in->npairs = 0;
	/* Towards a broker it makes up a name of its own, or it would throw out a headpipe that is running. */
	for (size_t i = 0; i < of->npairs; i++)
		if (strcmp(of->pairs[i].key, "client_id") && strcmp(of->pairs[i].key, constant))
			a->pairs[in->npairs++] = of->pairs[i];
	/* the doctor has a word of its own for a pose that does not move */
	a->pairs[in->npairs++] = (struct hp_pair){ constant, never, of->file, of->line };
	a->use = (struct hp_pair){ key, null, of->file, of->line };
	*out = (struct hp_section){ output, ear, of->file, of->line, &a->use, 1 };
	a->file = (char *)(uintptr_t)of->file;
	c->files = &a->file;
	c->nfiles = 1;
	return c;
}

static void listen_at(struct hp_findings *f, struct hp_run *run, struct ear *e)
{
	struct hp_node *out = NULL;
	for (size_t i = 0; i < run->nnodes; i++) {
		if (run->nodes[i]->kind == HP_INPUT)
			e->input = run->nodes[i];
		else
			out = run->nodes[i];
	}
	void *state = out->state;
	e->module = *out->module;
	e->module.open = ear_open;
	e->module.start = ear_start;
	e->module.write = take;
	e->module.event = happens;
	out->module = &e->module;
	out->state = e;
	run->quiet = true;
	hp_log_to(said, e);
	if (hp_life_open(run) == 0)
		hp_life_run(run);
	e->opened = e->input->phase != HP_NEW;
	hp_life_end(run);
	hp_log_to(NULL, NULL);
	out->state = state;
	tell(f, e);
}

void hp_doctor_input(struct hp_findings *f, const struct hp_node *input, double seconds)
{
	struct hp_errors errors = { 0 };
	struct hp_run run = { 0 };
	struct ear *e = calloc(1, sizeof *e);
	struct alone *a = calloc(1, sizeof *a);
	if (!e || !a) {
		hp_find(f, HP_WRONG, "input", "%s: %s", input->name, strerror(ENOMEM));
	} else {
		e->seconds = seconds;
		pthread_mutex_init(&e->lock, NULL);
		if (hp_graph_build(&run, alone(a, input), &errors) == 0)
			listen_at(f, &run, e);
		else
			hp_find(f, HP_WRONG, "input", "%s: %s", input->name, errors.text ? errors.text : "");
		pthread_mutex_destroy(&e->lock);
	}
	hp_errors_free(&errors);
	hp_graph_free(&run);
	free(a);
	free(e);
}
