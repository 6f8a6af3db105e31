/* SPDX-License-Identifier: MIT
 * test_frames.c - the changes of basis against matrices and unit vectors written out by hand, and the filter `axes`. */
#include "fake_host.h"
#include "pose/basis.h"
#include "pose/pose.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

extern const struct hp_module hp_filter_axes;
static const struct hp_module *const axes = &hp_filter_axes;
#define RAD (3.14159265358979323846 / 180)
#define NEAR(a, b, tolerance)                                                \
	do {                                                                 \
		double a_ = (a), b_ = (b);                                   \
		if (!(fabs(a_ - b_) <= (tolerance)))                         \
			fail_msg("%s is %.17g, expected %.17g", #a, a_, b_); \
	} while (0)

typedef double mat[3][3];
static void mul(mat a, mat b, mat out)
{
	mat r;
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			r[i][k] = a[i][0] * b[0][k] + a[i][1] * b[1][k] + a[i][2] * b[2][k];
	memcpy(out, r, sizeof r);
}
/* Rotation by degrees about axis 0, 1 or 2, right-handed; left-handed frames use the same numbers for their own sense.
 */
static void about(int axis, double degrees, mat out)
{
	double c = cos(degrees * RAD), s = sin(degrees * RAD);
	int i = (axis + 1) % 3, k = (axis + 2) % 3;
	memset(out, 0, sizeof(mat));
	out[axis][axis] = 1;
	out[i][i] = out[k][k] = c;
	out[k][i] = s;
	out[i][k] = -s;
}
static void from_quat(double w, double x, double y, double z, mat out)
{
	mat m = { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
		  { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
		  { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } };
	memcpy(out, m, sizeof m);
}
static void equal(mat a, mat b)
{
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			NEAR(a[i][k], b[i][k], 1e-12);
}
static struct hp_sample pose(double yaw, double pitch, double roll)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	const double ypr[3] = { yaw, pitch, roll };
	hp_frame_quat_from_ypr(ypr, s.quat);
	memcpy(s.ypr, ypr, sizeof ypr);
	s.flags = HP_YPR;
	return s;
}
/* The head's rotation as a matrix, from its angles: Rz Ry Rx. */
static void head_matrix(double yaw, double pitch, double roll, mat out)
{
	mat a;
	about(2, yaw, out);
	about(1, pitch, a);
	mul(out, a, out);
	about(0, roll, a);
	mul(out, a, out);
}
static void test_angles_and_back(void **unused)
{
	(void)unused;
	for (int yaw = -179; yaw < 180; yaw += 17)
		for (int pitch = -89; pitch < 90; pitch += 11)
			for (int roll = -179; roll < 180; roll += 19) {
				struct hp_sample s = pose(yaw, pitch, roll);
				double back[3];
				mat a, b;
				hp_quat_to_ypr(s.quat, back);
				NEAR(back[0], yaw, 1e-9);
				NEAR(back[1], pitch, 1e-9);
				NEAR(back[2], roll, 1e-9);
				head_matrix(yaw, pitch, roll, a);
				from_quat(s.quat[0], s.quat[1], s.quat[2], s.quat[3], b);
				equal(a, b);
			}
}
static void test_wrap(void **unused)
{
	(void)unused;
	assert_true(hp_frame_wrap(200) == -160);
	assert_true(hp_frame_wrap(220) == -140);
	assert_true(hp_frame_wrap(180) == 180);
	assert_true(hp_frame_wrap(-180) == 180);
	assert_true(hp_frame_wrap(-181) == 179);
	assert_true(hp_frame_wrap(3600.5) == 0.5);
	assert_true(hp_frame_wrap(0.1) == 0.1);
}
static void test_single_axes(void **unused)
{
	/* the head: 10 right, 10 up, 10 tilted right, one at a time; what each frame must see, by hand */
	static const struct {
		double head[3], sim[3], flightgear[3], scene[3], unity[3];
	} rows[] = {
		{ { -10, 0, 0 }, { 10, 0, 0 }, { -10, 0, 0 }, { 10, 0, 0 }, { 0, 10, 0 } },
		{ { 0, -10, 0 }, { 0, 10, 0 }, { 0, 10, 0 }, { 0, 10, 0 }, { -10, 0, 0 } },
		{ { 0, 0, 10 }, { 0, 0, 10 }, { 0, 0, 10 }, { 0, 0, -10 }, { 0, 0, -10 } },
	};
	(void)unused;
	for (int r = 0; r < 3; r++) {
		struct hp_sample s = pose(rows[r].head[0], rows[r].head[1], rows[r].head[2]);
		double v[3], q[4];
		hp_frame_sim_angles(&s, v);
		for (int i = 0; i < 3; i++)
			NEAR(v[i], rows[r].sim[i], 0);
		hp_frame_flightgear_angles(&s, v);
		for (int i = 0; i < 3; i++)
			NEAR(v[i], rows[r].flightgear[i], 0);
		hp_frame_scene_angles(&s, v);
		for (int i = 0; i < 3; i++)
			NEAR(v[i], rows[r].scene[i], 1e-12);
		hp_frame_unity_euler(&s, v);
		for (int i = 0; i < 3; i++)
			NEAR(v[i], rows[r].unity[i], 0);
		/* a pure turn about one axis: the quaternion is half the angle on that axis, with the sign of the angle
		 */
		hp_frame_unity_quat(&s, q);
		for (int i = 0; i < 3; i++)
			NEAR(q[i], sin(rows[r].unity[i] / 2 * RAD), 1e-15);
		NEAR(q[3], cos(5 * RAD), 1e-15);
	}
}
/* All three angles at once, so that the order of rotations counts. */
static void test_composed(void **unused)
{
	struct hp_sample s = pose(40, 30, 20);
	double v[3], q[4];
	mat head, m, part, inverse;
	(void)unused;
	head_matrix(40, 30, 20, head);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			inverse[i][k] = head[k][i];
	hp_frame_scene_quat(&s, q);
	from_quat(q[0], q[1], q[2], q[3], m);
	equal(m, inverse);
	hp_frame_scene_angles(&s, v);
	head_matrix(v[0], v[1], v[2], m);
	equal(m, inverse);

	/* Unity's axes in ours: right = -left, up = up, front = front; the head's matrix in those axes is what both
	 * Unity forms must give (the sense of rotation is part of the change of basis) */
	mat basis = { { 0, -1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } }, back, want;
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 3; k++)
			back[i][k] = basis[k][i];
	mul(basis, head, want);
	mul(want, back, want);
	hp_frame_unity_quat(&s, q);
	from_quat(q[3], q[0], q[1], q[2], m);
	equal(m, want);
	hp_frame_unity_euler(&s, v);
	about(1, v[1], m);
	about(0, v[0], part);
	mul(m, part, m);
	about(2, v[2], part);
	mul(m, part, m);
	equal(m, want);
}
static void test_positions(void **unused)
{
	struct hp_sample s = pose(0, 0, 0);
	double v[3];
	(void)unused;
	s.pos[0] = 1; /* front */
	s.pos[1] = 2; /* left */
	s.pos[2] = 3; /* up */
	hp_frame_sim_position(&s, v);
	assert_true(v[0] == 0 && v[1] == 0 && v[2] == 0); /* not measured */
	s.flags |= HP_POS;
	hp_frame_sim_position(&s, v);
	assert_true(v[0] == -2 && v[1] == 3 && v[2] == -1);
	hp_frame_opentrack_position(&s, v);
	assert_true(v[0] == 2 && v[1] == 3 && v[2] == -1);
	hp_frame_unity_position(&s, v);
	assert_true(v[0] == -0.02 && v[1] == 0.03 && v[2] == 0.01);
}

/* ---- axes --------------------------------------------------------------------------------------- */

static void run_axes(const char *const *set, struct hp_sample *s, int opened, const char *said)
{
	struct fake_host f;
	fake_init(&f, "fix");
	void *state = fake_state(axes);
	const char *last_key = "";
	for (; *set; set += 2)
		fake_set(axes, state, last_key = set[0], set[1]);
	assert_int_equal(axes->open(state, &f.host), opened);
	const char *key = NULL;
	char why[200] = "";
	assert_int_equal(axes->check(state, &key, why, sizeof why), opened);
	if (said && (!strstr(why, said) || strcmp(key, last_key)))
		fail_msg("said of %s: %s", key, why);
	if (!opened)
		assert_int_equal(axes->filter(state, s), HP_KEEP);
	free(state);
	fake_free(&f);
}
#define AXES(sample, ...)         run_axes((const char *const[]){ __VA_ARGS__, NULL, NULL }, sample, 0, NULL)
#define REFUSED(key, value, said) run_axes((const char *const[]){ key, value, NULL }, NULL, -EINVAL, said)

static void expect(const struct hp_sample *s, double yaw, double pitch, double roll)
{
	double ypr[3];
	hp_quat_to_ypr(s->quat, ypr);
	NEAR(ypr[0], yaw, 1e-9);
	NEAR(ypr[1], pitch, 1e-9);
	NEAR(ypr[2], roll, 1e-9);
	if (s->flags & HP_YPR) {
		NEAR(s->ypr[0], yaw, 1e-9);
		NEAR(s->ypr[1], pitch, 1e-9);
		NEAR(s->ypr[2], roll, 1e-9);
	}
	assert_false(s->flags & HP_ROTVEC);
}
static void test_axes(void **unused)
{
	struct hp_sample s, before;
	(void)unused;
	s = before = pose(40, 30, 20);
	s.flags = before.flags = HP_ROTVEC | HP_POS; /* angles not derived yet */
	AXES(&s, "invert", "none");
	assert_memory_equal(&s, &before, sizeof s); /* nothing to do: not a bit changes */
	AXES(&s, "invert", "yaw");
	expect(&s, -40, 30, 20);
	s = pose(40, 30, 20);
	AXES(&s, "invert", "yaw, roll pitch");
	expect(&s, -40, -30, -20);
	assert_true(s.ypr[0] == -40 && s.ypr[1] == -30 && s.ypr[2] == -20); /* exactly */
	s = pose(40, 30, 20);
	AXES(&s, "swap", "yaw:roll", "invert", "yaw");
	expect(&s, -20, 30, 40);
	s = pose(40, 30, 20);
	AXES(&s, "scale_yaw", "5", "offset_roll", "170", "scale_pitch", "0.5");
	expect(&s, 180, 15, -170); /* scaled: ends straight behind; shifted: wraps */
	assert_true(s.flags & HP_YPR);
	s = pose(10, 60, 20);
	AXES(&s, "scale_pitch", "2"); /* ends straight down, and yaw and roll stay what they are */
	assert_true(s.flags & HP_YPR && !(s.flags & HP_ROTVEC));
	NEAR(s.ypr[0], 10, 1e-12);
	assert_true(s.ypr[1] == 90);
	NEAR(s.ypr[2], 20, 1e-12);
	s = pose(10, 60, 20);
	AXES(&s, "offset_pitch", "60"); /* only shifted: 120 degrees of pitch is the same pose with other angles */
	expect(&s, -170, 60, -160);
	assert_false(s.flags & HP_YPR);
	s = pose(0, 0, 0);
	AXES(&s, "invert", "yaw,pitch,roll");
	assert_false(signbit(s.ypr[0]) || signbit(s.ypr[1]) || signbit(s.ypr[2]));
}
static void test_axes_position(void **unused)
{
	struct hp_sample s = pose(40, 30, 20), before;
	(void)unused;
	s.pos[0] = 1;
	s.pos[1] = 2;
	s.pos[2] = 3;
	before = s;
	AXES(&s, "swap", "x:z");
	assert_memory_equal(&s, &before, sizeof s); /* no position measured */
	s.flags |= HP_POS | HP_ROTVEC;
	before = s;
	AXES(&s, "swap", "x:z", "invert", "x", "scale_y", "10", "offset_z", "-0.5");
	assert_true(s.pos[0] == -3 && s.pos[1] == 20 && s.pos[2] == 0.5);
	assert_memory_equal(s.quat, before.quat, sizeof s.quat);
	assert_int_equal(s.flags, before.flags);
}
static void test_axes_refuses(void **unused)
{
	(void)unused;
	REFUSED("swap", "yaw", "is no pair");
	REFUSED("swap", "yaw:", "is no pair");
	REFUSED("swap", "yaw:x", "mixes an angle and a coordinate");
	REFUSED("swap", "yaw:yaw", "names an axis twice");
	REFUSED("swap", "yaw:roll pitch:yaw", "names an axis twice");
}
static void test_axes_live(void **unused)
{
	struct fake_host f;
	struct hp_sample s = pose(40, 30, 20);
	(void)unused;
	fake_init(&f, "fix");
	void *state = fake_state(axes);
	assert_int_equal(axes->open(state, &f.host), 0);
	fake_set(axes, state, "invert", "yaw");
	assert_int_equal(axes->changed(state), 0);
	fake_set(axes, state, "swap", "nonsense");
	assert_int_equal(axes->changed(state), -EINVAL); /* the plan in use stays whole */
	axes->filter(state, &s);
	expect(&s, -40, 30, 20);
	for (const struct hp_option *o = axes->options; o->key; o++)
		assert_true(o->flags & HP_LIVE);
	free(state);
	fake_free(&f);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_angles_and_back), cmocka_unit_test(test_wrap),
		cmocka_unit_test(test_single_axes),     cmocka_unit_test(test_composed),
		cmocka_unit_test(test_positions),       cmocka_unit_test(test_axes),
		cmocka_unit_test(test_axes_position),   cmocka_unit_test(test_axes_refuses),
		cmocka_unit_test(test_axes_live),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
