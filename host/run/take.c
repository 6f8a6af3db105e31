/* SPDX-License-Identifier: MIT
 * take.c - what a module hands over, in the sizes of this host: what its header does not have yet is 0, what ours does
 * not have yet is left out. A struct_size of 0 means that the author forgot it, and counts as the least there ever was.
 */
#include "take.h"
#include "graph/modules.h"

static void take(void *to, size_t size, const void *from, size_t theirs, size_t least)
{
	theirs = theirs < least ? least : theirs < size ? theirs : size;
	memset(to, 0, size);
	memcpy(to, from, theirs);
	memcpy(to, &(uint32_t){ (uint32_t)size }, sizeof(uint32_t)); /* struct_size is the first member of all */
}

void hp_take_raw(struct hp_raw *to, const struct hp_raw *from)
{
	take(to, sizeof *to, from, from->struct_size, HP_RAW_LEAST);
}

void hp_take_event(struct hp_event *to, const struct hp_event *from)
{
	take(to, sizeof *to, from, from->struct_size, HP_EVENT_LEAST);
}

void hp_take_stream(struct hp_stream *to, const struct hp_stream *from)
{
	take(to, sizeof *to, from, from->struct_size, HP_STREAM_LEAST);
}

void hp_take_open(struct hp_node *n)
{
	/* the host's own bit only from its own modules */
	n->program.known_flags = HP_SAMPLE_FLAGS | (hp_module_file(n->module) ? 0 : HP_QUAT_DUE);
	n->program.sample_size = n->module->sample_size;
}

void hp_take_tail(const struct hp_node *n, struct hp_sample *to, const struct hp_sample *from)
{
	const size_t head = offsetof(struct hp_sample, angvel);
	size_t all = n->program.sample_size < sizeof *to ? n->program.sample_size : sizeof *to;
	memcpy((char *)to + head, (const char *)from + head, all - head);
	memset((char *)to + all, 0, sizeof *to - all);
}
