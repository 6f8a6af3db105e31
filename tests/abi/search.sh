#!/bin/sh
# SPDX-License-Identifier: MIT
# Where modules are looked for: a path with a slash, then $HEADPIPE_MODULES from left to right, then
# ~/.local/lib/headpipe; a built-in of the same name wins and the file that is not used is named.
set -u
B=${B:-build} CC=${CC:-cc}
program=$PWD/$B/headpipe
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
HOME=$dir/home
export HOME
mkdir -p "$dir/a" "$dir/b" "$HOME/.local/lib/headpipe" "$dir/c"
failed=0 tried=0
module() { # file name summary
	printf '#include <headpipe.h>\nstatic int w(void *self, const struct hp_sample *s) { (void)self; (void)s; return 0; }
HP_MODULE(%s) = { HP_MODULE_HEAD, .kind = HP_OUTPUT, .name = "%s", .summary = "%s", .write = w };\n' "$2" "$2" "$3" >"$dir/m.c"
	$CC -std=c11 -fPIC -shared -Ihost/api "$dir/m.c" -o "$1" || failed=$((failed + 1))
}
same() { # what got wanted
	tried=$((tried + 1))
	[ "$2" = "$3" ] || { failed=$((failed + 1)); printf '%s\ngot:  %s\nwant: %s\n' "$1" "$2" "$3"; }
}
which_one() {
	HEADPIPE_MODULES=$1 "$program" help my_out 2>&1 | sed -n '2s/^  //p'
}
module "$dir/a/my_out.so" my_out "from a"
module "$dir/b/my_out.so" my_out "from b"
module "$HOME/.local/lib/headpipe/my_out.so" my_out "from home"
same "left to right" "$(which_one "$dir/a:$dir/b")" "from a"
same "the other way round" "$(which_one "$dir/b:$dir/a")" "from b"
same "empty and missing folders" "$(which_one ":/nonexistent::$dir/b:")" "from b"
same "home comes last" "$(which_one "$dir/c")" "from home"
same "nothing set" "$(which_one "")" "from home"
same "a relative folder" "$(cd "$dir" && which_one a)" "from a"

cat >"$dir/run.ini" <<'END'
[input head]
use = synth
[output game]
use = my_out
END
same "by name" "$(HEADPIPE_MODULES=$dir/a "$program" check "$dir/run.ini")" "head (synth) ── game (my_out)"
module "$dir/c/x.so" my_out "from c"
same "by path, whatever the file is called" "$(cd "$dir" && "$program" check run.ini -s game.use=c/x.so)" \
	"head (synth) ── game (my_out)"
same "a name is never a path" "$(cd "$dir/a" && HOME=/nonexistent "$program" check ../run.ini -s game.use=my_out 2>&1 | head -n 1)" \
	"command line: error: [output game] use = my_out: no such output module"

module "$dir/a/null.so" null "not the built-in one"
same "a shadowed file is named" "$(HEADPIPE_MODULES=$dir/a "$program" check "$dir/run.ini" -s game.use=null 2>&1)" \
	"headpipe: warning: $dir/a/null.so is not used: output null is built in
head (synth) ── game (null)"

# the list of all modules has those of the folders, and what does not load, with the reason
echo text >"$dir/b/bad.so"
list=$(HEADPIPE_MODULES=$dir/b "$program" modules 2>&1)
same "in the list" "$(echo "$list" | grep -c "my_out .*from b   ($dir/b/my_out.so)\$")" 1
same "not loaded" "$(echo "$list" | grep -c "not loaded: $dir/b/bad.so: cannot be loaded: ")" 1

[ $failed = 0 ] && echo "search: $tried places and names" || echo "search: $failed wrong"
[ $failed = 0 ]
