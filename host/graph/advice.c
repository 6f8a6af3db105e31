/* SPDX-License-Identifier: MIT
 * advice.c - what is allowed in a configuration and probably not meant; see advice.h. */
#include "advice.h"
#include <string.h>

/* Filters that spoil each other, wherever both stand on one branch. */
static const struct {
	const char *above, *below, *why;
} pairs[] = {
	{ "orientation", "kalman",
	  "stands below `orientation`: what that smooths away kalman cannot bring back, and the gyroscope no longer "
	  "turns as "
	  "the pose does; use `mount` and `center` instead (docs/pose.md)" },
};

static void advise_place(const struct hp_node *n, void (*say)(const struct hp_node *, enum hp_level, const char *text))
{
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		const struct hp_node *up = n->up;
		if (n->kind != HP_FILTER || strcmp(n->module->name, pairs[i].below) != 0)
			continue;
		while (up && (up->kind != HP_FILTER || strcmp(up->module->name, pairs[i].above) != 0))
			up = up->up;
		if (up)
			say(n, HP_LOG_WARN, pairs[i].why);
	}
}

static void advise_options(const struct hp_node *n, const struct hp_module *m, const void *state,
                           void (*say)(const struct hp_node *, enum hp_level, const char *text))
{
	const char *key = NULL;
	char why[800] = "";
	if (m && m->check && !m->check(state, &key, why, sizeof why) && *why)
		say(n, HP_LOG_INFO, why);
}

void hp_advise(const struct hp_run *run, void (*say)(const struct hp_node *, enum hp_level, const char *text))
{
	for (size_t i = 0; i < run->nnodes; i++) {
		const struct hp_node *n = run->nodes[i];
		advise_options(n, n->module, n->state, say);
		advise_options(n, n->encoder, n->encoder_state, say);
		advise_place(n, say);
	}
}
