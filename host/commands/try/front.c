/* SPDX-License-Identifier: MIT
 * front.c - `headpipe try`: the module's own functions with ours in front, which print what comes and goes. */
#include "front.h"
#include "base/utf8.h"
#include "graph/modules.h"
#include "pose/basis.h"
#include "pose/pose.h"
#include "run/life.h"
#include "run/services.h"
#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SHOWN_BYTES = 256 };

/* One run of the command, so one of it. What the module is told to call carries no argument of ours. */
static struct {
	const struct hp_module *real_module, *real_encoder;
	struct hp_module module, encoder; /* the same with our functions in front */
	struct hp_node *node;
	uint64_t want, shown, messages, failed, bytes, smallest, largest;
	struct hp_sample sample;       /* the one that the module has now */
	double angles[3], shown_at[3]; /* its angles; those of the last one that was shown */
	bool moved, printed;           /* the sample is worth showing; its line is there already */
} try;
struct hp_try_progress *hp_try_progress;

/* ---- printing ----------------------------------------------------------------------------------- */

static bool text(const uint8_t *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if ((p[i] < 0x20 && p[i] != '\n' && p[i] != '\t' && p[i] != '\r') || p[i] == 0x7f)
			return false;
	return size > 0 && hp_utf8_valid(p, size) == size;
}
static void hex(const uint8_t *p, size_t size)
{
	for (size_t at = 0; at < size; at += 16) {
		printf("  %04zx ", at);
		for (size_t i = at; i < at + 16; i++)
			if (i < size)
				printf(i % 8 ? " %02x" : "  %02x", p[i]);
			else
				fputs(i % 8 ? "   " : "    ", stdout);
		fputs("  |", stdout);
		for (size_t i = at; i < at + 16 && i < size; i++)
			putchar(p[i] >= 0x20 && p[i] < 0x7f ? p[i] : '.');
		puts("|");
	}
}
/* A module gets a sample. The first is shown, then only what moved by 10 degrees since: a head at rest at the beginning
 * of a recording would show the same thing three times. */
static void sample_comes(const struct hp_sample *s)
{
	try.sample = *s;
	try.printed = false;
	hp_quat_to_ypr(s->quat, try.angles);
	try.moved = !hp_try_progress->samples;
	for (int i = 0; i < 3; i++)
		try.moved |= fabs(try.angles[i] - try.shown_at[i]) >= 10;
	hp_try_progress->samples++;
}
static void sample_line(void)
{
	if (!hp_try_progress->samples || try.printed) /* nothing came yet: a header of a file */
		return;
	try.printed = true;
	memcpy(try.shown_at, try.angles, sizeof try.shown_at);
	printf("sample %llu, time %.3f s: yaw %+.2f pitch %+.2f roll %+.2f\n", (unsigned long long)try.sample.seq,
	       (double)try.sample.time_ns / 1e9, try.angles[0], try.angles[1], try.angles[2]);
}
/* Whether the next thing is shown; what a module does only now and then always is. */
static bool show(void)
{
	if (try.shown >= try.want || !(try.moved || try.messages * 4 < hp_try_progress->samples))
		return false;
	sample_line();
	try.shown++;
	return true;
}
static void message(const char *way, const void *data, size_t size)
{
	try.bytes += size;
	try.smallest = !try.messages || size < try.smallest ? size : try.smallest;
	try.largest = size > try.largest ? size : try.largest;
	bool shown_now = show();
	try.messages++;
	if (!shown_now)
		return;
	size_t part = size < SHOWN_BYTES ? size : SHOWN_BYTES;
	printf("  %s, %zu bytes\n", way, size);
	hex(data, part);
	if (part < size)
		printf("  ... %zu more bytes\n", size - part);
	if (text(data, size))
		printf("  text: %.*s%s", (int)size, (const char *)data,
		       ((const char *)data)[size - 1] == '\n' ? "" : "\n");
}

/* ---- the host's sockets and files, replaced ------------------------------------------------------ */

static struct hp_udp *try_udp(const struct hp_host *h, const struct hp_addrs *to)
{
	(void)h;
	return (struct hp_udp *)(uintptr_t)to; /* only to be given back */
}
static int try_udp_send(struct hp_udp *u, const void *data, size_t size)
{
	(void)u;
	message("datagram", data, size);
	return 0;
}
static struct hp_file *try_file(const struct hp_host *h, const char *path, const char *mode)
{
	(void)h;
	(void)mode;
	return (struct hp_file *)(uintptr_t)path;
}
static int try_file_write(struct hp_file *f, const void *data, size_t size)
{
	(void)f;
	message("record for the file", data, size);
	return 0;
}
static void try_file_close(struct hp_file *f)
{
	(void)f;
}

/* ---- the module's functions, with ours in front --------------------------------------------------- */

void hp_try_at(const char *where)
{
	snprintf(hp_try_progress->where, sizeof hp_try_progress->where, "%s", where);
	alarm(*where ? HP_TRY_HANGS : 0);
}
static void tell_failure(const char *function, int r)
{
	try.failed++;
	if (try.moved && show())
		printf("  %s() fails with %d: %s\n", function, r, strerror(-r));
}
static void give_host(const struct hp_host *h)
{
	struct hp_host *host = &hp_node_of(h)->host;
	host->udp = try_udp;
	host->udp_send = try_udp_send;
	host->file = try_file;
	host->file_write = try_file_write;
	host->file_close = try_file_close;
}
static int open_module(void *self, const struct hp_host *h)
{
	give_host(h);
	hp_try_at("open");
	int r = try.real_module->open ? try.real_module->open(self, h) : 0;
	hp_try_at("");
	return r;
}
static int open_encoder(void *self, const struct hp_host *h)
{
	hp_try_at("open");
	int r = try.real_encoder->open ? try.real_encoder->open(self, h) : 0;
	hp_try_at("");
	return r;
}
static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	static bool more; /* the same sample again */
	if (!more)
		sample_comes(s);
	hp_try_at("encode");
	int n = try.real_encoder->encode(self, s, from, buf, cap);
	hp_try_at("");
	int size = n > 0 ? n & ~HP_MORE : n;
	if (size > 0 && (size_t)size > cap) {
		try.failed++;
		if (try.moved && show())
			printf("  encode() says it wrote %d bytes; the buffer has %zu\n", size, cap);
		return -EOVERFLOW;
	}
	more = n > 0 && n & HP_MORE;
	if (n < 0)
		tell_failure("encode", n);
	else if (n == 0 && try.moved && show())
		puts("  nothing to send");
	return n;
}
static int write_sample(void *self, const struct hp_sample *s)
{
	sample_comes(s);
	hp_try_at("write");
	int n = try.real_module->write(self, s);
	hp_try_at("");
	if (n < 0)
		tell_failure("write", n);
	return n;
}
/* Two quaternions of the same rotation, give or take what a filter may round. */
static bool same_rotation(const double a[4], const double b[4])
{
	double aa = 0, bb = 0, ab = 0;
	for (int i = 0; i < 4; i++) {
		aa += a[i] * a[i];
		bb += b[i] * b[i];
		ab += a[i] * b[i];
	}
	return ab * ab >= aa * bb * (1 - 1e-9);
}
/* quat is the master form; a filter that turns only ypr or rotvec has turned nothing for whoever reads quat. */
static void check_forms(const struct hp_sample *before, const struct hp_sample *s)
{
	static bool told;
	double ypr[4], rotvec[4];
	hp_frame_quat_from_ypr(s->ypr, ypr);
	hp_quat_from_rotvec(s->rotvec, rotvec);
	bool bad_ypr = s->flags & HP_YPR && !same_rotation(ypr, s->quat);
	bool bad_rotvec = s->flags & HP_ROTVEC && !same_rotation(rotvec, s->quat);
	if (!bad_ypr && !bad_rotvec)
		return;
	try.failed++;
	if (told)
		return;
	told = true;
	const char *form = bad_ypr ? "ypr[]" : "rotvec[]", *flag = bad_ypr ? "HP_YPR" : "HP_ROTVEC";
	sample_line();
	if (!memcmp(before->quat, s->quat, sizeof s->quat))
		printf("  filter() turns %s and leaves quat[] as it was: quat is the master form, so nothing is "
		       "turned; write "
		       "quat[] and clear HP_ROTVEC | HP_YPR\n",
		       form);
	else
		printf("  filter() turns quat[] and leaves %s set, but %s is that of the old pose: clear HP_ROTVEC | "
		       "HP_YPR\n",
		       flag, form);
}
/* A result that the host would have to drop, or that no receiver can use. */
static void check_pose(int r, const struct hp_sample *s)
{
	static bool told;
	double length2 = 0;
	const char *what = NULL;
	for (int i = 0; i < 4; i++)
		length2 += s->quat[i] * s->quat[i];
	if (r < 0 || r > HP_DROP)
		what = "filter() returns neither HP_KEEP (0), HP_DROP (1) nor success: the sample is lost";
	else if (r == HP_KEEP && !hp_sample_finite(s))
		what = "filter() makes a number that is not finite: the sample is dropped and the filter reset";
	else if (r == HP_KEEP && !(length2 > 0.999 && length2 < 1.001))
		what = "filter() leaves a quat[] that is not of unit length: scale it by 1 / its length";
	if (!what)
		return;
	try.failed++;
	if (told)
		return;
	told = true;
	sample_line();
	printf("  %s%s", what, r < 0 ? "" : "\n");
	if (r < 0)
		printf(" (%d, %s)\n", r, strerror(-r));
}
static int filter(void *self, struct hp_sample *s)
{
	double ypr[3];
	struct hp_sample before = *s;
	sample_comes(s);
	hp_try_at("filter");
	int r = try.real_module->filter(self, s);
	hp_try_at("");
	check_pose(r, s);
	if (r == HP_KEEP && hp_sample_finite(s))
		check_forms(&before, s);
	if (try.moved && show()) {
		hp_quat_to_ypr(s->quat, ypr);
		if (r == HP_KEEP)
			printf("  becomes yaw %+.2f pitch %+.2f roll %+.2f\n", ypr[0], ypr[1], ypr[2]);
		else
			puts(r == HP_DROP ? "  is dropped" : "  fails");
	}
	return r;
}
/* A transport of headpipe's own would reach out (connect, start a child): it is not opened, its bytes are shown. */
static int shown_send(void *self, const void *data, size_t size)
{
	(void)self;
	message("message", data, size);
	return 0;
}
/* Behind an input under test: what it gave, in order. */
static int take(void *self, const struct hp_sample *s)
{
	(void)self;
	sample_comes(s);
	sample_line();
	if (++try.shown == try.want)
		hp_life_stop(try.node->run); /* a live device never ends by itself */
	return 0;
}
void hp_try_front(struct hp_run *run, uint64_t want)
{
	try.want = want;
	for (size_t i = 0; i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i];
		if (!strcmp(n->name, "show")) { /* the output behind an input or a filter */
			try.node = n;
			try.module = *n->module;
			if (n->up->kind == HP_INPUT) {
				try.module.write = take;
				n->module = &try.module;
			}
			continue;
		}
		if (strcmp(n->name, "try") || n->kind == HP_INPUT)
			continue;
		static struct hp_module front, front_encoder;
		try.real_module = n->module;
		front = *n->module;
		front.open = open_module;
		if (front.write)
			front.write = write_sample;
		if (front.filter)
			front.filter = filter;
		if (front.send && !hp_module_file(n->module)) {
			static const struct hp_module none;
			front.send = shown_send;
			front.open = none.open;
			front.event = none.event;
			front.raw = none.raw;
			front.changed = none.changed;
			front.reset = none.reset;
			front.command = none.command;
			front.stop = none.stop;
			front.close = none.close;
		}
		n->module = &front;
		try.real_encoder = n->encoder;
		if (n->encoder) {
			front_encoder = *n->encoder;
			front_encoder.open = open_encoder;
			front_encoder.encode = encode;
			n->encoder = &front_encoder;
		}
	}
}

bool hp_try_summary(enum hp_kind kind)
{
	unsigned long long samples = hp_try_progress->samples, messages = try.messages;
	if (try.bytes && try.smallest == try.largest)
		printf("%llu samples, %llu messages of %llu bytes\n", samples, messages,
		       (unsigned long long)try.largest);
	else if (try.bytes)
		printf("%llu samples, %llu messages of %llu to %llu bytes\n", samples, messages,
		       (unsigned long long)try.smallest, (unsigned long long)try.largest);
	else
		printf("%llu samples%s\n", samples,
		       kind == HP_OUTPUT || kind == HP_ENCODER ? "; nothing came through the host's datagrams and files"
		                                               : "");
	if (try.failed)
		printf("%llu samples failed\n", (unsigned long long)try.failed);
	return try.failed;
}
