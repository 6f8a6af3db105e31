/* SPDX-License-Identifier: MIT
 * neck.c - a position for trackers that only know how the head turns: the eyes are in front of and above the joint they
 * turn about, so a nod moves them down and forward and a look to the side moves them aside.
 *
 * With v from the joint to the middle of the eyes, in the head's axes, the position is q * v - v: zero while the head
 * looks ahead. Defaults: the lengths that head-mounted displays use (Oculus SDK: 8.05 cm ahead, 7.5 cm up). */
#include "headpipe.h"
#include "pose/quat.h"

enum { KEEP, ADD, REPLACE };
struct neck {
	double forward, up;
	int measured;
};
static const struct hp_option options[] = {
	HP_OPT_REAL(struct neck, forward, "8", -30, 30, "cm from the joint of the neck to the eyes, ahead", HP_LIVE,
	            "cm", 0, 20),
	HP_OPT_REAL(struct neck, up, "7.5", -30, 30, "cm from the joint of the neck to the eyes, up", HP_LIVE, "cm", 0,
	            20),
	HP_OPT_ENUM(struct neck, measured, "keep", "keep|add|replace",
	            "when the tracker has a position: keep it as it is, add to it, or replace it", HP_LIVE),
	HP_OPT_END,
};

static int filter(void *self, struct hp_sample *s)
{
	const struct neck *n = self;
	bool has = s->flags & HP_POS;
	if (has && n->measured == KEEP)
		return HP_KEEP;
	struct vec eyes = quat_rotate(quat_normalize(quat_load(s->quat)), (struct vec){ n->forward, 0, n->up });
	bool add = has && n->measured == ADD;
	s->pos[0] = (add ? s->pos[0] : 0) + (eyes.x - n->forward);
	s->pos[1] = (add ? s->pos[1] : 0) + eyes.y;
	s->pos[2] = (add ? s->pos[2] : 0) + (eyes.z - n->up);
	s->flags |= HP_POS;
	return HP_KEEP;
}

HP_MODULE(neck) = {
	HP_MODULE_HEAD,
	.kind = HP_FILTER,
	.name = "neck",
	.summary = "believable x, y, z for trackers without a position: the head turns about the neck",
	.options = options,
	.state_size = sizeof(struct neck),
	.filter = filter,
};
