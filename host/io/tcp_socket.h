/* SPDX-License-Identifier: MIT
 * tcp_socket.h - TCP sockets for modules that have connections. [loop] */
#ifndef HP_TCP_SOCKET_H
#define HP_TCP_SOCKET_H
#include "headpipe.h"
#include <sys/socket.h>

/* "127.0.0.1 port 4245" */
void hp_tcp_name(const struct sockaddr_storage *, socklen_t size, char *out, size_t room);
/* The first address that a name has; passive: to listen on. Blocks, so in open() only. 0, or -errno that was logged. */
int hp_tcp_resolve(const struct hp_host *, const struct hp_addr *, bool passive, struct sockaddr_storage *,
                   socklen_t *);
/* A socket that listens and does not block, or -errno; a wrong address was logged. */
int hp_tcp_listen(const struct hp_host *, const struct hp_addr *);
/* A connection that is open or opening: nothing waits for more data, and at most buffer bytes wait in the kernel. */
void hp_tcp_prepare(int fd, int buffer);
/* What a peer sends is read and forgotten: only the end of it matters. 0, -ECONNRESET at the end, or -errno. */
int hp_tcp_forget_input(int fd);
#endif
