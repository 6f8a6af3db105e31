/* SPDX-License-Identifier: MIT
 * console.c - one live line on a terminal, plain lines elsewhere. It is drawn when samples come, at most 20 times
 * a second; a sample that came too early is drawn by a one-shot timer, so the line never shows an old pose and
 * nothing wakes up when nothing comes. A reader that is too slow loses lines and never stops the pipeline. */
#include "headpipe.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SIDE = 4, LINE_MAX_ = 160 }; /* a bar has SIDE marks left and right of its middle */
static const int64_t REDRAW_NS = 50000000, RATE_NS = 500000000;

struct console {
	double range;

	const struct hp_host *host;
	struct hp_timer *timer;
	struct hp_sample last;
	bool pending, armed, over;
	bool live;     /* a terminal: redraw one line */
	bool drawn;    /* a live line stands there without a newline */
	int fd;        /* where to write; a descriptor of our own when `own` */
	bool own, ask; /* ask: cannot be opened anew, so poll() before each write */
	int64_t drawn_ns;
	int64_t window_ns; /* begin of the window that measures samples/s; 0 = not begun */
	uint64_t window_n;
	double rate; /* < 0: not known yet */
};
static const struct hp_option options[] = { HP_OPT_REAL(struct console, range, "60", 1, 180,
	                                                "degrees at which a bar is full", 0, "deg", 20, 120),
	                                    HP_OPT_END };

/* O_NONBLOCK belongs to the open file, which our stdout shares with the shell and other programs. So a terminal or
 * a pipe is opened anew through /proc, where the flag is ours alone. Files never block in that sense. */
static void open_out(struct console *c, int out)
{
	char path[32];
	struct stat st;
	c->fd = out;
	c->own = c->ask = false;
	if (fstat(out, &st) < 0 || S_ISREG(st.st_mode))
		return;
	snprintf(path, sizeof path, "/proc/self/fd/%d", out);
	int fd = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	c->own = fd >= 0;
	c->ask = fd < 0;
	if (fd >= 0)
		c->fd = fd;
}
/* One line, whole or not at all: it is shorter than PIPE_BUF. */
static void put(struct console *c, const char *text, size_t size)
{
	struct pollfd p = { c->fd, POLLOUT, 0 };
	if (c->over || (c->ask && poll(&p, 1, 0) != 1))
		return;
	ssize_t n;
	do
		n = write(c->fd, text, size);
	while (n < 0 && errno == EINTR);
	if (n >= 0 || errno == EAGAIN)
		return;
	c->over = true;
	if (errno == EPIPE) /* `headpipe run x.ini | head`: who read has seen enough */
		c->host->fail(c->host, 0, NULL);
	else
		c->host->fail(c->host, errno, "cannot write to the standard output");
}

static char *bar(char *p, double degrees, double range)
{
	int marks = (int)lround(fmin(fabs(degrees) / range, 1) * SIDE);
	for (int i = -SIDE; i <= SIDE; i++)
		*p++ = i == 0 ? '|' : (degrees < 0 ? -i : i) > 0 && abs(i) <= marks ? '#' : '.';
	return p;
}
/* yaw  +12.3 ....|##..  pitch   -3.0 ....|.... ... 50 samples/s; at most 78 columns */
static size_t compose(const struct console *c, bool bars, char *line)
{
	static const char *const names[] = { "yaw", "pitch", "roll" };
	char *p = line;
	for (int i = 0; i < 3; i++) {
		/* printf follows the locale that some library may have set: no decimals from there */
		int tenths = (int)lround(fmax(-9999, fmin(9999, c->last.ypr[i] * 10)));
		char number[16];
		snprintf(number, sizeof number, "%c%d.%d", tenths < 0 ? '-' : '+', abs(tenths) / 10, abs(tenths) % 10);
		p += snprintf(p, 32, "%s%s%6s", i ? " " : "", names[i], number);
		if (bars) {
			*p++ = ' ';
			p = bar(p, c->last.ypr[i], c->range);
		}
	}
	if (c->rate >= 0)
		p += snprintf(p, 40, " %.0f samples/s", c->rate);
	return (size_t)(p - line);
}
static void draw(struct console *c, int64_t now)
{
	char line[LINE_MAX_];
	struct winsize w;
	size_t n;
	c->pending = false;
	c->drawn_ns = now;
	if (!c->live) {
		n = compose(c, false, line);
		line[n++] = '\n';
		put(c, line, n);
		return;
	}
	line[0] = '\r';
	n = 1 + compose(c, true, line + 1);
	/* a line that wraps could not be drawn over */
	if (!ioctl(c->fd, TIOCGWINSZ, &w) && w.ws_col > 1 && n > w.ws_col)
		n = w.ws_col;
	memcpy(line + n, "\033[K", 3);
	put(c, line, n + 3);
	c->drawn = true;
}
static void due(void *arg)
{
	struct console *c = arg;
	c->armed = false;
	if (c->pending)
		draw(c, c->host->now(c->host));
}

static int console_open(void *self, const struct hp_host *host)
{
	struct console *c = self;
	c->host = host;
	c->rate = -1;
	c->timer = host->timer(host, due, c);
	if (!c->timer)
		return -ENOMEM;
	c->live = isatty(STDOUT_FILENO);
	open_out(c, STDOUT_FILENO);
	return 0;
}
static int console_write(void *self, const struct hp_sample *s)
{
	struct console *c = self;
	int64_t now;
	if (c->over)
		return 0;
	now = c->host->now(c->host);
	if (!c->window_ns) {
		c->window_ns = now;
	} else if (now - c->window_ns >= RATE_NS) {
		/* intervals, not samples: the first one of the window belongs to the window before */
		c->rate = (double)(c->window_n + 1) * 1e9 / (double)(now - c->window_ns);
		c->window_ns = now;
		c->window_n = 0;
	} else {
		c->window_n++;
	}
	c->last = *s;
	c->pending = true;
	if (!c->drawn_ns || now - c->drawn_ns >= REDRAW_NS) {
		draw(c, now);
	} else if (!c->armed) {
		c->armed = true;
		c->host->timer_at(c->timer, c->drawn_ns + REDRAW_NS);
	}
	return 0;
}
static void console_event(void *self, const struct hp_event *e)
{
	struct console *c = self;
	if (e->type == HP_CONNECTED || e->type == HP_GAP || e->type == HP_DISCONNECTED) {
		c->window_ns = 0; /* the silence is no part of samples/s */
		c->window_n = 0;
	}
}
static void console_stop(void *self)
{
	struct console *c = self;
	if (c->pending && !c->over)
		draw(c, c->host->now(c->host)); /* the last pose stays on the screen */
	if (c->drawn)
		put(c, "\n", 1);
	c->drawn = false;
	c->over = true;
	if (c->timer)
		c->host->timer_at(c->timer, -1);
}
static void console_close(void *self)
{
	struct console *c = self;
	if (c->own)
		close(c->fd);
	c->own = false;
}
HP_MODULE(console) = {
	HP_MODULE_HEAD,         .kind = HP_OUTPUT,
	.name = "console",      .summary = "yaw, pitch and roll as one live line in the terminal",
	.options = options,     .state_size = sizeof(struct console),
	.open = console_open,   .write = console_write,
	.event = console_event, .stop = console_stop,
	.close = console_close,
};
