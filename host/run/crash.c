/* SPDX-License-Identifier: MIT
 * crash.c - names the shared object in whose code, or below whose code, a fatal signal came.
 *
 * A module shares headpipe's memory, so nothing can be saved here; but the user learns which file to take out. Costs
 * nothing while nothing crashes. */
#define _GNU_SOURCE /* dladdr */
#include "crash.h"
#include "graph/modules.h"
#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

enum { FRAMES = 48 };
static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };

static void say(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

static void on_crash(int number)
{
	void *frames[FRAMES];
	int n = backtrace(frames, FRAMES);
	for (int i = 0; i < n; i++) {
		Dl_info info;
		if (!dladdr(frames[i], &info) || !info.dli_fname || !hp_module_is_file(info.dli_fname))
			continue;
		say("headpipe: error: crashed in the module ");
		say(info.dli_fname);
		if (info.dli_sname) {
			say(", function ");
			say(info.dli_sname);
		}
		say("; take it out of the ini, or try it alone with `headpipe try`\n");
		break;
	}
	raise(number); /* the handler is gone by now: the usual end, with a core file where wanted */
}

void hp_crash_watch(void)
{
	static char stack[64 * 1024]; /* the crash may be a stack that ran over */
	stack_t s = { .ss_sp = stack, .ss_size = sizeof stack };
	struct sigaction a = { .sa_handler = on_crash, .sa_flags = SA_RESETHAND | SA_ONSTACK | SA_NODEFER };
	void *frames[2];
	if (!hp_module_is_file(NULL))
		return;
	backtrace(frames, 2); /* loads what it needs now and not in the middle of a crash */
	sigaltstack(&s, NULL);
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		sigaction(signals[i], &a, NULL);
}

#else
void hp_crash_watch(void)
{
}
#endif
