/* SPDX-License-Identifier: MIT
 * pipeline.c - the way of a sample. Start reading at hp_pipeline_emit().
 *
 * The tree below an input is compiled into a flat array of steps, depth first. Filters edit the sample of their
 * slot in place; a branch that goes on after a filter gets a copy in a slot of its own. A filter that drops jumps
 * over its subtree. Nothing here allocates, locks or formats unless something fails. */
#include "pipeline.h"
#include "base/clock.h"
#include "base/log.h"
#include "limit.h"
#include "perf.h"
#include "pose/pose.h"
#include "take.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- running ------------------------------------------------------------------------------------------------- */

/* One sample is done: r as encode(), send() and write() return it. */
static inline void count_output(struct hp_node *n, int r, const char *what)
{
	if (r < 0)
		hp_output_trouble(n, -r, what);
	else
		n->samples_out++;
}

/* What encode() gave with HP_MORE, sent, and all that follows for this sample. Rare, and out of the way of the rest. */
__attribute__((noinline)) static void put_row(struct hp_node *n, const struct hp_sample *s, int r)
{
	struct hp_run *run = n->run;
	int err = 0;
	for (int k = 0; r > 0; k++) {
		bool more = r & HP_MORE;
		size_t size = (size_t)r & ~(size_t)HP_MORE;
		if (size > run->packet_size || k == HP_MORE_MOST) {
			r = -EOVERFLOW; /* a length beyond the packet would send what lies behind it in memory */
			break;
		}
		int sent = size ? n->module->send(n->state, run->packet, size) : 0;
		err = sent < 0 ? sent : err;
		r = more ? n->encoder->encode(n->encoder_state, s, &n->input->stream, run->packet, run->packet_size)
		         : 0;
	}
	count_output(n, r < 0 ? r : err, r < 0 ? "encodings" : "sends");
}

void hp_output_put(struct hp_node *n, struct hp_sample *s)
{
	int r;
	const char *what = "writes";
	if ((s->flags & (HP_ROTVEC | HP_YPR)) != (HP_ROTVEC | HP_YPR))
		hp_sample_derive(s);
	if (n->encoder) {
		struct hp_run *run = n->run;
		r = n->encoder->encode(n->encoder_state, s, &n->input->stream, run->packet, run->packet_size);
		what = "encodings";
		if (r > 0 && (size_t)r > run->packet_size) {
			put_row(n, s, r);
			return;
		}
		if (r > 0) {
			what = "sends";
			r = n->module->send(n->state, run->packet, (size_t)r);
		}
	} else {
		r = n->module->write(n->state, s);
	}
	count_output(n, r, what);
}

static void to_output(struct hp_node *n, struct hp_sample *s)
{
	n->samples_in++;
	if (n->dead)
		return;
	if (n->run->perf)
		hp_perf_at_output(n->run->perf);
	if (n->limit && !hp_limit_pass(n, s))
		return;
	hp_output_put(n, s);
}

/* Returns false when the sample ends here. */
static bool through_filter(struct hp_node *n, struct hp_sample *s)
{
	n->samples_in++;
	if (n->bypass)
		return true;
	if (n->dead)
		return false;
	int r = n->module->filter(n->state, s);
	if (r == HP_KEEP && hp_sample_finite(s)) {
		n->samples_out++;
		return true;
	}
	if (r < 0) {
		hp_output_trouble(n, -r, "samples");
	} else if (r == HP_KEEP) {
		/* what it has in its memory is poisoned for good */
		if (n->module->reset)
			n->module->reset(n->state);
		if (!n->not_finite++)
			hp_log(HP_LOG_WARN, n->who,
			       "its result was not a finite number; sample dropped, filter reset (told once)");
	}
	return false;
}

static void run_steps(const struct hp_step *s, const struct hp_step *end, struct hp_slot *slots)
{
	for (; s < end; s++) {
		switch (s->op) {
		case HP_STEP_OUTPUT:
			to_output(s->node, &slots[s->slot].sample);
			break;
		case HP_STEP_COPY:
			hp_sample_copy(&slots[s->to].sample, &slots[s->slot].sample);
			break;
		case HP_STEP_FILTER:
			if (!through_filter(s->node, &slots[s->slot].sample))
				s += s->skip;
			break;
		}
	}
}

/* A sample enters the graph below node n (an input, or a filter that makes samples of its own). */
static int enter(struct hp_node *n, const struct hp_sample *given)
{
	struct hp_node *input = n->input;
	bool from_input = n == input;
	struct hp_sample *s = &n->slots[from_input ? 0 : n->slot].sample;
	hp_take_sample(n, s, given);
	s->source = input->stream.source;
	s->seq = n->seq++;
	if (s->flags & HP_QUAT_DUE) {
		/* costs a sine and a cosine: left out when the next thing that happens to it is a new quaternion */
		s->flags &= ~(unsigned)HP_QUAT_DUE;
		if (!from_input || !n->rotvec_is_enough)
			hp_quat_from_rotvec(s->rotvec, s->quat);
		else
			memcpy(s->quat, (const double[4]){ 1, 0, 0, 0 }, sizeof s->quat);
	}
	if (!hp_sample_finite(s)) {
		if (!n->not_finite++)
			hp_log(HP_LOG_WARN, n->who, "gave a number that is not finite; sample dropped (told once)");
		return -EDOM;
	}
	if (!s->arrival_ns)
		s->arrival_ns = hp_now();
	if (input->jump && from_input) {
		s->flags |= HP_JUMP;
		input->jump = false;
	}
	n->samples_in++;
	const struct hp_step *steps = input->steps;
	struct hp_perf *perf = input->run->perf;
	if (perf)
		hp_perf_emitted(perf, s);
	run_steps(from_input ? steps : steps + n->first, from_input ? steps + input->nsteps : steps + n->after,
	          n->slots);
	if (perf)
		hp_perf_sent(perf, s);
	return 0;
}

void hp_pipeline_event_to(struct hp_node *n, const struct hp_event *e)
{
	if (n->phase < HP_OPENED || n->phase >= HP_STOPPED || n->dead)
		return;
	if (n->module->event)
		n->module->event(n->state, e);
	if (n->encoder && n->encoder->event)
		n->encoder->event(n->encoder_state, e);
}

static bool is_below(const struct hp_node *n, const struct hp_node *above)
{
	while (n->up && n->up != above)
		n = n->up;
	return n->up != NULL;
}

/* What describe() left takes effect now, in the order of the stream. */
static void new_stream(struct hp_node *input)
{
	void *old = NULL;
	pthread_mutex_lock(&input->describe_lock);
	if (input->described.memory) {
		old = input->stream_memory;
		input->stream = input->described.stream;
		input->stream_memory = input->described.memory;
		input->described.memory = NULL;
	}
	pthread_mutex_unlock(&input->describe_lock);
	free(old);
}

static void note_event(struct hp_node *input, const struct hp_event *e)
{
	if (e->type == HP_CONNECTED) {
		new_stream(input);
		if (input->run->perf)
			hp_perf_mark(input->run->perf, HP_MARK_CONNECTED, hp_now());
	}
	if (e->type == HP_CONNECTED || e->type == HP_GAP || e->type == HP_REFERENCE_RESET)
		input->jump = true;
	if (e->type == HP_LOST)
		input->lost += (uint64_t)e->value;
}

void hp_pipeline_event(struct hp_node *n, const struct hp_event *e)
{
	/* a pose that `rate` holds back came before the event */
	for (size_t i = 0; i < n->input->nall; i++)
		if (n->input->all[i]->limit && is_below(n->input->all[i], n))
			hp_limit_flush(n->input->all[i]);
	if (n == n->input)
		note_event(n, e);
	for (size_t i = 0; i < n->input->nall; i++)
		if (is_below(n->input->all[i], n))
			hp_pipeline_event_to(n->input->all[i], e);
}

static void emit_raw(const struct hp_node *n, const struct hp_raw *raw)
{
	struct hp_raw wide;
	if (raw->struct_size < sizeof wide) {
		hp_take_raw(&wide, raw);
		raw = &wide;
	}
	for (size_t i = 0; i < n->nraws; i++)
		if (!n->raws[i]->dead)
			n->raws[i]->module->raw(n->raws[i]->state, raw);
}

static void emit_event(struct hp_node *n, const struct hp_event *e)
{
	struct hp_event wide;
	if (e->struct_size < sizeof wide) {
		hp_take_event(&wide, e);
		e = &wide;
	}
	hp_pipeline_event(n, e);
}

int hp_pipeline_emit(struct hp_node *n, const struct hp_item *item)
{
	int r = 0;
	if (n->phase >= HP_ENDED || n->dead || n->run->stopping)
		return -EPIPE;
	if (item->raw && n->kind == HP_INPUT)
		emit_raw(n, item->raw);
	if (item->event)
		emit_event(n, item->event);
	const struct hp_sample *given = item->samples;
	for (uint32_t left = item->nsamples; left; left--, given = hp_take_next(n, given)) {
		int one = enter(n, given);
		r = one < 0 ? one : r;
	}
	return r;
}

/* ---- failures -------------------------------------------------------------------------------------------------- */

static void tell(struct hp_node *n, int64_t now)
{
	struct hp_trouble *t = &n->trouble;
	if (t->told_ns)
		hp_log(HP_LOG_WARN, n->who, "%llu %s failed in the last %.0f s: %s", (unsigned long long)t->since_told,
		       t->what, (double)(now - t->told_ns) / 1e9, strerror(t->last));
	else
		hp_log(HP_LOG_WARN, n->who, "%.*s failed: %s; going on", (int)strlen(t->what) - 1, t->what,
		       strerror(t->last));
	t->told_ns = now;
	t->since_told = 0;
}

void hp_output_trouble(struct hp_node *n, int err, const char *what)
{
	struct hp_trouble *t = &n->trouble;
	int64_t now = hp_now();
	t->total++;
	t->since_told++;
	t->last = err;
	t->what = what;
	if (!t->told_ns || now - t->told_ns >= 1000000000)
		tell(n, now);
	if (n->keys.on_error == HP_ON_ERROR_STOP && n->phase == HP_STARTED)
		n->host.fail(&n->host, err, "stopped by `on_error = stop`");
}

void hp_output_tell_rest(struct hp_node *n)
{
	int64_t now = hp_now();
	if (n->trouble.since_told && now - n->trouble.told_ns >= 1000000000)
		tell(n, now);
}

/* ---- compiling -------------------------------------------------------------------------------------------------- */

static struct hp_step *add_step(struct hp_node *input)
{
	struct hp_step *grown = realloc(input->steps, (input->nsteps + 1) * sizeof *grown);
	if (!grown)
		return NULL;
	input->steps = grown;
	return memset(&grown[input->nsteps++], 0, sizeof *grown);
}

static int list_add(struct hp_node ***list, size_t *n, struct hp_node *node)
{
	struct hp_node **grown = realloc(*list, (*n + 1) * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	*list = grown;
	grown[(*n)++] = node;
	return 0;
}

static int compile(struct hp_node *input, struct hp_node *n, uint16_t slot)
{
	for (size_t i = 0; i < n->nkids; i++) {
		struct hp_node *kid = n->kids[i];
		uint16_t own = slot;
		if (list_add(&input->all, &input->nall, kid) < 0)
			return -ENOMEM;
		if (kid->kind == HP_FILTER && i + 1 < n->nkids) {
			/* somebody behind still needs the sample as it is */
			struct hp_step *copy = add_step(input);
			if (!copy)
				return -ENOMEM;
			own = (uint16_t)input->nslots++;
			copy->op = HP_STEP_COPY;
			copy->slot = slot;
			copy->to = own;
		}
		uint32_t at = input->nsteps;
		struct hp_step *step = add_step(input);
		if (!step)
			return -ENOMEM;
		step->op = kid->kind == HP_FILTER ? HP_STEP_FILTER : HP_STEP_OUTPUT;
		step->slot = own;
		step->node = kid;
		if (kid->kind == HP_OUTPUT) {
			if (kid->module->raw && list_add(&input->raws, &input->nraws, kid) < 0)
				return -ENOMEM;
			continue;
		}
		kid->first = at + 1;
		kid->slot = own;
		if (compile(input, kid, own) < 0)
			return -ENOMEM;
		kid->after = input->nsteps;
		input->steps[at].skip = kid->after - kid->first;
	}
	return 0;
}

int hp_pipeline_compile(struct hp_run *run)
{
	run->packet_size = 65507; /* the longest datagram */
	run->packet = malloc(run->packet_size);
	if (!run->packet)
		return -ENOMEM;
	for (size_t i = 0; i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i];
		if (n->kind != HP_INPUT)
			continue;
		n->nslots = 1;
		hp_take_open(n);
		n->rotvec_is_enough = true;
		for (size_t k = 0; k < n->nkids; k++)
			if (n->kids[k]->kind != HP_FILTER || !(n->kids[k]->module->traits & HP_READS_ROTVEC))
				n->rotvec_is_enough = false;
		if (compile(n, n, 0) < 0)
			return -ENOMEM;
		n->slots = calloc(n->nslots, sizeof *n->slots);
		if (!n->slots)
			return -ENOMEM;
		/* a filter may emit while the program above it is under way, so it works on slots of its own */
		for (size_t k = 0; k < n->nall; k++)
			hp_take_open(n->all[k]);
		for (size_t k = 0; k < n->nall; k++)
			if (n->all[k]->kind == HP_FILTER && !(n->all[k]->slots = calloc(n->nslots, sizeof *n->slots)))
				return -ENOMEM;
	}
	return 0;
}
