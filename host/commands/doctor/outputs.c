/* SPDX-License-Identifier: MIT
 * outputs.c - looks at the addresses that outputs send to: do they exist, and does a program on this machine
 * listen there. */
#include "doctor.h"
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

/* "0100007F:1092": every four bytes are one number of the machine, in its own byte order */
static bool parse_address(const char *text, uint8_t *out, size_t bytes)
{
	for (size_t i = 0; i < bytes; i += 4) {
		unsigned v;
		if (sscanf(text + 2 * i, "%8x", &v) != 1)
			return false;
		uint32_t word = v;
		memcpy(out + i, &word, 4);
	}
	return text[2 * bytes] == ':';
}

bool hp_listener_in(FILE *table, const uint8_t *address, size_t bytes, uint16_t port)
{
	static const uint8_t any[16], mapped[12] = { [10] = 0xff, [11] = 0xff };
	char line[512], local[64];
	while (fgets(line, sizeof line, table)) {
		uint8_t at[16];
		unsigned their_port;
		/* "  12: 0100007F:1092 00000000:0000 07 ...": local, remote, state */
		if (sscanf(line, " %*u: %63s", local) != 1)
			continue;
		size_t digits = strcspn(local, ":"), have = digits / 2;
		if ((have != 4 && have != 16) || sscanf(local + digits, ":%4x", &their_port) != 1 ||
		    their_port != port || !parse_address(local, at, have))
			continue;
		if (!memcmp(at, any, have))
			return true; /* every address; a v6 socket there takes v4 too unless it says otherwise */
		if (have == bytes && !memcmp(at, address, bytes))
			return true;
		if (have == 16 && bytes == 4 && !memcmp(at, mapped, 12) && !memcmp(at + 12, address, 4))
			return true;
	}
	return false;
}

static bool listens(const uint8_t *address, size_t bytes, uint16_t port)
{
	static const char *const tables[] = { "/proc/net/udp", "/proc/net/udp6" };
	bool found = false;
	for (size_t i = bytes == 16; i < 2 && !found; i++) {
		FILE *f = fopen(tables[i], "re");
		if (!f)
			continue;
		found = hp_listener_in(f, address, bytes, port);
		fclose(f);
	}
	return found;
}

static const uint8_t *bytes_of(const struct sockaddr *a, size_t *n)
{
	*n = a->sa_family == AF_INET ? 4 : a->sa_family == AF_INET6 ? 16 : 0;
	return a->sa_family == AF_INET ? (const uint8_t *)&((const struct sockaddr_in *)(const void *)a)->sin_addr
	                               : (const uint8_t *)&((const struct sockaddr_in6 *)(const void *)a)->sin6_addr;
}

static bool is_here(const uint8_t *address, size_t bytes)
{
	struct ifaddrs *all;
	bool here = bytes == 4 && address[0] == 127;
	if (getifaddrs(&all) < 0)
		return here;
	for (const struct ifaddrs *a = all; a; a = a->ifa_next) {
		size_t n;
		if (!a->ifa_addr || (a->ifa_addr->sa_family != AF_INET && a->ifa_addr->sa_family != AF_INET6))
			continue;
		const uint8_t *theirs = bytes_of(a->ifa_addr, &n);
		here |= n == bytes && !memcmp(theirs, address, n);
	}
	freeifaddrs(all);
	return here;
}

static void one_address(struct hp_findings *f, const char *output, const struct hp_addr *to)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_DGRAM }, *found;
	int rc = getaddrinfo(to->host, NULL, &hints, &found);
	if (rc) {
		hp_find(f, HP_WRONG, "output", "%s: %s cannot be resolved: %s", output, to->host, gai_strerror(rc));
		return;
	}
	size_t n;
	const uint8_t *address = bytes_of(found->ai_addr, &n);
	if (!is_here(address, n)) {
		hp_find(f, HP_OK, "output",
		        "%s: %s port %u is not on this machine; whether somebody listens cannot be seen", output,
		        to->host, to->port);
	} else if (listens(address, n, to->port)) {
		hp_find(f, HP_OK, "output", "%s: a program listens on %s port %u", output, to->host, to->port);
	} else {
		hp_cure(
		    f,
		    "start the program that wants the pose and let it listen on UDP port %u, or change the address in "
		    "the ini",
		    to->port);
		hp_find(f, HP_NOTE, "output", "%s: nobody listens on %s port %u", output, to->host, to->port);
	}
	freeaddrinfo(found);
}

static void addresses_of(struct hp_findings *f, const char *output, const struct hp_option *o, const void *state)
{
	for (; o && o->key; o++) {
		if (o->type != HP_ADDRS || o->flags & HP_REMOVED)
			continue;
		const struct hp_addrs *a = (const void *)((const char *)state + o->offset);
		for (uint32_t i = 0; i < a->n; i++)
			one_address(f, output, &a->at[i]);
	}
}

void hp_doctor_outputs(struct hp_findings *f, const struct hp_run *run)
{
	for (size_t i = 0; i < run->nnodes; i++) {
		const struct hp_node *n = run->nodes[i];
		if (n->kind == HP_OUTPUT && n->module)
			addresses_of(f, n->name, n->module->options, n->state);
	}
}
