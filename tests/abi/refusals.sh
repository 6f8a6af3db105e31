#!/bin/sh
# SPDX-License-Identifier: MIT
# Module files that must not load: each gives one sentence that names the file and the numbers.
set -u
B=${B:-build} CC=${CC:-cc}
program=$PWD/$B/headpipe
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mods=$dir/mods
mkdir "$mods" "$dir/home"
failed=0 tried=0

cat >"$dir/run.ini" <<'END'
[input head]
use = synth
[output game]
use = null
END
# $1: what to use, $2: the sentence behind "use = ...: ", @ stands for the path
refused() {
	tried=$((tried + 1))
	got=$(cd "$dir" && HOME=$dir/home HEADPIPE_MODULES=$mods "$program" check run.ini -s "game.use=$1" 2>&1)
	code=$?
	want="command line: error: [output game] use = $1: $2
headpipe: 1 error in run.ini; nothing was started"
	if [ "$got" != "$want" ] || [ $code != 2 ]; then
		failed=$((failed + 1))
		printf 'use = %s, exit %s\ngot:  %s\nwant: %s\n' "$1" "$code" "$got" "$want"
	fi
}
# $1: what is wrong in broken.c, $2: the sentence
broken() {
	$CC -std=c11 -Wall -Wextra -Wno-missing-field-initializers -Werror -fPIC -shared -Ihost/api "-DWRONG_$1" tests/abi/broken.c \
		-o "$mods/$1.so" || failed=$((failed + 1))
	refused "./mods/$1.so" "./mods/$1.so: $2"
}

broken major 'built for headpipe ABI 3.0, this headpipe provides 2.0: update headpipe or rebuild the module'
broken older 'built for headpipe ABI 1.7, this headpipe provides 2.0: rebuild the module'
broken minor 'needs headpipe ABI 2.1, this headpipe provides 2.0: update headpipe, or see HP_NEEDS in headpipe.h'
broken head 'built for headpipe ABI 0.0, this headpipe provides 2.0: rebuild the module'
broken struct_size 'its module struct has 60 bytes, 216 to 4096 are possible: use HP_MODULE_HEAD and rebuild'
broken sample_size 'its samples have 216 bytes, 256 to 512 are possible: use HP_MODULE_HEAD and rebuild'
broken huge_sample 'its samples have 1024 bytes, 256 to 512 are possible: use HP_MODULE_HEAD and rebuild'
broken option_size 'its option rows have 64 bytes, 88 to 4096 are possible: use HP_MODULE_HEAD and rebuild'
broken kind 'its kind is 7; 1 (input) to 4 (encoder) are known'
broken nokind 'its kind is 0; 1 (input) to 4 (encoder) are known'
noname='it has no proper name and summary; a name is a-z, 0-9 and _, at most 64 characters'
broken noname "$noname"
broken name "$noname"
broken summary "$noname"
broken nowrite 'output broken has no function `write or send`'
broken filter 'filter broken has no function `filter`'
broken symbol 'no symbol `headpipe_module` or `headpipe_modules` (is HP_MODULE(...) there, and is it compiled without -DHP_BUILTIN?)'
broken default 'output broken: default of `gain`: out of range'
broken default_enum 'output broken: default of `mode`: not one of the choices'
broken reserved 'output broken: option `rate`: this key belongs to the host'
broken key 'output broken: option `Gain`: a key is lower-case letters, digits, `_` and `-`, at most 32'
broken twice 'output broken: option `gain` stands there twice'
broken doc 'output broken: option `gain`: no doc text'
broken range 'output broken: option `gain`: min is above max'
broken choices 'output broken: option `mode`: bad choices'
broken nokey 'output broken: option 1: no key'
broken type 'output broken: option `gain`: unknown type'
broken field_size 'output broken: option `gain`: the field has the wrong size for its type'
broken outside 'output broken: option `gain`: the field lies outside of the state'
broken soft 'output broken: option `gain`: the sensible range is not inside of the range'
broken nothing 'its HP_MODULES() names no module'
broken same 'output broken is in it twice'
broken endless 'output broken: option `gain` stands there twice'

# the good one of the same source does load
$CC -std=c11 -Wall -Wextra -Werror -fPIC -shared -Ihost/api tests/abi/broken.c -o "$mods/broken.so" || failed=$((failed + 1))
tree=$(cd "$dir" && "$program" check run.ini -s game.use=./mods/broken.so 2>&1)
[ "$tree" = "head (synth) ── game (broken)" ] || { failed=$((failed + 1)); echo "good: $tree"; }

# built with a later header, but content with this one
$CC -std=c11 -Wall -Wextra -Werror -fPIC -shared -Ihost/api -DNEWER tests/abi/broken.c -o "$mods/newer.so" ||
	failed=$((failed + 1))
tree=$(cd "$dir" && "$program" check run.ini -s game.use=./mods/newer.so 2>&1)
[ "$tree" = "head (synth) ── game (broken)" ] || { failed=$((failed + 1)); echo "newer: $tree"; }

# several in one file
cat >"$dir/pack.c" <<'END'
#include <headpipe.h>
static int take(void *self, const struct hp_sample *s)
{
	(void)self, (void)s;
	return 0;
}
static int keep(void *self, struct hp_sample *s)
{
	(void)self, (void)s;
	return HP_KEEP;
}
#define OUT(n) { HP_MODULE_HEAD, .kind = HP_OUTPUT, .name = n, .summary = "an output for tests", .write = take }
static const struct hp_module left = OUT("left"), right = OUT("right"), calm = {
	HP_MODULE_HEAD, .kind = HP_FILTER, .name = "calm", .summary = "a filter", .filter = keep, .version = "1.2",
	.author = "A. Name", .url = "https://example.org/calm"
};
HP_MODULES(&left, &right, &calm);
END
$CC -std=c11 -Wall -Wextra -Werror -fPIC -shared -Ihost/api "$dir/pack.c" -o "$mods/pack.so" || failed=$((failed + 1))
has='(output left, output right, filter calm)'
refused ./mods/pack.so "./mods/pack.so: it has several outputs; put the name behind the file, as in ./mods/pack.so:left   $has"
refused ./mods/pack.so:up "./mods/pack.so: there is no output up in it   $has"
refused ./mods/pack.so:calm "./mods/pack.so: there is no output calm in it   $has"
refused pack "$mods/pack.so: there is no output pack in it   $has"
for use in ./mods/pack.so:right pack:right; do
	tree=$(cd "$dir" && HEADPIPE_MODULES=$mods "$program" check run.ini -s game.use=$use 2>&1)
	[ "$tree" = "head (synth) ── game (right)" ] || { failed=$((failed + 1)); echo "$use: $tree"; }
done
printf '[input head]\nuse = synth\n[filter f]\nuse = ./mods/pack.so\n[output game]\nuse = null\n' >"$dir/only.ini"
tree=$(cd "$dir" && "$program" check only.ini 2>&1)
[ "$tree" = "head (synth) ── f (calm) ── game (null)" ] || { failed=$((failed + 1)); echo "the only filter: $tree"; }
for line in '  calm             a filter   (%s/pack.so:calm, 1.2)'; do
	HEADPIPE_MODULES=$mods "$program" modules 2>&1 | grep -qxF "$(printf "$line" "$mods")" ||
		{ failed=$((failed + 1)); echo "modules lacks: $line"; HEADPIPE_MODULES=$mods "$program" modules | grep calm; }
done
HEADPIPE_MODULES=$mods "$program" help pack:calm 2>&1 | grep -qx '  version 1.2, by A. Name, https://example.org/calm' ||
	{ failed=$((failed + 1)); HEADPIPE_MODULES=$mods "$program" help pack:calm; }

# files
refused ./missing.so './missing.so: No such file or directory'
refused ./mods './mods: not a regular file'
echo 'this is no library, only some text that is long enough for a header' >"$mods/text.so"
refused ./mods/text.so './mods/text.so: cannot be loaded: invalid ELF header'
: >"$mods/empty.so"
refused ./mods/empty.so './mods/empty.so: cannot be loaded: file too short'
head -c 8000 "$mods/broken.so" >"$mods/cut.so"
refused ./mods/cut.so './mods/cut.so: cannot be loaded: the file is cut short'
cp "$mods/broken.so" "$mods/open.so"
chmod 757 "$mods/open.so"
refused ./mods/open.so './mods/open.so: writable by everybody, so it is not loaded; `chmod o-w` it if it is yours'
echo 'int nowhere_to_be_found(void); int headpipe_module; int f(void); int f(void) { return nowhere_to_be_found(); }' >"$dir/u.c"
$CC -fPIC -shared "$dir/u.c" -o "$mods/undefined.so"
refused ./mods/undefined.so './mods/undefined.so: cannot be loaded: undefined symbol: nowhere_to_be_found'

# the wrong kind asked for, in the words of the one who asks
kind() {
	tried=$((tried + 1))
	got=$(cd "$dir" && "$program" check run.ini -s "$1=./mods/broken.so" 2>&1 | grep '^command line')
	[ "$got" = "command line: error: $2 = ./mods/broken.so: ./mods/broken.so: $3" ] || {
		failed=$((failed + 1))
		echo "kind: $got"
	}
}
kind head.use '[input head] use' 'it is an output, not an input'
sed -i 's/^use = null/use = udp\nto = 127.0.0.1:9/' "$dir/run.ini"
kind game.encoding '[output game] encoding' 'it is an output, not an encoder'
sed -i 's/^\[output game\]/[filter calm]\nuse = axes\n&/' "$dir/run.ini"
kind calm.use '[filter calm] use' 'it is an output, not a filter'

# a module that is found by its name must have that name
sed -i 's/^use = udp/use = null/; /^to = /d' "$dir/run.ini"
cp "$mods/broken.so" "$mods/other.so"
refused other "$mods/other.so: its name is broken; call the file broken.so"

[ $failed = 0 ] && echo "refusals: all $tried sentences as they should be" || echo "refusals: $failed of $tried wrong"
[ $failed = 0 ]
