/* SPDX-License-Identifier: MIT
 * chain.c - an input, a filter and an output that use every service of the host, chosen by -DINPUT, -DFILTER or
 * -DOUTPUT. Stays as it was written for ABI 2.0. */
#include <errno.h>
#include <headpipe.h>
#include <string.h>
#include <unistd.h>

struct state {
	int64_t count;
	double add;
	const char *path;
	struct hp_addrs to;
	const struct hp_host *host;
	struct hp_timer *timer;
	struct hp_watch *watch;
	struct hp_udp *udp;
	struct hp_file *file;
	int64_t sent;
	int pipe[2];
	unsigned events, raws;
};

#ifdef INPUT
static const struct hp_option options[] = { HP_OPT_INT(struct state, count, "10", 1, 1000, "how many"), HP_OPT_END };
static void ready(void *arg, unsigned events)
{
	struct state *s = arg;
	char byte;
	if (!(events & HP_READABLE) || read(s->pipe[0], &byte, 1) != 1)
		return;
	uint8_t report[3] = { 1, 2, (uint8_t)s->sent };
	struct hp_sample sample = HP_SAMPLE_INIT, two[2];
	struct hp_raw raw = { sizeof raw, sizeof report, report, s->sent };
	struct hp_item item = { .struct_size = sizeof item, .nsamples = 2, .raw = &raw, .samples = two };
	sample.time_ns = s->sent * 1000;
	sample.ypr[0] = (double)s->sent;
	sample.flags = HP_ROTVEC | HP_YPR;
	two[0] = two[1] = sample;
	two[1].ypr[0] += 50;
	/* one way and the other */
	int r = s->sent % 2 ? s->host->post(s->host, &item) : s->host->emit(s->host, &item);
	if (r < 0)
		s->host->fail(s->host, -r, "an item is refused");
	if (++s->sent < s->count)
		s->host->timer_at(s->timer, s->host->now(s->host));
	else
		s->host->fail(s->host, 0, "all sent");
}
static void due(void *arg)
{
	struct state *s = arg;
	if (write(s->pipe[1], "x", 1) != 1)
		s->host->fail(s->host, errno, NULL);
}
static int open_it(void *self, const struct hp_host *host)
{
	struct state *s = self;
	s->host = host;
	if (pipe(s->pipe) < 0)
		return -errno;
	s->timer = host->timer(host, due, s);
	s->watch = host->watch(host, s->pipe[0], HP_READABLE, ready, s);
	return s->timer && s->watch ? 0 : -ENOMEM;
}
static int start(void *self)
{
	struct state *s = self;
	struct hp_stream stream = { .struct_size = sizeof stream, .device = "chain", .report_size = 3 };
	struct hp_event event = { .struct_size = sizeof event, .type = HP_CONNECTED, .text = "chain" };
	s->host->describe(s->host, &stream);
	s->host->emit(s->host, &(struct hp_item){ .struct_size = sizeof(struct hp_item), .event = &event });
	return s->host->timer_at(s->timer, s->host->now(s->host) + 1000000);
}
static void stop(void *self)
{
	struct state *s = self;
	s->host->unwatch(s->watch);
	s->host->timer_at(s->timer, -1);
	close(s->pipe[0]);
	close(s->pipe[1]);
}
HP_MODULE(chain_in) = {
	HP_MODULE_HEAD,       .kind = HP_INPUT,   .name = "chain_in",
	.summary = "numbers", .options = options, .state_size = sizeof(struct state),
	.open = open_it,      .start = start,     .stop = stop,
};
#elif defined(FILTER)
static const struct hp_option options[] = { HP_OPT_REAL(struct state, add, "100", -1000, 1000, "added to yaw", HP_LIVE),
	                                    HP_OPT_END };
static int filter(void *self, struct hp_sample *sample)
{
	struct state *s = self;
	if (sample->ypr[0] == 3)
		return HP_DROP;
	sample->ypr[0] += s->add;
	return HP_KEEP;
}
static int reset(void *self)
{
	(void)self;
	return 0;
}
HP_MODULE(chain_filter) = {
	HP_MODULE_HEAD,    .kind = HP_FILTER,  .name = "chain_filter",
	.summary = "adds", .options = options, .state_size = sizeof(struct state),
	.filter = filter,  .reset = reset,
};
#else
static const struct hp_option options[] = { HP_OPT_PATH(struct state, path, NULL, "the file"),
	                                    HP_OPT_ADDRS(struct state, to, "127.0.0.1:9", "addresses"), HP_OPT_END };
static int open_it(void *self, const struct hp_host *host)
{
	struct state *s = self;
	s->host = host;
	s->udp = host->udp(host, &s->to);
	s->file = host->file(host, s->path, "w");
	return s->udp && s->file ? 0 : -errno;
}
static int put(void *self, const struct hp_sample *sample)
{
	struct state *s = self;
	char line[64];
	int n = snprintf(line, sizeof line, "%d\n", (int)sample->ypr[0]);
	int r = s->host->udp_send(s->udp, line, (size_t)n);
	return r < 0 ? r : s->host->file_write(s->file, line, (size_t)n);
}
static void raw(void *self, const struct hp_raw *r)
{
	struct state *s = self;
	s->raws += r->size == 3;
}
static void event(void *self, const struct hp_event *e)
{
	struct state *s = self;
	s->events += e->type == HP_CONNECTED && !strcmp(s->host->stream(s->host)->device, "chain");
}
static void stop(void *self)
{
	struct state *s = self;
	char line[64];
	int n = snprintf(line, sizeof line, "%u reports, %u events\n", s->raws, s->events);
	s->host->file_write(s->file, line, (size_t)n);
	s->host->log(s->host, HP_LOG_INFO, "stopped");
}
HP_MODULE(chain_out) = {
	HP_MODULE_HEAD,      .kind = HP_OUTPUT,
	.name = "chain_out", .summary = "writes numbers",
	.options = options,  .state_size = sizeof(struct state),
	.open = open_it,     .write = put,
	.raw = raw,          .event = event,
	.stop = stop,
};
#endif
