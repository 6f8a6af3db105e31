#!/bin/sh
# SPDX-License-Identifier: MIT
# Whatever CFLAGS and LDFLAGS say, the bytes stay: what computes is built for a processor with fused multiply-add, once
# with -O2 and once with -Ofast, by each compiler that is here. No object may hold a fused instruction, and the programs
# with the vectors pass. Where the processor has no such instructions, only the objects are looked at.
set -u
[ -z "${SANITIZE:-}" ] || { echo "only in the plain build"; exit 77; }
case $(${CC:-cc} -dumpmachine) in x86_64*) ;; *) echo "the instructions that are looked for are x86-64's"; exit 77 ;; esac
command -v objdump >/dev/null || { echo "no objdump here"; exit 77; }
runs=yes
for f in fma avx2 bmi2 f16c movbe; do
	grep -qw "$f" /proc/cpuinfo || runs=
done
[ "$runs" ] || echo "skip: vectors: this processor has no FMA or AVX2"
programs="reference_math reference_text pose orientation number json opentrack msgpack frames tracker"
fused='\bv\(fn\?m\(add\|sub\)\|[45]fn\?madd\)' # vfmadd231sd, vfnmsub213pd, vfmaddsub132pd, ...
failed=0 objects=0 passed=0
unset MAKEFLAGS MFLAGS MAKELEVEL
try() { # name compiler flags
	folder=build/flags-$1
	words() { make -s BUILD="flags-$1" CC="$2" CFLAGS="$3" LDFLAGS="$4" --eval "words: ; @printf '%s\n' \"\$($5)\"" words; }
	computes=$(words "$1" "$2" "$3" "" 'filter $B/host/number/% $B/host/pose/% $B/host/base/% $B/host/config/% $B/host/hds/% $B/filters/% $B/inputs/decode/% $B/outputs/encoders/%,$(LIBO)')
	[ "$computes" ] || { echo "no objects to look at"; exit 1; }
	tests=
	[ "$runs" ] && for p in $programs; do tests="$tests $folder/tests/unit/test_$p.o"; done
	[ "$tests" ] && tests="$tests $(words "$1" "$2" "$3" "" 'PLAINO')"
	# shellcheck disable=SC2086
	make -s -j2 BUILD="flags-$1" CC="$2" CFLAGS="$3" $computes $tests >"$folder.log" 2>&1 || { tail -n 20 "$folder.log"; exit 1; }
	for o in $computes; do
		objects=$((objects + 1))
		if objdump -d "$o" | grep -m 3 "$fused"; then
			echo "$o: fused instructions, with $2 $3"
			failed=1
		fi
	done
	[ "$runs" ] || return
	rm -f "$folder/computes.a"
	ar rcs "$folder/computes.a" $computes $(words "$1" "$2" "$3" "" 'PLAINO')
	# the flags get into LDFLAGS as well: packagers do that
	link=$(words "$1" "$2" "$3" "$3" 'LINK')
	libs=$(words "$1" "$2" "$3" "" 'PC_LIBS')
	for p in $programs; do
		$link "$folder/tests/unit/test_$p.o" "$folder/computes.a" -o "$folder/test_$p" $libs -lcmocka -lm || exit 1
		"$folder/test_$p" >"$folder/test_$p.log" 2>&1
		case $? in
		0) passed=$((passed + 1)) ;;
		77) echo "skip: $p with $2 $3: $(tail -n 1 "$folder/test_$p.log")" ;;
		*)
			grep -m 5 -E 'ERROR|FAILED|row ' "$folder/test_$p.log"
			echo "test_$p fails with $2 $3"
			failed=1
			;;
		esac
	done
}
mkdir -p build
for cc in gcc clang; do
	command -v $cc >/dev/null || { echo "skip: no $cc here"; continue; }
	try "$cc-v3" $cc '-O2 -march=x86-64-v3'
	try "$cc-v3-fast" $cc '-Ofast -march=x86-64-v3'
done
# without the Makefile's flags it is refused rather than wrong
for f in -Ofast -ffinite-math-only; do
	for c in host/pose/pose.c filters/orientation.c; do
		if ${CC:-cc} -std=c11 -Ihost/api -Ihost $f -fsyntax-only $c 2>/dev/null; then
			echo "$c is compiled with $f"
			failed=1
		fi
	done
done
[ "$objects" -gt 0 ] || { echo "no compiler"; exit 77; }
echo "flags: $objects objects without fused instructions, $passed programs passed"
[ $failed = 0 ]
