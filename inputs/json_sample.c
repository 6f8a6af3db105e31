/* SPDX-License-Identifier: MIT
 * json_sample.c - samples from JSON objects, parsed by jansson. */
#include "json_sample.h"
#include "pose/basis.h"
#include "pose/pose.h"
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

struct reader {
	json_t *object;
	char *why;
	size_t why_size;
	bool bad;
};

/* The first of two names (the second may be NULL) that is there and not null. */
static json_t *find(const struct reader *r, const char **name, const char *other)
{
	json_t *v = json_object_get(r->object, *name);
	if (!v && other && (v = json_object_get(r->object, other)))
		*name = other;
	return json_is_null(v) ? NULL : v;
}

static bool refuse(struct reader *r, const char *name, const char *what)
{
	if (!r->bad)
		snprintf(r->why, r->why_size, "`%s` must be %s", name, what);
	r->bad = true;
	return false;
}

/* A list of n finite numbers. False: not there, or wrong (r->bad). */
static bool numbers(struct reader *r, const char *name, const char *other, size_t n, double *out)
{
	static const char *const what[] = { "", "", "", "a list of 3 numbers", "a list of 4 numbers" };
	json_t *v = find(r, &name, other);
	if (!v)
		return false;
	if (!json_is_array(v) || json_array_size(v) != n)
		return refuse(r, name, what[n]);
	for (size_t i = 0; i < n; i++) {
		json_t *item = json_array_get(v, i);
		out[i] = json_number_value(item);
		if (!json_is_number(item) || !isfinite(out[i]))
			return refuse(r, name, what[n]);
	}
	return true;
}

static bool number(struct reader *r, const char *name, const char *other, double *out)
{
	json_t *v = find(r, &name, other);
	if (!v)
		return false;
	double d = json_number_value(v);
	if (!json_is_number(v) || !isfinite(d))
		return refuse(r, name, "a number");
	*out = d;
	return true;
}

static bool integer(struct reader *r, const char *name, const char *other, int64_t max, int64_t *out)
{
	json_t *v = find(r, &name, other);
	if (!v)
		return false;
	if (!json_is_integer(v) || json_integer_value(v) > max || (max == UINT32_MAX && json_integer_value(v) < 0))
		return refuse(r, name, max == UINT32_MAX ? "a whole number from 0 to 4294967295" : "a whole number");
	*out = json_integer_value(v);
	return true;
}

/* The pose: the most exact form that is there counts. A rotation vector is kept beside a quaternion, because
 * `orientation` reads it. */
static bool pose(struct reader *r, struct hp_sample *s)
{
	double ypr[3] = { 0, 0, 0 };
	bool quat = numbers(r, "quat", "quaternion", 4, s->quat);
	bool rotvec = numbers(r, "rotvec", "rotationVector", 3, s->rotvec);
	if (r->bad)
		return false;
	if (quat) {
		double n = sqrt(s->quat[0] * s->quat[0] + s->quat[1] * s->quat[1] + s->quat[2] * s->quat[2] +
		                s->quat[3] * s->quat[3]);
		if (!(n > 0.5 && n < 2)) /* rounding is repaired, something that is no rotation is not */
			return refuse(r, "quat", "a rotation: w, x, y, z of length 1");
		hp_quat_normalize(s->quat);
	} else if (rotvec) {
		double turn =
		    sqrt(s->rotvec[0] * s->rotvec[0] + s->rotvec[1] * s->rotvec[1] + s->rotvec[2] * s->rotvec[2]);
		if (!(turn < 1e6))
			return refuse(r, "rotvec", "a rotation in rad");
		hp_quat_from_rotvec(s->rotvec, s->quat);
	}
	if (rotvec)
		s->flags |= HP_ROTVEC;
	if (quat || rotvec)
		return true;
	bool angles = numbers(r, "ypr", "yprDegrees", 3, ypr);
	if (!angles && !r->bad) {
		angles = number(r, "yaw", NULL, &ypr[0]);
		angles |= number(r, "pitch", NULL, &ypr[1]);
		angles |= number(r, "roll", NULL, &ypr[2]);
	}
	for (int i = 0; i < 3; i++)
		if (fabs(ypr[i]) > 1e6)
			return refuse(r, "ypr", "angles in degrees");
	if (!angles && !r->bad) {
		snprintf(r->why, r->why_size, "no pose in it: give quat, rotvec, ypr, or yaw, pitch and roll");
		r->bad = true;
	}
	if (!r->bad)
		hp_frame_quat_from_ypr(ypr, s->quat);
	return !r->bad;
}

static void device(struct reader *r, char *out)
{
	const char *name = "device";
	json_t *v = find(r, &name, NULL);
	const char *text = json_string_value(v);
	if (v && (!text || json_string_length(v) >= HP_JSON_DEVICE_MAX || strlen(text) != json_string_length(v)))
		refuse(r, name, "a text of at most 255 bytes");
	else if (v)
		memcpy(out, text, strlen(text) + 1);
}

int hp_json_to_sample(const char *text, size_t n, struct hp_json_sample *out, char *why, size_t why_size)
{
	json_error_t error;
	struct hp_sample *s = &out->sample;
	int64_t count = 0;
	*out = (struct hp_json_sample){ .sample = HP_SAMPLE_INIT };
	struct reader r = { .object = json_loadb(text, n, JSON_REJECT_DUPLICATES, &error),
		            .why = why,
		            .why_size = why_size };
	if (!r.object) {
		snprintf(why, why_size, "not JSON: %s", error.text);
		return -EINVAL;
	}
	if (!json_is_object(r.object)) {
		snprintf(why, why_size, "not a JSON object");
		json_decref(r.object);
		return -EINVAL;
	}
	pose(&r, s);
	s->flags |= numbers(&r, "pos", "position", 3, s->pos) ? HP_POS : 0;
	s->flags |= numbers(&r, "gyro", "gyroscope", 3, s->gyro) ? HP_GYRO : 0;
	s->flags |= numbers(&r, "accel", "accelerometer", 3, s->accel) ? HP_ACCEL : 0;
	out->has_time = integer(&r, "time_ns", NULL, INT64_MAX, &s->time_ns);
	s->flags |= integer(&r, "device_ns", NULL, INT64_MAX, &s->device_ns) ? HP_DEVCLK : 0;
	number(&r, "rate_hz", "packetsPerSecond", &s->rate_hz);
	number(&r, "latency_ms", "receiveLatencyMs", &s->latency_ms);
	out->has_reset_count = integer(&r, "reset_count", "resetCounter", UINT32_MAX, &count);
	s->reset_count = (uint32_t)count;
	device(&r, out->device);
	json_decref(r.object);
	return r.bad ? -EINVAL : 0;
}
