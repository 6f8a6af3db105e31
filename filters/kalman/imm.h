/* SPDX-License-Identifier: MIT
 * imm.h - orientation and angular velocity from orientations alone: four Kalman filters of constant angular velocity
 * that expect no, little, ordinary and violent acceleration, mixed by how well each explains what is seen (interacting
 * multiple models: Blom and Bar-Shalom, IEEE Transactions on Automatic Control 33(8), 1988). */
#ifndef FILTERS_IMM_H
#define FILTERS_IMM_H
#include "pose/rotation.h"
#include <stdbool.h>

enum { IMM_MODELS = 4 };
struct imm_model {
	struct vec off;     /* its orientation is q exp(off); rad                                        */
	struct vec rate;    /* angular velocity in head axes, rad/s                                      */
	double aa, ar, rr;  /* covariance of angle and rate, the same for each axis: rad^2, rad^2/s, ... */
	double probability; /* of the model                                                              */
};
struct imm {
	struct quat q;     /* the best estimate: unit length              */
	struct vec rate;   /* its angular velocity, rad/s, in head axes   */
	struct vec misfit; /* measured minus predicted at the last step, rad */
	struct imm_model model[IMM_MODELS];
};

/* Begins anew at a measured orientation, at rest. */
void imm_start(struct imm *, struct quat measured, double noise);
/* dt > 0 s later; noise: standard deviation of the measured orientation per axis, rad, > 0. Returns false when no model
 * can explain the step (a jump): nothing is changed then but the prediction; start anew. */
bool imm_step(struct imm *, struct quat measured, double dt, double noise);
#endif
