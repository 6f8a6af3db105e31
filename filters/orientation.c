/* SPDX-License-Identifier: MIT
 * orientation.c - from a device's raw rotation to a steady head pose: axis map, smoothing that gives way to fast
 * motion, slow drift correction, centre. The reference's filter in its exact order of operations, so that the same
 * reports give the same bits; quat.h has the formulas. */
#include "orientation.h"
#include "api/builtin.h"
#include "pose/pose.h"
#include <errno.h>
#include <string.h>

#define DT_LONGEST 0.1  /* s; a longer silence counts as this   */
#define STILL      0.08 /* rad/s; below it drift is learned      */
#define GAIN_MOST  0.01 /* of the bias estimate, per sample      */
#define FAST_LEAST 0.01 /* rad/s; smaller thresholds count as it */

static const struct hp_option options[] = {
	HP_OPT_LIST(struct orientation, axis_map, "YXZ", "X|Y|Z", "which of the device's axes becomes x, y and z",
	            HP_LIVE | HP_PERMUTATION),
	HP_OPT_LIST(struct orientation, invert, "XZ", "X|Y|Z", "axes to turn round after that", HP_LIVE | HP_SET),
	HP_OPT_REAL(struct orientation, smoothing, "0.18", 0.001, 1,
	            "share of the new rotation that is taken over per sample at rest; 1 = no smoothing", HP_LIVE, NULL,
	            0.05, 1),
	HP_OPT_REAL(struct orientation, fast_movement, "2.5", 0.01, 1000,
	            "speed of turning at which smoothing has given way altogether", HP_LIVE, "rad/s", 0.5, 10),
	HP_OPT_REAL(struct orientation, drift_correction, "0.002", 0, 10,
	            "how fast drift is learned while the head is still; 0 = off", HP_LIVE, "1/s", 0, 0.05),
	HP_OPT_END,
};

static int changed(void *self)
{
	struct orientation *o = self;
	for (int i = 0; i < 3; i++) {
		o->from[i] = o->axis_map.at[i];
		o->sign[i] = 1;
	}
	for (uint32_t i = 0; i < o->invert.n; i++)
		o->sign[o->invert.at[i]] = -1;
	return 0;
}

static int reset(void *self)
{
	struct orientation *o = self;
	o->started = o->recenter = o->drifted = false;
	o->drift = (struct quat){ 1, 0, 0, 0 };
	o->bias = o->integral = (struct vec){ 0, 0, 0 };
	return 0;
}

static int open(void *self, const struct hp_host *host)
{
	struct orientation *o = self;
	(void)host;
	reset(o);
	return changed(o);
}

static int command(void *self, const char *verb)
{
	struct orientation *o = self;
	if (strcmp(verb, "recenter") != 0)
		return -ENOTSUP;
	o->recenter = true;
	return 0;
}

static struct vec remap(const struct orientation *o, const double v[3])
{
	return (struct vec){ v[o->from[0]] * o->sign[0], v[o->from[1]] * o->sign[1], v[o->from[2]] * o->sign[2] };
}

static void store(struct vec v, double out[3])
{
	out[0] = v.x;
	out[1] = v.y;
	out[2] = v.z;
}

/* While the head is still what the gyroscope says is its bias; the pose is turned back by what that adds up to. */
static void learn_drift(struct orientation *o, struct vec w, double dt)
{
	double k = quat_clamp(o->drift_correction * dt, 0, GAIN_MOST);
	o->bias.x += (w.x - o->bias.x) * k;
	o->bias.y += (w.y - o->bias.y) * k;
	o->bias.z += (w.z - o->bias.z) * k;
	o->integral.x += o->bias.x * dt;
	o->integral.y += o->bias.y * dt;
	o->integral.z += o->bias.z * dt;
	o->drift = quat_from_rotvec(o->integral);
	o->drifted = o->drift.w != 1 || o->drift.x != 0 || o->drift.y != 0 || o->drift.z != 0;
}

static int filter(void *self, struct hp_sample *s)
{
	struct orientation *o = self;
	if (!(s->flags & HP_ROTVEC))
		hp_quat_to_rotvec(s->quat, s->rotvec);
	struct vec w = { 0, 0, 0 };
	struct quat raw = quat_from_rotvec(remap(o, s->rotvec));
	if (s->flags & HP_GYRO) {
		w = remap(o, s->gyro);
		store(w, s->gyro);
	}
	if (s->flags & HP_ACCEL)
		store(remap(o, s->accel), s->accel);

	if (!o->started) {
		o->filtered = o->centre = raw;
		o->last_ns = s->time_ns;
		o->started = true;
	}
	if (o->recenter) {
		o->recenter = o->drifted = false;
		o->centre = raw;
		o->drift = (struct quat){ 1, 0, 0, 0 };
		o->bias = o->integral = (struct vec){ 0, 0, 0 };
	}
	/* the difference wraps around as unsigned would: no overflow, whatever a recording claims */
	int64_t elapsed = (int64_t)((uint64_t)s->time_ns - (uint64_t)o->last_ns);
	double dt = quat_clamp((double)elapsed / 1e9, 0, DT_LONGEST);
	o->last_ns = s->time_ns;
	double speed = sqrt(w.x * w.x + w.y * w.y + w.z * w.z);
	double fast = quat_clamp(speed / (o->fast_movement > FAST_LEAST ? o->fast_movement : FAST_LEAST), 0, 1);
	double alpha = quat_clamp(o->smoothing + (1 - o->smoothing) * fast, 0.001, 1);
	/* the reference normalizes both again inside its slerp: a length one bit off 1 is corrected there */
	o->filtered = quat_unit_slerp(quat_normalize(o->filtered), quat_normalize(raw), alpha);
	if (speed < STILL && o->drift_correction > 0)
		learn_drift(o, w, dt);

	struct quat out = quat_multiply(quat_conj(o->centre), o->filtered);
	/* times the identity: the values stay, only zeros may change sign */
	if (o->drifted || out.w == 0 || out.x == 0 || out.y == 0 || out.z == 0)
		out = quat_multiply(quat_conj(o->drift), out);
	else
		out = quat_normalize(out);
	s->quat[0] = out.w;
	s->quat[1] = out.x;
	s->quat[2] = out.y;
	s->quat[3] = out.z;
	s->flags &= ~(unsigned)(HP_ROTVEC | HP_YPR);
	hp_sample_derive(s);
	return HP_KEEP;
}

HP_MODULE(orientation) = {
	HP_MODULE_HEAD,
	.kind = HP_FILTER,
	.traits = HP_READS_ROTVEC,
	.name = "orientation",
	.summary = "steady head pose from a tracker's raw rotation: axes, smoothing, drift, centre",
	.options = options,
	.state_size = sizeof(struct orientation),
	.open = open,
	.filter = filter,
	.changed = changed,
	.reset = reset,
	.command = command,
};
