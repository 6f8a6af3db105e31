/* SPDX-License-Identifier: MIT
 * pipeline.c - the way of a sample. Start reading at hp_pipeline_emit().
 * Nothing here allocates, locks or formats unless something fails; it knows nothing of ini files and recordings. */
#include "pipeline.h"
#include "base/clock.h"
#include "base/log.h"
#include "constant.h"
#include "limit.h"
#include "output.h"
#include "perf.h"
#include "pose/pose.h"
#include "program.h"
#include "stream.h"
#include "take.h"
#include <errno.h>
#include <string.h>

static void to_output(struct hp_node *n, struct hp_sample *s)
{
	n->counts.in++;
	if (n->dead)
		return;
	if (n->run->perf)
		hp_perf_at_output(n->run->perf);
	if (n->limit && !(s = hp_limit_pass(n, s)))
		return;
	hp_output_put(n, s);
}

/* Returns false when the sample ends here. */
static bool through_filter(struct hp_node *n, struct hp_sample *s)
{
	n->counts.in++;
	if (n->bypass)
		return true;
	if (n->dead)
		return false;
	int r = n->module->filter(n->state, s);
	if (r == HP_KEEP && hp_sample_finite(s)) {
		n->counts.out++;
		return true;
	}
	if (r < 0) {
		hp_output_trouble(n, -r, "samples");
	} else if (r == HP_KEEP) {
		/* what it has in its memory is poisoned for good */
		if (n->module->reset)
			n->module->reset(n->state);
		if (!n->counts.not_finite++)
			hp_log(HP_LOG_WARN, n->who,
			       "its result was not a finite number; sample dropped, filter reset (told once)");
	} else if (r != HP_DROP && !n->counts.nonsense++) {
		hp_log(HP_LOG_WARN, n->who,
		       "its filter() returned %d; allowed are HP_KEEP (0), HP_DROP (1) or -errno; sample dropped (told "
		       "once)",
		       r);
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

/* What is rarely due, behind one comparison: the mark of the first sample after a gap, and an eye on whether the input
 * moves at all. */
static void look(struct hp_node *n, struct hp_sample *s)
{
	bool jump = n->program.jump;
	if (jump)
		s->flags |= HP_JUMP;
	n->program.jump = false;
	n->program.look_ns = hp_constant_look(n, s, jump);
}

/* A sample enters the graph below node n (an input, or a filter that makes samples of its own). */
static int enter(struct hp_node *n, const struct hp_sample *given)
{
	struct hp_node *input = n->input;
	bool from_input = n == input;
	struct hp_sample *s = &n->program.slots[from_input ? 0 : n->program.slot].sample;
	hp_take_sample(n, s, given);
	s->source = input->stream.source;
	s->seq = n->program.seq++;
	if (s->flags & HP_QUAT_DUE) {
		/* costs a sine and a cosine: left out when the next thing that happens to it is a new quaternion */
		s->flags &= ~(unsigned)HP_QUAT_DUE;
		if (!from_input || !n->program.rotvec_is_enough)
			hp_quat_from_rotvec(s->rotvec, s->quat);
		else
			memcpy(s->quat, (const double[4]){ 1, 0, 0, 0 }, sizeof s->quat);
	}
	if (!hp_sample_finite(s)) {
		if (!n->counts.not_finite++)
			hp_log(HP_LOG_WARN, n->who, "gave a number that is not finite; sample dropped (told once)");
		return -EDOM;
	}
	if (!s->arrival_ns)
		s->arrival_ns = hp_now();
	if (s->time_ns >= n->program.look_ns)
		look(n, s);
	n->counts.in++;
	const struct hp_step *steps = input->program.steps;
	struct hp_perf *perf = input->run->perf;
	if (perf)
		hp_perf_emitted(perf, s);
	run_steps(from_input ? steps : steps + n->program.first,
	          from_input ? steps + input->program.nsteps : steps + n->program.after, n->program.slots);
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

static void note_event(struct hp_node *input, const struct hp_event *e)
{
	if (e->type == HP_CONNECTED) {
		hp_stream_take(input);
		if (input->run->perf)
			hp_perf_mark(input->run->perf, HP_MARK_CONNECTED, hp_now());
	}
	if (e->type == HP_CONNECTED || e->type == HP_GAP || e->type == HP_REFERENCE_RESET)
		hp_program_jump(input);
	if (e->type == HP_LOST)
		input->counts.lost += (uint64_t)e->value;
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
	for (size_t i = 0; i < n->program.nraws; i++)
		if (!n->program.raws[i]->dead)
			n->program.raws[i]->module->raw(n->program.raws[i]->state, raw);
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
