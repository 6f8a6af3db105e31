/* SPDX-License-Identifier: MIT
 * reader.h - state of one live device: the thread that finds and starts it (reader.c, look.c, said.c, changes.c), its
 * reports (report.c), and the loop's side that reads them (onloop.c). Private to these. */
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

/* report.c: what one connection has given so far. Belongs to whoever reads the reports: the loop while the node is
 * attached to it, else the thread. */
struct hp_hid_life {
	struct tracker tracker;
	int (*give)(const struct hp_host *, const struct hp_item *); /* emit() or post()  */
	int64_t opened_ns, first_report_ns, last_report_ns, sample_ns;
	uint64_t reports;
	bool told_rate, jump;
	bool gap; /* the next report ends a silence that is to be told          */
};

/* onloop.c: the node is read where its samples are used. All but the mail belongs to the loop. */
enum hp_hid_mail { HID_MAIL_NONE, HID_MAIL_ATTACH, HID_MAIL_DETACH, HID_MAIL_PATIENCE };
struct hp_hid_onloop {
	struct hp_watch *mail_watch, *node_watch;
	struct hp_timer *silence;
	int64_t silent_at; /* the timer's deadline                     */
	int empty, slow;
	bool usable; /* the host has given everything; set before the thread begins */
	pthread_mutex_t lock;
	pthread_cond_t answered;
	int mail_fd; /* eventfd: there is mail                   */
	enum hp_hid_mail mail;
	const char *mail_text; /* DETACH: why; stays the thread's         */
	bool attached, closed; /* closed: the input is being stopped       */
};

struct hp_hid_reader {
	const struct hp_hid_input *in;
	const struct hp_host *host;
	pthread_t thread;
	int wake_fd;
	int node_fd; /* our own descriptor of the node; -1 = hidapi reads it */
	struct hp_hid_changes changes;
	atomic_bool stop, done;
	atomic_bool connected;    /* reports have come since it was opened */
	atomic_bool gave;         /* and samples too                       */
	atomic_uint asked;        /* HID_ASK_ bits                        */
	atomic_uint silences;     /* in a row, without a sample between   */
	atomic_int gone;          /* errno value, with HID_ASK_GONE       */
	atomic_llong patience_ns; /* a longer silence is one */
	atomic_llong slept_ns;    /* how long the machine slept since the last report */
	struct hp_hid_life life;
	struct hp_hid_onloop onloop;
	/* the rest belongs to the thread */
	struct hp_hid_wish wish;
	struct hp_hid_link link;
	struct hp_hid_identity last; /* the device that was there before     */
	int64_t lost_ns;
	int64_t backoff_ms;
	bool loop_is_slow; /* it is read by the thread from now on */
	bool quiet;        /* this failure was already told        */
	char said[640];    /* last line about what it waits for    */
	char claimed[64];
};

/* report.c. True when the report gave a sample. */
bool hp_hid_report(struct hp_hid_reader *, const uint8_t *data, size_t size, int64_t now);
/* why: "" = it was asked for. Tells the host that the device is gone, when it was there. */
void hp_hid_life_end(struct hp_hid_reader *, const char *why);
/* What the source is; its strings are copied by the host. In force from the next connection on. [thread] */
void hp_hid_describe(struct hp_hid_reader *);

/* onloop.c. open and close: [loop]; the others are the thread's and wait until the loop has done it. */
void hp_hid_onloop_open(struct hp_hid_reader *);
void hp_hid_onloop_close(struct hp_hid_reader *); /* the thread may still be there */
void hp_hid_onloop_free(struct hp_hid_reader *);  /* it is not */
/* The loop reads node_fd from now on. False: it cannot. */
bool hp_hid_onloop_attach(struct hp_hid_reader *);
void hp_hid_onloop_detach(struct hp_hid_reader *, const char *why);
/* It was set up again: it has its time once more. */
void hp_hid_onloop_patience(struct hp_hid_reader *);
/* The machine was asleep: what comes next ends a gap. [loop] */
void hp_hid_onloop_resumed(struct hp_hid_reader *);

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
