#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/headpipe.1: its COMMANDS are what `headpipe help --man` prints (`make docs` writes them anew, or UPDATE=1), it
# names every key of the host, and it formats without complaint.
set -u
cd "$(dirname "$0")/../.."
headpipe=${B:-build}/headpipe page=docs/headpipe.1
new=$(mktemp)
trap 'rm -f "$new"' EXIT
"$headpipe" help --man >"$new.commands" || exit 1
awk -v commands="$new.commands" '
	/^\.\\" end/ { skip = 0 }
	!skip
	/^\.\\" Made by/ { while ((getline line < commands) > 0) print line; skip = 1 }
' $page >"$new"
rm -f "$new.commands"
[ -z "${UPDATE:-}" ] || cp "$new" $page
if ! cmp -s $page "$new"; then
	diff -u $page "$new" | head -n 30
	echo "$page is behind the table of commands: run \`make docs\`"
	exit 1
fi
failed=0 n=0
for key in $("$headpipe" help input | sed -n 's/^  \([a-z_]*\)  .*/\1/p') \
	$("$headpipe" help output | sed -n 's/^  \([a-z_]*\)  .*/\1/p'); do
	n=$((n + 1))
	grep -q "^\.BI $key " $page || { echo "$page: key $key is missing"; failed=1; }
done
if command -v groff >/dev/null 2>&1; then
	said=$(groff -man -Tutf8 -ww -z $page 2>&1)
	[ -z "$said" ] || { echo "$said"; failed=1; }
elif command -v mandoc >/dev/null 2>&1; then
	mandoc -T lint -W warning $page || failed=1
else
	echo "skip: no groff and no mandoc to format $page; its words are compared"
fi
echo "$page: $(grep -c '^\.SS' $page) commands, $n keys"
[ $failed = 0 ] && [ $n -gt 10 ]
