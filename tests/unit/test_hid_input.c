/* SPDX-License-Identifier: MIT
 * test_hid_input.c - the input `hid` against made-up devices: every way a device can be absent, refuse, be silent, go
 * away or come back. No test depends on how long something takes, only on that it happens. */
#include "api/builtin.h"
#include "fake_hidapi.h"
#include "hid_descriptors.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h> /* wants the ones above */

extern const struct hp_module hp_input_hid;

/* ---- a host that may be called from threads ----------------------------------------------------- */

enum { KEPT = 4096 };
struct kept {
	char kind; /* 'R' raw, 'S' sample, 'E' event */
	uint32_t type, flags;
	int64_t time_ns, value;
	char text[96];
	struct hp_sample sample;
	uint32_t size;
};
struct bench {
	struct hp_host host;
	struct hp_hid_input in;
	pthread_mutex_t lock;
	char log[1 << 16];
	struct kept *kept;
	int nkept, described, failed, fail_error;
	char device[256], serial[256], unique[64], features[256];
	struct hp_stream stream;
	int64_t slow_ns; /* each emit() takes so long */
	/* the loop: a thread that serves watches and timers; stop() and command() are called while it stands still */
	pthread_t loop;
	atomic_bool looping;
	int loop_wake;
	pthread_mutex_t loop_lock;
	struct hp_watch {
		struct bench *bench;
		int fd; /* -1 = free */
		void (*cb)(void *, unsigned);
		void *arg;
	} watches[8];
	struct hp_timer {
		struct bench *bench;
		int64_t at;
		void (*cb)(void *);
		void *arg;
	} timers[4];
	int ntimers;
};

static struct bench *bench_of(const struct hp_host *h)
{
	return (struct bench *)(uintptr_t)h;
}
static void bench_log(const struct hp_host *h, enum hp_level level, const char *text)
{
	static const char *const names[] = { "debug: ", "info: ", "warn: ", "error: " };
	struct bench *b = bench_of(h);
	pthread_mutex_lock(&b->lock);
	size_t n = strlen(b->log);
	snprintf(b->log + n, sizeof b->log - n, "%s%s\n", names[level], text);
	pthread_mutex_unlock(&b->lock);
}
static atomic_llong clock_ahead, clock_stands; /* let a test make time pass, or stand still */
static int64_t bench_now(const struct hp_host *h)
{
	struct timespec t;
	(void)h;
	if (atomic_load(&clock_stands))
		return atomic_load(&clock_stands);
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec + atomic_load(&clock_ahead);
}
static struct kept *keep(struct bench *b, char kind)
{
	assert_true(b->nkept < KEPT);
	struct kept *k = &b->kept[b->nkept++];
	memset(k, 0, sizeof *k);
	k->kind = kind;
	return k;
}
static int bench_post(const struct hp_host *h, const struct hp_item *item)
{
	struct bench *b = bench_of(h);
	pthread_mutex_lock(&b->lock);
	if (item->raw) {
		struct kept *k = keep(b, 'R');
		k->size = item->raw->size;
		k->time_ns = item->raw->time_ns;
		memcpy(k->text, item->raw->data, k->size < sizeof k->text ? k->size : sizeof k->text);
	}
	if (item->event) {
		struct kept *k = keep(b, 'E');
		k->type = item->event->type;
		k->value = item->event->value;
		k->time_ns = item->event->time_ns;
		snprintf(k->text, sizeof k->text, "%s", item->event->text ? item->event->text : "");
	}
	for (uint32_t i = 0; i < item->nsamples; i++) {
		struct kept *k = keep(b, 'S');
		k->sample = item->samples[i];
		k->flags = k->sample.flags;
		k->time_ns = k->sample.time_ns;
	}
	pthread_mutex_unlock(&b->lock);
	return 0;
}
/* Only the loop may emit. */
static int bench_emit(const struct hp_host *h, const struct hp_item *item)
{
	struct bench *b = bench_of(h);
	struct timespec slow = { 0, b->slow_ns };
	assert_true(pthread_equal(pthread_self(), b->loop));
	if (b->slow_ns)
		nanosleep(&slow, NULL);
	return bench_post(h, item);
}
static void copy_text(char *to, size_t size, const char *from)
{
	snprintf(to, size, "%s", from ? from : "(null)");
}
static void bench_describe(const struct hp_host *h, const struct hp_stream *s)
{
	struct bench *b = bench_of(h);
	pthread_mutex_lock(&b->lock);
	b->described++;
	b->stream = *s;
	copy_text(b->device, sizeof b->device, s->device);
	copy_text(b->serial, sizeof b->serial, s->serial);
	copy_text(b->unique, sizeof b->unique, s->unique_id);
	copy_text(b->features, sizeof b->features, s->features);
	pthread_mutex_unlock(&b->lock);
}
static void bench_fail(const struct hp_host *h, int err, const char *text)
{
	struct bench *b = bench_of(h);
	bench_log(h, HP_LOG_ERROR, text);
	pthread_mutex_lock(&b->lock);
	b->failed++;
	b->fail_error = err;
	pthread_mutex_unlock(&b->lock);
}
static struct hp_timer *bench_timer(const struct hp_host *h, void (*cb)(void *), void *arg)
{
	struct bench *b = bench_of(h);
	assert_true(b->ntimers < 4);
	b->timers[b->ntimers] = (struct hp_timer){ b, -1, cb, arg };
	return &b->timers[b->ntimers++];
}
static int bench_timer_at(struct hp_timer *t, int64_t at)
{
	t->at = at;
	return 0;
}
static struct hp_watch *bench_watch(const struct hp_host *h, int fd, unsigned events, void (*cb)(void *, unsigned),
                                    void *arg)
{
	struct bench *b = bench_of(h);
	assert_int_equal(events, HP_READABLE);
	for (int i = 0; i < 8; i++)
		if (!b->watches[i].cb) {
			b->watches[i] = (struct hp_watch){ b, fd, cb, arg };
			return &b->watches[i];
		}
	return NULL;
}
static void bench_unwatch(struct hp_watch *w)
{
	w->cb = NULL;
}
static void serve_timers(struct bench *b, int64_t *next)
{
	*next = INT64_MAX;
	for (int i = 0; i < b->ntimers; i++) {
		struct hp_timer *t = &b->timers[i];
		if (t->at >= 0 && t->at <= bench_now(&b->host)) {
			t->at = -1;
			t->cb(t->arg);
		}
		if (t->at >= 0 && t->at < *next)
			*next = t->at;
	}
}
static void *loop_runs(void *arg)
{
	struct bench *b = arg;
	while (atomic_load(&b->looping)) {
		struct pollfd p[9] = { { b->loop_wake, POLLIN, 0 } };
		int64_t next;
		pthread_mutex_lock(&b->loop_lock);
		serve_timers(b, &next);
		for (int i = 0; i < 8; i++)
			p[i + 1] = (struct pollfd){ b->watches[i].cb ? b->watches[i].fd : -1, POLLIN, 0 };
		pthread_mutex_unlock(&b->loop_lock);
		int64_t left = next == INT64_MAX ? 1000000000 : next - bench_now(&b->host);
		poll(p, 9, left > 0 ? (int)((left + 999999) / 1000000) : 0);
		pthread_mutex_lock(&b->loop_lock);
		for (int i = 0; i < 8; i++)
			if (p[i + 1].revents && b->watches[i].cb && b->watches[i].fd == p[i + 1].fd)
				b->watches[i].cb(b->watches[i].arg, HP_READABLE);
		pthread_mutex_unlock(&b->loop_lock);
	}
	return NULL;
}
static int watches_left(const struct bench *b)
{
	int n = 0;
	for (int i = 0; i < 8; i++)
		n += b->watches[i].cb != NULL;
	return n;
}

static struct bench *bench_new(void)
{
	struct bench *b = calloc(1, sizeof *b);
	b->kept = calloc(KEPT, sizeof *b->kept);
	pthread_mutex_init(&b->lock, NULL);
	b->host = (struct hp_host){ .struct_size = sizeof b->host,
		                    .abi = HP_ABI,
		                    .name = "hid",
		                    .log = bench_log,
		                    .now = bench_now,
		                    .emit = bench_emit,
		                    .post = bench_post,
		                    .describe = bench_describe,
		                    .fail = bench_fail,
		                    .timer = bench_timer,
		                    .timer_at = bench_timer_at,
		                    .watch = bench_watch,
		                    .unwatch = bench_unwatch };
	b->in = (struct hp_hid_input){ .serial = "",
		                       .name = "",
		                       .interval_ms = 10,
		                       .reconnect = true,
		                       .first_sample_timeout = 60 * INT64_C(1000000000) };
	return b;
}
static void bench_start(struct bench *b)
{
	assert_int_equal(hp_input_hid.open(&b->in, &b->host), 0);
	assert_int_equal(hp_input_hid.start(&b->in), 0);
	pthread_mutex_init(&b->loop_lock, NULL);
	b->loop_wake = eventfd(0, EFD_CLOEXEC);
	atomic_store(&b->looping, true);
	assert_int_equal(pthread_create(&b->loop, NULL, loop_runs, b), 0);
}
/* The loop stands still from now on, and this thread is it. */
static void bench_stop(struct bench *b)
{
	uint64_t one = 1;
	if (!atomic_exchange(&b->looping, false))
		return;
	assert_int_equal(write(b->loop_wake, &one, sizeof one), sizeof one);
	pthread_join(b->loop, NULL);
	close(b->loop_wake);
	hp_input_hid.stop(&b->in);
	assert_int_equal(watches_left(b), 0);
}
static void bench_end(struct bench *b)
{
	bench_stop(b);
	pthread_mutex_destroy(&b->lock);
	free(b->kept);
	free(b);
}

/* ---- waiting: for ever in practice, a hang ends after a minute ---------------------------------- */

static void tick(int *n)
{
	struct timespec ms1 = { 0, 1000000 };
	assert_true(++*n < 60000);
	nanosleep(&ms1, NULL);
}
static bool has_log(struct bench *b, const char *text)
{
	pthread_mutex_lock(&b->lock);
	bool is = strstr(b->log, text) != NULL;
	pthread_mutex_unlock(&b->lock);
	return is;
}
static void wait_log(struct bench *b, const char *text)
{
	for (int n = 0; !has_log(b, text);)
		tick(&n);
}
static int count_of(struct bench *b, char kind, uint32_t type)
{
	int n = 0;
	pthread_mutex_lock(&b->lock);
	for (int i = 0; i < b->nkept; i++)
		n += b->kept[i].kind == kind && (!type || b->kept[i].type == type);
	pthread_mutex_unlock(&b->lock);
	return n;
}
static void wait_count(struct bench *b, char kind, uint32_t type, int want)
{
	for (int n = 0; count_of(b, kind, type) < want;)
		tick(&n);
}
static struct kept *nth(struct bench *b, char kind, uint32_t type, int want)
{
	for (int i = 0; i < b->nkept; i++)
		if (b->kept[i].kind == kind && (!type || b->kept[i].type == type) && !want--)
			return &b->kept[i];
	fail();
	return NULL;
}
static int locked(int *value)
{
	pthread_mutex_lock(&fake_lock);
	int v = *value;
	pthread_mutex_unlock(&fake_lock);
	return v;
}
static void wait_value(int *value, int want)
{
	for (int n = 0; locked(value) < want;)
		tick(&n);
}
static int open_files(void)
{
	int n = 0;
	DIR *d = opendir("/proc/self/fd");
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* ---- devices ------------------------------------------------------------------------------------ */

static const uint8_t still[14] = { 1, 0x10, 0x20, 0, 0, 0, 0x40, 1, 0, 2, 0, 3, 0, 7 };

static struct fake_device *device(int i, const char *name, const char *serial)
{
	struct fake_device *d = &fake_devices[i];
	d->name = name;
	d->serial = serial;
	d->vendor = 0x1209;
	d->product = (uint16_t)(1 + i);
	d->descriptor = tracker_v1;
	d->descriptor_size = sizeof tracker_v1;
	memcpy(d->feature[1], "\1\0", 2);
	d->feature_size[1] = 2;
	memcpy(d->feature[2], "\2#AndroidHeadTracker#1.0\0\0\0\0\0\0\0\0BT\2\0\0\0\0", 39);
	d->feature[2][39] = (uint8_t)(i + 1);
	d->feature_size[2] = 40;
	return d;
}
static void set_last(struct fake_device *d, const char *want, size_t size)
{
	pthread_mutex_lock(&fake_lock);
	int at = (d->sets + 7) % 8;
	assert_int_equal(d->last_set_size[at], size);
	assert_memory_equal(d->last_set[at], want, size);
	pthread_mutex_unlock(&fake_lock);
}
static int setup(void **state)
{
	(void)state;
	fake_setup();
	return 0;
}
static int teardown(void **state)
{
	(void)state;
	assert_int_equal(fake_handles, 0);
	fake_teardown();
	return 0;
}

/* ---- tests -------------------------------------------------------------------------------------- */

static void test_found_among_others(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *mouse = device(0, "Mouse", ""), *tracker = device(1, "Headset", "02:00:00:00:00:02");
	(void)state;
	mouse->descriptor = other_mouse;
	mouse->descriptor_size = sizeof other_mouse;
	tracker->feature[1][1] = (char)0xfc; /* slowest interval, off: every bit must be written */
	fake_plug(mouse, 0);
	fake_plug(tracker, 3);
	bench_start(b);
	wait_value(&tracker->sets, 1);
	set_last(tracker, "\1\3", 2);
	fake_report(tracker, still, 14);
	wait_count(b, 'S', 0, 1);
	bench_end(b);
	assert_int_equal(mouse->opens, 0);
	assert_int_equal(tracker->opens, 1);
	assert_int_equal(tracker->closes, 1);
}

static void test_what_the_host_is_told(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "02:00:00:00:00:01");
	(void)state;
	fake_plug(d, 5);
	bench_start(b);
	wait_value(&d->sets, 1);
	fake_report(d, still, 14);
	fake_report(d, still, 14);
	wait_count(b, 'S', 0, 2);
	bench_stop(b);
	assert_int_equal(b->described, 1);
	assert_string_equal(b->device, "Headset");
	assert_string_equal(b->serial, "02:00:00:00:00:01");
	assert_string_equal(b->unique, "BT 02:00:00:00:00:01");
	assert_int_equal(strncmp(b->features, "2=23416e64726f6964", 18), 0);
	assert_non_null(strstr(b->features, ";1=03")); /* as it is set up */
	assert_int_equal(b->stream.vendor, 0x1209);
	assert_int_equal(b->stream.product, 1);
	assert_int_equal(b->stream.report_size, 14);
	assert_int_equal(b->stream.descriptor_size, sizeof tracker_v1);
	/* connected, then the report, then its sample: a jump only the first time */
	assert_int_equal(b->kept[0].type, HP_CONNECTED);
	assert_string_equal(b->kept[0].text, "Headset");
	assert_int_equal(b->kept[1].kind, 'R');
	assert_memory_equal(b->kept[1].text, still, 14);
	assert_int_equal(b->kept[2].kind, 'S');
	assert_int_equal(b->kept[2].flags, HP_ROTVEC | HP_QUAT_DUE | HP_GYRO | HP_JUMP);
	assert_int_equal(b->kept[4].flags, HP_ROTVEC | HP_QUAT_DUE | HP_GYRO);
	assert_true(b->kept[2].sample.arrival_ns == b->kept[1].time_ns);
	assert_true(b->stream.rate_start_ns < b->kept[1].time_ns);
	bench_end(b);
}

static void test_reset_counter(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	uint8_t moved[14];
	(void)state;
	memcpy(moved, still, 14);
	moved[13] = 8;
	fake_plug(d, 0);
	bench_start(b);
	wait_value(&d->sets, 1);
	fake_report(d, still, 14);
	fake_report(d, moved, 14);
	wait_count(b, 'S', 0, 2);
	bench_stop(b);
	/* connected raw sample, raw reset sample */
	assert_int_equal(b->kept[3].kind, 'R');
	assert_int_equal(b->kept[4].type, HP_REFERENCE_RESET);
	assert_int_equal(b->kept[4].value, 8);
	assert_int_equal(b->kept[5].kind, 'S');
	assert_true(b->kept[5].flags & HP_JUMP);
	bench_end(b);
}

static void test_protocol_2(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	d->descriptor = tracker_v2;
	d->descriptor_size = sizeof tracker_v2;
	memcpy(d->feature[1], "\1\0\1", 3); /* ISO: must become ACL */
	d->feature_size[1] = 3;
	memcpy(d->feature[2] + 1, "#AndroidHeadTracker#2.0#3", 25);
	d->feature_size[2] = 42;
	fake_plug(d, 0);
	bench_start(b);
	wait_value(&d->sets, 1);
	set_last(d, "\1\3\0", 3);
	wait_log(b, "marker #AndroidHeadTracker#2.0#3");
	bench_end(b);
}

static void test_without_ids(void **state)
{
	/* with and without the zero that stands for the ID */
	for (int zero = 0; zero < 2; zero++) {
		struct bench *b = bench_new();
		struct fake_device *d = device(0, "Headset", "");
		(void)state;
		d->descriptor = tracker_noids;
		d->descriptor_size = sizeof tracker_noids;
		memset(d->feature, 0, sizeof d->feature);
		memset(d->feature_size, 0, sizeof d->feature_size);
		memcpy(d->feature[0] + 2, "#AndroidHeadTracker#1.0\0\0\0\0\0\0\0\0BT\2\0\0\0\0\7", 39);
		d->feature_size[0] = 41;
		d->no_zero_byte = !zero;
		d->sets = 0;
		fake_plug(d, 0);
		bench_start(b);
		wait_value(&d->sets, 1);
		fake_report(d, still + 1, 13);
		wait_count(b, 'S', 0, 1);
		bench_stop(b);
		assert_int_equal(d->last_set[0][0], 0);
		assert_int_equal(d->last_set[0][1], 3);
		assert_memory_equal(d->last_set[0] + 2, "#AndroidHeadTracker#1.0", 23);
		assert_string_equal(b->unique, "BT 02:00:00:00:00:07");
		assert_false(has_log(b, "warn: "));
		bench_end(b);
		fake_unplug(d);
	}
}

static void test_wrong_numbers(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "S1");
	(void)state;
	fake_plug(d, 0);
	b->in.vendor = 0x054c;
	bench_start(b);
	wait_log(b, "no head tracker found that fits vendor, product, serial and name; waiting for one");
	bench_end(b);
	b = bench_new();
	b->in.serial = "s2";
	bench_start(b);
	wait_log(b, "waiting for one");
	bench_end(b);
	assert_int_equal(d->opens, 0);
	b = bench_new();
	b->in.vendor = 0x1209;
	b->in.product = 1;
	b->in.serial = "s1"; /* letter case does not count */
	b->in.name = "EADSE";
	bench_start(b);
	wait_value(&d->sets, 1);
	bench_end(b);
}

static void test_marker_missing(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Custom sensor", "");
	(void)state;
	memcpy(d->feature[2] + 1, "#SomebodyElsesSensor##", 22);
	fake_plug(d, 0);
	bench_start(b);
	wait_log(b,
	         "no #AndroidHeadTracker# marker; to use it all the same, name it: vendor = 0x1209, product = 0x0001");
	bench_end(b);
	assert_int_equal(d->sets, 0);
	b = bench_new();
	b->in.product = 1;
	bench_start(b);
	wait_value(&d->sets, 1);
	wait_log(b, "Custom sensor has no #AndroidHeadTracker# marker; using it all the same");
	bench_end(b);
}

static void test_features_unreadable(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	d->refuse_get = true;
	fake_plug(d, 0);
	bench_start(b);
	wait_value(&d->sets, 1);
	set_last(d, "\1\3", 2); /* from zero */
	fake_report(d, still, 14);
	wait_count(b, 'S', 0, 1);
	wait_log(b, "does not let its feature reports be read; using it all the same");
	bench_end(b);
}

static void test_settings_refused(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	d->refuse_set = true;
	fake_plug(d, 0);
	bench_start(b);
	wait_log(b, "warn: Headset refused the start-up settings (feature report 1: Broken pipe)");
	fake_report(d, still, 14);
	wait_count(b, 'S', 0, 1);
	bench_end(b);
}

static void test_settings_ignored(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	d->ignore_set = true;
	fake_plug(d, 0);
	bench_start(b);
	wait_log(b, "warn: Headset did not accept full power");
	wait_log(b, "warn: Headset did not accept to report all events");
	assert_false(has_log(b, "interval")); /* 0 is what it already had */
	bench_end(b);
}

static void test_slow_device(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	b->in.first_sample_timeout = 50000000;
	fake_plug(d, 0);
	bench_start(b);
	wait_value(&d->sets, 2); /* set up again, not closed */
	fake_report(d, still, 14);
	wait_count(b, 'S', 0, 1);
	assert_int_equal(locked(&d->opens), 1);
	wait_log(b, "Headset is open but sends nothing; setting it up again");
	bench_end(b);
}

static void test_silent_device(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	b->in.first_sample_timeout = 50000000;
	fake_plug(d, 0);
	bench_start(b);
	wait_value(&d->opens, 3); /* closed and opened again, set up twice each time */
	assert_true(locked(&d->sets) >= 4);
	wait_log(b, "Headset cannot be used now: it sends nothing; trying again");
	fake_report(d, still, 14);
	for (int n = 0; !count_of(b, 'S', 0); fake_report(d, still, 14))
		tick(&n);
	bench_stop(b);
	/* told once, not each time; and no connection before the first report */
	assert_null(strstr(strstr(b->log, "cannot be used now") + 1, "cannot be used now"));
	assert_int_equal(count_of(b, 'E', HP_CONNECTED), 1);
	assert_int_equal(count_of(b, 'E', HP_DISCONNECTED), 0);
	bench_end(b);
}

static void test_partial_and_foreign_reports(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	uint8_t longer[40] = { 1 }, other[3] = { 9, 1, 2 };
	(void)state;
	fake_plug(d, 0);
	bench_start(b);
	wait_value(&d->sets, 1);
	fake_report(d, still, 5);   /* the rest counts as zero */
	fake_report(d, still, 1);   /* nothing but the ID */
	fake_report(d, other, 3);   /* of an ID that means nothing */
	fake_report(d, longer, 40); /* more than the descriptor says */
	fake_report(d, still, 14);
	wait_count(b, 'R', 0, 5);
	bench_stop(b);
	assert_int_equal(nth(b, 'R', 0, 0)->size, 5);
	assert_int_equal(nth(b, 'R', 0, 3)->size, 40);
	assert_int_equal(count_of(b, 'S', 0), 4);
	assert_true(fabs(nth(b, 'S', 0, 0)->sample.rotvec[2]) < 1e-6);
	assert_true(fabs(nth(b, 'S', 0, 3)->sample.rotvec[2]) > 1e-3);
	bench_end(b);
}

/* Reports come, but none with a rotation: as good as silent. */
static void test_no_rotation(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	static const uint8_t battery[2] = { 9, 50 };
	(void)state;
	b->in.first_sample_timeout = 50000000;
	fake_plug(d, 0);
	bench_start(b);
	for (int n = 0; locked(&d->opens) < 2; fake_report(d, battery, 2))
		tick(&n);
	wait_log(b, "Headset is open but sends no rotation; setting it up again");
	wait_log(b, "Headset went away (it sends no rotation)");
	bench_stop(b);
	assert_int_equal(count_of(b, 'S', 0), 0);
	bench_end(b);
}

static void test_vanishes_and_comes_back_elsewhere(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "02:00:00:00:00:01");
	(void)state;
	fake_plug(d, 2);
	bench_start(b);
	wait_value(&d->sets, 1);
	fake_report(d, still, 14);
	wait_count(b, 'S', 0, 1);
	fake_unplug(d);
	wait_log(b, "warn: Headset went away (Input/output error); waiting for it to come back");
	wait_count(b, 'E', HP_DISCONNECTED, 1);
	fake_plug(d, 6);
	wait_value(&d->sets, 2);
	fake_report(d, still, 14);
	wait_count(b, 'S', 0, 2);
	bench_stop(b);
	struct kept *second = nth(b, 'E', HP_CONNECTED, 1), *gap = nth(b, 'E', HP_GAP, 0);
	assert_int_equal(gap - second, 1); /* connected, gap, raw, sample */
	assert_true(gap->value == nth(b, 'S', 0, 1)->time_ns - nth(b, 'S', 0, 0)->time_ns);
	assert_true(nth(b, 'S', 0, 1)->flags & HP_JUMP);
	assert_string_equal(nth(b, 'E', HP_DISCONNECTED, 0)->text, "Input/output error");
	assert_int_equal(b->described, 2);
	bench_end(b);
}

static void test_reconnect_no(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	b->in.reconnect = false;
	fake_plug(d, 0);
	bench_start(b);
	wait_value(&d->sets, 1);
	fake_report(d, still, 14);
	wait_count(b, 'S', 0, 1);
	fake_unplug(d);
	wait_log(b, "error: Headset went away (Input/output error)\n");
	bench_stop(b);
	assert_int_equal(b->failed, 1);
	assert_int_equal(b->fail_error, ENODEV);
	bench_end(b);
}

static void test_two_devices_two_inputs(void **state)
{
	struct bench *one = bench_new(), *two = bench_new();
	struct fake_device *a = device(0, "Left", "A"), *c = device(1, "Right", "C");
	(void)state;
	fake_plug(a, 0);
	fake_plug(c, 1);
	bench_start(one);
	wait_value(&a->sets, 1);
	bench_start(two);
	wait_value(&c->sets, 1);
	fake_report(a, still, 14);
	fake_report(c, still, 14);
	wait_count(one, 'S', 0, 1);
	wait_count(two, 'S', 0, 1);
	bench_end(one);
	bench_end(two);
	assert_int_equal(a->opens, 1);
	assert_int_equal(c->opens, 1);
}

static void test_one_device_two_inputs(void **state)
{
	struct bench *one = bench_new(), *two = bench_new();
	struct fake_device *d = device(0, "Headset", "A");
	(void)state;
	fake_plug(d, 0);
	bench_start(one);
	wait_value(&d->sets, 1);
	bench_start(two);
	wait_log(two, "every head tracker is already used by another input; waiting for one more");
	bench_end(one);
	wait_value(&d->sets, 2); /* given free */
	bench_end(two);
}

/* The one that went away has the right of return: by unique ID, whatever the node; another one waits. */
static void test_identity(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *a = device(0, "Headset", ""), *c = device(1, "Headset", "");
	(void)state;
	c->product = a->product; /* same model: only the unique ID tells them apart */
	fake_plug(a, 0);
	bench_start(b);
	wait_value(&a->sets, 1);
	fake_report(a, still, 14);
	wait_count(b, 'S', 0, 1);
	atomic_store(&clock_stands, bench_now(&b->host)); /* after ten seconds the other one would be taken */
	fake_unplug(a);
	wait_count(b, 'E', HP_DISCONNECTED, 1);
	fake_plug(c, 1);
	wait_log(b, "waiting for Headset; another head tracker is there");
	assert_int_equal(locked(&c->sets), 0);
	fake_plug(a, 2);
	wait_value(&a->sets, 2);
	assert_int_equal(locked(&c->sets), 0);
	bench_end(b);
	atomic_store(&clock_stands, 0);
}

/* ... but not for ever. */
static void test_another_takes_over(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *a = device(0, "Old", "A"), *c = device(1, "New", "C");
	char path[256];
	(void)state;
	fake_plug(a, 0);
	bench_start(b);
	wait_value(&a->sets, 1);
	fake_report(a, still, 14);
	wait_count(b, 'S', 0, 1);
	fake_unplug(a);
	wait_count(b, 'E', HP_DISCONNECTED, 1);
	fake_plug(c, 1);
	wait_log(b, "waiting for Old; another head tracker is there");
	atomic_fetch_add(&clock_ahead, 10000000000);
	snprintf(path, sizeof path, "%s/hidraw1", fake_dev);
	assert_int_equal(chmod(path, 0600), 0); /* makes it look */
	wait_value(&c->sets, 1);
	wait_log(b, "Old did not come back; going on with New");
	fake_report(c, still, 14);
	wait_count(b, 'S', 0, 2);
	bench_end(b);
}

/* Both become accessible only then, and nothing but the unique ID tells them apart: the one from before is taken. */
static void test_late_return(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *a = device(0, "Old", NULL), *c = device(1, "New", NULL);
	char path[256];
	(void)state;
	fake_plug(a, 0);
	bench_start(b);
	wait_value(&a->sets, 1);
	fake_report(a, still, 14);
	wait_count(b, 'S', 0, 1);
	fake_unplug(a);
	wait_count(b, 'E', HP_DISCONNECTED, 1);
	pthread_mutex_lock(&fake_lock);
	a->node_error = c->node_error = -EACCES;
	pthread_mutex_unlock(&fake_lock);
	fake_plug(c, 1);
	fake_plug(a, 2);
	wait_log(b, "permission denied");
	atomic_fetch_add(&clock_ahead, 10000000000);
	pthread_mutex_lock(&fake_lock);
	a->node_error = c->node_error = 0;
	pthread_mutex_unlock(&fake_lock);
	snprintf(path, sizeof path, "%s/hidraw2", fake_dev);
	assert_int_equal(chmod(path, 0600), 0); /* makes it look */
	wait_value(&a->sets, 2);
	assert_int_equal(locked(&c->sets), 0);
	bench_end(b);
}

static void test_200_unplugs(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "A");
	int before = 0;
	(void)state;
	bench_start(b);
	for (int i = 0; i < 200; i++) {
		fake_plug(d, i % 7);
		wait_value(&d->sets, i + 1);
		fake_report(d, still, 14);
		wait_count(b, 'S', 0, i + 1);
		if (i == 0)
			before = open_files();
		assert_int_equal(open_files(), before);
		fake_unplug(d);
		wait_count(b, 'E', HP_DISCONNECTED, i + 1);
		wait_value(&d->closes, i + 1);
	}
	assert_int_equal(d->opens, 200);
	assert_int_equal(fake_handles, 0);
	bench_end(b);
	print_message("count: unplug cycles 200/200\n");
}

static void test_permission(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	char path[256];
	(void)state;
	d->node_error = -EACCES;
	fake_plug(d, 4);
	bench_start(b);
	wait_log(b, "warn: /dev/hidraw4 (Headset): permission denied; `headpipe doctor` prints the command");
	pthread_mutex_lock(&fake_lock);
	d->node_error = 0;
	pthread_mutex_unlock(&fake_lock);
	/* a rule gives access: the node's rights change, and that alone wakes the reader */
	snprintf(path, sizeof path, "%s/hidraw4", fake_dev);
	assert_int_equal(chmod(path, 0666), 0);
	wait_value(&d->sets, 1);
	bench_end(b);
}

static void test_open_fails(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	d->open_errors = 2;
	fake_plug(d, 0);
	bench_start(b);
	wait_log(
	    b,
	    "/dev/hidraw0 (Headset) cannot be opened: Failed to open the node: Device or resource busy; trying again");
	wait_value(&d->sets, 1);
	bench_end(b);
}

/* Ready for ever, but nothing to read: must end in a back-off, not in a busy loop. */
static void test_dead_node(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	d->empty_reads = true;
	fake_plug(d, 0);
	bench_start(b);
	wait_log(b, "its node is ready to read but gives nothing");
	wait_value(&d->opens, 3);
	assert_true(locked(&d->reads) <= 3 * 9);
	bench_end(b);
}

static void test_no_inotify(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	hp_hid_dev_dir = "/nonexistent";
	bench_start(b);
	wait_log(b, "no head tracker found; waiting for one");
	fake_plug(d, 0);
	wait_value(&d->sets, 1);
	bench_end(b);
}

static void test_almost_a_tracker(void **state)
{
	static const uint8_t no_rotation[] = { 0x05, 0x20, 0x09, 0xE1, 0xA1, 0x01, 0x0A, 0x45, 0x05, 0x15,
		                               0x00, 0x25, 0x7F, 0x75, 0x08, 0x95, 0x03, 0x81, 0x02, 0xC0 };
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Odd sensor", "");
	(void)state;
	d->descriptor = no_rotation;
	d->descriptor_size = sizeof no_rotation;
	fake_plug(d, 0);
	bench_start(b);
	wait_log(b, "no head tracker found; waiting for one (one device comes close: Odd sensor: ");
	bench_end(b);
}

static void test_reopen_command(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	fake_plug(d, 0);
	bench_start(b);
	wait_value(&d->sets, 1);
	fake_report(d, still, 14);
	wait_count(b, 'S', 0, 1);
	pthread_mutex_lock(&b->loop_lock);
	assert_int_equal(hp_input_hid.command(&b->in, "reopen"), 0);
	assert_int_equal(hp_input_hid.command(&b->in, "recenter"), -ENOTSUP);
	pthread_mutex_unlock(&b->loop_lock);
	wait_value(&d->sets, 2);
	bench_end(b);
}

/* After a sleep of the machine the device may have forgotten its settings: no report within the time, set up again. */
static void test_resume(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	b->in.first_sample_timeout = 50000000;
	fake_plug(d, 0);
	bench_start(b);
	wait_value(&d->sets, 1);
	fake_report(d, still, 14);
	for (int n = 0; !count_of(b, 'S', 0); fake_report(d, still, 14))
		tick(&n);
	int sets = locked(&d->sets);
	pthread_mutex_lock(&b->loop_lock);
	hp_hid_reader_ask(b->in.reader, HID_ASK_RESUMED, 3000000000);
	pthread_mutex_unlock(&b->loop_lock);
	for (int n = 0; !hp_hid_reader_nudge(b->in.reader);)
		tick(&n);
	wait_value(&d->sets, sets + 1);
	int reports = count_of(b, 'S', 0);
	fake_report(d, still, 14);
	wait_count(b, 'S', 0, reports + 1);
	bench_stop(b);
	/* a busy machine may make silences of its own */
	int64_t longest = 0;
	for (int i = 0; i < count_of(b, 'E', HP_GAP); i++)
		if (nth(b, 'E', HP_GAP, i)->value > longest)
			longest = nth(b, 'E', HP_GAP, i)->value;
	assert_true(longest >= 3000000000);
	bench_end(b);
}

/* A device that forgets its settings while its node stays: set up again, the gap is told, and nothing is closed. */
static void test_forgets_in_mid_stream(void **state)
{
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	b->in.first_sample_timeout = 50000000;
	fake_plug(d, 0);
	bench_start(b);
	for (int n = 0; count_of(b, 'S', 0) < 3; fake_report(d, still, 14))
		tick(&n);
	int sets = locked(&d->sets);
	wait_value(&d->sets, sets + 1); /* nothing comes any more */
	int reports = count_of(b, 'S', 0);
	for (int n = 0; count_of(b, 'S', 0) <= reports; fake_report(d, still, 14))
		tick(&n);
	wait_log(b, "warn: Headset has gone silent; setting it up again");
	wait_count(b, 'E', HP_GAP, 1);
	/* silent for good: closed and opened anew, as at the start */
	wait_log(b, "Headset went away (it has gone silent); waiting for it to come back");
	for (int n = 0; count_of(b, 'E', HP_CONNECTED) < 2; fake_report(d, still, 14))
		tick(&n);
	bench_stop(b);
	assert_true(nth(b, 'E', HP_GAP, 0)->value >= 50000000);
	assert_true(d->opens >= 2);
	bench_end(b);
}

/* Outputs that need long for a sample do not delay the reading of the next: the thread takes over. */
static void test_slow_outputs(void **state)
{
	(void)state;
	if (!fake_nodes)
		return;
	struct bench *b = bench_new();
	struct fake_device *d = device(0, "Headset", "");
	b->slow_ns = 5000000;
	fake_plug(d, 0);
	bench_start(b);
	for (int n = 0; !has_log(b, "a thread reads the reports from now on"); fake_report(d, still, 14))
		tick(&n);
	int emits = count_of(b, 'S', 0);
	for (int n = 0; count_of(b, 'S', 0) < emits + 10; fake_report(d, still, 14))
		tick(&n);
	bench_stop(b);
	assert_int_equal(count_of(b, 'E', HP_CONNECTED), 1);
	assert_int_equal(count_of(b, 'E', HP_DISCONNECTED), 0);
	assert_int_equal(d->opens, 1);
	bench_end(b);
}

/* Stop while it reads, waits, and right after the start, many times: no lost wake-up. */
static void test_stop_anywhere(void **state)
{
	struct fake_device *d = device(0, "Headset", "");
	(void)state;
	fake_plug(d, 0);
	for (int i = 0; i < 100; i++) {
		struct bench *b = bench_new();
		if (i == 50)
			fake_unplug(d);
		bench_start(b);
		for (int spin = 0; spin < i % 10 * 1000; spin++)
			__asm__ volatile("");
		bench_end(b);
	}
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_found_among_others),
		T(test_what_the_host_is_told),
		T(test_reset_counter),
		T(test_protocol_2),
		T(test_without_ids),
		T(test_wrong_numbers),
		T(test_marker_missing),
		T(test_features_unreadable),
		T(test_settings_refused),
		T(test_settings_ignored),
		T(test_slow_device),
		T(test_silent_device),
		T(test_partial_and_foreign_reports),
		T(test_no_rotation),
		T(test_vanishes_and_comes_back_elsewhere),
		T(test_reconnect_no),
		T(test_two_devices_two_inputs),
		T(test_one_device_two_inputs),
		T(test_identity),
		T(test_another_takes_over),
		T(test_late_return),
		T(test_200_unplugs),
		T(test_permission),
		T(test_open_fails),
		T(test_dead_node),
		T(test_no_inotify),
		T(test_almost_a_tracker),
		T(test_reopen_command),
		T(test_resume),
		T(test_forgets_in_mid_stream),
		T(test_slow_outputs),
		T(test_stop_anywhere),
	};
	int failed = cmocka_run_group_tests_name("read by hidapi in a thread", tests, NULL, NULL);
	fake_nodes = true;
	return failed + cmocka_run_group_tests_name("read on the loop", tests, NULL, NULL);
}
