#!/bin/sh
# SPDX-License-Identifier: MIT
# Modules that were built against the header of ABI 1.0 (v1/headpipe.h, which never changes) load and run in today's
# headpipe, with every service that they knew.
set -u
B=${B:-build} CC=${CC:-cc}
program=$PWD/$B/headpipe
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
wrong() {
	failed=$((failed + 1))
	echo "$*"
}
for kind in INPUT FILTER OUTPUT; do
	$CC -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden -Itests/abi/v1 -D$kind \
		tests/abi/chain.c -o "$dir/$kind.so" || wrong "$kind does not compile"
done
$CC -std=c11 -fPIC -shared -Itests/abi/v1 tests/abi/module.c -o "$dir/every.so" || wrong "the encoder does not compile"
cat >"$dir/run.ini" <<'END'
[input head]
use = ./INPUT.so
count = 6
[filter more]
use = ./FILTER.so
[output out]
use = ./OUTPUT.so
path = out.txt
[output bytes]
use = file
path = bytes.out
framing = raw
encoding = ./every.so
END
(cd "$dir" && "$program" run run.ini >log 2>&1) || { wrong "exit status"; cat "$dir/log"; }
want='100
101
102
104
105
6 reports, 1 events'
# what is posted may come behind what is emitted
[ "$(sort "$dir/out.txt")" = "$want" ] || { wrong "out.txt:"; cat "$dir/out.txt"; }
[ "$(wc -c <"$dir/bytes.out")" = 80 ] || wrong "bytes.out has $(wc -c <"$dir/bytes.out") bytes"
for line in 'headpipe: input head: all sent' 'headpipe: output out: stopped'; do
	grep -qx "$line" "$dir/log" || { wrong "no: $line"; cat "$dir/log"; }
done
# old modules stay loadable as long as the major number stays
grep -q '^#define HP_ABI_MAJOR 1u' host/api/headpipe.h || wrong "the major number has changed: v1 belongs to another headpipe"
# and with its numbers and layout today's header still agrees
for header in host/api tests/abi/v1; do
	$CC -std=c11 -I$header -fsyntax-only tests/abi/layout.c || wrong "$header/headpipe.h has another layout"
done
[ $failed = 0 ] && echo "frozen: modules of ABI 1.0 run"
[ $failed = 0 ]
