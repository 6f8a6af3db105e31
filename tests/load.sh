#!/bin/sh
# SPDX-License-Identifier: MIT
# The suite on a busy machine: N runs (default 5) beside one loop more than there are processors and a writer to the disk.
# No test may depend on how busy the machine is. Prints `runs under load: N of N`.
set -u
cd "$(dirname "$0")/.."
n=${N:-5} good=0 run=0 loads=
B=${B:-build}
mkdir -p "$B"
file=$B/load.tmp
stop() {
	# shellcheck disable=SC2086
	kill $loads 2>/dev/null
	wait
	rm -f "$file"
}
trap stop EXIT
trap 'exit 130' INT TERM
i=0
while [ $i -le "$(nproc)" ]; do
	(while :; do :; done) &
	loads="$loads $!"
	i=$((i + 1))
done
(while :; do dd if=/dev/zero of="$file" bs=1M count=256 conv=fsync 2>/dev/null; done) &
loads="$loads $!"
while [ $run -lt "$n" ]; do
	run=$((run + 1))
	began=$(date +%s)
	if B=$B sh tests/run.sh >"$B/load-$run.log" 2>&1; then good=$((good + 1)); else grep -A 20 '^FAILED' "$B/load-$run.log"; fi
	echo "run $run: $(tail -n 1 "$B/load-$run.log"), $(($(date +%s) - began)) s"
done
echo "runs under load: $good of $n"
[ $good = "$n" ]
