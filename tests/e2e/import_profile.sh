#!/bin/sh
# SPDX-License-Identifier: MIT
# `headpipe import-profile`: the ini that it writes is one, an ini that is there already stays, and what is wrong is said.
set -u
cd "$(dirname "$0")/../.."
hp=${B:-build}/headpipe
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad() {
	echo "$1"
	cat "$dir/err"
	exit 1
}
"$hp" import-profile tests/data/opentrack-profile.ini >"$dir/a.ini" 2>"$dir/err" || bad "it fails"
grep -q 'keycode-center = ScrollLock: shortcuts are not taken over' "$dir/err" || bad "it does not say what is left out"
"$hp" check "$dir/a.ini" >"$dir/check" 2>&1 || { cat "$dir/check"; exit 1; }
"$hp" import-profile tests/data/opentrack-profile.ini -o "$dir/b.ini" 2>"$dir/err" || bad "-o fails"
cmp "$dir/a.ini" "$dir/b.ini" || exit 1
"$hp" import-profile tests/data/opentrack-profile.ini -o "$dir/b.ini" 2>"$dir/err" && bad "it wrote over an ini"
grep -q 'File exists' "$dir/err" || bad "it does not say why"
"$hp" import-profile conf/default.ini >"$dir/out" 2>"$dir/err" && bad "it took an ini of ours"
grep -q 'conf/default.ini: no profile of opentrack' "$dir/err" || bad "it does not say what the file is"
[ -s "$dir/out" ] && bad "it printed something"
"$hp" import-profile "$dir/nothing" 2>"$dir/err" && bad "it took a file that is not there"
grep -q 'No such file' "$dir/err" || bad "it does not say that there is none"
for f in tests/fuzz/corpus/profile/*; do
	"$hp" import-profile "$f" >"$dir/c.ini" 2>/dev/null || continue
	"$hp" check "$dir/c.ini" >"$dir/check" 2>&1 || { echo "$f:"; cat "$dir/check"; exit 1; }
done
echo "import-profile: the ini of a profile is one"
