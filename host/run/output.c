/* SPDX-License-Identifier: MIT
 * output.c - the end of a sample's way: derived, encoded, sent; and what is said when that fails. */
#include "output.h"
#include "base/clock.h"
#include "base/log.h"
#include "pose/pose.h"
#include <errno.h>
#include <string.h>

/* One sample is done: r as encode(), send() and write() return it. */
static inline void count_output(struct hp_node *n, int r, const char *what)
{
	if (r == 0)
		n->counts.out++;
	else if (r < 0)
		hp_output_trouble(n, -r, what);
	else
		n->counts.dropped++; /* HP_DROP */
}

/* What encode() gave with HP_MORE, sent, and all that follows for this sample. Rare, and out of the way of the rest. */
__attribute__((noinline)) static void put_row(struct hp_node *n, const struct hp_sample *s, int r)
{
	struct hp_run *run = n->run;
	int err = 0;
	for (int k = 0; r > 0; k++) {
		bool more = r & HP_MORE;
		size_t size = (size_t)r & ~(size_t)HP_MORE;
		if (size > run->packet_size || k == HP_MORE_MOST) {
			r = -EOVERFLOW; /* a length beyond the packet would send what lies behind it in memory */
			break;
		}
		int sent = size ? n->module->send(n->state, run->packet, size) : 0;
		err = sent < 0 || (sent && !err) ? sent : err; /* a failure says more than HP_DROP */
		r = more ? n->encoder->encode(n->encoder_state, s, &n->input->stream, run->packet, run->packet_size)
		         : 0;
	}
	count_output(n, r < 0 ? r : err, r < 0 ? "encodings" : "sends");
}

void hp_output_put(struct hp_node *n, struct hp_sample *s)
{
	int r;
	const char *what = "writes";
	if ((s->flags & (HP_ROTVEC | HP_YPR)) != (HP_ROTVEC | HP_YPR))
		hp_sample_derive(s);
	if (n->encoder) {
		struct hp_run *run = n->run;
		r = n->encoder->encode(n->encoder_state, s, &n->input->stream, run->packet, run->packet_size);
		what = "encodings";
		if (r > 0 && (size_t)r > run->packet_size) {
			put_row(n, s, r);
			return;
		}
		if (r > 0) {
			what = "sends";
			r = n->module->send(n->state, run->packet, (size_t)r);
		}
	} else {
		r = n->module->write(n->state, s);
	}
	count_output(n, r, what);
}

uint64_t hp_output_unwritten(const struct hp_node *n)
{
	uint64_t stored = atomic_load(&n->counts.stored);
	return n->counts.handed > stored ? n->counts.handed - stored : 0;
}

/* ---- failures -------------------------------------------------------------------------------------------------- */

static void tell(struct hp_node *n, int64_t now)
{
	struct hp_trouble *t = &n->trouble;
	if (t->told_ns)
		hp_log(HP_LOG_WARN, n->who, "%llu %s failed in the last %.0f s: %s", (unsigned long long)t->since_told,
		       t->what, (double)(now - t->told_ns) / 1e9, strerror(t->last));
	else
		hp_log(HP_LOG_WARN, n->who, "%.*s failed: %s; going on", (int)strlen(t->what) - 1, t->what,
		       strerror(t->last));
	t->told_ns = now;
	t->since_told = 0;
}

void hp_output_trouble(struct hp_node *n, int err, const char *what)
{
	struct hp_trouble *t = &n->trouble;
	int64_t now = hp_now();
	t->total++;
	t->since_told++;
	t->last = err;
	t->what = what;
	if (!t->told_ns || now - t->told_ns >= 1000000000)
		tell(n, now);
	if (t->ends && n->phase == HP_STARTED)
		n->host.fail(&n->host, err, "stopped by `on_error = stop`");
}

void hp_output_tell_rest(struct hp_node *n)
{
	int64_t now = hp_now();
	if (n->trouble.since_told && now - n->trouble.told_ns >= 1000000000)
		tell(n, now);
}
