#!/bin/sh
# SPDX-License-Identifier: MIT
# libheadpipe-session as it is installed: its symbols are the committed list and no others, the header compiles alone in
# C11 and C++14, the examples build against static and shared library with pkg-config's words and run.
set -eu
B=${B:-build} CC=${CC:-cc}
if [ -n "${SANITIZE:-}" ]; then
	echo "skip: the installed library is looked at in the plain build"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make --no-print-directory lib >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
make --no-print-directory install DESTDIR= PREFIX="$dir/usr" UDEV_RULES="$dir/udev" BUILD= >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
export PKG_CONFIG_PATH="$dir/usr/lib/pkgconfig" LD_LIBRARY_PATH="$dir/usr/lib"
nm -D --defined-only "$dir/usr/lib/libheadpipe-session.so.1" | awk '{print $3}' | sort >"$dir/shared"
nm -g --defined-only "$dir/usr/lib/libheadpipe-session.a" 2>/dev/null | awk 'NF == 3 {print $3}' | sort >"$dir/static"
for kind in shared static; do
	diff tests/abi/session-symbols.txt "$dir/$kind" || { echo "the symbols of the $kind library are not the committed ones"; exit 1; }
done
echo '#include <headpipe-session.h>' >"$dir/one.c"
cp "$dir/one.c" "$dir/one.cpp"
warn="-Wall -Wextra -Wshadow -Werror"
$CC -std=c11 $warn $(pkg-config --cflags headpipe-session) -c "$dir/one.c" -o "$dir/one.o"
if command -v c++ >/dev/null 2>&1; then
	c++ -std=c++14 $warn $(pkg-config --cflags headpipe-session) -c "$dir/one.cpp" -o "$dir/one.o"
fi
for name in session_read session_write; do
	$CC -std=c11 $warn docs/examples/session/$name.c $(pkg-config --cflags --libs headpipe-session) -lm -o "$dir/$name"
	$CC -std=c11 $warn docs/examples/session/$name.c $(pkg-config --cflags headpipe-session) "$dir/usr/lib/libheadpipe-session.a" \
		$(pkg-config --libs --static headpipe-session | sed 's/-lheadpipe-session//') -o "$dir/$name-static"
done
"$dir/usr/bin/headpipe" import conf/head-motion.hid -o "$dir/head.mcap" >/dev/null
for kind in "" -static; do
	"$dir/session_read$kind" "$dir/head.mcap" pitch >"$dir/out"
	grep -q '^4001 messages, 19.990 s$' "$dir/out" && grep -q '^mean of pitch over 2000 samples: ' "$dir/out" ||
		{ cat "$dir/out"; exit 1; }
	! "$dir/session_read$kind" "$dir/head.mcap" pitsch 2>"$dir/err"
	grep -q 'has no field pitsch; it has seq time_ns' "$dir/err"
	"$dir/session_write$kind" "$dir/wave$kind.mcap"
	"$dir/usr/bin/headpipe" verify "$dir/wave$kind.mcap" | grep -q 'good, [78][0-9][0-9] messages'
done
cmp "$dir/wave.mcap" "$dir/wave-static.mcap"
# a foreign channel: what there is instead of samples is said
! "$dir/usr/bin/headpipe" export "$dir/wave.mcap" --csv 2>"$dir/err"
grep -q '/wave (cdr)' "$dir/err"
echo "libheadpipe-session: $(wc -l <tests/abi/session-symbols.txt) symbols, static and shared"
