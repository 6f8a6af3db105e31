#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command and its arguments (commands.py); a new file in host/commands is a command without any other edit.
set -eu
B=${B:-build}
python3 tests/e2e/commands.py
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
# the sources and what is built of them, with their times: only the new file and the list are compiled
mkdir -p "$tree/$B"
cp -a Makefile host inputs filters outputs "$tree/"
for i in host inputs filters outputs flags have.h libhost.a headpipe; do cp -a "$B/$i" "$tree/$B/"; done
cp -a "$B"/*.def "$tree/$B/"
cat >"$tree/host/commands/greet.c" <<'EOF'
#include "commands/shared/command.h"
#include <inttypes.h>
#include <stdio.h>

struct greet {
	const char *name;
	int64_t after;
};
static const struct hp_arg arguments[] = {
	HP_ARG("NAME", HP_OPT_STR(struct greet, name, NULL, "who is greeted")),
	HP_ARG("--after", HP_OPT_NS(struct greet, after, "2s", 0, 60, "how long it would wait")),
	HP_ARG_END,
};
static int greet(void *state)
{
	const struct greet *a = state;
	printf("hello %s after %" PRId64 " ns\n", a->name, a->after);
	return 0;
}
const struct hp_command hp_command_greet = {
	.name = "greet",
	.summary = "say hello",
	.arguments = arguments,
	.state_size = sizeof(struct greet),
	.run = greet,
};
EOF
name=${B#build}
strict=$(grep -o -e -Werror "$B/flags" | head -n 1) # with the flags that it was built with
make -C "$tree" -j2 CC="${CC:-cc}" SANITIZE="${SANITIZE:-}" BUILD="${name#/}" WERROR="$strict" "$B/headpipe" >"$tree/log" 2>&1 || {
	cat "$tree/log"
	exit 1
}
new="$tree/$B/headpipe"
[ "$("$new" greet --after=500ms you)" = "hello you after 500000000 ns" ]
[ "$("$new" greet you --after 1)" = "hello you after 1000000000 ns" ]
"$new" help | grep -q '^  greet  *say hello$'
"$new" help greet | grep -q 'how long it would wait \[0 to 1min; default 2s\]'
"$new" help --man | grep -q '^\.SS headpipe greet NAME \[\\-\\-after TIME\]$'
compiled=$(grep -c '^ *CC ' "$tree/log")
[ "$compiled" -le 3 ] || ! cmp -s "$B/flags" "$tree/$B/flags" || { cat "$tree/log"; echo "$compiled files were compiled for one new command"; exit 1; }
echo "commands: the same words everywhere; a new one is one new file"
