/* SPDX-License-Identifier: MIT
 * hid.h - live head trackers: finding them, starting them, reading them. Shared by the input `hid` and by the
 * commands probe, dump and doctor. */
#ifndef HID_H
#define HID_H
#include "headpipe.h"
#include "inputs/decode/descriptor.h"
#include "inputs/decode/tracker.h"
#include "sysfs.h"
#include <hidapi/hidapi.h>
#include <sys/types.h>

/* ---- find.c: which devices there are, and which of them are head trackers ------------------- */

enum hp_hid_verdict {
	HID_OTHER,  /* something else                                                           */
	HID_MAYBE,  /* looks like one in part, but cannot be used; the reason is one clause       */
	HID_TRACKER /* has the descriptor of an Android head tracker                             */
};
/* Judges a parsed report descriptor. Fills why for HID_MAYBE. [any] */
enum hp_hid_verdict hp_hid_recognize(const struct hp_hid_descriptor *, char *why, size_t why_size);
/* As hp_hid_recognize(), from the bytes of a descriptor. [any] */
enum hp_hid_verdict hp_hid_recognize_bytes(const uint8_t *, size_t, char *why, size_t why_size);

/* Every device with a hidraw node, as hidapi lists it, once per node, in the order of the node numbers; the
 * descriptor comes from sysfs (size 0 when it cannot be read). Returns the number, 0 with *list NULL for none; free()
 * the list. Serialized over all threads, because hidapi keeps one error text for the process. [any] */
size_t hp_hid_list(struct hp_hid_facts **list);

/* What an ini may say to narrow the choice; 0 and "" leave it open. */
struct hp_hid_wish {
	int vendor, product; /* USB or Bluetooth numbers             */
	const char *serial;  /* whole serial number, letter case is ignored */
	const char *name;    /* any part of the name, letter case is ignored */
};
bool hp_hid_wish_open(const struct hp_hid_wish *); /* true when it says nothing at all */
bool hp_hid_wish_fits(const struct hp_hid_wish *, const struct hp_hid_facts *);

/* hid_open_path() of hidapi under the same lock as hp_hid_list(). NULL: why says it. */
hid_device *hp_hid_open_serialized(const char *path, char *why, size_t why_size);

/* ---- node.c: the node itself ---------------------------------------------------------------- */

/* May path be opened for reading and writing, and is it a hidraw node? 0 or -errno. hid_open_path() of hidapi 0.13
 * uses freed memory when it is given anything else. [any] */
int hp_hid_node_check(const char *path);
/* A descriptor of our own for reading reports, non-blocking. Each descriptor of a node gets all of its reports. The
 * caller closes it; -errno. [any] */
int hp_hid_node_open(const char *path);
/* read() of such a descriptor: one report, -1 with errno. */
ssize_t hp_hid_node_read(int fd, void *, size_t);

/* ---- features.c, setup.c: feature reports ---------------------------------------------- */

enum { HID_UNIQUE_SIZE = 16, HID_REPORT_MAX = 4096 };

/* One feature report. */
struct hp_hid_feature {
	uint8_t id;    /* 0 = the device uses no IDs                             */
	bool known;    /* the device answered                                    */
	uint16_t size; /* bytes at data                                          */
	uint8_t *data; /* without the ID byte                                    */
};
/* Every feature report of a device and what they tell. Zero it before use. */
struct hp_hid_features {
	struct hp_hid_feature *at;
	size_t n;
	size_t answered;  /* how many the device let us read                        */
	char marker[40];  /* "#AndroidHeadTracker#1.0"; "" = not found              */
	int major, minor; /* version in the marker                                  */
	int transports;   /* version 2: 1 ACL, 2 ISO, 3 both; 0 = not said          */
	bool has_unique;
	uint8_t unique[HID_UNIQUE_SIZE]; /* all zero = a device of its own kind      */
	void *memory;                    /* private                                                */
};
/* Reads every feature report. 0 or -ENOMEM; reports that the device refuses stay unknown and zero. */
int hp_hid_features_read(struct hp_hid_features *, hid_device *, const struct hp_hid_descriptor *);
/* As hp_hid_features_read(), but without a device: all unknown. Used with hp_hid_features_set() by tests. */
int hp_hid_features_init(struct hp_hid_features *, const struct hp_hid_descriptor *);
/* Takes over the bytes that a device answered for report i, as hidapi gave them, and looks for the marker. */
void hp_hid_features_set(struct hp_hid_features *, size_t i, const struct hp_hid_descriptor *, const uint8_t *, size_t);
void hp_hid_features_free(struct hp_hid_features *);
/* "1=2b;2=2341..." into buf, known ones only; always terminated. Returns the length it would need. */
size_t hp_hid_features_text(const struct hp_hid_features *, char *buf, size_t size);
/* A persistent unique ID as people write it: "BT 02:00:00:00:00:01", a UUID, or "" for all zero. */
void hp_hid_unique_text(const uint8_t unique[HID_UNIQUE_SIZE], char *buf, size_t size);

/* What the start-up wants to write. */
struct hp_hid_setup {
	bool changed[256]; /* by report ID: write this one               */
	                   /* true: the descriptor offers it. The selectors of usages.def: transport, power ... */
#define HP_SELECTOR(name, usage, member, ...) bool member;
#include "inputs/decode/usages.def"
	bool interval;
	double interval_ms;                      /* what the device will use, after rounding and limits */
	double interval_min_ms, interval_max_ms; /* what it offers; 0 = not said     */
};
/* Sets the interval and the selectors of usages.def in the feature reports (their other bits stay). */
void hp_hid_setup_edit(struct hp_hid_setup *, struct hp_hid_features *, const struct hp_hid_descriptor *,
                       double interval_ms);
/* Writes them, one report per ID, all events last, and reads them back. say gets one sentence for each thing that is
 * not as it should be. Returns the number of reports the device took. */
int hp_hid_setup_write(const struct hp_hid_setup *, const struct hp_hid_features *, hid_device *,
                       const struct hp_hid_descriptor *, void (*say)(void *, enum hp_level, const char *), void *arg);

/* ---- open.c: a device that is open and known ------------------------------------------------ */

struct hp_hid_link {
	struct hp_hid_facts facts;
	hid_device *device; /* NULL = closed */
	struct hp_hid_descriptor descriptor;
	struct hp_hid_features features;
	bool has_unique; /* features.unique is there and not all zero */
};
/* Opens, reads all features. 0 or -errno: -EACCES, -ENOENT, -ENODEV ...; -ENOMEM; -EILSEQ when the descriptor is not
 * that of a tracker. why: one clause. Close with hp_hid_link_close() only after success. */
int hp_hid_link_open(struct hp_hid_link *, const struct hp_hid_facts *, char *why, size_t why_size);
void hp_hid_link_close(struct hp_hid_link *);
/* Is b the device a was: by unique ID, then serial, then name and numbers. Never by node. */
struct hp_hid_identity {
	bool known, has_unique;
	uint8_t unique[HID_UNIQUE_SIZE];
	char serial[HID_TEXT_MAX], name[HID_TEXT_MAX];
	uint16_t vendor, product;
};
void hp_hid_identity_of(struct hp_hid_identity *, const struct hp_hid_link *);
bool hp_hid_identity_same(const struct hp_hid_identity *, const struct hp_hid_identity *);
/* hid_read_timeout() for a command: a node that says that it is readable and gives nothing costs a pause each time, no
 * busy loop. */
int hp_hid_read_calmly(hid_device *, uint8_t *data, size_t room, int ms);
/* The last error of a device as UTF-8 text. */
void hp_hid_error_text(hid_device *, char *buf, size_t size);

/* ---- the input --------------------------------------------------------------------------------- */

struct hp_hid_reader;
struct hp_hid_input { /* state of the module */
	int vendor, product;
	const char *serial, *name;
	double interval_ms;
	int64_t first_sample_timeout;
	bool reconnect;
	const struct hp_host *host;
	struct hp_hid_reader *reader;
	struct hp_watch *resume_watch;
	struct hp_timer *resume_timer;
	int resume_fd;
	int64_t asleep_ns; /* CLOCK_BOOTTIME minus CLOCK_MONOTONIC when we last looked */
};

/* reader.c: the thread. NULL: errno. */
struct hp_hid_reader *hp_hid_reader_start(const struct hp_hid_input *);
/* Wakes the thread wherever it is, waits for its end, frees it. */
void hp_hid_reader_stop(struct hp_hid_reader *);
/* GONE, SILENT, THREAD: the loop asks. */
enum { HID_ASK_RESUMED = 1, HID_ASK_REOPEN = 2, HID_ASK_GONE = 4, HID_ASK_SILENT = 8, HID_ASK_THREAD = 16 };
/* Asks the thread for something; call hp_hid_reader_nudge() until it returns true (it may sleep in a read). slept_ns:
 * how long the machine slept, for HID_ASK_RESUMED. [loop] */
void hp_hid_reader_ask(struct hp_hid_reader *, unsigned what, int64_t slept_ns);
bool hp_hid_reader_nudge(struct hp_hid_reader *);
#endif
