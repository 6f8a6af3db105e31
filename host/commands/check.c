/* SPDX-License-Identifier: MIT
 * check.c - `headpipe check`: the tree of a configuration, or everything that is wrong with it. Starts nothing. */
#include "commands.h"
#include "graph/graph.h"
#include <string.h>

int cmd_check(int argc, char **argv)
{
	struct hp_run run = { 0 };
	struct hp_config config = { 0 };
	const char *assignments[256];
	size_t nfiles = 0, nassignments = 0;
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "-s")) {
			if (i + 1 == argc || nassignments == 256)
				return hp_usage_error("check", "-s needs section.key=value");
			assignments[nassignments++] = argv[++i];
		} else if (*argv[i] == '-') {
			return hp_usage_error("check", "unknown option %s", argv[i]);
		} else {
			argv[nfiles++] = argv[i];
		}
	}
	if (!nfiles)
		return hp_usage_error("check", "which file?");
	int status = hp_load(&run, &config, argv, nfiles, assignments, nassignments, "nothing was started");
	if (!status)
		hp_graph_print(&run, stdout);
	hp_unload(&run, &config);
	return status;
}
