/* SPDX-License-Identifier: MIT
 * services.h - struct hp_host of every node: log, now, emit, post, describe, stream, fail, timer, watch. */
#ifndef HP_SERVICES_H
#define HP_SERVICES_H
#include "graph/node.h"

/* Fills n->host. */
void hp_services_give(struct hp_node *);
/* An error line of the node. While it is opened the line gets its place in the ini and is the only one about it. */
void hp_services_error(struct hp_node *, const char *text);
/* Acts on what fail() of any thread has left; drains posts first. [loop] */
void hp_services_turn(struct hp_run *);
/* Calls the timers that were due when they were set, once per turn of the loop. [loop] */
void hp_services_due(uv_idle_t *);
/* Stops and closes every handle of the node; its memory goes when the loop has run. */
void hp_services_take(struct hp_node *);

/* udp.c */
struct hp_udp *hp_udp_open(const struct hp_host *, const struct hp_addrs *);
int hp_udp_send(struct hp_udp *, const void *, size_t);
void hp_udp_close(struct hp_udp *);
void hp_udp_free_all(struct hp_node *);
void hp_udp_close_sockets(struct hp_run *);
bool hp_udp_behind(const struct hp_host *);

/* file.c */
struct hp_file *hp_file_open(const struct hp_host *, const char *path, const char *mode);
int hp_file_write(struct hp_file *, const void *, size_t);
void hp_file_close(struct hp_file *);
void hp_file_close_all(struct hp_node *);

static inline struct hp_node *hp_node_of(const struct hp_host *h)
{
	return (struct hp_node *)(uintptr_t)h; /* host is its first member; the module only ever had a const view */
}
#endif
