/* SPDX-License-Identifier: MIT
 * kalman.c - the filter `kalman`: a still pose without lag. With a gyroscope that turns as the pose does it follows the
 * gyroscope and lets the measured orientation correct it (kalman/aided.h); without one, or while the two do not agree
 * (kalman/agree.h), the orientations alone must do (kalman/imm.h). Whichever takes over starts where the other one was.
 * The other fields of a sample stay as they are; angvel is filled in. */
#include "filters/kalman/advice.h"
#include "filters/kalman/agree.h"
#include "filters/kalman/aided.h"
#include "filters/kalman/imm.h"
#include "headpipe.h"
#include "pose/pose.h"
#include <errno.h>

static const double longest_step = 0.5;         /* s; a longer silence is a new beginning                    */
static const double quiet_start = 10;           /* s; a device's own fusion may still be finding its way     */
static const double long_enough = 10;           /* s of disagreement after which it is said without the axes */
static const double fastest = 1000;             /* rad/s; no gyroscope reads more                            */
static const double handover = 0.1;             /* s; time constant of the step from one estimate to another */
static const double bias_walk = 0.01 * RADIANS; /* rad/s per square root of a second                         */
static const double bias_unknown = 1 * RADIANS, bias_learned = 0.3 * RADIANS; /* rad/s                         */
static const double distrust = 2.5, forgive = 0.5; /* so many surprises at once; s after which one counts less */

static const double latest = 0.03, lags_long = 2; /* s; a gyroscope later than that for so long is given up    */
static const double trim_sure = 10;               /* s of following it until its faults are known well         */

enum { AUTO, ALWAYS, NEVER };
struct kalman {
	/* options */
	double stillness, gyro_noise;
	int gyro;
	/* state */
	const struct hp_host *host;
	struct imm imm;     /* in use while not trusted */
	struct aided aided; /* in use while trusted     */
	struct agree agree;
	bool started, forget, restart; /* restart: at the next sample; forget: also what was learned of the device */
	bool trusted, told, told_trim;
	bool late;                 /* the gyroscope turns so much later than the pose that it is of no use */
	double lags;               /* s of following it in which it looked like that                       */
	double trimmed;            /* s of following it since its faults were looked at                 */
	int64_t last_ns, first_ns; /* sample times: the last one, the first since the device was connected */
	bool has_reading;
	struct vec reading; /* the last one */
	struct vec step;    /* from the estimate to what goes out, fading; rad */
	double surprises;   /* recent ones of the aided estimate */
	double disagreed;   /* s of motion in disagreement since the start-up time was over */
};

static const struct hp_option options[] = {
	HP_OPT_REAL(
	    struct kalman, stillness, "0.1", 0.001, 5,
	    "noise in the measured orientation to take away: more is stiller, and slower to believe a small motion",
	    HP_LIVE, "deg", 0.01, 1),
	HP_OPT_ENUM(struct kalman, gyro, "auto", "auto|yes|no",
	            "whether to follow the device's gyroscope: auto = while it turns as the pose does", HP_LIVE),
	HP_OPT_REAL(struct kalman, gyro_noise, "0.1", 0.001, 20, "standard deviation of one gyroscope reading", HP_LIVE,
	            "deg/s", 0.01, 2),
	HP_OPT_END,
};

static int reset(void *self)
{
	struct kalman *k = self;
	k->started = false;
	k->forget = true;
	return 0;
}

static int open(void *self, const struct hp_host *host)
{
	struct kalman *k = self;
	k->host = host;
	return reset(self);
}

static void event(void *self, const struct hp_event *e)
{
	struct kalman *k = self;
	if (e->type == HP_CONNECTED)
		reset(self);
	else if (e->type == HP_RECENTER || e->type == HP_REFERENCE_RESET || e->type == HP_GAP)
		k->restart = true;
}

/* Seconds; the difference wraps around as unsigned would: no overflow, whatever a recording claims. */
static double elapsed(int64_t time_ns, int64_t since_ns)
{
	return (double)(int64_t)((uint64_t)time_ns - (uint64_t)since_ns) / 1e9;
}

/* ---- whether the gyroscope can be trusted ------------------------------------------------------------------ */

/* Said once. */
static void say(struct kalman *k, bool *said, int level, const char *text)
{
	*said = true;
	k->host->log(k->host, level, text);
}

/* Not before it is clear which axes would fit, or that nothing does. */
static void tell(struct kalman *k)
{
	char text[ADVICE_SIZE];
	if (!k->told && advice_axes(&k->agree, k->disagreed >= long_enough, text))
		say(k, &k->told, HP_LOG_WARN, text);
}

static void tell_late(struct kalman *k)
{
	char text[ADVICE_SIZE];
	if (k->told)
		return;
	advice_late(&k->aided.trim, text);
	say(k, &k->told, HP_LOG_WARN, text);
}

/* Takes the gyroscope over, or goes on without it; in either case from where the other estimate was. */
static void set_trust(struct kalman *k, bool trusted, struct vec reading, const struct aided_noise *noise)
{
	if (trusted == k->trusted)
		return;
	k->trusted = trusted;
	k->surprises = 0;
	if (trusted) {
		bool known = k->agree.bias_time > 1;
		aided_start(&k->aided, k->imm.q, reading, noise);
		if (known)
			aided_set_bias(&k->aided, k->agree.bias, bias_learned);
		else
			aided_set_bias(&k->aided, (struct vec){ 0, 0, 0 }, bias_unknown);
	} else {
		imm_start(&k->imm, k->aided.q, noise->pose);
	}
}

/* The step of an estimate that does not believe in what it said before is not shown at once. */
static void soften(struct kalman *k, struct quat before, struct quat after)
{
	k->step = vec_add(k->step, rotation_between(after, before));
}

/* What was found in a device's start-up time does not count any more. */
static void settle(struct kalman *k)
{
	agree_settled(&k->agree);
	if (k->late)
		trim_start(&k->aided.trim);
	k->late = false;
}

static void judge(struct kalman *k, struct quat measured, struct vec reading, double dt,
                  const struct aided_noise *noise, bool settled)
{
	if (settled && !k->agree.settled)
		settle(k);
	struct vec mean = k->has_reading ? vec_scale(vec_add(k->reading, reading), 0.5) : reading;
	if (!agree_step(&k->agree, measured, mean, dt) || k->gyro == ALWAYS)
		return;
	if (k->agree.verdict == AGREE_YES && k->late) {
		if (settled)
			tell_late(k);
	} else if (k->agree.verdict == AGREE_YES) {
		set_trust(k, true, reading, noise);
	} else if (k->agree.verdict == AGREE_NO) {
		set_trust(k, false, reading, noise);
		if (settled) {
			k->disagreed += k->agree.length;
			tell(k);
		}
	}
}

/* ---- the pose -------------------------------------------------------------------------------------------------- */

static void begin(struct kalman *k, struct quat measured, const struct vec *reading, const struct aided_noise *noise,
                  int64_t time_ns)
{
	if (k->forget) {
		agree_start(&k->agree);
		k->trusted = k->told = k->told_trim = k->late = false;
		k->disagreed = k->lags = k->trimmed = 0;
		k->first_ns = time_ns;
		aided_set_bias(&k->aided, (struct vec){ 0, 0, 0 }, bias_unknown);
		trim_start(&k->aided.trim);
	}
	k->trusted = reading && (k->trusted || k->gyro == ALWAYS);
	agree_skip(&k->agree);
	k->step = (struct vec){ 0, 0, 0 };
	k->surprises = 0;
	if (k->trusted)
		aided_start(&k->aided, measured, *reading, noise);
	else
		imm_start(&k->imm, measured, noise->pose);
	k->started = true;
	k->forget = k->restart = false;
}

/* A gyroscope that is late, or whose scale is wrong: how much of that is taken out is said once; much later than the
 * pose it is of no use. */
static void watch_trim(struct kalman *k, struct vec reading, double dt, const struct aided_noise *noise, bool settled)
{
	char text[ADVICE_SIZE];
	if (!k->trusted)
		return;
	k->lags = trim_delay(&k->aided.trim) > latest ? k->lags + dt : 0;
	k->late = k->lags > lags_long && k->gyro == AUTO;
	if (k->late)
		set_trust(k, false, reading, noise);
	k->trimmed = settled && !k->told_trim ? k->trimmed + dt : 0;
	if (k->trimmed < trim_sure)
		return;
	k->trimmed = 0;
	if (advice_trim(&k->aided.trim, text))
		say(k, &k->told_trim, HP_LOG_WARN, text);
}

static void follow_gyro(struct kalman *k, struct quat measured, struct vec reading, double dt,
                        const struct aided_noise *noise)
{
	k->surprises *= forgive / (forgive + dt);
	if (aided_step(&k->aided, measured, reading, dt, noise) || ++k->surprises < distrust || k->gyro == ALWAYS)
		return;
	struct quat before = k->aided.q;
	set_trust(k, false, reading, noise);
	agree_again(&k->agree);
	imm_start(&k->imm, measured, noise->pose);
	soften(k, before, measured);
}

static void advance(struct kalman *k, struct quat measured, const struct vec *reading, double dt,
                    const struct aided_noise *noise, int64_t time_ns)
{
	if (!reading)
		set_trust(k, false, k->reading, noise);
	else if (k->gyro == ALWAYS)
		set_trust(k, true, *reading, noise);
	bool settled = elapsed(time_ns, k->first_ns) > quiet_start;
	if (k->trusted) {
		follow_gyro(k, measured, *reading, dt, noise);
		watch_trim(k, *reading, dt, noise, settled);
	} else if (!imm_step(&k->imm, measured, dt, noise->pose)) {
		imm_start(&k->imm, measured, noise->pose);
	}
	if (reading && dt > 0)
		judge(k, measured, *reading, dt, noise, settled);
}

static int filter(void *self, struct hp_sample *s)
{
	struct kalman *k = self;
	if (!hp_sample_finite(s))
		return -EDOM;
	struct quat measured = rotation_of(s);
	struct aided_noise noise = { k->stillness * RADIANS, k->gyro_noise * RADIANS, bias_walk };
	struct vec here = rotation_vec(s->gyro);
	bool usable = (s->flags & HP_GYRO) && k->gyro != NEVER && vec_dot(here, here) < fastest * fastest;
	const struct vec *reading = usable ? &here : NULL;
	double dt = elapsed(s->time_ns, k->last_ns);
	if (!k->started || k->restart || (s->flags & HP_JUMP) || !(dt >= 0) || dt > longest_step)
		begin(k, measured, reading, &noise, s->time_ns);
	else
		advance(k, measured, reading, dt, &noise, s->time_ns);
	k->last_ns = s->time_ns;
	k->has_reading = reading != NULL;
	if (reading)
		k->reading = here;

	struct quat q = k->trusted ? k->aided.q : k->imm.q;
	struct vec rate = k->trusted ? aided_rate(&k->aided, here) : k->imm.rate;
	if (k->step.x != 0 || k->step.y != 0 || k->step.z != 0) {
		double keep = handover / (handover + (dt > 0 ? dt : 0));
		k->step = vec_dot(k->step, k->step) > 1e-12 ? vec_scale(k->step, keep) : (struct vec){ 0, 0, 0 };
		q = rotation_turn(q, k->step);
	}
	rotation_set(s, q);
	rotation_set_vec(s->angvel, rate);
	s->flags |= HP_ANGVEL;
	return HP_KEEP;
}

HP_MODULE(kalman) = {
	HP_MODULE_HEAD,
	.kind = HP_FILTER,
	.name = "kalman",
	.summary = "a still pose without lag: the gyroscope leads, the measured orientation corrects",
	.options = options,
	.state_size = sizeof(struct kalman),
	.open = open,
	.filter = filter,
	.reset = reset,
	.event = event,
};
