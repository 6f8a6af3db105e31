/* SPDX-License-Identifier: MIT
 * fuzz_arguments.c - any words behind the name of any command: each line is a word, the first names the command. What
 * is refused must come with a reason; what is taken must have everything that must be given. */
#include "commands/shared/arguments.h"
#include "commands/shared/table.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Texts of rows that were taken can be read to their ends. */
static size_t touch(const struct hp_arg *a, const char *state)
{
	const void *field = state + a->row.offset;
	size_t n = 0;
	if (a->row.flags & HP_ARG_TEXTS) {
		const struct hp_texts *list = field;
		if ((double)list->n < a->row.min || (double)list->n > a->row.max)
			abort();
		for (size_t i = 0; i < list->n; i++)
			n += strlen(list->at[i]);
	} else if (a->row.type == HP_STR || a->row.type == HP_PATH) {
		const char *text = *(const char *const *)field;
		if (!text && !a->row.def && !a->group)
			abort();
		n = text ? strlen(text) : 0;
	}
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char name[] = "command";
	char *argv[WORDS + 1] = { name }, why[HP_ARGUMENTS_WHY] = "";
	int argc = 1;
	struct hp_values values = { 0 };
	if (!size)
		return 0;
	char *text = calloc(1, size + 1), *first;
	if (!text)
		abort();
	memcpy(text, data, size);
	if (!(first = strchr(text, '\n')))
		first = text + strlen(text) - (*text != 0);
	*first = 0;
	/* no command's name: the first letter chooses */
	const struct hp_command *c = commands[*data % (sizeof commands / sizeof *commands - 1)];
	for (const struct hp_command *const *other = commands; *other; other++)
		if (!strcmp((*other)->name, text))
			c = *other;
	char *state = calloc(1, c->state_size + 1);
	if (!state)
		abort();
	for (char *at = first + 1 < text + size ? first + 1 : NULL, *end; at && *at && argc < WORDS; at = end) {
		end = strchr(at, '\n');
		if (end)
			*end++ = 0;
		argv[argc++] = at;
	}
	int code = hp_arguments_read(c, argc, argv, state, &values, why, sizeof why);
	if (code < 0 && !*why)
		abort();
	for (const struct hp_arg *a = c->arguments; code == 0 && a && a->name; a++)
		if (touch(a, state) == SIZE_MAX)
			abort();
	hp_values_free(&values);
	free(state);
	free(text);
	return 0;
}
