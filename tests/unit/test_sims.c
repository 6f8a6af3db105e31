/* SPDX-License-Identifier: MIT
 * test_sims.c - flightgear, xplane and opentrack_shm: bytes, signs, base offsets, and a counterpart that answers,
 * is silent, talks nonsense or holds the lock. */
#include "fake_host.h"
#include "pose/basis.h"
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct hp_module hp_encoder_flightgear, hp_output_xplane, hp_output_opentrack_shm;
#define NEAR(a, b)                                                         \
	do {                                                               \
		double a_ = (a), b_ = (b);                                 \
		if (!(fabs(a_ - b_) <= 1e-6))                              \
			fail_msg("%s is %.9g, expected %.9g", #a, a_, b_); \
	} while (0)

/* 20 right, 10 up, 5 tilted right; 10 left, 5 up, 3 to the front */
static struct hp_sample pose(void)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	const double ypr[3] = { -20, -10, 5 }, pos[3] = { 3, 10, 5 };
	hp_frame_quat_from_ypr(ypr, s.quat);
	memcpy(s.ypr, ypr, sizeof ypr);
	memcpy(s.pos, pos, sizeof pos);
	s.flags = HP_YPR | HP_POS;
	return s;
}

/* ---- flightgear ----------------------------------------------------------------------------------- */

static void test_flightgear(void **unused)
{
	const struct hp_module *m = &hp_encoder_flightgear;
	struct hp_sample s = pose();
	uint8_t buf[64];
	double v[6];
	int32_t status;
	(void)unused;
	void *state = fake_state(m);
	assert_int_equal(m->encode(state, &s, NULL, buf, 24), 24);
	assert_int_equal(m->encode(state, &s, NULL, buf, 23), -ENOSPC);
	memcpy(v, buf, 24); /* the test machine is little-endian, as FlightGear's byte_order host wants it */
	assert_true(v[0] == -20 && v[1] == 10 && v[2] == 5);
	static const uint8_t minus_20[] = { 0, 0, 0, 0, 0, 0, 0x34, 0xc0 };
	assert_memory_equal(buf, minus_20, 8);
	fake_set(m, state, "translation", "yes");
	fake_set(m, state, "base_y", "1.2");
	fake_set(m, state, "base_z", "0.5");
	assert_int_equal(m->encode(state, &s, NULL, buf, 52), 52);
	assert_int_equal(m->encode(state, &s, NULL, buf, 51), -ENOSPC);
	memcpy(v, buf, 48);
	memcpy(&status, buf + 48, 4);
	NEAR(v[0], -0.10);
	NEAR(v[1], 1.25);
	NEAR(v[2], 0.47);
	assert_true(v[3] == -20 && v[4] == 10 && v[5] == 5);
	assert_int_equal(status, 1);
	s.flags &= ~(uint32_t)HP_POS; /* no position: the pilot stays in the seat */
	m->encode(state, &s, NULL, buf, 52);
	memcpy(v, buf, 48);
	assert_true(v[0] == 0 && v[1] == 1.2 && v[2] == 0.5);
	free(state);
}

/* ---- xplane --------------------------------------------------------------------------------------- */

struct plane {
	struct fake_host f;
	void *state;
	int sim; /* X-Plane's socket */
	struct sockaddr_in from;
	struct hp_addr address;
};
static const struct hp_module *const xplane = &hp_output_xplane;

static void board(struct plane *p, const char *translation)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof a;
	fake_init(&p->f, "plane");
	p->sim = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(p->sim, (struct sockaddr *)&a, sizeof a), 0);
	assert_int_equal(getsockname(p->sim, (struct sockaddr *)&a, &size), 0);
	p->state = fake_state(xplane);
	strcpy(p->address.host, "127.0.0.1");
	p->address.port = ntohs(a.sin_port);
	const struct hp_addrs to = { 1, &p->address };
	memcpy((char *)p->state + xplane->options[0].offset, &to, sizeof to);
	const char *key;
	char why[200];
	assert_int_equal(xplane->check(p->state, &key, why, sizeof why), 0);
	fake_set(xplane, p->state, "translation", translation);
	assert_int_equal(xplane->open(p->state, &p->f.host), 0);
}
static void land(struct plane *p)
{
	xplane->close(p->state);
	free(p->state);
	close(p->sim);
	fake_free(&p->f);
}
/* The next datagram at X-Plane; 0 = none */
static int receive(struct plane *p, uint8_t *buf)
{
	socklen_t size = sizeof p->from;
	memset(buf, 0xee, 600);
	ssize_t n = recvfrom(p->sim, buf, 600, 0, (struct sockaddr *)&p->from, &size);
	return n < 0 ? 0 : (int)n;
}
static void expect_dref(struct plane *p, const char *path, double value)
{
	uint8_t buf[600], rest[500] = { 0 };
	float f;
	assert_int_equal(receive(p, buf), 509);
	assert_memory_equal(buf, "DREF", 5);
	memcpy(&f, buf + 5, 4);
	memcpy(rest, path, strlen(path));
	assert_memory_equal(buf + 9, rest, 500);
	NEAR((double)f, value);
}
static void expect_rref(struct plane *p, uint32_t frequency, uint32_t index, const char *path)
{
	uint8_t buf[600], rest[400] = { 0 };
	uint32_t v[2];
	assert_int_equal(receive(p, buf), 413);
	assert_memory_equal(buf, "RREF", 5);
	memcpy(v, buf + 5, 8);
	assert_int_equal(v[0], frequency);
	assert_int_equal(v[1], index);
	memcpy(rest, path, strlen(path));
	assert_memory_equal(buf + 13, rest, 400);
}
static void expect_rotation(struct plane *p, double psi, double the, double phi)
{
	expect_dref(p, "sim/graphics/view/pilots_head_psi", psi);
	expect_dref(p, "sim/graphics/view/pilots_head_the", the);
	expect_dref(p, "sim/graphics/view/pilots_head_phi", phi);
}
static void expect_question(struct plane *p, uint32_t frequency)
{
	expect_rref(p, frequency, 0, "sim/aircraft/view/acf_peX");
	expect_rref(p, frequency, 1, "sim/aircraft/view/acf_peY");
	expect_rref(p, frequency, 2, "sim/aircraft/view/acf_peZ");
}
static void expect_nothing(struct plane *p)
{
	uint8_t buf[600];
	assert_int_equal(receive(p, buf), 0);
}
static void reply(struct plane *p, int n, const uint32_t *index, const float *value)
{
	uint8_t buf[128] = "RREFO";
	for (int i = 0; i < n; i++) {
		memcpy(buf + 5 + 8 * i, &index[i], 4);
		memcpy(buf + 9 + 8 * i, &value[i], 4);
	}
	assert_true(sendto(p->sim, buf, (size_t)(5 + 8 * n), 0, (struct sockaddr *)&p->from, sizeof p->from) > 0);
	p->f.watches[0].cb(p->f.watches[0].arg, HP_READABLE);
}
static void test_xplane_rotation(void **unused)
{
	struct hp_sample s = pose();
	struct plane p;
	(void)unused;
	board(&p, "no");
	assert_int_equal(xplane->write(p.state, &s), 0);
	expect_rotation(&p, 20, 10, 5);
	expect_nothing(&p); /* no question, no position */
	/* a burst: the newest goes out when the limit of 60 a second allows, by a one-shot timer */
	for (int i = 1; i <= 5; i++) {
		p.f.time += 1000000;
		s.ypr[0] = -20 - i;
		assert_int_equal(xplane->write(p.state, &s), 0);
	}
	expect_nothing(&p);
	assert_int_equal(fake_run(&p.f, p.f.time + 1000000000, 100), 1);
	expect_rotation(&p, 25, 10, 5);
	expect_nothing(&p);
	xplane->stop(p.state);
	expect_rotation(&p, 0, 0, 0); /* the view does not stay turned */
	expect_nothing(&p);
	land(&p);
	/* a receiver whose phi counts to the left */
	board(&p, "no");
	fake_set(xplane, p.state, "roll", "left");
	s = pose();
	assert_int_equal(xplane->write(p.state, &s), 0);
	expect_rotation(&p, 20, 10, -5);
	land(&p);
	/* nothing was written: nothing is reset either */
	board(&p, "no");
	xplane->stop(p.state);
	expect_nothing(&p);
	land(&p);
}
static void test_xplane_translation(void **unused)
{
	struct hp_sample s = pose();
	struct plane p;
	(void)unused;
	board(&p, "yes");
	xplane->write(p.state, &s);
	expect_question(&p, 1);
	expect_rotation(&p, 20, 10, 5);
	expect_nothing(&p); /* the seat is not known yet */
	reply(&p, 2, (const uint32_t[]){ 0, 99 }, (const float[]){ 0.5f, 7 });
	reply(&p, 3, (const uint32_t[]){ 1, 0x80000001u, 2 }, (const float[]){ 1.5f, 7, INFINITY });
	p.f.time += 1000000000;
	xplane->write(p.state, &s);
	expect_rotation(&p, 20, 10, 5);
	expect_nothing(&p); /* one coordinate is missing, unknown indexes and infinity count for nothing */
	reply(&p, 1, (const uint32_t[]){ 2 }, (const float[]){ -2 });
	p.f.time += 1000000000;
	xplane->write(p.state, &s);
	expect_rotation(&p, 20, 10, 5);
	expect_dref(&p, "sim/graphics/view/pilots_head_x", 0.5 - 0.10);
	expect_dref(&p, "sim/graphics/view/pilots_head_y", 1.5 + 0.05);
	expect_dref(&p, "sim/graphics/view/pilots_head_z", -2 - 0.03);
	expect_nothing(&p);
	/* answers went on until now; then X-Plane is started again and must be asked again */
	p.f.time += 4000000000;
	xplane->write(p.state, &s);
	expect_question(&p, 1);
	expect_rotation(&p, 20, 10, 5);
	for (int i = 0; i < 3; i++) {
		uint8_t buf[600];
		assert_int_equal(receive(&p, buf), 509);
	}
	xplane->stop(p.state);
	expect_rotation(&p, 0, 0, 0);
	expect_dref(&p, "sim/graphics/view/pilots_head_x", 0.5);
	expect_dref(&p, "sim/graphics/view/pilots_head_y", 1.5);
	expect_dref(&p, "sim/graphics/view/pilots_head_z", -2);
	expect_question(&p, 0);
	assert_false(p.f.watches[0].on);
	land(&p);
}
static void test_xplane_nonsense(void **unused)
{
	struct hp_sample s = pose();
	struct plane p;
	(void)unused;
	board(&p, "yes");
	xplane->write(p.state, &s);
	expect_question(&p, 1);
	expect_rotation(&p, 20, 10, 5);
	static const char *const junk[] = { "", "R", "RREF", "RREFO", "RREFO1234567", "DREFO12345678", "BECN" };
	for (size_t i = 0; i < sizeof junk / sizeof *junk; i++)
		sendto(p.sim, junk[i], strlen(junk[i]), 0, (struct sockaddr *)&p.from, sizeof p.from);
	/* a good answer, but from another machine */
	struct sockaddr_in other = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1) };
	static const uint8_t answers[] = { 'R', 'R', 'E', 'F', ',', 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
		                           0,   0,   0,   0,   0,   0, 2, 0, 0, 0, 0, 0, 0, 0 };
	int stranger = socket(AF_INET, SOCK_DGRAM, 0);
	if (!bind(stranger, (struct sockaddr *)&other, sizeof other))
		sendto(stranger, answers, sizeof answers, 0, (struct sockaddr *)&p.from, sizeof p.from);
	close(stranger);
	p.f.watches[0].cb(p.f.watches[0].arg, HP_READABLE);
	p.f.time += 1000000000;
	xplane->write(p.state, &s);
	expect_rotation(&p, 20, 10, 5);
	expect_nothing(&p);
	land(&p);
}

/* ---- opentrack_shm --------------------------------------------------------------------------------- */

static const struct hp_module *const shm = &hp_output_opentrack_shm;
struct wine {
	double data[6];
	int32_t game, game2;
	uint8_t table[8];
	uint8_t stop;
};
/* What another process sees under the lock; its exit status says whether it was that. */
static int other_process_sees(const char *name, double x, double y, double z, double yaw, double pitch, double roll,
                              int stop)
{
	pid_t child = fork();
	if (!child) {
		int fd = shm_open(name, O_RDWR, 0600);
		struct stat st;
		if (fd < 0 || fstat(fd, &st) < 0 || st.st_size != 72 || (st.st_mode & 0777) != 0600)
			_exit(2);
		const struct wine *w = mmap(NULL, 72, PROT_READ, MAP_SHARED, fd, 0);
		if (w == MAP_FAILED || flock(fd, LOCK_EX | LOCK_NB) < 0)
			_exit(3);
		const double want[6] = { x, y, z, yaw, pitch, roll };
		for (int i = 0; i < 6; i++)
			if (!(fabs(w->data[i] - want[i]) < 1e-9))
				_exit(10 + i);
		_exit(w->stop != stop || w->game || w->game2 ? 20 : 0);
	}
	int status;
	waitpid(child, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
static void test_shm(void **unused)
{
	const double rad = 3.14159265358979323846 / 180;
	struct hp_sample s = pose();
	struct fake_host f;
	char name[64];
	(void)unused;
	snprintf(name, sizeof name, "/headpipe-test-%d", (int)getpid());
	fake_init(&f, "game");
	void *state = fake_state(shm);
	fake_set(shm, state, "name", name);
	assert_int_equal(shm->open(state, &f.host), 0);
	assert_int_equal(other_process_sees(name, 0, 0, 0, 0, 0, 0, 0), 0);
	assert_int_equal(shm->write(state, &s), 0);
	assert_int_equal(other_process_sees(name, 100, 50, -30, 20 * rad, 10 * rad, -5 * rad, 0), 0);

	/* another process holds the lock: write returns at once, the newest pose comes in when it lets go */
	int held = shm_open(name, O_RDWR, 0600);
	assert_int_equal(flock(held, LOCK_EX), 0);
	for (int i = 1; i <= 3; i++) {
		s.ypr[0] = -20 - i;
		assert_int_equal(shm->write(state, &s), 0);
	}
	assert_true(fake_run(&f, f.time + 10000000, 100) > 1);
	flock(held, LOCK_UN);
	close(held);
	assert_int_equal(other_process_sees(name, 100, 50, -30, 20 * rad, 10 * rad, -5 * rad, 0), 0);
	fake_run(&f, f.time + 10000000, 100);
	assert_int_equal(other_process_sees(name, 100, 50, -30, 23 * rad, 10 * rad, -5 * rad, 0), 0);
	assert_int_equal(fake_run(&f, f.time + (int64_t)10000000000, 100), 0);

	shm->stop(state);
	shm->close(state);
	assert_int_equal(other_process_sees(name, 0, 0, 0, 0, 0, 0, 1), 0);
	free(state);

	/* the next run clears the flag; a process that died with the lock leaves none */
	state = fake_state(shm);
	fake_set(shm, state, "name", name);
	assert_int_equal(shm->open(state, &f.host), 0);
	assert_int_equal(other_process_sees(name, 0, 0, 0, 0, 0, 0, 0), 0);
	shm->stop(state);
	shm->close(state);
	free(state);
	shm_unlink(name);

	state = fake_state(shm);
	fake_set(shm, state, "name", "no-slash");
	const char *key = "";
	char why[200] = "";
	assert_int_equal(shm->check(state, &key, why, sizeof why), -EINVAL);
	assert_string_equal(key, "name");
	assert_non_null(strstr(why, "must be a slash"));
	fake_set(shm, state, "name", name);
	assert_int_equal(shm->check(state, &key, why, sizeof why), 0);
	free(state);
	fake_free(&f);
}
int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_flightgear),
		cmocka_unit_test(test_xplane_rotation),
		cmocka_unit_test(test_xplane_translation),
		cmocka_unit_test(test_xplane_nonsense),
		cmocka_unit_test(test_shm),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
