/* look_away.c - tells a receiver when the head has turned away for a while, and when it is back. */
#include <errno.h>
#include <headpipe.h>
#include <math.h>
#include <string.h>
struct look_away {
	struct hp_addrs to; /* options first: filled in and checked before open() */
	double limit;
	int64_t after;
	const struct hp_host *host; /* the rest begins as zero */
	struct hp_udp *socket;
	bool turned, told;
	int64_t since_ns;
};
static const struct hp_option options[] = {
	HP_OPT_ADDRS(struct look_away, to, "127.0.0.1:5006", "who is told"),
	HP_OPT_REAL(struct look_away, limit, "20", 1, 180, "degrees of yaw that count as away", HP_LIVE),
	HP_OPT_NS(struct look_away, after, "300ms", 0, 60, "for how long, before it is told", HP_LIVE),
	HP_OPT_END
};
static int open_it(void *self, const struct hp_host *host)
{
	struct look_away *m = self;
	m->host = host;
	m->socket = host->udp(host, &m->to);
	return m->socket ? 0 : -errno;
}
static int write_it(void *self, const struct hp_sample *s)
{
	struct look_away *m = self;
	bool turned = fabs(s->ypr[0]) > m->limit;
	if (turned != m->turned)
		m->since_ns = s->time_ns;
	m->turned = turned;
	if (turned == m->told || s->time_ns - m->since_ns < m->after)
		return 0;
	m->told = turned;
	const char *text = turned ? "away\n" : "back\n";
	return m->host->udp_send(m->socket, text, strlen(text));
}
HP_MODULE(look_away) = {
	HP_MODULE_HEAD, .kind = HP_OUTPUT, .name = "look_away", .summary = "tells when the head turns away",
	.options = options, .state_size = sizeof(struct look_away), .open = open_it, .write = write_it,
};
