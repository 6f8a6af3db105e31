/* SPDX-License-Identifier: MIT
 * hid.c - input: a live head tracker through hidraw. The work is done in a thread (reader.c); this is the
 * module: its options, and noticing on the loop that the machine was asleep. */
#include "hid.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { NUDGE_NS = 10000000 };
#define LONG_SLEEP_NS 100000000

static const struct hp_option options[] = {
	HP_OPT_INT(struct hp_hid_input, vendor, "0", 0, 65535, "only devices of this vendor number, 0x054c; 0 = any"),
	HP_OPT_INT(struct hp_hid_input, product, "0", 0, 65535, "only devices of this product number; 0 = any"),
	HP_OPT_STR(struct hp_hid_input, serial, "", "only the device with this serial number or Bluetooth address"),
	HP_OPT_STR(struct hp_hid_input, name, "", "only devices with this text in their name, in upper or lower case"),
	HP_OPT_REAL(struct hp_hid_input, interval_ms, "10", 1, 10000,
	            "milliseconds between reports to ask the device for", 0, "ms", 5, 50),
	HP_OPT_NS(struct hp_hid_input, first_sample_timeout, "2s", 0.05, 600,
	          "a device that is silent for so long is set up again, then closed and opened anew"),
	HP_OPT_BOOL(struct hp_hid_input, reconnect, "yes",
	            "wait for a device that went away; no = the input ends then"),
	HP_OPT_END
};

/* How long the machine was asleep since it was started. */
static int64_t asleep(void)
{
	struct timespec all, awake;
	if (clock_gettime(CLOCK_BOOTTIME, &all) < 0 || clock_gettime(CLOCK_MONOTONIC, &awake) < 0)
		return 0;
	return (int64_t)(all.tv_sec - awake.tv_sec) * 1000000000 + (all.tv_nsec - awake.tv_nsec);
}

/* A timer that never runs out but is cancelled when the wall clock jumps, as it does on waking up. */
static int arm_resume(int fd)
{
	struct itimerspec never = { .it_value.tv_sec = (time_t)1 << 40 };
	return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

static void nudge(void *self)
{
	struct hp_hid_input *in = self;
	if (in->reader && !hp_hid_reader_nudge(in->reader) && in->resume_timer)
		in->host->timer_at(in->resume_timer, in->host->now(in->host) + NUDGE_NS);
}

static void on_clock(void *self, unsigned events)
{
	struct hp_hid_input *in = self;
	uint64_t n;
	(void)events;
	if (read(in->resume_fd, &n, sizeof n) < 0 && errno == EAGAIN)
		return;
	arm_resume(in->resume_fd);
	int64_t now = asleep(), slept = now - in->asleep_ns;
	in->asleep_ns = now;
	if (slept < LONG_SLEEP_NS || !in->reader)
		return;
	hp_hid_reader_ask(in->reader, HID_ASK_RESUMED, slept);
	nudge(in);
}

static int open_input(void *self, const struct hp_host *host)
{
	struct hp_hid_input *in = self;
	in->host = host;
	in->resume_fd = -1;
	if (hid_init() < 0) {
		host->log(host, HP_LOG_ERROR, "hidapi does not start");
		return -EIO;
	}
	return 0;
}

static int start(void *self)
{
	struct hp_hid_input *in = self;
	in->reader = hp_hid_reader_start(in);
	if (!in->reader)
		return -errno;
	in->asleep_ns = asleep();
	in->resume_timer = in->host->timer(in->host, nudge, in);
	in->resume_fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	if (in->resume_fd >= 0 && arm_resume(in->resume_fd) == 0)
		in->resume_watch = in->host->watch(in->host, in->resume_fd, HP_READABLE, on_clock, in);
	return 0;
}

static int command(void *self, const char *verb)
{
	struct hp_hid_input *in = self;
	if (strcmp(verb, "reopen") || !in->reader)
		return -ENOTSUP;
	hp_hid_reader_ask(in->reader, HID_ASK_REOPEN, 0);
	nudge(in);
	return 0;
}

static void stop(void *self)
{
	struct hp_hid_input *in = self;
	if (in->reader)
		hp_hid_reader_stop(in->reader);
	in->reader = NULL;
	if (in->resume_watch)
		in->host->unwatch(in->resume_watch);
	in->resume_watch = NULL;
	if (in->resume_fd >= 0)
		close(in->resume_fd);
	in->resume_fd = -1;
}

HP_MODULE(hid) = {
	HP_MODULE_HEAD,     .kind = HP_INPUT,
	.name = "hid",      .summary = "a live head tracker: any device that speaks Android's head tracker protocol",
	.options = options, .state_size = sizeof(struct hp_hid_input),
	.open = open_input, .start = start,
	.command = command, .stop = stop,
};
