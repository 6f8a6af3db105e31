#!/bin/sh
# SPDX-License-Identifier: MIT
# Structs grow, and modules go on. v2 holds the header of ABI 2.0 and modules as they were written for it; neither ever
# changes. Here a header of tomorrow is made of today's, with one field more in every struct, a whole headpipe is built
# with it, and old and new inputs, filters and outputs run in all mixtures in the headpipe of today and in that one.
set -u
B=${B:-build} CC=${CC:-cc} SANITIZE=${SANITIZE:-}
top=$PWD
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0 ran=0
wrong() {
	failed=$((failed + 1))
	echo "$*"
}
grep -q '^#define HP_ABI_MAJOR 2u' host/api/headpipe.h || wrong "the major number has changed: v2 belongs to another headpipe"
for header in host/api tests/abi/v2; do
	$CC -std=c11 -I$header -fsyntax-only tests/abi/layout.c || wrong "$header/headpipe.h has another layout"
done

# ---- tomorrow
mkdir -p "$dir/src"
cp -r Makefile host inputs filters outputs "$dir/src"
minor=$(sed -n 's/^#define HP_ABI_MINOR \([0-9]*\)u.*/\1/p' host/api/headpipe.h)
field() { # the struct, its last member, what comes behind it
	sed -i "/^struct $1 {/,/^};/{/ \**$2\( HP_UNSET\)\{0,1\};/a\\
	$3;
}" "$dir/src/host/api/headpipe.h"
}
cd "$dir/src" || exit 1
sed -i "s/^\(#define HP_ABI_MINOR\) ${minor}u/\1 $((minor + 1))u/; s/^\(#define HP_SAMPLE_FLAGS\) \(0x[0-9a-f]*u\)/\1 (\2 | 1u << 20)/
s/^       HP_CONFIDENCE = 1u << 9,/       HP_FUTURE = 1u << 20,\n&/
s/\({ 0, 0, 0 }, 1, 0\)\([, ]\)/\1, 7\2/" host/api/headpipe.h
echo '#define HP_FUTURE HP_FUTURE' >"$dir/define"
sed -i "/^#define HP_SAMPLE_FLAGS/r $dir/define" host/api/headpipe.h
field hp_sample spare 'double future'
field hp_raw time_ns 'uint64_t future'
field hp_event text 'uint64_t future'
field hp_item samples 'uint64_t future'
field hp_stream features 'const char *future'
field hp_option flags 'const char *future'
sed -i 's/^	bool (\*behind)(const struct hp_host \*);/&\n	int64_t (*future_service)(const struct hp_host *);/
s/^	const char \*version HP_UNSET, \*author HP_UNSET, \*url HP_UNSET;/&\n	uint64_t future HP_UNSET;/' host/api/headpipe.h
sed -i 's/		\.behind = svc_behind,/&\n		.future_service = svc_now,/' host/run/services.c
# a field of a sample is a row of the table as well, and a text of a stream a line where they are copied
place=$(grep -c '^HP_SAMPLE_[A-Z]*(.*,' host/sample/fields.def)
sed -i "/^HP_SAMPLE_APPENDED(confidence/i\\
HP_SAMPLE_APPENDED(future, F64, REAL, future, \"\", HP_FUTURE, $place, \"future\", estimate, \"\", STAGED, \"a test\")" host/sample/fields.def
sed -i 's/&s->unique_id, &s->features };/\&s->unique_id, \&s->features, \&s->future };/; s/i < 4; i++/i < 5; i++/' host/run/services.c
changed=$(diff "$top/host/api/headpipe.h" host/api/headpipe.h | grep -c '^>')
[ "$changed" = 13 ] || { wrong "the header of tomorrow has $changed changed lines"; diff "$top/host/api/headpipe.h" host/api/headpipe.h; }
make -s BUILD=later CC="$CC" CFLAGS='-O0 -w' SANITIZE="$SANITIZE" build/later/headpipe >"$dir/log" 2>&1 || { wrong "tomorrow does not build"; tail -n 20 "$dir/log"; }
later=$dir/src/build/later/headpipe
cd "$top" || exit 1

# ---- modules of both times
for kind in INPUT FILTER OUTPUT; do
	$CC -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -Itests/abi/v2 -D$kind \
		tests/abi/v2/chain.c -o "$dir/old_$kind.so" || wrong "$kind of 2.0 does not compile"
	$CC -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wno-missing-field-initializers -Werror -fPIC -shared -fvisibility=hidden \
		-I"$dir/src/host/api" -DHP_NEEDS=0 -D$kind tests/abi/chain.c -o "$dir/new_$kind.so" || wrong "$kind of tomorrow does not compile"
done
$CC -std=c11 -fPIC -shared -Itests/abi/v2 tests/abi/v2/module.c -o "$dir/old_every.so" || wrong "the encoder of 2.0 does not compile"
$CC -std=c11 -fPIC -shared -I"$dir/src/host/api" -DHP_NEEDS=0 -w tests/abi/module.c -o "$dir/new_every.so" || wrong "the encoder of tomorrow does not compile"
$CC -std=c11 -D_POSIX_C_SOURCE=200809L -w -fPIC -shared -I"$dir/src/host/api" -DOUTPUT tests/abi/chain.c -o "$dir/needs.so"

mixture() { # host input filter output encoder
	ran=$((ran + 1))
	program=$top/$B/headpipe
	[ "$1" = now ] || program=$later
	cat >"$dir/run.ini" <<END
[input head]
use = ./$2_INPUT.so
count = 6
[filter more]
use = ./$3_FILTER.so
[output out]
use = ./$4_OUTPUT.so
path = out.txt
[output bytes]
use = file
path = bytes.out
framing = raw
encoding = ./$5_every.so
END
	rm -f "$dir/out.txt" "$dir/bytes.out"
	(cd "$dir" && "$program" run run.ini >log 2>&1) || { wrong "$*: exit status"; cat "$dir/log"; }
	more='' behind='6 reports, 1 events'
	if [ "$1$4" = laternew ]; then
		behind="$behind, a service"
		[ "$2" = new ] && behind='6 reports, 11 events, a service' && more=yes
	fi
	# what is posted may come behind what is emitted
	want=$(for n in 100 101 102 104 105 150 151 152 153 154 155; do
		[ -z "$more" ] && echo "$n" && continue
		[ "$3" = new ] && echo "$n and $((2100 + n % 50))" || echo "$n and $((2000 + n % 50))"
	done && echo "$behind")
	[ "$(sort "$dir/out.txt")" = "$want" ] || { wrong "$*: out.txt:"; cat "$dir/out.txt"; }
	[ "$(wc -c <"$dir/bytes.out")" = 176 ] || wrong "$*: bytes.out has $(wc -c <"$dir/bytes.out") bytes"
	for line in 'headpipe: input head: all sent' 'headpipe: output out: stopped'; do
		grep -qx "$line" "$dir/log" || { wrong "$*: no: $line"; cat "$dir/log"; }
	done
}
for host in now later; do
	for input in old new; do
		for filter in old new; do
			for output in old new; do
				mixture $host $input $filter $output $output
			done
		done
	done
done

# ---- and where they do not fit: who needs what tomorrow brings is told so today
printf '[input head]\nuse = synth\n[output out]\nuse = ./needs.so\npath = out.txt\n' >"$dir/needs.ini"
got=$(cd "$dir" && "$top/$B/headpipe" check needs.ini 2>&1 | head -n 1)
want="needs.ini:4: error: [output out] use = ./needs.so: ./needs.so: needs headpipe ABI 2.$((minor + 1)), this headpipe provides 2.$minor: update headpipe, or see HP_NEEDS in headpipe.h"
[ "$got" = "$want" ] || wrong "got:  $got
want: $want"
(cd "$dir" && "$later" check needs.ini >log 2>&1) || { wrong "tomorrow refuses its own module"; cat "$dir/log"; }
[ $failed = 0 ] && echo "grown: $ran mixtures of modules of ABI 2.0 and of one with a field more in every struct"
[ $failed = 0 ]
