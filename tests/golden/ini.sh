#!/bin/sh
# SPDX-License-Identifier: MIT
# Configurations, one point each: ini/good/NAME.ini must give exactly the tree in NAME.expected, ini/bad/NAME.ini
# exactly the sentences in NAME.expected on stderr, status 2 and nothing started. NAME.args holds the arguments
# where they are not just NAME.ini. UPDATE=1 writes the .expected files anew.
set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
B=${B:-build}
case $B in /*) ;; *) B=$top/$B ;; esac
headpipe=$B/headpipe
TMP=$(mktemp -d)
trap 'rm -rf "$TMP"' EXIT
export TMP
# texts that depend on the user, the installation, or on how many modules there are
HOME=/home/somebody HEADPIPE_MODULES=
export HOME HEADPIPE_MODULES
steady() {
	sed -e 's|\(searched: built-ins\), /home/somebody/\.local/lib/headpipe, [^ ]*/lib/headpipe|\1, ~/.local/lib/headpipe, PREFIX/lib/headpipe|' \
		-e "s|$TMP/||g" -e '/encoding is missing$/{n;s/: json.*\|: [a-z].*, json.*/: THE ENCODERS/}'
}
# 10 MB of lines that are none
yes 'to be or not to be, that is = no question [here] ; "or there' | head -c 10485760 >"$TMP/garbage.ini"

[ -x "$headpipe" ] || { echo "$headpipe: not built"; exit 1; }
# these name modules that need optional libraries
optional=
! "$headpipe" modules | grep -q 'not built: needs' || optional=value-lists
n=0 failed=0
one() { # kind name command status
	kind=$1 name=$2 command=$3 want=$4
	args=$name.ini
	[ ! -f "$name.args" ] || args=$(cat "$name.args")
	eval "set -- $args"
	timeout 60 "$headpipe" "$command" "$@" >"$TMP/out" 2>"$TMP/err" </dev/null
	status=$?
	if [ "$kind" = bad ]; then
		steady <"$TMP/err" >"$TMP/got"
		other=$TMP/out
	else
		steady <"$TMP/out" >"$TMP/got"
		other=$TMP/err
	fi
	[ -z "${UPDATE:-}" ] || cp "$TMP/got" "$name.expected"
	n=$((n + 1))
	if [ "$status" != "$want" ] || [ -s "$other" ] || ! cmp -s "$TMP/got" "$name.expected"; then
		failed=$((failed + 1))
		echo "$kind/$name: headpipe $command gives status $status, not $want, or another text:"
		diff "$name.expected" "$TMP/got"
		cat "$other"
	fi
}
for kind in good bad; do
	cd "$top/tests/golden/ini/$kind" || exit 1
	for name in $(ls | sed -n 's/\.ini$//p; s/\.args$//p' | sort -u); do
		case " $optional " in *" $name "*)
			echo "skip: $name names modules that are not built here"
			continue
			;;
		esac
		if [ $kind = good ]; then
			one good "$name" check 0
		else
			one bad "$name" check 2
			one bad "$name" run 2
		fi
	done
done
echo "count: configurations $((n - failed))/$n"
[ "$n" -gt 0 ] && [ "$failed" = 0 ]
