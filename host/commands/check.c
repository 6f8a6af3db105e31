/* SPDX-License-Identifier: MIT
 * check.c - `headpipe check`: the tree of a configuration, or everything that is wrong with it. Starts nothing. */
#include "commands/shared/load.h"
#include "graph/graph.h"

struct check {
	struct hp_texts files, assignments;
};

static const struct hp_arg arguments[] = {
	HP_ARG("FILE", HP_OPT_TEXTS(struct check, files, 1, 1000, "an ini file")),
	HP_ARG("-s", HP_OPT_TEXTS(struct check, assignments, 0, 256, "sets an option as if it stood in the file"),
	       .value = "section.key=value"),
	HP_ARG_END,
};

static int check(void *state)
{
	const struct check *a = state;
	struct hp_run run = { 0 };
	struct hp_config config = { 0 };
	int status = hp_load(&run, &config, &a->files, &a->assignments, "nothing was started");
	if (!status)
		hp_graph_print(&run, stdout);
	hp_unload(&run, &config);
	return status;
}

const struct hp_command hp_command_check = {
	.name = "check",
	.summary = "print a configuration's tree, or what is wrong with it",
	.arguments = arguments,
	.state_size = sizeof(struct check),
	.run = check,
};
