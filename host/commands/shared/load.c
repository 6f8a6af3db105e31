/* SPDX-License-Identifier: MIT
 * load.c - ini files named on a command line to a graph, with every error printed. */
#include "load.h"
#include "graph/graph.h"
#include <stdio.h>

int hp_load(struct hp_run *run, struct hp_config *config, const struct hp_texts *files,
            const struct hp_texts *assignments, const char *closing)
{
	struct hp_errors errors = { 0 };
	for (size_t i = 0; i < files->n; i++)
		hp_config_read(config, files->at[i], &errors);
	for (size_t i = 0; i < assignments->n; i++)
		hp_config_set(config, assignments->at[i], &errors);
	/* sections that could be read are checked too, so that all errors come at once */
	hp_graph_build(run, config, &errors);
	int count = errors.count;
	if (count) {
		fputs(errors.text ? errors.text : "", stderr);
		if (count > HP_ERRORS_MAX)
			fprintf(stderr, "... and %d more\n", count - HP_ERRORS_MAX);
		fprintf(stderr, "headpipe: %d error%s in %s%s; %s\n", count, count == 1 ? "" : "s", files->at[0],
		        files->n > 1 ? " and the others" : "", closing);
	}
	hp_errors_free(&errors);
	return count ? 2 : 0;
}

void hp_unload(struct hp_run *run, struct hp_config *config)
{
	hp_graph_free(run);
	hp_config_free(config);
}
