#!/bin/sh
# SPDX-License-Identifier: MIT
# Instructions per operation, counted by callgrind, which a busy machine does not change.
#   count.sh PROGRAM          prints the counts beside the committed ones of bench/counts.txt
#   count.sh PROGRAM --write  writes bench/counts.txt
#   count.sh PROGRAM --check  exit 1 when a count has grown by more than 10 %; 77 when they cannot be compared here
# The kernel's instructions are not seen. The counts depend on compiler, C library and processor; the first line of
# counts.txt says for which they hold.
set -eu
program=$1
mode=${2:-}
file=bench/counts.txt
command -v valgrind >/dev/null 2>&1 || { echo "no valgrind here"; exit 77; }
fma=without
grep -qw fma /proc/cpuinfo && fma=with
libc=$(ldd --version 2>/dev/null | awk 'NR == 1 { print $NF }')
here="# $(${CC:-cc} --version | awk 'NR == 1 { print $1, $NF }'), glibc $libc, $(uname -m) $fma FMA"
if [ "$mode" = --check ] && [ "$(head -n 1 "$file")" != "$here" ]; then
	echo "not compared: the committed counts are for$(head -n 1 "$file" | cut -c2-), this is${here#\#}"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
valgrind -q --tool=callgrind --callgrind-out-file="$dir/out" "$program" --count 2>"$dir/log" || { cat "$dir/log"; exit 1; }
# inclusive instructions of each row's function: `1,234,567 (12.3%)  file:run_NAME [object]`
callgrind_annotate --inclusive=yes --threshold=100 "$dir/out" |
	sed -n 's/^ *\([0-9,]*\) .*[:/]run_\([a-z0-9_]*\)\( .*\)\{0,1\}$/\2 \1/p' | tr -d , | sort -u >"$dir/all"
"$program" --counted | while read -r name operations; do
	awk -v name="$name" -v n="$operations" '$1 == name { printf "%s %.0f\n", name, $2 / n; exit }' "$dir/all"
done >"$dir/counts"
[ -s "$dir/counts" ] || { echo "callgrind gave no counts"; exit 1; }
if [ "$mode" = --write ]; then
	{ echo "$here"; echo "# row and instructions per operation; written by bench/count.sh"; cat "$dir/counts"; } >"$file"
fi
awk -v check="$mode" '
	FNR == NR { if ($1 != "#") was[$1] = $2; next }
	{
		seen[$1] = 1
		grown = $1 in was && was[$1] > 0 ? 100 * ($2 - was[$1]) / was[$1] : 0
		if (check != "--check" || grown > 10)
			printf("%-22s %6d instructions, committed %6s (%+.1f %%)%s\n", $1, $2, ($1 in was) ? was[$1] : "-", grown,
			       (grown > 10) ? "  TOO MANY" : "")
		if (grown > 10) bad++
		n++
	}
	END {
		for (name in was)
			if (!(name in seen)) { print name " is no longer counted"; bad++ }
		printf "instructions: %d rows, %d grown by more than 10 %%\n", n, bad
		exit check == "--check" && bad > 0
	}' "$file" "$dir/counts"
