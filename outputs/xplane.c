/* SPDX-License-Identifier: MIT
 * xplane.c - moves the pilot's head in X-Plane over its own UDP port; no plugin is needed.
 *
 * One DREF datagram (509 bytes: "DREF" NUL, float32 little-endian, path of the dataref with NULs behind it) per value:
 * pilots_head_psi, _the, _phi in degrees: right, up, and to the side that `roll` says. With `translation` also
 * pilots_head_x, _y, _z: metres in the aircraft, right, up, back, counted from its reference point. So the eye point of
 * the aircraft is asked for with RREF (413 bytes), and no position is sent before all three coordinates are known. The
 * question stays open at one answer a second, so another aircraft brings its own eye point, and is repeated when the
 * answers stop. */
#include "api/builtin.h"
#include "headpipe.h"
#include "pose/basis.h"
#include <errno.h>
#include <math.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { DREF_SIZE = 509, RREF_SIZE = 413, VALUES = 6 };
static const int64_t ASK_AGAIN_NS = 3000000000;
static const char *const heads[VALUES] = {
	"sim/graphics/view/pilots_head_psi", "sim/graphics/view/pilots_head_the", "sim/graphics/view/pilots_head_phi",
	"sim/graphics/view/pilots_head_x",   "sim/graphics/view/pilots_head_y",   "sim/graphics/view/pilots_head_z",
};
static const char *const eyes[3] = { "sim/aircraft/view/acf_peX", "sim/aircraft/view/acf_peY",
	                             "sim/aircraft/view/acf_peZ" };

struct xplane {
	struct hp_addrs to;
	bool translation;
	int roll; /* 1: + is to the left */
	double limit;

	const struct hp_host *host;
	struct hp_timer *timer;
	struct hp_watch *watch;
	struct sockaddr_storage address;
	socklen_t address_size;
	int fd;
	bool open, pending, written, told;
	int64_t sent_ns, asked_ns, heard_ns; /* 0 = never */
	double newest[VALUES];
	float eye[3];
	unsigned known; /* bit per coordinate of eye */
	uint8_t dref[VALUES][DREF_SIZE];
};
static const struct hp_option options[] = {
	HP_OPT_ADDRS(struct xplane, to, "127.0.0.1:49000", "where X-Plane listens"),
	HP_OPT_BOOL(struct xplane, translation, "no",
	            "move the head as well as turn it; needs a tracker with position"),
	HP_OPT_ENUM(
	    struct xplane, roll, "right", "right|left",
	    "side to which a positive pilots_head_phi tilts the head; X-Plane documents none: `right`, as for its "
	    "aircraft, is untried; change it when the view tilts the wrong way",
	    HP_LIVE),
	HP_OPT_REAL(struct xplane, limit, "60", 1, 1000, "most updates per second; of a burst the newest pose is sent",
	            0, "Hz", 20, 200),
	HP_OPT_END
};

static void put_u32(uint8_t *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(v >> 8 * i);
}
static uint32_t get_u32(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}
static int send_one(struct xplane *x, const void *data, size_t size)
{
	ssize_t n =
	    sendto(x->fd, data, size, MSG_DONTWAIT | MSG_NOSIGNAL, (struct sockaddr *)&x->address, x->address_size);
	return n < 0 ? -errno : 0;
}
static int send_value(struct xplane *x, int i, double v)
{
	float f = (float)v;
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	put_u32(x->dref[i] + 5, bits);
	return send_one(x, x->dref[i], DREF_SIZE);
}
/* frequency 0 ends the answers */
static void ask(struct xplane *x, uint32_t frequency)
{
	uint8_t rref[RREF_SIZE] = "RREF";
	for (uint32_t i = 0; i < 3; i++) {
		put_u32(rref + 5, frequency);
		put_u32(rref + 9, i);
		memset(rref + 13, 0, 400);
		memcpy(rref + 13, eyes[i], strlen(eyes[i]));
		send_one(x, rref, sizeof rref);
	}
	x->asked_ns = x->host->now(x->host);
}
static void answer(struct xplane *x, const uint8_t *p, size_t size)
{
	if (size < 5 || memcmp(p, "RREF", 4))
		return;
	for (size_t at = 5; at + 8 <= size; at += 8) {
		uint32_t index = get_u32(p + at), bits = get_u32(p + at + 4);
		float v;
		memcpy(&v, &bits, sizeof v);
		/* answers to older questions of this port, or damaged ones */
		if (index > 2 || !(fabsf(v) < 10000))
			continue;
		x->eye[index] = v;
		x->known |= 1u << index;
		x->heard_ns = x->host->now(x->host);
	}
}
/* Only X-Plane's machine may say where the eye point is; its port is its own choice. */
static bool from_xplane(const struct xplane *x, const struct sockaddr_storage *from)
{
	if (from->ss_family != x->address.ss_family)
		return false;
	if (from->ss_family == AF_INET)
		return ((const struct sockaddr_in *)from)->sin_addr.s_addr ==
		       ((const struct sockaddr_in *)&x->address)->sin_addr.s_addr;
	return !memcmp(&((const struct sockaddr_in6 *)from)->sin6_addr,
	               &((const struct sockaddr_in6 *)&x->address)->sin6_addr, sizeof(struct in6_addr));
}
static void readable(void *self, unsigned events)
{
	struct xplane *x = self;
	uint8_t p[1500];
	(void)events;
	for (int i = 0; i < 16; i++) { /* some at a time, others want their turn */
		struct sockaddr_storage from;
		socklen_t size = sizeof from;
		ssize_t n = recvfrom(x->fd, p, sizeof p, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
		if (n < 0 && errno != ECONNREFUSED)
			return;
		if (n > 0 && from_xplane(x, &from))
			answer(x, p, (size_t)n);
	}
}

static int send_pose(struct xplane *x, int64_t now)
{
	int r = 0, n = 3;
	x->pending = false;
	x->sent_ns = now;
	x->written = true;
	if (x->translation) {
		if (!x->asked_ns || (now - x->asked_ns > ASK_AGAIN_NS && now - x->heard_ns > ASK_AGAIN_NS))
			ask(x, 1);
		if (x->known == 7)
			n = VALUES;
		if (n == VALUES && !x->told) {
			char text[128];
			snprintf(text, sizeof text, "X-Plane's eye point is %.0f %.0f %.0f mm; moving it",
			         (double)x->eye[0] * 1000, (double)x->eye[1] * 1000, (double)x->eye[2] * 1000);
			x->host->log(x->host, HP_LOG_INFO, text);
			x->told = true;
		}
	}
	for (int i = 0; i < n; i++) {
		int e = send_value(x, i, x->newest[i] + (i < 3 ? 0 : (double)x->eye[i - 3]));
		r = e < 0 ? e : r;
	}
	return r;
}
static void due(void *arg)
{
	struct xplane *x = arg;
	if (x->pending)
		send_pose(x, x->host->now(x->host));
}
static int check(const void *self, const char **key, char *why, size_t size)
{
	const struct xplane *x = self;
	*key = "to";
	if (x->to.n == 1)
		return 0;
	snprintf(why, size, "one address only; use a section for each X-Plane");
	return -EINVAL;
}
static int resolve(struct xplane *x)
{
	struct addrinfo hints = { .ai_socktype = SOCK_DGRAM }, *found;
	char port[8], text[512];
	snprintf(port, sizeof port, "%u", x->to.at[0].port);
	int r = getaddrinfo(x->to.at[0].host, port, &hints, &found);
	if (r) {
		snprintf(text, sizeof text, "to: %.255s: %s", x->to.at[0].host, gai_strerror(r));
		x->host->log(x->host, HP_LOG_ERROR, text);
		return -EHOSTUNREACH;
	}
	memcpy(&x->address, found->ai_addr, found->ai_addrlen);
	x->address_size = found->ai_addrlen;
	freeaddrinfo(found);
	return 0;
}
static int xplane_open(void *self, const struct hp_host *host)
{
	struct xplane *x = self;
	x->host = host;
	int r = resolve(x);
	if (r < 0)
		return r;
	for (int i = 0; i < VALUES; i++) {
		memcpy(x->dref[i], "DREF", 5);
		memcpy(x->dref[i] + 9, heads[i], strlen(heads[i]));
	}
	x->timer = host->timer(host, due, x);
	if (!x->timer)
		return -ENOMEM;
	x->fd = socket(x->address.ss_family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (x->fd < 0)
		return -errno;
	if (x->translation && !(x->watch = host->watch(host, x->fd, HP_READABLE, readable, x))) {
		close(x->fd);
		return -ENOMEM;
	}
	x->open = true;
	return 0;
}
static int xplane_write(void *self, const struct hp_sample *s)
{
	struct xplane *x = self;
	int64_t now = x->host->now(x->host), step = (int64_t)(1e9 / x->limit);
	hp_frame_sim_angles(s, x->newest);
	if (x->roll)
		x->newest[2] = 0.0 - x->newest[2];
	hp_frame_sim_position(s, x->newest + 3);
	for (int i = 3; i < VALUES; i++)
		x->newest[i] /= 100;
	if (!x->sent_ns || now - x->sent_ns >= step)
		return send_pose(x, now);
	if (!x->pending) {
		x->pending = true;
		x->host->timer_at(x->timer, x->sent_ns + step);
	}
	return 0;
}
/* X-Plane keeps the last view for ever, so the head goes back to where it belongs. */
static void xplane_stop(void *self)
{
	struct xplane *x = self;
	x->host->timer_at(x->timer, -1);
	if (x->written) {
		memset(x->newest, 0, sizeof x->newest);
		send_pose(x, x->host->now(x->host));
	}
	if (x->asked_ns)
		ask(x, 0);
	if (x->watch)
		x->host->unwatch(x->watch);
	x->watch = NULL;
}
static void xplane_close(void *self)
{
	struct xplane *x = self;
	if (x->open)
		close(x->fd);
	x->open = false;
}
HP_MODULE(xplane) = {
	HP_MODULE_HEAD,
	.kind = HP_OUTPUT,
	.traits = HP_OPENS_AGAIN,
	.name = "xplane",
	.summary = "X-Plane's view by its own UDP port, without a plugin",
	.options = options,
	.state_size = sizeof(struct xplane),
	.check = check,
	.open = xplane_open,
	.write = xplane_write,
	.stop = xplane_stop,
	.close = xplane_close,
};
