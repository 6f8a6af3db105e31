#!/bin/sh
# SPDX-License-Identifier: MIT
# The public header stands alone and compiles without a warning as C11 and as C++14, 17 and 20, with every compiler that
# is there; wrong field types do not compile; modules of either language load and run; they export one symbol, and the
# program exports none of ours.
set -u
B=${B:-build}
program=$PWD/$B/headpipe
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0 compiled=0
wrong() {
	failed=$((failed + 1))
	echo "$*"
}
must() {
	compiled=$((compiled + 1))
	"$@" >"$dir/out" 2>&1 || { wrong "$*"; cat "$dir/out"; }
}
must_not() {
	compiled=$((compiled + 1))
	! "$@" >"$dir/out" 2>&1 || wrong "compiles, but must not: $*"
}
have() {
	command -v "$1" >/dev/null 2>&1 || { echo "skip: no $1 here"; return 1; }
}
W='-Wall -Wextra -Werror'

echo '#include <headpipe.h>
int unused_but_not_empty; ' >"$dir/alone.c"
cp "$dir/alone.c" "$dir/alone.cpp"
for cc in gcc clang; do
	have $cc || continue
	for src in "$dir/alone.c" tests/abi/layout.c tests/abi/module.c; do
		must $cc -std=c11 $W -pedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Ihost/api -fsyntax-only "$src"
	done
	must $cc -std=c17 $W -Ihost/api -fsyntax-only tests/abi/module.c
	# a built-in has a symbol of its own
	must $cc -std=c11 $W -Ihost/api -DHP_BUILTIN=encoder -c tests/abi/module.c -o "$dir/builtin.o"
	nm "$dir/builtin.o" | grep -q ' hp_encoder_every$' || wrong "$cc: no hp_encoder_every"
done
for cxx in g++ clang++; do
	have $cxx || continue
	for std in c++14 c++17 c++20; do
		must $cxx -std=$std $W -Ihost/api -fsyntax-only "$dir/alone.cpp"
		must $cxx -std=$std $W -Ihost/api -fsyntax-only tests/abi/module_new.cpp
	done
	must $cxx -std=c++20 $W -Ihost/api -fsyntax-only tests/abi/module_designated.cpp
done

# a field of the wrong type is found when the module is compiled
n=0
while read -r type row; do
	n=$((n + 1))
	for lang in c cpp; do
		printf '#include <headpipe.h>\nstruct s { %s f; };\nconst struct hp_option o[] = { %s, HP_OPT_END };\n' "$type" "$row" \
			>"$dir/field.$lang"
	done
	for c in "gcc -std=c11" "clang -std=c11" "g++ -std=c++14" "clang++ -std=c++14"; do
		command -v ${c%% *} >/dev/null 2>&1 || continue
		case $c in *++*) src=$dir/field.cpp ;; *) src=$dir/field.c ;; esac
		case $type in
		double | bool) must $c -Ihost/api -fsyntax-only "$src" ;;
		*) must_not $c -Ihost/api -fsyntax-only "$src" ;;
		esac
	done
done <<'END'
double HP_OPT_REAL(struct s, f, "1", 0, 1, "x")
bool HP_OPT_BOOL(struct s, f, "yes", "x")
float HP_OPT_REAL(struct s, f, "1", 0, 1, "x")
int HP_OPT_REAL(struct s, f, "1", 0, 1, "x")
short HP_OPT_INT(struct s, f, "1", 0, 1, "x")
unsigned HP_OPT_INT(struct s, f, "1", 0, 1, "x")
int HP_OPT_BOOL(struct s, f, "yes", "x")
char HP_OPT_ENUM(struct s, f, "a", "a|b", "x")
int HP_OPT_NS(struct s, f, "1s", 0, 1, "x")
int HP_OPT_STR(struct s, f, "1", "x")
int HP_OPT_PATH(struct s, f, "1", "x")
int HP_OPT_ADDRS(struct s, f, "1", "x")
END

# they load, take their defaults and run
printf '[input head]\nuse = synth\nmotion = still\nnoise = 0\ncount = 3\nspeed = 0\n[output o]\nuse = file\npath = o.bin
framing = raw\nencoding = ./every.so\n' >"$dir/run.ini"
loads() { # name command...
	name=$1
	shift
	rm -f "$dir/every.so" "$dir/o.bin"
	must "$@" -fPIC -shared -Ihost/api -o "$dir/every.so"
	exported=$(nm -D --defined-only "$dir/every.so" | awk '$2 ~ /[A-Z]/ && $2 !~ /[WVu]/ { print $3 }' | sort | tr '\n' ' ')
	[ "$exported" = "headpipe_module " ] || wrong "$name exports: $exported"
	(cd "$dir" && "$program" run run.ini -q) || wrong "$name does not run"
	got=$(od -An -v -tx1 -w16 "$dir/o.bin" | tr -d ' ' | sort | uniq -c | tr -s ' ')
	[ "$got" = " 3 0000000000000000000000000000e03f" ] || wrong "$name gives: $got"
}
loads c gcc -std=c11 $W -fvisibility=hidden tests/abi/module.c
loads c++14 g++ -std=c++14 $W -fvisibility=hidden tests/abi/module_new.cpp
loads c++20 g++ -std=c++20 $W -fvisibility=hidden tests/abi/module_designated.cpp
if [ "$(nm -D --defined-only "$program" | grep -c ' hp_\| headpipe_\| cmd_')" != 0 ]; then
	wrong "the program exports:"
	nm -D --defined-only "$program" | grep ' hp_\| headpipe_\| cmd_' | head
fi
[ $failed = 0 ] && echo "header: $compiled compilations, C and C++ modules run" || echo "header: $failed wrong"
[ $failed = 0 ]
