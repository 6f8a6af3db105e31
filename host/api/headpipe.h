/* SPDX-License-Identifier: MIT
 *
 * headpipe.h - the whole contract between headpipe and a module.
 *
 * One header, no other include of this project; C11 and C++14. More than 400 lines: half of it is what its words
 * mean. A module is one exported data symbol,
 * written with HP_MODULE(name), or several in one file with HP_MODULES(); nothing runs when it is loaded, and it
 * links nothing of the host.
 *
 * Threads. Every function carries a tag: [loop] only on the loop thread, [any] from any thread. Every
 * callback of a module runs on the loop thread. A module may start threads of its own; from those it may
 * call only what is tagged [any].
 *
 * Hot. Callbacks that are tagged [hot] run for every sample or report: they do not block (no lock, no wait, no
 * disk), do not allocate and do not log per sample.
 *
 * Lifetimes. What a callback gets a pointer to (sample, event, report, their texts) is valid during the call.
 * What stays longer says so.
 *
 * Results. 0 or a positive count is good, a negative errno value is bad: the C runtime's numbers (<errno.h>), on
 * every system. Texts and paths are UTF-8.
 *
 * Growing. Structs only ever grow at their end, with the minor version, and every struct or its owner says how
 * large it was where it was compiled; so old and new fit together in both directions. What is new announces itself:
 * a field of a sample by a flag, a service by HP_HAS(). Event types, flags and traits that you do not know are
 * ignored. */
#ifndef HEADPIPE_H
#define HEADPIPE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HP_ABI_MAJOR 2u /* grows when an old module must not load */
#define HP_ABI_MINOR 0u /* grows when something was appended      */
#define HP_ABI       (HP_ABI_MAJOR << 16 | HP_ABI_MINOR)

/* The oldest minor version of the host that your module can live with. A module that is compiled with a later header
 * but asks HP_HAS() before it uses what is new says `#define HP_NEEDS 0` before the include. */
#ifndef HP_NEEDS
#define HP_NEEDS HP_ABI_MINOR
#endif

/* ---- what flows: raw reports, samples, events, in one order ----------------------------------- */

enum {                          /* hp_sample.flags: which fields are there and agree with each other */
       HP_ROTVEC = 1u << 0,     /* rotvec[] agrees with quat[]                        */
       HP_YPR = 1u << 1,        /* ypr[] agrees with quat[]                           */
       HP_GYRO = 1u << 2,       /* gyro[] was measured                                */
       HP_ACCEL = 1u << 3,      /* accel[] was measured                               */
       HP_POS = 1u << 4,        /* pos[] was measured                                 */
       HP_DEVCLK = 1u << 5,     /* device_ns holds the device's own clock             */
       HP_JUMP = 1u << 6,       /* first sample after a gap, a reset or a (re)connect */
       HP_ANGVEL = 1u << 8,     /* angvel[] was estimated                             */
       HP_CONFIDENCE = 1u << 9, /* confidence was judged                              */
	                        /* 1u << 7 is the host's own: neither set nor clear it */
};
#define HP_SAMPLE_FLAGS 0x37fu /* all that this header knows */

/* One pose. Flat, no pointers, no padding. Frame: x front, y left, z up, right-handed; quat turns head coordinates
 * into world ones. So yaw + turns left, pitch + nods down, roll + tilts right.
 *
 * quat is the master form; rotvec and ypr are copies of it for those who read. A filter that turns the head writes
 * quat and clears HP_ROTVEC | HP_YPR: the host makes the other two anew. Whoever writes only ypr and leaves quat as
 * it was has changed nothing: the next module that reads quat sees the old pose. */
struct hp_sample {
	uint32_t flags;       /* HP_ROTVEC ...                                                      */
	uint32_t source;      /* index of the input it comes from, from 0                           */
	uint64_t seq;         /* number of the sample, per source, from 0; set by the host           */
	int64_t time_ns;      /* capture time; the only clock a filter may use. Signed: may go back  */
	int64_t arrival_ns;   /* when headpipe got it, on the clock of now(); 0 = the host stamps it */
	int64_t device_ns;    /* the device's own clock, when HP_DEVCLK                              */
	double quat[4];       /* w x y z, unit length; the master form of the pose                   */
	double rotvec[3];     /* rotation vector x y z, rad, when HP_ROTVEC                          */
	double ypr[3];        /* yaw pitch roll, degrees, when HP_YPR                                */
	double pos[3];        /* x y z, cm, when HP_POS                                              */
	double gyro[3];       /* angular velocity x y z, rad/s, when HP_GYRO                         */
	double accel[3];      /* acceleration x y z, m/s^2, when HP_ACCEL                            */
	double rate_hz;       /* reports per second of the device; 0 until the first window closes   */
	double latency_ms;    /* device to host; -1 = unknown                                        */
	uint32_t reset_count; /* the device's reset/discontinuity counter                           */
	uint32_t pad0;
	/* From here on only what a flag names may be read: the host does not carry the rest along. Later fields
	 * are appended here, each with a flag of its own. */
	double angvel[3];  /* angular velocity of the head as a filter above estimates it, head frame (x front, y left,
	                    * z up), rad/s, when HP_ANGVEL                                                      */
	double confidence; /* 0 a guess, 1 nothing speaks against the pose, when HP_CONFIDENCE; else take 1          */
	double spare;      /* 0                                                                                  */
};
#define HP_SAMPLE_INIT                                                                                                \
	{                                                                                                             \
		0, 0, 0, 0, 0, 0, { 1, 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, 0, \
		    -1, 0, 0, { 0, 0, 0 }, 1, 0                                                                       \
	}

/* An untouched report as the device sent it, report ID included where there are IDs. */
struct hp_raw {
	uint32_t struct_size, size; /* size: bytes at data, at most 4096 */
	const uint8_t *data;        /* valid during the call             */
	int64_t time_ns;            /* capture time                      */
};

/* What happened. Each is told, none is a command: to ask for something there is request(). */
enum {                     /* hp_event.type; ignore those that you do not know */
       HP_CONNECTED = 1,   /* the stream was described anew; text = device name or NULL        */
       HP_DISCONNECTED,    /* text = why                                                       */
       HP_GAP,             /* value = length of the silence, ns                                */
       HP_REFERENCE_RESET, /* the device's reset counter changed; value = the new count       */
       HP_RECENTER,        /* a new centre was taken                                           */
       HP_OPTION,          /* a live option changed; text = "section.key=value"                */
       HP_CLOCK_STEP,      /* the wall clock stepped; value = by how much, ns                  */
       HP_LOST             /* value = samples dropped between a thread and the loop            */
};
struct hp_event {
	uint32_t struct_size, type;
	int64_t time_ns, value;
	const char *text; /* valid during the call; may be NULL */
};

/* What an input hands over at once, in the order in which it is delivered: the raw report, then the event (a reset
 * stands before the sample that shows it), then the samples. Any part may be missing; what comes the other way round
 * is two items. */
struct hp_item {
	uint32_t struct_size, nsamples;
	const struct hp_raw *raw;
	const struct hp_event *event;
	const struct hp_sample *samples; /* nsamples of them, each as large as in your header */
};

enum { HP_STREAM_REPLAY = 1u << 0 }; /* hp_stream.flags: time_ns is a recording's, not this machine's clock */

/* What a source is. Changes only with HP_CONNECTED, and its strings live until then. UTF-8, NULL = unknown. */
struct hp_stream {
	uint32_t struct_size, source;
	const char *device, *serial, *unique_id;
	const uint8_t *descriptor; /* HID report descriptor, or NULL */
	uint32_t descriptor_size;
	uint16_t vendor, product;
	int64_t rate_start_ns; /* when the window that measures rate_hz opened */
	uint32_t report_size;  /* longest report, bytes with its ID; 0 = unknown */
	uint32_t flags;        /* HP_STREAM_REPLAY */
	const char *features;  /* feature reports at connect, "id=hex;id=hex", or NULL */
};

/* ---- options ------------------------------------------------------------------------------------ */

enum hp_type {
	HP_BOOL = 1, /* bool field; yes/no true/false on/off                              */
	HP_INT,      /* int or int64_t field; 42, -7, 0x2a                                */
	HP_REAL,     /* double field; 0.18                                                */
	HP_STR,      /* const char * field, owned by the host                             */
	HP_ENUM,     /* int field: index of the choice                                    */
	HP_NS,       /* int64_t field, nanoseconds; 20ms 2s 5min. All ranges of the row are in seconds, not ns */
	HP_ADDRS,    /* struct hp_addrs field, owned by the host; 127.0.0.1:4242, [::1]:5 */
	HP_PATH,     /* const char * field; ~ and paths relative to the ini are resolved  */
	HP_LIST      /* struct hp_list field, owned by the host: choices in any number and order, with commas or spaces
	              * between them, or with nothing between them when every choice is one character (`YXZ`). Upper
	              * and lower case are the same. `none` is the empty list. */
};
enum {
	HP_LIVE = 1u << 0,       /* may change while running; changed() is told                            */
	HP_SECRET = 1u << 1,     /* the value is never printed, logged or recorded                         */
	HP_REMOVED = 1u << 2,    /* the key is gone; doc says what to use instead                          */
	HP_LOCAL = 1u << 3,      /* runs a program or names a file to write: never changed from a network  */
	HP_SET = 1u << 4,        /* HP_LIST: each choice at most once                                      */
	HP_PERMUTATION = 1u << 5 /* HP_LIST: each choice exactly once, so a list is an order           */
};
struct hp_addr {
	char host[256]; /* as written, without brackets; never empty */
	uint16_t port;  /* 1 to 65535                                */
};
struct hp_addrs {
	uint32_t n;
	struct hp_addr *at;
};
struct hp_list {
	uint32_t n;
	const uint8_t *at; /* indexes of the choices, in the order of the text */
};

/* One row per key. Written with the HP_OPT_ macros below. */
struct hp_option {
	const char *key, *def, *doc; /* def is text, parsed like the user's; NULL = the user must give it   */
	const char *choices;         /* HP_ENUM, HP_LIST: "yaw|pitch|roll"                                  */
	const char *unit;            /* "deg", "1/s"; NULL = none or it does not matter                     */
	double min, max;             /* what is allowed; min == max: no range                               */
	double soft_min, soft_max;   /* what makes sense: the ends of a slider; equal = min and max         */
	uint32_t type;               /* enum hp_type                                                        */
	uint32_t offset, size;       /* of the field in the module's state, bytes                           */
	uint32_t flags;              /* HP_LIVE ...                                                         */
};

#ifdef __cplusplus
} /* extern "C": templates cannot have C linkage */
template <class Want, class Have> struct hp_field_check;
template <class Same> struct hp_field_check<Same, Same> {
	enum { ok = 0 };
};
struct hp_int_field;
template <> struct hp_field_check<hp_int_field, int> {
	enum { ok = 0 };
};
template <> struct hp_field_check<hp_int_field, int64_t> {
	enum { ok = 0 };
};
extern "C" {
#define HP_FIELD_(T, f, want) (offsetof(T, f) + hp_field_check<want, decltype(((T *)0)->f)>::ok)
#define HP_INT_FIELD_         hp_int_field
typedef const char *hp_text_field;
#else
#define HP_FIELD_OK_(T, f, ok, what)                                       \
	(offsetof(T, f) + 0 * sizeof(struct {                              \
		                  int hp_unused;                           \
		                  _Static_assert(ok, #f " must be " what); \
	                  }))
#define HP_FIELD_(T, f, want) HP_FIELD_OK_(T, f, _Generic(((T *)0)->f, want : 1, default : 0), #want)
#endif

#define HP_DOC_(doc, ...)                              doc
#define HP_FLAGS_(doc, flags, ...)                     (flags)
#define HP_UNIT_(doc, flags, unit, ...)                unit
#define HP_SOFT_MIN_(doc, flags, unit, low, high, ...) low
#define HP_SOFT_MAX_(doc, flags, unit, low, high, ...) high
#define HP_ROW_(T, f, key, offset, type, def, min, max, choices, ...)                                         \
	{                                                                                                     \
		key, def, HP_DOC_(__VA_ARGS__, 0), choices, HP_UNIT_(__VA_ARGS__, 0, 0, 0), min, max,         \
		    HP_SOFT_MIN_(__VA_ARGS__, 0, 0, 0, 0, 0), HP_SOFT_MAX_(__VA_ARGS__, 0, 0, 0, 0, 0), type, \
		    (uint32_t)(offset), (uint32_t)sizeof(((T *)0)->f), HP_FLAGS_(__VA_ARGS__, 0, 0)           \
	}

/* HP_OPT_REAL(struct my_sim, scale, "1.0", 0.01, 10, "multiplies every angle")
 * HP_OPT_REAL(struct my_sim, scale, "1.0", 0.01, 10, "multiplies every angle", HP_LIVE)
 * HP_OPT_REAL(struct my_sim, limit, "90", 0, 360, "largest angle", HP_LIVE, "deg")              its unit
 * HP_OPT_REAL(struct my_sim, limit, "90", 0, 360, "largest angle", HP_LIVE, "deg", 30, 180)     a slider's ends
 * HP_OPT_REAL_AS(struct my_sim, scale, "my-scale", "1.0", 0.01, 10, "...")    a key that is no C name
 * HP_OPT_LIST(struct my_sim, order, "YXZ", "X|Y|Z", "order of the axes", HP_PERMUTATION)
 * The last arguments are the text for `headpipe help` and, if wanted, flags, unit and sensible range. The type of the
 * field is checked when the module is compiled. Use int64_t, not long, where int is too small. */
#define HP_OPT_BOOL(T, f, def, ...)           HP_OPT_BOOL_AS(T, f, #f, def, __VA_ARGS__)
#define HP_OPT_INT(T, f, def, min, max, ...)  HP_OPT_INT_AS(T, f, #f, def, min, max, __VA_ARGS__)
#define HP_OPT_REAL(T, f, def, min, max, ...) HP_OPT_REAL_AS(T, f, #f, def, min, max, __VA_ARGS__)
#define HP_OPT_STR(T, f, def, ...)            HP_OPT_STR_AS(T, f, #f, def, __VA_ARGS__)
#define HP_OPT_ENUM(T, f, def, choices, ...)  HP_OPT_ENUM_AS(T, f, #f, def, choices, __VA_ARGS__)
#define HP_OPT_NS(T, f, def, min, max, ...)   HP_OPT_NS_AS(T, f, #f, def, min, max, __VA_ARGS__)
#define HP_OPT_ADDRS(T, f, def, ...)          HP_OPT_ADDRS_AS(T, f, #f, def, __VA_ARGS__)
#define HP_OPT_PATH(T, f, def, ...)           HP_OPT_PATH_AS(T, f, #f, def, __VA_ARGS__)
#define HP_OPT_LIST(T, f, def, choices, ...)  HP_OPT_LIST_AS(T, f, #f, def, choices, __VA_ARGS__)

#define HP_OPT_BOOL_AS(T, f, key, def, ...) \
	HP_ROW_(T, f, key, HP_FIELD_(T, f, bool), HP_BOOL, def, 0, 0, NULL, __VA_ARGS__)
#ifdef __cplusplus
#define HP_OPT_INT_AS(T, f, key, def, min, max, ...) \
	HP_ROW_(T, f, key, HP_FIELD_(T, f, hp_int_field), HP_INT, def, min, max, NULL, __VA_ARGS__)
#define HP_TEXT_FIELD_ hp_text_field
#else
#define HP_OPT_INT_AS(T, f, key, def, min, max, ...)                                                            \
	HP_ROW_(T, f, key,                                                                                      \
	        HP_FIELD_OK_(T, f, _Generic(((T *)0)->f, int : 1, int64_t : 1, default : 0), "int or int64_t"), \
	        HP_INT, def, min, max, NULL, __VA_ARGS__)
#define HP_TEXT_FIELD_ const char *
#endif
#define HP_OPT_REAL_AS(T, f, key, def, min, max, ...) \
	HP_ROW_(T, f, key, HP_FIELD_(T, f, double), HP_REAL, def, min, max, NULL, __VA_ARGS__)
#define HP_OPT_STR_AS(T, f, key, def, ...) \
	HP_ROW_(T, f, key, HP_FIELD_(T, f, HP_TEXT_FIELD_), HP_STR, def, 0, 0, NULL, __VA_ARGS__)
#define HP_OPT_ENUM_AS(T, f, key, def, choices, ...) \
	HP_ROW_(T, f, key, HP_FIELD_(T, f, int), HP_ENUM, def, 0, 0, choices, __VA_ARGS__)
#define HP_OPT_NS_AS(T, f, key, def, min, max, ...) \
	HP_ROW_(T, f, key, HP_FIELD_(T, f, int64_t), HP_NS, def, min, max, NULL, __VA_ARGS__)
#define HP_OPT_ADDRS_AS(T, f, key, def, ...) \
	HP_ROW_(T, f, key, HP_FIELD_(T, f, struct hp_addrs), HP_ADDRS, def, 0, 0, NULL, __VA_ARGS__)
#define HP_OPT_PATH_AS(T, f, key, def, ...) \
	HP_ROW_(T, f, key, HP_FIELD_(T, f, HP_TEXT_FIELD_), HP_PATH, def, 0, 0, NULL, __VA_ARGS__)
#define HP_OPT_LIST_AS(T, f, key, def, choices, ...) \
	HP_ROW_(T, f, key, HP_FIELD_(T, f, struct hp_list), HP_LIST, def, 0, 0, choices, __VA_ARGS__)
#define HP_OPT_GONE(key, instead)                                                    \
	{                                                                            \
		key, NULL, instead, NULL, NULL, 0, 0, 0, 0, HP_STR, 0, 0, HP_REMOVED \
	}
#define HP_OPT_END                                                         \
	{                                                                  \
		NULL, NULL, NULL, NULL, NULL, 0, 0, 0, 0, HP_BOOL, 0, 0, 0 \
	}

/* ---- what the host gives a module --------------------------------------------------------------- */

enum hp_level { HP_LOG_DEBUG, HP_LOG_INFO, HP_LOG_WARN, HP_LOG_ERROR };
enum { HP_READABLE = 1, HP_WRITABLE = 2 }; /* watch() */

#ifdef _WIN32
typedef uintptr_t hp_fd; /* a SOCKET; nothing else can be watched there */
#else
typedef int hp_fd;
#endif

struct hp_timer;
struct hp_udp;
struct hp_watch;
struct hp_file;

/* Does this host have that service? For what came after the minor version that your module needs (HP_NEEDS):
 *     if (HP_HAS(host, behind) && host->behind(host)) ... */
#define HP_HAS(host, service) \
	((host)->struct_size >= offsetof(struct hp_host, service) + sizeof((host)->service) && (host)->service)

/* One per section, valid from open() until close() returns. */
struct hp_host {
	uint32_t struct_size, abi;
	const char *name; /* the section's name, for texts of the module's own */

	/* [any] One finished sentence, no newline; the host adds the section. */
	void (*log)(const struct hp_host *, enum hp_level, const char *text);
	/* [any] The monotonic clock, ns. Filters use the sample's time instead. */
	int64_t (*now)(const struct hp_host *);
	/* [loop] Inputs and filters: send an item down. Returns when every output below had it. 0, or -EDOM
	 * when a sample was not finite and was dropped, -EPIPE after stop. */
	int (*emit)(const struct hp_host *, const struct hp_item *);
	/* [any] As emit, but copied and delivered on the loop thread, in the order of the calls. When the ring
	 * is full the oldest samples go and are counted; events stay. -EMSGSIZE: report over 4096 bytes. */
	int (*post)(const struct hp_host *, const struct hp_item *);
	/* [any] Inputs: what the source is; copied. Then send HP_CONNECTED the same way (emit or post). */
	void (*describe)(const struct hp_host *, const struct hp_stream *);
	/* [loop] The stream above this module; never NULL. It lives until the next HP_CONNECTED has been told. */
	const struct hp_stream *(*stream)(const struct hp_host *);
	/* [any] The section is done for: err > 0 is an errno value (or a negative one), 0 means ended as it
	 * should. text: one sentence why, or NULL. */
	void (*fail)(const struct hp_host *, int err, const char *text);
	/* [loop] Ask for something that concerns others, as if the user had asked: "recenter", or "section.key=value"
	 * for a live option of a section that hangs on the same input. Done when it returns, and told as an event.
	 * 0; -EPERM: the ini does not say `may_request = yes` for this section, or the option cannot change while
	 * running; -ENOENT: no such section or option; -EINVAL: the value does not fit; -EPIPE before start and after
	 * stop. The host logs why. */
	int (*request)(const struct hp_host *, const char *what);

	/* [loop] A one-shot timer, cancelled until timer_at(). NULL: out of memory. */
	struct hp_timer *(*timer)(const struct hp_host *, void (*cb)(void *), void *arg);
	/* [loop] Absolute deadline on the clock of now(); < 0 cancels; in the past: as soon as possible. */
	int (*timer_at)(struct hp_timer *, int64_t deadline_ns);
	/* [loop] Also from its own callback. Those that are left when the section closes go with it. NULL: nothing. */
	void (*timer_free)(struct hp_timer *);
	/* [loop] Datagrams to every address. Names are resolved here, in open(). NULL: errno says why and the
	 * host has logged it. */
	struct hp_udp *(*udp)(const struct hp_host *, const struct hp_addrs *);
	/* [loop] Never blocks. 0, or -errno of the last address that failed; the others were served. */
	int (*udp_send)(struct hp_udp *, const void *, size_t);
	/* [loop] Those that are left when the section closes go with it. NULL: nothing. */
	void (*udp_close)(struct hp_udp *);
	/* [loop] Call cb when fd is ready (HP_READABLE | HP_WRITABLE); the fd stays the module's. NULL: errno. */
	struct hp_watch *(*watch)(const struct hp_host *, hp_fd fd, unsigned events, void (*cb)(void *, unsigned),
	                          void *arg);
	/* [loop] Must come before the fd is closed. */
	void (*unwatch)(struct hp_watch *);
	/* [loop] A file that is written by the host's writer thread. mode: "w" replaces, "a" appends, "x" must
	 * not exist. NULL: errno says why and the host has logged it. Closed by the host after close(). */
	struct hp_file *(*file)(const struct hp_host *, const char *path, const char *mode);
	/* [loop] One record, whole or not at all; never blocks. -ENOBUFS: the queue is full, the record is
	 * lost and counted; another -errno: the file is broken (disk full ...), nothing more is accepted. */
	int (*file_write)(struct hp_file *, const void *, size_t);
	/* [loop] Write out what is queued, then close; the handle is gone. For files that end before the run. */
	void (*file_close)(struct hp_file *);
	/* [loop] For inputs that can wait (a replay at full speed): true while a receiver on this machine has so much
	 * unread, or a file so much unwritten, that more would be lost. Ask between batches, not per sample; try
	 * again in about 1 ms. */
	bool (*behind)(const struct hp_host *);
};

/* ---- what a module gives the host ---------------------------------------------------------------- */

enum hp_kind { HP_INPUT = 1, HP_FILTER, HP_OUTPUT, HP_ENCODER };
enum { HP_KEEP = 0, HP_DROP = 1 };
/* encode() returns size | HP_MORE: there is another datagram for the same sample; the host sends this one and calls
 * encode() again, with the same sample. At most HP_MORE_MOST datagrams for one sample. */
enum { HP_MORE = 1 << 30, HP_MORE_MOST = 64 };
enum {                     /* hp_module.traits; 1u << 0 is the host's own */
       HP_BINARY = 1u << 1 /* an encoder whose bytes may hold line ends: no text, so no `framing = lines` */
};

#ifdef __cplusplus
#define HP_UNSET = 0 /* lets C++20 authors leave members out without a warning */
#else
#define HP_UNSET
#endif
struct hp_module {
	uint32_t struct_size, abi, option_size, sample_size, needs_minor; /* HP_MODULE_HEAD */
	uint32_t kind;                                                    /* HP_INPUT ... */
	uint32_t traits HP_UNSET;                                         /* HP_BINARY */
	uint32_t spare HP_UNSET;                                          /* 0 */
	const char *name, *summary;               /* name: [a-z][a-z0-9_]*; summary: one line for `headpipe modules` */
	const struct hp_option *options HP_UNSET; /* ends with HP_OPT_END; NULL = none                               */
	size_t state_size HP_UNSET;               /* the host allocates it zeroed and fills in the options; the texts,
	                                           * addresses and lists in them live until a live change of that option
	                                           * or the section's end */
	/* All [loop]. self is the state. Missing ones are NULL. */
	int (*open)(void *self, const struct hp_host *) HP_UNSET; /* acquire; keep the pointer; 0 or -errno         */
	int (*start)(void *self) HP_UNSET;                        /* inputs: begin to emit; all sections are open   */
	/* [hot] edit in place, quat first of all; HP_KEEP, HP_DROP or -errno */
	int (*filter)(void *self, struct hp_sample *) HP_UNSET;
	/* [hot] outputs that take samples; rotvec and ypr are up to date; 0, -errno, or HP_DROP: it does not leave
	 * (nobody is connected, the peer is slow), which the module itself says and counts; the host only counts it as
	 * not sent */
	int (*write)(void *self, const struct hp_sample *) HP_UNSET;
	/* [hot] encoders: bytes written to buf, with HP_MORE or without; 0 = nothing to send, -ENOSPC, -EDOM */
	int (*encode)(void *self, const struct hp_sample *, const struct hp_stream *, void *buf, size_t cap) HP_UNSET;
	int (*send)(void *self, const void *,
	            size_t) HP_UNSET; /* [hot] outputs that carry an encoder's bytes; as write */
	void (*raw)(void *self, const struct hp_raw *) HP_UNSET; /* [hot] outputs: the source's untouched reports    */
	void (*event)(void *self, const struct hp_event *) HP_UNSET;
	int (*changed)(void *self) HP_UNSET;                   /* live options, once per batch; -errno rolls back */
	int (*reset)(void *self) HP_UNSET;                     /* forget the past (output not finite, seek)      */
	int (*command)(void *self, const char *verb) HP_UNSET; /* "recenter", "reopen"; -ENOTSUP if not known    */
	void (*stop)(void *self) HP_UNSET;                     /* no emit after this                             */
	void (*close)(void *self) HP_UNSET;                    /* the loop is drained; free everything           */
	/* Are the options good together? Called after they are filled in, before open() and before changed(), also by
	 * `headpipe check`; must touch nothing else. 0, or -EINVAL with *key = the option at fault and why = one
	 * clause without full stop ("axis_map must name each of X, Y, Z once"). With 0, a why that was filled in is
	 * a remark on something allowed but probably not meant; it is passed on. */
	int (*check)(const void *self, const char **key, char *why, size_t size) HP_UNSET;
	const char *encoding HP_UNSET;   /* outputs with send: encoder used when the ini names none               */
	const char *media_type HP_UNSET; /* encoders: what the bytes are, "application/json"; NULL = just bytes   */
	/* Who made it, for `headpipe modules` and `headpipe help`; NULL = not told. */
	const char *version HP_UNSET, *author HP_UNSET, *url HP_UNSET;
};

#define HP_MODULE_HEAD                                                                                   \
	.struct_size = sizeof(struct hp_module), .abi = HP_ABI, .option_size = sizeof(struct hp_option), \
	.sample_size = sizeof(struct hp_sample), .needs_minor = HP_NEEDS

/* HP_MODULE(my_sim) = { HP_MODULE_HEAD, .kind = HP_ENCODER, .name = "my_sim", ... };
 * In C++ before C++20, where there are no designated initializers:
 *     static hp_module make()
 *     {
 *         hp_module m = hp_module_new(HP_ENCODER, "my_sim", "...");
 *         m.encode = encode;
 *         return m;
 *     }
 *     HP_MODULE(my_sim) = make();
 * Several in one file are static and are named together, once:
 *     static const struct hp_module left = { HP_MODULE_HEAD, ... }, right = { HP_MODULE_HEAD, ... };
 *     HP_MODULES(&left, &right);
 * In the ini `use = ./file.so:left` picks one; a name alone will do when the file has only one of that kind. */
#if defined(_WIN32)
#define HP_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define HP_EXPORT __attribute__((visibility("default")))
#else
#define HP_EXPORT
#endif
#ifdef HP_BUILTIN /* one of headpipe's own, linked into the program: HP_BUILTIN is its kind */
#define HP_SYMBOL__(kind, name) hp_##kind##_##name
#define HP_SYMBOL_(kind, name)  HP_SYMBOL__(kind, name)
#define HP_MODULE(name)                                             \
	extern const struct hp_module HP_SYMBOL_(HP_BUILTIN, name); \
	const struct hp_module HP_SYMBOL_(HP_BUILTIN, name)
#elif defined(__cplusplus)
#define HP_MODULE(name)                                              \
	extern "C" HP_EXPORT const struct hp_module headpipe_module; \
	extern "C" const struct hp_module headpipe_module
#define HP_MODULES(...)                                                        \
	extern "C" HP_EXPORT const struct hp_module *const headpipe_modules[]; \
	extern "C" const struct hp_module *const headpipe_modules[] = { __VA_ARGS__, NULL }
#else
#define HP_MODULE(name)                                          \
	extern HP_EXPORT const struct hp_module headpipe_module; \
	const struct hp_module headpipe_module
#define HP_MODULES(...)                                                    \
	extern HP_EXPORT const struct hp_module *const headpipe_modules[]; \
	const struct hp_module *const headpipe_modules[] = { __VA_ARGS__, NULL }
#endif

#ifdef __cplusplus
} /* extern "C" */
inline hp_module hp_module_new(hp_kind kind, const char *name, const char *summary)
{
	hp_module m = hp_module();
	m.struct_size = sizeof(hp_module);
	m.abi = HP_ABI;
	m.option_size = sizeof(hp_option);
	m.sample_size = sizeof(hp_sample);
	m.needs_minor = HP_NEEDS;
	m.kind = kind;
	m.name = name;
	m.summary = summary;
	return m;
}
#endif
#endif
