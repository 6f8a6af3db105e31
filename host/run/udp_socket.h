/* SPDX-License-Identifier: MIT
 * udp_socket.h - the service `udp`. [loop] */
#ifndef HP_UDP_SOCKET_H
#define HP_UDP_SOCKET_H
#include "graph/node.h"

struct hp_udp *hp_udp_open(const struct hp_host *, const struct hp_addrs *);
int hp_udp_send(struct hp_udp *, const void *, size_t);
void hp_udp_close(struct hp_udp *); /* NULL: nothing */
void hp_udp_free_all(struct hp_node *);
void hp_udp_close_sockets(struct hp_run *);
/* A receiver on this machine has so much unread that more would be lost. */
bool hp_udp_behind(const struct hp_host *);
#endif
