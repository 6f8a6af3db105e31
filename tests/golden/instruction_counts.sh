#!/bin/sh
# SPDX-License-Identifier: MIT
# No stage of the hot path may grow by more than 10 % in instructions over bench/counts.txt.
set -eu
B=${B:-build}
if [ -n "${SANITIZE:-}" ] || ! grep -q -- ' -O2 ' "$B/flags"; then
	echo "only counted in a plain -O2 build"
	exit 77
fi
[ -x "$B/headpipe-bench" ] || { echo "$B/headpipe-bench was not built"; exit 1; }
exec sh bench/count.sh "$B/headpipe-bench" --check
