/* SPDX-License-Identifier: MIT
 * fake_host.h - a host for unit tests of modules: the clock stands still until the test moves it, everything
 * a module sends, writes, logs or emits is kept in memory. Header only; one test program includes it once. */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H
#include "graph/node.h"
#include "headpipe.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { FAKE_TIMERS = 8, FAKE_WATCHES = 8, FAKE_FILES = 4, FAKE_UDPS = 4 };

/* A growing block of bytes; NUL behind the end, so that text can be compared as a string. */
struct fake_bytes {
	char *at;
	size_t size, room;
};
struct hp_timer {
	struct fake_host *fake;
	void (*cb)(void *);
	void *arg;
	int64_t deadline; /* < 0: not armed */
};
struct hp_watch {
	struct fake_host *fake;
	int fd;
	unsigned events;
	void (*cb)(void *, unsigned);
	void *arg;
	bool on;
};
struct hp_file {
	struct fake_host *fake;
	char path[256], mode[4];
	struct fake_bytes bytes;
	int records;
	bool closed;
};
struct hp_udp {
	struct fake_host *fake;
	uint32_t addresses;
	struct fake_bytes last, all; /* the last datagram, and all of them behind each other */
	int datagrams;
};
#define FAKE_MOST 100000 /* samples: a module that never ends fails before it takes the machine's memory */
struct fake_host {
	union {
		struct hp_host host; /* what the module gets                                  */
		struct hp_node node; /* what a built-in module finds behind it (run/inside.h) */
	};
	struct hp_run run;
	int64_t time; /* answer of now() */
	struct hp_timer timers[FAKE_TIMERS];
	struct hp_watch watches[FAKE_WATCHES];
	struct hp_file files[FAKE_FILES];
	struct hp_udp udps[FAKE_UDPS];
	int ntimers, nwatches, nfiles, nudps;
	struct hp_sample *samples; /* emitted or posted ones */
	size_t nsamples, room;
	int emits, raws;
	struct hp_event last_event;
	int events;
	struct hp_stream stream; /* what describe() was told; what stream() answers */
	int described;
	struct fake_bytes log; /* "warn: text\n" */
	int failed, fail_error;
	char fail_text[512];
	int file_error, open_error, udp_error, emit_error; /* -errno to answer with; 0 = work */
};

static inline struct fake_host *fake_of(const struct hp_host *h)
{
	return (struct fake_host *)(uintptr_t)h; /* host is the first member */
}
static inline void fake_append(struct fake_bytes *b, const void *data, size_t size)
{
	if (b->size + size + 1 > b->room) {
		b->room = (b->size + size + 1) * 2;
		b->at = realloc(b->at, b->room);
		if (!b->at)
			abort();
	}
	if (size)
		memcpy(b->at + b->size, data, size);
	b->size += size;
	b->at[b->size] = 0;
}
static inline const char *fake_text(const struct fake_bytes *b)
{
	return b->at ? b->at : "";
}
static inline void fake_clear(struct fake_bytes *b)
{
	free(b->at);
	memset(b, 0, sizeof *b);
}
static inline void fake_log(const struct hp_host *h, enum hp_level level, const char *text)
{
	static const char *const names[] = { "debug: ", "info: ", "warn: ", "error: " };
	struct fake_host *f = fake_of(h);
	fake_append(&f->log, names[level], strlen(names[level]));
	fake_append(&f->log, text, strlen(text));
	fake_append(&f->log, "\n", 1);
}
static inline int64_t fake_now(const struct hp_host *h)
{
	return fake_of(h)->time;
}
static inline int fake_emit(const struct hp_host *h, const struct hp_item *item)
{
	struct fake_host *f = fake_of(h);
	if (f->emit_error)
		return f->emit_error;
	if (item->raw)
		f->raws++;
	for (uint32_t i = 0; i < item->nsamples; i++) {
		if (f->nsamples >= FAKE_MOST)
			abort();
		if (f->nsamples == f->room) {
			f->room = f->room ? f->room * 2 : 64;
			f->samples = realloc(f->samples, f->room * sizeof *f->samples);
			if (!f->samples)
				abort();
		}
		f->samples[f->nsamples] = item->samples[i];
		f->samples[f->nsamples].seq = f->nsamples;
		f->nsamples++;
	}
	if (item->event) {
		f->last_event = *item->event;
		f->last_event.text = NULL;
		f->events++;
	}
	f->emits++;
	return 0;
}
static inline void fake_describe(const struct hp_host *h, const struct hp_stream *s)
{
	fake_of(h)->stream = *s; /* strings stay the module's; tests look while it is open */
	fake_of(h)->described++;
}
static inline const struct hp_stream *fake_stream(const struct hp_host *h)
{
	return &fake_of(h)->stream;
}
static inline void fake_fail(const struct hp_host *h, int err, const char *text)
{
	struct fake_host *f = fake_of(h);
	f->failed++;
	f->fail_error = err;
	strncpy(f->fail_text, text ? text : "", sizeof f->fail_text - 1);
}
static inline struct hp_timer *fake_timer(const struct hp_host *h, void (*cb)(void *), void *arg)
{
	struct fake_host *f = fake_of(h);
	if (f->ntimers == FAKE_TIMERS)
		return NULL;
	struct hp_timer *t = &f->timers[f->ntimers++];
	*t = (struct hp_timer){ f, cb, arg, -1 };
	return t;
}
static inline int fake_timer_at(struct hp_timer *t, int64_t deadline)
{
	t->deadline = deadline;
	return 0;
}
static inline struct hp_udp *fake_udp(const struct hp_host *h, const struct hp_addrs *to)
{
	struct fake_host *f = fake_of(h);
	if (f->open_error || f->nudps == FAKE_UDPS) {
		errno = f->open_error ? -f->open_error : ENOMEM;
		return NULL;
	}
	struct hp_udp *u = &f->udps[f->nudps++];
	u->fake = f;
	u->addresses = to->n;
	return u;
}
static inline int fake_udp_send(struct hp_udp *u, const void *data, size_t size)
{
	if (u->fake->udp_error)
		return u->fake->udp_error;
	u->last.size = 0;
	fake_append(&u->last, data, size);
	fake_append(&u->all, data, size);
	u->datagrams++;
	return 0;
}
static inline struct hp_watch *fake_watch(const struct hp_host *h, int fd, unsigned events,
                                          void (*cb)(void *, unsigned), void *arg)
{
	struct fake_host *f = fake_of(h);
	if (f->nwatches == FAKE_WATCHES)
		return NULL;
	struct hp_watch *w = &f->watches[f->nwatches++];
	*w = (struct hp_watch){ f, fd, events, cb, arg, true };
	return w;
}
static inline void fake_unwatch(struct hp_watch *w)
{
	w->on = false;
}
static inline struct hp_file *fake_file(const struct hp_host *h, const char *path, const char *mode)
{
	struct fake_host *f = fake_of(h);
	if (f->open_error || f->nfiles == FAKE_FILES) {
		errno = f->open_error ? -f->open_error : ENOMEM;
		return NULL;
	}
	struct hp_file *file = &f->files[f->nfiles++];
	file->fake = f;
	strncpy(file->path, path, sizeof file->path - 1);
	strncpy(file->mode, mode, sizeof file->mode - 1);
	return file;
}
static inline int fake_file_write(struct hp_file *file, const void *data, size_t size)
{
	if (file->fake->file_error)
		return file->fake->file_error;
	fake_append(&file->bytes, data, size);
	file->records++;
	return 0;
}
static inline void fake_file_close(struct hp_file *file)
{
	file->closed = true;
}

/* Ready to be handed to open(); name is the section's. */
static inline void fake_init(struct fake_host *f, const char *name)
{
	memset(f, 0, sizeof *f);
	f->time = 1000000000;
	f->node.run = &f->run;
	f->stream = (struct hp_stream){ .struct_size = sizeof(struct hp_stream) };
	f->host = (struct hp_host){
		.struct_size = sizeof(struct hp_host),
		.abi = HP_ABI,
		.name = name,
		.log = fake_log,
		.now = fake_now,
		.emit = fake_emit,
		.post = fake_emit,
		.describe = fake_describe,
		.stream = fake_stream,
		.fail = fake_fail,
		.timer = fake_timer,
		.timer_at = fake_timer_at,
		.udp = fake_udp,
		.udp_send = fake_udp_send,
		.watch = fake_watch,
		.unwatch = fake_unwatch,
		.file = fake_file,
		.file_write = fake_file_write,
		.file_close = fake_file_close,
	};
}
static inline void fake_free(struct fake_host *f)
{
	fake_clear(&f->log);
	for (int i = 0; i < f->nfiles; i++)
		fake_clear(&f->files[i].bytes);
	for (int i = 0; i < f->nudps; i++) {
		fake_clear(&f->udps[i].last);
		fake_clear(&f->udps[i].all);
	}
	free(f->samples);
	memset(f, 0, sizeof *f);
}
/* Sets one option in a module's state, as the ini reader would; the texts must outlive the state. Addresses are
 * left alone: the fake udp() needs none. */
static inline void fake_set(const struct hp_module *m, void *state, const char *key, const char *text)
{
	const struct hp_option *o = m->options;
	while (o->key && strcmp(o->key, key))
		o++;
	if (!o->key)
		abort();
	char *end, *at = (char *)state + o->offset;
	double real = 0;
	long long whole = 0;
	int small = 0, yes = !strcmp(text, "yes");
	int64_t ns = 0;
	if (o->type == HP_REAL || o->type == HP_NS)
		real = strtod(text, &end);
	if (o->type == HP_NS)
		ns = (int64_t)(real * (!strcmp(end, "ms") ? 1e6 : !strcmp(end, "min") ? 60e9 : 1e9));
	if (o->type == HP_INT)
		small = (int)(whole = strtoll(text, NULL, 0));
	switch (o->type) {
	case HP_BOOL:
		*(bool *)(void *)at = yes;
		break;
	case HP_INT:
		memcpy(at, o->size == sizeof(int) ? (void *)&small : (void *)&whole, o->size);
		break;
	case HP_REAL:
		memcpy(at, &real, sizeof real);
		break;
	case HP_STR:
	case HP_PATH:
		memcpy(at, &text, sizeof text);
		break;
	case HP_ENUM: {
		size_t n = strlen(text);
		small = 0;
		for (const char *c = o->choices; strncmp(c, text, n) || (c[n] && c[n] != '|'); small++) {
			c = strchr(c, '|');
			if (!c)
				abort();
			c++;
		}
		memcpy(at, &small, sizeof small);
		break;
	}
	case HP_LIST: { /* of letters, or of words; the newest 64 lists last */
		static uint8_t kept[64][8];
		static unsigned next;
		uint8_t *own = kept[next++ % 64];
		struct hp_list l = { 0, own };
		bool letters = o->choices[1] == '|';
		for (const char *c = strcmp(text, "none") ? text + strspn(text, ", ") : ""; *c; c += strspn(c, ", ")) {
			size_t n = letters ? 1 : strcspn(c, ", ");
			uint8_t i = 0;
			const char *word = o->choices;
			for (; strncasecmp(word, c, n) || (word[n] && word[n] != '|'); i++)
				if (!(word = strchr(word, '|')) || !word++)
					abort();
			if (l.n < 8)
				own[l.n++] = i;
			c += n;
		}
		memcpy(at, &l, sizeof l);
		break;
	}
	case HP_NS:
		memcpy(at, &ns, sizeof ns);
		break;
	case HP_ADDRS:
		break;
	}
}
/* A zeroed state with every default of the option table; free() it. */
static inline void *fake_state(const struct hp_module *m)
{
	void *state = calloc(1, m->state_size ? m->state_size : 1);
	if (!state)
		abort();
	for (const struct hp_option *o = m->options; o && o->key; o++)
		if (o->def)
			fake_set(m, state, o->key, o->def);
	return state;
}
/* Runs every armed timer that is due at time `until`, earliest first, moving the clock to each deadline; then
 * sets the clock to `until`. At most `limit` callbacks; returns how many ran. */
static inline int fake_run(struct fake_host *f, int64_t until, int limit)
{
	int ran = 0;
	while (ran < limit) {
		struct hp_timer *next = NULL;
		for (int i = 0; i < f->ntimers; i++) {
			struct hp_timer *t = &f->timers[i];
			if (t->deadline >= 0 && t->deadline <= until && (!next || t->deadline < next->deadline))
				next = t;
		}
		if (!next)
			break;
		if (next->deadline > f->time)
			f->time = next->deadline;
		next->deadline = -1;
		next->cb(next->arg);
		ran++;
	}
	if (f->time < until)
		f->time = until;
	return ran;
}
#endif
