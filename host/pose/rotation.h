/* SPDX-License-Identifier: MIT
 * rotation.h - small rotations for the filters of poses: quaternion and rotation vector without sine, cosine or arc
 * cosine where a few terms of the series are as good as they. */
#ifndef HP_ROTATION_H
#define HP_ROTATION_H
#include "headpipe.h"
#include "quat.h"

#define RADIANS (QUAT_PI / 180)

static inline struct vec vec_add(struct vec a, struct vec b)
{
	return (struct vec){ a.x + b.x, a.y + b.y, a.z + b.z };
}
static inline struct vec vec_sub(struct vec a, struct vec b)
{
	return (struct vec){ a.x - b.x, a.y - b.y, a.z - b.z };
}
static inline struct vec vec_scale(struct vec a, double k)
{
	return (struct vec){ a.x * k, a.y * k, a.z * k };
}
/* a + k b */
static inline struct vec vec_mad(struct vec a, double k, struct vec b)
{
	return (struct vec){ a.x + k * b.x, a.y + k * b.y, a.z + k * b.z };
}
static inline double vec_dot(struct vec a, struct vec b)
{
	return a.x * b.x + a.y * b.y + a.z * b.z;
}
static inline double vec_length(struct vec a)
{
	return sqrt(vec_dot(a, a));
}
static inline struct vec vec_cross(struct vec a, struct vec b)
{
	return (struct vec){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

/* Rotation vector (rad) to quaternion. Below .2 rad the series' next term is below 1e-14. */
static inline struct quat rotation_exp(struct vec v)
{
	double h = vec_dot(v, v) / 4; /* half angle, squared */
	if (h > 0.01)
		return quat_from_rotvec(v);
	double s = (1 - h / 6 * (1 - h / 20 * (1 - h / 42 * (1 - h / 72)))) / 2;
	return (struct quat){ 1 - h / 2 * (1 - h / 12 * (1 - h / 30 * (1 - h / 56))), v.x * s, v.y * s, v.z * s };
}

/* The shorter way round from the unit quaternion a to b, as a rotation vector (rad) in the axes of a: a exp(v) = b. */
static inline struct vec rotation_between(struct quat a, struct quat b)
{
	struct quat d = { a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z, a.w * b.x - a.x * b.w - a.y * b.z + a.z * b.y,
		          a.w * b.y + a.x * b.z - a.y * b.w - a.z * b.x,
		          a.w * b.z - a.x * b.y + a.y * b.x - a.z * b.w };
	double s2 = d.x * d.x + d.y * d.y + d.z * d.z, f;
	if (s2 < 0.003) /* asin(s) / s */
		f = 2 * (1 + s2 * (1.0 / 6 + s2 * (3.0 / 40 + s2 * (15.0 / 336 + s2 * (105.0 / 3456)))));
	else
		f = 2 * atan2(sqrt(s2), fabs(d.w)) / sqrt(s2);
	f = d.w < 0 ? -f : f;
	return (struct vec){ d.x * f, d.y * f, d.z * f };
}

/* q exp(v), of unit length */
static inline struct quat rotation_turn(struct quat q, struct vec v)
{
	return quat_multiply(q, rotation_exp(v));
}

/* A sample's pose, of unit length. */
static inline struct quat rotation_of(const struct hp_sample *s)
{
	return quat_normalize((struct quat){ s->quat[0], s->quat[1], s->quat[2], s->quat[3] });
}
/* Gives a sample another pose; the other forms of the old one are no longer valid. */
static inline void rotation_set(struct hp_sample *s, struct quat q)
{
	s->quat[0] = q.w;
	s->quat[1] = q.x;
	s->quat[2] = q.y;
	s->quat[3] = q.z;
	s->flags &= ~(unsigned)(HP_ROTVEC | HP_YPR);
}
/* Vectors of a sample. */
static inline struct vec rotation_vec(const double v[3])
{
	return (struct vec){ v[0], v[1], v[2] };
}
/* A sample's position in cm; the one before where it has none, or one where no head can be (10 km), whose square would
 * spoil what a filter remembers. */
static inline struct vec rotation_pos(const struct hp_sample *s, struct vec before)
{
	struct vec p = rotation_vec(s->pos);
	return s->flags & HP_POS && vec_dot(p, p) < 1e12 ? p : before;
}
static inline void rotation_set_vec(double out[3], struct vec v)
{
	out[0] = v.x;
	out[1] = v.y;
	out[2] = v.z;
}
#endif
