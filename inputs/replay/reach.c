/* SPDX-License-Identifier: MIT
 * reach.c - whether a recording is as long as `from` says, found out before anything is opened for what it would give:
 * an output that replaces a file must not do so for nothing. */
#include "reach.h"
#include "clock_steps.h"
#include <errno.h>
#include <stdio.h>

int replay_behind_end(const char *path, int64_t from, int64_t length, char *why, size_t size)
{
	static const struct {
		int64_t ns;
		const char *name;
	} units[] = { { 3600000000000, "h" }, { 60000000000, "min" }, { 1000000000, "s" } };
	size_t i = 0;
	while (i < 2 && from % units[i].ns)
		i++;
	snprintf(why, size, "%.300s: `from` = %.9g%s is behind the end: the recording is %.9g s long", path,
	         (double)from / (double)units[i].ns, units[i].name, (double)length / 1e9);
	return -ERANGE;
}

int report_source_open(struct report_source **out, const struct report_source_ask *ask, char *why, size_t size)
{
	return session_source_is(ask->path) ? session_source_open(out, ask, why, size)
	                                    : recorder_source_open(out, ask, why, size);
}

int replay_reaches(const struct report_source_ask *ask, int64_t from, char *why, size_t size)
{
	struct report_source *s;
	struct report_source_ask quiet = *ask;
	struct report r;
	int64_t begin = 0, length = 0;
	uint64_t n = 0;
	quiet.warn = NULL; /* whoever plays it says what was skipped */
	int rc = report_source_open(&s, &quiet, why, size);
	if (rc < 0)
		return rc;
	if (s->part) {
		rc = s->part(s, from, 0, &length);
	} else {
		while ((rc = s->next(s, &r)) == 1 && length < from) {
			if (!n++)
				begin = r.time_ns;
			length = replay_minus(r.time_ns, begin);
		}
		if (rc == 0 && n && length < from)
			rc = -ERANGE;
	}
	s->close(s);
	/* whatever else is wrong is told by whoever plays it, when it gets there */
	return rc == -ERANGE ? replay_behind_end(ask->path, from, length, why, size) : 0;
}
