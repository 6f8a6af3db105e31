#!/bin/sh
# SPDX-License-Identifier: MIT
# The wall clock steps while a session is recorded: the step is an event, no time of a message jumps.
set -eu
if [ -n "${SANITIZE:-}" ]; then
	echo "skip: a preloaded clock and sanitizers do not go together"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cat >"$dir/clock.c" <<'EOF'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
/* an hour later, from 1.2 s after the first look on */
int clock_gettime(clockid_t id, struct timespec *t)
{
	static int (*real)(clockid_t, struct timespec *);
	static time_t start;
	static long start_ns;
	struct timespec m;
	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	real(CLOCK_MONOTONIC, &m);
	if (!start) {
		start = m.tv_sec;
		start_ns = m.tv_nsec;
	}
	int r = real(id, t);
	if (id == CLOCK_REALTIME && (m.tv_sec - start) * 10 + (m.tv_nsec - start_ns) / 100000000 > 12)
		t->tv_sec += 3600;
	return r;
}
EOF
${CC:-cc} -O1 -fPIC -shared "$dir/clock.c" -o "$dir/clock.so" -ldl
B=${B:-build}
cat >"$dir/run.ini" <<'EOF'
[input head]
use = synth
rate = 100
count = 400
[output tape]
use = session
path = tape.mcap
chunk_time = 300ms
EOF
LD_PRELOAD="$dir/clock.so" "$B/headpipe" run "$dir/run.ini" -q
"$B/headpipe" info "$dir/tape.mcap" --events >"$dir/events"
steps=$(grep -c 'clock step 3[56][0-9][0-9]\.' "$dir/events" || true)
[ "$steps" = 1 ] || { echo "$steps events for one step:"; cat "$dir/events"; exit 1; }
"$B/headpipe" info "$dir/tape.mcap" --json | python3 -c '
import json, sys
i = json.load(sys.stdin)
assert i["events"]["clock step"] == 1 and 3 < i["seconds"] < 6 and i["gaps"] == 0, i'
echo "one step of the wall clock, one event, no jump"
