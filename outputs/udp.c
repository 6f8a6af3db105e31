/* SPDX-License-Identifier: MIT
 * udp.c - any encoding as datagrams, and the presets for the formats that games and tools expect. */
#include <errno.h>
#include <headpipe.h>

struct udp {
	struct hp_addrs to;
	const struct hp_host *host;
	struct hp_udp *socket;
};

#define TO_DOC "where the datagrams go: one or several addresses; names are looked up once, at start"
static const struct hp_option udp_options[] = { HP_OPT_ADDRS(struct udp, to, NULL, TO_DOC), HP_OPT_END };
static const struct hp_option opentrack_options[] = { HP_OPT_ADDRS(struct udp, to, "127.0.0.1:4242", TO_DOC),
	                                              HP_OPT_END };
static const struct hp_option json_options[] = { HP_OPT_ADDRS(struct udp, to, "127.0.0.1:4243", TO_DOC), HP_OPT_END };
static const struct hp_option msgpack_options[] = { HP_OPT_ADDRS(struct udp, to, "127.0.0.1:4244", TO_DOC),
	                                            HP_OPT_END };

static int open_udp(void *self, const struct hp_host *host)
{
	struct udp *u = self;
	u->host = host;
	u->socket = host->udp(host, &u->to);
	return u->socket ? 0 : -errno;
}

static int send_udp(void *self, const void *data, size_t size)
{
	struct udp *u = self;
	return u->host->udp_send(u->socket, data, size);
}

#define UDP_MODULE .kind = HP_OUTPUT, .state_size = sizeof(struct udp), .open = open_udp, .send = send_udp

HP_MODULE(udp) = { HP_MODULE_HEAD, UDP_MODULE, .name = "udp", .summary = "datagrams in any encoding",
	           .options = udp_options };

HP_MODULE(opentrack_udp) = {
	HP_MODULE_HEAD,
	UDP_MODULE,
	.name = "opentrack_udp",
	.summary = "udp for OpenTrack's \"UDP over network\": encoding opentrack, port 4242",
	.options = opentrack_options,
	.encoding = "opentrack",
};

HP_MODULE(json_udp) = {
	HP_MODULE_HEAD,          UDP_MODULE,
	.name = "json_udp",      .summary = "udp with one JSON object per datagram, port 4243",
	.options = json_options, .encoding = "json",
};

HP_MODULE(msgpack_udp) = {
	HP_MODULE_HEAD,
	UDP_MODULE,
	.name = "msgpack_udp",
	.summary = "udp with one MessagePack map per datagram, port 4244",
	.options = msgpack_options,
	.encoding = "msgpack",
};
