/* SPDX-License-Identifier: MIT
 * findings.c - the list of what the doctor found. */
#include "doctor.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char pending_cure[sizeof((struct hp_finding *)0)->cure];

void hp_cure(struct hp_findings *f, const char *fmt, ...)
{
	va_list ap;
	(void)f;
	va_start(ap, fmt);
	vsnprintf(pending_cure, sizeof pending_cure, fmt, ap);
	va_end(ap);
}

void hp_find(struct hp_findings *f, enum hp_finding_state state, const char *link, const char *fmt, ...)
{
	if (f->n == f->room) {
		struct hp_finding *more = realloc(f->at, (f->room = f->room ? 2 * f->room : 16) * sizeof *more);
		if (!more)
			return;
		f->at = more;
	}
	struct hp_finding *x = &f->at[f->n++];
	va_list ap;
	x->state = state;
	snprintf(x->link, sizeof x->link, "%s", link);
	va_start(ap, fmt);
	vsnprintf(x->text, sizeof x->text, fmt, ap);
	va_end(ap);
	memcpy(x->cure, pending_cure, sizeof x->cure);
	pending_cure[0] = 0;
	if (state == HP_WRONG && !f->status)
		f->status = 1;
	if (f->told)
		f->told(x);
}

void hp_findings_free(struct hp_findings *f)
{
	free(f->at);
	memset(f, 0, sizeof *f);
}
