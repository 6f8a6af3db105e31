/* SPDX-License-Identifier: MIT
 * test_calibrate.c - heads with sensors in all 48 orders and signs of axes, tilted by up to 60 degrees, do the four
 * things; what is found, put into the filter `mount`, must give the head back. */
#include "calibrate/calibrate.h"
#include "check.h"
#include "fake_host.h"
#include "pose/axis_map.h"
#include "pose/basis.h"
#include "pose/pose.h"

extern const struct hp_module hp_filter_mount;

static const char *const maps[6] = { "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX" };
static const char *const inverts[8] = { "none", "X", "Y", "XY", "Z", "XZ", "YZ", "XYZ" };

static struct quat rot(double yaw, double pitch, double roll)
{
	double ypr[3] = { yaw, pitch, roll }, q[4];
	hp_frame_quat_from_ypr(ypr, q);
	return quat_load(q);
}
static double apart(struct quat a, struct quat b)
{
	struct quat d = quat_multiply(quat_conj(a), b);
	return 2 * atan2(sqrt(d.x * d.x + d.y * d.y + d.z * d.z), fabs(d.w)) * QUAT_DEGREES;
}
static double normal(uint64_t *r)
{
	double v = 0;
	for (int i = 0; i < 12; i++)
		v += random_real(r, -0.5, 0.5);
	return v;
}

/* What the device sends of a head: its sensor is tilted, its axes have its own names, its world its own heading. */
struct device {
	struct hp_axis_map map, gyro;
	struct quat world, tilt;
	double noise, gyro_noise, gyro_unit; /* degrees, deg/s */
	double sloppy;                       /* degrees by which the axes of motions are off */
	bool no_gyro;
	uint64_t random;
	struct quat last;
	double t, last_t;
};
static void unmap(const struct hp_axis_map *m, struct vec v, double out[3])
{
	const double in[3] = { v.x, v.y, v.z };
	for (int i = 0; i < 3; i++)
		out[m->from[i]] = in[i] * m->sign[i];
}
static void send(struct device *d, struct quat head, struct vec w, double rotvec[3], double gyro[3])
{
	struct quat q = quat_multiply(quat_multiply(d->world, head), d->tilt);
	double k = d->noise / QUAT_DEGREES;
	q = quat_multiply(q, quat_from_rotvec((struct vec){ k * normal(&d->random), k * normal(&d->random),
	                                                    k * normal(&d->random) }));
	unmap(&d->map, quat_unit_to_rotvec(q), rotvec);
	struct vec sensor = quat_rotate(quat_conj(d->tilt), w);
	k = d->gyro_noise / QUAT_DEGREES;
	sensor = (struct vec){ sensor.x + k * normal(&d->random), sensor.y + k * normal(&d->random),
		               sensor.z + k * normal(&d->random) };
	unmap(&d->gyro, sensor, gyro);
	for (int i = 0; i < 3; i++)
		gyro[i] *= d->gyro_unit;
}
static struct hp_cal_sample buffer[HP_CAL_SAMPLES];
static int troubles;

static void feed(struct hp_cal *c, struct device *d, struct quat head, double dt)
{
	double rotvec[3], gyro[3];
	struct vec step = quat_unit_to_rotvec(quat_multiply(quat_conj(d->last), head));
	send(d, head, (struct vec){ step.x / dt, step.y / dt, step.z / dt }, rotvec, gyro);
	d->t += dt;
	if (hp_cal_feed(c, (int64_t)(d->t * 1e9) + 5, rotvec, d->no_gyro ? NULL : gyro) && c->trouble)
		troubles++;
	d->last = head;
}
static void rest(struct hp_cal *c, struct device *d, double seconds, double rate)
{
	for (int i = 0; i < seconds * rate; i++)
		feed(c, d, d->last, 1 / rate);
}
/* There and back again about an axis of the head, a little about others. */
static void move(struct hp_cal *c, struct device *d, struct vec axis, double degrees, double seconds, double rate)
{
	struct quat from = d->last;
	double off = tan(d->sloppy / QUAT_DEGREES);
	axis.x += off * random_real(&d->random, -1, 1);
	axis.y += off * random_real(&d->random, -1, 1);
	axis.z += off * random_real(&d->random, -1, 1);
	double n = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
	int steps = (int)(seconds * rate);
	for (int i = 1; i <= steps; i++) {
		double k = degrees / QUAT_DEGREES * (1 - cos(2 * QUAT_PI * i / steps)) / 2 / n;
		feed(c, d, quat_multiply(from, quat_from_rotvec((struct vec){ axis.x * k, axis.y * k, axis.z * k })),
		     1 / rate);
	}
}
static void all_four(struct hp_cal *c, struct device *d, double rate)
{
	memset(c, 0, sizeof *c);
	c->buffer = buffer;
	troubles = 0;
	d->last = rot(0, 0, 0);
	d->t = 0;
	rest(c, d, 1.5, rate);
	assert_int_equal(c->step, HP_CAL_NOD);
	move(c, d, (struct vec){ 0, 1, 0 }, 35, 2, rate);
	rest(c, d, 1, rate);
	assert_int_equal(c->step, HP_CAL_TURN);
	move(c, d, (struct vec){ 0, 0, 1 }, 60, 2.5, rate);
	rest(c, d, 1, rate);
	assert_int_equal(c->step, HP_CAL_TILT);
	move(c, d, (struct vec){ 1, 0, 0 }, 30, 2, rate);
	rest(c, d, 1, rate);
	assert_int_equal(c->step, HP_CAL_DONE);
}
/* Puts the answer into `mount` and looks whether it gives heads back, but for a constant heading. */
static void check_answer(const struct hp_cal_answer *a, struct device *d, double within)
{
	struct fake_host f;
	char text[3][40];
	static const char *const keys[3] = { "yaw", "pitch", "roll" };
	fake_init(&f, "mount");
	void *state = fake_state(&hp_filter_mount);
	fake_set(&hp_filter_mount, state, "axis_map", a->axis_map);
	fake_set(&hp_filter_mount, state, "invert", a->invert);
	fake_set(&hp_filter_mount, state, "gyro_map", a->gyro_map);
	fake_set(&hp_filter_mount, state, "gyro_invert", a->gyro_invert);
	for (int i = 0; i < 3; i++) {
		snprintf(text[i], sizeof text[i], "%.17g", a->tilt[i]);
		fake_set(&hp_filter_mount, state, keys[i], text[i]);
	}
	assert_int_equal(hp_filter_mount.open(state, &f.host), 0);
	struct quat first = { 1, 0, 0, 0 };
	d->noise = d->gyro_noise = 0;
	for (int i = 0; i < 8; i++) {
		struct quat head = rot(random_real(&d->random, -180, 180), random_real(&d->random, -80, 80),
		                       random_real(&d->random, -180, 180));
		struct vec w = { 0.3, -1.2, 0.7 };
		struct hp_sample s = HP_SAMPLE_INIT;
		s.flags = HP_ROTVEC | HP_GYRO;
		send(d, head, w, s.rotvec, s.gyro);
		hp_quat_from_rotvec(s.rotvec, s.quat);
		hp_filter_mount.filter(state, &s);
		struct quat heading = quat_multiply(quat_load(s.quat), quat_conj(head));
		if (!i)
			first = heading;
		double tilted = apart(quat_about_z(quat_turn_about_z(heading)), heading);
		if (tilted > within || apart(first, heading) > within)
			fail_msg("%s %s: %g degrees off, %g tilted", a->axis_map, a->invert, apart(first, heading),
			         tilted);
		if (!d->no_gyro)
			for (int k = 0; k < 3; k++) {
				double want = k == 0 ? w.x : k == 1 ? w.y : w.z;
				if (fabs(s.gyro[k] / d->gyro_unit - want) > within / 30 + 1e-9)
					fail_msg("gyro %s %s: %g instead of %g", a->gyro_map, a->gyro_invert, s.gyro[k],
					         want);
			}
	}
	free(state);
	fake_free(&f);
}
static struct device make(int which, double degrees, uint64_t seed)
{
	struct device d = { .random = seed, .gyro_unit = 1 };
	int wrong;
	char why[100];
	hp_axis_map_read(&d.map, maps[which / 8], inverts[which % 8], &wrong, why, sizeof why);
	d.gyro = d.map;
	for (int i = 0; i < 3; i++) /* its true axes: without the mirror */
		d.gyro.sign[i] *= hp_axis_map_sign(&d.map);
	struct vec axis = { normal(&d.random), normal(&d.random), normal(&d.random) };
	double n = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z) * QUAT_DEGREES / degrees;
	d.tilt = quat_from_rotvec((struct vec){ axis.x / n, axis.y / n, axis.z / n });
	d.world = rot(random_real(&d.random, -180, 180), 0, 0);
	return d;
}

static void test_all_mountings(void **unused)
{
	struct hp_cal c;
	struct hp_cal_answer a;
	int done = 0;
	(void)unused;
	for (int which = 0; which < 48; which++)
		for (int tilt = 0; tilt <= 60; tilt += 10)
			for (int seed = 1; seed <= 3; seed++) {
				struct device d =
				    make(which, tilt ? tilt : 0.001, (uint64_t)(which * 1000 + tilt * 10 + seed));
				all_four(&c, &d, 50);
				hp_cal_solve(&c, &a);
				if (a.problem)
					fail_msg("%s %s, tilted %d: %s", maps[which / 8], inverts[which % 8], tilt,
					         a.problem);
				assert_true(a.error < 0.01 && a.level < 0.01);
				assert_true(a.mirrored == (hp_axis_map_sign(&d.map) < 0));
				assert_string_equal(a.gyro_map, "same");
				assert_true(a.gyro_cosine > 0.999 && fabs(a.gyro_gain - 1) < 0.01);
				if (tilt == 0) {
					/* but for the heading nobody can know, the words are the device's own */
					assert_true(fabs(a.tilt[0]) < 0.01 && fabs(a.tilt[1]) < 0.01 &&
					            fabs(a.tilt[2]) < 0.01);
					assert_string_equal(a.axis_map, maps[which / 8]);
					assert_string_equal(a.invert, inverts[which % 8]);
				}
				check_answer(&a, &d, 0.02);
				done++;
			}
	printf("count: mountings found and given back: %d\n", done);
}
/* Noise, motions about axes that are up to 5 degrees off, 25 samples a second, other gyroscopes. */
static void test_people(void **unused)
{
	struct hp_cal c;
	struct hp_cal_answer a;
	(void)unused;
	for (int i = 0; i < 480; i++) {
		struct device d = make(i % 48, i % 7 * 10 + 1, (uint64_t)i + 1);
		d.noise = 0.1;
		d.gyro_noise = 0.3;
		d.sloppy = 3;
		d.no_gyro = i % 5 == 4;
		for (int k = 0; k < 3; k++) /* a gyroscope with signs of its own */
			d.gyro.sign[k] *= i / 48 % 3 == 1 ? -1 : i / 48 % 3 == 2 && k == 1 ? -1 : 1;
		all_four(&c, &d, i % 2 ? 25 : 100);
		hp_cal_solve(&c, &a);
		assert_null(a.problem);
		assert_int_equal(troubles, 0);
		assert_true(a.error < 8 && a.level < 8);
		if (d.no_gyro)
			assert_true(a.gyro_cosine == 0 && !strcmp(a.gyro_map, "same"));
		else
			assert_true(a.gyro_cosine > 0.95 && !strcmp(a.gyro_map, "same") == (i / 48 % 3 == 0));
		check_answer(&a, &d, 8);
	}
	/* a gyroscope in degrees, and one that has nothing to do with the pose */
	struct device d = make(5, 20, 3);
	d.gyro_unit = 180 / QUAT_PI;
	all_four(&c, &d, 100);
	hp_cal_solve(&c, &a);
	assert_true(a.gyro_cosine > 0.99 && fabs(a.gyro_gain * 180 / QUAT_PI - 1) < 0.01);
	d = make(5, 20, 3);
	d.gyro_noise = 500;
	all_four(&c, &d, 100);
	hp_cal_solve(&c, &a);
	assert_true(a.gyro_cosine < 0.8 && !strcmp(a.gyro_map, "same"));
}
/* Too little, and a stir of everything: to be done again, said why, and the good one afterwards counts. Holding still
 * at the far end, and swinging over on the way back, do not matter. */
static void test_again(void **unused)
{
	struct hp_cal c = { .buffer = buffer };
	struct device d = make(21, 30, 9);
	struct hp_cal_answer a;
	(void)unused;
	troubles = 0;
	d.last = rot(0, 0, 0);
	rest(&c, &d, 2, 100);
	move(&c, &d, (struct vec){ 0, 1, 0 }, 13, 1, 100);
	rest(&c, &d, 1, 100);
	assert_int_equal(troubles, 1);
	assert_string_equal(c.trouble, "that was less than 15 degrees");
	assert_int_equal(c.step, HP_CAL_NOD);
	for (int i = 1; i <= 200; i++) /* round and round */
		feed(&c, &d, rot(20 * sin(i * QUAT_PI / 50), 20 * (1 - cos(i * QUAT_PI / 50)), 0), 0.01);
	rest(&c, &d, 1, 100);
	assert_int_equal(troubles, 2);
	assert_string_equal(c.trouble, "that was not about one axis");
	assert_int_equal(c.step, HP_CAL_NOD);
	hp_cal_solve(&c, &a);
	assert_non_null(a.problem);
	/* the real ones; the first is held, the second swings over */
	for (int i = 1; i <= 50; i++)
		feed(&c, &d, rot(0, i * 0.7, 0), 0.01);
	rest(&c, &d, 2, 100);
	for (int i = 49; i >= 0; i--)
		feed(&c, &d, rot(0, i * 0.7, 0), 0.01);
	rest(&c, &d, 1, 100);
	assert_int_equal(c.step, HP_CAL_TURN);
	for (int i = 1; i <= 200; i++)
		feed(&c, &d, rot(i < 150 ? 50 * sin(i * QUAT_PI / 150) : -12 * sin((i - 150) * QUAT_PI / 50), 0, 0),
		     0.01);
	rest(&c, &d, 1, 100);
	assert_int_equal(c.step, HP_CAL_TILT);
	move(&c, &d, (struct vec){ 1, 0, 0 }, 30, 2, 100);
	rest(&c, &d, 1, 100);
	assert_int_equal(c.step, HP_CAL_DONE);
	hp_cal_solve(&c, &a);
	assert_null(a.problem);
	check_answer(&a, &d, 0.02);
}
/* Three times the same motion; a world that is tilted. */
static void test_no_answer(void **unused)
{
	struct hp_cal c;
	struct hp_cal_answer a;
	struct device d = make(0, 1, 4);
	(void)unused;
	d.world = rot(40, 0, 45);
	all_four(&c, &d, 100);
	hp_cal_solve(&c, &a);
	assert_true(a.problem && strstr(a.problem, "idea of up"));
	memset(&c, 0, sizeof c);
	c.buffer = buffer;
	d = make(0, 1, 4);
	d.last = rot(0, 0, 0);
	rest(&c, &d, 2, 100);
	for (int i = 0; i < 3; i++) {
		move(&c, &d, (struct vec){ 0, 1, 0 }, 30, 2, 100);
		rest(&c, &d, 1, 100);
	}
	hp_cal_solve(&c, &a);
	assert_true(a.problem && strstr(a.problem, "same axis"));
}
/* Minutes of fidgeting at 1000 samples a second do not run over; times that go back do not either. */
static void test_anything(void **unused)
{
	struct hp_cal c = { .buffer = buffer };
	uint64_t r = 5;
	(void)unused;
	for (int i = 0; i < 300000; i++) {
		double v[3], g[3];
		for (int k = 0; k < 3; k++) {
			v[k] = random_below(&r, 3) ? 0.3 * sin(i * 0.001 * (k + 1)) : random_real(&r, -3, 3);
			g[k] = random_real(&r, -9, 9);
		}
		int64_t t = random_below(&r, 1000) ? (int64_t)i * 1000000 : (int64_t)(random_next(&r) >> 1);
		hp_cal_feed(&c, t, v, g);
		assert_true(c.n <= HP_CAL_SAMPLES);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_mountings), cmocka_unit_test(test_people),   cmocka_unit_test(test_again),
		cmocka_unit_test(test_no_answer),     cmocka_unit_test(test_anything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
