/* SPDX-License-Identifier: MIT
 * test_mount.c - the filter `mount` and the words for axes: a sensor with any order and signs of axes, tilted by up to
 * 60 degrees, must give the head's own pose, angular velocity and acceleration. */
#include "check.h"
#include "fake_host.h"
#include "pose/axis_map.h"
#include "pose/basis.h"
#include "pose/pose.h"
#include "pose/quat.h"

extern const struct hp_module hp_filter_mount;
static const struct hp_module *const mount = &hp_filter_mount;

static struct quat from_ypr(double yaw, double pitch, double roll)
{
	double ypr[3] = { yaw, pitch, roll }, q[4];
	hp_frame_quat_from_ypr(ypr, q);
	return (struct quat){ q[0], q[1], q[2], q[3] };
}
static double apart(struct quat a, struct quat b)
{
	struct quat d = quat_multiply(quat_conj(a), b);
	return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w)) * QUAT_DEGREES;
}
static const char *const maps[6] = { "XYZ", "xzy", "YXZ", "YZX", "ZXY", "ZYX" };
static const char *const inverts[8] = { "none", "X", "Y", "XY", "Z", "XZ", "YZ", "xyz" };

static void test_words(void **unused)
{
	char why[128];
	int wrong;
	struct hp_axis_map m;
	(void)unused;
	for (int i = 0; i < 48; i++) {
		double e[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, r[3][3];
		assert_int_equal(hp_axis_map_read(&m, maps[i / 8], inverts[i % 8], &wrong, why, sizeof why), 0);
		for (int k = 0; k < 3; k++)
			hp_axis_map_apply(&m, e[k], r[k]);
		double det = r[0][0] * (r[1][1] * r[2][2] - r[1][2] * r[2][1]) -
		             r[0][1] * (r[1][0] * r[2][2] - r[1][2] * r[2][0]) +
		             r[0][2] * (r[1][0] * r[2][1] - r[1][1] * r[2][0]);
		assert_true(det == hp_axis_map_sign(&m));
	}
	static const struct {
		const char *map, *invert;
		int wrong;
	} bad[] = { { "XY", "none", 0 },  { "XYX", "none", 0 }, { "XYZZ", "none", 0 }, { "", "none", 0 },
		    { "XYQ", "none", 0 }, { "XYZ", "", 1 },     { "XYZ", "XX", 1 },    { "XYZ", "nope", 1 } };
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		*why = 0;
		assert_int_equal(hp_axis_map_read(&m, bad[i].map, bad[i].invert, &wrong, why, sizeof why), -EINVAL);
		assert_int_equal(wrong, bad[i].wrong);
		assert_true(*why);
	}
}

static void *opened(const char *map, const char *invert, const char *gyro_map, const char *gyro_invert,
                    const double tilt[3])
{
	static struct fake_host f;
	static char text[3][32];
	fake_init(&f, "mount");
	void *state = fake_state(mount);
	fake_set(mount, state, "axis_map", map);
	fake_set(mount, state, "invert", invert);
	fake_set(mount, state, "gyro_map", gyro_map);
	fake_set(mount, state, "gyro_invert", gyro_invert);
	static const char *const keys[3] = { "yaw", "pitch", "roll" };
	for (int i = 0; i < 3; i++) {
		snprintf(text[i], sizeof text[i], "%.17g", tilt[i]);
		fake_set(mount, state, keys[i], text[i]);
	}
	assert_int_equal(mount->open(state, &f.host), 0);
	return state;
}
/* v_device such that the map makes v of it */
static void unmap(const struct hp_axis_map *m, const double v[3], double out[3])
{
	for (int i = 0; i < 3; i++)
		out[m->from[i]] = v[i] * m->sign[i];
}

static void test_any_mounting(void **unused)
{
	uint64_t r = 5;
	(void)unused;
	for (int i = 0; i < 48 * 40; i++) {
		int wrong, which = i % 48;
		char why[128];
		struct hp_axis_map m;
		hp_axis_map_read(&m, maps[which / 8], inverts[which % 8], &wrong, why, sizeof why);
		double tilt[3] = { random_real(&r, -60, 60), random_real(&r, -60, 60), random_real(&r, -60, 60) };
		struct quat t = from_ypr(tilt[0], tilt[1], tilt[2]);
		struct quat head =
		    from_ypr(random_real(&r, -180, 180), random_real(&r, -89, 89), random_real(&r, -180, 180));
		struct quat q = quat_multiply(head, t);
		double w[3] = { random_real(&r, -5, 5), random_real(&r, -5, 5), random_real(&r, -5, 5) };
		double a[3] = { random_real(&r, -9, 9), random_real(&r, -9, 9), random_real(&r, -9, 9) };
		/* what the device says of all this: in the sensor's axes, those named as it names them */
		struct vec sw = quat_rotate(quat_conj(t), (struct vec){ w[0], w[1], w[2] });
		struct vec sa = quat_rotate(quat_conj(t), (struct vec){ a[0], a[1], a[2] });
		struct vec rv = quat_unit_to_rotvec(q);
		struct hp_sample s = HP_SAMPLE_INIT;
		s.flags = HP_ROTVEC | HP_YPR | HP_GYRO | HP_ACCEL;
		unmap(&m, (double[]){ rv.x, rv.y, rv.z }, s.rotvec);
		double handed = hp_axis_map_sign(&m); /* what is no rotation has the axes, not the mirror */
		unmap(&m, (double[]){ sw.x * handed, sw.y * handed, sw.z * handed }, s.gyro);
		unmap(&m, (double[]){ sa.x * handed, sa.y * handed, sa.z * handed }, s.accel);
		hp_quat_from_rotvec(s.rotvec, s.quat);
		if (i % 3 == 0)
			s.flags &= ~(unsigned)HP_ROTVEC; /* from quat alone */
		void *state = opened(maps[which / 8], inverts[which % 8], "same", "same", tilt);
		assert_int_equal(mount->filter(state, &s), HP_KEEP);
		assert_true(hp_sample_finite(&s));
		struct quat got = { s.quat[0], s.quat[1], s.quat[2], s.quat[3] };
		if (apart(got, head) > 1e-6)
			fail_msg("%s %s: %g degrees off", maps[which / 8], inverts[which % 8], apart(got, head));
		for (int k = 0; k < 3; k++)
			assert_true(fabs(s.gyro[k] - w[k]) < 1e-9 && fabs(s.accel[k] - a[k]) < 1e-9);
		assert_false(s.flags & HP_YPR);
		free(state);
	}
}
/* Mounted 20 degrees nose down: a turn about the vertical stays one, and the nod is the head's. */
static void test_tilt_by_hand(void **unused)
{
	void *state = opened("XYZ", "none", "same", "same", (const double[]){ 0, 20, 0 });
	struct hp_sample s = HP_SAMPLE_INIT;
	struct quat q = quat_multiply(from_ypr(60, 0, 0), from_ypr(0, 20, 0));
	(void)unused;
	memcpy(s.quat, (double[]){ q.w, q.x, q.y, q.z }, sizeof s.quat);
	s.flags = HP_GYRO;
	s.gyro[0] = -sin(20 / QUAT_DEGREES); /* one rad/s about the vertical, in the sensor's axes */
	s.gyro[2] = cos(20 / QUAT_DEGREES);
	mount->filter(state, &s);
	hp_sample_derive(&s);
	assert_true(fabs(s.ypr[0] - 60) < 1e-9 && fabs(s.ypr[1]) < 1e-9 && fabs(s.ypr[2]) < 1e-9);
	assert_true(fabs(s.gyro[0]) < 1e-12 && fabs(s.gyro[1]) < 1e-12 && fabs(s.gyro[2] - 1) < 1e-12);
	free(state);
}
/* Nothing to do: not a bit changes. The gyroscope alone may have other axes. */
static void test_untouched(void **unused)
{
	static const double none[3] = { 0, 0, 0 };
	uint64_t r = 8;
	(void)unused;
	void *state = opened("XYZ", "none", "same", "same", none);
	struct hp_sample s = check_random_sample(&r), before = s;
	s.flags = before.flags = HP_ROTVEC | HP_YPR | HP_GYRO | HP_ACCEL;
	mount->filter(state, &s);
	assert_memory_equal(&s, &before, sizeof s);
	free(state);
	state = opened("XYZ", "none", "YZX", "Z", none);
	memcpy(s.gyro, (double[]){ 1, 2, 3 }, sizeof s.gyro);
	memcpy(before.gyro, (double[]){ 2, 3, -1 }, sizeof s.gyro);
	mount->filter(state, &s);
	assert_memory_equal(&s, &before, sizeof s);
	free(state);
}
static void test_refuses(void **unused)
{
	static const struct {
		const char *key, *value;
	} bad[] = { { "gyro_map", "XYZZ" }, { "gyro_invert", "" } };
	(void)unused;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		void *state = fake_state(mount);
		const char *key = NULL;
		char why[128] = "";
		assert_int_equal(mount->check(state, &key, why, sizeof why), 0);
		fake_set(mount, state, bad[i].key, bad[i].value);
		assert_int_equal(mount->check(state, &key, why, sizeof why), -EINVAL);
		assert_string_equal(key, bad[i].key);
		assert_true(*why);
		assert_int_equal(mount->changed(state), -EINVAL);
		free(state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),        cmocka_unit_test(test_any_mounting),
		cmocka_unit_test(test_tilt_by_hand), cmocka_unit_test(test_untouched),
		cmocka_unit_test(test_refuses),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
