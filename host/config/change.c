/* SPDX-License-Identifier: MIT
 * change.c - a batch of live option changes: all of them or none. */
#include "base/alloc.h"
#include "value_text.h"
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
	struct hp_list list;
	if (row->type == HP_STR || row->type == HP_PATH) {
		memcpy(&text, bytes, sizeof text);
		return text;
	}
	if (row->type == HP_LIST) {
		memcpy(&list, bytes, sizeof list);
		return list.at;
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

struct hp_batch {
	size_t n;
	struct step steps[];
};

int hp_batch_begin(struct hp_batch **batch, const struct hp_option *table, const struct hp_change *changes, size_t n,
                   const char *base_dir, struct hp_values *values, char *why, size_t why_size)
{
	struct hp_batch *b = hp_need(calloc(1, sizeof *b + n * sizeof *b->steps));
	int result = 0;
	while (b->n < n && !result) {
		for (size_t i = 0; i < b->n && !result; i++)
			if (strcmp(changes[i].key, changes[b->n].key) == 0) {
				snprintf(why, why_size, "%s: given twice", changes[i].key);
				result = -EINVAL;
			}
		if (!result)
			result = prepare(&b->steps[b->n], table, &changes[b->n], base_dir, values, why, why_size);
		b->n += !result;
	}
	*batch = b;
	if (result) {
		hp_batch_end(b, values, false);
		*batch = NULL;
	}
	return result;
}

void hp_batch_apply(struct hp_batch *b, void *state)
{
	for (size_t i = 0; i < b->n; i++) {
		char *field = (char *)state + b->steps[i].row->offset;
		memcpy(b->steps[i].before, field, b->steps[i].row->size);
		memcpy(field, b->steps[i].after, b->steps[i].row->size);
	}
}

void hp_batch_revert(struct hp_batch *b, void *state)
{
	for (size_t i = 0; i < b->n; i++)
		memcpy((char *)state + b->steps[i].row->offset, b->steps[i].before, b->steps[i].row->size);
}

void hp_batch_end(struct hp_batch *b, struct hp_values *values, bool keep)
{
	for (size_t i = 0; b && i < b->n; i++)
		hp_values_drop(values, block_of(b->steps[i].row, keep ? b->steps[i].before : b->steps[i].after));
	free(b);
}

int hp_options_change(const struct hp_option *table, void *state, const struct hp_change *changes, size_t n,
                      const char *base_dir, int (*changed)(void *), struct hp_values *values, char *why,
                      size_t why_size)
{
	struct hp_batch *b;
	int result = hp_batch_begin(&b, table, changes, n, base_dir, values, why, why_size);
	if (result)
		return result;
	hp_batch_apply(b, state);
	result = changed && n ? changed(state) : 0;
	result = result > 0 ? 0 : result;
	if (result < 0) {
		hp_batch_revert(b, state);
		snprintf(why, why_size, "refused by the module: %s", strerror(-result));
	}
	hp_batch_end(b, values, !result);
	return result;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool hp_option_same(const struct hp_option *row, const void *state, const void *other)
{
	const char *a = (const char *)state + row->offset, *b = (const char *)other + row->offset;
	if (row->type == HP_STR || row->type == HP_PATH) {
		const char *texts[2];
		memcpy(&texts[0], a, sizeof texts[0]);
		memcpy(&texts[1], b, sizeof texts[1]);
		return same_text(texts[0], texts[1]);
	}
	if (row->type == HP_ADDRS) {
		struct hp_addrs lists[2];
		memcpy(&lists[0], a, sizeof lists[0]);
		memcpy(&lists[1], b, sizeof lists[1]);
		bool same = lists[0].n == lists[1].n;
		for (uint32_t i = 0; same && i < lists[0].n; i++)
			same = lists[0].at[i].port == lists[1].at[i].port &&
			       !strcmp(lists[0].at[i].host, lists[1].at[i].host);
		return same;
	}
	return !memcmp(a, b, row->size);
}
