#!/bin/sh
# SPDX-License-Identifier: MIT
# No stage of the hot path may grow in instructions or system calls over bench/counts.txt; bench/count.sh says by how
# much. And the comparison itself notices growth by a fifth, or two calls more, in every row.
set -eu
B=${B:-build}
if [ -n "${SANITIZE:-}" ] || ! grep -q -- ' -O2 ' "$B/flags"; then
	echo "only counted in a plain -O2 build"
	exit 77
fi
[ -x "$B/headpipe-bench" ] || { echo "$B/headpipe-bench was not built"; exit 1; }
d=$(mktemp -d)
trap 'rm -rf "$d"' EXIT
sh bench/count.sh "$B/headpipe-bench" --measure >"$d/now"
sh bench/count.sh --compare bench/counts.txt "$d/now"
for row in csv hid_read post_alone e2e_bound; do
	grep -q "^$row " "$d/now" || { echo "$row is not counted"; exit 1; }
done
noticed() { # WHAT ROW, BEFORE and AFTER in files
	if sh bench/count.sh --compare "$3" "$4" >"$d/said" || ! grep -q "^$2 .*TOO MANY" "$d/said"; then
		echo "$1 in $2 would not be noticed:"
		cat "$d/said"
		exit 1
	fi
}
n=0
for row in $(awk '!/^#/ { print $1 }' "$d/now"); do
	awk -v row="$row" '$1 == row { $2 = int($2 * 1.2 + 0.5) } { print }' "$d/now" >"$d/more"
	noticed "a fifth more instructions" "$row" "$d/now" "$d/more"
	awk -v row="$row" '$1 == row { $3 += 2 } { print }' "$d/now" >"$d/more"
	noticed "two system calls more" "$row" "$d/now" "$d/more"
	n=$((n + 1))
done
echo "a fifth more instructions, and two calls more, are noticed in each of $n rows"
