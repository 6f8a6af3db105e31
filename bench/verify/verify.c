/* SPDX-License-Identifier: MIT
 * verify.c - hp_text_9g and hp_text_f3 against the C library's printf on random bit patterns, one process per
 * processor. headpipe-verify [PATTERNS [SEED]]; 100 million by default, of each form. Exit 1 when any text differs. */
#include "../../tests/plain/random.h"
#include "number/number.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct outcome {
	long compared, differ, not_finite;
};

static bool differs(double v, const char *form, const char *want, int want_size, const char *got, size_t size)
{
	if ((size_t)want_size == size && memcmp(want, got, size) == 0)
		return false;
	printf("%s of %a: %.*s instead of %s\n", form, v, (int)size, got, want);
	return true;
}

static void work(struct outcome *o, long patterns, uint64_t state)
{
	char want[400], got[HP_F3_MAX + 8];
	while (o->compared + o->not_finite < patterns) {
		uint64_t bits = random_next(&state);
		double v;
		memcpy(&v, &bits, sizeof v);
		if (!isfinite(v)) {
			o->not_finite++;
			continue;
		}
		int n = snprintf(want, sizeof want, "%.9g", v);
		bool bad = differs(v, "%.9g", want, n, got, hp_text_9g(v, got));
		n = snprintf(want, sizeof want, "%.3f", v);
		bad |= differs(v, "%.3f", want, n, got, hp_text_f3(v, got));
		o->compared++;
		o->differ += bad;
	}
}

static long argument(int argc, char **argv, int i, long without)
{
	if (i >= argc)
		return without;
	char *end;
	errno = 0;
	long v = strtol(argv[i], &end, 10);
	if (errno || *end || end == argv[i] || v < 1) {
		fprintf(stderr, "usage: headpipe-verify [PATTERNS [SEED]]\n");
		exit(2);
	}
	return v;
}

int main(int argc, char **argv)
{
	enum { WORKERS = 64 };
	long patterns = argument(argc, argv, 1, 100000000), seed = argument(argc, argv, 2, 1);
	long workers = sysconf(_SC_NPROCESSORS_ONLN);
	if (workers < 1 || workers > WORKERS)
		workers = workers < 1 ? 1 : WORKERS;
	struct outcome *o = mmap(NULL, WORKERS * sizeof *o, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0),
	               all = { 0 };
	if (o == MAP_FAILED) {
		perror("headpipe-verify");
		return 2;
	}
	for (long i = 0; i < workers; i++) {
		pid_t pid = fork();
		if (pid < 0) {
			perror("headpipe-verify");
			return 2;
		}
		if (pid == 0) {
			work(&o[i], patterns / workers + (i < patterns % workers),
			     (uint64_t)seed * 1000003 + (uint64_t)i);
			fflush(stdout);
			_exit(0);
		}
	}
	int status, failed = 0;
	while (wait(&status) > 0)
		failed += status != 0;
	for (long i = 0; i < workers; i++) {
		all.compared += o[i].compared;
		all.differ += o[i].differ;
		all.not_finite += o[i].not_finite;
	}
	printf("%%.9g and %%.3f of %ld random bit patterns (and %ld that are not finite): %ld differ from printf\n",
	       all.compared, all.not_finite, all.differ);
	return failed || all.differ || all.compared + all.not_finite != patterns;
}
