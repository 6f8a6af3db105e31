/* SPDX-License-Identifier: MIT
 * command.c - runs one command: its arguments, its help, and what is wrong with its usage. */
#include "arguments.h"
#include "base/alloc.h"
#include "help.h"
#include <stdarg.h>
#include <stdlib.h>

int hp_usage_error(const struct hp_command *c, const char *fmt, ...)
{
	char usage[1000];
	va_list ap;
	fprintf(stderr, "headpipe %s: ", c->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	hp_arguments_usage(c, usage, sizeof usage);
	fprintf(stderr, "\nusage: headpipe %s\n", usage);
	return 2;
}

int hp_run_command(const struct hp_command *c, int argc, char **argv)
{
	struct hp_values values = { 0 };
	char why[HP_ARGUMENTS_WHY];
	void *state = hp_need(calloc(1, c->state_size + 1));
	int code = hp_arguments_read(c, argc, argv, state, &values, why, sizeof why), status = 0;
	if (code < 0)
		status = hp_usage_error(c, "%s", why);
	else if (code)
		hp_help_print(c);
	else
		status = c->run(state);
	hp_values_free(&values);
	free(state);
	return status;
}
