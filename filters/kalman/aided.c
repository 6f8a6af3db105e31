/* SPDX-License-Identifier: MIT
 * aided.c - the gyroscope-aided filter of aided.h. */
#include "aided.h"

static const double surprise_time = 0.2;      /* s; over which misfits are averaged                    */
static const double surprise_mean = 2.25 * 3; /* (1.5 deviations)^2, three axes: more is not this noise */
static const double surprise_once = 36 * 3;   /* (6 deviations)^2: a step                              */
static const double one_sided = 4;            /* times the squared mean misfit that white noise leaves */
static const double between = 0.1;            /* of a reading's change: what two readings leave unknown */

void aided_start(struct aided *f, struct quat measured, struct vec reading, const struct aided_noise *noise)
{
	f->q = measured;
	f->reading = reading;
	f->misfit = (struct vec){ 0, 0, 0 };
	f->aa = noise->pose * noise->pose;
	f->ab = f->square = 0;
	f->surprise = 3;
	trim_skip(&f->trim);
}

struct vec aided_rate(const struct aided *f, struct vec reading)
{
	return vec_sub(trim_scaled(&f->trim, reading), f->bias);
}

void aided_set_bias(struct aided *f, struct vec bias, double deviation)
{
	f->bias = bias;
	f->bb = deviation * deviation;
	f->ab = 0;
}

static void predict(struct aided *f, struct vec reading, double dt, const struct aided_noise *noise)
{
	struct vec change = vec_sub(reading, f->reading), mean = vec_mad(f->reading, 0.5, change);
	struct vec turn = vec_sub(trim_turn(&f->trim, mean, change, dt), vec_scale(f->bias, dt));
	f->q = rotation_turn(f->q, turn);
	f->reading = reading;
	double unknown = noise->gyro * noise->gyro + between * between * vec_dot(change, change);
	f->aa += dt * (-2 * f->ab + dt * (f->bb + unknown));
	f->ab -= dt * f->bb;
	f->bb += noise->walk * noise->walk * dt;
}

/* More noise than was said is none of the gyroscope's fault: that changes sides from pose to pose. */
static bool is_surprised(struct aided *f, struct vec e, double expected, double dt)
{
	double square = vec_dot(e, e), nis = square / expected, by = dt / (dt + surprise_time);
	f->surprise += (nis - f->surprise) * by;
	f->square += (square - f->square) * by;
	f->misfit = vec_mad(f->misfit, by, vec_sub(e, f->misfit));
	return nis > surprise_once ||
	       (f->surprise > surprise_mean && vec_dot(f->misfit, f->misfit) * (2 - by) > one_sided * by * f->square);
}

bool aided_step(struct aided *f, struct quat measured, struct vec reading, double dt, const struct aided_noise *noise)
{
	double r = noise->pose * noise->pose;
	predict(f, reading, dt, noise);
	struct vec e = rotation_between(f->q, measured);
	bool surprised = is_surprised(f, e, f->aa + r, dt);
	if (surprised) {
		f->aa += vec_dot(e, e);
		f->surprise = 3;
	}
	double s = f->aa + r, ka = f->aa / s, kb = f->ab / s;
	f->q = rotation_turn(f->q, vec_scale(e, ka));
	f->bias = vec_mad(f->bias, kb, e);
	f->bb -= kb * f->ab;
	f->ab -= ka * f->ab;
	f->aa -= ka * f->aa;
	struct vec angle, bias;
	trim_learn(&f->trim, e, fmax(s, f->square / 3), ka, kb, dt, &angle, &bias);
	f->q = rotation_turn(f->q, angle);
	f->bias = vec_add(f->bias, bias);
	return !surprised;
}
