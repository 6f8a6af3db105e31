#!/bin/sh
# SPDX-License-Identifier: MIT
# The session library's promise: a program that was compiled against session_v1/ (a copy of the headers that never
# changes) works with a library whose structs have all grown, and a program of tomorrow with the library of today.
# Canaries behind every struct; a library that does not keep to struct_size is caught.
set -eu
B=${B:-build} CC=${CC:-cc}
if [ -n "${SANITIZE:-}" ]; then
	echo "skip: libraries of their own, which canaries watch"
	exit 77
fi
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
structs='hps_info hps_channel hps_chunk hps_attachment hps_message hps_cursor hps_key hps_field hps_sink hps_writer_options
	hps_reader_options hps_diff_options hps_diff_range hps_diff_totals hps_diff_field hp_sample hp_event hp_stream'
mkdir "$dir/grown" "$dir/bare" "$dir/careless"
for header in headpipe.h headpipe-session.h; do
	awk -v list="$structs" '
		BEGIN { split(list, s); for (i in s) wanted[s[i]] = 1 }
		$1 == "struct" && $3 == "{" && $2 in wanted && /^struct/ { inside = $2 }
		inside && /^};/ { print "\tuint64_t appended[4];"; print inside > "/dev/stderr"; inside = "" }
		{ print }' "host/api/$header" >"$dir/grown/$header" 2>>"$dir/found"
done
[ "$(sort "$dir/found" | tr '\n' ' ')" = "$(echo $structs | tr ' ' '\n' | sort | tr '\n' ' ')" ] || { echo "not all structs were found:"; cat "$dir/found"; exit 1; }
pc=$(for o in ZSTD:libzstd LZ4:liblz4 LIBDEFLATE:libdeflate; do grep -q "HP_HAVE_${o%:*} 1" "$B/have.h" && echo "${o#*:}"; done || true)

# library NAME HEADERS SOURCES
library() {
	$CC -std=c11 -w -O1 -D_DEFAULT_SOURCE -D_POSIX_C_SOURCE=200809L -fPIC -shared -fvisibility=hidden -ffp-contract=off \
		-I"$2" -Ihost/api -I"$3" -Ihost -I. -I"$B" $(pkg-config --cflags zlib $pc) \
		"$3"/session/*.c host/number/*.c -o "$dir/$1.so" $(pkg-config --libs zlib $pc) -lm -Wl,-z,defs
}
library today host/api host
library grown "$dir/grown" host
# the short cut of hps_next() is the library's to offer: one without it serves old programs too
mkdir "$dir/bare/session" "$dir/careless/session"
cp host/session/*.[ch] "$dir/bare/session"
sed -i 's/c->n = n;/c->n = 0;/; s/hps_next(c, &all);/hps_view(r, s->records + at[c->at++], \&all);/' "$dir/bare/session/cursor.c"
! cmp -s host/session/cursor.c "$dir/bare/session/cursor.c"
library bare "$dir/grown" "$dir/bare"
# and one that fills what it knows instead of what there is room for
cp host/session/*.[ch] "$dir/careless/session"
sed -i 's/room < size ? room : size/size/' "$dir/careless/session/io.c"
! cmp -s host/session/io.c "$dir/careless/session/io.c"
library careless "$dir/grown" "$dir/careless"

# program NAME HEADERS LIBRARY [FLAGS]
program() {
	$CC -std=c11 -Wall -Wextra -Wno-missing-field-initializers -Werror -O1 ${4:-} -I"$2" tests/abi/session_grown.c "$dir/$3.so" \
		-Wl,-rpath,"$dir" -lm -o "$dir/$1"
}
for lib in today grown bare careless; do
	program "old-$lib" tests/abi/session_v1 $lib
done
program new-today "$dir/grown" today -DGROWN
for p in old-today old-grown old-bare new-today; do
	"$dir/$p" "$dir/$p.mcap" || { echo "$p: the program and the library do not work together"; exit 1; }
	cmp "$dir/$p.mcap" "$dir/old-today.mcap"
done
! "$dir/old-careless" "$dir/careless.mcap" >"$dir/out"
for what in key message event info chunk attachment stream; do
	grep -q "canary behind $what " "$dir/out" || { echo "a library that overwrites what is behind $what is not caught"; exit 1; }
done
echo "session library: $(echo $structs | wc -w) structs may grow"
