/* SPDX-License-Identifier: MIT
 * reader.h - state of a reader thread; private to reader.c, look.c, said.c and changes.c. */
#ifndef HID_READER_H
#define HID_READER_H
#include "hid.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>

/* changes.c: tells when a hidraw node came, went or got other permissions. */
struct hp_hid_changes {
	int fd; /* becomes readable; -1 = the system has no such events, look every two seconds */
};
void hp_hid_changes_open(struct hp_hid_changes *);
bool hp_hid_changes_read(struct hp_hid_changes *); /* takes what is there; true when a hidraw node was concerned */
void hp_hid_changes_close(struct hp_hid_changes *);

struct hp_hid_reader {
	const struct hp_hid_input *in;
	const struct hp_host *host;
	pthread_t thread;
	int wake_fd;
	struct hp_hid_changes changes;
	atomic_bool stop, done;
	atomic_uint asked;     /* HID_ASK_ bits                        */
	atomic_llong slept_ns; /* how long the machine slept           */
	/* the rest belongs to the thread */
	struct hp_hid_wish wish;
	struct hp_hid_link link;
	struct tracker tracker;
	struct hp_hid_identity last; /* the device that was there before     */
	int64_t opened_ns, first_report_ns, last_report_ns, lost_ns, gap_ns;
	uint64_t reports;
	int64_t backoff_ms;
	bool connected, told_rate, jump;
	bool quiet;     /* this failure was already told        */
	char said[640]; /* last line about what it waits for    */
	char claimed[64];
};

/* look.c: looks for a device and opens it. Milliseconds to wait for a change (-1 = for ever), or one of these. */
enum { HID_LOOK_OPEN = -2, HID_LOOK_FAILED = -3, HID_LOOK_AGAIN_MS = 2000, HID_OTHER_AFTER_MS = 10000 };
int64_t hp_hid_reader_look(struct hp_hid_reader *);
/* Gives the device free for other inputs of this process. */
void hp_hid_unclaim(struct hp_hid_reader *);

/* said.c */
void hp_hid_reader_say(struct hp_hid_reader *, enum hp_level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A line about waiting, only when it differs from the last one. */
void hp_hid_reader_say_once(struct hp_hid_reader *, enum hp_level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#endif
