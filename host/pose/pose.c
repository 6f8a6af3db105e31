/* SPDX-License-Identifier: MIT
 * pose.c - quaternions, rotation vectors and angles: the forms of pose.h over the formulas of quat.h. */
#include "pose.h"
#include "quat.h"

static struct quat load(const double q[4])
{
	return (struct quat){ q[0], q[1], q[2], q[3] };
}

static void store(struct quat q, double out[4])
{
	out[0] = q.w;
	out[1] = q.x;
	out[2] = q.y;
	out[3] = q.z;
}

static void store_vec(struct vec v, double out[3])
{
	out[0] = v.x;
	out[1] = v.y;
	out[2] = v.z;
}

void hp_quat_normalize(double q[4])
{
	store(quat_normalize(load(q)), q);
}

void hp_quat_multiply(const double a[4], const double b[4], double out[4])
{
	store(quat_multiply(load(a), load(b)), out);
}

void hp_quat_from_rotvec(const double v[3], double out[4])
{
	store(quat_from_rotvec((struct vec){ v[0], v[1], v[2] }), out);
}

void hp_quat_to_rotvec(const double q[4], double out[3])
{
	store_vec(quat_unit_to_rotvec(quat_normalize(load(q))), out);
}

void hp_quat_to_ypr(const double q[4], double out[3])
{
	store_vec(quat_unit_to_ypr(quat_normalize(load(q))), out);
}

void hp_quat_slerp(const double a[4], const double b[4], double t, double out[4])
{
	store(quat_unit_slerp(quat_normalize(load(a)), quat_normalize(load(b)), t), out);
}

void hp_sample_derive(struct hp_sample *s)
{
	if ((s->flags & (HP_ROTVEC | HP_YPR)) == (HP_ROTVEC | HP_YPR))
		return;
	struct quat q = quat_normalize(load(s->quat));
	if (!(s->flags & HP_ROTVEC))
		store_vec(quat_unit_to_rotvec(q), s->rotvec);
	if (!(s->flags & HP_YPR))
		store_vec(quat_unit_to_ypr(q), s->ypr);
	s->flags |= HP_ROTVEC | HP_YPR;
}

/* x - x is 0 for a finite x and NaN for any other: a sum of them asks for all at once, two by two, without a branch per
 * value. */
typedef double pair __attribute__((vector_size(16), aligned(8), may_alias));

static inline pair blank2(const double *v)
{
	pair p = *(const pair *)(const void *)v;
	return p - p;
}

static inline pair blank3(const double *v)
{
	return blank2(v) + blank2(v + 1);
}

bool hp_sample_finite(const struct hp_sample *s)
{
	_Static_assert(offsetof(struct hp_sample, ypr) == offsetof(struct hp_sample, rotvec) + 3 * sizeof(double) &&
	                   offsetof(struct hp_sample, latency_ms) ==
	                       offsetof(struct hp_sample, rate_hz) + sizeof(double),
	               "read in pairs");
	pair sum = blank2(s->quat) + blank2(s->quat + 2), more = blank2(&s->rate_hz);
	if ((s->flags & (HP_ROTVEC | HP_YPR)) == (HP_ROTVEC | HP_YPR)) {
		sum += blank2(s->rotvec) + blank2(s->rotvec + 2); /* the last of one and the first of the other */
		more += blank2(s->ypr + 1);
	} else if (s->flags & HP_ROTVEC) {
		sum += blank3(s->rotvec);
	} else if (s->flags & HP_YPR) {
		more += blank3(s->ypr);
	}
	if (s->flags & HP_GYRO)
		sum += blank3(s->gyro);
	if (s->flags & HP_ACCEL)
		more += blank3(s->accel);
	if (s->flags & HP_POS)
		sum += blank3(s->pos);
	if (s->flags & HP_SAMPLE_APPENDED_FLAGS) {
#define HP_SAMPLE_APPENDED(member, kind, cell, name, unit, flag, ...) \
	more[0] += s->flags & (flag) ? s->member - s->member : 0;
#include "sample/fields.def"
	}
	sum += more;
	return sum[0] + sum[1] == 0;
}
