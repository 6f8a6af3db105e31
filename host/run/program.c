/* SPDX-License-Identifier: MIT
 * program.c - the tree below an input, compiled.
 *
 * It becomes a flat array of steps, depth first. Filters edit the sample of their slot in place; a branch that goes on
 * after a filter gets a copy in a slot of its own. A filter that drops jumps over its subtree. */
#include "program.h"
#include "take.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct hp_step *add_step(struct hp_node *input)
{
	struct hp_step *grown = realloc(input->program.steps, (input->program.nsteps + 1) * sizeof *grown);
	if (!grown)
		return NULL;
	input->program.steps = grown;
	return memset(&grown[input->program.nsteps++], 0, sizeof *grown);
}

static int list_add(struct hp_node ***list, size_t *n, struct hp_node *node)
{
	struct hp_node **grown = realloc(*list, (*n + 1) * sizeof *grown);
	if (!grown)
		return -ENOMEM;
	*list = grown;
	grown[(*n)++] = node;
	return 0;
}

static int compile(struct hp_node *input, struct hp_node *n, uint16_t slot)
{
	for (size_t i = 0; i < n->nkids; i++) {
		struct hp_node *kid = n->kids[i];
		uint16_t own = slot;
		if (list_add(&input->all, &input->nall, kid) < 0)
			return -ENOMEM;
		if (kid->kind == HP_FILTER && i + 1 < n->nkids) {
			/* somebody behind still needs the sample as it is */
			struct hp_step *copy = add_step(input);
			if (!copy)
				return -ENOMEM;
			own = (uint16_t)input->program.nslots++;
			copy->op = HP_STEP_COPY;
			copy->slot = slot;
			copy->to = own;
		}
		uint32_t at = input->program.nsteps;
		struct hp_step *step = add_step(input);
		if (!step)
			return -ENOMEM;
		step->op = kid->kind == HP_FILTER ? HP_STEP_FILTER : HP_STEP_OUTPUT;
		step->slot = own;
		step->node = kid;
		if (kid->kind == HP_OUTPUT) {
			if (kid->module->raw && list_add(&input->program.raws, &input->program.nraws, kid) < 0)
				return -ENOMEM;
			continue;
		}
		kid->program.first = at + 1;
		kid->program.look_ns = INT64_MAX;
		kid->program.slot = own;
		if (compile(input, kid, own) < 0)
			return -ENOMEM;
		kid->program.after = input->program.nsteps;
		input->program.steps[at].skip = kid->program.after - kid->program.first;
	}
	return 0;
}

int hp_program_compile(struct hp_run *run)
{
	run->packet_size = 65507; /* the longest datagram */
	run->packet = malloc(run->packet_size);
	if (!run->packet)
		return -ENOMEM;
	for (size_t i = 0; i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i];
		if (n->kind != HP_INPUT)
			continue;
		n->program.nslots = 1;
		n->program.look_ns = INT64_MIN;
		hp_take_open(n);
		n->program.rotvec_is_enough = true;
		for (size_t k = 0; k < n->nkids; k++)
			if (n->kids[k]->kind != HP_FILTER || !(n->kids[k]->module->traits & HP_READS_ROTVEC))
				n->program.rotvec_is_enough = false;
		if (compile(n, n, 0) < 0)
			return -ENOMEM;
		n->program.slots = calloc(n->program.nslots, sizeof *n->program.slots);
		if (!n->program.slots)
			return -ENOMEM;
		/* a filter may emit while the program above it is under way, so it works on slots of its own */
		for (size_t k = 0; k < n->nall; k++)
			hp_take_open(n->all[k]);
		for (size_t k = 0; k < n->nall; k++)
			if (n->all[k]->kind == HP_FILTER &&
			    !(n->all[k]->program.slots = calloc(n->program.nslots, sizeof *n->program.slots)))
				return -ENOMEM;
	}
	return 0;
}

void hp_program_free(struct hp_run *run)
{
	for (size_t i = 0; i < run->nnodes; i++) {
		struct hp_node *n = run->nodes[i];
		free(n->program.steps);
		free(n->program.slots);
		free(n->program.raws);
		free(n->all);
		n->program = (struct hp_program){ 0 };
		n->all = NULL;
		n->nall = 0;
	}
	free(run->packet);
	run->packet = NULL;
}
