/* SPDX-License-Identifier: MIT
 * check.c - `headpipe check`: the tree of a configuration, or everything that is wrong with it. Starts nothing. */
#include "commands/shared/load.h"
#include "graph/advice.h"
#include "graph/graph.h"
#include "graph/ini.h"
#include "run/again.h"

struct check {
	struct hp_texts files, assignments;
};

static const struct hp_arg arguments[] = {
	HP_ARG("FILE", HP_OPT_TEXTS(struct check, files, 1, 1000, "an ini file")),
	HP_ARG("-s", HP_OPT_TEXTS(struct check, assignments, 0, 256, "sets an option as if it stood in the file"),
	       .value = "section.key=value"),
	HP_ARG_END,
};

/* The only output is tried again only where its section says so in so many words, see goes_on_without() in life.c. */
static void say_again(const struct hp_run *run)
{
	size_t outputs = 0;
	for (size_t i = 0; i < run->nnodes; i++)
		outputs += run->nodes[i]->kind == HP_OUTPUT;
	for (size_t i = 0; i < run->nnodes; i++) {
		const struct hp_node *n = run->nodes[i];
		if (n->kind != HP_OUTPUT)
			continue;
		bool said = hp_section_get(n->ini->section, "on_error") != NULL;
		if (hp_again_would(n)) {
			if (said || outputs > 1)
				printf("%s: when it cannot be opened the others go on, and it is tried again\n",
				       n->name);
		} else if (n->ini->keys.on_error == HP_ON_ERROR_STOP) {
			printf("%s: when it cannot be opened nothing is started; when it fails the run ends\n",
			       n->name);
		} else if (said) {
			printf("%s: cannot be tried again when it cannot be opened; nothing is started then\n",
			       n->name);
		}
	}
}

static void print_advice(const struct hp_node *n, enum hp_level level, const char *text)
{
	printf("%s%s: %s\n", level == HP_LOG_WARN ? "warning: " : "", n->who, text);
}

static int check(void *state)
{
	const struct check *a = state;
	struct hp_run run = { 0 };
	struct hp_config config = { 0 };
	int status = hp_load(&run, &config, &a->files, &a->assignments, "nothing was started");
	if (!status) {
		hp_graph_print(&run, stdout);
		say_again(&run);
		hp_advise(&run, print_advice);
	}
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
