/* SPDX-License-Identifier: MIT
 * again.c - outputs that could not be opened and are tried again, after 1 s, then less and less often: a device that is
 * plugged in later, a folder on a disk that is mounted later, a port that is still taken.
 *
 * A module's open() finds its state as the options have filled it; so that is kept, and put back after every failure.
 */
#include "again.h"
#include "base/clock.h"
#include "base/log.h"
#include "file.h"
#include "graph/ini.h"
#include "pipeline.h"
#include "timer.h"
#include "udp_socket.h"
#include "watch.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const int64_t first_wait = 1000000000, longest_wait = 30000000000;

struct hp_again {
	struct hp_timer *timer;
	int64_t wait;
	int (*open)(struct hp_node *);
	size_t size;
	uint8_t state[]; /* the module's, then the encoder's */
};

bool hp_again_would(const struct hp_node *n)
{
	return n->kind == HP_OUTPUT && n->module->traits & HP_OPENS_AGAIN && !(n->encoder && n->encoder->open) &&
	       n->ini->keys.on_error == HP_ON_ERROR_DROP;
}

int hp_again_keep(struct hp_node *n)
{
	if (!hp_again_would(n))
		return 0;
	struct hp_again *a = calloc(1, sizeof *a + n->module->state_size);
	if (!a)
		return -ENOMEM;
	a->wait = first_wait;
	a->size = n->module->state_size;
	memcpy(a->state, n->state, a->size);
	n->kept = a;
	return 0;
}

static void put_back(struct hp_node *n)
{
	hp_watch_close_all(n);
	hp_timer_free_all(n);
	hp_udp_free_all(n);
	hp_file_close_all(n);
	n->again->timer = NULL;
	memcpy(n->state, n->again->state, n->again->size);
}

static void plan(struct hp_node *n);

static void try_again(void *arg)
{
	struct hp_node *n = arg;
	hp_timer_free(n->again->timer);
	n->again->timer = NULL;
	memcpy(n->again->state, n->state, n->again->size); /* a reload may have changed options */
	if (n->again->open(n) < 0) {
		n->again->wait = n->again->wait * 2 < longest_wait ? n->again->wait * 2 : longest_wait;
		put_back(n);
		plan(n);
		return;
	}
	hp_again_forget(n);
	n->dead = false;
	n->phase = HP_STARTED;
	hp_log(HP_LOG_INFO, n->who, "is open now");
	if (n->module->start)
		n->module->start(n->state);
	if (n->input->stream.device) {
		struct hp_event e = { .struct_size = sizeof e,
			              .type = HP_CONNECTED,
			              .time_ns = hp_now(),
			              .text = n->input->stream.device };
		hp_pipeline_event_to(n, &e);
	}
}

static void plan(struct hp_node *n)
{
	n->again->timer = hp_timer_open(&n->host, try_again, n);
	if (n->again->timer)
		hp_timer_at(n->again->timer, hp_now() + n->again->wait);
}

bool hp_again_plan(struct hp_node *n, int (*open)(struct hp_node *))
{
	if (!n->kept)
		return false;
	n->again = n->kept;
	n->kept = NULL;
	n->again->open = open;
	n->dead = true;
	put_back(n);
	plan(n);
	hp_log(HP_LOG_WARN, n->who, "the others go on without it; it is tried again after 1 s, later every 30 s");
	return true;
}

void hp_again_forget(struct hp_node *n)
{
	free(n->again);
	free(n->kept);
	n->again = n->kept = NULL;
}
