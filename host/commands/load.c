/* SPDX-License-Identifier: MIT
 * load.c - ini files named on a command line to a graph, with every error printed. */
#include "commands.h"
#include "graph/graph.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int hp_usage_error(const char *command, const char *fmt, ...)
{
	va_list ap;
	fprintf(stderr, "headpipe %s: ", command);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	for (const struct hp_command *c = hp_commands; c->name; c++)
		if (!strcmp(c->name, command))
			fprintf(stderr, "usage: headpipe %s\n", c->usage);
	return 2;
}

int hp_load(struct hp_run *run, struct hp_config *config, char *const *files, size_t nfiles,
            const char *const *assignments, size_t nassignments, const char *closing)
{
	struct hp_errors errors = { 0 };
	for (size_t i = 0; i < nfiles; i++)
		hp_config_read(config, files[i], &errors);
	for (size_t i = 0; i < nassignments; i++)
		hp_config_set(config, assignments[i], &errors);
	/* sections that could be read are checked too, so that all errors come at once */
	hp_graph_build(run, config, &errors);
	int count = errors.count;
	if (count) {
		fputs(errors.text ? errors.text : "", stderr);
		if (count > HP_ERRORS_MAX)
			fprintf(stderr, "... and %d more\n", count - HP_ERRORS_MAX);
		fprintf(stderr, "headpipe: %d error%s in %s%s; %s\n", count, count == 1 ? "" : "s", files[0],
		        nfiles > 1 ? " and the others" : "", closing);
	}
	hp_errors_free(&errors);
	return count ? 2 : 0;
}

void hp_unload(struct hp_run *run, struct hp_config *config)
{
	hp_graph_free(run);
	hp_config_free(config);
}
