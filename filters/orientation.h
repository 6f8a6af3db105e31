/* SPDX-License-Identifier: MIT
 * orientation.h - the state of the filter `orientation`. Its own file so that tests can set what the options do not
 * allow but the reference did (an axis used twice, a negative threshold). */
#ifndef ORIENTATION_H
#define ORIENTATION_H
#include "headpipe.h"
#include "pose/quat.h"

struct orientation {
	/* options */
	struct hp_list axis_map, invert; /* of X, Y, Z */
	double smoothing, fast_movement, drift_correction;
	/* made from them */
	int from[3];
	double sign[3];
	/* state; it lives through reconnects and option changes */
	bool started, recenter;
	int64_t last_ns;
	struct quat filtered, centre, drift;
	struct vec bias, integral;
	bool drifted; /* drift is not the identity */
};
#endif
