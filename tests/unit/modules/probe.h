/* SPDX-License-Identifier: MIT
 * probe.h - the state of the probe modules: a few options, and a hook for every callback that a test may set between
 * the building of a graph and its opening. Without a hook a probe does what the simplest module would do. */
#ifndef PROBE_H
#define PROBE_H
#include <headpipe.h>

struct probe {
	/* options */
	double gain, low, high;
	int64_t steps;
	const char *label, *secret, *still;
	struct hp_addrs to;
	/* what open() was given */
	const struct hp_host *host;
	/* for the test */
	void *user;
	struct hp_timer *timer;
	struct hp_watch *watch;
	int (*on_open)(struct probe *);
	int (*on_start)(struct probe *);
	int (*on_filter)(struct probe *, struct hp_sample *);
	int (*on_write)(struct probe *, const struct hp_sample *);
	int (*on_encode)(struct probe *, const struct hp_sample *, const struct hp_stream *, void *, size_t);
	int (*on_send)(struct probe *, const void *, size_t);
	void (*on_raw)(struct probe *, const struct hp_raw *);
	void (*on_event)(struct probe *, const struct hp_event *);
	int (*on_changed)(struct probe *);
	int (*on_reset)(struct probe *);
	int (*on_command)(struct probe *, const char *);
	void (*on_stop)(struct probe *);
	void (*on_close)(struct probe *);
};

static inline int probe_open(void *self, const struct hp_host *host)
{
	struct probe *p = self;
	p->host = host;
	return p->on_open ? p->on_open(p) : 0;
}
static inline int probe_start(void *self)
{
	struct probe *p = self;
	return p->on_start ? p->on_start(p) : 0;
}
static inline void probe_raw(void *self, const struct hp_raw *raw)
{
	struct probe *p = self;
	if (p->on_raw)
		p->on_raw(p, raw);
}
static inline void probe_event(void *self, const struct hp_event *e)
{
	struct probe *p = self;
	if (p->on_event)
		p->on_event(p, e);
}
static inline int probe_changed(void *self)
{
	struct probe *p = self;
	return p->on_changed ? p->on_changed(p) : 0;
}
static inline int probe_reset(void *self)
{
	struct probe *p = self;
	return p->on_reset ? p->on_reset(p) : 0;
}
static inline int probe_command(void *self, const char *verb)
{
	struct probe *p = self;
	return p->on_command ? p->on_command(p, verb) : 0;
}
static inline void probe_stop(void *self)
{
	struct probe *p = self;
	if (p->on_stop)
		p->on_stop(p);
}
static inline void probe_close(void *self)
{
	struct probe *p = self;
	if (p->on_close)
		p->on_close(p);
}
static inline int probe_check(const void *self, const char **key, char *why, size_t size)
{
	const struct probe *p = self;
	if (p->low <= p->high)
		return 0;
	*key = "low";
	snprintf(why, size, "low must not be above high");
	return -22;
}

#define PROBE_OPTIONS                                                                            \
	HP_OPT_REAL(struct probe, gain, "1", 0, 10, "a live number", HP_LIVE),                   \
	    HP_OPT_REAL(struct probe, low, "0", -100, 100, "lower end", HP_LIVE),                \
	    HP_OPT_REAL(struct probe, high, "1", -100, 100, "upper end", HP_LIVE),               \
	    HP_OPT_STR(struct probe, label, "none", "a live text", HP_LIVE),                     \
	    HP_OPT_STR(struct probe, secret, "", "a hidden text", HP_LIVE | HP_SECRET),          \
	    HP_OPT_STR(struct probe, still, "as it was", "a text that stays"),                   \
	    HP_OPT_INT(struct probe, steps, "3", 0, 100, "a whole number that stays"),           \
	    HP_OPT_ADDRS(struct probe, to, "127.0.0.1:9", "addresses that may change", HP_LIVE), \
	    HP_OPT_GONE("strength", "use `gain` instead")
#define PROBE_CALLS                                                                                             \
	.state_size = sizeof(struct probe), .open = probe_open, .event = probe_event, .changed = probe_changed, \
	.reset = probe_reset, .command = probe_command, .stop = probe_stop, .close = probe_close, .check = probe_check
#endif
