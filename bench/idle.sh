#!/bin/sh
# SPDX-License-Identifier: MIT
# idle.sh - `make bench-idle`: how often headpipe wakes up, what CPU time and memory it takes, while nothing happens and
# while a stream runs. Counts over all threads from /proc. SECONDS_EACH=30 per case.
set -eu
hp=${HEADPIPE:-build/headpipe}
each=${SECONDS_EACH:-30}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
tail_ini='[filter pose]
use = orientation
[output game]
use = opentrack_udp
to = 127.0.0.1:47242
[output telemetry]
use = json_udp
to = 127.0.0.1:47243
'
# a replay whose next report comes in a day: the pipeline is open, and dead
{
	grep -v '^E:' conf/head-motion.hid
	grep '^E:' conf/head-motion.hid | head -n 1
	grep '^E:' conf/head-motion.hid | tail -n 1 | sed 's/^E: [0-9.]*/E: 086400.000000/'
} >"$dir/dead.hid"
printf '[input head]\nuse = replay\npath = dead.hid\n%s' "$tail_ini" >"$dir/dead.ini"
printf '[input head]\nuse = hid\nname = no such device\n%s' "$tail_ini" >"$dir/nodevice.ini"
for rate in 25 1000; do
	printf '[input head]\nuse = synth\nspeed = 1\nrate = %s\n%s' $rate "$tail_ini" >"$dir/$rate.ini"
done

ticks=$(getconf CLK_TCK)
# voluntary and other switches, CPU ticks, page faults, over all threads
count() {
	for t in /proc/"$1"/task/*; do
		cat "$t/status" "$t/stat" 2>/dev/null
	done | awk '/^voluntary_ctxt/ { v += $2 } /^nonvoluntary_ctxt/ { n += $2 } /^[0-9]+ \(/ { sub(/^.*\) /, ""); cpu += $12 + $13; f += $8 + $10 } END { print v + 0, n + 0, cpu + 0, f + 0 }'
}
printf '%-34s %12s %12s %12s %12s %10s %8s\n' "case ($each s each)" 'wake-ups/s' 'preempted/s' 'CPU ms/s' 'page faults' 'RSS KiB' threads
measure() { # label ini
	"$hp" run "$2" -q 2>"$dir/err" &
	pid=$!
	sleep 1.5
	set -- "$1" "$2" $(count $pid)
	sleep "$each"
	set -- "$1" "$2" "$3" "$4" "$5" "$6" $(count $pid)
	rss=$(awk '/^VmRSS/ { print $2 }' /proc/$pid/status)
	threads=$(awk '/^Threads/ { print $2 }' /proc/$pid/status)
	kill -INT $pid
	wait $pid || { cat "$dir/err" >&2; exit 1; }
	awk -v l="$1" -v v="$(($7 - $3))" -v n="$(($8 - $4))" -v c="$(($9 - $5))" -v f="$((${10} - $6))" -v s="$each" -v t="$ticks" -v r="$rss" -v th="$threads" \
		'BEGIN { printf "%-34s %12.2f %12.2f %12.3f %12d %10d %8d\n", l, v / s, n / s, c * 1000 / t / s, f, r, th }'
}
measure 'idle: replay with nothing due' "$dir/dead.ini"
measure 'idle: no device' "$dir/nodevice.ini"
measure 'stream: 25 samples/s' "$dir/25.ini"
measure 'stream: 1000 samples/s' "$dir/1000.ini"
