/* SPDX-License-Identifier: MIT
 * option_change.c - a batch of live option changes: all of them or none. */
#include "alloc.h"
#include "option_text.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { FIELD_MAX = sizeof(struct hp_addrs) > sizeof(int64_t) ? sizeof(struct hp_addrs) : sizeof(int64_t) };

struct step {
	const struct hp_option *row;
	_Alignas(8) char before[FIELD_MAX], after[FIELD_MAX];
};

/* The block behind a field's bytes, or NULL where the value is all there is. */
static const void *block_of(const struct hp_option *row, const char *bytes)
{
	const char *text;
	struct hp_addrs addrs;
	if (row->type == HP_STR || row->type == HP_PATH) {
		memcpy(&text, bytes, sizeof text);
		return text;
	}
	if (row->type == HP_ADDRS) {
		memcpy(&addrs, bytes, sizeof addrs);
		return addrs.at;
	}
	return NULL;
}

/* One change into its step; 0 or -errno with why. */
static int prepare(struct step *step, const struct hp_option *table, const struct hp_change *change,
                   const char *base_dir, struct hp_values *values, char *why, size_t why_size)
{
	char detail[256], allowed[256];
	const struct hp_option *row = hp_option_find(table, change->key);
	if (!row) {
		snprintf(why, why_size, "%s: no such option", change->key);
		return -ENOENT;
	}
	if (!(row->flags & HP_LIVE)) {
		snprintf(why, why_size, "%s: cannot change while running", change->key);
		return -EPERM;
	}
	if (hp_option_parse(row, change->value, base_dir, step->after, values, detail, sizeof detail) < 0) {
		hp_option_allowed(row, allowed, sizeof allowed);
		if (row->flags & HP_SECRET)
			snprintf(why, why_size, "%s: %s", row->key, detail);
		else
			snprintf(why, why_size, "%s = %.60s: %s (%s)", row->key, change->value, detail, allowed);
		return -EINVAL;
	}
	step->row = row;
	return 0;
}

int hp_options_change(const struct hp_option *table, void *state, const struct hp_change *changes, size_t n,
                      const char *base_dir, int (*changed)(void *), struct hp_values *values, char *why,
                      size_t why_size)
{
	struct step *steps = hp_need(calloc(n ? n : 1, sizeof *steps));
	size_t ready = 0;
	int result = 0;
	while (ready < n && !result) {
		for (size_t i = 0; i < ready && !result; i++)
			if (strcmp(changes[i].key, changes[ready].key) == 0) {
				snprintf(why, why_size, "%s: given twice", changes[i].key);
				result = -EINVAL;
			}
		if (!result)
			result = prepare(&steps[ready], table, &changes[ready], base_dir, values, why, why_size);
		ready += !result;
	}
	if (!result) {
		for (size_t i = 0; i < n; i++) {
			char *field = (char *)state + steps[i].row->offset;
			memcpy(steps[i].before, field, steps[i].row->size);
			memcpy(field, steps[i].after, steps[i].row->size);
		}
		result = changed && n ? changed(state) : 0;
		result = result > 0 ? 0 : result;
		if (result < 0) {
			for (size_t i = 0; i < n; i++)
				memcpy((char *)state + steps[i].row->offset, steps[i].before, steps[i].row->size);
			snprintf(why, why_size, "refused by the module: %s", strerror(-result));
		}
	}
	/* old texts after success, new ones after a refusal */
	for (size_t i = 0; i < ready; i++)
		hp_values_drop(values, block_of(steps[i].row, result ? steps[i].after : steps[i].before));
	free(steps);
	return result;
}
