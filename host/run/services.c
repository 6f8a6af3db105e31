/* SPDX-License-Identifier: MIT
 * services.c - what a module may ask of the host. Handles belong to the host, which closes them. */
#include "services.h"
#include "base/clock.h"
#include "base/log.h"
#include "complain.h"
#include "fail.h"
#include "file.h"
#include "io/writer.h"
#include "loop.h"
#include "pipeline.h"
#include "post.h"
#include "request.h"
#include "stream.h"
#include "timer.h"
#include "udp_socket.h"
#include "watch.h"
#include <errno.h>

static void svc_log(const struct hp_host *h, enum hp_level level, const char *text)
{
	if (level == HP_LOG_ERROR)
		hp_complain(hp_node_of(h), text);
	else
		hp_log(level, hp_node_of(h)->who, "%s", text);
}

static int64_t svc_now(const struct hp_host *h)
{
	(void)h;
	return hp_now();
}

static int svc_emit(const struct hp_host *h, const struct hp_item *item)
{
	struct hp_node *n = hp_node_of(h);
	hp_loop_check(n, "emit");
	return n->kind == HP_INPUT || n->kind == HP_FILTER ? hp_pipeline_emit(n, item) : -ENOTSUP;
}

static int svc_post(const struct hp_host *h, const struct hp_item *item)
{
	struct hp_node *n = hp_node_of(h);
	return n->kind == HP_INPUT || n->kind == HP_FILTER ? hp_post(n, item) : -ENOTSUP;
}

static int svc_request(const struct hp_host *h, const char *what)
{
	struct hp_node *n = hp_node_of(h);
	hp_loop_check(n, "request");
	return hp_request(n, what);
}

static const struct hp_stream *svc_stream(const struct hp_host *h)
{
	return &hp_node_of(h)->input->stream;
}

static bool svc_behind(const struct hp_host *h)
{
	return hp_writer_behind() || hp_udp_behind(h);
}

int hp_services_give(struct hp_node *n)
{
	n->host = (struct hp_host){
		.struct_size = sizeof n->host,
		.abi = HP_ABI,
		.name = n->name,
		.log = svc_log,
		.now = svc_now,
		.emit = svc_emit,
		.post = svc_post,
		.describe = hp_stream_describe,
		.stream = svc_stream,
		.fail = hp_fail,
		.request = svc_request,
		.timer = hp_timer_open,
		.timer_at = hp_timer_at,
		.timer_free = hp_timer_free,
		.udp = hp_udp_open,
		.udp_send = hp_udp_send,
		.udp_close = hp_udp_close,
		.watch = hp_watch_open,
		.unwatch = hp_watch_close,
		.file = hp_file_open,
		.file_write = hp_file_write,
		.file_close = hp_file_close,
		.behind = svc_behind,
	};
	int r = hp_stream_open(n);
	return r < 0 ? r : hp_fail_open(n);
}

void hp_services_take(struct hp_node *n)
{
	hp_watch_close_all(n);
	hp_timer_free_all(n);
}

void hp_services_finish(struct hp_node *n)
{
	hp_post_close(n);
	hp_udp_free_all(n);
	hp_file_close_all(n);
}

void hp_services_free(struct hp_node *n)
{
	hp_stream_close(n);
	hp_fail_close(n);
}
