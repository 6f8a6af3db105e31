#!/bin/sh
# SPDX-License-Identifier: MIT
# Instructions and system calls per operation, counted by callgrind, which a busy machine does not change.
#   count.sh PROGRAM            prints the counts beside the committed ones of bench/counts.txt
#   count.sh PROGRAM --write    writes bench/counts.txt
#   count.sh PROGRAM --check    exit 1 when a count has grown; 77 when it cannot be counted here
#   count.sh PROGRAM --measure  prints the counts alone, as they stand in counts.txt
#   count.sh --compare COMMITTED MEASURED  --check of two files
# The kernel's instructions are not seen. A look at the clock counts as a system call: the page that spares it is not
# there under valgrind. The instructions depend on compiler, C library and processor; the first line of counts.txt says
# for which they hold. There, growth by 2 % (or 3 instructions, where that is more) is too much; elsewhere, by 25 %, since
# another compiler differs by up to 16. System calls are the same everywhere.
set -eu
file=bench/counts.txt
fma=without
grep -qw fma /proc/cpuinfo && fma=with
libc=$(ldd --version 2>/dev/null | awk 'NR == 1 { print $NF }')
here="# $(${CC:-cc} --version | awk 'NR == 1 { print $1, $NF }'), glibc $libc, $(uname -m) $fma FMA"

# PROGRAM: `row instructions calls`, one a line
measure() {
	command -v valgrind >/dev/null 2>&1 || { echo "no valgrind here" >&2; exit 77; }
	valgrind -q --tool=callgrind --collect-systime=yes --callgrind-out-file="$dir/out" "$1" --count 2>"$dir/log" || {
		cat "$dir/log" >&2
		grep -q 'debuginfo reader' "$dir/log" && { echo "this valgrind cannot read what this compiler says for debuggers" >&2; exit 77; }
		exit 1
	}
	# inclusive counts of each row's function: `1,234,567 (12.3%)  2,000 (1.2%)  file:run_NAME [object]`; none is a dot
	callgrind_annotate --show=Ir,sysCount --inclusive=yes --threshold=100 "$dir/out" 2>"$dir/log" |
		sed -n 's/([ 0-9.]*%)//g; s/,//g; s/^ *\([0-9.]*\)  *\([0-9.]*\) .*[:/]run_\([a-z0-9_]*\)\( .*\)\{0,1\}$/\3 \1 \2/p' |
		sort -u >"$dir/all"
	"$1" --counted | while read -r name operations; do
		awk -v name="$name" -v n="$operations" '$1 == name { printf "%s %.0f %.3f\n", name, $2 / n, $3 / n; exit }' "$dir/all"
	done >"$dir/counts"
	[ -s "$dir/counts" ] || { cat "$dir/log" >&2; echo "callgrind gave no counts" >&2; exit 1; }
	{ echo "$here"; cat "$dir/counts"; } >"$dir/measured"
}

# COMMITTED MEASURED: 1 when something has grown. Of the good ones only the number is told, or all with `all`.
compare() {
	awk -v all="${3:-}" '
	FNR == NR && FNR == 1 { whose = $0 }
	FNR != NR && FNR == 1 {
		limit = $0 == whose ? 2 : 25
		if ($0 != whose)
			print "the committed counts are for" substr(whose, 2) ", this is" substr($0, 2) ": growth by " limit " % is allowed"
	}
	/^#/ { next }
	FNR == NR { was[$1] = $2; calls[$1] = $3; next }
	{
		seen[$1] = 1
		n++
		known = $1 in was
		grown = known && was[$1] > 0 ? 100 * ($2 - was[$1]) / was[$1] : 0
		much = known && grown > limit && $2 - was[$1] > 3
		more = known && $3 > calls[$1] * 1.01 + 0.011
		if (!known || much || more || all != "")
			printf("%-20s %6d instructions, committed %6s (%+.1f %%)%s  %6.3f calls, committed %6s%s%s\n", $1, $2,
			       known ? was[$1] : "-", grown, much ? " TOO MANY" : "", $3, known ? calls[$1] : "-",
			       more ? " TOO MANY" : "", known ? "" : "  NOT COMMITTED")
		bad += much || more || !known
		if (grown < -limit && all == "")
			printf("%s has become cheaper, %d for %d: write it down, so that it stays\n", $1, $2, was[$1])
	}
	END {
		for (name in was)
			if (!(name in seen)) { print name " is no longer counted"; bad++ }
		printf "instructions and system calls: %d rows, %d of them wrong; allowed are %d %% more, and no call more\n", n, bad, limit
		exit bad > 0
	}' "$1" "$2"
}

if [ "$1" = --compare ]; then
	compare "$2" "$3"
	exit
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
measure "$1"
case ${2:-} in
--write)
	{
		echo "$here"
		echo "# row, instructions and system calls per operation; written by bench/count.sh, which says when they are too many"
		cat "$dir/counts"
	} >"$file"
	cat "$file"
	;;
--check) compare "$file" "$dir/measured" ;;
--measure) cat "$dir/measured" ;;
*) compare "$file" "$dir/measured" all || true ;;
esac
