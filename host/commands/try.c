/* SPDX-License-Identifier: MIT
 * try.c - `headpipe try`: runs one module on a recording and shows what it would send, without sending it.
 *
 * The pipeline is a real one; only the module under test gets a host whose sockets and files print (try/front.c). It
 * runs in a child process: a module that crashes is named and takes nothing with it. */
#include "base/alloc.h"
#include "base/log.h"
#include "base/place.h"
#include "commands/shared/load.h"
#include "commands/try/front.h"
#include "graph/graph.h"
#include "graph/modules.h"
#include "run/life.h"
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

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
	const char *colon = strrchr(a->module, ':'); /* FILE:NAME, one of several */
	size_t len = colon && access(a->module, F_OK) ? (size_t)(colon - a->module) : n;
	if (strchr(a->module, '/') || (len > 3 && !strncmp(a->module + len - 3, ".so", 3))) {
		char file[PATH_MAX];
		snprintf(file, sizeof file, "%.*s", (int)len, a->module);
		if (!realpath(file, path)) {
			fprintf(stderr, "headpipe try: %s: %s\n", file, strerror(errno));
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
		for (size_t i = l->n; i--;)
			if (len == n || !strcmp(l->modules[i]->name, colon + 1))
				a->kind = (enum hp_kind)l->modules[i]->kind;
		snprintf(path + strlen(path), PATH_MAX - strlen(path), "%s", a->module + len);
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
		hp_try_front(&run, (uint64_t)a->want);
		if (hp_life_open(&run) < 0)
			run.exit_code = 1;
		else
			hp_life_run(&run);
		hp_life_end(&run);
		status = run.exit_code;
		if (hp_try_summary(a->kind))
			status = 1;
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
	hp_try_progress =
	    mmap(NULL, sizeof *hp_try_progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (hp_try_progress == MAP_FAILED)
		return 1;
	fflush(NULL);
	pid_t child = fork();
	if (child == 0) {
		setvbuf(stdout, NULL, _IOLBF, 0); /* what came before a crash is seen */
		hp_try_at("load");
		status = find_module(a, path);
		hp_try_at("");
		if (!status)
			status = run_it(a, path);
		fflush(NULL);
		exit(status);
	}
	if (child < 0 || waitpid(child, &status, 0) < 0) {
		fprintf(stderr, "headpipe try: %s\n", strerror(errno));
		return 1;
	}
	if (WIFEXITED(status) && !*hp_try_progress->where)
		return WEXITSTATUS(status);
	bool hangs = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM && *hp_try_progress->where;
	fprintf(stderr, "headpipe try: %s: the module %s%s%s%s at sample %llu: %s\n", a->module,
	        WIFEXITED(status) ? "ended the program"
	        : hangs           ? "hangs"
	                          : "crashed",
	        *hp_try_progress->where ? " in " : "", hp_try_progress->where, *hp_try_progress->where ? "()" : "",
	        (unsigned long long)hp_try_progress->samples,
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
