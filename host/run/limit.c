/* SPDX-License-Identifier: MIT
 * limit.c - `rate` keeps the newest pose of a burst and sends it when its turn comes; `on_loss` acts when samples stop.
 * Decisions follow sample time; timers only see to it that a live stream is served when nothing more comes. */
#include "limit.h"
#include "base/clock.h"
#include "output.h"
#include "pose/pose.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct hp_limit {
	struct hp_limit_options o;
	int64_t interval_ns;  /* 0 = no rate limit                                     */
	int64_t due_ns;       /* sample time from which the next one may go            */
	int64_t last_ns;      /* sample time of the newest sample                      */
	int64_t last_arrival; /* this machine's clock                                  */
	bool any, pending, lost;
	struct hp_slot kept;
	struct hp_timer *turn, *loss;
	/* on_loss = return */
	struct hp_slot newest;
	struct hp_timer *glide;
	int64_t step_ns, lost_at, left_at; /* between two poses; of the loss, sample time and this machine's clock */
	double quat[4], pos[3];            /* the last pose on the way to the middle                                */
	bool coming;                       /* from there to where the head is, since ... */
	int64_t back_at;                   /* ... this sample time                       */
};
#define GLIDE_STEP 10000000 /* ns; longer when `rate` is slower */

/* Its times are not of this machine's clock, so no timer can say when the next one is due. */
static bool other_clock(const struct hp_node *n)
{
	return n->input->stream.flags & HP_STREAM_REPLAY;
}

static void give_zero(struct hp_node *n)
{
	struct hp_limit *l = n->limit;
	struct hp_slot slot = { .sample = HP_SAMPLE_INIT };
	slot.sample.flags = HP_ROTVEC | HP_YPR;
	slot.sample.source = l->kept.sample.source;
	slot.sample.seq = l->kept.sample.seq;
	slot.sample.reset_count = l->kept.sample.reset_count;
	slot.sample.time_ns = l->last_ns + n->limit->o.loss_after;
	slot.sample.arrival_ns = hp_now();
	hp_output_put(n, &slot.sample);
}

/* How much of a way is done at a share t of its time: of all ways that begin and end at rest the one with the least
 * jerk, 10 t^3 - 15 t^4 + 6 t^5 (T. Flash and N. Hogan, J. Neurosci. 5(7), 1985). */
static double way_at(double t)
{
	return t >= 1 ? 1 : t * t * t * (10 - t * (15 - t * 6));
}
/* The pose at `after` ns of the way to the middle. */
static void give_glide(struct hp_node *n, int64_t after)
{
	static const double middle[4] = { 1, 0, 0, 0 };
	struct hp_limit *l = n->limit;
	double way = way_at((double)after / (double)l->o.return_time);
	struct hp_slot slot = { .sample = HP_SAMPLE_INIT };
	struct hp_sample *s = &slot.sample;
	const struct hp_sample *from = &l->newest.sample;
	s->flags = from->flags & HP_POS;
	s->source = from->source;
	s->seq = from->seq;
	s->reset_count = from->reset_count;
	s->time_ns = l->lost_at + after;
	s->arrival_ns = hp_now();
	if (way < 1)
		hp_quat_slerp(from->quat, middle, way, s->quat);
	for (int i = 0; i < 3; i++)
		s->pos[i] = from->pos[i] * (1 - way);
	memcpy(l->quat, s->quat, sizeof l->quat);
	memcpy(l->pos, s->pos, sizeof l->pos);
	hp_output_put(n, s);
}
static int64_t glide_end(const struct hp_limit *l)
{
	return (l->o.return_time + l->step_ns - 1) / l->step_ns; /* the step that reaches the middle */
}
static void on_glide(void *arg)
{
	struct hp_node *n = arg;
	struct hp_limit *l = n->limit;
	if (!l->lost || n->dead)
		return;
	int64_t step = (hp_now() - l->left_at) / l->step_ns, end = glide_end(l);
	give_glide(n, (step < end ? step : end) * l->step_ns);
	if (step < end)
		n->host.timer_at(l->glide, l->left_at + (step + 1) * l->step_ns);
}
static void begin_glide(struct hp_node *n)
{
	struct hp_limit *l = n->limit;
	l->lost_at = l->last_ns + l->o.loss_after;
	l->left_at = hp_now();
	memcpy(l->quat, l->newest.sample.quat, sizeof l->quat);
	memcpy(l->pos, l->newest.sample.pos, sizeof l->pos);
	if (!other_clock(n))
		n->host.timer_at(l->glide, l->left_at + l->step_ns);
}
/* A stream of another clock: the way back as far as the next sample lets it. */
static void glide_until(struct hp_node *n, int64_t time_ns)
{
	struct hp_limit *l = n->limit;
	int64_t end = glide_end(l);
	for (int64_t step = 1; step <= end && l->lost_at + step * l->step_ns < time_ns && !n->dead; step++)
		give_glide(n, step * l->step_ns);
}

static void on_turn(void *arg);
static void lose(struct hp_node *n)
{
	if (n->limit->pending)
		on_turn(n); /* came before the silence */
	n->limit->lost = true;
	if (n->limit->o.zero)
		give_zero(n);
	else if (n->limit->o.back)
		begin_glide(n);
	else if (n->limit->o.stop)
		n->host.fail(&n->host, ETIMEDOUT, "no samples any more; stopped by `on_loss = stop`");
}

static void on_turn(void *arg)
{
	struct hp_node *n = arg;
	struct hp_limit *l = n->limit;
	if (!l->pending || n->dead)
		return;
	l->pending = false;
	l->due_ns += l->interval_ns;
	hp_output_put(n, &l->kept.sample);
}

static void on_silence(void *arg)
{
	struct hp_node *n = arg;
	struct hp_limit *l = n->limit;
	int64_t deadline = l->last_arrival + n->limit->o.loss_after;
	if (deadline > hp_now())
		n->host.timer_at(l->loss, deadline);
	else if (!l->lost && !n->dead)
		lose(n);
}

int hp_limit_open(struct hp_node *n, const struct hp_limit_options *o)
{
	if (o->rate <= 0 && !o->zero && !o->stop && !o->back)
		return 0;
	struct hp_limit *l = calloc(1, sizeof *l);
	if (!l)
		return -ENOMEM;
	n->limit = l;
	l->o = *o;
	l->interval_ns = o->rate > 0 ? (int64_t)(1e9 / o->rate) : 0;
	l->turn = n->host.timer(&n->host, on_turn, n);
	l->loss = n->host.timer(&n->host, on_silence, n);
	l->glide = n->host.timer(&n->host, on_glide, n);
	l->step_ns = l->interval_ns > GLIDE_STEP ? l->interval_ns : GLIDE_STEP;
	return l->turn && l->loss && l->glide ? 0 : -ENOMEM;
}

static void watch_for_silence(struct hp_node *n, const struct hp_sample *s)
{
	struct hp_limit *l = n->limit;
	if (!l->o.zero && !l->o.stop && !l->o.back)
		return;
	if (other_clock(n)) {
		if (l->any && s->time_ns - l->last_ns > n->limit->o.loss_after) {
			lose(n);
			if (l->o.back)
				glide_until(n, s->time_ns);
		}
	} else if (!l->any || l->lost) {
		n->host.timer_at(l->loss, hp_now() + n->limit->o.loss_after);
	}
	if (l->o.back && l->lost) {
		n->host.timer_at(l->glide, -1);
		l->coming = true;
		l->back_at = s->time_ns;
	}
	l->lost = false;
	l->last_arrival = s->arrival_ns;
}

/* After a way to the middle, or half of it, the view does not snap to where the head is by now: it goes there in the
 * same time. What is sent: s, or newest. */
static struct hp_sample *come_back(struct hp_limit *l, struct hp_sample *s)
{
	struct hp_sample *mine = &l->newest.sample;
	double t = (double)(s->time_ns - l->back_at) / (double)l->o.return_time;
	hp_sample_copy(mine, s);
	l->coming &= t >= 0 && t < 1;
	if (!l->coming)
		return s;
	hp_quat_slerp(l->quat, s->quat, way_at(t), mine->quat);
	for (int i = 0; i < 3 && s->flags & HP_POS; i++)
		mine->pos[i] = l->pos[i] + (s->pos[i] - l->pos[i]) * way_at(t);
	mine->flags &= ~(uint32_t)(HP_ROTVEC | HP_YPR | HP_ANGVEL | HP_JUMP);
	return mine;
}

struct hp_sample *hp_limit_pass(struct hp_node *n, struct hp_sample *s)
{
	struct hp_limit *l = n->limit;
	watch_for_silence(n, s);
	if (l->o.back)
		s = come_back(l, s);
	l->last_ns = s->time_ns;
	if (!l->interval_ns) {
		l->kept.sample.seq = s->seq;
		l->any = true;
		return s;
	}
	if (l->any && s->time_ns < l->due_ns - 2 * l->interval_ns)
		l->any = false; /* time went back: start anew */
	if (l->any && l->pending && s->time_ns > l->due_ns)
		on_turn(n);
	if (l->any && s->time_ns < l->due_ns) {
		/* a jump stays one when its first sample gives way to a newer one */
		uint32_t jump = l->pending ? l->kept.sample.flags & HP_JUMP : 0;
		hp_sample_copy(&l->kept.sample, s);
		l->kept.sample.flags |= jump;
		l->pending = true;
		if (!other_clock(n))
			n->host.timer_at(l->turn, hp_now() + (l->due_ns - s->time_ns));
		return NULL;
	}
	l->any = true;
	l->pending = false;
	l->due_ns = s->time_ns + l->interval_ns;
	return s;
}

void hp_limit_flush(struct hp_node *n)
{
	if (n->limit && n->limit->pending && !n->dead)
		on_turn(n);
}

void hp_limit_close(struct hp_node *n)
{
	free(n->limit);
	n->limit = NULL;
}
