#!/bin/sh
# SPDX-License-Identifier: MIT
# docs/modules.md is what `headpipe modules --markdown` prints; `make docs` writes it anew.
set -u
cd "$(dirname "$0")/../.."
new=$(mktemp)
trap 'rm -f "$new"' EXIT
"${B:-build}/headpipe" modules --markdown >"$new" || exit 1
if grep -q '^Not built' "$new"; then
	echo "skip: not every module is built here, so docs/modules.md cannot be compared"
	exit 77
fi
if ! cmp -s docs/modules.md "$new"; then
	diff -u docs/modules.md "$new" | head -n 30
	echo "docs/modules.md is behind the option tables: run \`make docs\`"
	exit 1
fi
echo "docs/modules.md: $(grep -c '^### ' "$new") modules as in their option tables"
