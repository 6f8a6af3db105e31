/* SPDX-License-Identifier: MIT
 * motion.h - known head motion, and what a tracker would report of it: the truth that filters are judged against. */
#ifndef JUDGE_MOTION_H
#define JUDGE_MOTION_H
#include "chain.h"

/* All begin the same way: from 0 to 6 s the head turns about each axis (so that a filter may see what the gyroscope is
 * like and learn its bias), then it rests until JUDGE_START. */
enum judge_motion {
	JUDGE_STILL,  /* rests                                  */
	JUDGE_SLOW,   /* 1 deg/s                                */
	JUDGE_WALK,   /* 10 deg/s                               */
	JUDGE_TURN,   /* 60 deg/s                               */
	JUDGE_PAN,    /* 60 deg in .6 s, minimum jerk           */
	JUDGE_GLANCE, /* 20 deg in .3 s, minimum jerk           */
	JUDGE_NOD,    /* +-15 deg of pitch, once a second       */
	JUDGE_MOTIONS
};
#define JUDGE_START 9.0 /* s */
extern const char *const judge_motion_name[JUDGE_MOTIONS];
/* Seconds from the start of the motion to the end of what is judged. */
double judge_motion_length(enum judge_motion);
/* Head to world at a time in s. */
void judge_motion_pose(enum judge_motion, double time, double quat[4]);
/* The direction in head axes in which it turns, and how far it has turned since JUDGE_START, degrees. */
extern const double judge_motion_axis[3];
double judge_motion_angle(enum judge_motion, double time);

enum judge_gyro { JUDGE_GYRO_NONE, JUDGE_GYRO_GOOD, JUDGE_GYRO_BIASED, JUDGE_GYRO_SWAPPED, JUDGE_GYRO_SIGNS };
struct judge_tracker {
	double rate;    /* reports per second                                                       */
	double latency; /* s from motion to arrival                                                 */
	double noise;   /* standard deviation per axis, degrees                                     */
	double colour;  /* time constant of that noise, s; 0 = white                                */
	double quantum; /* step of the reported rotation vector, degrees; 0 = as fine as a double   */
	enum judge_gyro gyro;
	uint64_t seed; /* another one gives other noise                                            */
};
/* Numbers of a seed, the same on every machine: splitmix64, and 12 of them for a normal one. */
double judge_random_normal(uint64_t *state);
/* Noise on a sample as the tracker adds it; keeps what coloured noise remembers in memory[3]. */
struct judge_noise {
	uint64_t random;
	double memory[3];
	bool started;
};
void judge_noise_pose(struct judge_noise *, const struct judge_tracker *, double dt, struct hp_sample *);
/* and on its gyroscope */
void judge_noise_add(struct judge_noise *, const struct judge_tracker *, double dt, struct hp_sample *);
/* Report number i of the motion. */
void judge_motion_sample(enum judge_motion, const struct judge_tracker *, struct judge_noise *, uint64_t i,
                         struct hp_sample *);
#endif
