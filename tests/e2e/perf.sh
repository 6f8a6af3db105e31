#!/bin/sh
# SPDX-License-Identifier: MIT
# `run --perf`: lateness of inputs that give samples by the clock (each sample has one, none at full speed), and the
# start from the fork on: it is no shorter than what the processor was used for, and no time is negative.
set -eu
B=${B:-build}
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
fail() { echo "$*"; cat "$d/said"; exit 1; }
row() { awk -v name="$1" 'index($0, name) == 1 { print $4 }' "$d/said"; }
printf '[input head]\nuse = synth\nrate = 500\ncount = 100\n[output a]\nuse = null\n' >"$d/synth.ini"
printf '[input head]\nuse = replay\npath = %s\nspeed = 3\n[output a]\nuse = null\n' "$PWD/tests/golden/pipeline.hid" >"$d/replay.ini"

"$B/headpipe" run -q --perf --report --perf-log "$d/log.csv" "$d/synth.ini" 2>"$d/said" || fail "run failed"
[ "$(row 'due -> emit')" = 100 ] || fail "synth: not 100 samples with a lateness"
[ "$(awk -F, 'NR > 1 && $7 ~ /^[0-9]+$/' "$d/log.csv" | wc -l)" = 100 ] || fail "the log has not 100 of them"
grep -q -- '-[0-9]' "$d/said" "$d/log.csv" && fail "a negative time"
awk '$1 == "program" { program = $2 } $1 == "first" && $2 == "sent" { sent = $4 }
	$1 == "CPU" { used = $2; wall = 1000 * $5 }
	END { exit !(program > 0 && sent >= program && wall >= sent && used > 0 && used <= 4 * wall + 100) }' "$d/said" ||
	fail "start, CPU and wall time do not fit each other"

"$B/headpipe" run -q --perf -s input.head.speed=0 "$d/synth.ini" 2>"$d/said" || fail "run failed"
[ -z "$(row 'due -> emit')" ] || fail "nothing is late at full speed"

"$B/headpipe" run -q --perf "$d/replay.ini" 2>"$d/said" || fail "run failed"
[ -n "$(row 'read -> sent')" ] && [ "$(row 'due -> emit')" = "$(row 'read -> sent')" ] || fail "replay: not each sample has a lateness"
echo "run --perf: lateness of synth and replay, start and processor time since the fork"
