/* SPDX-License-Identifier: MIT
 * trial.c - `headpipe trial`: the numbers of a sample. */
#include "commands/shared/command.h"
#include "sample/sample.h"
#include <stdio.h>

struct arguments {
	bool appended;
};
static const struct hp_arg arguments[] = {
	HP_ARG("--appended", HP_OPT_BOOL(struct arguments, appended, "no", "only those that came later")),
	HP_ARG_END,
};

static int trial(void *state)
{
	const struct arguments *a = state;
#define HP_SAMPLE_FIELD(member, kind, cell, name, ...) \
	if (!a->appended)                              \
		puts(#name);
#include "sample/fields.def"
#define HP_SAMPLE_APPENDED(member, kind, cell, name, ...) puts(#name);
#include "sample/fields.def"
	return 0;
}

const struct hp_command hp_command_trial = {
	.name = "trial",
	.summary = "names of the numbers of a sample",
	.arguments = arguments,
	.state_size = sizeof(struct arguments),
	.run = trial,
};
