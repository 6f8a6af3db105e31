/* SPDX-License-Identifier: MIT
 * diff.c - two channels of two session files side by side, as ranges of messages that differ. */
#include "diff.h"

#include <errno.h>

static const struct hps_diff_options defaults = HPS_DIFF_OPTIONS;

static int runs(struct hps_diff *d)
{
	for (int i = 0; i < 2; i++) {
		struct hps_diff_run *u = &d->runs[i];
		u->marks = calloc(d->nplans + 1, sizeof *u->marks);
		u->first[0] = malloc(d->side[0].size + 1);
		u->first[1] = malloc(d->side[1].size + 1);
		if (!u->marks || !u->first[0] || !u->first[1])
			return -ENOMEM;
	}
	d->open = &d->runs[0];
	d->shown = &d->runs[1];
	return 0;
}

int hps_diff_open(struct hps_diff **out, struct hps_reader *a, int ca, struct hps_reader *b, int cb,
                  const struct hps_diff_options *opts)
{
	struct hps_diff_options o = defaults;
	*out = NULL;
	if (opts)
		memcpy(&o, opts, opts->struct_size < sizeof o ? opts->struct_size : sizeof o);
	bool good =
	    o.tolerance >= 0 && a != b && ca >= 0 && cb >= 0 && (size_t)ca < a->nchannels && (size_t)cb < b->nchannels;
	for (size_t i = 0; good && i < o.nfields; i++)
		good = o.tolerances[i] >= 0;
	if (!good)
		return -EINVAL;
	struct hps_diff *d = calloc(1, sizeof *d);
	if (!d)
		return -ENOMEM;
	d->side[0].cursor = hps_begin(a, ca);
	d->side[1].cursor = hps_begin(b, cb);
	d->side[0].need = d->side[1].need = true;
	int r = hps_diff_prepare(d, &o);
	if (!r)
		r = runs(d);
	if (r) {
		hps_diff_close(d);
		return r;
	}
	d->content = !o.all;
	d->whole = hps_same_channels(a, b) && ca == cb;
	*out = d;
	return 0;
}

void hps_diff_close(struct hps_diff *d)
{
	if (!d)
		return;
	for (int i = 0; i < 2; i++) {
		free(d->runs[i].marks);
		free(d->runs[i].first[0]);
		free(d->runs[i].first[1]);
	}
	free(d->plans);
	free(d->now);
	free(d);
}

/* Behind the last message of their chunks, both step over chunks with the same content. */
static bool skip(struct hps_diff *d)
{
	struct hps_cursor *a = &d->side[0].cursor, *b = &d->side[1].cursor;
	if (!d->whole || a->at < a->n || b->at < b->n)
		return false;
	uint64_t n = hps_skip_equal(a, b, d->content);
	d->side[0].number += n;
	d->side[1].number += n;
	d->totals.skipped += n;
	return n > 0;
}

static int step(struct hps_diff *d, int which)
{
	struct hps_diff_side *s = &d->side[which];
	int code = hps_next(&s->cursor, &s->m);
	if (code < 0) {
		d->failed_second = which;
		d->totals.bad++;
		return code;
	}
	s->have = code == 1;
	s->need = false;
	if (s->have)
		hps_diff_body(s);
	return 0;
}

/* What was open is given from now on; 1 when there was something. */
static int shut(struct hps_diff *d)
{
	struct hps_diff_run *was = d->open;
	if (!was->range.kind)
		return 0;
	d->open = d->shown;
	d->shown = was;
	d->open->range.kind = 0;
	return 1;
}

static void begin(struct hps_diff *d, enum hps_diff_kind kind, int64_t time)
{
	struct hps_diff_run *u = d->open;
	const struct hps_diff_side *a = &d->side[0], *b = &d->side[1];
	u->range = (struct hps_diff_range){ .kind = kind, .first = a->number, .second = b->number, .start = time };
	memset(u->marks, 0, d->nplans * sizeof *u->marks);
	u->fields = kind == HPS_DIFF_CHANGED && a->body && b->body && d->nplans;
	if (u->fields) {
		memcpy(u->first[0], a->body, a->size);
		memcpy(u->first[1], b->body, b->size);
	}
}

/* Takes the message (or the pair) at hand: kind 0 = the same. 1 when that ended a range. */
static int take(struct hps_diff *d, int kind, int64_t time, bool bytes)
{
	int done = 0;
	if (d->open->range.kind != (enum hps_diff_kind)kind) {
		done = shut(d);
		if (kind)
			begin(d, (enum hps_diff_kind)kind, time);
	}
	if (kind) {
		struct hps_diff_run *u = d->open;
		u->range.messages++;
		u->range.end = time;
		u->range.bytes |= bytes;
		for (size_t i = 0; i < d->nnow; i++)
			u->marks[d->now[i]] = true;
	}
	for (int i = 0; i < 2; i++) {
		if (kind == (i ? HPS_DIFF_ONLY_FIRST : HPS_DIFF_ONLY_SECOND))
			continue;
		d->side[i].need = true;
		d->side[i].number++;
	}
	return done;
}

static int pair(struct hps_diff *d)
{
	bool bytes = false, same = hps_diff_same(d, &bytes);
	d->totals.compared++;
	d->totals.changed += !same;
	d->totals.bytes += bytes;
	return take(d, same ? 0 : HPS_DIFF_CHANGED, d->side[0].m.time, bytes);
}

static int next(struct hps_diff *d)
{
	struct hps_diff_side *a = &d->side[0], *b = &d->side[1];
	for (;;) {
		int code = 0;
		if (a->need && b->need && skip(d) && shut(d))
			return 1;
		for (int i = 0; i < 2 && !code; i++)
			code = d->side[i].need ? step(d, i) : 0;
		if (code)
			return code;
		d->nnow = 0;
		if (a->have && b->have && a->m.time == b->m.time) {
			code = pair(d);
		} else if (a->have && (!b->have || a->m.time < b->m.time)) {
			d->totals.only_first++;
			code = take(d, HPS_DIFF_ONLY_FIRST, a->m.time, false);
		} else if (b->have) {
			d->totals.only_second++;
			code = take(d, HPS_DIFF_ONLY_SECOND, b->m.time, false);
		} else {
			return shut(d);
		}
		if (code)
			return code;
	}
}

int hps_diff_fill_next(struct hps_diff *d, struct hps_diff_range *range)
{
	struct hps_diff_range none = { 0 };
	int code = next(d);
	hps_give(range, code == 1 ? &d->shown->range : &none, sizeof none);
	return code;
}

void hps_diff_fill_totals(const struct hps_diff *d, struct hps_diff_totals *totals)
{
	struct hps_diff_totals all = d->totals;
	hps_give(totals, &all, sizeof all);
}

const char *hps_diff_error(const struct hps_diff *d, bool *in_second)
{
	if (in_second)
		*in_second = d->failed_second;
	return hps_reader_error(d->side[d->failed_second].cursor.reader);
}
