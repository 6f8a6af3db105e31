/* SPDX-License-Identifier: MIT
 * chain.c - filters driven outside a run. They see a host of their own in which time is what the samples say; timers
 * never fire, as in a replay, and there is nothing else for a filter to ask for. */
#include "chain.h"
#include "base/alloc.h"
#include "config/options.h"
#include "graph/graph.h"
#include "pose/pose.h"
#include <errno.h>

enum { LINKS = 16 };
struct link {
	struct hp_host host; /* first: what the filter sees */
	struct judge_chain *chain;
	const struct hp_module *module;
	void *state;   /* the options as the ini has them; never run  */
	void *running; /* a copy of it that runs; NULL = not open     */
	uint64_t seq;
};
struct judge_chain {
	struct hp_config config;
	struct hp_run run;
	struct link link[LINKS];
	size_t n;
	bool failed;
	int64_t now_ns;
	struct hp_stream stream;
	struct judge_poses poses;
	char names[256], log[4096];
};

void judge_poses_add(struct judge_poses *p, int64_t time_ns, const double quat[4])
{
	if (p->n == p->room) {
		p->room = p->room ? 2 * p->room : 1024;
		p->at = hp_need(realloc(p->at, p->room * sizeof *p->at));
	}
	p->at[p->n].time_ns = time_ns;
	memcpy(p->at[p->n++].quat, quat, sizeof p->at->quat);
}

void judge_poses_free(struct judge_poses *p)
{
	free(p->at);
	memset(p, 0, sizeof *p);
}

/* ---- the host that the filters see ----------------------------------------------------------------------------- */

static struct link *link_of(const struct hp_host *h)
{
	return (struct link *)(uintptr_t)h; /* host is the first member */
}

static void host_log(const struct hp_host *h, enum hp_level level, const char *text)
{
	static const char *const names[] = { "debug", "info", "warn", "error" };
	struct judge_chain *c = link_of(h)->chain;
	size_t used = strlen(c->log);
	snprintf(c->log + used, sizeof c->log - used, "%s: %s\n", names[level], text);
}

static int64_t host_now(const struct hp_host *h)
{
	return link_of(h)->chain->now_ns;
}

static void pass(struct judge_chain *, size_t from, struct hp_sample *);
static void tell(struct judge_chain *, size_t from, const struct hp_event *);

static int host_emit(const struct hp_host *h, const struct hp_item *item)
{
	struct link *l = link_of(h);
	size_t below = (size_t)(l - l->chain->link) + 1;
	for (uint32_t i = 0; i < item->nsamples; i++) {
		struct hp_sample s = item->samples[i];
		s.seq = l->seq++;
		pass(l->chain, below, &s);
	}
	if (item->event)
		tell(l->chain, below, item->event);
	return 0;
}

static const struct hp_stream *host_stream(const struct hp_host *h)
{
	return &link_of(h)->chain->stream;
}

static void host_fail(const struct hp_host *h, int err, const char *text)
{
	host_log(h, HP_LOG_ERROR, text ? text : strerror(err < 0 ? -err : err));
	link_of(h)->chain->failed = true;
}

static struct hp_timer *host_timer(const struct hp_host *h, void (*cb)(void *), void *arg)
{
	(void)cb, (void)arg;
	return (struct hp_timer *)(uintptr_t)h; /* a handle that nobody looks into */
}

static int host_timer_at(struct hp_timer *t, int64_t deadline_ns)
{
	(void)t, (void)deadline_ns;
	return 0;
}

/* ---- what flows ----------------------------------------------------------------------------------------------- */

static void pass(struct judge_chain *c, size_t from, struct hp_sample *s)
{
	for (size_t i = from; i < c->n; i++) {
		struct link *l = &c->link[i];
		if (!l->running || l->module->filter(l->running, s) != HP_KEEP)
			return;
		if (!hp_sample_finite(s)) {
			if (l->module->reset)
				l->module->reset(l->running);
			return;
		}
	}
	judge_poses_add(&c->poses, s->time_ns, s->quat);
}

static void tell(struct judge_chain *c, size_t from, const struct hp_event *e)
{
	for (size_t i = from; i < c->n; i++)
		if (c->link[i].running && c->link[i].module->event)
			c->link[i].module->event(c->link[i].running, e);
}

void judge_chain_sample(struct judge_chain *c, const struct hp_sample *given)
{
	struct hp_sample s = *given;
	c->now_ns = s.time_ns;
	pass(c, 0, &s);
}

void judge_chain_event(struct judge_chain *c, const struct hp_event *e)
{
	tell(c, 0, e);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

/* The filters above the first output, from the input down. */
static int find_links(struct judge_chain *c, const char *file, struct hp_errors *errors)
{
	const struct hp_node *above[LINKS], *n = NULL;
	size_t found = 0, used = 0;
	for (size_t i = 0; i < c->run.nnodes && !n; i++)
		if (c->run.nodes[i]->kind == HP_OUTPUT)
			n = c->run.nodes[i];
	if (!n) {
		hp_error(errors, file, 0, "no output, so nothing says which filters belong together");
		return -1;
	}
	for (n = n->up; n && n->kind == HP_FILTER; n = n->up) {
		if (found == LINKS) {
			hp_error(errors, file, 0, "more than %d filters one behind the other", LINKS);
			return -1;
		}
		above[found++] = n;
	}
	while (found--) {
		struct link *l = &c->link[c->n++];
		n = above[found];
		*l = (struct link){ .chain = c, .module = n->module, .state = n->state };
		l->host = (struct hp_host){ .struct_size = sizeof l->host,
			                    .abi = HP_ABI,
			                    .name = n->name,
			                    .log = host_log,
			                    .now = host_now,
			                    .emit = host_emit,
			                    .post = host_emit,
			                    .stream = host_stream,
			                    .fail = host_fail,
			                    .timer = host_timer,
			                    .timer_at = host_timer_at };
		used += (size_t)snprintf(c->names + used, sizeof c->names - used, "%s%s", used ? ", " : "", n->name);
		if (used >= sizeof c->names)
			used = sizeof c->names - 1;
	}
	return 0;
}

struct judge_chain *judge_chain_new(const char *ini, size_t size, const char *file, struct hp_errors *errors)
{
	struct judge_chain *c = hp_need(calloc(1, sizeof *c));
	c->stream = (struct hp_stream){ .struct_size = sizeof c->stream, .flags = HP_STREAM_REPLAY };
	if (hp_config_parse(&c->config, ini, size, file, errors) < 0 ||
	    hp_graph_build(&c->run, &c->config, errors) < 0 || find_links(c, file, errors) < 0) {
		judge_chain_free(c);
		return NULL;
	}
	return c;
}

/* Filters that change where the head looks by design, not when or how smoothly. */
static bool is_geometry(const char *name)
{
	static const char *const names[] = { "axes", "center", "curve", "drift", "mount", "neck", "orientation" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static void set(struct link *l, const char *key, const char *text)
{
	char why[200];
	const struct hp_option *o = hp_option_find(l->module->options, key);
	if (o)
		hp_option_parse(o, text, NULL, (char *)l->state + o->offset, NULL, why, sizeof why);
}

void judge_chain_plain(struct judge_chain *c)
{
	size_t kept = 0;
	for (size_t i = 0; i < c->n; i++)
		if (is_geometry(c->link[i].module->name))
			c->link[kept++] = c->link[i];
	c->n = kept;
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->link[i].module->name, "orientation")) {
			set(&c->link[i], "smoothing", "1");
			set(&c->link[i], "drift_correction", "0");
		}
}

static void end(struct judge_chain *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct link *l = &c->link[i];
		if (l->running && l->module->stop)
			l->module->stop(l->running);
		if (l->running && l->module->close)
			l->module->close(l->running);
		free(l->running);
		l->running = NULL;
	}
}

int judge_chain_begin(struct judge_chain *c)
{
	end(c);
	c->poses.n = 0;
	c->log[0] = 0;
	c->failed = false;
	for (size_t i = 0; i < c->n; i++) {
		struct link *l = &c->link[i];
		l->seq = 0;
		l->running = hp_need(malloc(l->module->state_size ? l->module->state_size : 1));
		memcpy(l->running, l->state, l->module->state_size);
		int r = l->module->open ? l->module->open(l->running, &l->host) : 0;
		if (r < 0) {
			free(l->running);
			l->running = NULL;
			return r;
		}
	}
	return 0;
}

void judge_chain_free(struct judge_chain *c)
{
	if (!c)
		return;
	end(c);
	hp_graph_free(&c->run);
	hp_config_free(&c->config);
	judge_poses_free(&c->poses);
	free(c);
}

const char *judge_chain_names(const struct judge_chain *c)
{
	return c->n ? c->names : "no filter";
}

const struct judge_poses *judge_chain_poses(const struct judge_chain *c)
{
	return &c->poses;
}

const char *judge_chain_log(const struct judge_chain *c)
{
	return c->log;
}
