/* SPDX-License-Identifier: MIT
 * child.c - the life of a child program. It is started by libuv; its pipes are ours, since the ends of a socket pair,
 * which libuv would make, cannot be opened as /dev/stdout. More than 400 lines: start, end and start again are one
 * state machine over one set of handles. */
#include "child.h"
#include "child_system.h"
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int64_t first_pause = 250000000, longest_pause = 5000000000, long_enough = 10000000000;
enum { QUIET_AFTER = 5 };

__attribute__((format(printf, 3, 4))) static void say(struct hp_child *c, enum hp_level level, const char *fmt, ...)
{
	char text[512];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	c->host->log(c->host, level, text);
}

static uint64_t in_ms(int64_t ns)
{
	return (uint64_t)(ns + 999999) / 1000000;
}

/* ---- its output ------------------------------------------------------------------------------------------------- */

static void take_log(struct hp_child *c, const char *data, size_t n)
{
	hp_child_log_take(&c->log, data, n);
}

static void take_output(struct hp_child *c, const char *data, size_t n)
{
	c->ops->output(c->arg, data, n);
}

static void read_buffer(uv_handle_t *h, size_t suggested, uv_buf_t *buf)
{
	struct hp_child *c = h->data;
	(void)suggested;
	buf->base = c->read_buffer;
	buf->len = HP_CHILD_READ;
}

static void err_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf);

static void listen_again(uv_timer_t *t)
{
	struct hp_child *c = t->data;
	if (c->running)
		uv_read_start((uv_stream_t *)&c->err, read_buffer, err_read);
}

/* One that never stops shouting would keep the loop busy with reading: it has to wait for the next second. */
static void err_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
	struct hp_child *c = s->data;
	if (n > 0 && hp_child_log_take(&c->log, buf->base, (size_t)n) && !c->stopping) {
		uv_read_stop(s);
		uv_timer_start(&c->quiet, listen_again, 1000, 0);
	} else if (n < 0) {
		uv_read_stop(s);
	}
}

static void out_read(uv_stream_t *s, ssize_t n, const uv_buf_t *buf)
{
	struct hp_child *c = s->data;
	if (n > 0)
		take_output(c, buf->base, (size_t)n);
	else if (n < 0)
		uv_read_stop(s);
}

/* It has ended: what it wrote is in the pipe and comes without waiting. A grandchild may hold the pipe open and go on
 * writing, hence the limit. */
static void read_rest(struct hp_child *c, uv_pipe_t *pipe, void (*take)(struct hp_child *, const char *, size_t))
{
	uv_os_fd_t fd;
	if (uv_fileno((uv_handle_t *)pipe, &fd))
		return;
	for (int i = 0; i < 32; i++) {
		ssize_t n = read(fd, c->read_buffer, HP_CHILD_READ);
		if (n <= 0)
			return;
		take(c, c->read_buffer, (size_t)n);
	}
}

/* ---- its input -------------------------------------------------------------------------------------------------- */

static void stop_watching(struct hp_child *c)
{
	if (c->in_watched)
		uv_poll_stop(&c->in);
	c->in_watched = false;
}

static void gone_deaf(struct hp_child *c, int error)
{
	stop_watching(c);
	if (!c->deaf && !c->stopping)
		say(c, HP_LOG_WARN, "the child has closed its input (%s); samples are dropped until it ends",
		    strerror(-error));
	c->deaf = true;
}

static void in_ready(uv_poll_t *p, int status, int events)
{
	struct hp_child *c = p->data;
	(void)events;
	int r = status < 0 ? status : hp_outflow_flush(&c->flow);
	if (r < 0)
		gone_deaf(c, r);
	else if (!c->flow.used)
		stop_watching(c);
}

int hp_child_put(struct hp_child *c, const void *frame, size_t n)
{
	if (!c->running || c->deaf || c->stopping)
		return -ENOTCONN;
	int r = hp_outflow_put_now(&c->flow, frame, n);
	if (r == 0)
		c->sizes[c->frames++ % HP_CHILD_FRAMES] = (uint32_t)n;
	if (r < 0 && r != -ENOBUFS) {
		gone_deaf(c, r);
		return -ENOTCONN;
	}
	/* the rest of a frame must not wait for the next sample, which may never come */
	if (c->flow.used && !c->in_watched) {
		c->in_watched = true;
		uv_poll_start(&c->in, UV_WRITABLE, in_ready);
	}
	return r;
}

/* ---- start and end ---------------------------------------------------------------------------------------------- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* What the command has started and left behind would do everything twice, and may read what is meant for the next. */
static void end_family(struct hp_child *c, int signal)
{
	if (c->family_left && !hp_family_is_gone(&c->family))
		hp_family_signal(&c->family, signal);
	else
		c->family_left = false;
}

static void start_again(uv_timer_t *t)
{
	struct hp_child *c = t->data;
	end_family(c, SIGKILL);
	hp_child_start(c);
}

/* It will not be started again. */
static void end_rest(uv_timer_t *t)
{
	end_family(t->data, SIGKILL);
}

static void close_timers(struct hp_child *c)
{
	uv_close((uv_handle_t *)&c->timer, NULL);
	uv_close((uv_handle_t *)&c->quiet, NULL);
}

static void look_again(uv_timer_t *t)
{
	struct hp_child *c = t->data;
	if (hp_family_is_gone(&c->family))
		close_timers(c);
}

static void over(struct hp_child *c)
{
	int64_t lived = c->host->now(c->host) - c->started_at;
	bool failed = c->exit_status || c->exit_signal;
	char how[80];
	if (c->exit_signal)
		snprintf(how, sizeof how, "was ended by signal %d (%s)", c->exit_signal, strsignal(c->exit_signal));
	else
		snprintf(how, sizeof how, "has ended with status %lld", (long long)c->exit_status);
	if (c->stopping) {
		if (failed && !c->asked)
			say(c, HP_LOG_WARN, "the command %s", how);
		if (!uv_is_active((uv_handle_t *)&c->timer) || hp_family_is_gone(&c->family))
			close_timers(c);
		else
			uv_timer_start(&c->quiet, look_again, 20, 20);
		return;
	}
	c->family_left = true;
	end_family(c, SIGTERM);
	if (c->options->restart == HP_RESTART_NEVER || (c->options->restart == HP_RESTART_FAILURE && !failed)) {
		char text[128];
		snprintf(text, sizeof text, "the command %s", how);
		c->host->fail(c->host, failed ? ECHILD : 0, text);
		if (c->family_left)
			uv_timer_start(&c->timer, end_rest, in_ms(c->options->grace), 0);
		return;
	}
	if (lived >= long_enough) {
		c->pause = first_pause;
		c->failures = 0;
	}
	if (++c->failures < QUIET_AFTER)
		say(c, failed ? HP_LOG_WARN : HP_LOG_INFO, "the command %s; starting it again in %.3g s", how,
		    (double)c->pause / 1e9);
	else if (c->failures == QUIET_AFTER)
		say(c, HP_LOG_WARN,
		    "the command %s, as it keeps doing; starting it again every few seconds without a word", how);
	uv_timer_start(&c->timer, start_again, in_ms(c->pause), 0);
	c->pause = c->pause * 2 < longest_pause ? c->pause * 2 : longest_pause;
}

static void handle_closed(uv_handle_t *h)
{
	struct hp_child *c = h->data;
	if (--c->handles == 0)
		over(c);
}

static void close_input(struct hp_child *c)
{
	if (c->flow.fd < 0)
		return;
	stop_watching(c);
	uv_close((uv_handle_t *)&c->in, handle_closed);
	close_fd(&c->flow.fd);
}

/* How many of the last frames lie in n bytes. */
static uint64_t frames_in(const struct hp_child *c, size_t n)
{
	uint64_t frames = 0;
	while (n && frames < c->frames && frames < HP_CHILD_FRAMES) {
		uint32_t size = c->sizes[(c->frames - 1 - frames++) % HP_CHILD_FRAMES];
		n -= size < n ? size : n;
	}
	return frames;
}

static void exited(uv_process_t *p, int64_t status, int signal)
{
	struct hp_child *c = p->data;
	c->running = false;
	if (c->ops->writes)
		c->unread += frames_in(c, hp_pipe_unread(c->flow.fd >= 0 ? c->flow.fd : c->other_end) + c->flow.used);
	close_fd(&c->other_end);
	c->exit_status = status;
	c->exit_signal = signal;
	read_rest(c, &c->err, take_log);
	hp_child_log_end(&c->log);
	if (c->has_out)
		read_rest(c, &c->out, take_output);
	if (c->ops->ended)
		c->ops->ended(c->arg);
	close_input(c);
	uv_close((uv_handle_t *)&c->err, handle_closed);
	if (c->has_out)
		uv_close((uv_handle_t *)&c->out, handle_closed);
	if (!c->stopping) /* else it runs for what the command has started */
		uv_timer_stop(&c->timer);
	uv_timer_stop(&c->quiet);
	uv_close((uv_handle_t *)p, handle_closed);
}

/* Reads from fd through pipe; both are then libuv's. */
static void read_from(struct hp_child *c, uv_pipe_t *pipe, int fd, uv_read_cb cb)
{
	c->handles++;
	uv_pipe_init(c->loop, pipe, 0);
	pipe->data = c;
	uv_pipe_open(pipe, fd);
	uv_read_start((uv_stream_t *)pipe, read_buffer, cb);
}

static int spawn(struct hp_child *c, const int child[3])
{
	char *argv[] = { (char *)"/bin/sh", (char *)"-c", (char *)(uintptr_t)c->options->command, NULL };
	uv_stdio_container_t stdio[3] = { { .flags = UV_IGNORE },
		                          { .flags = UV_INHERIT_FD },
		                          { .flags = UV_INHERIT_FD } };
	if (child[0] >= 0) {
		stdio[0].flags = UV_INHERIT_FD;
		stdio[0].data.fd = child[0];
	}
	stdio[1].data.fd = child[1] >= 0 ? child[1] : child[2];
	stdio[2].data.fd = child[2];
	uv_process_options_t o = {
		.exit_cb = exited,
		.file = argv[0],
		.args = argv,
		.cwd = *c->options->dir ? c->options->dir : NULL,
		.flags = UV_PROCESS_DETACHED, /* a group of its own: Ctrl-C is for us, and all of it can be killed */
		.stdio_count = 3,
		.stdio = stdio,
	};
	c->process.data = c;
	hp_family_new(&c->family);
	o.env = hp_family_environment(&c->family);
	int r = o.env ? uv_spawn(c->loop, &c->process, &o) : -ENOMEM;
	free(o.env);
	if (r == 0)
		c->family.group = c->process.pid;
	return r;
}

/* Nothing runs; what there is of handles goes, and then it is as if it had ended at once. */
static void not_started(struct hp_child *c, int error)
{
	say(c, HP_LOG_ERROR, "/bin/sh in %s: %s", *c->options->dir ? c->options->dir : ".", strerror(-error));
	c->exit_status = 127; /* as a shell says it */
	c->exit_signal = 0;
	if (c->handles)
		uv_close((uv_handle_t *)&c->process, handle_closed);
	else
		over(c);
}

int hp_child_start(struct hp_child *c)
{
	int child[3] = { -1, -1, -1 }, ours[3] = { -1, -1, -1 };
	c->started_at = c->host->now(c->host);
	int r = hp_child_pipes(child, ours, c->ops->writes, c->ops->output != NULL, c->pipe_size);
	if (r == 0) {
		c->handles = 1; /* the process is in the loop's list also when it could not be started */
		r = spawn(c, child);
	}
	for (int i = 0; i < 3; i++)
		close_fd(&child[i]);
	if (r < 0) {
		for (int i = 0; i < 3; i++)
			close_fd(&ours[i]);
		not_started(c, r);
		return r;
	}
	c->running = true;
	c->deaf = false;
	c->frames = 0;
	if (c->ops->writes) {
		c->handles++;
		hp_outflow_start(&c->flow, ours[0]);
		uv_poll_init(c->loop, &c->in, ours[0]);
		c->in.data = c;
	}
	c->has_out = c->ops->output != NULL;
	if (c->has_out)
		read_from(c, &c->out, ours[1], out_read);
	read_from(c, &c->err, ours[2], err_read);
	if (c->ops->started)
		c->ops->started(c->arg);
	return 0;
}

int hp_child_open(struct hp_child *c, const struct hp_host *host, uv_loop_t *loop,
                  const struct hp_child_options *options, const struct hp_child_ops *ops, void *arg, size_t frame_max,
                  size_t pipe_size)
{
	c->host = host;
	c->loop = loop;
	c->options = options;
	c->ops = ops;
	c->arg = arg;
	c->pause = first_pause;
	c->pipe_size = pipe_size;
	c->flow.fd = c->other_end = -1;
	c->read_buffer = malloc(HP_CHILD_READ);
	int r = c->read_buffer ? hp_child_log_open(&c->log, host) : -ENOMEM;
	if (r == 0 && ops->writes)
		r = hp_outflow_init(&c->flow, frame_max);
	if (r == 0 && ops->writes && !(c->sizes = calloc(HP_CHILD_FRAMES, sizeof *c->sizes)))
		r = -ENOMEM;
	if (r < 0)
		return r;
	uv_timer_init(loop, &c->timer);
	uv_timer_init(loop, &c->quiet);
	c->timer.data = c->quiet.data = c;
	c->open = true;
	return 0;
}

static void kill_it(uv_timer_t *t)
{
	struct hp_child *c = t->data;
	hp_family_signal(&c->family, SIGKILL);
	say(c, HP_LOG_WARN, "the command does not end; it is killed");
	if (!c->handles)
		close_timers(c);
}

static void ask_again(uv_timer_t *t)
{
	struct hp_child *c = t->data;
	c->asked = true;
	hp_family_signal(&c->family, SIGTERM);
	uv_timer_start(&c->timer, kill_it, in_ms(c->options->grace / 2), 0);
}

void hp_child_stop(struct hp_child *c)
{
	if (!c->open || c->stopping)
		return;
	c->stopping = true;
	uv_timer_stop(&c->timer);
	if (!c->running) {
		end_family(c, SIGKILL);
		if (!c->handles) /* else over() does it */
			close_timers(c);
		return;
	}
	if (c->ops->writes) {
		hp_outflow_flush(&c->flow);
		c->other_end = c->flow.fd >= 0 ? hp_pipe_other_end(c->flow.fd) : -1;
		close_input(c);
	} else {
		c->asked = true;
		hp_family_signal(&c->family, SIGTERM);
	}
	uv_timer_start(&c->timer, ask_again, in_ms(c->options->grace / 2), 0);
}

void hp_child_close(struct hp_child *c)
{
	hp_child_log_close(&c->log);
	hp_outflow_free(&c->flow);
	close_fd(&c->other_end);
	free(c->sizes);
	c->sizes = NULL;
	free(c->read_buffer);
	c->read_buffer = NULL;
}
