/* SPDX-License-Identifier: MIT
 * resample.c - the filter `resample`: an even stream of poses out of a slower or uneven one.
 *
 * Poses come out on a grid of the samples' own time ("ticks"), and each depends only on the samples with times up to
 * its own. When a tick is sent is another matter: live a timer does it, in a replay the next sample or event, which
 * shows that the tick's time has come. So both send the same.
 *
 * predict: pose(t) = newest pose, turned on by its angular velocity. What a new sample corrects is not shown as a step:
 * the difference, taken at one and the same time, fades. interpolate: between the newest two, one interval later. */
#include "filters/resample/track.h"
#include "headpipe.h"
#include "pose/pose.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const int64_t guard = 250000;             /* ns a live tick waits for a sample that is on its way          */
static const int64_t longest_bridge = 500000000; /* ns; a longer silence is not interpolated or held across    */
static const double longer = 2;                  /* intervals of the input for which samples still come         */
static const double interval_share = 0.1;        /* of a newest interval that is shorter, in the usual one        */
static const double glide = 0.1;                 /* s of latency per s: how fast another latency is taken up     */
static const double own_share = 0.7;             /* of the newest difference, in an own estimate of the velocity  */
static const double fastest = 1000;              /* rad/s; nothing that wears a head turns like that           */
static const double latency_share = 0.02;        /* of the newest latency in their mean                           */
static const double skew_rise = 0.002;           /* of what the clocks' difference seems to have grown, per sample */

enum { PREDICT, INTERPOLATE };
struct resample {
	/* options */
	double rate, rest;
	int mode;
	const char *latency;
	int64_t lead_limit, blend;
	/* made from them */
	bool latency_auto, latency_known; /* known: of auto, by a sample */
	double step_ns;
	/* state */
	const struct hp_host *host;
	struct hp_timer *timer;
	bool started, jump;    /* jump: the next pose that goes out is the first of another stretch */
	bool restart;          /* so does the next sample begin one                               */
	struct hp_sample last; /* the newest one: what is not the pose is sent as it was          */
	struct track track;
	int64_t origin_ns;  /* of the grid                                */
	int64_t tick;       /* the next one's number                      */
	double skew_ns;     /* the clock of now() minus sample times      */
	double interval_ns; /* between the input's samples, rather too long; 0 = not known */
	double latency_to;  /* s; where track.latency glides to */
};

static const struct hp_option options[] = {
	HP_OPT_REAL(struct resample, rate, "250", 1, 2000, "poses per second", 0, "Hz", 30, 1000),
	HP_OPT_ENUM(struct resample, mode, "predict", "predict|interpolate",
	            "predict: the pose of now; interpolate: one interval of the input later, for recordings and video"),
	HP_OPT_STR(struct resample, latency, "auto",
	           "time from the motion to its report, which is predicted away: auto (where the device says it), or a "
	           "time up to lead_limit, such as 40ms; another one while running is glided to",
	           HP_LIVE),
	HP_OPT_NS(
	    struct resample, lead_limit, "100ms", 0, 1,
	    "never predict further than this beyond a sample; the pose is held for two intervals of the input, and "
	    "then nothing is sent; 0: the measured poses, held",
	    HP_LIVE),
	HP_OPT_NS(struct resample, blend, "3ms", 0, 1, "time constant with which a correction is worked in", HP_LIVE),
	HP_OPT_REAL(struct resample, rest, "0.3", 0, 100,
	            "speed below which prediction fades, so that rest stays at rest", HP_LIVE, "deg/s", 0, 2),
	HP_OPT_END,
};

/* ---- options --------------------------------------------------------------------------------------------------- */

/* "auto", or a time as everywhere else; 0 needs no unit. */
static bool read_latency(const char *text, bool *automatic, double *seconds)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = { { "ms", 1e-3 }, { "s", 1 }, { "us", 1e-6 }, { "ns", 1e-9 } };
	double value = 0, place = 1;
	const char *p = text + (*text == '+');
	*automatic = !strcmp(text, "auto");
	if (*automatic)
		return true;
	size_t n = strspn(p, "0123456789");
	for (; *p >= '0' && *p <= '9' && value < 1e12; p++)
		value = 10 * value + (*p - '0');
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9'; p++, n++)
			value += (place /= 10) * (*p - '0');
	if (!n)
		return false;
	p += strspn(p, " \t");
	double unit = *p || value > 0 ? 0 : 1;
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (!strcmp(p, units[i].name))
			unit = units[i].seconds;
	*seconds = value * unit;
	return unit > 0 && *seconds <= 1;
}

static int check(const void *self, const char **key, char *why, size_t size)
{
	const struct resample *r = self;
	bool automatic;
	double seconds;
	*key = "latency";
	if (!read_latency(r->latency, &automatic, &seconds)) {
		snprintf(why, size, "must be auto, or a time up to 1s such as 40ms");
		return -EINVAL;
	}
	if (!automatic && seconds * 1e9 > (double)r->lead_limit) {
		snprintf(why, size, "is more than lead_limit (%gms): so far ahead nothing is predicted",
		         (double)r->lead_limit / 1e6);
		return -EINVAL;
	}
	return 0;
}

static int64_t tick_ns(const struct resample *r)
{
	return (int64_t)((uint64_t)r->origin_ns + (uint64_t)(int64_t)rint((double)r->tick * r->step_ns));
}

static int changed(void *self)
{
	struct resample *r = self;
	bool automatic;
	double seconds = 0;
	if (!read_latency(r->latency, &automatic, &seconds))
		return -EINVAL;
	if (!automatic || !r->latency_auto) { /* auto: 0 until the device says something */
		r->latency_to = seconds;
		r->latency_known = false;
	}
	r->latency_auto = automatic;
	if (!r->started)
		r->track.latency = r->latency_to;
	track_set(&r->track, (double)r->lead_limit / 1e9, (double)r->blend / 1e9, r->rest * RADIANS,
	          tick_ns(r) - (int64_t)r->step_ns);
	return 0;
}

/* ---- ticks ------------------------------------------------------------------------------------------------------- */

static void send(struct resample *r, int64_t time_ns)
{
	struct hp_sample s = r->last;
	struct quat q;
	struct vec pos, rate = r->track.now.rate;
	if (r->track.latency != r->latency_to)
		r->track.latency += quat_clamp(r->latency_to - r->track.latency, -glide / r->rate, glide / r->rate);
	if (r->mode == PREDICT)
		track_predict(&r->track, time_ns, &q, &pos);
	else
		track_between(&r->track, time_ns, &q, &pos);
	rotation_set(&s, q);
	rotation_set_vec(s.pos, pos);
	rotation_set_vec(s.angvel, rate);
	s.flags &= ~(unsigned)HP_JUMP;
	s.flags |= HP_ANGVEL | (r->jump ? HP_JUMP : 0u);
	s.device_ns += (int64_t)((uint64_t)time_ns - (uint64_t)r->last.time_ns);
	s.time_ns = time_ns;
	s.arrival_ns = 0; /* the host's stamp: when it is sent */
	r->jump = false;
	r->tick++;
	r->host->emit(r->host,
	              &(struct hp_item){ .struct_size = sizeof(struct hp_item), .nsamples = 1, .samples = &s });
}

/* ns from a sample on for which it speaks: as far as is predicted, or as long as samples still seem to come (however
 * slow the input is, it is not silent), and to the next tick in any case, so that each beginning is seen. */
static int64_t hold_ns(const struct resample *r)
{
	double held = fmax(fmin(longer * r->interval_ns, (double)longest_bridge), r->step_ns + 1);
	return held > (double)r->lead_limit ? (int64_t)held : r->lead_limit;
}

/* The last time for which the newest sample still speaks. */
static int64_t reach_ns(const struct resample *r)
{
	return r->mode == INTERPOLATE ? r->track.now.time_ns
	                              : (int64_t)((uint64_t)r->track.now.time_ns + (uint64_t)hold_ns(r));
}

/* Ticks up to a time, as far as the newest sample speaks for them. */
static void send_until(struct resample *r, int64_t time_ns)
{
	if (!r->started)
		return;
	int64_t reach = reach_ns(r), last = time_ns < reach ? time_ns : reach;
	while (r->started && tick_ns(r) <= last)
		send(r, tick_ns(r));
}

static bool is_replay(const struct resample *r)
{
	return r->host->stream(r->host)->flags & HP_STREAM_REPLAY;
}

/* How long after its own time a tick is sent. */
static int64_t delay_ns(const struct resample *r)
{
	return guard + (r->mode == INTERPOLATE ? r->track.now.time_ns - r->track.was.time_ns : 0);
}

static void arm(struct resample *r)
{
	if (is_replay(r))
		return;
	bool more = r->started && tick_ns(r) <= reach_ns(r);
	r->host->timer_at(r->timer, more ? tick_ns(r) + delay_ns(r) + (int64_t)r->skew_ns : -1);
}

static void on_time(void *self)
{
	struct resample *r = self;
	if (!r->started)
		return;
	send_until(r, r->host->now(r->host) - (int64_t)r->skew_ns - delay_ns(r));
	arm(r);
}

/* ---- samples and events --------------------------------------------------------------------------------------------
 */

/* Sample time against this machine's clock: the smallest difference is the one without a detour on the way. */
static void watch_clock(struct resample *r, const struct hp_sample *s, bool first)
{
	double skew = (double)(int64_t)((uint64_t)s->arrival_ns - (uint64_t)s->time_ns);
	if (first || skew < r->skew_ns)
		r->skew_ns = skew;
	else
		r->skew_ns += (skew - r->skew_ns) * skew_rise;
}

static void learn_latency(struct resample *r, const struct hp_sample *s, bool first)
{
	if (!r->latency_auto || !(s->latency_ms >= 0))
		return;
	double latency = quat_clamp(s->latency_ms / 1000, 0, r->track.lead_limit);
	bool mean = r->latency_known && !first;
	r->latency_to = mean ? r->latency_to + (latency - r->latency_to) * latency_share : latency;
	r->latency_known = true;
	if (first)
		r->track.latency = latency;
}

/* A longer one is believed at once. Not taken for one: a silence. */
static void learn_interval(struct resample *r, double ns)
{
	if (!(ns > 0 && ns <= (double)longest_bridge))
		return;
	if (ns > r->interval_ns)
		r->interval_ns = ns;
	else
		r->interval_ns += (ns - r->interval_ns) * interval_share;
}

static struct vec rate_of(const struct resample *r, const struct hp_sample *s, struct quat q, bool first)
{
	double dt = track_seconds(s->time_ns, r->track.now.time_ns);
	struct vec rate = rotation_vec(s->angvel);
	if (!(s->flags & HP_ANGVEL) && first)
		return (struct vec){ 0, 0, 0 };
	if (!(s->flags & HP_ANGVEL) && dt <= 0)
		return r->track.now.rate;
	if (!(s->flags & HP_ANGVEL)) {
		rate = vec_scale(rotation_between(r->track.now.q, q), own_share / dt);
		rate = vec_mad(rate, 1 - own_share, r->track.now.rate);
	}
	return vec_dot(rate, rate) < fastest * fastest ? rate : (struct vec){ 0, 0, 0 };
}

/* Whether the velocity is what the gyroscope reads, up to its faults. */
static bool is_measured(const struct hp_sample *s)
{
	struct vec gyro = rotation_vec(s->gyro), off = vec_sub(rotation_vec(s->angvel), gyro);
	return s->flags & HP_GYRO && s->flags & HP_ANGVEL && vec_length(off) < 0.15 * vec_length(gyro) + 5 * RADIANS;
}

static void begin(struct resample *r, const struct hp_sample *s, const struct knot *k)
{
	double since = track_seconds(s->time_ns, r->origin_ns);
	bool aligned = r->started && s->time_ns >= r->track.now.time_ns && since >= 0 && since < 1e9;
	track_begin(&r->track, k);
	r->jump = true;
	if (!aligned) {
		r->origin_ns = s->time_ns;
		r->tick = 0;
	} else if (tick_ns(r) < s->time_ns) {
		/* on with the same grid, behind the silence */
		r->tick = (int64_t)ceil(since * 1e9 / r->step_ns);
	}
	r->started = true;
}

static int filter(void *self, struct hp_sample *s)
{
	struct resample *r = self;
	if (!hp_sample_finite(s))
		return -EDOM;
	struct quat q = rotation_of(s);
	int64_t longest = r->mode == INTERPOLATE ? longest_bridge : hold_ns(r);
	double since = track_seconds(s->time_ns, r->track.now.time_ns);
	bool first =
	    !r->started || r->restart || (s->flags & HP_JUMP) || !(since >= 0 && since * 1e9 <= (double)longest);
	struct knot k = { s->time_ns, q, rate_of(r, s, q, first), { 0, 0, 0 }, is_measured(s) };
	if (s->flags & HP_POS)
		k.pos = rotation_pos(s, r->track.now.pos);
	if (r->started && s->time_ns > r->track.now.time_ns)
		send_until(r, s->time_ns - 1);
	if (r->started)
		learn_interval(r, since * 1e9);
	watch_clock(r, s, first);
	learn_latency(r, s, first);
	r->restart = false;
	r->last = *s;
	if (first)
		begin(r, s, &k);
	else
		track_take(&r->track, &k, tick_ns(r) - (int64_t)r->step_ns);
	if (r->mode == PREDICT || first || is_replay(r))
		send_until(r, s->time_ns);
	arm(r);
	return HP_DROP;
}

static int reset(void *self)
{
	struct resample *r = self;
	r->started = r->restart = r->jump = false;
	r->interval_ns = 0;
	if (r->timer)
		r->host->timer_at(r->timer, -1);
	return 0;
}

static void event(void *self, const struct hp_event *e)
{
	struct resample *r = self;
	if (r->started) /* what came before the event goes out before it */
		send_until(r, r->mode == INTERPOLATE ? r->track.now.time_ns : e->time_ns);
	if (e->type == HP_CONNECTED || e->type == HP_DISCONNECTED)
		reset(self);
	else if (e->type == HP_RECENTER || e->type == HP_REFERENCE_RESET || e->type == HP_GAP)
		r->restart = true;
}

static int open(void *self, const struct hp_host *host)
{
	struct resample *r = self;
	r->host = host;
	r->step_ns = 1e9 / r->rate;
	r->latency_auto = false;
	int rc = changed(self);
	if (rc < 0)
		return rc;
	r->timer = host->timer(host, on_time, r);
	return r->timer ? 0 : -ENOMEM;
}

static void stop(void *self)
{
	struct resample *r = self;
	r->host->timer_at(r->timer, -1);
	r->started = false;
}

HP_MODULE(resample) = {
	HP_MODULE_HEAD,
	.kind = HP_FILTER,
	.name = "resample",
	.summary = "an even, fast stream of poses from a slow or uneven one: predicted, or interpolated a little later",
	.options = options,
	.state_size = sizeof(struct resample),
	.open = open,
	.filter = filter,
	.event = event,
	.changed = changed,
	.check = check,
	.reset = reset,
	.stop = stop,
};
