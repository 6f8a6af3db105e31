/* SPDX-License-Identifier: MIT
 * track.c - the poses of track.h. */
#include "track.h"

/* How much of the lead to believe: found on recorded heads, docs/pose.md. */
static const double brake = 0.8;                     /* of a deceleration is taken to go on                           */
static const double wild = 3000 * RADIANS;           /* rad/s^2; motion that changes so fast ...                      */
static const double wild_cut = 0.4, wild_far = 0.05; /* share of the lead that is left out, at the most, and ... */
static const double wild_cut_far = 0.6;              /* ... more of what is beyond so many s                     */
static const double wild_time = 0.2;                 /* s, over which that is averaged                                */
/* of how a measured velocity changes, so much is taken to go on for so many s; averaged over some more */
static const double change_share = 0.4, change_lead = 0.06, change_time = 0.01;

/* The lead in s to take: a turn that slows down keeps its deceleration, to where it ends; violent motion is not worth
 * the whole lead. */
static double lead_of(const struct track *t, double lead)
{
	double a = t->unrest * t->unrest, slowing = t->slowing > 0 ? t->slowing * brake : 0;
	lead -= (wild_cut * lead + wild_cut_far * fmax(0, lead - wild_far)) * a / (a + wild * wild);
	if (lead * slowing > 1)
		lead = 1 / slowing;
	return lead * (1 - slowing * lead / 2);
}

/* The newest pose turned on, without what is left of the last correction. */
static struct quat ahead(const struct track *t, int64_t time_ns)
{
	double lead = track_seconds(time_ns, t->now.time_ns) + t->latency;
	double speed = vec_dot(t->now.rate, t->now.rate);
	if (speed == 0)
		return t->now.q;
	double moves = speed / (speed + t->rest * t->rest);
	lead = quat_clamp(lead, 0, t->lead_limit);
	double changes = fmin(lead, change_lead);
	struct vec turn = vec_scale(t->now.rate, lead_of(t, lead) * moves);
	return rotation_turn(t->now.q, vec_mad(turn, change_share * moves * changes * changes / 2, t->change));
}

static struct vec left_over(const struct track *t, int64_t time_ns)
{
	double since = track_seconds(time_ns, t->off_ns);
	if (t->blend <= 0 || vec_dot(t->off, t->off) == 0)
		return (struct vec){ 0, 0, 0 };
	return vec_scale(t->off, exp(-since / t->blend));
}

static struct quat predicted(const struct track *t, int64_t time_ns)
{
	return rotation_turn(ahead(t, time_ns), left_over(t, time_ns));
}

static struct vec position(const struct track *t, int64_t time_ns)
{
	double whole = track_seconds(t->now.time_ns, t->was.time_ns), at = track_seconds(time_ns, t->now.time_ns);
	double u = whole > 0 ? quat_clamp(at / whole, 0, 1) : 1;
	return vec_mad(t->pos_from, u, vec_sub(t->now.pos, t->pos_from));
}

void track_predict(const struct track *t, int64_t time_ns, struct quat *q, struct vec *pos)
{
	*q = predicted(t, time_ns);
	*pos = position(t, time_ns);
}

/* A slope is at most three times the mean one, and not against it: then there is no overshoot between two samples
 * (Fritsch and Carlson, SIAM Journal on Numerical Analysis 17(2), 1980). */
static double slope(double rate, double mean)
{
	double most = 3 * fabs(mean);
	return mean > 0 ? quat_clamp(rate, 0, most) : quat_clamp(rate, -most, 0);
}

static double between(double u, double whole, double first, double last)
{
	double a = slope(first, whole), b = slope(last, whole);
	return u * (a + u * (3 * whole - 2 * a - b + u * (a + b - 2 * whole)));
}

void track_between(const struct track *t, int64_t time_ns, struct quat *q, struct vec *pos)
{
	double whole = track_seconds(t->now.time_ns, t->was.time_ns);
	double u = whole > 0 ? track_seconds(time_ns, t->was.time_ns) / whole : 1;
	struct vec turn = rotation_between(t->was.q, t->now.q), a = vec_scale(t->was.rate, whole),
	           b = vec_scale(t->now.rate, whole);
	*q = u >= 1 ? t->now.q
	            : rotation_turn(t->was.q, (struct vec){ between(u, turn.x, a.x, b.x), between(u, turn.y, a.y, b.y),
	                                                    between(u, turn.z, a.z, b.z) });
	*pos = vec_mad(t->was.pos, u, vec_sub(t->now.pos, t->was.pos));
}

/* How the velocity changes. */
static void learn_change(struct track *t, const struct knot *k)
{
	double dt = track_seconds(k->time_ns, t->now.time_ns);
	if (dt <= 0)
		return;
	struct vec change = vec_sub(k->rate, t->now.rate);
	double tiny = 0.1 * 0.1; /* (rad/s)^2: below that a share means nothing */
	double share = vec_dot(change, k->rate) / (vec_dot(k->rate, k->rate) + tiny);
	t->slowing = -share / dt;
	if (!k->measured || !t->now.measured)
		t->change = (struct vec){ 0, 0, 0 };
	else /* without what slowing says */
		t->change =
		    vec_mad(t->change, dt / (dt + change_time),
		            vec_sub(vec_scale(vec_mad(change, share < 0 ? -share : 0, k->rate), 1 / dt), t->change));
	t->unrest += (vec_length(change) / dt - t->unrest) * dt / (dt + wild_time);
}

void track_begin(struct track *t, const struct knot *k)
{
	t->was = t->now = *k;
	t->pos_from = k->pos;
	t->off = t->change = (struct vec){ 0, 0, 0 };
	t->slowing = t->unrest = 0;
}

void track_set(struct track *t, double lead_limit, double blend, double rest, int64_t sent_ns)
{
	int64_t at = sent_ns > t->now.time_ns ? sent_ns : t->now.time_ns;
	struct quat old = predicted(t, at);
	t->lead_limit = lead_limit;
	t->blend = blend;
	t->rest = rest;
	t->off = rotation_between(ahead(t, at), old);
	t->off_ns = sent_ns;
}

void track_take(struct track *t, const struct knot *k, int64_t sent_ns)
{
	/* Both predictions are for the time of the sample, or of the last pose that was sent. What they differ by fades
	 * from that last pose on: nobody has seen what came after it. */
	int64_t at = sent_ns > k->time_ns ? sent_ns : k->time_ns;
	struct quat old = predicted(t, at);
	t->pos_from = position(t, at);
	learn_change(t, k);
	t->was = t->now;
	t->now = *k;
	t->off = rotation_between(ahead(t, at), old);
	t->off_ns = sent_ns;
}
