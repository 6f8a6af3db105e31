#!/bin/sh
# SPDX-License-Identifier: MIT
# Every HP_MODULE in inputs/, filters/ and outputs/ is a module of the program, of its folder's kind; the list that the
# Makefile made of them (builtin.def in the build folder) is in order and has nothing else.
set -eu
B=${B:-build}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
found() { # kind files... wherever in a line it stands
	kind=$1
	shift
	sed -n "s/^\(.*[^a-zA-Z0-9_]\)\{0,1\}HP_MODULE(\([a-z0-9_]*\)).*/$kind \2/p" "$@"
}
{
	found input $(find inputs -name '*.c')
	found filter $(find filters -name '*.c')
	found output $(find outputs -name '*.c' -not -path '*/encoders/*')
	found encoder $(find outputs/encoders -name '*.c')
} | LC_ALL=C sort >"$tmp/sources"
sed -n 's/^\(BUILTIN\|MISSING\)(\([a-z]*\), \([a-z0-9_]*\).*/\2 \3/p' "$B/builtin.def" >"$tmp/listed"
cmp -s "$tmp/sources" "$tmp/listed" || {
	echo "sources (<) and $B/builtin.def (>) differ:"
	diff "$tmp/sources" "$tmp/listed"
	exit 1
}
while read -r kind name; do
	"$B/headpipe" help "$kind" "$name" >"$tmp/help" 2>&1 ||
		grep -q "^MISSING($kind, $name, " "$B/builtin.def" || { echo "headpipe help $kind $name fails"; exit 1; }
done <"$tmp/listed"
echo "built-ins: $(wc -l <"$tmp/listed") modules, all listed, in order"
