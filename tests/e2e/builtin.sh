#!/bin/sh
# SPDX-License-Identifier: MIT
# Every module in inputs/, filters/, outputs/ and outputs/encoders/ stands in host/graph/builtin.def, everything there exists,
# and the list is in order: by kind, then by name.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
found() { # kind files...
	kind=$1
	shift
	sed -n "s/^HP_MODULE(\([a-z0-9_]*\)).*/$kind \1/p" "$@"
}
{
	found input inputs/*.c inputs/*/*.c
	found filter filters/*.c
	found output outputs/*.c outputs/session/*.c
	found encoder outputs/encoders/*.c
} | sort >"$tmp/sources"
sed -n 's/^\(BUILTIN\|MISSING\)(\([a-z]*\), \([a-z0-9_]*\).*/\2 \3/p' host/graph/builtin.def | uniq >"$tmp/listed"
sort "$tmp/listed" | uniq >"$tmp/sorted"
cmp -s "$tmp/listed" "$tmp/sorted" || { echo "host/graph/builtin.def is not in order:"; diff "$tmp/listed" "$tmp/sorted"; exit 1; }
cmp -s "$tmp/sources" "$tmp/sorted" || {
	echo "sources (<) and host/graph/builtin.def (>) differ:"
	diff "$tmp/sources" "$tmp/sorted"
	exit 1
}
# a module that is left out without its library says so
sed -n 's/^BUILTIN(\([a-z]*\), \([a-z0-9_]*\).*/\1 \2/p' host/graph/builtin.def | while read -r kind name; do
	"${B:-build}/headpipe" help "$kind" "$name" >"$tmp/help" 2>&1 || { echo "headpipe help $kind $name fails"; exit 1; }
done
echo "built-ins: $(wc -l <"$tmp/sorted") modules, all listed, in order"
