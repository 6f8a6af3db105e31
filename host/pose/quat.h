/* SPDX-License-Identifier: MIT
 * quat.h - the formulas behind pose.h as inline functions, for the two places where a call per step would show.
 * The order of every sum is the reference's and must stay: it decides the last bit. */
#ifndef HP_QUAT_H
#define HP_QUAT_H
#include <float.h>
#include <math.h>

/* The Makefile's last flags see to this; here for builds without it. */
#if defined __FAST_MATH__ || (defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__)
#error \
    "headpipe's bytes and its refusal of NaN need real arithmetic: build without -Ofast, -ffast-math, -ffinite-math-only"
#endif
#if FLT_EVAL_METHOD != 0
#error "headpipe's bytes need doubles that are rounded at every step: on 32-bit x86 build with -msse2 -mfpmath=sse"
#endif

#define QUAT_TINY    1e-12
#define QUAT_PI      3.14159265358979323846
#define QUAT_DEGREES (180.0 / QUAT_PI)

struct quat {
	double w, x, y, z;
};
struct vec {
	double x, y, z;
};

static inline struct quat quat_load(const double q[4])
{
	return (struct quat){ q[0], q[1], q[2], q[3] };
}
static inline void quat_store(struct quat q, double out[4])
{
	out[0] = q.w;
	out[1] = q.x;
	out[2] = q.y;
	out[3] = q.z;
}

/* Written so that NaN passes through, as std::clamp lets it. */
static inline double quat_clamp(double v, double lo, double hi)
{
	return v < lo ? lo : hi < v ? hi : v;
}

/* A length of exactly 1 needs no division: x / 1.0 is x. Most calls meet a quaternion that is normalized already. */
static inline struct quat quat_normalize(struct quat q)
{
	double n = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
	if (n == 1.0)
		return q;
	if (n < QUAT_TINY)
		return (struct quat){ 1, 0, 0, 0 };
	return (struct quat){ q.w / n, q.x / n, q.y / n, q.z / n };
}

static inline struct quat quat_multiply(struct quat a, struct quat b)
{
	return quat_normalize((struct quat){
	    a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
	    a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
	    a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
	    a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
	});
}

static inline struct quat quat_conj(struct quat q)
{
	return (struct quat){ q.w, -q.x, -q.y, -q.z };
}

/* v turned by a normalized q: 2 u (u v) + (w^2 - u u) v + 2 w (u x v), u = x y z of q. */
static inline struct vec quat_rotate(struct quat q, struct vec v)
{
	double along = 2 * (q.x * v.x + q.y * v.y + q.z * v.z);
	double stays = q.w * q.w - (q.x * q.x + q.y * q.y + q.z * q.z), across = 2 * q.w;
	return (struct vec){
		along * q.x + stays * v.x + across * (q.y * v.z - q.z * v.y),
		along * q.y + stays * v.y + across * (q.z * v.x - q.x * v.z),
		along * q.z + stays * v.z + across * (q.x * v.y - q.y * v.x),
	};
}

static inline void quat_rotate_in_place(struct quat q, double v[3])
{
	struct vec r = quat_rotate(q, (struct vec){ v[0], v[1], v[2] });
	v[0] = r.x;
	v[1] = r.y;
	v[2] = r.z;
}
/* The part of a normalized q that turns about z, radians: what q turns about the vertical when it is q = Rz * (the
 * shortest tilt). 0 where that says nothing (a tilt of 180 degrees). */
static inline double quat_turn_about_z(struct quat q)
{
	double a = q.z * q.z + q.w * q.w > QUAT_TINY ? 2 * atan2(q.z, q.w) : 0;
	return a > QUAT_PI ? a - 2 * QUAT_PI : a <= -QUAT_PI ? a + 2 * QUAT_PI : a;
}
static inline struct quat quat_about_z(double radians)
{
	return (struct quat){ cos(radians / 2), 0, 0, sin(radians / 2) };
}

static inline struct quat quat_from_rotvec(struct vec v)
{
	double angle = sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
	if (angle < QUAT_TINY)
		return (struct quat){ 1, 0, 0, 0 };
	double half = angle / 2,
	       s = sin(half) / angle; /* sin and cos of one value: the compiler makes it one sincos() */
	return quat_normalize((struct quat){ cos(half), v.x * s, v.y * s, v.z * s });
}

/* The next two want a normalized quaternion. */
static inline struct vec quat_unit_to_rotvec(struct quat q)
{
	if (q.w < 0)
		q = (struct quat){ -q.w, -q.x, -q.y, -q.z };
	double half = acos(quat_clamp(q.w, -1, 1)), s = sin(half);
	if (fabs(s) < QUAT_TINY)
		return (struct vec){ 0, 0, 0 };
	double f = 2 * half / s;
	return (struct vec){ q.x * f, q.y * f, q.z * f };
}

/* yaw, pitch, roll in degrees: Tait-Bryan angles about z, y, x */
static inline struct vec quat_unit_to_ypr(struct quat q)
{
	double yaw = atan2(2 * (q.w * q.z + q.x * q.y), 1 - 2 * (q.y * q.y + q.z * q.z));
	double pitch = asin(quat_clamp(2 * (q.w * q.y - q.z * q.x), -1, 1));
	double roll = atan2(2 * (q.w * q.x + q.y * q.z), 1 - 2 * (q.x * q.x + q.y * q.y));
	return (struct vec){ yaw * QUAT_DEGREES, pitch * QUAT_DEGREES, roll * QUAT_DEGREES };
}

/* The next one wants two normalized quaternions. */
static inline struct quat quat_unit_slerp(struct quat a, struct quat b, double t)
{
	t = quat_clamp(t, 0, 1);
	double dot = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z;
	if (dot < 0) {
		b = (struct quat){ -b.w, -b.x, -b.y, -b.z };
		dot = -dot;
	}
	if (dot > 0.9995)
		return quat_normalize((struct quat){ a.w + t * (b.w - a.w), a.x + t * (b.x - a.x),
		                                     a.y + t * (b.y - a.y), a.z + t * (b.z - a.z) });
	double angle = acos(quat_clamp(dot, -1, 1)), s = sin(angle);
	double ka = sin((1 - t) * angle) / s, kb = sin(t * angle) / s;
	return quat_normalize(
	    (struct quat){ ka * a.w + kb * b.w, ka * a.x + kb * b.x, ka * a.y + kb * b.y, ka * a.z + kb * b.z });
}
#endif
