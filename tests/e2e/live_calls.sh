#!/bin/sh
# SPDX-License-Identifier: MIT
# What one report costs from the node to two datagrams: one wait, one read, two sends, one switch to the process. Counted,
# so that a detour (a thread, a queue, a second wake-up) is noticed on any machine. `make bench-live` times the same.
set -eu
B=${B:-build}
if [ -n "${SANITIZE:-}" ]; then
	echo "skip: a preloaded library does not go with sanitizers"
	exit 77
fi
sh bench/live/run.sh --calls >"$B/live-calls.txt"
cat "$B/live-calls.txt"
# reports that came together are read one by one without a wait between: fewer waits are no fault
awk 'BEGIN { most["wait"] = 1.1; most["read"] = 1.1; most["send"] = 2.05; most["write"] = 0.1; most["switches"] = 1.2; most["lost"] = 0 }
	$1 in most { n++; if ($2 > most[$1]) { print $1 ": " $2 " for each report, at most " most[$1] " are needed"; bad = 1 } }
	END { if (n != 6) { print "only " n " of 6 counts"; bad = 1 }; exit bad }' "$B/live-calls.txt"
echo "live path: one wait, one read, two sends for each report"
