/* SPDX-License-Identifier: MIT
 * synth.c - made-up head motion: the same options and seed give the same samples, bit for bit on one libm.
 * Time starts at 0 and goes on in steps of 1/rate, so nothing depends on when or how fast it runs. */
#include "headpipe.h"
#include "pose/pose.h"
#include "run/inside.h"
#include <errno.h>
#include <math.h>
#include <string.h>

enum { BATCH = 32 }; /* samples per turn of the loop, so that other work gets its turn */
enum motion { SINE, RAMP, STEPS, STILL };
#define RADIANS (3.14159265358979323846 / 180.0)

struct synth {
	int motion, frame;
	double rate, speed, yaw, pitch, roll, noise;
	int64_t period, duration, count, seed;

	const struct hp_host *host;
	struct hp_timer *timer;
	uint64_t random, next, end; /* number of the next sample; of the first one that is not sent */
	int64_t started_ns;
	bool over;
};
static const struct hp_option options[] = {
	HP_OPT_ENUM(struct synth, motion, "sine", "sine|ramp|steps|still",
	            "sine: all axes swing; ramp: up and down at constant speed; steps: 0, +, 0, -; still: no motion"),
	HP_OPT_REAL(struct synth, rate, "100", 0.01, 100000, "samples per second", 0, "Hz", 10, 1000),
	HP_OPT_NS(struct synth, period, "4s", 0.001, 86400, "time until the motion of yaw repeats", 0, NULL, 0.5, 60),
	HP_OPT_REAL(struct synth, yaw, "40", -180, 180, "largest yaw, degrees (+ left)", 0, "deg", 0, 90),
	HP_OPT_REAL(struct synth, pitch, "20", -89, 89, "largest pitch, degrees (+ down)", 0, "deg", 0, 60),
	HP_OPT_REAL(struct synth, roll, "10", -180, 180, "largest roll, degrees (+ right)", 0, "deg", 0, 45),
	HP_OPT_REAL(struct synth, noise, "0.02", 0, 45,
	            "standard deviation of the noise on each axis, degrees; 0 = none", 0, "deg", 0, 2),
	HP_OPT_INT(struct synth, seed, "1", 0, 4294967295, "another seed gives other noise"),
	HP_OPT_NS(struct synth, duration, "0s", 0, 31536000, "how long in the time of the samples; 0s = for ever"),
	HP_OPT_INT(struct synth, count, "0", 0, 1000000000000, "how many samples; 0 = no limit"),
	HP_OPT_REAL(struct synth, speed, "1", 0, 1000, "1 = in real time, 2 = twice as fast, 0 = as fast as possible",
	            0, NULL, 0, 4),
	HP_OPT_ENUM(
	    struct synth, frame, "head", "head|device",
	    "head: the frame of all samples; device: as an Android head tracker sends it, for `orientation` below"),
	HP_OPT_END
};

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t random_u64(struct synth *s)
{
	uint64_t z = s->random += 0x9e3779b97f4a7c15u;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}
/* Twelve uniform numbers: deviation 1, no libm, so the same everywhere. */
static double random_normal(struct synth *s)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += (double)(random_u64(s) >> 11) * 0x1p-53;
	return sum;
}

/* Position and speed per second of one axis with amplitude 1; `turns` = time / period of this axis. */
static void shape(enum motion m, double turns, double per_second, double *at, double *speed)
{
	double phase = turns - floor(turns);
	*at = *speed = 0;
	switch (m) {
	case SINE:
		*at = sin(360 * RADIANS * phase);
		*speed = cos(360 * RADIANS * phase) * 360 * RADIANS * per_second;
		break;
	case RAMP: /* 0 up to 1, down to -1, up to 0 */
		*speed = phase < 0.25 || phase >= 0.75 ? 4 * per_second : -4 * per_second;
		*at = phase < 0.25 ? 4 * phase : phase < 0.75 ? 2 - 4 * phase : 4 * phase - 4;
		break;
	case STEPS: /* a jump takes no time: the speed stays 0 */
		*at = phase < 0.25 ? 0 : phase < 0.5 ? 1 : phase < 0.75 ? 0 : -1;
		break;
	case STILL:
		break;
	}
}
/* Angles (rad, yaw pitch roll) and their speeds (rad/s) at a time in seconds. Pitch moves twice, roll three times per
 * period, so that the axes do not stand still together. */
static void motion_at(const struct synth *s, double t, double a[3], double v[3])
{
	const double amplitude[3] = { s->yaw * RADIANS, s->pitch * RADIANS, s->roll * RADIANS };
	double per_second = 1e9 / (double)s->period;
	for (int i = 0; i < 3; i++) {
		shape((enum motion)s->motion, t * per_second * (i + 1), per_second * (i + 1), &a[i], &v[i]);
		a[i] *= amplitude[i];
		v[i] *= amplitude[i];
	}
}
/* Rz(yaw) Ry(pitch) Rx(roll) */
static void angles_to_quat(const double a[3], double q[4])
{
	double cy = cos(a[0] / 2), sy = sin(a[0] / 2), cp = cos(a[1] / 2), sp = sin(a[1] / 2);
	double cr = cos(a[2] / 2), sr = sin(a[2] / 2);
	q[0] = cy * cp * cr + sy * sp * sr;
	q[1] = cy * cp * sr - sy * sp * cr;
	q[2] = cy * sp * cr + sy * cp * sr;
	q[3] = sy * cp * cr - cy * sp * sr;
	hp_quat_normalize(q);
}
/* Angular velocity as a sensor on the head measures it, from the speeds of those angles. */
static void body_rates(const double a[3], const double v[3], double w[3])
{
	w[0] = v[2] - v[0] * sin(a[1]);
	w[1] = v[1] * cos(a[2]) + v[0] * cos(a[1]) * sin(a[2]);
	w[2] = v[0] * cos(a[1]) * cos(a[2]) - v[1] * sin(a[2]);
}
/* What `orientation` turns back with axis_map = YXZ and invert = XZ: out = -y, x, -z. */
static void to_device(double v[3])
{
	double x = v[0];
	v[0] = v[1];
	v[1] = -x;
	v[2] = -v[2];
}

/* Exact for whole rates: sample k is at k seconds / rate, without adding up rounded steps. */
static int64_t sample_time(const struct synth *s, uint64_t k)
{
	double whole = floor(s->rate);
	if (whole == s->rate) {
		uint64_t r = (uint64_t)whole;
		return (int64_t)(k / r * 1000000000 + k % r * 1000000000 / r);
	}
	return (int64_t)((double)k * (1e9 / s->rate));
}
static void make(struct synth *s, struct hp_sample *out)
{
	double a[3], v[3], noise[3];
	int64_t t = sample_time(s, s->next);
	*out = (struct hp_sample)HP_SAMPLE_INIT;
	motion_at(s, (double)t / 1e9, a, v);
	if (s->noise > 0)
		for (int i = 0; i < 3; i++) {
			noise[i] = random_normal(s) * s->noise * RADIANS;
			a[i] += noise[i];
		}
	angles_to_quat(a, out->quat);
	hp_quat_to_rotvec(out->quat, out->rotvec);
	body_rates(a, v, out->gyro);
	if (s->noise > 0) /* a gyro of the same quality: as many degrees per second */
		for (int i = 0; i < 3; i++)
			out->gyro[i] += random_normal(s) * s->noise * RADIANS;
	if (s->frame == 1) {
		to_device(out->rotvec);
		to_device(out->gyro);
		/* the decoder's way: the rotation vector is what came, the quaternion follows from it */
		hp_quat_from_rotvec(out->rotvec, out->quat);
	}
	out->flags = HP_ROTVEC | HP_GYRO | (s->next ? 0 : HP_JUMP);
	out->time_ns = t;
	out->rate_hz = s->rate;
}

static int64_t due_ns(const struct synth *s, uint64_t k)
{
	return s->speed > 0 ? s->started_ns + (int64_t)((double)sample_time(s, k) / s->speed) : 0;
}
static void turn(void *arg)
{
	struct synth *s = arg;
	struct hp_sample sample;
	struct hp_item item = { .struct_size = sizeof item, .nsamples = 1, .samples = &sample };
	if (s->over)
		return;
	int64_t now = s->host->now(s->host);
	if (s->speed == 0 && s->host->behind && s->host->behind(s->host)) {
		s->host->timer_at(s->timer, now + 1000000);
		return;
	}
	for (int n = 0; n < BATCH && s->next < s->end && due_ns(s, s->next) <= now; n++) {
		make(s, &sample);
		if (s->speed > 0)
			hp_inside_due(s->host, due_ns(s, s->next));
		s->next++;
		if (s->host->emit(s->host, &item) == -EPIPE || s->over) {
			s->over = true;
			return;
		}
	}
	if (s->next < s->end) {
		s->host->timer_at(s->timer, due_ns(s, s->next));
		return;
	}
	s->over = true;
	s->host->fail(s->host, 0, NULL);
}

static int synth_open(void *self, const struct hp_host *host)
{
	struct synth *s = self;
	s->host = host;
	s->timer = host->timer(host, turn, s);
	return s->timer ? 0 : -ENOMEM;
}
static int synth_start(void *self)
{
	struct synth *s = self;
	s->random = (uint64_t)s->seed;
	s->end = s->count ? (uint64_t)s->count : UINT64_MAX;
	if (s->duration) {
		/* the samples with time < duration */
		uint64_t n = (uint64_t)ceil((double)s->duration * s->rate / 1e9);
		while (n && sample_time(s, n - 1) >= s->duration)
			n--;
		while (sample_time(s, n) < s->duration)
			n++;
		if (n < s->end)
			s->end = n;
	}
	s->host->describe(s->host, &(struct hp_stream){
	                               .struct_size = sizeof(struct hp_stream),
	                               .device = "headpipe synth",
	                               .flags = HP_STREAM_REPLAY,
	                           });
	struct hp_event event = { .struct_size = sizeof event, .type = HP_CONNECTED, .text = "headpipe synth" };
	s->host->emit(s->host, &(struct hp_item){ .struct_size = sizeof(struct hp_item), .event = &event });
	s->started_ns = s->host->now(s->host);
	return s->host->timer_at(s->timer, s->started_ns);
}
static void synth_stop(void *self)
{
	struct synth *s = self;
	s->over = true;
	if (s->timer)
		s->host->timer_at(s->timer, -1);
}
HP_MODULE(synth) = {
	HP_MODULE_HEAD,     .kind = HP_INPUT,
	.name = "synth",    .summary = "made-up head motion, the same in every run",
	.options = options, .state_size = sizeof(struct synth),
	.open = synth_open, .start = synth_start,
	.stop = synth_stop,
};
