/* SPDX-License-Identifier: MIT
 * constant.c - an input that sends but does not move is named, once until it has moved.
 *
 * A real sensor has noise: a pose that stays the same to the last bit is a headset that is not worn, or a program that
 * repeats itself. While it moves one sample a second is compared with the one before; only when those two are equal
 * every sample is, so that a motion whose period fits into a second is not taken for rest. Time is the samples' own, so
 * a replay says the same at any speed, and no timer wakes up. */
#include "constant.h"
#include "base/log.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 10, ANGLES = 7 };

struct hp_constant {
	int64_t after, step; /* ns; step: between two looks while it moves */
	int64_t since;       /* sample time of the first of the equal ones */
	double pose[VALUES]; /* quaternion, rotation vector, position; what is not there is 0 */
	bool any;            /* there is a pose */
	bool slept;          /* samples since then were not looked at */
	bool named;
};

int hp_constant_open(struct hp_node *n, int64_t after)
{
	if (!after)
		return 0;
	n->constant = calloc(1, sizeof *n->constant);
	if (!n->constant)
		return -ENOMEM;
	n->constant->after = after;
	n->constant->step = after < 1000000000 ? after : 1000000000;
	return 0;
}

void hp_constant_close(struct hp_node *n)
{
	free(n->constant);
	n->constant = NULL;
}

static void pose_of(const struct hp_sample *s, double pose[VALUES])
{
	memset(pose, 0, VALUES * sizeof *pose);
	memcpy(pose, s->quat, sizeof s->quat);
	if (s->flags & HP_ROTVEC)
		memcpy(pose + 4, s->rotvec, sizeof s->rotvec);
	if (s->flags & HP_POS)
		memcpy(pose + ANGLES, s->pos, sizeof s->pos);
}

/* A digit that flickers is no motion: a headset on a table would be named again and again. */
static bool moved(const double a[VALUES], const double b[VALUES])
{
	for (int i = 0; i < VALUES; i++)
		if (fabs(a[i] - b[i]) > (i < ANGLES ? 0.001 : 0.1)) /* about 0.1 degrees; 1 mm */
			return true;
	return false;
}

static int64_t later(const struct hp_constant *c, int64_t now)
{
	return now < INT64_MAX - c->step ? now + c->step : INT64_MAX;
}

/* One more sample with the same pose. */
static int64_t same(struct hp_node *n, int64_t now)
{
	struct hp_constant *c = n->constant;
	if (c->slept || now < c->since) {
		c->slept = false;
		c->since = now;
	}
	if ((uint64_t)now - (uint64_t)c->since < (uint64_t)c->after)
		return INT64_MIN;
	c->named = true;
	hp_log(HP_LOG_WARN, n->who,
	       "sends, but its pose has been the same to the last bit for %.3g s: not worn, head tracking switched "
	       "off, or "
	       "a source that repeats itself? (told once until it moves)",
	       (double)c->after / 1e9);
	return later(c, now);
}

int64_t hp_constant_look(struct hp_node *n, const struct hp_sample *s, bool jump)
{
	struct hp_constant *c = n->constant;
	double pose[VALUES];
	if (!c)
		return INT64_MAX;
	pose_of(s, pose);
	if (c->named && !moved(pose, c->pose))
		return later(c, s->time_ns);
	if (c->named)
		hp_log(HP_LOG_INFO, n->who, "moves again");
	else if (c->any && !jump && !memcmp(pose, c->pose, sizeof pose))
		return same(n, s->time_ns);
	bool first = !c->any || jump;
	memcpy(c->pose, pose, sizeof pose);
	c->since = s->time_ns;
	c->any = true;
	c->named = false;
	c->slept = !first;
	return first ? INT64_MIN : later(c, s->time_ns);
}
