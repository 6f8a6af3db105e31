/* SPDX-License-Identifier: MIT
 * imm.c - four-model filter of imm.h. The models differ by fractions of a degree, so each is kept as a small offset
 * from one common quaternion: one logarithm and one exponential per step serve all. */
#include "imm.h"

/* rad/s^2 per sqrt(Hz). These and the rates of switching were searched for: stillest and closest on made-up motion with
 * noise and on recorded heads (docs/pose.md). Four models rather than three: the second is there for 1 degree per
 * second. */
static const double density[IMM_MODELS] = { 0.05 * RADIANS, 3.7 * RADIANS, 74 * RADIANS, 510 * RADIANS };
static const double up = 2, down = 0.02, neighbour = 0.88; /* switching rates, 1/s; share of the next model */
static const double spread = 0.11;              /* of the models' differences that counts as uncertainty: those
                                                 * lie along one axis, the covariance is for all of them */
static const double rate_spread = 60 * RADIANS; /* rad/s; what the first velocity may be   */
static const double jump = 8;                   /* deviations of the most agile model  */

void imm_start(struct imm *f, struct quat measured, double noise)
{
	static const double first[IMM_MODELS] = { 0.4, 0.3, 0.2, 0.1 };
	f->q = measured;
	f->rate = f->misfit = (struct vec){ 0, 0, 0 };
	for (int i = 0; i < IMM_MODELS; i++)
		f->model[i] = (struct imm_model){ .aa = noise * noise,
			                          .rr = i ? rate_spread * rate_spread : 1e-6,
			                          .probability = first[i] };
}

/* Probability that model i was followed by model j: away from i in either direction, most of it to the next one. */
static void transitions(double dt, double p[IMM_MODELS][IMM_MODELS])
{
	const double rate[2] = { down * dt / (1 + down * dt), up * dt / (1 + up * dt) };
	for (int i = 0; i < IMM_MODELS; i++) {
		p[i][i] = 1;
		for (int side = 0; side < 2; side++) {
			int step = side ? 1 : -1, last = side ? IMM_MODELS - 1 : 0;
			double left = rate[side];
			for (int j = i + step; j >= 0 && j < IMM_MODELS; j += step) {
				p[i][j] = j == last ? left : left * neighbour;
				left -= p[i][j];
				p[i][i] -= p[i][j];
			}
		}
	}
}

/* What each model begins the step with: a mixture of all, as far as they may have been the one before. */
static void mix(struct imm *f, double dt)
{
	double p[IMM_MODELS][IMM_MODELS];
	struct imm_model old[IMM_MODELS];
	transitions(dt, p);
	for (int i = 0; i < IMM_MODELS; i++)
		old[i] = f->model[i];
	for (int j = 0; j < IMM_MODELS; j++) {
		struct imm_model m = { .probability = 0 };
		double share[IMM_MODELS];
		for (int i = 0; i < IMM_MODELS; i++)
			m.probability += share[i] = p[i][j] * old[i].probability;
		for (int i = 0; i < IMM_MODELS; i++) {
			share[i] /= m.probability;
			m.off = vec_mad(m.off, share[i], old[i].off);
			m.rate = vec_mad(m.rate, share[i], old[i].rate);
		}
		for (int i = 0; i < IMM_MODELS; i++) {
			struct vec o = vec_sub(old[i].off, m.off), r = vec_sub(old[i].rate, m.rate);
			m.aa += share[i] * (old[i].aa + spread * vec_dot(o, o));
			m.ar += share[i] * (old[i].ar + spread * vec_dot(o, r));
			m.rr += share[i] * (old[i].rr + spread * vec_dot(r, r));
		}
		f->model[j] = m;
	}
}

static void predict(struct imm *f, double dt)
{
	for (int i = 0; i < IMM_MODELS; i++) {
		struct imm_model *m = &f->model[i];
		double q = density[i] * density[i] * dt;
		/* the offset turns with the head against which it is written */
		m->off = vec_mad(m->off, dt, vec_sub(vec_sub(m->rate, f->rate), vec_cross(f->rate, m->off)));
		m->aa += dt * (2 * m->ar + dt * (m->rr + q / 3));
		m->ar += dt * (m->rr + q / 2);
		m->rr += q;
	}
	f->q = rotation_turn(f->q, vec_scale(f->rate, dt));
}

bool imm_step(struct imm *f, struct quat measured, double dt, double noise)
{
	double likelihood[IMM_MODELS], exponent[IMM_MODELS], best = -1e300, sum = 0, r = noise * noise;
	mix(f, dt);
	predict(f, dt);
	struct vec e = rotation_between(f->q, measured);
	f->misfit = e;
	for (int i = 0; i < IMM_MODELS; i++) {
		struct imm_model *m = &f->model[i];
		struct vec left = vec_sub(e, m->off);
		double s = m->aa + r, miss = vec_dot(left, left) / s;
		if (i == IMM_MODELS - 1 && miss > jump * jump)
			return false;
		exponent[i] = -miss / 2;
		best = exponent[i] > best ? exponent[i] : best;
		likelihood[i] = 1 / (s * sqrt(s));
		double ka = m->aa / s, kr = m->ar / s;
		m->off = vec_mad(m->off, ka, left);
		m->rate = vec_mad(m->rate, kr, left);
		m->rr -= kr * m->ar;
		m->ar -= ka * m->ar;
		m->aa -= ka * m->aa;
	}
	for (int i = 0; i < IMM_MODELS; i++)
		sum += f->model[i].probability *= likelihood[i] * exp(exponent[i] - best);
	struct vec off = { 0, 0, 0 }, rate = { 0, 0, 0 };
	for (int i = 0; i < IMM_MODELS; i++) {
		struct imm_model *m = &f->model[i];
		m->probability = quat_clamp(m->probability / sum, 1e-9, 1);
		off = vec_mad(off, m->probability, m->off);
		rate = vec_mad(rate, m->probability, m->rate);
	}
	for (int i = 0; i < IMM_MODELS; i++)
		f->model[i].off = vec_sub(f->model[i].off, off);
	f->q = rotation_turn(f->q, off);
	f->rate = rate;
	return true;
}
