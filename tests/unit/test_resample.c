/* SPDX-License-Identifier: MIT
 * test_resample.c - the filter `resample`: where its poses lie and when they are sent. Live, with timers, and in a
 * replay, without, the same must come out. */
#include "check.h"
#include "fake_host.h"
#include "pose/pose.h"

extern const struct hp_module hp_filter_resample;
static const struct hp_module *const resample = &hp_filter_resample;
static struct fake_host fake;

static void *opened_with(uint32_t flags, const char *const *pairs)
{
	fake_init(&fake, "resample");
	fake.stream.flags = flags;
	void *state = fake_state(resample);
	for (; pairs && *pairs; pairs += 2)
		fake_set(resample, state, pairs[0], pairs[1]);
	assert_int_equal(resample->open(state, &fake.host), 0);
	return state;
}
#define opened(...)         OPENED_(__VA_ARGS__, NULL, NULL)
#define OPENED_(flags, ...) opened_with(flags, (const char *const[]){ __VA_ARGS__ })
static void closed(void *state)
{
	resample->stop(state);
	free(state);
	fake_free(&fake);
}
/* Yaw in degrees at a time; the speed is said as a filter above would. */
static struct hp_sample yaw_at(int64_t time_ns, double yaw, double speed)
{
	struct hp_sample s = HP_SAMPLE_INIT;
	s.time_ns = s.arrival_ns = time_ns;
	s.quat[0] = cos(yaw * M_PI / 360);
	s.quat[3] = sin(yaw * M_PI / 360);
	s.angvel[2] = speed * M_PI / 180;
	s.flags = HP_ANGVEL;
	return s;
}
static double yaw_of(const struct hp_sample *s)
{
	return 2 * atan2(s->quat[3], s->quat[0]) * 180 / M_PI;
}
static void give(void *state, struct hp_sample s)
{
	assert_int_equal(resample->filter(state, &s), HP_DROP);
}
static void tell(void *state, uint32_t type, int64_t time_ns)
{
	struct hp_event e = { .struct_size = sizeof e, .type = type, .time_ns = time_ns };
	resample->event(state, &e);
}
#define MS INT64_C(1000000)
#define T0 (1000 * MS)

static void test_grid(void **unused)
{
	(void)unused;
	void *state = opened(HP_STREAM_REPLAY);
	/* 60 deg/s, 25 samples a second, none of them where it should be: 250 poses a second on one line */
	static const int jitter[5] = { 0, 3, -2, 1, 2 };
	int64_t last = T0;
	for (int i = 0; i < 50; i++) {
		last = T0 + (40 * i + jitter[i % 5]) * MS;
		give(state, yaw_at(last, (double)(last - T0) * 60e-9, 60));
	}
	assert_int_equal(fake.nsamples, (last - T0) / (4 * MS) + 1);
	for (size_t i = 0; i < fake.nsamples; i++) {
		assert_int_equal(fake.samples[i].time_ns, T0 + (int64_t)i * 4 * MS);
		double want = (double)i * 0.24;
		if (fabs(yaw_of(&fake.samples[i]) - want) > 1e-3)
			fail_msg("pose %zu: %g, want %g", i, yaw_of(&fake.samples[i]), want);
		assert_true(fake.samples[i].flags & HP_ANGVEL);
		assert_int_equal(!!(fake.samples[i].flags & HP_JUMP), i == 0);
	}
	closed(state);
	state = opened(HP_STREAM_REPLAY, "rate", "60"); /* no whole number of ns */
	for (int i = 0; i < 100; i++)
		give(state, yaw_at(T0 + i * 10 * MS, 0, 0));
	for (size_t i = 0; i < fake.nsamples; i++)
		assert_int_equal(fake.samples[i].time_ns, T0 + (int64_t)rint((double)i * 1e9 / 60));
	assert_int_equal(fake.nsamples, 60);
	closed(state);
}

static void test_correction_fades(void **unused)
{
	(void)unused;
	void *state = opened(HP_STREAM_REPLAY, "blend", "20ms");
	give(state, yaw_at(T0, 0, 0));
	give(state, yaw_at(T0 + 40 * MS, 1, 0)); /* nothing foretold this degree */
	give(state, yaw_at(T0 + 80 * MS, 1, 0));
	double before = 0;
	for (size_t i = 0; i < fake.nsamples; i++) {
		double now = yaw_of(&fake.samples[i]), at = (double)i * 0.004 - 0.036;
		double want = at > 0 ? 1 - exp(-at / 0.02) : 0;
		assert_true(fabs(now - want) < (i < 20 ? 1e-6 : 0.03));
		assert_true(now - before < 0.19);
		before = now;
	}
	closed(state);
	state = opened(HP_STREAM_REPLAY, "blend", "0s");
	give(state, yaw_at(T0, 0, 0));
	give(state, yaw_at(T0 + 40 * MS, 1, 0));
	assert_true(fabs(yaw_of(&fake.samples[9])) < 1e-9 && fabs(yaw_of(&fake.samples[10]) - 1) < 1e-9);
	closed(state);
}

static void test_latency(void **unused)
{
	(void)unused;
	void *state = opened(HP_STREAM_REPLAY, "latency", "40ms");
	for (int i = 0; i < 30; i++) /* the motion was 40 ms ago */
		give(state, yaw_at(T0 + i * 40 * MS, i * 2.4 - 2.4, 60));
	const struct hp_sample *s = &fake.samples[fake.nsamples - 1];
	assert_true(fabs(yaw_of(s) - (double)(s->time_ns - T0) * 60e-9) < 0.02);
	closed(state);
	state = opened(HP_STREAM_REPLAY); /* auto: the device says it */
	for (int i = 0; i < 30; i++) {
		struct hp_sample a = yaw_at(T0 + i * 40 * MS, i * 2.4 - 2.4, 60);
		a.latency_ms = 40;
		give(state, a);
	}
	s = &fake.samples[fake.nsamples - 1];
	assert_true(fabs(yaw_of(s) - (double)(s->time_ns - T0) * 60e-9) < 0.02);
	closed(state);
	static const char *const good[] = { "auto",  "0ms", "0",     "0.0",   "40ms",    "12.5ms",
		                            "0.04s", "1s",  "40 ms", "+40ms", "40000us", "40000000ns" },
	                         *const bad[] = { "",      "40",    "ms",    "-1ms", "2s",  "40 m", "1e3ms",
		                                  "0.ms5", "auto2", "40msx", ".",    ".ms", "" };
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		const char *key = NULL;
		char why[200];
		state = opened(HP_STREAM_REPLAY, "latency", good[i], "lead_limit", "1s");
		assert_int_equal(resample->check(state, &key, why, sizeof why), 0);
		closed(state);
	}
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *key = NULL;
		char why[200] = "";
		state = opened(HP_STREAM_REPLAY);
		fake_set(resample, state, "latency", bad[i]);
		assert_int_equal(resample->check(state, &key, why, sizeof why), -EINVAL);
		assert_string_equal(key, "latency");
		assert_true(*why);
		assert_int_equal(resample->changed(state), -EINVAL);
		closed(state);
	}
}

/* A latency that cannot be predicted away is refused, with both keys. */
static void test_latency_and_limit(void **unused)
{
	static const char *const cases[][2] = {
		{ "500ms", "100ms" }, { "101ms", "100ms" }, { "1ms", "0" },
		{ "100ms", "100ms" }, { "0", "0" },         { "auto", "0" },
	};
	(void)unused;
	for (int i = 0; i < 6; i++) {
		const char *key = NULL;
		char why[200] = "";
		void *state = opened(HP_STREAM_REPLAY);
		fake_set(resample, state, "latency", cases[i][0]);
		fake_set(resample, state, "lead_limit", cases[i][1]);
		assert_int_equal(resample->check(state, &key, why, sizeof why), i < 3 ? -EINVAL : 0);
		if (i < 3) {
			assert_string_equal(key, "latency");
			assert_non_null(strstr(why, "more than lead_limit"));
		}
		closed(state);
	}
}

/* Whatever lead_limit is, samples that come give poses: each measured one, held until the next. And live the same. */
static void test_no_lead(void **unused)
{
	static const char *const limits[] = { "0", "1ms", "30ms", "100ms" };
	static const int64_t intervals[] = { 7 * MS, 40 * MS, 200 * MS };
	(void)unused;
	for (int i = 0; i < 4 * 3 * 2; i++) {
		int64_t interval = intervals[i / 4 % 3];
		bool live = i / 12, still = !strcmp(limits[i % 4], "0");
		void *state = opened(live ? 0 : HP_STREAM_REPLAY, "lead_limit", limits[i % 4]);
		size_t jumps = 0;
		int n = (int)(20000 * MS / interval);
		for (int k = 0; k < n; k++) {
			if (live)
				fake_run(&fake, T0 + k * interval, 10000);
			give(state, yaw_at(T0 + k * interval, k % 2 ? 1 : -1, still ? 30 : 0));
		}
		if (live)
			fake_run(&fake, T0 + 30000 * MS, 10000);
		/* as many as in 20 s, and no more than a while longer; two intervals are known with the third sample */
		size_t most = (size_t)(20000 + 500) / 4 + 2, least = (size_t)((n - 3) * interval / (4 * MS));
		if (fake.nsamples < least || fake.nsamples > most)
			fail_msg("lead_limit %s, interval %lld ms: %zu poses", limits[i % 4],
			         (long long)(interval / MS), fake.nsamples);
		for (size_t k = 0; k < fake.nsamples; k++) {
			jumps += !!(fake.samples[k].flags & HP_JUMP);
			/* the measured pose, but for what is left of the last correction */
			int64_t at = (fake.samples[k].time_ns - T0) % interval;
			if (interval > 7 * MS && at >= interval - 4 * MS)
				assert_true(fabs(fabs(yaw_of(&fake.samples[k])) - 1) < 0.01);
		}
		assert_true(jumps <= 3);
		closed(state);
	}
}

/* Another latency or lead_limit while the head turns: no step is seen, and the new one holds soon. */
static void test_live_change(void **unused)
{
	static const char *const changes[][2] = {
		{ "latency", "0" }, { "latency", "auto" }, { "latency", "80ms" }, { "rest", "50" }
	};
	static const double end[] = { 0, 0, 0.08, -1 };
	(void)unused;
	for (int c = 0; c < 4; c++) {
		void *state = opened(HP_STREAM_REPLAY, "latency", "40ms", "lead_limit", "200ms");
		double most = 0;
		for (int i = 0; i < 100; i++) {
			give(state, yaw_at(T0 + i * 20 * MS, i * 1.6, 80));
			if (i == 30) {
				fake_set(resample, state, changes[c][0], changes[c][1]);
				assert_int_equal(resample->changed(state), 0);
			}
		}
		for (size_t i = 1; i < fake.nsamples; i++)
			most = fmax(most, fabs(yaw_of(&fake.samples[i]) - yaw_of(&fake.samples[i - 1]) - 0.32));
		const struct hp_sample *s = &fake.samples[fake.nsamples - 1];
		double lead = yaw_of(s) / 80 - (double)(s->time_ns - T0) * 1e-9;
		if (most > (c < 3 ? 0.05 : 1) || (end[c] >= 0 && fabs(lead - end[c]) > 1e-3))
			fail_msg("%s = %s: a step of %g, then %g s ahead", changes[c][0], changes[c][1], most, lead);
		closed(state);
	}
}

/* Back at auto the device's own latency is learned anew, not slowly from what was set. */
static void test_auto_again(void **unused)
{
	static const char *const latency[] = { "auto", "0", "auto" };
	(void)unused;
	void *state = opened(HP_STREAM_REPLAY);
	for (int i = 0; i < 75; i++) {
		struct hp_sample s = yaw_at(T0 + i * 20 * MS, i * 1.2, 60);
		s.latency_ms = 40;
		if (i % 25 == 0) {
			fake_set(resample, state, "latency", latency[i / 25]);
			assert_int_equal(resample->changed(state), 0);
		}
		give(state, s);
	}
	const struct hp_sample *s = &fake.samples[fake.nsamples - 1];
	assert_true(fabs(yaw_of(s) - (double)(s->time_ns - T0) * 60e-9 - 60 * 0.04) < 0.02);
	closed(state);
}

static void test_silence(void **unused)
{
	(void)unused;
	for (int live = 0; live < 2; live++) {
		void *state = opened(live ? 0 : HP_STREAM_REPLAY);
		fake.time = T0;
		give(state, yaw_at(T0, 0, 30));
		if (live) {
			assert_true(fake_run(&fake, T0 + 5000 * MS, 1000) <= 26);
			assert_true(fake.timers[0].deadline < 0); /* asleep */
		}
		give(state, yaw_at(T0 + 5001 * MS, 50, 0));
		/* 0 to 100 ms, then nothing until the next sample's tick */
		assert_int_equal(fake.nsamples, 26);
		assert_int_equal(fake.samples[25].time_ns, T0 + 100 * MS);
		if (live)
			fake_run(&fake, T0 + 5005 * MS, 10);
		else
			give(state, yaw_at(T0 + 5008 * MS, 50, 0));
		assert_int_equal(fake.samples[26].time_ns, T0 + 5004 * MS);
		assert_true(fake.samples[26].flags & HP_JUMP);
		assert_true(fabs(yaw_of(&fake.samples[26]) - 50) < 1e-9);
		/* after a disconnect nothing is foretold */
		size_t n = fake.nsamples;
		tell(state, HP_DISCONNECTED, T0 + 5009 * MS);
		n = fake.nsamples;
		fake_run(&fake, T0 + 6000 * MS, 1000);
		assert_int_equal(fake.nsamples, n);
		closed(state);
	}
}

/* When a live pose is sent: its own time by the clock that came through fastest, and the guard; between two samples one
 * interval later. */
static void test_when(void **unused)
{
	(void)unused;
	for (int mode = 0; mode < 2; mode++) {
		void *state = opened(0, "mode", mode ? "interpolate" : "predict");
		for (int i = 0; i < 2; i++) {
			struct hp_sample s = yaw_at(T0 + i * 40 * MS, 0, 0);
			s.arrival_ns += (i ? 2 : 12) * MS; /* sample time is 2 ms behind this clock */
			fake.time = s.arrival_ns;
			give(state, s);
		}
		size_t n = fake.nsamples;
		int64_t next = fake.samples[n - 1].time_ns + 4 * MS, due = next + 2 * MS + 250000 + mode * 40 * MS;
		assert_int_equal(next, T0 + (mode ? 4 : 44) * MS);
		fake_run(&fake, due - 1, 1000);
		assert_int_equal(fake.nsamples, n);
		fake_run(&fake, due, 1000);
		assert_int_equal(fake.nsamples, n + 1);
		closed(state);
	}
}

/* A turn that slows down is led as far as it will go: by the formula of track.c, also where it is slow. */
static void test_slows_down(void **unused)
{
	static const double rates[][2] = { { 0.2, 0.1 }, { 4, 3 } }; /* rad/s */
	(void)unused;
	for (int i = 0; i < 2; i++) {
		void *state = opened(HP_STREAM_REPLAY, "rest", "0", "blend", "0", "latency", "0");
		double was = rates[i][0], now = rates[i][1];
		give(state, yaw_at(T0, 0, was * 180 / M_PI));
		give(state, yaw_at(T0 + 40 * MS, 0, now * 180 / M_PI));
		give(state, yaw_at(T0 + 80 * MS, 0, 0));
		double slowing = 0.8 * (was - now) * now / (0.04 * (now * now + 0.01)), lead = 0.036;
		double want = now * lead * (1 - slowing * lead / 2) * 180 / M_PI;
		assert_int_equal(fake.samples[19].time_ns, T0 + 76 * MS);
		if (fabs(yaw_of(&fake.samples[19]) / want - 1) > 5e-3)
			fail_msg("from %g to %g rad/s: %g, want %g", was, now, yaw_of(&fake.samples[19]), want);
		closed(state);
	}
}

static void test_events_in_order(void **unused)
{
	(void)unused;
	void *state = opened(HP_STREAM_REPLAY);
	give(state, yaw_at(T0, 0, 0));
	tell(state, HP_RECENTER, T0 + 21 * MS); /* what came before it goes out first */
	assert_int_equal(fake.nsamples, 6);
	give(state, yaw_at(T0 + 40 * MS, 90, 0));
	assert_int_equal(fake.nsamples, 11);
	for (size_t i = 0; i < 10; i++)
		assert_true(fabs(yaw_of(&fake.samples[i])) < 1e-9);
	assert_true(fabs(yaw_of(&fake.samples[10]) - 90) < 1e-9); /* at once: the view was set anew */
	assert_true(fake.samples[10].flags & HP_JUMP);
	struct hp_sample jump = yaw_at(T0 + 80 * MS, -30, 0);
	jump.flags |= HP_JUMP;
	give(state, jump);
	assert_true(fabs(yaw_of(&fake.samples[20]) + 30) < 1e-9);
	assert_true(fake.samples[20].flags & HP_JUMP);
	assert_false(fake.samples[19].flags & HP_JUMP);
	closed(state);
}

static void test_own_speed(void **unused)
{
	(void)unused;
	void *state = opened(HP_STREAM_REPLAY);
	for (int i = 0; i < 50; i++) {
		struct hp_sample s = yaw_at(T0 + i * 40 * MS, i * 2.4, 0);
		s.flags = 0; /* no filter above that says it */
		give(state, s);
	}
	for (size_t i = 200; i < fake.nsamples; i++)
		assert_true(fabs(yaw_of(&fake.samples[i]) - (double)i * 0.24) < 0.01);
	closed(state);
}

static void test_interpolates(void **unused)
{
	(void)unused;
	void *state = opened(HP_STREAM_REPLAY, "mode", "interpolate");
	uint64_t r = 3;
	double yaw = 0, knots[60];
	for (int i = 0; i < 60; i++) {
		knots[i] = yaw;
		struct hp_sample s = yaw_at(T0 + i * 40 * MS, yaw, random_real(&r, -400, 400)); /* wild speeds */
		s.flags |= HP_POS;
		s.pos[1] = yaw;
		give(state, s);
		yaw += random_real(&r, -8, 8);
	}
	assert_int_equal(fake.nsamples, 59 * 10 + 1);
	for (size_t i = 0; i < fake.nsamples; i++) {
		double a = knots[i / 10], b = knots[(i + 9) / 10], now = yaw_of(&fake.samples[i]);
		assert_true(now >= fmin(a, b) - 1e-6 && now <= fmax(a, b) + 1e-6); /* never beyond */
		assert_true(fake.samples[i].pos[1] >= fmin(a, b) - 1e-6 && fake.samples[i].pos[1] <= fmax(a, b) + 1e-6);
		assert_int_equal(fake.samples[i].time_ns, T0 + (int64_t)i * 4 * MS);
	}
	closed(state);
}

/* Uneven samples, a jump, a silence, an event: first as a replay, then live with timers. */
static struct hp_sample *play(bool live, const char *mode, size_t *n)
{
	void *state = opened(live ? 0 : HP_STREAM_REPLAY, "mode", mode, "rate", "144");
	uint64_t r = 17;
	int64_t time_ns = T0;
	for (int i = 0; i < 400; i++) {
		time_ns += 20 * MS + (int64_t)random_below(&r, 40000000) + (i == 200 ? 700 * MS : 0);
		double t = (double)time_ns / 1e9;
		struct hp_sample s = yaw_at(time_ns, 30 * sin(2 * t), 60 * cos(2 * t));
		if (i == 100)
			s.flags |= HP_JUMP;
		int64_t late = 20000 + (int64_t)random_below(&r, 150000); /* from the device's thread to the filter */
		s.arrival_ns = time_ns;
		if (live)
			fake_run(&fake, time_ns + late, 1000);
		if (i == 300)
			tell(state, HP_RECENTER, time_ns);
		give(state, s);
	}
	if (live)
		fake_run(&fake, time_ns + 2000 * MS, 1000);
	else
		tell(state, HP_GAP, time_ns + 2000 * MS);
	struct hp_sample *out = fake.samples;
	*n = fake.nsamples;
	fake.samples = NULL;
	closed(state);
	return out;
}
static void test_live_is_replay(void **unused)
{
	(void)unused;
	static const char *const modes[] = { "predict", "interpolate" };
	for (int m = 0; m < 2; m++) {
		size_t nlive, nreplay;
		struct hp_sample *live = play(true, modes[m], &nlive), *replay = play(false, modes[m], &nreplay);
		assert_int_equal(nlive, nreplay);
		assert_true(nlive > 1000);
		for (size_t i = 0; i < nlive; i++)
			if (memcmp(&live[i], &replay[i], sizeof *live) != 0)
				fail_msg("%s: pose %zu of %zu differs: yaw %.9g, %.9g at %lld, %lld", modes[m], i,
				         nlive, yaw_of(&live[i]), yaw_of(&replay[i]), (long long)live[i].time_ns,
				         (long long)replay[i].time_ns);
		free(live);
		free(replay);
	}
}

static void test_anything(void **unused)
{
	(void)unused;
	static const char *const modes[] = { "predict", "interpolate" };
	uint64_t r = 9;
	for (int m = 0; m < 2; m++) {
		void *state = opened(HP_STREAM_REPLAY, "mode", modes[m], "rate", "2000", "lead_limit", "20ms");
		int64_t time_ns = 0;
		for (int i = 0; i < 100000; i++) {
			struct hp_sample s = HP_SAMPLE_INIT;
			uint64_t what = random_below(&r, 1000);
			time_ns +=
			    what < 990 ? (int64_t)random_below(&r, 3000000) : -(int64_t)random_below(&r, 1000000000);
			if (what == 999)
				time_ns = (int64_t)random_next(&r);
			s.time_ns = time_ns;
			for (int k = 0; k < 3; k++) {
				s.rotvec[k] = random_real(&r, -3, 3);
				s.angvel[k] = what == 5 ? random_real(&r, -1e300, 1e300) : random_real(&r, -9, 9);
			}
			for (int k = 0; k < 3; k++)
				s.pos[k] = what % 50 == 7 ? 1.7e308 * (k - 1) : random_real(&r, -30, 30);
			s.flags = HP_POS | HP_ROTVEC | (what % 3 ? HP_ANGVEL : 0u);
			hp_quat_from_rotvec(s.rotvec, s.quat);
			if (what == 6) {
				s.quat[1] = NAN;
				assert_int_equal(resample->filter(state, &s), -EDOM);
				continue;
			}
			assert_int_equal(resample->filter(state, &s), HP_DROP);
			for (size_t k = 0; k < fake.nsamples; k++) {
				const double *q = fake.samples[k].quat;
				assert_true(fabs(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3] - 1) < 1e-9);
				for (int p = 0; p < 3; p++)
					assert_true(fabs(fake.samples[k].pos[p]) < 31);
			}
			assert_true(fake.nsamples < 1100);
			fake.nsamples = 0;
		}
		closed(state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_grid),
		cmocka_unit_test(test_correction_fades),
		cmocka_unit_test(test_latency),
		cmocka_unit_test(test_latency_and_limit),
		cmocka_unit_test(test_no_lead),
		cmocka_unit_test(test_live_change),
		cmocka_unit_test(test_auto_again),
		cmocka_unit_test(test_silence),
		cmocka_unit_test(test_when),
		cmocka_unit_test(test_slows_down),
		cmocka_unit_test(test_events_in_order),
		cmocka_unit_test(test_own_speed),
		cmocka_unit_test(test_interpolates),
		cmocka_unit_test(test_live_is_replay),
		cmocka_unit_test(test_anything),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
