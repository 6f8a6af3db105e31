#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs every suite of `make test`: unit programs, fuzz corpora, then every tests/*/*.sh. A suite prints what it
# likes; its last line is kept as its closing line. Exit 77 = skipped, with the reason as the last line.
# The very last line is `N passed, N failed, N skipped`, in suites.
set -u
B=${B:-build}
export B CC="${CC:-cc}" SANITIZE="${SANITIZE:-}"
export LC_ALL=C
passed=0 failed=0 skipped=0
log=$B/test-logs
mkdir -p "$log"
suite() { # name command...
	name=$1
	shift
	"$@" >"$log/$name.log" 2>&1 </dev/null
	code=$?
	last=$(grep -v '^ *$' "$log/$name.log" | tail -n 1)
	case $code in
	0)
		passed=$((passed + 1))
		grep -E '^(count|skip): ' "$log/$name.log" | sed 's/^/       /'
		printf 'ok     %s: %s\n' "$name" "$last"
		;;
	77)
		skipped=$((skipped + 1))
		printf 'skip   %s: %s\n' "$name" "$last"
		;;
	*)
		failed=$((failed + 1))
		printf 'FAILED %s (exit %s), from %s:\n' "$name" "$code" "$log/$name.log"
		tail -n 40 "$log/$name.log" | sed 's/^/       /'
		;;
	esac
}
for t in "$B"/tests/unit/test_*; do
	case $t in *.o | *.d) continue ;; esac
	[ -x "$t" ] && suite "unit-$(basename "$t")" "$t"
done
for t in "$B"/tests/fuzz/fuzz_*; do
	case $t in *.o | *.d) continue ;; esac
	n=$(basename "$t")
	[ -x "$t" ] && suite "corpus-$n" "$t" "tests/fuzz/corpus/${n#fuzz_}"
done
for t in tests/house/*.sh tests/golden/*.sh tests/abi/*.sh tests/e2e/*.sh tests/docs/*.sh; do
	[ -f "$t" ] && suite "$(basename "$(dirname "$t")")-$(basename "$t" .sh)" sh "$t"
done
for t in tests/*/*.py; do # the others are helpers
	[ -x "$t" ] && suite "$(basename "$(dirname "$t")")-$(basename "$t" .py)" python3 "$t"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
