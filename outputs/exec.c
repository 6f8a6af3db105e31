/* SPDX-License-Identifier: MIT
 * exec.c - samples in any encoding to the standard input of a program that runs beside headpipe. */
#include "io/child.h"
#include "io/framing.h"
#include "run/inside.h"
#include <errno.h>

enum { RECORD_MAX = 64 * 1024 };

struct exec {
	struct hp_child_options options;
	int framing, buffer;

	const struct hp_host *host;
	struct hp_child child;
	uint64_t sent, slow, absent;
	uint8_t frame[RECORD_MAX];
};
static const struct hp_option options[] = {
	HP_CHILD_OPTIONS(struct exec, options, "always"),
	HP_OPT_ENUM(struct exec, framing, "lines", HP_FRAMINGS, HP_FRAMING_DOC),
	HP_OPT_INT(struct exec, buffer, "64", 4, 1024,
	           "KiB in the pipe; when it is full, samples are dropped until the program reads on", 0, "KiB", 16,
	           256),
	HP_OPT_END
};

static const struct hp_child_ops ops = { .writes = true };

static int exec_open(void *self, const struct hp_host *host)
{
	struct exec *e = self;
	e->host = host;
	int r = hp_child_open(&e->child, host, hp_inside_loop(host), &e->options, &ops, e, RECORD_MAX,
	                      (size_t)e->buffer * 1024);
	if (r == 0)
		r = hp_child_start(&e->child);
	if (r < 0) {
		hp_child_stop(&e->child);
		hp_child_close(&e->child);
	}
	return r;
}

/* A lost sample is no failure of the section: the reason is known, told once and counted. */
static int exec_send(void *self, const void *data, size_t size)
{
	struct exec *e = self;
	long n = hp_frame((enum hp_framing)e->framing, data, size, e->frame, sizeof e->frame);
	if (n < 0) {
		e->host->fail(e->host, (int)-n, hp_framing_error(n));
		return HP_DROP;
	}
	int r = hp_child_put(&e->child, e->frame, (size_t)n);
	e->sent += r == 0;
	e->absent += r == -ENOTCONN;
	if (r == -ENOBUFS && e->slow++ == 0)
		e->host->log(
		    e->host, HP_LOG_WARN,
		    "the program does not read fast enough, samples are dropped; their number is told at the end");
	return r == 0 ? 0 : HP_DROP;
}

static void exec_stop(void *self)
{
	struct exec *e = self;
	hp_child_stop(&e->child);
}

static void exec_close(void *self)
{
	struct exec *e = self;
	char text[280];
	uint64_t unread = e->child.unread < e->sent ? e->child.unread : e->sent;
	hp_inside_handed(e->host, e->sent);
	hp_inside_stored(e->host, e->sent - unread);
	if (e->slow || e->absent || unread) {
		snprintf(text, sizeof text,
		         "%llu samples read by it, %llu dropped because it did not read, %llu left in its pipe when it "
		         "ended, %llu while it did not run",
		         (unsigned long long)(e->sent - unread), (unsigned long long)e->slow,
		         (unsigned long long)unread, (unsigned long long)e->absent);
		e->host->log(e->host, HP_LOG_WARN, text);
	}
	hp_child_close(&e->child);
}

HP_MODULE(exec) = {
	HP_MODULE_HEAD,     .kind = HP_OUTPUT,
	.name = "exec",     .summary = "any encoding to the standard input of a program",
	.options = options, .state_size = sizeof(struct exec),
	.open = exec_open,  .send = exec_send,
	.stop = exec_stop,  .close = exec_close,
	.encoding = "json",
};
