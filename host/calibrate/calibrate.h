/* SPDX-License-Identifier: MIT
 * calibrate.h - how a sensor sits on a head and how it names its axes, found from four things that the head does:
 * looking straight ahead, a nod, a turn to the left, a tilt to the right. Pure: samples in, answers out.
 *
 * A device sends d, its own orientation in axes of its own, as a rotation from head to world or the other way round.
 * With d0 at rest, d0^-1 d turns about an axis of the head and d d0^-1 about one of the world (or, for the other sense,
 * the other way round and backwards). Nod, turn and tilt give three axes of the head in the device's words; they are
 * right- handed when the device sends head to world, and left-handed when it does not. The turn also gives the vertical
 * in the device's words: it says which of the device's axes are up in the world, and of the four orders of axes that
 * are left the one is taken that leaves the smallest tilt. */
#ifndef HP_CALIBRATE_H
#define HP_CALIBRATE_H
#include "pose/quat.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hp_cal_step { HP_CAL_AHEAD, HP_CAL_NOD, HP_CAL_TURN, HP_CAL_TILT, HP_CAL_DONE };
enum { HP_CAL_SAMPLES = 4096 };

/* One motion: away from rest and back. */
struct hp_cal_motion {
	struct vec head, world; /* mean axes of d0^-1 d and d d0^-1, unit length      */
	double degrees;         /* how far it went                                     */
	double steady;          /* 1 = about one axis all the time; 0 = about any      */
};
struct hp_cal_sample {
	struct quat d;
	struct vec gyro; /* rad/s, as the device sends it */
	double t;        /* s */
	bool has_gyro;
};
/* Zeroed before. Follows the samples through the steps. */
struct hp_cal {
	enum hp_cal_step step;  /* what the head is to do now */
	bool moving;            /* and that it has begun to   */
	double began, last_far; /* s, of this step; when the pose was last seen away from where it is now */
	bool started;
	int64_t first_ns;
	struct quat lately; /* the rest as it was up to 0.2 s ago, taken at lately_t */
	double lately_t;
	struct quat rest, still; /* where the step began; where the pose stays at the moment */
	struct hp_cal_motion motion[4];
	struct hp_cal_sample *buffer; /* HP_CAL_SAMPLES of them; the caller's */
	size_t n, skip, skipped;      /* every skip-th sample is kept when it takes long */
	double gyro[3][3], gyro_energy, pose_energy,
	    gyro_back[3][3]; /* sums over pieces of motion: turn of the pose
	                      * (head's and backwards) times integral of gyro */
	bool has_gyro;
	const char *trouble; /* why the last motion did not count; NULL = it did */
};
/* One sample as the device sent it: rotvec in rad, gyro in rad/s or NULL. Returns true when the step changed, or when
 * trouble says why it has to be done again. */
bool hp_cal_feed(struct hp_cal *, int64_t time_ns, const double rotvec[3], const double *gyro);

struct hp_cal_answer {
	char axis_map[4], invert[5];      /* words for `mount`: "YXZ", "XZ" or "none"          */
	char gyro_map[5], gyro_invert[5]; /* "same", or what fits better                       */
	double tilt[3];                   /* yaw, pitch, roll, degrees                         */
	bool mirrored;                    /* the device sends world to head                    */
	double error;                     /* degrees: how far the three axes are from being at right angles, at most */
	double level;                     /* degrees between the turn's axis in the world and an axis of the device  */
	double gyro_cosine, gyro_gain;    /* of the turns by gyro against those of the pose; 0 = no gyro             */
	const char *problem;              /* why there is no answer, or NULL                   */
};
void hp_cal_solve(const struct hp_cal *, struct hp_cal_answer *);

/* Puts the answer into the text of an ini: changes the keys of the section that uses `mount`, or adds one below the
 * first input; `orientation`, when there is one, is told that the axes are in order. Comments and everything else stay.
 * NULL: out of memory, or no input (then *why). The caller frees. */
char *hp_cal_edit(const char *ini, const struct hp_cal_answer *, const char **why);
/* The section as text, for `mount`; the size of buf should be 512. */
void hp_cal_section(const struct hp_cal_answer *, char *buf, size_t size);
#endif
