/* SPDX-License-Identifier: MIT
 * try.c - `headpipe try`: runs one module on a recording and shows what it would send, without sending it.
 *
 * The pipeline is a real one; only the module under test gets a host whose sockets and files print. It runs in a child
 * process: a module that crashes is named and takes nothing with it. */
#include "base/alloc.h"
#include "base/log.h"
#include "base/place.h"
#include "base/utf8.h"
#include "commands/shared/load.h"
#include "graph/graph.h"
#include "graph/modules.h"
#include "pose/pose.h"
#include "run/life.h"
#include "run/services.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHOWN_BYTES = 256, HANGS_SECONDS = 10 };

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
/* Shared with the parent, which tells where a crash was. */
static struct progress {
	uint64_t samples;
	char where[16];
} * progress;

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
	try.moved = !progress->samples;
	for (int i = 0; i < 3; i++)
		try.moved |= fabs(try.angles[i] - try.shown_at[i]) >= 10;
	progress->samples++;
}
static void sample_line(void)
{
	if (!progress->samples || try.printed) /* nothing came yet: a header of a file */
		return;
	try.printed = true;
	memcpy(try.shown_at, try.angles, sizeof try.shown_at);
	printf("sample %llu, time %.3f s: yaw %+.2f pitch %+.2f roll %+.2f\n", (unsigned long long)try.sample.seq,
	       (double)try.sample.time_ns / 1e9, try.angles[0], try.angles[1], try.angles[2]);
}
/* Whether the next thing is shown; what a module does only now and then always is. */
static bool show(void)
{
	if (try.shown >= try.want || !(try.moved || try.messages * 4 < progress->samples))
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

/* Empty: outside the module. Inside it, a clock runs whose signal ends the process. */
static void at(const char *where)
{
	snprintf(progress->where, sizeof progress->where, "%s", where);
	alarm(*where ? HANGS_SECONDS : 0);
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
	at("open");
	int r = try.real_module->open ? try.real_module->open(self, h) : 0;
	at("");
	return r;
}
static int open_encoder(void *self, const struct hp_host *h)
{
	at("open");
	int r = try.real_encoder->open ? try.real_encoder->open(self, h) : 0;
	at("");
	return r;
}
static int encode(void *self, const struct hp_sample *s, const struct hp_stream *from, void *buf, size_t cap)
{
	sample_comes(s);
	at("encode");
	int n = try.real_encoder->encode(self, s, from, buf, cap);
	at("");
	if (n > 0 && (size_t)n > cap) {
		try.failed++;
		if (try.moved && show())
			printf("  encode() says it wrote %d bytes; the buffer has %zu\n", n, cap);
		return -EOVERFLOW;
	}
	if (n < 0)
		tell_failure("encode", n);
	else if (n == 0 && try.moved && show())
		puts("  nothing to send");
	return n;
}
static int write_sample(void *self, const struct hp_sample *s)
{
	sample_comes(s);
	at("write");
	int n = try.real_module->write(self, s);
	at("");
	if (n < 0)
		tell_failure("write", n);
	return n;
}
static int filter(void *self, struct hp_sample *s)
{
	double ypr[3];
	sample_comes(s);
	at("filter");
	int r = try.real_module->filter(self, s);
	at("");
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
static void wrap(struct hp_run *run)
{
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

/* ---- the command --------------------------------------------------------------------------------- */

struct arguments {
	struct hp_texts words, sets;
	const char *module, *file;
	enum hp_kind kind; /* 0 = find out */
	int64_t want;
};

static const struct hp_arg arguments[] = {
	HP_ARG("MODULE",
	       HP_OPT_TEXTS(struct arguments, words, 1, 3,
	                    "MODULE: a file (demo/demo.so) or a name (osc), KIND where several have it; FILE: the "
	                    "recording, else the bundled one"),
	       .value = "[KIND] MODULE [FILE]"),
	HP_ARG("-n",
	       HP_OPT_INT(struct arguments, want, "3", 1, 1e9,
	                  "how many messages are shown; the whole recording is run in any case"),
	       .value = "COUNT"),
	HP_ARG("-s", HP_OPT_TEXTS(struct arguments, sets, 0, 256, "an option of the module, and of its encoder"),
	       .value = "key=value"),
	HP_ARG_END,
};

extern const struct hp_command hp_command_try;

static int sort_words(struct arguments *a)
{
	const char *const *words = a->words.at;
	size_t n = a->words.n, first = n > 1 && hp_kind_from_word(words[0]) ? 1 : 0;
	a->kind = first ? hp_kind_from_word(words[0]) : (enum hp_kind)0;
	if (n - first > 2)
		return hp_usage_error(&hp_command_try, "one argument too many: %s", words[n - 1]);
	a->module = words[first];
	a->file = n - first == 2 ? words[first + 1] : NULL;
	return 0;
}
/* A file name becomes an absolute one, since a slash is what makes it a file; a plain name is looked up. */
static int find_module(struct arguments *a, char path[PATH_MAX])
{
	static const enum hp_kind order[] = { HP_ENCODER, HP_OUTPUT, HP_FILTER, HP_INPUT };
	char why[2048] = "";
	bool missing = false;
	size_t n = strlen(a->module);
	if (strchr(a->module, '/') || (n > 3 && !strcmp(a->module + n - 3, ".so"))) {
		if (!realpath(a->module, path)) {
			fprintf(stderr, "headpipe try: %s: %s\n", a->module, strerror(errno));
			return 1;
		}
		if (strpbrk(path, "\"\\\n")) {
			fprintf(stderr,
			        "headpipe try: %s: a quote, a backslash or a newline in a path is too much here\n",
			        path);
			return 1;
		}
		const struct hp_loaded *l = hp_module_load(path, why, sizeof why);
		if (!l) {
			fprintf(stderr, "headpipe try: %s\n", why);
			return 1;
		}
		a->kind = (enum hp_kind)l->modules[0]->kind;
		return 0;
	}
	snprintf(path, PATH_MAX, "%s", a->module);
	for (size_t i = 0; i < 4; i++)
		if ((!a->kind || a->kind == order[i]) &&
		    hp_module_find(order[i], a->module, &missing, why, sizeof why)) {
			a->kind = order[i];
			return 0;
		}
	fprintf(stderr, "headpipe try: %s: %s%s\n", a->module, missing ? "no such module; searched: " : "", why);
	return 1;
}
static int load(const struct arguments *a, const char *module, struct hp_run *run, struct hp_config *config)
{
	char ini[3 * PATH_MAX], recording[PATH_MAX] = "";
	struct hp_errors errors = { 0 };
	bool there = a->file ? realpath(a->file, recording) != NULL : hp_place_recording(recording, sizeof recording);
	if (a->file && !there) {
		fprintf(stderr, "headpipe try: %s: %s\n", a->file, strerror(errno));
		return 1;
	}
	size_t n = 0;
#define ADD(...) n += (size_t)snprintf(ini + n, sizeof ini - n, __VA_ARGS__)
	if (a->kind == HP_INPUT)
		ADD("[input try]\nuse = \"%s\"\n", module);
	else if (there)
		ADD("[input recording]\nuse = replay\npath = \"%s\"\nspeed = 0\n[filter pose]\nuse = orientation\n",
		    recording);
	else /* installed without its recording */
		ADD("[input motion]\nuse = synth\nspeed = 0\nduration = 20s\n");
	if (a->kind == HP_ENCODER)
		ADD("[output try]\nuse = udp\nto = 127.0.0.1:9\nencoding = \"%s\"\n", module);
	else if (a->kind == HP_OUTPUT)
		ADD("[output try]\nuse = \"%s\"\n", module);
	else if (a->kind == HP_FILTER)
		ADD("[filter try]\nuse = \"%s\"\n", module);
	if (a->kind == HP_INPUT || a->kind == HP_FILTER)
		ADD("[output show]\nuse = null\n");
#undef ADD
	hp_config_parse(config, ini, n, "try", &errors);
	for (size_t i = 0; i < a->sets.n; i++) {
		size_t room = strlen(a->sets.at[i]) + sizeof "try.";
		char *set = hp_need(malloc(room));
		snprintf(set, room, "try.%s", a->sets.at[i]);
		hp_config_set(config, set, &errors);
		free(set);
	}
	hp_graph_build(run, config, &errors);
	int count = errors.count;
	if (count)
		fputs(errors.text ? errors.text : "", stderr);
	hp_errors_free(&errors);
	return count ? 2 : 0;
}
static int run_it(const struct arguments *a, const char *module)
{
	struct hp_run run = { 0 };
	struct hp_config config = { 0 };
	int status = load(a, module, &run, &config);
	if (!status) {
		run.quiet = true;
		hp_log_level(HP_LOG_WARN);
		wrap(&run);
		if (hp_life_open(&run) < 0)
			run.exit_code = 1;
		else
			hp_life_run(&run);
		hp_life_end(&run);
		status = run.exit_code;
		if (try.bytes && try.smallest == try.largest)
			printf("%llu samples, %llu messages of %llu bytes\n", (unsigned long long)progress->samples,
			       (unsigned long long)try.messages, (unsigned long long)try.largest);
		else if (try.bytes)
			printf("%llu samples, %llu messages of %llu to %llu bytes\n",
			       (unsigned long long)progress->samples, (unsigned long long)try.messages,
			       (unsigned long long)try.smallest, (unsigned long long)try.largest);
		else
			printf("%llu samples%s\n", (unsigned long long)progress->samples,
			       a->kind == HP_OUTPUT || a->kind == HP_ENCODER
			           ? "; nothing came through the host's datagrams and files"
			           : "");
		if (try.failed) {
			printf("%llu samples failed\n", (unsigned long long)try.failed);
			status = 1;
		}
	}
	hp_unload(&run, &config);
	return status;
}
static int try_command(void *state)
{
	struct arguments *a = state;
	char path[PATH_MAX];
	int status = sort_words(a);
	if (status)
		return status;
	try.want = (uint64_t)a->want;
	progress = mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED)
		return 1;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		setvbuf(stdout, NULL, _IOLBF, 0); /* what came before a crash is seen */
		at("load");
		status = find_module(a, path);
		at("");
		if (!status)
			status = run_it(a, path);
		fflush(NULL);
		exit(status);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		fprintf(stderr, "headpipe try: %s\n", strerror(errno));
		return 1;
	}
	if (WIFEXITED(status) && !*progress->where)
		return WEXITSTATUS(status);
	bool hangs = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM && *progress->where;
	fprintf(stderr, "headpipe try: %s: the module %s%s%s%s at sample %llu: %s\n", a->module,
	        WIFEXITED(status) ? "ended the program"
	        : hangs           ? "hangs"
	                          : "crashed",
	        *progress->where ? " in " : "", progress->where, *progress->where ? "()" : "",
	        (unsigned long long)progress->samples,
	        WIFEXITED(status) ? "exit() is not its business"
	        : hangs           ? "no return for 10 s"
	                          : strsignal(WTERMSIG(status)));
	return 1;
}

const struct hp_command hp_command_try = {
	.name = "try",
	.summary = "run one module on a recording and show what it would send",
	.arguments = arguments,
	.help = "Nothing is sent or written: the module's datagrams and file records are shown as hex and text. A "
	        "module that\n"
	        "crashes is named. Filters show the angles before and after, inputs the samples that they give.\n",
	.state_size = sizeof(struct arguments),
	.run = try_command,
};
