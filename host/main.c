/* SPDX-License-Identifier: MIT
 * main.c - finds the command and runs it. */
#include "base/suggest.h"
#include "commands/shared/table.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Started with a closed standard stream (>&-), the next file or socket would take its number: libuv aborts when it
 * closes such a one, and messages would go into somebody's data. */
static void open_standard_streams(void)
{
	int fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = dup(fd);
	if (fd >= 0)
		close(fd);
}

/* What was printed and did not arrive (a full disk) is a failure; a reader that has seen enough (`| head`) is none. */
static int printed(int status)
{
	if (fflush(stdout) == 0 || errno == EPIPE || status)
		return status;
	fprintf(stderr, "headpipe: standard output: %s\n", strerror(errno));
	return 1;
}

static int dispatch(int argc, char **argv)
{
	const char *names[sizeof commands / sizeof *commands];
	size_t n = 0;
	const char *name = argc > 1 ? argv[1] : "help";
	if (!strcmp(name, "--help") || !strcmp(name, "-h"))
		name = "help";
	else if (!strcmp(name, "--version") || !strcmp(name, "-V"))
		name = "version";
	for (const struct hp_command *const *c = commands; *c; c++) {
		names[n++] = (*c)->name;
		if (strcmp((*c)->name, name) != 0)
			continue;
		int status = hp_run_command(*c, argc > 1 ? argc - 1 : argc, argc > 1 ? argv + 1 : argv);
		return argc > 1 ? status : 2; /* nothing was asked for */
	}
	const char *guess = hp_suggest(name, names, n);
	fprintf(stderr, "headpipe: no command `%s`%s%s%s (`headpipe help` lists them)\n", name,
	        guess ? "; did you mean `" : "", guess ? guess : "", guess ? "`?" : "");
	return 2;
}

int main(int argc, char **argv)
{
	open_standard_streams();
	/* a closed pipe, a file as long as it may be: errors of one write, not the end of everything */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return printed(dispatch(argc, argv));
}
